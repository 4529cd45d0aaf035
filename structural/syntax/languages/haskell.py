"""Haskell."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="haskell",
    aliases=("hs",),
    suffixes=(".hs", ".hs-boot", ".hsc"),
    interpreters=("runghc", "runhaskell", "stack"),
    grammar=Grammar("tree_sitter_haskell", pack="haskell"),
    skeletons=(
        Skeleton("statement", "", "\n"),
        Skeleton("statement", "f = do\nx\n", "\n"),
        Skeleton("expression", "x = (", ")\n"),
        Skeleton("member", "class C a where {\n", "\n}\n"),
        Skeleton("member", "instance C a where {\n", "\n}\n"),
        Skeleton("top", "", "\n"),
        # Before the types: `Just x -> y` is also the type of a function.
        Skeleton("case", "x = case y of {\n", "\n}\n"),
        Skeleton("type", "x :: ", "\n"),
        Skeleton("parameter", "f ", " = x\n"),
        Skeleton("pair", "x = y {", "}\n"),
        Skeleton("specifier", "import M (", ")\n"),
        Skeleton("declaration", "data T = ", "\n"),
    ),
    # A variable, a type or constructor, an equation, an alternative of a `case`.
    stand_ins=("{}", "{^}", "{} = x", "{} -> x"),
    partings={"data_constructors": ("|",)},
    comments=frozenset({"comment", "haddock"}),
    comment_starts=("--", "{-", "#"),
    layout=frozenset({"pragma", "cpp"}),
    strings=frozenset({"string"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "haskell",
            "declarations",
            "imports",
            "do",
            "class_declarations",
            "instance_declarations",
            "alternatives",
            "local_binds",
        }
    ),
    slots=frozenset(
        {"patterns", "type_params", "type_patterns", "data_constructors", "qualifiers", "guards"}
    ),
    parens=frozenset({"parens"}),
    adornments=frozenset({"deriving"}),
    imports=Imports(kinds=frozenset({"imports"}), before=frozenset({"header"}), units=frozenset({"import"})),
    defines=(
        Defines("type", "data_type newtype type_synonym type_family data_family"),
        Defines("member", "data_constructor", "@constructor/@name"),
        Defines("member", "newtype_constructor gadt_constructor"),
        Defines("field", "field", "@name=field_name"),
        Defines("class", "class", body="where"),
        Defines("impl", "instance", "@name|@patterns+", body="where"),
        Defines("function", "signature", "@name|@names/@name?/operator?", level=True, joined="."),
        Defines("function", "function bind", "@name/operator?", level=True, joined="."),
        Defines("function", "function", "infix/@operator", level=True, joined="."),
        Defines("function", "pattern_synonym", "equation/@synonym/@function?"),
        Defines("function", "foreign_import", "@signature/@name"),
    ),
    levels=frozenset(
        {"haskell", "declarations", "class_declarations", "instance_declarations", "foreign_import"}
    ),
)
