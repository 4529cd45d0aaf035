"""What rewrites would make of findings, in the reports that say so."""

from __future__ import annotations

import json

from structural.text.edits import apply
from structural.workflow.scanning import Scanned, Wish
from tests.scan.conftest import Project

RULES = """\
id: call
language: python
message: old
rule: {pattern: old($X)}
rewrite:
  - {title: the new one, rewrite: new($X)}
  - {title: the newest, rewrite: "newest($X, 1)", safety: suspicious}
---
id: imports
language: python
message: no json
rule: {pattern: dumps($X)}
rewrite:
  - rewrite: json.dumps($X)
    also: [{ensure: import json}]
---
id: nested
language: python
message: wrapped
rule: {pattern: wrap($X)}
rewrite: $X
"""


def texts(project: Project) -> list[list[tuple[str, str]]]:
    """For every finding its fixes, each with its title and the file after it."""
    project.put("rules/all.yml", RULES)
    files, _ = project.scan(wish=Wish(jobs=1, fixes=True))
    found = []
    for one in files:
        assert isinstance(one, Scanned)
        for finding in one.findings:
            assert one.source is not None
            found.append([(fix.title, apply(one.source, fix.edits).decode()) for fix in finding.fixes])
    return found


def test_every_rewrite_of_a_finding_is_told(project: Project) -> None:
    project.put("a.py", "old(a)\nold(b)\n")
    assert texts(project) == [
        [("the new one", "new(a)\nold(b)\n"), ("the newest", "newest(a, 1)\nold(b)\n")],
        [("the new one", "old(a)\nnew(b)\n"), ("the newest", "old(a)\nnewest(b, 1)\n")],
    ]


def test_other_places_come_with_every_fix(project: Project) -> None:
    project.put("a.py", "import os\n\ndumps(a)\ndumps(b)\n")
    (first,), (second,) = texts(project)
    assert first == ("", "import os\nimport json\n\njson.dumps(a)\ndumps(b)\n")
    assert second == ("", "import os\nimport json\n\ndumps(a)\njson.dumps(b)\n")


def test_findings_in_each_other_have_fixes_of_their_own(project: Project) -> None:
    project.put("a.py", "x = wrap(wrap(a))\n")
    assert texts(project) == [[("", "x = wrap(a)\n")], [("", "x = wrap(a)\n")]]


def test_they_are_in_json_and_sarif(project: Project) -> None:
    project.put("rules/all.yml", RULES)
    project.put("a.py", "é = old(a)\n")
    value = json.loads(project.run("scan", "--json").stdout)["findings"][0]["rewrites"]
    assert [(one["title"], one["safety"], one["refused"]) for one in value] == [
        ("the new one", "safe", ""),
        ("the newest", "suspicious", ""),
    ]
    assert value[0]["edits"] == [
        {
            "range": {
                "start": {"byte": 5, "line": 1, "column": 5},
                "end": {"byte": 8, "line": 1, "column": 8},
            },
            "new": "new",
        }
    ]
    log = json.loads(project.run("scan", "--format", "sarif").stdout)
    fixes = log["runs"][0]["results"][0]["fixes"]
    assert [one["description"]["text"] for one in fixes] == ["the new one", "the newest"]


def test_they_are_shown_on_request(project: Project) -> None:
    project.put("rules/all.yml", RULES)
    project.put("a.py", "old(a)\n")
    assert b"+ new" not in project.run("scan").stdout
    out = project.run("scan", "-v").stdout.decode()
    assert "  rewrite (the new one):\n    - old(a)\n    + new(a)\n" in out
    assert "  rewrite (the newest), suspicious:\n" in out


def test_a_rewrite_that_cannot_be_used_is_told(project: Project) -> None:
    project.put("rules/all.yml", "id: r\nlanguage: python\nrule: {pattern: old($X)}\nrewrite: 'def (('\n")
    project.put("a.py", "old(a)\n")
    _, summary = project.scan(wish=Wish(jobs=1, fixes=True))
    assert summary.findings == 1
    assert [problem.rule for problem in summary.problems] == ["r"]


def test_processes_make_the_same(project: Project) -> None:
    project.put("rules/all.yml", RULES)
    for number in range(60):
        project.put(f"f{number}.py", f"old(a{number})\ndumps(b)\n" * 5)
    one = project.run("scan", "--json", "--jobs", "1", "--no-cache").stdout
    assert project.run("scan", "--json", "--jobs", "3", "--no-cache").stdout == one
