"""A folder in memory, where a sync costs nothing, for tests that make thousands of commits."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on a file system in memory, if there is one."""
    shm = Path("/dev/shm")
    if not shm.is_dir():
        yield tmp_path_factory.mktemp("memory")
        return
    folder = Path(tempfile.mkdtemp(prefix="structural-", dir=shm))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def memory(in_memory: Path) -> Iterator[Path]:
    """A new folder in memory for one test."""
    folder = Path(tempfile.mkdtemp(dir=in_memory))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
