"""What is searched for: patterns of every language, as data.

semgrep writes ``...`` where the others write ``$$$A``; a tool spells that itself.  Where a pattern has to be
another one for some tool, ``SPELLED`` says so.  Nothing here runs anything.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patterns:
    """The patterns of one language."""

    selective: tuple[str, ...]
    """Few matches, in files that hold a text of the pattern."""
    common: tuple[str, ...] = ()
    """Many matches: what is measured is making and printing them."""
    dense: tuple[str, ...] = ("$F($X, $X)", "$A == $A")
    """Nothing to filter with: every file is parsed."""
    ten: tuple[str, ...] = ()
    """As people and agents ask them, ten of them; the first of them where a run asks for fewer."""


_SCRIPT_TEN = (
    "throw new Error($X)",
    "$X.forEach($F)",
    "JSON.parse($X)",
    "Object.assign({}, $X)",
    "typeof $X === 'undefined'",
    "$A === $A",
    "new Promise($F)",
    "$X.indexOf($Y) === -1",
    "return await $X",
    "console.log($X)",
)

PATTERNS = {
    "bash": Patterns(("export $A=$B",), dense=()),
    "c": Patterns(
        ("kmalloc($A, GFP_ATOMIC)", "mutex_lock(&$X->lock)", "BUG_ON(!$X)", "sizeof(*$X)"),
        ("return $X;",),
        ten=(
            "kmalloc($A, GFP_ATOMIC)",
            "BUG_ON(!$X)",
            "mutex_lock(&$X->lock)",
            "memset($X, 0, sizeof($Y))",
            "strcpy($A, $B)",
            "free($X)",
            "sizeof(*$X)",
            "$A = $B ? $C : $D;",
            "while (1) { $$$B }",
            "$A == $A",
        ),
    ),
    "cpp": Patterns(("std::move($X)", "static_cast<$T>($X)"), ("return $X;",)),
    "csharp": Patterns(("$A ?? $B",), ("new $T($$$A)",)),
    "dart": Patterns(("setState(() { $$$B })",)),
    "go": Patterns(
        ("$X.Close()", "fmt.Errorf($$$A)"),
        ("return $X",),
        ten=(
            "$X.Close()",
            "fmt.Errorf($$$A)",
            "defer $X.Unlock()",
            "errors.New($X)",
            "append($X, $Y)",
            "make(map[$K]$V)",
            "$A == $A",
            "len($X) == 0",
            "go func() { $$$B }()",
            "panic($X)",
        ),
    ),
    "java": Patterns(
        ("throw new IllegalArgumentException($X)", "$X.size() == 0"),
        ("new $T($$$A)",),
        ten=(
            "throw new IllegalArgumentException($X)",
            "$X.size() == 0",
            "checkNotNull($X)",
            "System.out.println($X)",
            "synchronized ($X) { $$$B }",
            "$X.equals($Y)",
            "$X instanceof $T",
            "Thread.sleep($X)",
            "new ArrayList<>()",
            "$A == $A",
        ),
    ),
    "javascript": Patterns(
        ("throw new Error($X)", "$X.indexOf($Y) === -1"),
        ("const $A = require($B)",),
        ("$F($X, $X)", "$A === $A"),
        _SCRIPT_TEN,
    ),
    "kotlin": Patterns(("$X!!",)),
    "lua": Patterns(("pcall($$$A)",), dense=("$F($X, $X)",)),
    "php": Patterns(("$this->assertSame($A, $B)",), dense=()),
    "python": Patterns(
        ("raise NotImplementedError($X)", "$X.subs($A, $B).simplify()"),
        ("assert $X",),
        ten=(
            "raise ValueError($X)",
            "isinstance($X, ($A, $B))",
            "$X.get($K, None)",
            "len($X) == 0",
            "import json",
            "return super().$M($X)",
            "lambda $X: $X",
            "os.path.join($A, $B)",
            "self.assertEqual($A, $A)",
            "$A == $A",
        ),
    ),
    "ruby": Patterns(("$X.map { |$V| $B }",)),
    "rust": Patterns(("$X.unwrap()", "Err($X)?"), ("Some($X)",)),
    "scala": Patterns(("$X.isEmpty",)),
    "swift": Patterns(("fatalError($X)",)),
    "tsx": Patterns(("useState($X)",), ("const $A = $B",), ("$F($X, $X)", "$A === $A"), _SCRIPT_TEN),
    "typescript": Patterns(
        ("throw new Error($X)", "$X.subscribe($$$A)", "$X.indexOf($Y) === -1"),
        ("const $A = $B",),
        ("$F($X, $X)", "$A === $A"),
        _SCRIPT_TEN,
    ),
}

SPELLED: dict[tuple[str, str], str] = {}
"""(Tool, pattern) → the pattern as that tool writes it, where its own spelling is not enough."""

TINY = ("python", "assert $X", "def f(x):\n    assert x\n    return g(x)\n")
"""Language, pattern and text of one file of three lines."""

LINE = ("javascript", "f($X, $X)", "f(1,1);")
"""Language and pattern of many matches on one line, and the text of one."""

LONG_LINE = (12_500, 25_000, 50_000)
"""Matches on one line: 350 KB at the most."""

LONG_LINE_PEER_JSON = (625, 1_250, 2_500)
"""The same for a tool whose JSON carries the whole line with every match."""
