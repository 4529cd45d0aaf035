"""The text of a pattern of semgrep, token by token, as the text of one of ours.

``$X`` stays, ``$...X`` becomes ``$$$X``, and ``...`` becomes ``$$$`` where there are many and ``$_``
where there is one: decided by what stands beside it. ``"..."``, any text, becomes ``"$$$"``. ``<... P
...>`` and the links of a chain become metavariables of their own, with what must be in them beside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from structural.rules.imports.languages import Forms, forms


class UntranslatableError(ValueError):
    """The pattern asks for what ours cannot."""


@dataclass(slots=True)
class Translated:
    """``text``: the pattern, in which ``deep`` names metavariables with the pattern of semgrep that must
    stand in what they are. ``expressions``: metavariable → the expression of a text ``"=~/…/"``."""

    text: str
    deep: dict[str, str] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    chained: bool = False
    """Some of ``deep`` are what stands before a link of a chain."""


_SUPERGLOBALS = frozenset(
    {"_GET", "_POST", "_FILES", "_COOKIE", "_SESSION", "_REQUEST", "_ENV", "_SERVER", "_GLOBALS"}
)
_TOKEN = re.compile(
    r"""
      (?P<deep> <\.\.\. ) | (?P<undeep> \.\.\.> )
    | \$\.\.\.(?P<many> [A-Z_][A-Z0-9_]* )
    | \$(?P<one> [A-Z_][A-Z0-9_]* )(?![A-Za-z0-9_])
    | (?P<ellipsis> \.\.\. )
    | (?P<dollars> \$\$\$ )
    """,
    re.VERBOSE,
)
_HEADS = frozenset(
    {"if", "while", "switch", "elif", "elsif", "until", "match", "when", "unless", "synchronized", "lock"}
)
_ONE_BEHIND = frozenset(
    {
        "if",
        "while",
        "elif",
        "in",
        "for",
        "not",
        "await",
        "and",
        "or",
        "is",
        "unless",
        "new",
        "throw",
        "typeof",
    }
)
_OPEN, _CLOSE = "([{", ")]}"


def translate(text: str, language: str, counter: list[int]) -> Translated:
    """*text* for *language*.  *counter* numbers the metavariables that are made.

    UntranslatableError says what has no counterpart."""
    known = forms(language)
    made = Translated("")
    if found := _typed(text, language):
        raise UntranslatableError(f"the metavariable {found} has a type, and types are not known here")
    chained = _chain(text, known, made, counter)
    out: list[str] = []
    at = 0
    while at < len(chained):
        quote = next((q for q in known.quotes if chained.startswith(q, at)), None)
        if quote is not None:
            end = _string_end(chained, at, quote)
            out.append(_string(chained, at, end, quote, known, made, counter, "".join(out)))
            at = end
            continue
        token = _TOKEN.match(chained, at)
        if token is None:
            out.append(chained[at])
            at += 1
            continue
        if token["deep"]:
            end = _deep_end(chained, at)
            name = _fresh("IN", counter)
            made.deep[name] = chained[at + 4 : end].strip()
            out.append(f"${name}")
            at = end + 4
            continue
        out.append(_token(chained, token, language, known))
        at = token.end()
    made.text = "".join(out)
    return made


def _token(text: str, token: re.Match[str], language: str, known: Forms) -> str:
    if token["many"]:
        return f"$$${token['many']}"
    if name := token["one"]:
        if language == "php" and name in _SUPERGLOBALS:
            return f"\\${name}"
        return f"${name}"
    if token["dollars"]:
        return "\\$$$"
    if token["undeep"]:
        raise UntranslatableError("`...>` closes what nothing opened")
    return ellipsis(text, token.start(), known, language)


def ellipsis(text: str, at: int, known: Forms, language: str) -> str:
    """What the ``...`` at *at* becomes."""
    before, behind = text[:at], text[at + 3 :]
    following = behind[:1]
    if following.isalpha() or (following in {"_", "$", "[", "("} and language != "python"):
        return "..."  # a spread, or the parameter of any number
    if language == "cpp" and re.search(r"catch\s*\(\s*$", before):
        return "..."
    if before[-1:].isalnum() or (before[-1:] in {"_", "]", ">"} and language in {"go", "java"}):
        return "..."
    left = before.rstrip(" \t")
    right = behind.lstrip(" \t")
    last, first = left[-1:], right[:1]
    if text.lstrip().startswith("<") and language in _TAGGED:
        return "$$$"  # attributes, or what stands between tags
    if last == "(" and first == ")":
        word = re.search(r"(\w+)\s*\($", left)
        return "$_" if word and word[1] in _HEADS else "$$$"
    if last == "|" and first == "|":
        return "$$$"
    many_before = last in {"", "\n", "(", "[", "{", ",", ";", "}", "<"} or left.endswith(":")
    many_behind = first in {"", "\n", ")", "]", "}", ",", ";", ">", "#"}
    word = re.search(r"(?:^|[^\w$.])([a-z]+)$", left)
    if word is not None and not left.endswith(":"):
        if word[1] in _ONE_BEHIND:
            return "$$$" if language == "go" and word[1] == "for" else "$_"
        return "$$$"
    if many_before and many_behind:
        return "$$$"
    if last in {"", "\n", ";", "{", "}"} and first not in {
        "+",
        "-",
        "*",
        "/",
        "%",
        "=",
        "<",
        "&",
        "|",
        "?",
        ".",
    }:
        return "$$$"
    if re.search(r"[\w)\]\"']$", left) and many_behind:
        return "$$$"  # behind a name: arguments without parentheses
    return "$_"


_TAGGED = frozenset({"html", "javascript", "typescript", "tsx", "xml"})


def _chain(text: str, known: Forms, made: Translated, counter: list[int]) -> str:
    """*text* with what stands before the last ``. ... .`` of a chain as one metavariable."""
    link = re.escape(known.chain)
    pattern = re.compile(rf"\s*{link}\s*\.\.\.\s*(?={link})")
    while True:
        found = None
        for found in pattern.finditer(text):  # noqa: B007 - the last one
            pass
        if found is None:
            return text
        start = _operand_start(text, found.start())
        receiver = text[start : found.start()]
        name = _fresh("CHAIN", counter)
        if not receiver.strip():
            raise UntranslatableError("`...` begins a chain")
        made.deep[name] = receiver.strip()
        made.chained = True
        text = f"{text[:start]}${name}{text[found.end() :]}"


def _operand_start(text: str, end: int) -> int:
    """Where the expression begins that ends at *end*: names, dots, brackets, and chains."""
    at, depth = end, 0
    while at > 0:
        char = text[at - 1]
        if char in _CLOSE:
            depth += 1
        elif char in _OPEN:
            if not depth:
                break
            depth -= 1
        elif not depth:
            if char.isspace():
                rest = text[: at - 1].rstrip()
                if not (rest.endswith((".", "->")) or text[at:].lstrip().startswith((".", "->"))):
                    break
            elif not (
                char.isalnum()
                or char in "_$.@:\"'`"
                or (char in "->" and "->" in text[max(at - 2, 0) : at + 1])
            ):
                break
        at -= 1
    return at


def _deep_end(text: str, at: int) -> int:
    """Where the ``...>`` stands that closes the ``<...`` at *at*."""
    depth = 0
    for found in re.finditer(r"<\.\.\.|\.\.\.>", text[at:]):
        depth += 1 if found[0] == "<..." else -1
        if not depth:
            return at + found.start()
    raise UntranslatableError("`<...` is not closed")


def _string_end(text: str, at: int, quote: str) -> int:
    """Behind the literal that begins at *at*; the end of the text if it is not closed."""
    begin = at
    at += len(quote)
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return begin + len(quote)  # a lone quote, as in a comment


def _string(
    text: str, at: int, end: int, quote: str, known: Forms, made: Translated, counter: list[int], before: str
) -> str:
    literal = text[at:end]
    if len(literal) < 2 * len(quote):
        return literal
    inside = literal[len(quote) : len(literal) - len(quote)]
    if inside == "...":
        return f"{quote}$$${quote}"
    if found := re.fullmatch(r"=~/(.*)/([im]*)", inside, re.DOTALL):
        name = _fresh("TEXT", counter)
        flags = f"(?{found[2]})" if found[2] else ""
        made.expressions[name] = flags + found[1]
        return f"{quote}${name}{quote}"
    if found := re.fullmatch(r"\$(\.\.\.)?([A-Z_][A-Z0-9_]*)", inside):
        return f"{quote}${found[2]}{quote}"
    prefix = re.search(r"[A-Za-z]+$", before)
    interpolates = bool(known.interpolated) and (
        quote in known.interpolated
        or (prefix is not None and any(c in known.interpolated for c in prefix[0]))
    )
    if interpolates:
        body = inside.replace("...", "$$$")
        return quote + re.sub(r"\$\$\$(?=[A-Za-z_])", "$$$ ", body) + quote
    # In semgrep a dollar sign within a longer text is one.
    return quote + re.sub(r"\$(?=\$\$|[A-Z_])", r"\\$", inside) + quote


def _fresh(stem: str, counter: list[int]) -> str:
    counter[0] += 1
    return f"{stem}{counter[0]}"


_BEFORE = r"(?:^|[^\w\s$)\]>]|\breturn|\bthrow|\bnew|\bawait|\n|[=,(!&|+:]\s)\s*"
_COLON = re.compile(
    rf"(?P<lead>{_BEFORE})\(\s*(?P<name>\$[A-Z_][A-Z0-9_]*)\s*:\s*[^()=]+\)(?!\s*(?:=>|->|\{{|:))", re.M
)
_CAST = re.compile(
    rf"(?P<lead>{_BEFORE})\(\s*(?:final\s+)?(?:struct\s+)?[A-Za-z_$][\w.$]*(?:<[^()]*>)?(?:\[\])?[\s*&]+(?P<name>\$[A-Z_][A-Z0-9_]*)\s*\)"
    r"(?!\s*(?:=>|->|\{))",
    re.M,
)


def _typed(text: str, language: str) -> str:
    """The metavariable that has a type, as ``($X : int)`` or ``(int $X)``; empty if there is none."""
    if language in {"go", "python", "typescript", "tsx", "javascript", "kotlin", "scala", "swift", "rust"}:
        found = _COLON.search(text)
    elif language in {"java", "csharp", "c", "cpp"}:
        found = _CAST.search(text)
    else:
        return ""
    return found["name"] if found else ""
