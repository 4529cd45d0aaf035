"""Baselines: what is known stays known while code moves, and what is new is shown."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.workflow.scanning import Wish
from structural.workflow.scanning.baseline import Entry, baseline_text, known_of, read_baseline, updated
from tests.scan.conftest import Project

FILE = "known.json"
TAKE = Wish(jobs=1, baseline=FILE, update=True)
AGAINST = Wish(jobs=1, baseline=FILE)


def take(project: Project) -> None:
    project.scan(wish=TAKE)


def new(project: Project) -> list[tuple[str, int, str]]:
    return project.found(wish=AGAINST)


def test_what_is_known_is_not_shown(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n")
    take(project)
    assert new(project) == []
    _, summary = project.scan(wish=AGAINST)
    assert (summary.findings, summary.known) == (0, 1)


def test_lines_above_and_layout_make_no_difference(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(g(x, y))\n")
    take(project)
    project.put(
        "a.py",
        "import os\n\n\ndef f():\n    if x:\n        eval(\n            g(x,  # why\n              y))\n",
    )
    assert new(project) == []


def test_a_second_of_the_same_is_new(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n")
    take(project)
    project.put("a.py", "def f():\n    eval(x)\n    eval(x)\n")
    assert new(project) == [("a.py", 3, "no-eval")]


def test_other_code_is_new(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n")
    take(project)
    project.put("a.py", "def f():\n    eval(y)\n")
    assert new(project) == [("a.py", 2, "no-eval")]


def test_what_was_mended_here_and_stands_there_is_new(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n\ndef g():\n    pass\n")
    take(project)
    project.put("a.py", "def f():\n    pass\n\ndef g():\n    eval(x)\n")
    assert new(project) == [("a.py", 5, "no-eval")]


def test_a_function_with_a_new_name_keeps_what_it_has(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n")
    take(project)
    project.put("a.py", "class C:\n    def better(self):\n        eval(x)\n")
    assert new(project) == []


def test_a_function_may_move_to_another_file(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n\ndef g():\n    pass\n")
    take(project)
    project.put("a.py", "def g():\n    pass\n")
    project.put("sub/b.py", "def f():\n    eval(x)\n")
    assert new(project) == []


def test_a_copy_of_a_function_is_new(project: Project) -> None:
    project.put("a.py", "def f():\n    eval(x)\n")
    take(project)
    project.put("b.py", "def f():\n    eval(x)\n")
    assert new(project) == [("b.py", 2, "no-eval")]


def test_a_file_may_be_renamed(project: Project) -> None:
    project.put("a.py", "eval(x)\ndef f():\n    eval(y)\n")
    take(project)
    (project.folder / "a.py").rename(project.folder / "z.py")
    assert new(project) == []
    project.put("z.py", "eval(x)\ndef f():\n    eval(y)\n    eval(q)\n")
    assert new(project) == [("z.py", 4, "no-eval")]


def test_a_suppressed_finding_is_not_taken(project: Project) -> None:
    project.put("a.py", "eval(x)  # astgrep-ignore: no-eval\n")
    take(project)
    assert json.loads((project.folder / FILE).read_text())["findings"] == []
    project.put("a.py", "eval(x)\n")
    assert new(project) == [("a.py", 1, "no-eval")]


def test_an_update_keeps_what_was_not_looked_at_and_drops_what_is_gone(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    project.put("b.py", "eval(y)\n")
    take(project)
    project.put("a.py", "eval(z)\n")
    project.scan("a.py", wish=TAKE)
    names = [(one.name, one.rule) for one in read_baseline(str(project.folder / FILE))]
    assert sorted(names) == [("a.py", "no-eval"), ("b.py", "no-eval")]
    assert new(project) == []
    (project.folder / "b.py").unlink()
    project.scan("a.py", wish=TAKE)
    assert [one.name for one in read_baseline(str(project.folder / FILE))] == ["a.py"]


def test_an_update_with_one_rule_keeps_the_others(project: Project) -> None:
    from structural.workflow.scanning import Choice

    project.put("a.py", "print(eval(x))\n")
    take(project)
    project.put("a.py", "pass\n")
    project.scan(wish=TAKE, choice=Choice(ids=("no-eval",)))
    assert [one.rule for one in read_baseline(str(project.folder / FILE))] == ["no-print"]


def test_the_configuration_may_name_it(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    project.configure(f'baseline = "{FILE}"\n')
    project.run("scan", code=2)
    project.run("scan", "--update-baseline", code=0)
    assert project.run("scan", code=0).stdout == b""
    project.put("b.py", "eval(y)\n")
    assert b"b.py:1:1" in project.run("scan", code=1).stdout


def test_an_update_with_a_broken_rule_ends_with_2(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    project.put("rules/bad.yml", "id: bad\nlanguage: python\nrule: {pattern: 'def (('}\n")
    project.run("scan", "--baseline", FILE, "--update-baseline", code=2)
    project.run("scan", "--baseline", FILE, "--update-baseline", "--skip-broken", code=0)
    assert (
        b"known.json has 1 finding now"
        in project.run("scan", "--baseline", FILE, "--update-baseline", "--skip-broken", code=0).stderr
    )


def test_very_many_equal_findings(project: Project) -> None:
    known = Counter({Entry(f"f{n % 100}.py", "r", f"c{n}", "same"): 1 for n in range(20_000)})
    found = [Entry(f"g{n % 100}.py", "r", f"d{n}", "same") for n in range(20_000)]
    began = time.monotonic()
    assert all(known_of(found, known, lambda name: None))
    assert time.monotonic() - began < 20


def test_a_baseline_that_is_none_is_told(project: Project) -> None:
    for text in (
        "",
        "[]",
        '{"version": 1}',
        '{"version": 9, "findings": []}',
        '{"version": 1, "findings": [1]}',
    ):
        project.put(FILE, text)
        with pytest.raises(UsageError, match=r"baseline"):
            project.scan(wish=AGAINST)
    with pytest.raises(UsageError, match="there is no baseline"):
        project.scan(wish=Wish(baseline="none.json"))


def test_the_file_is_the_same_for_the_same_findings() -> None:
    entries = Counter({Entry("b", "r", "", "1"): 2, Entry("a\udcff", "r", "x\x1fy", "2"): 1})
    text = baseline_text(entries)
    assert text == baseline_text(Counter(dict(reversed(list(entries.items())))))
    assert text.count(b"\n") == 4


def test_a_file_can_be_read_back(tmp_path: Path) -> None:
    entries = Counter({Entry("b", "r", "", "1"): 2, Entry("a\udcff", "r", "x\x1fy", "2"): 1})
    path = tmp_path / "x.json"
    path.write_bytes(baseline_text(entries))
    assert read_baseline(str(path)) == entries


def test_updated_keeps_only_what_is_still_there() -> None:
    old = Counter({Entry("a", "r", "", "1"): 1, Entry("b", "r", "", "1"): 1})
    made = updated(old, [Entry("c", "r", "", "1")], lambda one: one.name == "b")
    assert sorted(one.name for one in made) == ["b", "c"]


def test_nothing_is_known_twice() -> None:
    one = Entry("a", "r", "f", "1")
    known = known_of([one, one, one], Counter({one: 2}), lambda name: frozenset({"f"}))
    assert known == [True, True, False]


# --- random edits ---------------------------------------------------------------------------------------


@dataclass
class Code:
    """A project as files of functions of statements, each statement with a text of its own."""

    files: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def finding(self, chance: random.Random) -> str:
        name = self.fresh()
        return chance.choice([f"eval({name})", f"print({name}, 1)", f"y = {name} == {name}"])

    def text(self, name: str) -> str:
        out = []
        for function, body in self.files[name]:
            out.append(f"def {function}(a):\n" + "".join(f"    {one}\n" for one in body or ["pass"]) + "\n")
        return "\n".join(out)


def start(chance: random.Random) -> Code:
    code = Code()
    for _ in range(6):
        functions = []
        for _ in range(chance.randint(1, 4)):
            body = [
                code.finding(chance) if chance.random() < 0.5 else f"{code.fresh()} = 1" for _ in range(4)
            ]
            functions.append((f"f_{code.fresh()}", body))
        code.files[f"{code.fresh()}.py"] = functions
    # What several places have in common: the same statement, in functions with other names.
    for functions in code.files.values():
        functions[0][1].append("eval(common)")
    return code


def edit(code: Code, chance: random.Random) -> None:
    """One edit: of those that add a finding the text is noted."""
    name = chance.choice(sorted(code.files))
    functions = code.files[name]
    how = chance.choice(["line", "line", "move", "move", "file", "rename", "swap", "add", "mend", "function"])
    if how == "line" and functions:
        _, body = chance.choice(functions)
        body.insert(chance.randint(0, len(body)), chance.choice(["", "# a comment", f"{code.fresh()} = 2"]))
    elif how == "move" and functions:
        one = functions.pop(chance.randrange(len(functions)))
        to = code.files[chance.choice(sorted(code.files))]
        to.insert(chance.randint(0, len(to)), one)
    elif how == "file":
        code.files[f"sub/{code.fresh()}.py"] = code.files.pop(name)
    elif how == "rename" and functions:
        at = chance.randrange(len(functions))
        functions[at] = (f"g_{code.fresh()}", functions[at][1])
    elif how == "swap":
        chance.shuffle(functions)
    elif how == "add" and functions:
        _, body = chance.choice(functions)
        text = code.finding(chance)
        code.added.add(text)
        body.insert(chance.randint(0, len(body)), text)
    elif how == "mend" and functions:
        _, body = chance.choice(functions)
        if body:
            gone = body.pop(chance.randrange(len(body)))
            code.added.discard(gone)
    elif how == "function":
        text = code.finding(chance)
        code.added.add(text)
        functions.insert(0, (f"h_{code.fresh()}", [text]))


def write(project: Project, code: Code) -> None:
    for path in project.folder.rglob("*.py"):
        path.unlink()
    for name in code.files:
        project.put(name, code.text(name))


def shown(project: Project, wish: Wish) -> set[str]:
    """The code of the findings that are told."""
    files, _ = project.scan(wish=wish)
    return {
        one.source[finding.span.start : finding.span.end].decode()
        for one in files
        for finding in one.findings
        if one.source is not None
    }


@pytest.mark.parametrize("seed", range(25))
def test_after_random_edits_only_what_they_added_is_shown(project: Project, seed: int) -> None:
    chance = random.Random(seed)
    code = start(chance)
    write(project, code)
    take(project)
    for _ in range(20):
        edit(code, chance)
    write(project, code)
    assert shown(project, AGAINST) == {text.removeprefix("y = ") for text in code.added}
