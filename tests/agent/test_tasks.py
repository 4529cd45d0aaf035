"""The ten tasks of ``python -m bench tasks`` by our tools, each on a tree of a few files.

The scripts and the checks are those of the benchmark; only the trees are small.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.tasking import TASKS
from bench.tasking.contest import Ours

PYTHON = "from m import expr\n\n\ndef f(x, y):\n    # a comment\n    return x.subs(y, 1){chain}  # keep\n"

JAVA = """package p;

public class {name} {{

    private final Object some;

    {name}(final Object some) {{
        Validate.notNull(some, "some" );
        this.some = some; // Validate.notNull(some)
    }}

    @Override
    public boolean equals(final Object other) {{
        return some == other;
    }}

    static String middle(final String text) {{
        final int length = text.length()-1;
        return text.substring(length);
    }}
}}
"""

FILES: dict[str, dict[str, str]] = {
    "Rename": {f"m/f{n}.py": PYTHON.format(chain=".subs(x, y)" * (n % 3)) for n in range(12)}
    | {"m/strings.py": 'x = "a.subs(b)"  # a.subs(b)\nsubs = 1\n'},
    "Guards": {f"rules/f{n}.js": "const a = 1;\n" for n in range(3)} | {"other.js": "f();\n"},
    "AddParameter": {f"m/f{n}.py": "y = sympify(x)\n" for n in range(3)},
    "StalePatch": {f"{n}.go": f"package {n}\n" for n in "abc"},
    "TwoAgents": {f"p/{n}.java": JAVA.format(name=n) for n in ("One", "Two", "Three")},
    "Formatter": {f"m/f{n}.py": "def f( a,b ):\n    return force_str( a )\n" for n in range(4)},
    "NotUnique": {f"{n}.go": f"package {n}\n" for n in "abc"},
    "Outlined": {f"p/{n}.java": JAVA.format(name=n) for n in ("One", "Two")},
    "ReadWrongly": {f"p/{n}.java": JAVA.format(name=n) for n in ("One", "Two")},
    "Pages": {f"m/f{n}.py": "isinstance(f(a), b)\nprint(f'{g(a)}')\n" * 40 for n in range(4)},
}

SETTINGS: dict[str, dict[str, Any]] = {
    "Outlined": {
        "file": "p/One.java",
        "name": "middle",
        "old": "final int length = text.length()-1;",
        "new": "final int length = text.length() - 1;",
    },
    "Pages": {"folders": ("m",), "budget": 2_000},
}


def task_of(name: str, root: Path) -> Any:
    """The task with its tree at *root*."""
    (found,) = (type(one) for one in TASKS if type(one).__name__ == name)
    made = found()
    for attribute, value in SETTINGS.get(name, {}).items():
        setattr(made, attribute, value)
    for path, content in FILES[name].items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    made.plant(root)
    return made


@pytest.mark.parametrize("name", FILES)
def test_a_task_is_done_without_loss(name: str, tmp_path: Path) -> None:
    task = task_of(name, tmp_path)
    agent = Ours(tmp_path, jobs=1)
    verdict = task.judge(tmp_path, task.ours(agent))
    assert verdict.right, (verdict, agent.tally.trace)
    assert verdict.layout == 0
    assert agent.tally.longest <= 8_000


@pytest.mark.parametrize("name", FILES)
def test_the_check_of_a_task_sees_that_nothing_was_done(name: str, tmp_path: Path) -> None:
    task = task_of(name, tmp_path)
    answer = Counter[object]() if name == "Pages" else None
    assert not task.judge(tmp_path, answer).right
