"""A pattern of semgrep as a condition of ours, with the other forms of code that it also finds.

What is made is read by the ladder for every language of the rule before it is believed; a pattern that
is no code there is refused with its reason.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from structural.errors import StructuralError
from structural.pattern.compile import compile_pattern
from structural.rules.imports import declared, pairs
from structural.rules.imports.ellipses import Translated, UntranslatableError, translate
from structural.rules.imports.imported import ROOTS, Spelling, spellings
from structural.rules.imports.languages import forms
from structural.syntax import registry

Mapping = dict[str, Any]


PLACED = "placed"
"""How utilities begin that say where a place stands among statements."""


@dataclass(slots=True)
class Context:
    """What the parts of one rule share.  ``languages``: those in which every pattern so far was code."""

    languages: list[str]
    counter: list[int] = field(default_factory=lambda: [0, 0])
    aliases: dict[str, str] = field(default_factory=dict)
    utilities: Mapping = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Language of the rule → why it was left out."""

    @property
    def language(self) -> str:
        return self.languages[0]

    def merged(self, condition: Mapping) -> Mapping:
        """*condition* with alternatives that each ask where a place stands among statements asked as
        one."""
        ways = condition.get("any", ())
        names = [one["matches"] for one in ways if set(one) == {"matches"}]
        if len(names) < 2 or not all(name.startswith(PLACED) for name in names):
            return condition
        rest = [one for one in ways if not _asks(one, names)]
        inner: list[Mapping] = []
        for name in names:
            known = self.utilities[name]
            inner += known["any"] if set(known) == {"any"} else [known]
        merged = around({"matches": self.utility(PLACED, {"any": _together(inner)})})
        for name in names:
            del self.utilities[name]
        return {**condition, "any": [*rest, *merged["any"]]}

    def remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

    def utility(self, stem: str, condition: Mapping) -> str:
        """The name under which the rule keeps *condition*."""
        for name, known in self.utilities.items():
            if known == condition:
                return name
        self.counter[1] += 1
        name = f"{stem}-{self.counter[1]}"
        self.utilities[name] = condition
        return name


@dataclass(frozen=True, slots=True)
class Made:
    """A condition and the kinds of the nodes of which it may hold, None where that is not known."""

    condition: Mapping
    kinds: frozenset[str] | None = None


def condition(text: str, context: Context, *, statement: bool = False) -> Made:
    """The condition that *text* stands at a place. *statement*: the place is a statement among others,
    so a declaration counts as a whole. UntranslatableError if it cannot be said."""
    text = textwrap.dedent(text.strip("\n")).strip()
    if not text or text == "...":
        raise UntranslatableError("the pattern is nothing but `...`" if text else "the pattern is empty")
    if deep := _whole_deep(text):
        return condition(deep, context, statement=statement)
    if context.language == "hcl" and re.fullmatch(r"\w+", text):
        # The word before a block is no expression.
        return Made({"kind": "identifier", "regex": f"^{text}$"}, frozenset({"identifier"}))
    if context.language == "hcl":
        if (block := declared.block(text)) is not None:
            made = condition(block[0], context)
            whole = made.condition
            for inner in block[1]:
                stands = condition(inner, context).condition
                whole = joined(whole, {"has": {"kind": "body", "has": stands}})
            return Made(whole, made.kinds)
        text = _LABELS.sub(lambda found: found[0].replace('"..."', "$_"), text)
    if (imports := declared.imported(text, context.language)) is not None:
        return Made(imports, frozenset({"import_declaration"}))
    text, parts = declared.taken_out(text, context.language)
    if parts:
        made = condition(text, context, statement=statement)
        whole = made.condition
        _check(parts, context.language)
        for part in parts:
            whole = joined(whole, part)
        return Made(whole, made.kinds)
    if context.language == "python" and (found := re.fullmatch(r"if (?P<c>.+):\s*\.\.\.", text)):
        # With any `else` and `elif`, and as an `elif` too.
        branches: Mapping = {"kind": ["if_statement", "elif_clause"]}
        if found["c"].strip() != "...":
            branches["has"] = {"field": "condition", **condition(found["c"], context).condition}
        return Made(branches, frozenset(branches["kind"]))
    if split := _body(text, context.language):
        head, body = split
        made = condition(head, context, statement=statement)
        from structural.rules.imports.sequences import contained

        return Made(
            joined(made.condition, {"has": {**contained(body, context), "stop-by": "end"}}), made.kinds
        )
    translated = translate(text, context.language, context.counter)
    if translated.text.endswith(";") and _is_expression(translated.text, context.language):
        translated.text = translated.text.rstrip(" ;\n")
    _lone_chains(translated)
    dictionaries = pairs.dictionaries(translated, context.counter) if context.language == "python" else {}
    made = _forms(translated, context, statement=statement)
    result = made.condition
    for name, inside in translated.deep.items():
        deep_in = condition(inside, context).condition
        result = joined(result, {"has": {"pattern": f"${name}", **anywhere(deep_in), "stop-by": "end"}})
    for name, entries in dictionaries.items():
        here: Mapping = {}
        for entry in reversed(entries):
            pair: Mapping = {"pattern": {"code": entry, "as": "pair"}}
            here = {**pair, "precedes": {**here, "stop-by": "end"}} if here else pair
        here = {"kind": "dictionary", "has": here}
        _check([here], context.language)
        if translated.text == f"${name}":
            return Made(here, frozenset({"dictionary"}))
        result = joined(result, {"has": {"pattern": f"${name}", **here, "stop-by": "end"}})
    for name, expression in translated.expressions.items():
        asked: Mapping = {"regex": _quoted(expression)}
        if translated.text[1:-1] != f"${name}":
            asked = {"has": {"pattern": f'"${name}"', **asked, "stop-by": "end"}}
        result = joined(result, asked)
    return Made(result, made.kinds)


