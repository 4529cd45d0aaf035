"""Files that the bench makes itself: one tiny file, long lines, trees whose rewrites are staged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SITES = 20
"""Of one file of a tree that is rewritten."""

FILES = 2_000
"""Of such a tree."""


@dataclass(frozen=True)
class Rewritten:
    """A rewrite and the text of file number n of its tree."""

    name: str
    language: str
    pattern: str
    rewrite: str
    suffix: str
    text: Callable[[int], str]
    share: float = 1.0
    """Of the files asked for, how many it is measured with."""

    def write(self, folder: Path, files: int = FILES) -> int:
        """Write the tree; the number of places that will be rewritten."""
        number = max(1, int(files * self.share))
        for n in range(number):
            path = folder / f"d{n % 50}" / f"m{n}{self.suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text(n))
        return number * SITES


def _python(n: int) -> str:
    return "import os\n" + "".join(
        f"\n\ndef f{k}(a, b):\n    # comment {k}\n    x = [i for i in range({n})]\n"
        f"    old_call(a, b + {k})\n    if a:\n        return {{'k': x, 'v': b}}\n    return a\n"
        for k in range(SITES)
    )


def _javascript(n: int) -> str:
    methods = "".join(
        f"  close{k}(a, b) {{\n    // closes part {k} of {n}\n"
        f"    const list = a.items.filter(i => i.id > {k}).map(i => i.value);\n"
        f"    if (this.part{k} != null) this.part{k}.dispose();\n"
        f"    if (list.length) {{\n      return {{ key: list[0], value: b + {k} }};\n    }}\n"
        "    return a;\n  }\n"
        for k in range(SITES)
    )
    return f"import {{ Thing }} from './thing';\n\nexport class C{n} {{\n{methods}}}\n"


def _mended(n: int) -> str:
    return _javascript(n).replace("b + ", "b * wrap(a + b) + ")


REWRITTEN = (
    Rewritten("python calls", "python", "old_call($A, $B)", "new_call($B, $A)", ".py", _python),
    Rewritten(
        "javascript dispose",
        "javascript",
        "if ($X != null) $X.dispose()",
        "$X?.dispose()",
        ".js",
        _javascript,
    ),
    # Every site needs parentheses: the whole file is done thoroughly, and each site mended.
    Rewritten("javascript mended", "javascript", "wrap($X)", "$X", ".js", _mended, share=0.05),
)
