"""Which files a scan looks at, in which language, and which rules are for each.

Order of things: walk; leave out what the configuration ignores; keep only what changed, if that was asked
for; give every file its language; say for every file which rules its path admits.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from structural.errors import UsageError
from structural.rules.values import Rule
from structural.search.globs import Globs
from structural.search.plan import languages_of
from structural.search.values import Selection
from structural.search.walk import Walk, walk
from structural.workflow.scanning.revisions import (
    Change,
    Repository,
    changes,
    commit_of,
    fork_of,
    repository,
    unmerged,
    untracked,
)
from structural.workflow.scanning.settings import Settings


@dataclass(slots=True)
class Scope:
    """``files`` with their languages, in order.  ``objects`` name their contents in git if they come from
    the index.  ``old`` are the files of the revision that is the baseline: each with its name today (or
    then, if it is gone) and its object; ``unchanged`` are those that are as they were."""

    walk: Walk
    files: list[tuple[str, str | None]] = field(default_factory=list)
    wanted: tuple[str, ...] = ()
    objects: dict[str, str] | None = None
    unchanged: list[str] = field(default_factory=list)
    repo: Repository | None = None
    old: list[tuple[str, str]] = field(default_factory=list)


def scope_of(
    selection: Selection,
    settings: Settings,
    *,
    staged: bool = False,
    since: str | None = None,
    revision: str | None = None,
) -> Scope:
    """The files of a scan.  *since*: only what changed since the branch left that revision; *revision*: only
    what differs from it, and what it was.  UsageError for a path or a revision that is not there."""
    walked = walk(selection)
    made = Scope(walked)
    names = Names(settings.folder)
    if settings.ignores:
        globs = _ignoring(settings.ignores)
        kept = [path for path in walked.files if path in walked.named or globs.admits(names.of(path))]
        walked.ignored += len(walked.files) - len(kept)
        walked.files = kept
    if staged or since is not None or revision is not None:
        _narrow(made, selection, settings, staged=staged, since=since, revision=revision)
    found = languages_of(walked, (), selection)
    made.files, made.wanted = found.files, found.wanted
    if settings.languages:
        _rename(made, settings, names)
    return made


def _rename(made: Scope, settings: Settings, names: Names) -> None:
    """Give files the languages that the configuration says they are in."""
    said = [(host, Globs.compile(globs)) for host, globs in settings.languages.items()]
    made.files = [
        (path, next((name for name, globs in said if globs.admits(names.of(path))), host))
        for path, host in made.files
    ]
    made.wanted = tuple(sorted({*made.wanted, *settings.languages}))


def _narrow(
    made: Scope,
    selection: Selection,
    settings: Settings,
    *,
    staged: bool,
    since: str | None,
    revision: str | None,
) -> None:
    """Keep only what changed."""
    repo = made.repo = repository()
    walked = made.walk
    if staged:
        inside = _Inside(selection, settings)
        torn = sorted(path for path in map(repo.seen, unmerged(repo)) if inside(path))
        if torn:
            raise UsageError(
                f"git has {torn[0]!r} in conflict, so nothing of it is staged",
                hint="settle the conflict and `git add` it, or scan without --staged",
            )
        found = changes(repo, None, staged=True)
        objects = {repo.seen(one.after): one.new for one in found if one.after is not None and one.new}
        walked.files = sorted((path for path in objects if inside(path)), key=os.fsencode)
        made.objects = {path: objects[path] for path in walked.files}
        walked.skipped.clear()
    if since is not None:
        commit = fork_of(repo, commit_of(repo, since))
        _keep(made, repo, changes(repo, commit, staged=staged))
    if revision is not None:
        found = changes(repo, commit_of(repo, revision), staged=staged)
        before = walked.files
        _keep(made, repo, found)
        kept = set(walked.files)
        made.unchanged = [path for path in before if path not in kept]
        made.old = [
            (repo.seen(one.after or one.before), one.old)
            for one in found
            if one.before is not None and one.old
        ]


def _keep(made: Scope, repo: Repository, found: Sequence[Change]) -> None:
    names = {one.after for one in found if one.after is not None}
    if made.objects is None:
        names |= untracked(repo)
    top = os.path.realpath(repo.top)
    made.walk.files = [path for path in made.walk.files if _below(top, path) in names]
    if made.objects is not None:
        made.objects = {path: made.objects[path] for path in made.walk.files}


def _below(top: str, path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.relpath(os.path.join(os.path.realpath(folder or "."), name), top)


class _Inside:
    """Whether a path, which may not be there any more, is one that the selection means."""

    def __init__(self, selection: Selection, settings: Settings) -> None:
        self._roots = [os.path.abspath(path) for path in selection.paths]
        self._globs = Globs.compile(selection.globs)
        self._ignores = _ignoring(settings.ignores)
        self._names = Names(settings.folder)
        self._hidden = selection.hidden

    def __call__(self, path: str) -> bool:
        full = os.path.abspath(path)
        if not any(full == root or full.startswith(root.rstrip("/") + "/") for root in self._roots):
            return False
        if not self._hidden and any(part.startswith(".") and part != ".." for part in path.split("/")):
            return False
        return self._globs.admits(path) and self._ignores.admits(self._names.of(path))


def _ignoring(ignores: Sequence[str]) -> Globs:
    """What takes all files in but those; one that begins with ``!`` takes back in."""
    return Globs.compile(["*", *(one[1:] if one.startswith("!") else f"!{one}" for one in ignores)])


class Names:
    """Paths relative to the configuration's folder; ``..`` begins those that are outside of it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        if not folder and path.startswith("/"):
            folder = "/"
        known = self._folders.get(folder)
        if known is None:
            known = os.path.relpath(os.path.realpath(folder or "."), self._folder)
            known = self._folders[folder] = "" if known == "." else PurePath(known).as_posix() + "/"
        return known + name


class Admitted:
    """Which rules are for a file by its name: ``sets`` are the sets that there are, None for all rules."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """UsageError for a glob that cannot be read."""
        groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        for rule in rules:
            groups.setdefault((rule.files, rule.ignores), []).append(rule.id)
        self._always = frozenset(groups.pop(((), ()), ()))
        self._groups = [
            (Globs.compile([*files, *(f"!{one}" for one in ignores)]), frozenset(ids))
            for (files, ignores), ids in groups.items()
        ]
        self.sets: list[frozenset[str] | None] = []
        self._known: dict[tuple[bool, ...], int] = {}

    def of(self, name: str) -> int:
        """The number of the set for the file *name*."""
        answer = tuple(globs.admits(name) for globs, _ in self._groups)
        number = self._known.get(answer)
        if number is None:
            number = self._known[answer] = len(self.sets)
            taken = self._always.union(
                *(ids for (_, ids), yes in zip(self._groups, answer, strict=True) if yes)
            )
            self.sets.append(None if all(answer) else taken)
        return number
