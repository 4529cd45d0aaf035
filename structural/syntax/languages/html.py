"""HTML, with the scripts and style sheets in it."""

from __future__ import annotations

from structural.syntax.language import Defines, Embedding, Grammar, Language, Skeleton

_TYPE = r"\btype\s*=\s*[\"']?"
_LANG = r"\blang\s*=\s*[\"']?"
_JAVASCRIPT = r"(?:(?:text|application)/(?:x-)?(?:java|ecma)script|text/(?:babel|jsx)|module)?(?:[\s;\"'>]|$)"
_JSON = r"(?:application/(?:[\w.+-]+\+)?json|importmap|speculationrules)\b"

LANGUAGE = Language(
    name="html",
    aliases=("htm", "xhtml"),
    suffixes=(".html", ".htm", ".xhtml"),
    grammar=Grammar("tree_sitter_html", pack="html"),
    skeletons=(
        Skeleton("statement"),
        Skeleton("top"),
        Skeleton("attribute", "<a ", ">"),
        # A start tag alone: any end tag closes it.
        Skeleton("clause", "", "</b>"),
    ),
    # `class="x"` alone is an attribute before it is text.
    unlikely=frozenset({"text"}),
    comments=frozenset({"comment"}),
    prose=frozenset({"text", "attribute_name"}),
    blank_text=frozenset({"text"}),
    terminator_tokens=frozenset(),
    separators=frozenset(),
    # The name behind `<!doctype` is no node of its own.
    strings=frozenset({"quoted_attribute_value", "doctype"}),
    case_insensitive=True,
    blocks=frozenset({"document", "element"}),
    unordered=frozenset({"attribute"}),
    embedded=(
        Embedding(
            "raw_text",
            "javascript",
            inside="script_element",
            unless=rf"{_TYPE}(?!{_JAVASCRIPT})|{_LANG}(?:ts|tsx|typescript)\b",
        ),
        Embedding(
            "raw_text",
            "typescript",
            inside="script_element",
            unless=rf"^(?![\s\S]*{_LANG}(?:ts|typescript)\b)",
        ),
        Embedding("raw_text", "tsx", inside="script_element", unless=rf"^(?![\s\S]*{_LANG}tsx\b)"),
        Embedding("raw_text", "json", inside="script_element", unless=rf"^(?![\s\S]*{_TYPE}{_JSON})"),
        Embedding(
            "raw_text",
            "css",
            inside="style_element",
            unless=rf"{_TYPE}(?!text/css)|{_LANG}(?!(?:post)?css\b)",
        ),
    ),
    grouping=("", ""),
    defines=(
        Defines(
            "heading",
            "element",
            "text|element*/=text!",
            word="start_tag/tag_name",
            words="h1 h2 h3 h4 h5 h6 H1 H2 H3 H4 H5 H6",
            body=".",
        ),
        Defines(
            "element",
            "element script_element style_element",
            "^../quoted_attribute_value|attribute_value/attribute_value?",
            word="start_tag|self_closing_tag/attribute/attribute_name",
            words="id ID",
            body="text|element!",
        ),
        Defines(
            "element",
            "element",
            "start_tag/tag_name",
            word="start_tag/tag_name",
            words="head body header nav main section article aside footer form dialog template",
            body="text|element!",
        ),
    ),
)
