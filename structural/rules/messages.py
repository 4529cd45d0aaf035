"""The message of a finding: metavariables become the code that they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from structural.errors import StructuralError, UnsearchableError
from structural.rewrite import transform
from structural.rules.values import Finding, Rule

LONGEST = 120
"""Characters of a binding that a message shows."""

_NAMED = re.compile(r"(?P<escape>\\\$)|\$(?:\$\$)?(?P<name>[A-Z_][A-Z0-9_]*)")


def message(rule: Rule, finding: Finding, source: bytes) -> str:
    r"""The message of *rule* for *finding*; the rule's id if it has none.

    ``$A`` and ``$$$A`` are the bound code on one line, cut; nothing if the name is not bound here.  A name
    that the rule does not know stays as it is, and ``\$`` is a dollar sign."""
    texts = bound_texts(rule, finding, source)

    def written(found: re.Match[str]) -> str:
        if found["escape"]:
            return "$"
        text = texts.get(found["name"])
        return found[0] if text is None else _shown(text)

    return _NAMED.sub(written, rule.message or rule.id)


def bound_texts(rule: Rule, finding: Finding, source: bytes) -> dict[str, str]:
    """Metavariable → what it stands for in *finding*, transformations of the rule included.

    A name that the rule binds elsewhere, in another alternative, stands for nothing; one whose transformation
    takes too long is not told."""
    texts = dict.fromkeys(_names(rule), "")
    for binding in finding.match.bindings:
        texts[binding.name] = binding.span.text(source)
    for one in rule.transforms:
        if not one.text:
            continue
        for transformation in _transformations(one.text, tuple(texts)):
            if transformation.how != "rewrite":
                try:
                    texts[transformation.name] = transformation.function(texts[transformation.source])
                except UnsearchableError:
                    continue
    return texts


@lru_cache(maxsize=1_000)
def _transformations(text: str, names: tuple[str, ...]) -> tuple[transform.Transformation, ...]:
    """What *text* says, the same for all findings: what took too long once is not tried again."""
    try:
        return tuple(transform.read([text], list(names)))
    except StructuralError:
        return ()


_KNOWN: dict[int, tuple[Rule, Mapping[str, bool]]] = {}
"""What rules bind, by the identity of each: thousands of findings ask for it."""

_MOST_KNOWN = 20_000


def _names(rule: Rule) -> Mapping[str, bool]:
    from structural.rules.expand import bound_names, expand

    known = _KNOWN.get(id(rule))
    if known is not None and known[0] is rule:
        return known[1]
    names = bound_names(expand(rule.condition, rule.utilities, lambda at, message, hint: None))
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN[id(rule)] = rule, names
    return names


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
