"""What may stand in a rule's file: every key, its form and what it means, as tables.

The reader checks a file by these tables (``reading_forms``) and the JSON Schema is made from them
(``schema``), so that the two cannot say different things.  Here is only what can be said of the form of a
value; what it means together with others is checked where values are made of it.

Every key may also be written in camelCase, as ast-grep does.
"""

from __future__ import annotations

from structural.pattern.tables import EQUIVALENCES, STRICTNESS
from structural.rules.astgrep_keys import SGCONFIG
from structural.rules.forms import Form, Key, Table, Text, table
from structural.rules.values import Safety, Severity
from structural.syntax.language import RUNGS

NAME = r"[A-Z_][A-Z0-9_]*"
"""The name of a metavariable."""

_ANY_TEXT = Text(empty=True)
_TEXT = Text()
_CODE = Form(text=_TEXT)
_VARIABLE = Text(like=rf"\$?(\$\$)?{NAME}", such="the name of a metavariable, such as `ARGS`")
_MARKED = Text(like=rf"\$(\$\$)?{NAME}", such="a metavariable, such as `$X`")
_IDENTIFIER = Text(like=r"[A-Za-z0-9_./-]+", such="made of letters, digits, `-`, `_`, `.` and `/`")
_ONE_OR_SEVERAL = Form(text=_TEXT, items=Form(text=_TEXT), least=1)
_CONDITION = Form(records=("condition",))
_GLOBS = Form(text=_TEXT, records=("glob",), items=Form(text=_TEXT, records=("glob",)))
_PLACE = Form(records=("place",))
_POSITION = Form(text=_TEXT, number=0)
_LANGUAGE = Key(
    "language",
    _ONE_OR_SEVERAL,
    "One language or a list; names as `astgrep languages` lists them, and their other names.",
    required=True,
)

_CONDITION_KEYS = (
    Key(
        "pattern",
        Form(text=_TEXT, records=("pattern",)),
        "The pattern stands there: code with `$NAME` for one node and `$$$NAME` for any number of siblings.",
    ),
    Key("kind", _ONE_OR_SEVERAL, "The node is of this kind of the grammar, or of one of a list."),
    Key("regex", _CODE, "Its text holds a match of the regular expression."),
    Key(
        "nth-child",
        Form(text=_TEXT, number=0, records=("nth-child",)),
        "It is this child of its parent, counted from 1: `2`, `2n+1`, or with `of-rule` and `reverse`.",
    ),
    Key("range", Form(records=("range",)), "It stands from `start` to `end`."),
    Key("inside", Form(records=("relation",)), "A node around it fulfils the condition."),
    Key("has", Form(records=("relation",)), "A node in it fulfils the condition."),
    Key("follows", Form(records=("relation",)), "A sibling before it fulfils the condition."),
    Key("precedes", Form(records=("relation",)), "A sibling behind it fulfils the condition."),
    Key("all", Form(items=_CONDITION, least=1), "All conditions of the list hold."),
    Key("any", Form(items=_CONDITION, least=1), "One condition of the list holds."),
    Key("not", _CONDITION, "The condition does not hold."),
    Key(
        "matches",
        Form(
            text=_TEXT,
            names=Form(names=Form(text=_MARKED, records=("condition",)), named=_VARIABLE),
            least=1,
        ),
        "The utility of this name holds: `name`, or `{name: {PARAM: $X}}`.",
    ),
)

_CONSTRAINT = Form(records=("constraint",))
_COMPOSED = {
    "all": Key("all", Form(items=_CONSTRAINT, least=1), "All conditions of the list hold."),
    "any": Key("any", Form(items=_CONSTRAINT, least=1), "One condition of the list holds."),
    "not": Key("not", _CONSTRAINT, "The condition does not hold."),
}
"""In a constraint, what it is composed of are constraints."""

_RELATION_KEYS = (
    Key(
        "stop-by",
        Form(text=Text(one_of=("neighbor", "end")), records=("condition",)),
        "How far is looked: `neighbor` (without the key), `end`, or up to the first node of a condition.",
    ),
    Key("field", _CODE, "The field of the grammar in which the node is."),
)

