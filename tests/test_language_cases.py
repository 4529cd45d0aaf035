"""Every language answers for the same things: the named cases below ``cases/languages``.

A new language is done when this test passes: copy the folder of a language that
is like it, and change what the cases show.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.syntax import registry
from tests.cases_format import read_case

FOLDER = Path(__file__).parent / "cases" / "languages"

NAMES: dict[str, str] = {
    "repeated_metavariable": "a metavariable used twice stands for the same code",
    "ellipsis_in_arguments": "$$$ stands for any number of arguments, with their separators",
    "statement_run": "several statements match a run of siblings",
    "class_member": "a member of a class or the like is found by itself",
    "not_in_strings": "nothing is found in a string or a comment",
    "comment_survives": "a comment between two tokens does not block a match",
    "operators_differ": "an operator is compared, though the grammar gives it no name",
    "metavariable_in_token": "a metavariable inside a token matches a part of its text",
    "trailing_separator": "a trailing separator or terminator does not count",
    "anonymous_tokens": "a keyword or mark without a name in the tree is compared",
    "error_tolerant": "code outside a syntax error is found, and the error is counted",
    "fallback_reading": "a later reading is used when the first finds nothing, and is named",
    "rewrite_edits_only_what_differs": "odd spacing, comments and adornments are in no edit",
    "rewrite_keeps_comments": "bindings change places, and every comment stays",
    "statement_goes_with_its_line": "a statement that is rewritten to nothing takes its line along",
    "binding_keeps_its_parentheses": "a binding gets parentheses where it would fall apart, and only there",
    "empty_ellipsis_leaves_no_separator": "$$$ that stands for nothing takes a separator along",
    "new_lines_take_the_indentation": "one statement becomes several, indented as it was",
    "nested_matches_are_rewritten": "a match inside a binding is rewritten too",
    "block_is_indented_with_its_place": "lines that get deeper are indented, the inside of strings is not",
}
"""Name of a case → what it shows."""

_ONE_READING = "a fragment that is code here is so in one way only"
_NO_OPERATORS = "the language has no operators"
_NO_PARENS = "nothing is put into parentheses"
_PROSE = "a metavariable stands for no stretch of prose"
_NO_SEPARATORS = "no list is separated by a token"

CANNOT_EXIST: dict[str, dict[str, str]] = {
    "bash": {
        "binding_keeps_its_parentheses": "words are no expressions",
        "empty_ellipsis_leaves_no_separator": _NO_SEPARATORS,
        "class_member": "the language has no classes or records",
        "fallback_reading": "every fragment is a command or a word of one",
    },
    "css": {
        "fallback_reading": _ONE_READING,
        "binding_keeps_its_parentheses": _NO_PARENS,
    },
    "elixir": {"fallback_reading": "every construct is a call, read as an expression"},
    "haskell": {
        "fallback_reading": "types and expressions share their kinds",
        "trailing_separator": "no list may end with its separator",
    },
    "hcl": {"fallback_reading": "an attribute of a block and one of an object are twins"},
    "html": {
        "binding_keeps_its_parentheses": _NO_PARENS,
        "empty_ellipsis_leaves_no_separator": _NO_SEPARATORS,
        "fallback_reading": _ONE_READING,
        "operators_differ": _NO_OPERATORS,
        "trailing_separator": "nothing is separated by a token",
    },
    "json": {
        "binding_keeps_its_parentheses": _NO_PARENS,
        "fallback_reading": _ONE_READING,
        "operators_differ": _NO_OPERATORS,
        "statement_run": "a document is one value",
        "trailing_separator": "no list may end with its separator",
    },
    "markdown": {
        "rewrite_keeps_comments": "the language has no comments",
        "binding_keeps_its_parentheses": _NO_PARENS,
        "empty_ellipsis_leaves_no_separator": _NO_SEPARATORS,
        "statement_goes_with_its_line": _PROSE,
        "new_lines_take_the_indentation": _PROSE,
        "nested_matches_are_rewritten": _PROSE,
        "block_is_indented_with_its_place": _PROSE,
        "comment_survives": "the language has no comments",
        "error_tolerant": "every text is valid",
        "fallback_reading": _ONE_READING,
        "operators_differ": _NO_OPERATORS,
        "statement_run": "a heading holds what follows it, so a run of blocks is one section",
        "trailing_separator": "nothing is separated by a token",
    },
    "nix": {
        "fallback_reading": "every fragment is an expression or a binding",
        "empty_ellipsis_leaves_no_separator": _NO_SEPARATORS,
    },
    "toml": {
        "fallback_reading": _ONE_READING,
        "operators_differ": _NO_OPERATORS,
        "binding_keeps_its_parentheses": _NO_PARENS,
        "block_is_indented_with_its_place": "a key holds no other keys on further lines",
    },
    "yaml": {
        "fallback_reading": _ONE_READING,
        "operators_differ": _NO_OPERATORS,
        "binding_keeps_its_parentheses": _NO_PARENS,
    },
    "zig": {"fallback_reading": "types are expressions"},
}
"""Language → names that its syntax has no room for, each with the reason."""

NOT_YET: dict[str, dict[str, str]] = {
    "dart": {"binding_keeps_its_parentheses": "needless parentheses around `l!`"},
    "html": {"statement_goes_with_its_line": "an element between two texts is not taken out"},
    "nix": {"rewrite_keeps_comments": "a comment before a binding that moves comes first"},
    "toml": {"rewrite_keeps_comments": "a comment behind a separator moves"},
}
"""Language → names of cases that are still wrong, each with what is wrong."""


@pytest.mark.parametrize("language", registry.kept())
def test_every_language_has_the_named_cases(language: str) -> None:
    excused = CANNOT_EXIST.get(language, {}) | NOT_YET.get(language, {})
    present = {path.stem for path in (FOLDER / language).glob("*.md")}
    missing = [
        f"{name}: {shows}" for name, shows in NAMES.items() if name not in present and name not in excused
    ]
    assert not missing, f"tests/cases/languages/{language} lacks\n  " + "\n  ".join(missing)
    needless = sorted(present & set(excused))
    assert not needless, f"{language} has these cases, though they are excused: {needless}"


def test_every_folder_is_a_language() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert folders <= set(registry.names()), f"no such languages: {sorted(folders - set(registry.names()))}"


def test_every_excuse_is_for_something() -> None:
    for language, excused in (*CANNOT_EXIST.items(), *NOT_YET.items()):
        assert language in registry.names(), f"{language} is excused, which is no language"
        assert set(excused) <= set(NAMES), f"{language}: no such cases: {sorted(set(excused) - set(NAMES))}"
        assert all(excused.values()), f"{language}: every excuse has a reason"


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("*/*.md")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_case_is_in_the_language_of_its_folder(path: Path) -> None:
    case = read_case(path)
    languages = {block.searched_as for block in case.every("pattern")}
    assert languages == {path.parent.name}, f"{path} is about {sorted(languages)}"
