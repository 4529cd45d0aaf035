"""Rules in the tools: ``ast_scan``, and ``ast_edit`` with rules."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Call, Toolbox
from structural.agent.budget import dumps
from structural.workflow.scanning import remembered, work
from tests.memory_checks import settle

from .conftest import checked, snapshot

Ask = Callable[..., dict[str, Any]]

PRINTS = """\
id: no-print
language: python
message: "`$X` is printed"
rule: {pattern: print($X)}
rewrite: log($X)
"""

SUMS = """\
id: sum-in-a-call
language: [python, javascript]
severity: error
message: a sum in a call
rule:
  pattern: $A + $B
  inside: {pattern: "def $F($$$): $$$", stop-by: end}
"""

BOLD = """\
id: bold
language: python
message: bold
rule: {pattern: print($X)}
rewrite: {rewrite: log($X), safety: suspicious}
"""


def places(answer: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (file["path"], one["line"], one["rule"]) for file in answer["results"] for one in file["findings"]
    ]


def test_a_rule_that_is_a_text(ask: Ask) -> None:
    answer = ask("ast_scan", rule=PRINTS)
    assert (answer["findings"], answer["found_files"], answer["rules"]) == (2, 1, 1)
    (file,) = answer["results"]
    assert file["findings"][0] == {
        "rule": "no-print",
        "severity": "warning",
        "line": 5,
        "column": 1,
        "text": "print(add(1, 2))",
        "message": "`add(1, 2)` is printed",
        "rewrite": "safe",
    }
    assert answer["by_severity"] == {"warning": 2}
    assert answer["scope"]["complete"]
    assert answer["readings"] == [
        {"rule": "no-print", "pattern": "print($X)", "rung": "statement", "languages": ["python"]}
    ]
    assert answer["next"][0]["arguments"] == {"rule": PRINTS, "ids": ["no-print"]}


def test_a_rule_may_be_json(ask: Ask) -> None:
    rule = {"id": "p", "language": "python", "rule": {"pattern": "print($X)"}, "message": "x"}
    assert ask("ast_scan", rule=json.dumps(rule))["findings"] == 2


def test_several_documents_are_several_rules(ask: Ask) -> None:
    answer = ask("ast_scan", rule=f"{PRINTS}---\n{SUMS}")
    assert places(answer) == [
        ("src/tool.py", 2, "sum-in-a-call"),
        ("src/tool.py", 5, "no-print"),
        ("src/tool.py", 6, "no-print"),
    ]
    assert [one["rule"] for one in answer["by_rule"]] == ["no-print", "sum-in-a-call"]
    assert ask("ast_scan", rule=f"{PRINTS}---\n{SUMS}", ids=["sum-in-a-call"])["findings"] == 1
    assert ask("ast_scan", rule=f"{PRINTS}---\n{SUMS}", severity="error")["findings"] == 1


def test_rules_of_files_of_the_catalogue_and_of_the_configuration(ask: Ask, root: Path) -> None:
    (root / "rules").mkdir()
    (root / "rules/print.yml").write_text(PRINTS)
    assert ask("ast_scan", rules=["rules"])["findings"] == 2
    assert ask("ast_scan", rules=["rules/print.yml", "catalogue/python"])["rules"] > 20
    (root / "structural.toml").write_text('[scan]\nrules = ["rules"]\n[scan.severity]\nno-print = "error"\n')
    answer = ask("ast_scan")
    assert answer["by_severity"] == {"error": 2}
    assert "readings" not in answer


def test_a_mistake_is_told_with_its_place(ask: Ask) -> None:
    error = ask("ast_scan", rule=PRINTS.replace("pattern", "patern"))["error"]
    assert error["code"] == "rule"
    assert error["hint"] == "did you mean `pattern`?"
    (problem,) = error["problems"]
    assert (problem["path"], problem["line"], problem["column"]) == ("rule", 4, 8)


def test_a_pattern_that_is_no_code_is_a_mistake_though_no_file_is_in_its_language(ask: Ask) -> None:
    rule = "id: x\nlanguage: java\nmessage: x\nrule: {pattern: 'foo('}\n"
    error = ask("ast_scan", rule=rule)["error"]
    assert error["code"] == "rule"
    assert error["problems"][0]["line"] == 4


def test_one_broken_rule_of_several_is_told_and_the_others_run(ask: Ask) -> None:
    answer = ask("ast_scan", rule=PRINTS + "---\n" + SUMS.replace("pattern: $A", "patern: $A"))
    assert answer["findings"] == 2
    assert (answer["broken_rules"], answer["problems_total"]) == (1, 1)
    assert answer["problems"][0]["rule"] == "sum-in-a-call"
    assert "1 rule could not be used" in answer["summary"]


def test_what_was_not_searched_is_told(ask: Ask, root: Path) -> None:
    (root / "src/latin.py").write_bytes(b"print(1) # \xe9\n")
    answer = ask("ast_scan", rule=PRINTS)
    assert not answer["scope"]["complete"]
    assert answer["scope"]["skipped"] == {"encoding": 1}
    assert answer["findings"] == 2


def test_a_suppressed_finding_is_only_counted(ask: Ask, root: Path) -> None:
    (root / "src/tool.py").write_text("print(1)  # astgrep-ignore: no-print\nprint(2)\n")
    answer = ask("ast_scan", rule=PRINTS)
    assert (answer["findings"], answer["suppressed"]) == (1, 1)


def test_files_and_counts_alone(ask: Ask) -> None:
    files = ask("ast_scan", rule=PRINTS, show="files")
    assert files["results"] == [{"path": "src/tool.py", "language": "python", "count": 2}]
    assert ask("ast_scan", rule=PRINTS, show="count")["results"] == []


@pytest.mark.parametrize("budget", [1_000, 1_500, 6_000])
def test_the_pages_hold_every_finding_once(tmp_path: Path, budget: int) -> None:
    for number in range(4):
        lines = [f"print({number}, {at})\nprint('{'x' * (at * 7 % 300)}')" for at in range(150)]
        (tmp_path / f"f{number:02}.py").write_text("\n".join(lines))
    settle()
    box = Toolbox(str(tmp_path), jobs=1)
    rule = PRINTS.replace("print($X)", "print($$$X)").replace("rewrite: log($X)", "")
    arguments: dict[str, Any] = {"rule": rule, "budget": budget}
    seen: list[tuple[str, int, str]] = []
    pages = 0
    while True:
        answer = checked(box, "ast_scan", **arguments)
        assert answer["findings"] == 1_200
        seen += places(answer)
        pages += 1
        if "cut" not in answer:
            break
        assert answer["cut"]["left"] == 1_200 - len(seen)
        arguments["cursor"] = answer["cut"]["cursor"]
        if budget < 6_000 and pages == 25:
            return
    assert pages > 1
    assert seen == [(f"f{number:02}.py", at + 1, "no-print") for number in range(4) for at in range(300)]


def test_a_cursor_belongs_to_its_call_and_its_files(ask: Ask, root: Path) -> None:
    (root / "many.py").write_text("print(1)\n" * 200)
    cursor = ask("ast_scan", rule=PRINTS, budget=1_000)["cut"]["cursor"]
    assert ask("ast_scan", rule=BOLD, budget=1_000, cursor=cursor)["error"]["code"] == "cursor"
    assert ask("ast_scan", rule=PRINTS, budget=1_200, cursor=cursor)["ok"]
    (root / "many.py").write_text("\n" + "print(1)\n" * 200)
    assert ask("ast_scan", rule=PRINTS, budget=1_000, cursor=cursor)["error"]["code"] == "cursor"


def test_the_same_call_gives_the_same_bytes(root: Path) -> None:
    arguments = {"rule": f"{PRINTS}---\n{SUMS}"}
    settle()
    one, two = Toolbox(str(root), jobs=1), Toolbox(str(root), jobs=2, memory=0)
    first = dumps(one.call("ast_scan", arguments))
    assert first == dumps(one.call("ast_scan", arguments)) == dumps(two.call("ast_scan", arguments))


def test_what_has_not_changed_is_not_scanned_again(
    ask: Ask, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle()
    read: list[str] = []
    do = work.Job.do

    def counted(self: Any, at: int, how: None) -> Any:
        read.append(os.path.basename(self.files[at]))
        return do(self, at, how)

    monkeypatch.setattr(work.Job, "do", counted)
    ask("ast_scan", rule=f"{PRINTS}---\n{BOLD}")
    assert sorted(read) == ["page.md", "tool.py"]
    read.clear()
    (root / "src/tool.py").write_text("print(1)\n")
    assert ask("ast_scan", rule=f"{PRINTS}---\n{BOLD}")["findings"] == 2
    assert read == ["tool.py"]
    read.clear()
    assert ask("ast_scan", rule=PRINTS)["findings"] == 1
    assert sorted(read) == ["page.md", "tool.py"]


def test_what_is_remembered_keeps_to_its_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle()
    box = Toolbox(str(root), jobs=1)
    memory = box._bench.findings
    assert memory is not None
    checked(box, "ast_scan", rule=PRINTS)
    assert memory._weight > 0
    monkeypatch.setattr(memory, "_limit", remembered._FILE)
    checked(box, "ast_scan", rule=SUMS)
    memory._limit = 4 * remembered._FILE
    checked(box, "ast_scan", rule=BOLD.replace("print", "nothing"))
    assert memory._weight <= 4 * remembered._FILE
    assert memory._weight == sum(weight for _, weight, _ in memory._answers.values())


def test_a_cancelled_scan_ends(box: Toolbox) -> None:
    answer = box.call("ast_scan", {"rule": PRINTS}, Call(cancelled=lambda: True))
    assert answer["error"]["code"] == "cancelled"


def test_progress_counts_files(box: Toolbox) -> None:
    told: list[tuple[int, int]] = []
    box.call("ast_scan", {"rule": SUMS}, Call(progress=lambda done, total: told.append((done, total))))
    assert told == [(1, 2), (2, 2)]


# --- what is hostile ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["/etc", "..", "../other", "rules/link.yml", "out", ".git", "\0", "catalogue/../.."]
)
def test_rules_out_of_the_root_are_refused(ask: Ask, root: Path, name: str) -> None:
    secret = root.parent / "secret.yml"
    secret.write_text("token: 'geheim")
    (root / "rules").mkdir()
    (root / "rules/link.yml").symlink_to(secret)
    (root / "out").symlink_to(root.parent)
    for tool in ("ast_scan", "ast_edit"):
        answer = ask(tool, rules=[name])
        assert answer["error"]["code"] in {"confined", "usage"}
        assert "geheim" not in dumps(answer)
    assert ask("ast_scan", rules=["rules"])["error"]["code"] == "confined"
    (root / "structural.toml").write_text('[scan]\nrules = ["../"]\n')
    assert ask("ast_scan")["error"]["code"] == "confined"
    (root / "structural.toml").write_text(f'[scan]\nutils = ["{root.parent}"]\n')
    assert ask("ast_scan", rule=PRINTS)["error"]["code"] == "confined"


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes with names there")
def test_nobody_waits_for_a_pipe(ask: Ask, root: Path) -> None:
    (root / "rules").mkdir()
    os.mkfifo(root / "rules/pipe.yml")
    (root / "rules/print.yml").write_text(PRINTS)
    assert ask("ast_scan", rules=["rules"])["findings"] == 2
    assert not ask("ast_scan", rules=["rules/pipe.yml"])["ok"]


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))

HOSTILE = {
    "empty": " ",
    "comment": "# nothing\n",
    "bomb": BOMB,
    "deep list": "[" * 20_000,
    "deep not": "id: x\nlanguage: python\nrule: " + "{not: " * 3_000 + "{kind: call}" + "}" * 3_000,
    "regex": "id: x\nlanguage: python\nrule: {regex: '(a+)+$', kind: string}",
    "regex no": "id: x\nlanguage: python\nrule: {regex: '(', kind: string}",
    "wide": "id: x\nlanguage: python\nrule: {any: [" + "{pattern: '$A($B)'}, " * 2_000 + "]}",
    "glob": "id: x\nlanguage: python\nrule: {pattern: $X}\nfiles: ['../../**', '/etc/*']",
    "circle": "id: x\nlanguage: python\nrule: {matches: u}\nutils: {u: {matches: u}}",
    "surrogate": "id: x\nlanguage: python\nrule: {pattern: '\ud800'}",
    "nul": "id: x\0\nlanguage: python\nrule: {pattern: $X}",
    "long id": f"id: {'x' * 5_000}\nlanguage: python\nmessage: m\nrule: {{pattern: print($X)}}",
    "long message": f"id: x\nlanguage: python\nmessage: {'$X ' * 9_000}\nrule: {{pattern: print($X)}}",
    "everything": "id: x\nlanguage: python\nrule: {any: [{pattern: $X}, {pattern: $$$}, {pattern: $A $B}]}",
    "no mapping": "- 1\n- 2\n",
    "tag": "!!python/object/apply:os.system ['false']",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_rule_is_answered(ask: Ask, root: Path, name: str) -> None:
    (root / "src/long.py").write_text(f"x = '{'a' * 5_000}!'\n")
    before = snapshot(root)
    for tool in ("ast_scan", "ast_edit"):
        for budget in (1_000, 8_000):
            ask(tool, rule=HOSTILE[name], budget=budget)
    assert snapshot(root) == before


def test_ten_thousand_rules_are_too_many(ask: Ask, root: Path) -> None:
    (root / "many.yml").write_text(
        "\n---\n".join(PRINTS.replace("no-print", f"p{at}") for at in range(10_000))
    )
    error = ask("ast_scan", rules=["many.yml"])["error"]
    assert "10000 rules" in error["message"]
    assert ask("ast_scan", rules=["many.yml"], ids=["p7", "p8"])["findings"] == 4


# --- staging -----------------------------------------------------------------------------------------------


def test_the_rewrites_of_a_rule_are_staged_and_accepted(ask: Ask, root: Path) -> None:
    before = snapshot(root)
    answer = ask("ast_edit", rule=PRINTS)
    assert answer["staged"]
    assert (answer["sites_total"], answer["files_total"]) == (2, 1)
    assert answer["by_rule"] == [{"rule": "no-print", "sites": 2, "matches": 2, "refused": 0}]
    assert "+log(add(1, 2))" in answer["diff"]
    assert snapshot(root) == before
    assert ask("ast_edit", rule=PRINTS)["id"] == answer["id"]
    assert ask("show", id=answer["id"])["sites_total"] == 2
    assert ask("resolve", id=answer["id"], action="accept")["ok"]
    assert "log(add(1, 2))" in (root / "src/tool.py").read_text()


def test_a_change_by_rules_is_rebased(ask: Ask, root: Path) -> None:
    (root / "rules").mkdir()
    (root / "rules/print.yml").write_text(PRINTS)
    name = ask("ast_edit", rules=["rules"], ids=["no-print"])["id"]
    (root / "src/tool.py").write_text("print(1)\nprint(2)\nprint(3)\n")
    assert ask("resolve", id=name, action="accept")["error"]["code"] == "stale"
    assert ask("rebase", id=name)["sites_total"] == 3


def test_a_suspicious_rewrite_needs_a_word(ask: Ask) -> None:
    error = ask("ast_edit", rule=BOLD)["error"]
    assert "suspicious" in error["message"]
    assert "--" not in error["hint"]
    assert ask("ast_edit", rule=BOLD, suspicious=True)["sites_total"] == 2
    both = ask("ast_edit", rule=f"{PRINTS}---\n{BOLD}")
    assert both["not_staged"] == [{"why": "suspicious", "ids": ["bold"], "rules": 1}]


def test_a_rule_without_a_rewrite_stages_nothing(ask: Ask) -> None:
    assert "has a rewrite" in ask("ast_edit", rule=SUMS)["error"]["message"]
    assert ask("ast_edit", rule=PRINTS.replace("pattern", "patern"))["error"]["code"] == "rule"


@pytest.mark.parametrize(
    "more", [{"pattern": "x"}, {"where": ["X=~/a/"]}, {"edits": [{"pattern": "a", "rewrite": "b"}]}]
)
def test_rules_and_patterns_do_not_go_together(ask: Ask, more: dict[str, Any]) -> None:
    assert "do not go together" in ask("ast_edit", rule=PRINTS, **more)["error"]["message"]


def test_what_is_of_rules_needs_rules(ask: Ask) -> None:
    assert "rule" in ask("ast_edit", pattern="a", rewrite="b", suspicious=True)["error"]["message"]
    assert "go together" in ask("ast_scan", rule=PRINTS, rules=["src"])["error"]["message"]


def test_a_box_that_only_reads_names_no_tool_that_it_has_not(root: Path) -> None:
    box = Toolbox(str(root), jobs=1, read_only=True)
    assert checked(box, "ast_scan", rule=PRINTS)["findings"] == 2


@pytest.mark.parametrize("tool", ["ast_scan", "ast_edit"])
@pytest.mark.parametrize("after", [0, 5, 50, 150])
def test_the_reading_of_many_rules_can_be_cancelled(tool: str, after: int, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    rules = "\n---\n".join(
        f"id: r{at}\nlanguage: python\nrule: {{any: [{{pattern: f{at}($X)}}, {{pattern: g{at}($X)}}]}}\n"
        f"rewrite: h({at})"
        for at in range(40)
    )
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.process_time())
        return len(asked) > after

    box = Toolbox(str(tmp_path), jobs=1)
    answer = box.call(tool, {"rule": rules}, Call(cancelled=cancelled))
    assert not answer["ok"]
    assert answer["error"]["code"] == "cancelled"
    assert len(asked) == after + 1
    assert max((late - early for early, late in pairwise(asked)), default=0) < 0.5
    assert not box.call("status")["open"]
    assert box.call(tool, {"rule": rules})["ok"]