TABLES: dict[str, Table] = {
    **SGCONFIG,
    "rule": table(
        "a rule",
        Key("id", Form(text=_IDENTIFIER), "The name of the rule, unique in a set.", required=True),
        _LANGUAGE,
        Key("message", Form(text=_ANY_TEXT), "What is said of a finding; `$A` is the code it stands for."),
        Key(
            "severity",
            Form(text=Text(one_of=tuple(Severity))),
            "How much a finding matters: `warning` without the key; `off` does not run.",
        ),
        Key("note", Form(text=_ANY_TEXT), "More on why."),
        Key("url", Form(text=_ANY_TEXT), "Where it is told in full."),
        Key("tags", _ONE_OR_SEVERAL, "Words to choose rules by.", ours=True),
        Key("files", _GLOBS, "Only files that fit one of these globs, relative to the configuration."),
        Key("ignores", _GLOBS, "No files that fit one of these globs."),
        Key("rule", _CONDITION, "The condition.", required=True),
        Key(
            "constraints",
            Form(names=Form(records=("constraint",)), named=_VARIABLE),
            "Metavariable → a condition of what it stands for.",
        ),
        Key("focus", Form(text=_VARIABLE), "The metavariable whose code is reported.", ours=True),
        Key(
            "utils",
            Form(names=Form(records=("condition", "local-utility"))),
            "Name → a condition that `matches` uses.",
            aliases=("utilities",),
        ),
        Key(
            "transform",
            Form(names=Form(text=_TEXT, records=("transform",)), named=_VARIABLE),
            "New name → how it is made from another.",
        ),
        Key(
            "rewriters",
            Form(names=Form(records=("rewriter",)), items=Form(records=("listed-rewriter",))),
            "Name → a small rule for the inside of a binding.",
        ),
        Key(
            "rewrite",
            Form(
                text=_ANY_TEXT,
                records=("rewrite",),
                items=Form(text=_ANY_TEXT, records=("rewrite",)),
                least=1,
            ),
            "What the match becomes: code, or a list of several to choose from.",
            aliases=("fix",),
        ),
        Key(
            "safety",
            Form(text=Text(one_of=tuple(Safety))),
            "How far the rewrite can be trusted: `safe` without the key.",
            ours=True,
        ),
        Key("examples", Form(records=("examples",)), "Code with findings and without.", ours=True),
        Key("metadata", Form(names=Form(anything=True)), "Anything; handed on in JSON and SARIF."),
        Key("labels", Form(names=Form(anything=True)), "Of ast-grep: not carried over.", theirs=True),
    ),
    "utility": table(
        "a shared utility",
        Key("id", Form(text=_IDENTIFIER), "The name by which `matches` uses it.", required=True),
        Key("language", _ONE_OR_SEVERAL, "The languages in which it can be used; any without the key."),
        Key("params", Form(items=Form(text=_VARIABLE)), "Metavariables that each use gives anew."),
        Key("rule", _CONDITION, "The condition.", required=True),
        Key(
            "utils",
            Form(names=Form(records=("condition", "local-utility"))),
            "Utilities of this one alone.",
            aliases=("utilities",),
        ),
        Key("constraints", Form(names=Form(anything=True)), "Of ast-grep: not carried over.", theirs=True),
        Key("arguments", Form(items=Form(anything=True)), "Of ast-grep: not carried over.", theirs=True),
        Key("metadata", Form(names=Form(anything=True)), "Anything."),
        Key("note", Form(text=_ANY_TEXT), "What it is for."),
    ),
    "condition": table("a condition", *_CONDITION_KEYS),
    "constraint": table(
        "a constraint",
        *(_COMPOSED.get(key.name, key) for key in _CONDITION_KEYS),
        Key(
            "same-as", Form(text=_VARIABLE), "It is the same code as this metavariable stands for.", ours=True
        ),
        Key(
            "count",
            Form(number=0, text=Text(like=r"(==|!=|<=|>=|<|>)? *[0-9]{1,9}", such="a number, or `>= 2`")),
            "How many elements the ellipsis has: `2`, `>= 2`.",
            ours=True,
        ),
    ),
    "relation": table("a relation", *_CONDITION_KEYS, *_RELATION_KEYS),
    "pattern": table(
        "a pattern",
        Key("code", _CODE, "The pattern.", aliases=("context",), required=True),
        Key(
            "as",
            Form(text=Text(one_of=RUNGS)),
            "The rung that reads it; without the key the first one that accepts it.",
            ours=True,
        ),
        Key(
            "strictness",
            Form(text=Text(one_of=STRICTNESS, also=("cst", "ast", "relaxed", "signature", "template"))),
            "Which differences do not count: `smart` without the key.",
        ),
        Key(
            "equivalences",
            Form(text=Text(one_of=tuple(EQUIVALENCES)), items=Form(text=Text(one_of=tuple(EQUIVALENCES)))),
            "Equivalences to switch on.",
            ours=True,
        ),
        Key(
            "without",
            Form(text=Text(one_of=tuple(EQUIVALENCES)), items=Form(text=Text(one_of=tuple(EQUIVALENCES)))),
            "Equivalences to switch off.",
            ours=True,
        ),
        Key("selector", _CODE, "Only the first node of this kind is meant; the rest is context."),
    ),
    "nth-child": table(
        "`nth-child`",
        Key("position", _POSITION, "`2`, `2n+1`, …", required=True),
        Key("reverse", Form(flag=True), "Counted from the end."),
        Key("of-rule", _CONDITION, "Only children of which this holds are counted."),
    ),
    "range": table(
        "a range", Key("start", _PLACE, "Where it begins."), Key("end", _PLACE, "Where it ends, behind it.")
    ),
    "place": table(
        "a place",
        Key("line", Form(number=0), "The line, from 1.", required=True),
        Key("column", Form(number=0), "The column, from 1, in characters."),
    ),
    "local-utility": table(
        "a utility",
        Key("params", Form(items=Form(text=_VARIABLE)), "Metavariables that each use gives anew."),
        Key("rule", _CONDITION, "The condition.", required=True),
    ),
    "glob": table(
        "a glob",
        Key("glob", _CODE, "The glob.", required=True, theirs=True),
        Key("case-insensitive", Form(flag=True), "Upper and lower case are the same.", theirs=True),
    ),
    "rewrite": table(
        "a rewrite",
        Key(
            "rewrite",
            Form(text=_ANY_TEXT),
            "The code; empty: the match goes.",
            aliases=("template", "fix"),
            required=True,
        ),
        Key("title", Form(text=_TEXT), "Which of several this is."),
        Key("target", Form(text=_VARIABLE), "The metavariable whose code is rewritten.", ours=True),
        Key(
            "safety",
            Form(text=Text(one_of=tuple(Safety))),
            "How far it can be trusted: `safe` without the key.",
            ours=True,
        ),
        Key(
            "also",
            Form(records=("also", "ensure"), items=Form(records=("also", "ensure"))),
            "Other places of the file.",
            ours=True,
        ),
        Key("expand-start", Form(records=("relation",)), "Siblings before it of which this holds go too."),
        Key("expand-end", Form(records=("relation",)), "Siblings behind it of which this holds go too."),
    ),
    "also": table(
        "a rewrite of other places",
        Key("rule", _CONDITION, "What is rewritten, everywhere in the file.", required=True),
        Key(
            "rewrite",
            Form(text=_ANY_TEXT),
            "What it becomes; empty: it goes.",
            aliases=("fix",),
            required=True,
        ),
        Key("unless", _CONDITION, "Not where this holds somewhere in the file afterwards."),
    ),
    "ensure": table(
        "a statement to add",
        Key(
            "ensure",
            _CODE,
            "A statement that stands at the top of the file, or is added there.",
            required=True,
        ),
    ),
    "transform": table(
        "a transformation",
        Key("replace", Form(records=("replace",)), "Matches of an expression become a text."),
        Key("substring", Form(records=("substring",)), "Some of its characters."),
        Key("convert", Form(records=("convert",)), "Another case."),
        Key("rewrite", Form(records=("rewriting",)), "What rewriters make of the nodes in it."),
    ),
    "replace": table(
        "`replace`",
        Key("source", Form(text=_MARKED), "The metavariable.", required=True),
        Key("replace", Form(text=_TEXT), "The regular expression.", required=True),
        Key("by", Form(text=_ANY_TEXT), "The text; `$1` is the first group.", required=True),
    ),
    "substring": table(
        "`substring`",
        Key("source", Form(text=_MARKED), "The metavariable.", required=True),
        Key("start-char", Form(number=-1_000_000), "The first character, from 0; from the end if negative."),
        Key("end-char", Form(number=-1_000_000), "The character behind the last."),
    ),
    "convert": table(
        "`convert`",
        Key("source", Form(text=_MARKED), "The metavariable.", required=True),
        Key("to-case", Form(text=_TEXT), "`camelCase`, `snakeCase`, `upperCase`, …", required=True),
        Key(
            "separated-by",
            Form(text=_TEXT, items=Form(text=_TEXT)),
            "What parts words: `dash`, `underscore`, `caseChange`, …",
        ),
    ),
    "rewriting": table(
        "`rewrite`",
        Key("source", Form(text=_MARKED), "The metavariable.", required=True),
        Key("rewriters", _ONE_OR_SEVERAL, "Names of rewriters.", required=True),
        Key(
            "join-by", Form(text=_ANY_TEXT), "What stands between the results; without it they stay in place."
        ),
    ),
    "rewriter": (
        _rewriter := table(
            "a rewriter",
            Key("rule", _CONDITION, "The condition.", required=True),
            Key(
                "rewrite",
                Form(text=_ANY_TEXT, records=("rewrite",)),
                "What stands where it holds.",
                aliases=("fix",),
                required=True,
            ),
            Key(
                "constraints",
                Form(names=Form(records=("constraint",)), named=_VARIABLE),
                "Metavariable → a condition of what it stands for.",
            ),
            Key(
                "transform",
                Form(names=Form(text=_TEXT, records=("transform",)), named=_VARIABLE),
                "New name → how it is made from another.",
            ),
            Key(
                "utils",
                Form(names=Form(records=("condition", "local-utility"))),
                "Utilities of this one alone.",
            ),
        )
    ),
    "listed-rewriter": table(
        "a rewriter", Key("id", Form(text=_TEXT), "Its name.", required=True, theirs=True), *_rewriter.keys
    ),
    "examples": table(
        "`examples`",
        Key(
            "matching",
            Form(text=_TEXT, items=Form(text=_TEXT, records=("example",))),
            "Code in which the rule finds something.",
        ),
        Key(
            "not-matching",
            Form(text=_TEXT, items=Form(text=_TEXT, records=("counter-example",))),
            "Code in which it finds nothing.",
        ),
    ),
    "example": table(
        "an example",
        Key("code", _CODE, "The code.", required=True),
        Key("count", Form(number=1), "How many places; at least one without the key."),
        Key("rewritten", Form(text=_ANY_TEXT), "The code after the first rewrite of all places."),
        Key("language", Form(text=_TEXT), "The language; the first of the rule without the key."),
        Key("path", Form(text=_TEXT), "The name of the file, for rules with `files`."),
    ),
    "counter-example": table(
        "an example",
        Key("code", _CODE, "The code.", required=True),
        Key("language", Form(text=_TEXT), "The language; the first of the rule without the key."),
        Key("path", Form(text=_TEXT), "The name of the file, for rules with `files`."),
    ),
    "test-case": table(
        "a test",
        Key("id", Form(text=_TEXT), "The id of the rule.", required=True),
        Key(
            "matching",
            Form(text=_ANY_TEXT, items=Form(text=_ANY_TEXT, records=("example",))),
            "Code in which the rule finds something.",
            aliases=("invalid",),
        ),
        Key(
            "not-matching",
            Form(text=_ANY_TEXT, items=Form(text=_ANY_TEXT, records=("counter-example",))),
            "Code in which it finds nothing.",
            aliases=("valid",),
        ),
    ),
    "snapshots": table(
        "a file of snapshots",
        Key("id", Form(text=_TEXT), "The id of the rule.", required=True),
        Key(
            "snapshots",
            Form(items=Form(records=("snapshot",)), names=Form(records=("their-snapshot",))),
            "What it found.",
            required=True,
        ),
    ),
    "snapshot": table(
        "a snapshot",
        Key("code", Form(text=_ANY_TEXT), "The code.", required=True),
        Key("language", Form(text=_TEXT), "Its language.", required=True),
        Key("findings", Form(items=Form(records=("finding",))), "What was found in it."),
        Key("rewritten", Form(text=_ANY_TEXT), "The code after the first rewrite."),
    ),
    "finding": table(
        "a finding",
        Key("at", Form(text=_TEXT), "Where: `line:column-line:column`.", required=True),
        Key("text", Form(text=_ANY_TEXT), "The code.", required=True),
        Key("message", Form(text=_ANY_TEXT), "What is said of it.", required=True),
    ),
    "their-snapshot": table(
        "a snapshot of ast-grep",
        Key("fixed", Form(text=_ANY_TEXT), "The code after the fix."),
        Key("labels", Form(items=Form(records=("their-label",))), "What was found."),
    ),
    "their-label": table(
        "a label",
        Key("source", Form(text=_ANY_TEXT), "The code."),
        Key("message", Form(text=_ANY_TEXT), "What is said of it."),
        Key("style", Form(text=_TEXT), "`primary` or `secondary`."),
        Key("start", Form(number=0), "The first byte."),
        Key("end", Form(number=0), "The byte behind the last."),
    ),
}
