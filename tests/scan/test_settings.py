"""The configuration of scans: keys, mistakes, and that of ast-grep."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.workflow.scanning import Choice, catalogue, gather, read_settings, rulebook
from tests.scan.conftest import RULES, Project


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("scan = 1", "scan is no table"),
        ("[scan]\nruls = []", "scan has no key 'ruls'"),
        ("[scan]\nrules = 3", "scan.rules is no list of texts"),
        ("[scan]\nrules = ['']", "scan.rules is no list of texts"),
        ("[scan]\nfail-on = 'bad'", "scan.fail-on is 'bad'"),
        ("[scan]\nrequire-reason = 'yes'", "scan.require-reason is neither true nor false"),
        ("[scan.severity]\nx = 'bad'", "is no severity: 'bad'"),
        ("[scan]\nbaseline = 1", "scan.baseline is no text"),
        ("[scans]", "unknown key 'scans'"),
        ("[scan", "structural.toml: "),
    ],
)
def test_a_mistake_names_the_file_and_the_key(project: Project, text: str, part: str) -> None:
    project.put("structural.toml", text)
    with pytest.raises(UsageError) as raised:
        read_settings()
    assert "structural.toml" in raised.value.message
    assert part in raised.value.message


def test_mistakes_in_yaml(project: Project) -> None:
    (project.folder / "structural.toml").unlink()
    for text, part in (
        ("scan: [", "line 2: the YAML is wrong"),
        ("- a", "no mapping"),
        ("a: 1", "unknown key 'a'"),
    ):
        project.put("structural.yml", text)
        with pytest.raises(UsageError, match=part):
            read_settings()
    project.put("structural.yml", "")
    assert read_settings().rules == ()


def test_two_configurations_in_one_folder_are_told(project: Project) -> None:
    project.put("structural.yml", "scan: {}\n")
    with pytest.raises(UsageError, match=r"structural\.toml and structural\.yml"):
        read_settings()


def test_the_nearest_one_counts_and_names_are_relative_to_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "a/b").mkdir(parents=True)
    monkeypatch.chdir(project.folder / "a/b")
    assert read_settings().rules == ("../../rules",)
    project.put("a/structural.toml", "[scan]\nrules = 'mine'\n")
    assert read_settings().rules == ("../mine",)


def test_a_configuration_of_ast_grep_is_read_as_it_is(project: Project) -> None:
    (project.folder / "structural.toml").unlink()
    project.put(
        "sgconfig.yml",
        "ruleDirs: [sg]\nutilDirs: [utils]\ntestConfigs: [{testDir: sg/tests}]\n"
        "languageGlobs: {python: ['*.pyx', 'odd']}\n",
    )
    project.put("utils/u.yml", "id: is-call\nlanguage: python\nrule: {kind: call}\n")
    project.put(
        "sg/r.yml", "id: theirs\nlanguage: Python\nseverity: error\nmessage: m\nrule:\n  matches: is-call\n"
    )
    project.put("sg/tests/t.yml", "id: theirs\nvalid: ['x']\n")
    project.put("a.py", "f()  # ast-grep-ignore: theirs\ng()\n")
    project.put("b.pyx", "h()\n")
    project.put("sub/odd", "i()\n")
    assert project.found() == [("a.py", 2, "theirs"), ("b.pyx", 1, "theirs"), ("sub/odd", 1, "theirs")]
    project.run("scan", code=1)


def test_severities_by_id_go_before_those_by_tag(project: Project) -> None:
    project.configure('[scan.severity]\n"tag:security" = "hint"\n')
    by_id = {rule.id: rule.severity for rule in gather((), read_settings()).rules}
    assert by_id["no-eval"] == "hint"
    project.configure('[scan.severity]\n"tag:security" = "hint"\nno-eval = "info"\n')
    by_id = {rule.id: rule.severity for rule in gather((), read_settings()).rules}
    assert by_id["no-eval"] == "info"


def test_rules_that_are_off_do_not_run_and_are_known(project: Project) -> None:
    project.configure('[scan.severity]\nno-eval = "off"\n')
    book = gather((), read_settings())
    assert [rule.id for rule in book.others] == ["no-eval"]
    assert "no-eval" in book.known
    project.put("a.py", "eval(x)  # astgrep-ignore: no-eval\n")
    assert project.found() == []


def test_a_rule_that_was_chosen_and_is_off_stays_off(project: Project) -> None:
    project.configure('[scan.severity]\nno-eval = "off"\n')
    project.put("a.py", "eval(x)\n")
    made = project.run("scan", "--rule", "no-eval", code=2)
    assert b"none of the rules" in made.stderr


def test_each_file_is_read_once_and_links_do_not_loop(project: Project) -> None:
    (project.folder / "rules/loop").symlink_to(project.folder / "rules")
    (project.folder / "rules/again.yml").symlink_to("all.yml")
    book = gather(("rules", "rules/all.yml", "./rules"), read_settings())
    assert len(book.files) == 1
    assert not book.problems


def test_a_folder_that_was_named_by_mistake_ends(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulebook, "MOST_FILES", 5)
    for number in range(8):
        project.put(f"rules/{number}.yml", f"id: r{number}\nlanguage: python\nrule: {{pattern: a}}\n")
    with pytest.raises(UsageError, match="more than 5 rule files"):
        gather((), read_settings())


def test_a_file_that_cannot_be_read_is_a_problem(project: Project) -> None:
    (project.folder / "rules/gone.yml").symlink_to("nowhere")
    project.put("rules/binary.yml", b"\xff\xfe\0")
    book = gather((), read_settings())
    assert {problem.path for problem in book.problems} == {"rules/gone.yml", "rules/binary.yml"}
    assert len(book.rules) == RULES.count("id:")


def test_parts_of_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("python/a.yml", "python/more/b.yml", "go/c.yml"):
        path = tmp_path / "patterns" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"id: {path.stem}\nlanguage: python\nrule: {{pattern: a}}\n")
    monkeypatch.setattr(catalogue, "_PLACES", (tmp_path / "nowhere", tmp_path / "patterns"))
    settings = read_settings(start=tmp_path)

    def ids(*names: str) -> list[str]:
        return [rule.id for rule in gather(names, settings).rules]

    assert ids("catalogue") == ["a", "b", "c"]
    assert ids("catalogue/python") == ["a", "b"]
    assert ids("catalogue/python/more", "catalogue/go") == ["b", "c"]
    assert ids("catalogue/python/a") == ["a"]
    assert [rule.path for rule in gather(("catalogue/go",), settings).rules] == ["catalogue/go/c.yml"]
    for name in ("catalogue/..", "catalogue/../x", "catalogue//python", "catalogue/ruby"):
        with pytest.raises(UsageError, match="the catalogue has no part"):
            gather((name,), settings)
    monkeypatch.setattr(catalogue, "_PLACES", (tmp_path / "nowhere",))
    with pytest.raises(UsageError, match="not installed"):
        gather(("catalogue",), settings)


def test_a_choice_takes_what_it_names() -> None:
    assert Choice().all
    assert not Choice(tags=("a",)).all


def test_the_catalogue_of_a_checkout_is_what_a_wheel_packs() -> None:
    import tomllib

    from tests.scan.conftest import ROOT

    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["force-include"] == {"patterns": "structural/_patterns"}
    assert "/patterns" in build["sdist"]["include"]
    assert catalogue.located("catalogue") == str(ROOT / "patterns")
    assert catalogue._PLACES[0] == ROOT / "structural" / "_patterns"
    assert set(catalogue.parts()) == {one.name for one in (ROOT / "patterns").iterdir() if one.is_dir()}
