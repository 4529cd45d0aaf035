"""A small tree, and a caller that holds every answer against its schema and its budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from structural.agent import Toolbox
from structural.agent.catalogue import TOOLS

Answer = dict[str, Any]

SCHEMAS = {tool.name: jsonschema.Draft202012Validator(tool.gives) for tool in TOOLS}

FILES = {
    "src/app.js": "if (dialog != null) dialog.dispose();\nif (menu != null) {\n  menu.dispose(); // bye\n}\n",
    "src/other.js": "if (a != null) b.dispose();\n",
    "src/tool.py": "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\nprint(add(3, 4))\n",
    "docs/page.md": "# Page\n\nplain words\n",
    ".gitignore": "build/\n",
    "build/out.js": "if (x != null) x.dispose();\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree under version control, with an ignored folder."""
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("[core]\n")
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return folder


@pytest.fixture
def box(root: Path) -> Toolbox:
    return Toolbox(str(root), jobs=1)


def checked(box: Toolbox, tool: str, **arguments: Any) -> Answer:
    """The answer of a call, after what must hold of every answer."""
    answer = box.call(tool, arguments)
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    assert len(text) <= arguments.get("budget", 8_000), f"{len(text)} characters"
    if tool in SCHEMAS:
        SCHEMAS[tool].validate(answer)
    if not answer["ok"]:
        assert answer["error"]["code"] != "internal", answer
    for step in answer.get("next", ()):
        validator = jsonschema.Draft202012Validator(box.tools[step["tool"]].takes)
        if "repeat the other arguments" not in step["why"]:
            validator.validate(step["arguments"])
    return answer


@pytest.fixture
def ask(box: Toolbox) -> Callable[..., Answer]:
    """Call a tool of the small tree."""

    def call(tool: str, **arguments: Any) -> Answer:
        return checked(box, tool, **arguments)

    return call


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below *root* but those of the store."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".structural" not in path.parts
    }
