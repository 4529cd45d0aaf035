"""Rule files of semgrep, found in files and folders, as rule files of ours; written where nothing is
yet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from structural.errors import UsageError
from structural.rules.imports.semgrep import Imported, ImportedRule, import_semgrep, is_semgrep
from structural.rules.values import Problem

__all__ = ["FileImport", "Imported", "ImportedRule", "Problem", "Written", "import_paths", "write"]

_SUFFIXES = (".yml", ".yaml")
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileImport:
    """One file: what became of it, and ``target``, the path of its rules below a folder that they are
    written to."""

    result: Imported
    target: str


def import_paths(paths: Sequence[str]) -> Iterator[FileImport]:
    """The rule files at *paths*, in folders those that are rules of semgrep, by path.

    UsageError for a path that is not there, or a file that is named and holds no rules of semgrep."""
    for path in paths:
        if os.path.isdir(path):
            for found in _files(path):
                text = _read(found)
                if is_semgrep(text):
                    yield FileImport(import_semgrep(text, found), _target(os.path.relpath(found, path)))
        elif os.path.isfile(path):
            text = _read(path)
            if not is_semgrep(text):
                raise UsageError(
                    f"{path} has no key `rules`, so it holds no rules of semgrep",
                    hint="rules of ast-grep need no import: they are read as they are",
                )
            yield FileImport(import_semgrep(text, path), _target(os.path.basename(path)))
        else:
            raise UsageError(f"{path} is no file and no folder")


@dataclass(frozen=True, slots=True)
class Written:
    """The paths of the files that were written, and the id of the commit; both empty if there were none."""

    paths: tuple[str, ...] = ()
    commit: str = ""


def write(imports: Sequence[FileImport], folder: str) -> Written:
    """Write the rules below *folder*, all in one commit.  UsageError, with nothing written, if a file is
    there already, or the folder is not below the project's root."""
    from structural.workflow.rule_files import put

    texts: dict[str, str] = {}
    for one in imports:
        if one.result.rules:
            path = os.path.join(folder, *PurePosixPath(one.target).parts)
            texts[path] = f"{texts[path]}---\n{one.result.text}" if path in texts else one.result.text
    there = [path for path in texts if os.path.lexists(path)]
    if there:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise UsageError(
            f"{there[0]}{more} is there already; nothing was written",
            hint="name a folder that is new, or remove it",
        )
    return Written(
        tuple(texts), put({path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()})
    )


def _files(folder: str) -> Iterator[str]:
    """YAML files below *folder*, by path; nothing that is hidden."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(at, name)
            if name.endswith(_SUFFIXES) and not name.startswith(".") and os.path.isfile(path):
                yield path


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST + 1)
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}") from None
    if len(text) > _LARGEST:
        raise UsageError(f"{path} is larger than {_LARGEST:,} bytes")
    return text


def _target(path: str) -> str:
    return Path(path).with_suffix(".yml").as_posix()
