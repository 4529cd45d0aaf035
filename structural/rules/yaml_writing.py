"""Values as YAML that ``yaml`` reads back as the same values.

Texts stand as they are where that is safe, below ``|`` if they have several lines, and else in quotes.
Keys keep their order, so that the same value is always the same text.
"""

from __future__ import annotations

import re
from typing import Any

from structural.rules.yaml import resolved

_ODD = r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""Control characters, and what ends a line for YAML or for an editor: only an escape keeps it."""

_NO_PLAIN = re.compile(_ODD)
_NO_BLOCK = re.compile(rf"[^\S\n]\n|^\s|{_ODD}|[^\S\n]\Z")
"""What a block under ``|`` does not hold as it is: blanks at ends of lines too."""


def dumped(value: Any) -> str:
    """The YAML of a mapping or list of texts, numbers, mappings and lists."""
    import yaml  # only who writes waits for it

    class Dumper(yaml.SafeDumper):
        """With texts as this module has them."""

        def ignore_aliases(self, data: object) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        style = None
        if "\n" in value:
            style = '"' if _NO_BLOCK.search(value) or not value.strip() else "|"
        elif not isinstance(resolved(value), str) or value != value.strip() or _NO_PLAIN.search(value):
            style = '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    made = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000)
    assert isinstance(made, str)
    return made
