"""Values → YAML for people: short texts plain, long ones folded or in blocks, comments where they
belong.

A ``Comment`` among the keys of a mapping (with any value) or in a list becomes a line of its own. What
is made is read again and compared: a layout that says something else than the values is never given.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

WIDTH = 100


class Comment(str):
    """A remark; the text without ``#``."""

    __slots__ = ()


def document(value: Mapping[str, Any]) -> str:
    """*value* as a YAML document, without ``---``."""
    text = "".join(f"{line}\n" for line in _mapping(value, 0))
    wanted = without_comments(value)
    try:
        same = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) == wanted
    except (yaml.YAMLError, ValueError, RecursionError):
        same = False
    if same:
        return text
    made = yaml.safe_dump(wanted, sort_keys=False, width=WIDTH)
    assert isinstance(made, str)
    comments = "".join(f"# {key}\n" for key in value if isinstance(key, Comment))
    return comments + made


def without_comments(value: Any) -> Any:
    """*value* without its comments."""
    if isinstance(value, Mapping):
        return {key: without_comments(item) for key, item in value.items() if not isinstance(key, Comment)}
    if isinstance(value, list | tuple):
        return [without_comments(item) for item in value if not isinstance(item, Comment)]
    return value


def _mapping(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    pad = " " * indent
    for key, item in value.items():
        if isinstance(key, Comment):
            yield from _comment(key, pad)
        else:
            yield from _entry(f"{pad}{_key(key)}:", item, indent)


def _comment(text: str, pad: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=f"{pad}# ", subsequent_indent=f"{pad}#   ", break_on_hyphens=False
        )


def _entry(head: str, item: Any, indent: int) -> Iterator[str]:
    if isinstance(item, Mapping):
        if not item:
            yield f"{head} {{}}"
            return
        yield head
        yield from _mapping(item, indent + 2)
    elif isinstance(item, list | tuple):
        if not item:
            yield f"{head} []"
        elif flow := _flow(head, item):
            yield flow
        else:
            yield head
            yield from _items(item, indent + 2)
    else:
        yield from _scalar(head, item, indent + 2)


def _flow(head: str, items: Any) -> str:
    """A list of short words in one line; empty if it is none."""
    if not all(
        isinstance(item, str) and not isinstance(item, Comment) and _WORD.fullmatch(item) for item in items
    ):
        return ""
    made = f"{head} [{', '.join(map(_inline, items))}]"
    return made if len(made) <= WIDTH else ""


def _items(items: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    for item in items:
        if isinstance(item, Comment):
            yield from _comment(item, pad)
        elif isinstance(item, Mapping) and any(not isinstance(key, Comment) for key in item):
            lines = list(_mapping(item, indent + 2))
            first = next(at for at, line in enumerate(lines) if not line.lstrip().startswith("#"))
            yield from (pad + line.strip() for line in lines[:first])
            yield f"{pad}- {lines[first][indent + 2 :]}"
            yield from lines[first + 1 :]
        elif isinstance(item, list | tuple):
            yield f"{pad}- {json.dumps(without_comments(item))}"
        else:
            yield from _scalar(f"{pad}-", item, indent + 2)


_WORD = re.compile(r"[\w./*+#-]+")
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u2028\u2029\ufffe\uffff]")


def _key(key: str) -> str:
    return key if _KEY.fullmatch(key) and _plain(key) else _quoted(key)


def _scalar(head: str, item: Any, indent: int) -> Iterator[str]:
    if not isinstance(item, str):
        yield f"{head} {json.dumps(item)}" if item is not None else f"{head} null"
        return
    if (
        "\n" in item
        and not _CONTROL.search(item)
        and item.strip("\n")
        and not item.startswith((" ", "\n", "\t"))
    ):
        body = item.rstrip("\n")
        mark = {0: "|-", 1: "|"}.get(len(item) - len(body))
        if mark is not None and "\t" not in item[:1]:
            yield f"{head} {mark}"
            yield from (f"{' ' * indent}{line}" if line else "" for line in body.split("\n"))
            return
    inline = _inline(item)
    if len(head) + len(inline) < WIDTH or not _folds(item):
        yield f"{head} {inline}"
        return
    yield f"{head} >-"
    yield from (
        " " * indent + line
        for line in textwrap.wrap(item, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    )


def _folds(text: str) -> bool:
    """Whether the text may be wrapped and comes out the same."""
    return " " in text and "\n" not in text and not _CONTROL.search(text) and " ".join(text.split()) == text


def _inline(text: str) -> str:
    return text if _plain(text) else _quoted(text)


def _quoted(text: str) -> str:
    if "\n" in text or _CONTROL.search(text):
        return f'"{_ESCAPED.sub(_escape, text)}"'
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


_ESCAPED = re.compile(r'["\\\n]|' + _CONTROL.pattern)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in '"\\':
        return f"\\{char}"
    return "\\n" if char == "\n" else f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


_LEADING = frozenset("!&*-?|>@%`\"'#,[]{}:~=<. \t")


def _plain(text: str) -> bool:
    """Whether the text may stand without quotes, in a list of one line too."""
    if not text or text[0] in _LEADING or text != text.strip() or _CONTROL.search(text) or "\n" in text:
        return False
    if ": " in text or " #" in text or text.endswith(":") or "\t" in text:
        return False
    try:
        return bool(yaml.safe_load(text) == text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
