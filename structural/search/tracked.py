"""Files that git tracks although its ignore rules name them.

Such a file is part of the project (git goes on recording it), so a search must not
leave it out.  Only git can tell; where it is not installed, or refuses the work
tree, there are none.  ``begin`` starts git and returns at once, ``paths`` waits.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A running git over one folder of a work tree."""

    folder: str
    process: subprocess.Popen[bytes] | None

    def paths(self) -> list[str]:
        """Tracked but ignored files below the folder, relative to it."""
        if self.process is None:
            return []
        output, _ = self.process.communicate()
        if self.process.returncode:
            return []
        return [os.fsdecode(name) for name in output.split(b"\0") if name]


def begin(folder: str) -> Question:
    """Ask git about *folder*, a folder inside a work tree."""
    command = ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", "-c", "-i", "--exclude-standard"]
    # In a hook these name another tree or index than the one that lies here.
    hidden = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        process = subprocess.Popen(
            command,
            cwd=folder or ".",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return Question(folder, None)
    return Question(folder, process)
