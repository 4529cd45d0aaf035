"""A work for the tests of the cluster: it tells the text of each file, and dies over some."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Telling:
    """*how* is put before the text of each file."""

    files: tuple[str, ...]
    languages: tuple[Any, ...] = ()

    def prepare(self) -> None:
        pass

    def do(self, at: int, how: str) -> str:
        text = Path(self.files[at]).read_text(encoding="utf-8") if os.path.exists(self.files[at]) else "gone"
        if text.startswith("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("slow"):
            time.sleep(30)
        return how + text

    def lost(self, at: int, how: str, why: str) -> str:
        return f"{how}lost"

    def pack(self, answers: list[str]) -> Any:
        return answers

    def unpack(self, files: Iterable[int], packed: Any) -> list[str]:
        return list(packed)

    def path(self, at: int) -> str:
        return self.files[at]

    def part(self, files: Sequence[int], folder: str) -> Telling:
        return Telling(tuple(os.path.join(folder, self.files[at]) for at in files))

    def unseen(self, at: int, how: str, why: str) -> str:
        return f"unseen: {why}"
