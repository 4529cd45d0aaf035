"""What README.md and the pages beside it say is run and compared.

Blocks marked ``console`` are commands with their output and exit code, run where
they would be read: in the root of the repository.  ``--update-cases`` writes what was
found into the page.  A ``python`` block is run, and what it prints is compared with
the ``text`` block behind it.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from structural.cli.commands import search
from structural.syntax import registry
from tests.cases_format import Block, Case, Command, read_commands, replace_bodies
from tests.cases_runner import run_command

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changelog.d/*.md")]

LONGEST = 245


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page; the word behind the fence is the role."""
    found: list[Block] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    fences = [at for at, line in enumerate(lines) if line.startswith("```")]
    for first, last in zip(fences[::2], fences[1::2], strict=True):
        body = "\n".join(lines[first + 1 : last])
        found.append(Block(lines[first][3:].strip(), "", (), body, first + 1, first + 1, last))
    return found


@pytest.mark.parametrize("block", [b for b in blocks(README) if b.role == "console"], ids=lambda b: b.line)
def test_the_commands_answer_as_shown(block: Block, update_cases: bool) -> None:
    wanted = read_commands(Case(README, "README", ()), block)
    found = [run_command(command, ROOT) for command in wanted]
    if update_cases:
        text = README.read_text(encoding="utf-8")
        # An earlier block may have grown meanwhile.
        (now,) = [b for b in blocks(README) if b.role == "console" and b.body == block.body]
        README.write_text(replace_bodies(text, [(now, _printed(found))]), encoding="utf-8")
    else:
        assert "\n".join(_printed(found)) == "\n".join(_printed(wanted))


def test_the_example_prints_what_is_shown() -> None:
    found = blocks(README)
    (at,) = [at for at, block in enumerate(found) if block.role == "python"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(found[at].body, "README.md", "exec"), {})
    assert found[at + 1].role == "text"
    assert out.getvalue().rstrip("\n") == found[at + 1].body


def test_every_option_is_named() -> None:
    text = README.read_text(encoding="utf-8")
    options = {name for param in search.params for name in param.opts if name.startswith("-")}
    missing = sorted(name for name in options if not re.search(rf"{name}(?![\w-])", text))
    assert not missing, f"README.md does not name {', '.join(missing)}"


def test_every_language_is_named() -> None:
    (text,) = re.findall(r"## Languages\n\n(.*?)\n\n", README.read_text(encoding="utf-8"), re.DOTALL)
    words = {word.lower() for word in re.findall(r"[\w+#]+", text)}
    names = {registry.resolve(word) for word in words if word in {"c++", "c#"}} | words
    assert set(registry.kept()) <= names


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]+`", "", page.read_text(encoding="utf-8"))
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    dead = [t for t in targets if t and "://" not in t and not (page.parent / t).exists()]
    assert not dead, f"{page.name} links to what is not there: {', '.join(dead)}"


def _printed(commands: list[Command]) -> list[str]:
    return [line for command in commands for line in command.printed()]
