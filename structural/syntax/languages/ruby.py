"""Ruby."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_ARGUMENTS = (
    ("argument_list", ""),
    ("call", "arguments"),
    ("yield", ""),
    ("return", ""),
    ("array", ""),
    ("element_reference", ""),
    ("unary", "operand"),
    ("binary", "left"),
    ("binary", "right"),
    ("conditional", "condition"),
    ("conditional", "consequence"),
    ("conditional", "alternative"),
    ("pair", "key"),
    ("pair", "value"),
    ("range", "begin"),
    ("range", "end"),
    ("splat_argument", ""),
    ("hash_splat_argument", ""),
    ("block_argument", ""),
    ("call", "receiver"),
)
"""Where an argument stands, or an operand: no command, and nothing with a weak word."""

_BARE = (("call", "arguments"), ("yield", ""), ("return", ""))
"""All the arguments of a command, which may be another command."""

_MODIFIERS = ("if_modifier", "unless_modifier", "while_modifier", "until_modifier", "rescue_modifier")
_COMMANDS = ("call", "return", "break", "next", "yield")
_CONDITIONS = ("if", "unless", "while", "until", "elsif", *_MODIFIERS[:-1])

LANGUAGE = Language(
    name="ruby",
    aliases=("rb", "jruby"),
    suffixes=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".rbi"),
    filenames=(
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
        "Brewfile",
        "Capfile",
    ),
    interpreters=("ruby", "jruby", "rake"),
    grammar=Grammar("tree_sitter_ruby", pack="ruby"),
    skeletons=(
        # Nothing but branches stands here, so they come first: `when x` is also a call.
        Skeleton("case", "case x\n", "\nend"),
        # In a method `rescue` and `ensure` are keywords, at the top they are names.
        Skeleton("statement", "def f()\nx\n", "\nend"),
        Skeleton("statement"),
        Skeleton("expression", "x = (", ")"),
        Skeleton("member", "class C\n", "\nend"),
        Skeleton("top"),
        Skeleton("clause", "if x\n", "\nend"),
        Skeleton("clause", "begin\n", "\nend"),
        Skeleton("argument", "f(", ")"),
        Skeleton("pair", "x = {", "}"),
        Skeleton("parameter", "def f(", "); end"),
    ),
    # `{};` parts statements on one line, `{}:` is a pair, `when {}` a branch.
    ellipsis_stand_ins=("{};", "{}:", "when {};"),
    capital_names=True,
    operators=("+", "=", "+=", ".."),
    partings={"alternative_pattern": ("|",)},
    comments=frozenset({"comment"}),
    jumps=(
        ("return", "method singleton_method lambda"),
        ("yield", "method singleton_method"),
        ("next break redo", "while until for while_modifier until_modifier block do_block lambda method"),
    ),
    line_comments=("#",),
    comment_starts=("=begin",),
    strings=frozenset({"string"}),
    clauses=frozenset({"else", "elsif", "rescue", "ensure"}),
    blocks=frozenset(
        {
            "program",
            "body_statement",
            "block_body",
            "then",
            "do",
            "else",
            "ensure",
            "begin",
            "begin_block",
            "end_block",
            "parenthesized_statements",
            "method",
            "class",
            "module",
            "singleton_class",
            "do_block",
            "case",
        }
    ),
    # Lists that may do without brackets.
    slots=frozenset({"argument_list", "exceptions", "lambda_parameters"}),
    marked=frozenset(
        {
            "splat_argument",
            "hash_splat_argument",
            "block_argument",
            "pair",
            "splat_parameter",
            "hash_splat_parameter",
            "block_parameter",
        }
    ),
    parens=frozenset({"parenthesized_statements"}),
    optional_tokens={
        "argument_list": frozenset({"(", ")"}),
        "method_parameters": frozenset({"(", ")"}),
        "then": frozenset({"then"}),
        "do": frozenset({"do"}),
    },
    # `A::B`, whether the names are constants or not.
    twins=(frozenset({"call", "scope_resolution"}),),
    free_members=True,
    member_names=frozenset({("call", "method"), ("keyword_parameter", "name")}),
    adornments=frozenset({"superclass"}),
    optional_chains={"&.": "."},
    unordered=frozenset({"pair"}),
    verbatim=frozenset({"heredoc_body", "heredoc_end"}),
    ungrouped=frozenset(
        {
            (*place, kind)
            for place in _ARGUMENTS
            for kind in ("binary and", "binary or", "unary not", *_MODIFIERS)
        }
        | {(*place, kind) for place in _ARGUMENTS if place not in _BARE for kind in _COMMANDS}
        | {(above, "condition", kind) for above in _CONDITIONS for kind in _MODIFIERS}
        | {("when", "pattern", kind) for kind in ("binary and", "binary or", "unary not", *_MODIFIERS)}
        | {("case", "value", kind) for kind in _MODIFIERS}
        | {("assignment", "right", "unary not"), ("operator_assignment", "right", "unary not")}
    ),
    commands=frozenset(_COMMANDS),
    misread=frozenset({("argument_list", "", "{")}),
    imports=Imports(texts=r"(?:require|require_relative|load|autoload)\b"),
    defines=(
        Defines("module", "module"),
        Defines("class", "class"),
        Defines("function", "method singleton_method"),
        Defines(
            "struct",
            "assignment",
            "@left=constant",
            where="@right/@receiver=constant",
            word="@right/@receiver",
            words="Struct Data",
        ),
        Defines(
            "constant",
            "assignment",
            "@left=constant",
            level=True,
        ),
        Defines("constant", "assignment", "@left=left_assignment_list/constant", level=True),
        Defines(
            "test",
            "call",
            "@arguments/string|constant|scope_resolution|simple_symbol!",
            word="@method",
            words="describe context it specify feature scenario test",
            where="@block",
            body="@block",
        ),
    ),
    levels=frozenset({"program", "body_statement", "singleton_class"}),
    constructors=frozenset({"initialize"}),
    # What gives no value is no argument, operand or condition.
    barred=frozenset(
        {
            (*place, kind, "")
            for place in (
                *_ARGUMENTS,
                *((above, "condition") for above in _CONDITIONS),
                ("case", "value"),
                ("when", "pattern"),
                ("pattern", ""),
            )
            for kind in ("return", "break", "next", "alias", "undef")
            if place != ("binary", "right") and place not in _BARE
        }
        | {("array", "", "block_argument", "")}
    ),
    last={"argument_list": {"block_argument": frozenset()}},
)
