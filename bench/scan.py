"""Many rules at once over one tree: the case ``rules`` of the suite, by the command it had before.

``python bench/scan.py TREE --language python --out bench/runs/NAME`` is
``python -m bench run --cases rules --tree TREE --language python --tools astgrep,ast-grep --out …``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the case; the options are those of ``python -m bench run``."""
    if ROOT not in sys.path:
        sys.path.insert(0, ROOT)
    from bench.cli import main as bench

    given = list(sys.argv[1:] if arguments is None else arguments)
    flags = ["--tree" if not one.startswith("-") and number == 0 else "" for number, one in enumerate(given)]
    asked = [part for flag, one in zip(flags, given, strict=True) for part in (flag, one) if part]
    tools = [] if "--tools" in given else ["--tools", "astgrep,ast-grep"]
    bench(["run", "--cases", "rules", *tools, *asked])


if __name__ == "__main__":
    main()
