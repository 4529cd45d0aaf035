"""The keys of ``sgconfig.yml``, the configuration of ast-grep, and of its test files and snapshots."""

from __future__ import annotations

from structural.rules.forms import Form, Key, Table, Text, table

_TEXTS = Form(text=Text(), items=Form(text=Text()))
_NAMED_TEXTS = Form(names=_TEXTS)
_ANYTHING = Form(anything=True)

SGCONFIG: dict[str, Table] = {
    "sgconfig": table(
        "`sgconfig.yml`",
        Key("ruleDirs", _TEXTS, "The folders with rules.", required=True),
        Key("testConfigs", Form(items=Form(records=("test-config",))), "Folders with tests."),
        Key("utilDirs", _TEXTS, "Folders with shared utilities."),
        Key("languageGlobs", _NAMED_TEXTS, "Language → globs of its files."),
        Key("customLanguages", Form(names=Form(records=("custom-language",))), "Languages of the project."),
        Key("languageInjections", _ANYTHING, "Code of one language in another."),
    ),
    "test-config": table(
        "an item of `testConfigs`",
        Key("testDir", Form(text=Text()), "The folder.", required=True),
        Key("snapshotDir", Form(text=Text()), "The folder of snapshots in it."),
    ),
    "custom-language": table(
        "a language",
        Key(
            "libraryPath",
            Form(text=Text(), names=Form(text=Text())),
            "The shared library of the grammar, or one for each target.",
            required=True,
        ),
        Key("extensions", _TEXTS, "Suffixes of files.", required=True),
        Key("expandoChar", Form(text=Text()), "What stands for the dollar sign in patterns."),
        Key("languageSymbol", Form(text=Text()), "The symbol in the library."),
        Key("outlineRules", Form(text=Text()), "Rules for outlines."),
    ),
}
