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
    return first, {"regex": number_expression(_SIGNS[kind], number)} if kind in _SIGNS else _refuse(text)


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


def number_expression(sign: str, number: int) -> str:
    """An expression of the whole decimal numbers that are *sign* (``<``, ``>=``, …) than *number*."""
    if sign == "==":
        return f"^{_decimal(number)}$"
    if sign == "!=":
        return rf"^(?!{_decimal(number)}$)-?\d+$"
    if sign in {"<=", ">"}:
        return number_expression("<" if sign == "<=" else ">=", number + 1)
    if sign == "<":
        parts = [r"-\d+"] if number > 0 else []
        parts += _below(number) if number > 0 else [rf"-{one}" for one in _at_least(-number + 1)]
    else:
        parts = _at_least(number) if number > 0 else [r"\d+", *(rf"-{one}" for one in _below(-number + 1))]
    return f"^(?:{'|'.join(parts)})$" if parts else "^(?!)"


def _decimal(number: int) -> str:
    return str(number)


def _below(number: int) -> list[str]:
    """Expressions of the numbers from 0 that are below *number*."""
    digits = str(number)
    found: list[str] = []
    if len(digits) == 2:
        found.append(r"\d")
    elif len(digits) > 2:
        found.append(rf"\d{{1,{len(digits) - 1}}}")
    for at, digit in enumerate(digits):
        low = 1 if at == 0 and len(digits) > 1 else 0
        if int(digit) > low:
            found.append(digits[:at] + _one(low, int(digit) - 1) + _any(len(digits) - at - 1))
    return found


def _at_least(number: int) -> list[str]:
    """Expressions of the numbers that are *number*, above 0, or more."""
    digits = str(number)
    found = [digits]
    for at in range(len(digits) - 1, -1, -1):
        digit = int(digits[at])
        if digit < 9:
            found.append(digits[:at] + _one(digit + 1, 9) + _any(len(digits) - at - 1))
    found.append(rf"\d{{{len(digits) + 1},}}")
    return found


def _one(low: int, high: int) -> str:
    return str(low) if low == high else r"\d" if (low, high) == (0, 9) else f"[{low}-{high}]"


def _any(many: int) -> str:
    return "" if not many else r"\d" if many == 1 else rf"\d{{{many}}}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
