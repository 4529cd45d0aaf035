"""Small trees, and what a staged change makes of them."""

from __future__ import annotations

from structural.workflow.staging import Staged
from structural.workflow.trees import OpenTree


def put(tree: OpenTree, **files: bytes) -> None:
    """Files by name; ``__`` stands for a dot and ``___`` for a slash."""
    for name, content in files.items():
        path = tree.root / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def committed(tree: OpenTree, staged: Staged) -> dict[str, bytes]:
    """Commit, and give the files that there are then."""
    assert staged.change is not None
    tree.store.commit(staged.change.id)
    return files(tree)


def files(tree: OpenTree) -> dict[str, bytes]:
    """All files but those of the store and of git, with their bytes."""
    return {
        path.relative_to(tree.root).as_posix(): path.read_bytes()
        for path in sorted(tree.root.rglob("*"))
        if path.is_file() and not {".structural", ".git"} & set(path.relative_to(tree.root).parts)
    }


def nothing_staged(tree: OpenTree) -> bool:
    """Whether the store has no open change."""
    return not tree.store.open_changes()
