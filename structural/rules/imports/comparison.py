"""``metavariable-comparison`` as conditions of single metavariables.

``$X < 2048`` becomes a regular expression of the whole numbers below 2048, as decimal numbers are
written; ``re.match(…, $X)``, equality and ``and``, ``or``, ``not`` are carried over too. Everything else
is refused.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from structural.rules.imports.ellipses import UntranslatableError

Mapping = dict[str, Any]


def constraints(text: str) -> dict[str, Mapping]:
    """Metavariable → condition, which all hold.  UntranslatableError if it cannot be said so."""
    names: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        name = f"_M_{found[2]}"
        names[name] = found[2]
        return name

    code = re.sub(r"\$(\.\.\.)?([A-Z_][A-Z0-9_]*)", plain, text)
    try:
        tree = ast.parse(code.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UntranslatableError(f"the comparison `{_short(text)}` cannot be read") from None
    made: dict[str, Mapping] = {}
    for part in _conjuncts(tree):
        name, condition = _condition(part, names, text)
        if name in made:
            made[name] = {"all": [made[name], condition]}
        else:
            made[name] = condition
    return made


def _conjuncts(tree: ast.expr) -> list[ast.expr]:
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [part for value in tree.values for part in _conjuncts(value)]
    return [tree]


def _condition(tree: ast.expr, names: dict[str, str], text: str) -> tuple[str, Mapping]:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        name, condition = _condition(tree.operand, names, text)
        return name, {"not": condition}
    if isinstance(tree, ast.BoolOp):
        parts = [_condition(value, names, text) for value in tree.values]
        if len({name for name, _ in parts}) == 1:
            return parts[0][0], {"any" if isinstance(tree.op, ast.Or) else "all": [one for _, one in parts]}
    if isinstance(tree, ast.Call):
        return _match(tree, names, text)
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        return _compared(tree.left, tree.ops[0], tree.comparators[0], names, text)
    raise _refusal(text)


def _match(call: ast.Call, names: dict[str, str], text: str) -> tuple[str, Mapping]:
    function = call.func
    if (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in {"match", "search"}
        and len(call.args) == 2
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    ):
        name = _metavariable(call.args[1], names)
        if name:
            regex = call.args[0].value
            return name, {"regex": anchored(regex) if function.attr == "match" else regex}
    raise _refusal(text)


_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def _compared(
    left: ast.expr, sign: ast.cmpop, right: ast.expr, names: dict[str, str], text: str
) -> tuple[str, Mapping]:
    first, second = _metavariable(left, names), _metavariable(right, names)
    kind = type(sign)
    if first and second:
        if kind is ast.Eq:
            return first, {"same-as": second}
        if kind is ast.NotEq:
            return first, {"not": {"same-as": second}}
        raise _refusal(text)
    if second:
        return _compared(right, _MIRRORED.get(kind, kind)(), left, names, text)
    if not first:
        raise _refusal(text)
    if kind in {ast.In, ast.NotIn} and isinstance(right, ast.List | ast.Tuple | ast.Set):
        found = {"regex": f"^(?:{'|'.join(_value(item, text) for item in right.elts)})$"}
        return first, found if kind is ast.In else {"not": found}
    number = _number(right)
    if number is None:
        if kind in {ast.Eq, ast.NotEq}:
            found = {"regex": f"^{_value(right, text)}$"}
            return first, found if kind is ast.Eq else {"not": found}
        raise _refusal(text)
    return first, {
        "regex": number_expression(_SIGNS[kind], number, _bases(text))
    } if kind in _SIGNS else _refuse(text)


def _bases(text: str) -> tuple[int, ...]:
    """The bases in which numbers are looked for: all where the comparison itself uses another than ten."""
    return (10, 8, 16) if re.search(r"\b0[xXoO]", text) else (10,)


_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _refuse(text: str) -> Mapping:
    raise _refusal(text)


def _refusal(text: str) -> UntranslatableError:
    return UntranslatableError(f"the comparison `{_short(text)}` has no counterpart")


def _metavariable(tree: ast.expr, names: dict[str, str]) -> str:
    """The metavariable that *tree* is, also as ``int($X)`` or ``str($X)``; empty if it is none."""
    if (
        isinstance(tree, ast.Call)
        and isinstance(tree.func, ast.Name)
        and tree.func.id in {"int", "str", "float"}
    ):
        return _metavariable(tree.args[0], names) if len(tree.args) == 1 else ""
    return names.get(tree.id, "") if isinstance(tree, ast.Name) else ""


def _number(tree: ast.expr) -> int | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        inner = _number(tree.operand)
        return None if inner is None else -inner
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int) and not isinstance(tree.value, bool):
        return tree.value if abs(tree.value) < 10**30 else None
    return None


def _value(tree: ast.expr, text: str) -> str:
    """An expression of the texts that a constant may be written as."""
    if isinstance(tree, ast.Constant):
        if isinstance(tree.value, bool):
            return "[Tt]rue" if tree.value else "[Ff]alse"
        if isinstance(tree.value, str):
            return rf"""["'`]?{re.escape(tree.value)}["'`]?"""
        if isinstance(tree.value, int):
            return str(tree.value)
        if tree.value is None:
            return "(?:None|null|nil)"
    raise _refusal(text)


def anchored(regex: str) -> str:
    """*regex* held to the start of the text, as semgrep does."""
    flags = re.match(r"\(\?[aimsux]+\)", regex)
    lead = flags[0] if flags else ""
    rest = regex[len(lead) :]
    if rest.startswith(("^", r"\A")):
        return f"{lead}^(?:{rest})" if _parted(rest) else regex
    return f"{lead}^(?:{rest})" if _parted(rest) else f"{lead}^{rest}"


def _parted(regex: str) -> bool:
    """Whether the expression is several, with `|` between them outside of groups."""
    depth = 0
    for found in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", regex, re.DOTALL):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "|" and not depth:
            return True
    return False


# --- numbers ------------------------------------------------------------------------------------

_PREFIX = {10: "", 8: "0[oO]?", 16: "0[xX]"}


def number_expression(sign: str, number: int, bases: tuple[int, ...] = (10,)) -> str:
    """An expression of the whole numbers that are *sign* (``<``, ``>=``, …) than *number*, as they are
    written in *bases*."""
    if sign == "!=":
        same = "|".join(
            f"-?{one}" if not number else one for base in bases for one in [_written(number, base)]
        )
        return rf"^(?!(?:{same})$)-?(?:{'|'.join(_PREFIX[base] + _digit(base) + '+' for base in bases)})$"
    parts = [part for base in bases for part in _parts(sign, number, base)]
    return f"^(?:{'|'.join(parts)})$" if parts else "^(?!)"


def _parts(sign: str, number: int, base: int) -> list[str]:
    if sign == "==":
        return [_written(number, base)]
    if sign in {"<=", ">"}:
        return _parts("<" if sign == "<=" else ">=", number + 1, base)
    prefix, many = _PREFIX[base], f"{_digit(base)}+"
    if sign == "<":
        if number > 0:
            return [f"-{prefix}{many}", *(prefix + one for one in _below(number, base))]
        return [f"-{prefix}{one}" for one in _at_least(-number + 1, base)]
    if number > 0:
        return [prefix + one for one in _at_least(number, base)]
    return [prefix + many, *(f"-{prefix}{one}" for one in _below(-number + 1, base))]


def _written(number: int, base: int) -> str:
    return f"{'-' if number < 0 else ''}{_PREFIX[base]}{_literal(_digits(abs(number), base))}"


def _digits(number: int, base: int) -> str:
    return f"{number:{ {8: 'o', 10: 'd', 16: 'x'}[base] }}"


def _literal(digits: str) -> str:
    """An expression of the digits in either case."""
    return re.sub("[a-f]", lambda found: f"[{found[0]}{found[0].upper()}]", digits)


def _digit(base: int) -> str:
    return {8: "[0-7]", 10: r"\d", 16: "[0-9a-fA-F]"}[base]


def _below(number: int, base: int) -> list[str]:
    """Expressions of the numbers from 0 that are below *number*."""
    digits, any_digit = _digits(number, base), _digit(base)
    found: list[str] = []
    if len(digits) == 2:
        found.append(any_digit)
    elif len(digits) > 2:
        found.append(f"{any_digit}{{1,{len(digits) - 1}}}")
    for at, digit in enumerate(digits):
        low = 1 if at == 0 and len(digits) > 1 else 0
        if int(digit, 16) > low:
            found.append(
                _literal(digits[:at]) + _one(low, int(digit, 16) - 1, base) + _any(len(digits) - at - 1, base)
            )
    return found


def _at_least(number: int, base: int) -> list[str]:
    """Expressions of the numbers that are *number*, above 0, or more."""
    digits = _digits(number, base)
    found = [_literal(digits)]
    for at in range(len(digits) - 1, -1, -1):
        digit = int(digits[at], 16)
        if digit < base - 1:
            found.append(
                _literal(digits[:at]) + _one(digit + 1, base - 1, base) + _any(len(digits) - at - 1, base)
            )
    found.append(f"{_digit(base)}{{{len(digits) + 1},}}")
    return found


def _one(low: int, high: int, base: int) -> str:
    """One digit from *low* to *high*."""
    if (low, high) == (0, base - 1):
        return _digit(base)
    parts = f"{low}" if low == high <= 9 else f"{low}-{min(high, 9)}" if low <= 9 else ""
    if high > 9:
        first = chr(87 + max(low, 10))
        parts += "".join(f"{a}-{chr(ord(a) + high - max(low, 10))}" for a in (first, first.upper()))
    return parts if len(parts) == 1 else f"[{parts}]"


def _any(many: int, base: int) -> str:
    return "" if not many else _digit(base) if many == 1 else f"{_digit(base)}{{{many}}}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
