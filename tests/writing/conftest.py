"""A tree of a few files, and what a staged change makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.staging import open_store
from structural.workflow.trees import OpenTree


@pytest.fixture
def tree(tmp_path: Path) -> OpenTree:
    root = tmp_path / "tree"
    root.mkdir()
    return OpenTree(root, open_store(root))
