"""Names of rules and baselines that are not there, or not what they should be, are told with what to do."""

from __future__ import annotations

import pytest

from structural.errors import UsageError
from structural.workflow.scanning import Wish, gather, read_settings
from tests.scan.conftest import Project


def test_a_folder_of_the_configuration_is_told_with_its_file(project: Project) -> None:
    project.put("structural.toml", '[scan]\nrules = ["rules"]\nutils = ["helpers"]\n')
    with pytest.raises(UsageError, match="no rules at 'helpers'") as told:
        gather((), read_settings())
    assert "structural.toml names it" in told.value.hint


def test_a_folder_of_the_call_is_not(project: Project) -> None:
    project.put("structural.toml", '[scan]\nrules = ["rules"]\n')
    with pytest.raises(UsageError, match="no rules at 'nothere'") as told:
        gather(("nothere",), read_settings())
    assert "structural.toml" not in told.value.hint


@pytest.mark.parametrize("update", [False, True])
def test_a_folder_is_no_baseline(project: Project, update: bool) -> None:
    project.put("src/a.py", "eval(x)\n")
    with pytest.raises(UsageError, match="'src' is a folder") as told:
        project.scan(wish=Wish(baseline="src", update=update))
    assert "src/scan-baseline.json" in told.value.hint.replace("\\", "/")


def test_a_new_rule_outside_of_the_configuration_says_how_it_is_used(project: Project) -> None:
    project.configure()
    new = ("new", "rule", "no-f", "--lang", "js", "--pattern", "f($X)")
    assert b"--rules" not in project.run(*new, code=0).stderr
    assert b"`astgrep scan --rules other` uses it" in project.run(*new, "--dir", "other", code=0).stderr


@pytest.mark.parametrize(("number", "said"), [(21, "1 more mistake in"), (23, "3 more mistakes in")])
def test_mistakes_that_are_left_out_are_counted(project: Project, number: int, said: str) -> None:
    rules = [f"id: r{one}\nlanguage: js\nrule: {{pattern: a}}\nseverity: none\n" for one in range(number)]
    project.put("bad.yml", "---\n".join(rules))
    assert said in project.run("scan", "--rules", "bad.yml", code=2).stderr.decode()
