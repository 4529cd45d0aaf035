"""Markdown: its blocks, and the hidden language of the text in them."""

from __future__ import annotations

from structural.syntax.language import Defines, Embedding, Grammar, Language, Skeleton

_TEXT = frozenset({"inline"})

MARKDOWN = Language(
    name="markdown",
    aliases=("md", "mkd"),
    suffixes=(".md", ".markdown", ".mkd", ".mdown", ".mkdn", ".mdx"),
    grammar=Grammar("tree_sitter_markdown", pack="markdown"),
    parts=("markdown_inline",),
    skeletons=(
        Skeleton("statement"),
        Skeleton("statement", "", "\n"),
        Skeleton("top", "", "\n"),
    ),
    operators=(),
    comments=frozenset(),
    # The marks of a quote or list at the beginning of a further line.
    layout=frozenset({"block_continuation"}),
    terminator_tokens=frozenset(),
    separators=frozenset(),
    # Running text: only its punctuation is nodes.
    strings=frozenset({"inline", "link_label", "link_destination", "link_title", "html_block"}),
    quotes=(),
    blocks=frozenset({"document", "section", "list", "list_item", "block_quote"}),
    # Any text is a paragraph, also text that means a link or emphasis.
    unlikely=_TEXT,
    prose=_TEXT,
    embedded=(
        Embedding("inline", "markdown_inline"),
        Embedding("pipe_table_cell", "markdown_inline"),
        Embedding("code_fence_content", named_by="language", inside="fenced_code_block"),
        Embedding("html_block", "html"),
        Embedding("minus_metadata", "yaml"),
        Embedding("plus_metadata", "toml"),
    ),
    defines=(
        Defines("heading", "section", "atx_heading/@heading_content", body="."),
        Defines("heading", "setext_heading", "@heading_content", body="."),
    ),
)

INLINE = Language(
    name="markdown_inline",
    hidden=True,
    grammar=Grammar("tree_sitter_markdown", "inline_language", pack="markdown_inline"),
    # For so many marks in a row it keeps as many ways open, and takes gigabytes within a step.
    unsafe=r"[*_]{3000}",
    skeletons=(Skeleton("expression"),),
    operators=(),
    comments=frozenset(),
    terminator_tokens=frozenset(),
    separators=frozenset(),
    strings=frozenset(
        {"link_text", "image_description", "link_label", "link_destination", "link_title", "code_span"}
    ),
    quotes=(),
    blocks=_TEXT,
    unlikely=_TEXT,
    prose=_TEXT,
)

LANGUAGES = (MARKDOWN, INLINE)
