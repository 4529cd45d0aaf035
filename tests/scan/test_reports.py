"""Reports for other programs: their formats, and names and texts that are hostile to each."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from tests.scan.conftest import ROOT, RULES, Project

NAMES = [
    "a b.py",
    "new\nline.py",
    "cr\rx.py",
    'quote".py',
    "percent%41.py",
    "é☃😀.py",
    "colon:comma,.py",
    "<tag>&amp;.py",
    "]]>.py",
    "-dash.py",
    "\x01\x1b[31m.py",
    "::error::x.py",
]
BYTES = os.fsdecode(b"byte\xff\xfe.py")


@pytest.fixture
def hostile(project: Project) -> Project:
    for name in [*NAMES, BYTES]:
        project.put(name, 'é = "😀"; eval("]]>&<\\x01")\n')
    project.put(
        "late.py", "x\n" * 3 + "eval(\n    y\n)\nprint(z)  # astgrep-ignore: no-print -- \x02 <why>\n"
    )
    project.put("binary.py", b"\0\1")
    project.put("wrong.py", "eval(z)\ndef (:\n")
    project.put("rules/bad.yml", "id: bad\nlanguage: python\nrule: {pattern: 'def (('}\n")
    project.put(
        "rules/odd.yml",
        'id: odd\nlanguage: python\nmessage: "50% of\\n::error::`$X`\\u0001]]>"\nnote: "a\\nb, c: d"\n'
        "metadata: {security-severity: 7.5, owner: [a, {b: 1.5}]}\nrule: {pattern: eval($X)}\n",
    )
    return project


def report(project: Project, name: str, *more: str) -> bytes:
    made = project.run("scan", "--format", name, "--skip-broken", *more)
    assert made.returncode == 1, made.stderr.decode()
    return made.stdout


# --- SARIF ------------------------------------------------------------------------------------------------

LEVELS = {"error", "warning", "note", "none"}


def check_sarif(log: Any) -> None:
    """What the schema of SARIF 2.1.0 asks of the properties that are used, written down by hand."""
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "originalUriBaseIds", "results", "invocations"}
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    for base in run["originalUriBaseIds"].values():
        assert re.fullmatch(r"file:///.*/", base["uri"])
    driver = run["tool"]["driver"]
    assert set(driver) == {"name", "version", "semanticVersion", "rules"}
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert set(rule) <= {
            "id", "shortDescription", "fullDescription", "help", "helpUri",
            "defaultConfiguration", "properties",
        }  # fmt: skip
        assert rule["defaultConfiguration"]["level"] in LEVELS
        assert set(rule["help"]) == {"text", "markdown"}
        tags = rule["properties"]["tags"]
        assert len(set(tags)) == len(tags)
        assert all(rule[name]["text"] for name in ("shortDescription", "fullDescription", "help"))
    for result in run["results"]:
        assert set(result) <= {
            "ruleId", "ruleIndex", "level", "message", "locations",
            "partialFingerprints", "suppressions", "fixes",
        }  # fmt: skip
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert len(result["locations"]) == 1
        physical = result["locations"][0]["physicalLocation"]
        check_artifact(physical["artifactLocation"])
        check_region(physical["region"])
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        for one in result.get("suppressions", ()):
            assert one["kind"] in {"inSource", "external"}
            assert set(one) <= {"kind", "justification"}
        for fix in result.get("fixes", ()):
            assert fix["description"]["text"]
            assert fix["artifactChanges"]
            for change in fix["artifactChanges"]:
                check_artifact(change["artifactLocation"])
                assert change["replacements"]
                for one in change["replacements"]:
                    check_region(one["deletedRegion"])
                    assert isinstance(one["insertedContent"]["text"], str)
    (invocation,) = run["invocations"]
    assert isinstance(invocation["executionSuccessful"], bool)
    for one in invocation["toolExecutionNotifications"] + invocation["toolConfigurationNotifications"]:
        assert one["level"] in LEVELS
        assert one["message"]["text"]
        for location in one.get("locations", ()):
            check_artifact(location["physicalLocation"]["artifactLocation"])


def check_artifact(value: Any) -> None:
    assert set(value) <= {"uri", "uriBaseId"}
    assert re.fullmatch(r"[A-Za-z0-9._~/%:!$&'()*+,;=@-]+", value["uri"]), value
    assert not re.search(r"%(?![0-9A-F]{2})", value["uri"])
    if "uriBaseId" in value:
        assert ":" not in value["uri"].split("/")[0], "a relative reference has no scheme"


def check_region(value: Any) -> None:
    assert value["startLine"] >= 1
    assert value["startColumn"] >= 1
    assert (value["endLine"], value["endColumn"]) >= (value["startLine"], value["startColumn"])
    assert value["byteOffset"] >= 0
    assert value["byteLength"] >= 0


def test_sarif_is_as_its_schema_says(hostile: Project) -> None:
    log = json.loads(report(hostile, "sarif"))
    check_sarif(log)
    run = log["runs"][0]
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
    assert {os.fsdecode(unquote_to_bytes(uri)) for uri in uris} == {*NAMES, BYTES, "late.py", "wrong.py"}
    (aside,) = [one for one in run["results"] if "suppressions" in one]
    assert aside["suppressions"][0]["justification"] == "\x02 <why>"
    told = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(text.startswith("not scanned: binary") for text in told)
    assert any("syntax errors" in text for text in told)
    (problem,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert problem["level"] == "error"
    assert problem["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_columns_of_sarif_are_characters(project: Project) -> None:
    project.put("a.py", 'x = "😀é"; eval(1)\n')
    log = json.loads(report(project, "sarif"))
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["endColumn"]) == (11, 18)
    assert (region["byteOffset"], region["byteLength"]) == (14, 7)
    assert region["snippet"]["text"] == "eval(1)"


def test_a_broken_rule_makes_the_run_unsuccessful(hostile: Project) -> None:
    made = hostile.run("scan", "--format", "sarif", code=2)
    invocation = json.loads(made.stdout)["runs"][0]["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)


def test_fingerprints_do_not_depend_on_lines(project: Project) -> None:
    def prints() -> list[str]:
        log = json.loads(report(project, "sarif"))
        return [next(iter(one["partialFingerprints"].values())) for one in log["runs"][0]["results"]]

    project.put("a.py", "def f():\n    eval(x)\n    eval(x)\n")
    before = prints()
    project.put("a.py", "import os\n\n\ndef f():\n    eval( x )\n\n    eval(x)\n")
    assert prints() == before
    assert len(set(before)) == 2


def test_paths_are_relative_to_the_repository(project: Project) -> None:
    project.git("init", "-q", ".")
    project.put("sub/a.py", "eval(x)\n")
    made = project.run("scan", "--config", "structural.toml", "--format", "gitlab")
    assert json.loads(made.stdout)[0]["location"]["path"] == "sub/a.py"
    inner = Project(project.folder / "sub")
    log = json.loads(inner.run("scan", "--format", "sarif", code=1).stdout)
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "sub/a.py", "uriBaseId": "SRCROOT"}


# --- GitHub ------------------------------------------------------------------------------------------------


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """An annotation as the runner reads it."""
    found = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
    assert found, line

    def plain(text: str) -> str:
        for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, character)
        return text

    properties = dict(one.split("=", 1) for one in found[2].split(","))
    return found[1], {name: plain(value) for name, value in properties.items()}, plain(found[3])


def test_annotations_are_one_line_each_and_say_what_was_meant(hostile: Project) -> None:
    lines = report(hostile, "github").decode("utf-8", "surrogateescape").split("\n")
    assert lines.pop() == ""
    found = [parsed(line) for line in lines]
    assert {one["file"] for _, one, _ in found if one.get("title") == "no-eval"} == {
        *NAMES, BYTES, "late.py", "wrong.py",
    }  # fmt: skip
    (odd,) = [text for _, one, text in found if one.get("title") == "odd" and one["file"] == "a b.py"]
    assert odd.startswith("50% of\n::error::`")
    assert odd.endswith("\na\nb, c: d")
    (late,) = [one for _, one, _ in found if one.get("title") == "no-eval" and one["file"] == "late.py"]
    assert (late["line"], late["endLine"]) == ("4", "6")
    assert "col" not in late, "columns are for findings on one line"
    assert ("error", "a mistake in a rule") in {(command, one.get("title")) for command, one, _ in found}
    assert not any(one.get("title") == "no-print" for _, one, _ in found), "it is suppressed"


# --- GitLab ------------------------------------------------------------------------------------------------


def test_code_quality_of_gitlab(hostile: Project) -> None:
    found = json.loads(report(hostile, "gitlab"))
    schema = {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "minLength": 1},
                "fingerprint": {"type": "string", "minLength": 1},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": {"type": "string", "pattern": r"^(?!\./|/)"},
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": {"begin": {"type": "integer"}, "end": {"type": "integer"}},
                        },
                    },
                },
            },
        },
    }
    Draft202012Validator(schema).validate(found)
    assert len({one["fingerprint"] for one in found}) == len(found)
    assert {"byte\ufffd\ufffd.py", *NAMES} <= {one["location"]["path"] for one in found}


def test_nothing_found_is_an_empty_array(project: Project) -> None:
    assert json.loads(project.run("scan", "--format", "gitlab", code=0).stdout) == []


# --- JUnit ------------------------------------------------------------------------------------------------

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
ATTRIBUTES = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set()),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped"},
        {"name", "tests", "failures", "errors"},
    ),
    "testcase": ({"name", "classname"}, {"name"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}


def test_junit_has_the_shape_that_is_read_everywhere(hostile: Project) -> None:
    root = ElementTree.fromstring(report(hostile, "junit"))
    assert root.tag == "testsuites"
    for element in root.iter():
        allowed, required = ATTRIBUTES[element.tag]
        assert required <= set(element.attrib) <= allowed
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))
    for name in ("tests", "failures", "errors"):
        assert int(root.attrib[name]) == sum(int(suite.attrib[name]) for suite in root)
    suites = {suite.attrib["name"] for suite in root}
    assert {"a b.py", "new\nline.py", "<tag>&amp;.py", "]]>.py", "é☃😀.py"} <= suites
    reasons = [one.attrib["message"] for one in root.iter("skipped")]
    assert reasons == ["suppressed: \ufffd <why>"]
    assert {"binary", "rule"} <= {one.attrib["type"] for one in root.iter("error")}


def test_only_what_fails_is_a_failure(project: Project) -> None:
    project.put("a.py", "print(eval(x))\n")
    root = ElementTree.fromstring(report(project, "junit"))
    assert [one.attrib["type"] for one in root.iter("failure")] == ["no-eval"]
    root = ElementTree.fromstring(report(project, "junit", "--fail-on", "info"))
    assert [one.attrib["type"] for one in root.iter("failure")] == ["no-print", "no-eval"]


def test_a_clean_scan_has_a_case(project: Project) -> None:
    root = ElementTree.fromstring(project.run("scan", "--format", "junit", code=0).stdout)
    assert len(list(root.iter("testcase"))) == 1


# --- JSON --------------------------------------------------------------------------------------------------


def test_json_is_as_its_schema_says(hostile: Project) -> None:
    schema = json.loads((ROOT / "docs/scan-json-schema.json").read_text())
    validator = Draft202012Validator(schema)
    whole = json.loads(report(hostile, "json", "--stats"))
    validator.validate(whole)
    lines = [json.loads(line) for line in report(hostile, "jsonl").split(b"\n") if line]
    for line in lines:
        Draft202012Validator({**schema, "$ref": "#/$defs/line", "oneOf": [{}]}).validate(line)
    assert [line for line in lines if line["type"] == "finding"] == [
        {"type": "finding", **one} for one in whole["findings"]
    ]
    assert BYTES in {one["path"] for one in whole["findings"]}
    assert whole["rules"]["odd"]["metadata"] == {"security-severity": 7.5, "owner": ["a", {"b": 1.5}]}
    (suppressed,) = [one for one in whole["findings"] if one["suppressed"]]
    assert suppressed["suppressed"] == {"line": 7, "reason": "\x02 <why>"}


def test_an_error_is_json_too(project: Project) -> None:
    made = project.run("scan", "--json", "--rule", "no-such", code=2)
    assert json.loads(made.stdout)["error"]["code"] == "usage"


def test_rules_are_listed_as_json(hostile: Project) -> None:
    value = json.loads(hostile.run("rules", "--json", code=2).stdout)
    schema = json.loads((ROOT / "docs/scan-json-schema.json").read_text())
    Draft202012Validator({**schema, "$ref": "#/$defs/rules", "oneOf": [{}]}).validate(value)
    assert [one["id"] for one in value["rules"] if one["broken"]] == ["bad"]
    assert [one["id"] for one in value["rules"]] == ["bad", "no-eval", "no-print", "odd", "self-comparison"]


# --- files --------------------------------------------------------------------------------------------------


def test_several_formats_at_once(project: Project, tmp_path: Path) -> None:
    project.put("a.py", "eval(x)\n")
    target = tmp_path / "out"
    target.mkdir()
    made = project.run(
        "scan",
        "--format",
        "concise",
        "--format",
        f"sarif:{target}/s.sarif",
        "--format",
        f"junit:{target}/j.xml",
    )
    assert made.stdout == b"a.py:1:1: error: `eval` of `x` [no-eval]\n"
    check_sarif(json.loads((target / "s.sarif").read_bytes()))
    assert ElementTree.parse(target / "j.xml").getroot().tag == "testsuites"
    assert sorted(one.name for one in target.iterdir()) == ["j.xml", "s.sarif"]


def test_output_is_where_the_format_goes(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    made = project.run("scan", "--json", "--output", "out.json")
    assert b"no-eval" in made.stdout, "people still see it"
    assert json.loads((project.folder / "out.json").read_bytes())["findings"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "xml"],
        ["--format", "sarif:"],
        ["--json", "--jsonl"],
        ["--json", "--format", "gitlab"],
        ["--json", "--format", "gitlab", "--output", "x"],
        ["--format", "sarif:no/such/folder/x"],
    ],
)
def test_wrong_formats_are_told(project: Project, arguments: list[str]) -> None:
    assert b"error:" in project.run("scan", *arguments, code=2).stderr


def test_the_rules_of_these_tests_are_sound(project: Project) -> None:
    assert RULES.count("id:") == len(json.loads(project.run("rules", "--json", code=0).stdout)["rules"])
