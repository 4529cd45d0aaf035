"""What docs/astedit.md and README.md show of ``astedit`` is run, in a copy of ``corpus/``."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click
import pytest

from structural.cli.edit.commands import astedit
from tests.cases_format import Block, Case, read_commands
from tests.cases_runner import run_command
from tests.test_readme import README, ROOT, blocks

PAGE = ROOT / "docs/astedit.md"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "corpus", tmp_path / "t/corpus")
    return tmp_path / "t"


def shown(page: Path, block: Block, tree: Path) -> None:
    """Run the commands of a block one after another; ids are taken for those of the page."""
    ids: dict[str, str] = {}
    for wanted in read_commands(Case(page, page.name, ()), block):
        real = {theirs: ours for ours, theirs in ids.items()}
        words = tuple(real.get(word, word) for word in wanted.words)
        found = run_command(type(wanted)(words, wanted.shown, (), 0), tree)
        for line, expected in zip(found.output, wanted.output, strict=False):
            for pattern in (r"^staged (\w{6}):", r"^undid \w{6} by (\w{6}):"):
                one, other = re.search(pattern, line), re.search(pattern, expected)
                if one and other:
                    ids[one[1]] = other[1]
        lines = [
            "".join(ids.get(part, part) for part in re.split(r"(\b\w{6}\b)", line)) for line in found.output
        ]
        assert found.exit_code == wanted.exit_code
        for line, expected in zip(lines, wanted.output, strict=True):
            if expected.endswith("…}"):
                assert line.startswith(expected.removesuffix("…}"))
            else:
                assert line == expected


@pytest.mark.parametrize("block", [b for b in blocks(PAGE) if b.role == "console"], ids=lambda b: b.line)
def test_the_page_shows_what_happens(block: Block, copy: Path) -> None:
    shown(PAGE, block, copy)


def test_the_readme_shows_what_happens(copy: Path) -> None:
    text = README.read_text(encoding="utf-8")
    (body,) = re.findall(r"## Staged rewrites\n\n((?:    .*\n)+)", text)
    lines = [line[4:] for line in body.splitlines()]
    shown(README, Block("console", "", (), "\n".join(lines), 1, 1, 1 + len(lines)), copy)


def test_every_command_and_option_is_named() -> None:
    text = PAGE.read_text(encoding="utf-8")
    search_too = {"globs", "jobs"}
    missing = []
    for name, command in astedit.commands.items():
        if not re.search(rf"`{name}\b", text):
            missing.append(name)
        for option in command.params:
            if not isinstance(option, click.Option) or option.name in search_too | {"color", "context"}:
                continue
            if name == "stage" and option.name in _of_search():
                continue
            missing += [f"{name} {opt}" for opt in option.opts if not re.search(rf"{opt}(?![\w-])", text)]
    assert not missing, f"docs/astedit.md does not name {', '.join(missing)}"


def _of_search() -> set[str | None]:
    from structural.cli.commands import search

    return {param.name for param in search.params} - {"strict", "max_count"}
