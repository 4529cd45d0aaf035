"""The configuration of ast-grep: what is read of it, and what is said of the rest."""

from __future__ import annotations

from structural.rules.astgrep_config import CustomLanguage, TestFolder, read_sgconfig

WHOLE = b"""\
ruleDirs: [rules, more]
testConfigs:
  - testDir: rule-tests
  - {testDir: others, snapshotDir: snaps}
utilDirs: [utils]
languageGlobs:
  Html: ['*.vue']
  mojo: ['*.m']
  klingon: ['*.k']
customLanguages:
  mojo:
    libraryPath: mojo.so
    extensions: [mojo]
    expandoChar: _
  other:
    libraryPath: {x86_64-unknown-linux-gnu: a.so}
    extensions: [o]
    languageSymbol: tree_sitter_o
languageInjections:
  - {hostLanguage: js, rule: {pattern: a}, injected: css}
"""


def test_everything_that_is_carried_over() -> None:
    read = read_sgconfig(WHOLE, "sgconfig.yml")
    assert read.rules == ("rules", "more")
    assert read.utilities == ("utils",)
    assert read.tests == (TestFolder("rule-tests"), TestFolder("others", "snaps"))
    assert read.globs == {"html": ("*.vue",), "mojo": ("*.m",)}
    assert read.languages == (
        CustomLanguage("mojo", {"": "mojo.so"}, (".mojo",)),
        CustomLanguage("other", {"x86_64-unknown-linux-gnu": "a.so"}, (".o",), "tree_sitter_o"),
    )
    assert [(str(problem), problem.warning) for problem in read.problems] == [
        ("sgconfig.yml:9:3: no language is called 'klingon'", False),
        ("sgconfig.yml:14:5: `expandoChar` is not carried over", True),
        ("sgconfig.yml:19:1: `languageInjections` is not carried over", True),
    ]


def test_what_is_wrong_is_told() -> None:
    assert [str(one) for one in read_sgconfig(b"", "s.yml").problems] == ["s.yml:1:1: the file is empty"]
    assert str(read_sgconfig(b"[a", "s.yml").problems[0]).startswith("s.yml:2:1: the YAML")
    assert [str(one) for one in read_sgconfig(b"rulesDir: [a]\ntestConfigs: [{}]\n", "s.yml").problems] == [
        "s.yml:1:1: `sgconfig.yml` has no key 'rulesDir'",
        "s.yml:2:15: an item of `testConfigs` has no `testDir`",
    ]
