"""What JavaScript, TypeScript and TSX have in common."""

from __future__ import annotations

from structural.syntax.language import Defines, Imports, Skeleton

STATEMENTS = (
    Skeleton("statement"),
    # The empty statement keeps `{ get x() {} }` from being read as an object.
    Skeleton("statement", "async function* f() { for (;;) { ;\n", "\n} }"),
    Skeleton("expression", "x = (", ");"),
    # Before the members: `catch (e) {}` is also a method of that name.
    Skeleton("clause", "try {} ", ""),
    Skeleton("clause", "if (x) {} ", ""),
)

PLACES = (
    Skeleton("parameter", "function f(", ") {}"),
    Skeleton("argument", "f(", ");"),
    # Before the pairs: `default: x` is also a key with its value.
    Skeleton("case", "switch (x) {\n", "\n}"),
    Skeleton("pair", "x = {", "};"),
)

ATTRIBUTES = (Skeleton("attribute", "x = <a ", "/>;"),)

ENDS = (
    Skeleton("decorator", "", "\nclass C {}"),
    Skeleton("specifier", "import {", "} from 'm';"),
)

# A name, the module of an import.
STAND_INS = ("{}", "'{}'")

# An item of a class or block, a branch of a `switch`.
ELLIPSES = ("{};", "case {}:")

OPERATORS = ("+", "=", "+=")

UNLIKELY = frozenset({"labeled_statement", "empty_statement"})

COMMENTS = frozenset({"comment", "html_comment", "hash_bang_line"})

LINE_COMMENTS = ("//",)
COMMENT_STARTS = ("/*", "<!--", "-->", "#!")

BLOCKS = frozenset(
    {"program", "statement_block", "class_body", "switch_case", "switch_default", "switch_body"}
)

BODIES = frozenset(
    {
        "if_statement",
        "else_clause",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "with_statement",
    }
)

MARKED = frozenset({"spread_element", "rest_pattern", "named_imports", "namespace_import"})

TWINS = (
    frozenset({"function_declaration", "function_expression"}),
    frozenset({"generator_function_declaration", "generator_function"}),
    frozenset({"class_declaration", "class"}),
)

EXPORT_RUNS = {"export_statement": (("export", "default"), ("export",))}

MISREAD = frozenset(
    {
        ("arrow_function", "body", "{"),
        ("expression_statement", "", "{"),
        ("expression_statement", "", "function"),
        ("expression_statement", "", "class"),
        ("expression_statement", "", "async"),
    }
)

WEAK_OPERANDS = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "arrow_function", "yield_expression"}
)

UNMIXED = (("??", "||"), ("??", "&&"))

TIGHT = {"**": frozenset({"unary_expression", "await_expression"})}

DECLARATIONS = frozenset(
    {"lexical_declaration", "class_declaration", "generator_function_declaration", "function_declaration"}
)

BARRED = frozenset(
    {
        ("export_statement", "declaration", "lexical_declaration", "default"),
        ("export_statement", "declaration", "variable_declaration", "default"),
    }
)

LAST = {"formal_parameters": {"rest_pattern": frozenset[str]()}}

UNGROUPED = frozenset(
    {
        ("new_expression", "constructor", "call_expression"),
        # `super` is a receiver and nothing else.
        ("arguments", "", "super"),
        ("parenthesized_expression", "", "super"),
    }
)

FUNCTION_VALUE = "@value=arrow_function|@value=function_expression|@value=generator_function"

_RIGHT = FUNCTION_VALUE.replace("@value", "@right")

DEFINES = (
    Defines("function", "function_declaration generator_function_declaration"),
    Defines("class", "class_declaration"),
    # What is exported without a name is named by that.
    Defines("class", "class", "../default", inside="export_statement"),
    Defines("function", "function_expression arrow_function", "../default", inside="export_statement"),
    Defines("method", "method_definition"),
    Defines("method", "pair", "@key", where=FUNCTION_VALUE, body="@value/@body"),
    Defines("class", "variable_declarator", "@name=identifier", where="@value=class", body="@value/@body"),
    Defines("function", "variable_declarator", "@name=identifier", where=FUNCTION_VALUE, body="@value/@body"),
    Defines(
        "variable",
        "variable_declarator",
        "@name=identifier|@name=object_pattern|@name=array_pattern"
        "/identifier|shorthand_property_identifier_pattern|pair_pattern?/@value?"
        "/=identifier|=shorthand_property_identifier_pattern",
        level=True,
        body="@value=object",
    ),
    # What is the whole of a module has a name of its own.
    Defines(
        "class",
        "assignment_expression",
        "@right=class/@name",
        word="@left/@property",
        words="exports",
        body="@right/@body",
    ),
    Defines(
        "function",
        "assignment_expression",
        "@right=function_expression/@name",
        word="@left/@property",
        words="exports",
        body="@right/@body",
    ),
    Defines(
        "class",
        "assignment_expression",
        "@left=identifier|@left=member_expression/@property?",
        where="@right=class",
        owner="@left=member_expression/@object",
        body="@right/@body",
    ),
    Defines(
        "function",
        "assignment_expression",
        "@left=identifier|@left=member_expression/@property?",
        where=_RIGHT,
        owner="@left=member_expression/@object",
        body="@right/@body",
    ),
    Defines(
        "test",
        "call_expression",
        "@arguments/string|template_string!",
        word="@function",
        words="describe it test suite context",
        where="@arguments/arrow_function|function_expression",
        body="@arguments/arrow_function|function_expression/@body",
    ),
)

LEVELS = frozenset(
    {
        "program",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "expression_statement",
        "statement_block",
    }
)

WRAPPERS = frozenset({"lexical_declaration", "variable_declaration", "expression_statement"})

IMPORTS = Imports(
    kinds=frozenset({"import_statement"}),
    texts=r"(?:(?:const|let|var)\s[^;]*=\s*)?require\s*\(",
    texts_before=r"[\"']",
)

_FUNCTIONS = (
    "arrow_function function_expression function_declaration generator_function"
    " generator_function_declaration method_definition class_static_block"
)
_LOOPS = "for_statement for_in_statement while_statement do_statement"

JUMPS = (
    ("return_statement yield_expression await_expression", _FUNCTIONS),
    ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
    ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
)
WAITS = frozenset({"await_expression"})
