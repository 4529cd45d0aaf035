"""The configuration of ast-grep as settings of a scan, read as it is."""

from __future__ import annotations

import os
from pathlib import Path

from structural.errors import UsageError
from structural.rules.astgrep_config import CustomLanguage, read_sgconfig
from structural.rules.reading import ASTGREP
from structural.workflow import config
from structural.workflow.scanning.settings import Settings, seen


def settings_of(found: Path, path: str, folder: str) -> Settings:
    """The settings that the ``sgconfig.yml`` at *found*, shown as *path*, has.  Its languages are added."""
    try:
        text = found.read_bytes()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror or problem}") from None
    read = read_sgconfig(text, path)
    for one in read.languages:
        _add(found, one)
    return Settings(
        folder,
        path,
        rules=tuple(seen(folder, one) for one in read.rules),
        utils=tuple(seen(folder, one) for one in read.utilities),
        tests=tuple(seen(folder, one.folder) for one in read.tests),
        dialect=ASTGREP,
        languages=read.globs,
        problems=read.problems,
    )


def _add(found: Path, language: CustomLanguage) -> None:
    """Make a grammar that the configuration names known."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    libraries = language.libraries
    library = next((at for target, at in libraries.items() if machine and target.startswith(machine)), "")
    table: dict[str, object] = {
        "library": library or libraries.get("") or next(iter(libraries.values())),
        "suffixes": list(language.suffixes),
        "skeletons": [{"rung": "statement"}],
    }
    if language.symbol:
        table["symbol"] = language.symbol
    config.add_language(found, language.name, table)
