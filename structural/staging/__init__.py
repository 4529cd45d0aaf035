"""The door that writes: staged changes, and their commit to the tree of files.

It knows bytes, paths, digests and edits, not code.
"""

from structural.staging.store import Store, find_root, open_store
from structural.staging.values import (
    Action,
    Collected,
    Committed,
    CommittedFile,
    CreateFile,
    Damaged,
    DeleteFile,
    EditFile,
    FileChange,
    LateWrite,
    ProposedFile,
    Recovered,
    Refused,
    Site,
    StagedChange,
    Stale,
    State,
)

__all__ = [
    "Action",
    "Collected",
    "Committed",
    "CommittedFile",
    "CreateFile",
    "Damaged",
    "DeleteFile",
    "EditFile",
    "FileChange",
    "LateWrite",
    "ProposedFile",
    "Recovered",
    "Refused",
    "Site",
    "StagedChange",
    "Stale",
    "State",
    "Store",
    "find_root",
    "open_store",
]