def _quoted(expression: str) -> str:
    """The expression of what stands in quotes as one of the text with them."""
    flags = re.match(r"\(\?[a-z]+\)", expression)
    lead, rest = (flags[0], expression[flags.end() :]) if flags else ("", expression)
    if rest.startswith("^"):
        rest = f"^\\w*[\"'`]+{rest[1:]}"
    if rest.endswith("$") and not rest.endswith("\\$"):
        rest = f"{rest[:-1]}[\"'`]+$"
    return lead + rest


def anywhere(inner: Mapping) -> Mapping:
    """*inner* holds of the place or of a node in it."""
    return {"any": [inner, {"has": {**inner, "stop-by": "end"}}]}


def around(inner: Mapping) -> Mapping:
    """*inner* holds of the place or of a node around it."""
    return {"any": [inner, {"inside": {**inner, "stop-by": "end"}}]}


def joined(first: Mapping, second: Mapping) -> Mapping:
    """Both conditions, in one mapping where no key is needed twice."""
    if not first:
        return dict(second)
    if not set(first) & set(second):
        return {**first, **second}
    rest = list(first["all"]) if set(first) == {"all"} else [first]
    rest += second["all"] if set(second) == {"all"} else [second]
    return {"all": rest}


def either(conditions: Sequence[Mapping]) -> Mapping:
    """One of the conditions."""
    flat: list[Mapping] = []
    for one in conditions:
        for item in one["any"] if set(one) == {"any"} else [one]:
            if item not in flat:
                flat.append(item)
    return flat[0] if len(flat) == 1 else {"any": flat}


def _asks(one: Mapping, names: Sequence[str]) -> bool:
    """Whether the alternative is only that one of these utilities holds, here or further out."""
    inner = one["inside"] if set(one) == {"inside"} else one
    return inner.get("matches") in names and set(inner) <= {"matches", "stop-by"}


def _together(ways: Sequence[Mapping]) -> list[Mapping]:
    """Alternatives, with those that look behind statements as one."""
    behind = [
        one["follows"] for one in ways if set(one) == {"follows"} and one["follows"].get("stop-by") == "end"
    ]
    found = [one for one in ways if not (set(one) == {"follows"} and one["follows"].get("stop-by") == "end")]
    if behind:
        plain = [{key: value for key, value in one.items() if key != "stop-by"} for one in behind]
        found.insert(0, {"follows": {**either(plain), "stop-by": "end"}})
    return [one for at, one in enumerate(found) if one not in found[:at]]


# --- forms --------------------------------------------------------------------------------------


def _forms(translated: Translated, context: Context, *, statement: bool) -> Made:
    language = context.language
    text, unordered = pairs.loosened(translated.text, language)
    wanted = [text, *_variants(text, language)]
    if (tagged := pairs.element(text)) is not None:
        tag, attributes, several = tagged
        unordered |= several
        wanted = [f"<{tag} {attributes} />", f"<{tag} {attributes}>$$$</{tag}>"]
    conditions: list[Mapping] = []
    kinds: frozenset[str] | None = frozenset()
    for at, one in enumerate(wanted):
        found = _read(one, context, first=at == 0)
        if found is None:
            continue
        kinds = None if kinds is None or found.kinds is None else kinds | found.kinds
        pattern: Any = found.text
        if unordered:
            pattern = {"code": found.text, "equivalences": ["order"]}
        conditions.append({"pattern": pattern})
    for code, selector in _declared(text, language):
        found = _read(code, context, first=False)
        if found is None:
            continue
        if selector is None:
            kinds = None if kinds is None or found.kinds is None else kinds | found.kinds
            conditions.append({"pattern": found.text})
            continue
        pattern = {"code": found.text, "selector": selector}
        kinds = None if kinds is None else kinds | {selector}
        conditions.append({"has": {"pattern": pattern}} if statement else {"pattern": pattern})
    for spelling in spellings(text, language, context.aliases):
        found = _read(spelling.text, context, first=False)
        asked = _imports(spelling, context)
        if found is None or asked is None:
            continue
        kinds = None if kinds is None or found.kinds is None else kinds | found.kinds
        pattern = {"code": found.text, "equivalences": ["order"]} if unordered else found.text
        conditions.append({"pattern": pattern, **asked})
    return Made(either(conditions), kinds)


