"""The languages of semgrep and what its patterns leave open in each, as data.

Semgrep compares a tree that is the same for all languages, in which an assignment is also the
declaration of a variable and a function is also a method. ``Forms`` says how that is written out for our
patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

NAMES: dict[str, tuple[str, ...]] = {
    "bash": ("bash",),
    "c": ("c",),
    "cpp": ("cpp",),
    "csharp": ("csharp",),
    "dart": ("dart",),
    "dockerfile": ("dockerfile",),
    "elixir": ("elixir",),
    "go": ("go",),
    "hcl": ("hcl",),
    "html": ("html",),
    "java": ("java",),
    "javascript": ("javascript",),
    "json": ("json",),
    "julia": ("julia",),
    "kotlin": ("kotlin",),
    "lua": ("lua",),
    "ocaml": ("ocaml",),
    "php": ("php",),
    "python": ("python",),
    "r": ("r",),
    "ruby": ("ruby",),
    "rust": ("rust",),
    "scala": ("scala",),
    "scheme": ("scheme",),
    "solidity": ("solidity",),
    "swift": ("swift",),
    "typescript": ("typescript", "tsx"),
    "xml": ("xml",),
    "yaml": ("yaml",),
    "clojure": ("clojure",),
}
"""Name of semgrep → the languages that we have for it."""

ALSO = {
    "c#": "csharp",
    "c++": "cpp",
    "cs": "csharp",
    "docker": "dockerfile",
    "ex": "elixir",
    "golang": "go",
    "js": "javascript",
    "kt": "kotlin",
    "py": "python",
    "python2": "python",
    "python3": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "sol": "solidity",
    "terraform": "hcl",
    "tf": "hcl",
    "ts": "typescript",
}

TEXT = frozenset({"regex", "none", "generic"})
"""Not languages: the rule looks at text."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What a pattern of semgrep also finds.

    ``declared``: declarations that an assignment ``{}`` stands for, each as code and the kind of the
    part of it that is meant, None for all of it. ``anonymous``: the forms of a function without a name,
    with the parameters and the body. ``lists``: brackets whose pairs stand in any order, among others."""

    declared: tuple[tuple[str, str | None], ...] = ()
    heads: tuple[tuple[str, str], ...] = ()
    """(expression, replacement): another head that a definition may have."""
    anonymous: tuple[str, ...] = ()
    otherwise: str = ""
    """What stands behind an ``if`` without an ``else``."""
    final: str = ""
    """What stands behind a ``try`` without a ``finally``."""
    pairs: frozenset[str] = frozenset()
    """Opening brackets whose pairs stand in any order."""
    quotes: tuple[str, ...] = ('"', "'")
    interpolated: str = ""
    """The opening quotes, or prefixes, of strings with code in them."""
    chain: str = "."
    comment: str = "//"


_ECMASCRIPT = Forms(
    declared=(("let {}", "variable_declarator"),),
    heads=((r"^(export (?:default )?)?function ", r"\1async function "),),
    anonymous=("function ({}) {}", "async function ({}) {}", "({}) => {}", "async ({}) => {}"),
    otherwise=" else $_",
    final=" finally { $$$ }",
    pairs=frozenset("{"),
    quotes=('"', "'", "`"),
    interpolated="`",
)

FORMS: dict[str, Forms] = {
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "python": Forms(
        heads=((r"(?m)^(?=def )", "async "),),
        otherwise="\nelse:\n    $$$",
        final="\nfinally:\n    $$$",
        pairs=frozenset("("),
        quotes=('"""', "'''", '"', "'"),
        interpolated="fF",
        comment="#",
    ),
    "java": Forms(
        declared=(("$_ {};", "variable_declarator"),),
        otherwise=" else $_",
        final=" finally { $$$ }",
        quotes=('"',),
    ),
    "csharp": Forms(
        declared=(("$_ {};", "variable_declarator"),),
        otherwise=" else $_",
        final=" finally { $$$ }",
        quotes=('"',),
    ),
    "c": Forms(declared=(("$_ {};", "init_declarator"),), otherwise=" else $_", quotes=('"', "'")),
    "cpp": Forms(declared=(("$_ {};", "init_declarator"),), otherwise=" else $_", quotes=('"', "'")),
    "go": Forms(
        declared=(("{:=}", None), ("var {}", "var_spec")),
        heads=((r"^func (?=[\w$])", "func ($_ $_) "),),
        pairs=frozenset("{"),
        otherwise=" else $_",
        quotes=('"', "`"),
    ),
    "kotlin": Forms(declared=(("val {}", None), ("var {}", None)), quotes=('"""', '"')),
    "scala": Forms(declared=(("val {}", None), ("var {}", None)), quotes=('"""', '"')),
    "swift": Forms(declared=(("let {}", None), ("var {}", None)), quotes=('"""', '"')),
    "rust": Forms(declared=(("let {};", None), ("let mut {};", None)), quotes=('"',)),
    "dart": Forms(declared=(("var {};", "initialized_variable_definition"),), quotes=('"', "'")),
    "lua": Forms(declared=(("local {}", None),), comment="--"),
    "solidity": Forms(declared=(("$_ {};", None),), otherwise=" else $_"),
    "php": Forms(otherwise=" else $_", final=" finally { $$$ }", chain="->"),
    "ruby": Forms(comment="#", pairs=frozenset("(")),
    "bash": Forms(comment="#"),
    "hcl": Forms(comment="#", quotes=('"',)),
    "yaml": Forms(comment="#"),
    "dockerfile": Forms(comment="#"),
}

PLAIN = Forms()


def forms(language: str) -> Forms:
    """What is known of *language*."""
    return FORMS.get(language, PLAIN)


def ours(name: str) -> tuple[str, ...]:
    """The languages that the name of semgrep stands for, empty if we have none."""
    lower = name.strip().lower()
    return NAMES.get(ALSO.get(lower, lower), ())
