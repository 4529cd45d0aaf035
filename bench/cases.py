"""What is measured: cases as data.

A case is one pattern over one tree, for the tools that can be asked it.  Paths are
below the corpus.  semgrep writes ``...`` where the others write ``$$$A``, so a case
may spell its pattern for each tool.  Nothing here runs anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ASTGREP, AST_GREP, SEMGREP = "astgrep", "ast-grep", "semgrep"
TOOLS = (ASTGREP, AST_GREP, SEMGREP)


@dataclass(frozen=True)
class Case:
    """One pattern over one tree.  ``rounds`` 0 means as many as the run asks for."""

    group: str
    name: str
    language: str
    pattern: str
    paths: tuple[str, ...]
    tools: tuple[str, ...] = TOOLS
    spelled: dict[str, str] = field(default_factory=dict)
    """Tool → the pattern as that tool writes it, where it differs."""
    rounds: int = 0

    def pattern_for(self, tool: str) -> str:
        return self.spelled.get(tool, self.pattern)

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}"


NATIVE = (ASTGREP, AST_GREP)
SYMPY = ("python/sympy",)
LINUX = ("c/linux",)
LINUX_NET = ("c/linux/drivers/net",)

SMALL = (
    Case("small", "c sizeof", "c", "sizeof(*$X)", ("c/lua", "c/redis")),
    Case("small", "csharp ??", "csharp", "$A ?? $B", ("csharp",)),
    Case("small", "go close", "go", "$X.Close()", ("go",)),
    Case("small", "java new", "java", "new $T($$$A)", ("java",), spelled={SEMGREP: "new $T(...)"}),
    Case("small", "javascript require", "javascript", "const $A = require($B)", ("javascript", "jsx")),
    Case("small", "kotlin !!", "kotlin", "$X!!", ("kotlin",)),
    Case("small", "php assertSame", "php", "$this->assertSame($A, $B)", ("php",)),
    Case("small", "python isinstance", "python", "isinstance($X, ($A, $B))", ("python/django",)),
    Case("small", "ruby each", "ruby", "$X.map { |$V| $B }", ("ruby",)),
    Case("small", "rust unwrap", "rust", "$X.unwrap()", ("rust",)),
    Case(
        "small",
        "typescript subscribe",
        "typescript",
        "$X.subscribe($$$A)",
        ("typescript",),
        spelled={SEMGREP: "$X.subscribe(...)"},
    ),
)
"""The small corpus: one pattern a language, each over the trees of that language."""

SYMPY_CASES = (
    Case("sympy", "assert $X", "python", "assert $X", SYMPY),
    Case("sympy", "subs simplify", "python", "$X.subs($A, $B).simplify()", SYMPY),
    Case("sympy", "raise NotImplementedError", "python", "raise NotImplementedError($X)", SYMPY),
    Case("sympy", "$A == $A", "python", "$A == $A", SYMPY),
    Case("sympy", "$F($X, $X)", "python", "$F($X, $X)", SYMPY),
)

LINUX_CASES = (
    Case("linux", "kmalloc atomic", "c", "kmalloc($A, GFP_ATOMIC)", LINUX, NATIVE, rounds=3),
    Case("linux", "mutex_lock", "c", "mutex_lock(&$X->lock)", LINUX, NATIVE, rounds=3),
    Case("linux", "BUG_ON", "c", "BUG_ON(!$X)", LINUX, NATIVE, rounds=3),
    Case("linux", "$A == $A in drivers/net", "c", "$A == $A", LINUX_NET, NATIVE, rounds=3),
)
"""The large tree: three selective patterns over all of it, one dense pattern over a part."""

CORPUS_CASES = (*SMALL, *SYMPY_CASES, *LINUX_CASES)

LONG_LINE = (12_500, 25_000, 50_000)
"""Matches on one line, seven bytes each: 350 KB at the most."""

LONG_LINE_PEER_JSON = (625, 1_250, 2_500)
"""The same for a tool whose JSON carries the whole line with every match."""