def _imports(spelling: Spelling, context: Context) -> Mapping | None:
    """The condition that the file has the imports; None if one of them is no code."""
    root = ROOTS[context.language]
    asked: Mapping = {}
    for alternatives in (spelling.imports, *((one,) for one in spelling.also)):
        known = [one for one in alternatives if _read(one, context, first=False) is not None]
        if alternatives and not known:
            return None
        if alternatives:
            stands = {"has": {**either([{"pattern": one} for one in known]), "stop-by": "end"}}
            name = context.utility("imported", {"kind": root, **stands})
            asked = joined(asked, {"inside": {"matches": name, "stop-by": "end"}})
    return asked


def _variants(text: str, language: str) -> Iterator[str]:
    """Other code that the same pattern of semgrep finds."""
    known = forms(language)
    for expression, replacement in known.heads:
        changed = re.sub(expression, replacement, text, count=1)
        if changed != text and "async async" not in changed:
            yield changed
    if known.anonymous:
        yield from _functions(text, known.anonymous)
        if found := re.match(r"(?:async )?function\s+(?=[\w$]+\s*\()", text):
            yield text[found.end() :]
    if known.otherwise and re.match(r"if\b", text) and not re.search(r"\belse\b|\belif\b", text):
        yield text.rstrip(";") + known.otherwise
    if known.final and re.match(r"try\b", text) and "finally" not in text:
        yield text + known.final
    if language == "python" and (found := re.match(r"((?:@.*\n)*class [\w$]+)\s*\(\$\$\$\)\s*:", text)):
        yield f"{found[1]}:{text[found.end() :]}"


_FUNCTION = re.compile(r"(?:async\s+)?(?:function\s*\((?P<a>[^()]*)\)\s*|\((?P<b>[^()]*)\)\s*=>\s*)(?=\{)")


def _functions(text: str, shapes: tuple[str, ...]) -> Iterator[str]:
    """*text* with its first function without a name in every other form."""
    found = _FUNCTION.search(text)
    if found is None:
        return
    end = pairs.closing(text, found.end())
    if end < 0:
        return
    parameters = found["a"] if found["a"] is not None else found["b"]
    body = text[found.end() : end + 1]
    for shape in shapes:
        made = shape.replace("{}", parameters, 1) if "{}" in shape else shape
        changed = text[: found.start()] + made.replace("{}", body, 1) + text[end + 1 :]
        if changed != text:
            yield changed


_ASSIGNED = re.compile(
    r"(?P<left>\$?[A-Za-z_]\w*)\s*(?P<sign>=|:=)(?![=>~])\s*(?P<right>\S.*?);?$", re.DOTALL
)


def _declared(text: str, language: str) -> Iterator[tuple[str, str | None]]:
    """Declarations that the assignment *text* stands for."""
    known = forms(language)
    bare = re.sub(r"^var\s+", "", text) if language in {"javascript", "typescript", "tsx"} else text
    found = _ASSIGNED.fullmatch(bare)
    if found is None or not known.declared or found["sign"] == ":=":
        return
    if pairs.top_level(found["right"], ";"):
        return
    assigned = f"{found['left']} = {found['right']}"
    for shape, selector in known.declared:
        if shape == "{:=}":
            yield f"{found['left']} := {found['right']}", selector
        else:
            yield shape.replace("{}", assigned, 1), selector


# --- reading ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    kinds: frozenset[str] | None


def _read(text: str, context: Context, *, first: bool) -> _Read | None:
    """*text* as the ladder reads it, or a spelling of it that it accepts; None if it is no code.  *first*:
    it has to be, in some language of the rule, and the others are left out of it."""
    for spelling in dict.fromkeys((text, text.replace("$_", "$$$"), text.rstrip(";"))):
        accepted = {
            language: kinds for language in context.languages if (kinds := kinds_of(spelling, language)) != ()
        }
        if not accepted:
            continue
        missing = [language for language in context.languages if language not in accepted]
        if missing and not first:
            return None
        for language in missing:
            if language != "typescript" or "tsx" not in accepted:  # elements are only in the latter
                context.refused[language] = f"`{_short(text)}` is no code in {language}"
            context.languages.remove(language)
        kinds = next(iter(accepted.values()))
        return _Read(spelling, None if kinds is None else frozenset(kinds))
    if not first:
        return None
    raise UntranslatableError(
        f"`{_short(text)}` is no code in {context.language}, so the pattern cannot be read"
    )


