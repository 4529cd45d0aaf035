"""The journal: what a commit is about to do, and how far it has come.

One file, which is there exactly while a commit is under way.  Its first line is the plan,
written before anything else; every later line is a phase:

    preparing   only our own new files are being written, beside the targets
    prepared    they are on the disk; names may be exchanged from here on
    committed   all names are exchanged and on the disk: whatever is left is tidying up
    aborting    it is being taken back, whatever was said before

The last whole line counts.  Each line carries a digest of itself, so that a torn one is
told from a whole one, and begins with a line break, so that it cannot be glued to a torn
one before it.  A journal whose plan cannot be read is damaged, unless a crash can have left
it so before anything was done; ``mend`` deals with it.  Paths in a journal are checked like
any other: a journal may come with a copy of someone else's tree.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from structural.errors import JournalError, StoreError
from structural.staging.disk import Disk, new_file, replace_file, unlink_if_there
from structural.staging.paths import check_path
from structural.staging.sound import FORMAT, maybe_digest, whole
from structural.staging.values import Action
from structural.text import Digest, digest

_NAME = re.compile(r"[a-z0-9-]{4,40}")
_HEAD = re.compile(rb"\n?[0-9a-f]{0,16}( (.*))?", re.DOTALL)
_BEGIN = b'{"format":'


class Phase(StrEnum):
    """How far a commit has come."""

    PREPARING = "preparing"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTING = "aborting"


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one file."""

    number: int
    """Its place among the files of the change; the name of the old file in the store."""
    path: str
    action: Action
    before: Digest | None
    after: Digest | None
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a commit will do, and all that is needed to finish it or take it back."""

    id: str
    """The change."""
    token: str
    """Ours alone; part of the names of the new files beside the targets."""
    steps: tuple[Step, ...]
    sequence: int
    """Its place in the history, from 1."""
    home: int
    """Inode of the store's folder.  In a copy of the tree it is another, as all inodes are."""
    folders: tuple[str, ...] = ()
    """Folders to be made, outermost first."""
    empty: tuple[str, ...] = ()
    """Folders to be removed behind the commit if nothing is in them, innermost first."""
    undoes: str | None = None
    donors: Mapping[int, int] = field(default_factory=dict)
    """Number of a step that creates a file → number of the old file of the change that is undone,
    whose mode, owner and attributes it gets."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a journal says."""

    plan: Plan
    phase: Phase
    inodes: Mapping[int, int]
    """Number of a step → inode of its new file; known from ``prepared`` on."""


class Journal:
    """The journal file of a store."""

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self.path = path

    def is_there(self) -> bool:
        """Whether a commit is under way or was interrupted."""
        return os.path.lexists(self.path)

    def begin(self, plan: Plan) -> None:
        """Write down *plan*.  Nothing else was done before."""
        new_file(self._disk, self.path, _line(_encode(plan)))
        self._disk.sync_folder(os.path.dirname(self.path))

    def begin_again(self, plan: Plan, phase: Phase) -> None:
        """Put a journal that is whole in the place of a damaged one."""
        replace_file(self._disk, self.path, _line(_encode(plan)) + _line({"phase": phase.value}))

    def raw(self) -> bytes:
        """The bytes of it."""
        with open(self.path, "rb") as file:
            return file.read()

    def mark(self, phase: Phase, inodes: Mapping[int, int] | None = None) -> None:
        """Write down that *phase* begins; it has begun when this returns."""
        value: dict[str, Any] = {"phase": phase.value}
        if inodes is not None:
            value["inodes"] = {str(number): inode for number, inode in inodes.items()}
        handle = self._disk.open_end(self.path)
        try:
            self._disk.write(handle, _line(value))
            self._disk.sync(handle)
        finally:
            os.close(handle)

    def end(self) -> None:
        """Remove it: the commit is done or was taken back."""
        unlink_if_there(self._disk, self.path)
        self._disk.sync_folder(os.path.dirname(self.path))

    def read(self) -> Entry | None:
        """What it says; None if a crash stopped the writing of it, so that nothing else was done.
        JournalError if it is damaged."""
        data = self.raw()
        lines = data.split(b"\n")
        values = [value for line in lines if (value := _value(line)) is not None]
        try:
            if not values or "plan" not in values[0]:
                if _torn(data.rstrip(b"\0")):
                    return None
                raise ValueError("its first line is not there")
            plan = _decode(values[0])
            phase = Phase.PREPARING
            inodes: dict[int, int] = {}
            for value in values[1:]:
                phase = Phase(value["phase"])
                inodes.update({int(number): inode for number, inode in value.get("inodes", {}).items()})
        except StoreError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(
                f"a commit was interrupted, and its journal {self.path} is damaged ({error}); "
                "nothing was changed",
                hint="`astedit recover` finds out how far it came, and says what it does",
                path=self.path,
            ) from error
        return Entry(plan, phase, inodes)


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"\n" + digest(text)[:16].encode() + b" " + text + b"\n"


def _value(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is torn."""
    mark, _, text = line.partition(b" ")
    if len(mark) != 16 or digest(text)[:16].encode() != mark:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _torn(data: bytes) -> bool:
    """Whether *data* is a beginning of the first line."""
    head = _HEAD.fullmatch(data)
    text = (head[2] or b"") if head else b""
    return head is not None and b"\n" not in data[1:] and (_BEGIN.startswith(text) or text.startswith(_BEGIN))


def _encode(plan: Plan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "plan": {
            "id": plan.id,
            "token": plan.token,
            "sequence": plan.sequence,
            "home": plan.home,
            "steps": [
                [s.number, s.path, s.action.value, s.before, s.after, s.executable] for s in plan.steps
            ],
            "folders": list(plan.folders),
            "empty": list(plan.empty),
            "undoes": plan.undoes,
            "donors": {str(step): old for step, old in plan.donors.items()},
        },
    }


def _decode(value: dict[str, Any]) -> Plan:
    if (version := whole(value["format"], 1)) > FORMAT:
        raise StoreError(
            f"a commit of a newer version of this program was interrupted: its journal is of version "
            f"{version}, and this program knows {FORMAT}; nothing was changed",
            hint="recover with that version",
        )
    plan = value["plan"]
    names = [plan["id"], plan["token"], *([plan["undoes"]] if plan["undoes"] else [])]
    if not all(_NAME.fullmatch(name) for name in names):
        raise ValueError("an id is none")
    steps = tuple(
        Step(whole(number), path, Action(action), maybe_digest(before), maybe_digest(after), bool(executable))
        for number, path, action, before, after, executable in plan["steps"]
    )
    for path in [*(step.path for step in steps), *plan["folders"], *plan["empty"]]:
        check_path(path)
    return Plan(
        plan["id"],
        plan["token"],
        steps,
        int(plan["sequence"]),
        int(plan["home"]),
        tuple(plan["folders"]),
        tuple(plan["empty"]),
        plan["undoes"],
        {int(step): int(old) for step, old in plan["donors"].items()},
    )
