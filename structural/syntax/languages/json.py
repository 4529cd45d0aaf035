"""JSON, also with comments."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton

LANGUAGE = Language(
    name="json",
    aliases=("jsonc", "json5", "geojson"),
    suffixes=(".json", ".jsonc", ".geojson", ".webmanifest", ".code-workspace", ".avsc", ".har", ".tfstate"),
    filenames=(".babelrc", ".eslintrc", ".jshintrc", ".swcrc", "composer.lock", "Pipfile.lock", "flake.lock"),
    grammar=Grammar("tree_sitter_json", pack="json"),
    skeletons=(
        Skeleton("statement"),
        Skeleton("top"),
        Skeleton("pair", "{", "}"),
    ),
    # JSON has no names: a metavariable is a string, or stands inside one.
    stand_ins=('"{}"', "{}"),
    ellipsis_stand_ins=('"{}": 0',),
    operators=(),
    terminator_tokens=frozenset(),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string"}),
    quotes=('"',),
    blocks=frozenset({"document"}),
    unordered=frozenset({"pair"}),
    grouping=("", ""),
    defines=(Defines("key", "pair", "@key", level=True, deepest=2, body="@value=object|@value=array"),),
    levels=frozenset({"document", "object"}),
)
