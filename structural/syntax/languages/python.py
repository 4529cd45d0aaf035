"""Python."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_BEHIND_DEFAULTS = frozenset(
    {
        "default_parameter",
        "typed_default_parameter",
        "typed_parameter",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "keyword_separator",
        "positional_separator",
    }
)
"""What may follow a parameter with a default (``*args: T`` is a typed parameter)."""

_BEHIND_STAR = frozenset(
    {
        "identifier",
        "default_parameter",
        "typed_parameter",
        "typed_default_parameter",
        "dictionary_splat_pattern",
    }
)
"""What may follow the one star of a list of parameters."""

_NO_NAMED = (
    ("augmented_assignment", "right"),
    ("return_statement", ""),
    ("assert_statement", ""),
    ("raise_statement", ""),
    ("yield", ""),
    ("keyword_argument", "value"),
    ("default_parameter", "value"),
    ("typed_default_parameter", "value"),
    ("pair", "value"),
    ("pair", "key"),
    ("conditional_expression", ""),
    ("lambda", "body"),
    ("for_statement", "right"),
    ("for_in_clause", "right"),
    ("with_item", "value"),
    ("interpolation", "expression"),
    ("expression_list", ""),
    ("if_clause", ""),
    ("slice", ""),
)
"""Where ``x := y`` stands in parentheses only."""

_FUNCTIONS = "function_definition lambda class_definition"
_LOOPS = "for_statement while_statement"

LANGUAGE = Language(
    name="python",
    aliases=("py", "python3"),
    suffixes=(".py", ".pyi", ".pyw", ".bzl"),
    filenames=("SConstruct", "SConscript", "BUILD", "WORKSPACE", "wscript"),
    interpreters=("python", "pypy"),
    grammar=Grammar("tree_sitter_python", pack="python"),
    skeletons=(
        Skeleton("statement", "", "\n"),
        # Not in plain parentheses: `(**x)` would be two stars around a name.
        Skeleton("expression", "(lambda: ", ")\n"),
        Skeleton("member", "class C:\n", "\n"),
        Skeleton("top", "", "\n"),
        Skeleton("type", "x: ", "\n"),
        Skeleton("argument", "f(", ")\n"),
        Skeleton("parameter", "def f(", "): pass\n"),
        Skeleton("pair", "{", "}\n"),
        Skeleton("case", "match x:\n ", "\n"),
        Skeleton("case", "match x:\n case ", ": pass\n"),
        Skeleton("clause", "try:\n    pass\n", "\n"),
        Skeleton("clause", "try:\n    pass\nexcept:\n    pass\n", "\n"),
        Skeleton("clause", "if x:\n    pass\n", "\n"),
        Skeleton("decorator", "", "\ndef f(): pass\n"),
        Skeleton("specifier", "from m import ", "\n"),
    ),
    ellipsis_stand_ins=("case {}: pass", "{}: {}"),
    operators=("+", "<", "and", "=", "+="),
    unlikely=frozenset({"splat_type"}),
    partings={"union_pattern": ("|",)},
    jumps=(
        ("return_statement yield await", _FUNCTIONS),
        ("break_statement continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
    ),
    waits=frozenset({"await"}),
    comments=frozenset({"comment"}),
    line_comments=("#",),
    layout=frozenset({"line_continuation"}),
    strings=frozenset({"string"}),
    quotes=('"""', "'''", '"', "'"),
    blocks=frozenset({"module", "block"}),
    slots=frozenset({"lambda_parameters", "with_clause"}),
    marked=frozenset(
        {
            "keyword_argument",
            "list_splat",
            "dictionary_splat",
            "list_splat_pattern",
            "dictionary_splat_pattern",
            "keyword_separator",
            "positional_separator",
        }
    ),
    parens=frozenset({"parenthesized_expression"}),
    sole_arguments={"argument_list": frozenset({"generator_expression"})},
    member_names=frozenset({("attribute", "attribute"), ("keyword_argument", "name")}),
    adornments=frozenset({"decorator", "type_parameter"}),
    adornment_runs={
        "function_definition": (("->", "@return_type"),),
        "typed_parameter": ((":", "@type"),),
        "typed_default_parameter": ((":", "@type"),),
        "assignment": ((":", "@type"),),
        "class_definition": (("@superclasses",),),
    },
    adorned=frozenset({"decorated_definition", "typed_parameter"}),
    twins=(frozenset({"default_parameter", "typed_default_parameter"}),),
    ellipsis_twins=(frozenset({"parenthesized_expression", "tuple"}), frozenset({"set", "dictionary"})),
    optional_tokens={"import_from_statement": frozenset({"(", ")"})},
    unordered=frozenset({"keyword_argument"}),
    filler="pass",
    weak_operands=frozenset({"lambda", "named_expression"}),
    breaks_lines=True,
    last={
        "argument_list": {
            "keyword_argument": frozenset({"keyword_argument", "dictionary_splat", "list_splat"}),
            "dictionary_splat": frozenset({"keyword_argument", "dictionary_splat"}),
        },
        "parameters": {
            "default_parameter": _BEHIND_DEFAULTS,
            "typed_default_parameter": _BEHIND_DEFAULTS,
            "dictionary_splat_pattern": frozenset(),
            "list_splat_pattern": _BEHIND_STAR,
            "keyword_separator": _BEHIND_STAR,
        },
    },
    leads={
        "parameters": {"keyword_separator": _BEHIND_STAR - {"dictionary_splat_pattern"}},
        "lambda_parameters": {"keyword_separator": _BEHIND_STAR - {"dictionary_splat_pattern"}},
    },
    barred=frozenset(
        {
            ("assignment", "left", "pattern_list", ":"),
            ("assignment", "left", "tuple_pattern", ":"),
            ("assignment", "left", "list_pattern", ":"),
            ("assignment", "right", "assignment", ":"),
            # `x: int: str` is a bound, which only parameters of types have.
            ("assignment", "type", "constrained_type", ""),
            ("typed_parameter", "type", "constrained_type", ""),
            ("typed_default_parameter", "type", "constrained_type", ""),
            ("function_definition", "return_type", "constrained_type", ""),
        }
    ),
    homes={"as_pattern": frozenset({"except_clause", "with_item", "with_clause", "case_pattern"})},
    apart=frozenset({("raise_statement", "raise", "from")}),
    quoting=frozenset({"interpolation"}),
    ungrouped=frozenset(
        {
            *((above, name, "named_expression") for above, name in _NO_NAMED),
            ("assignment", "right", "named_expression"),
            ("expression_statement", "", "named_expression"),
            ("module", "", "named_expression"),
            ("block", "", "named_expression"),
        }
    ),
    imports=Imports(
        kinds=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
        texts_before=r"[rRuUbB]{0,2}[\"']",
        first=r"from\s+__future__\b",
    ),
    defines=(
        Defines("class", "class_definition"),
        Defines("function", "function_definition"),
        Defines(
            "function",
            "assignment",
            "@left=identifier",
            where="@right=lambda",
            inside="expression_statement",
            level=True,
        ),
        Defines(
            "variable",
            "assignment",
            "@left=identifier|@left=pattern_list|@left=tuple_pattern/identifier?",
            inside="expression_statement",
            level=True,
        ),
        Defines("type", "type_alias_statement", "@left/identifier|generic_type!/identifier?"),
    ),
    levels=frozenset(
        {
            "module",
            "block",
            "expression_statement",
            "if_statement",
            "elif_clause",
            "else_clause",
            "try_statement",
            "except_clause",
            "finally_clause",
        }
    ),
    annotations=frozenset({"decorator"}),
    constructors=frozenset({"__init__"}),
    soft_words="__future__ case exec match print type",
)