@lru_cache(maxsize=4096)
def kinds_of(text: str, language: str) -> tuple[str, ...] | None:
    """The kinds with which a match of the pattern begins; None for any, empty if it is no code."""
    try:
        reading = compile_pattern(text, language).first
    except (StructuralError, RecursionError):
        return ()
    kinds = reading.info().kinds
    if kinds == ("any node",):
        return None
    if re.match(r"(for|while|switch|catch)\b", text) and any("method" in kind for kind in kinds):
        return ()  # `for ($$$) { }` is also the head of a method
    return kinds


_LABELS = re.compile(r'(?m)^[ \t]*\$?\w+(?:[ \t]+(?:"[^"\n]*"|\$\w+))+[ \t]*\{')
"""The head of a block of HCL, in which a label is one node."""


def _is_expression(text: str, language: str) -> bool:
    """Whether the statement is an expression: semgrep then also finds it where it is a part of another."""
    kinds = kinds_of(text, language)
    return bool(kinds) and all("expression_statement" in kind for kind in kinds or ())


def _check(parts: object, language: str) -> None:
    """UntranslatableError if a pattern in *parts* that names its rung is no code."""
    if isinstance(parts, list):
        for one in parts:
            _check(one, language)
    elif isinstance(parts, dict):
        if "code" in parts and "as" in parts:
            try:
                compile_pattern(parts["code"], language, rung=parts["as"])
            except StructuralError:
                raise UntranslatableError(f"`{_short(parts['code'])}` is no code in {language}") from None
        for one in parts.values():
            _check(one, language)


def has_language(name: str) -> bool:
    """Whether the grammar of a language can be loaded here."""
    try:
        compile_pattern("$X", registry.resolve(name))
    except StructuralError:
        return False
    return True


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else line[:69] + "…"


# --- texts --------------------------------------------------------------------------------------


def _whole_deep(text: str) -> str:
    """What stands in ``<... …  ...>`` if that is all of *text*."""
    if text.startswith("<...") and text.endswith("...>") and text.count("<...") == 1:
        return text[4:-4].strip()
    return ""


def _lone_chains(translated: Translated) -> None:
    """``$X. ... .f()``: the metavariable is what the chain begins with, and here all that stands before
    the last link."""
    for name, inside in list(translated.deep.items()):
        if name.startswith("CHAIN") and re.fullmatch(r"\$[A-Z_][A-Z0-9_]*", inside):
            translated.text = translated.text.replace(f"${name}", inside)
            del translated.deep[name]


_HEAD = re.compile(r"(?:\)|\b(?:else|try|do|finally)|=>|[\w$>]\s*)\s*$")


def _body(text: str, language: str) -> tuple[str, str] | None:
    """Head with an empty body, and the statements of the body, if these stand among ``...``."""
    if language == "python":
        return _indented(text)
    if language in {"hcl", "yaml", "json", "dockerfile", "css", "html", "xml", "bash", "ruby", "elixir"}:
        return None
    if not text.endswith("}"):
        return None
    opening = pairs.opening(text, len(text) - 1)
    if opening <= 0 or not re.search(r"\)\s*$|\w\s*$", text[:opening]) or "=" in text[:opening].split("(")[0]:
        return None
    if not re.match(r"[\w@$\s<>,.\[\]*]+(\(|\{|\s)", text[:opening] + "{"):
        return None
    inside = textwrap.dedent(text[opening + 1 : -1].strip("\n")).strip()
    if not _among(inside) or pairs.looks_like_pairs(inside):
        return None
    return f"{text[:opening]}{{ ... }}", inside


def _among(inside: str) -> bool:
    """Whether statements stand among ``...`` there, and are not all there is."""
    lines = [line.strip() for line in inside.splitlines() if line.strip()]
    begins = bool(re.match(r"\.\.\.;?\s*(?:\n|$)", inside))
    return begins and len([line for line in lines if line not in {"...", "...;"}]) > 0


def _indented(text: str) -> tuple[str, str] | None:
    lines = text.splitlines()
    at = next((at for at, line in enumerate(lines) if not line.startswith("@")), len(lines))
    if at >= len(lines) - 1 or not lines[at].rstrip().endswith(":"):
        return None
    body = lines[at + 1 :]
    if not all(line.startswith((" ", "\t")) or not line.strip() for line in body):
        return None
    inside = textwrap.dedent("\n".join(body)).strip()
    if not _among(inside):
        return None
    return "\n".join([*lines[: at + 1], "    ..."]), inside
