"""Which files a ``Selection`` means: paths, in a stable order, each once.

Order of things: the paths as given are checked; each folder is walked; then links
are followed if asked for; then what git tracks although it is ignored comes back;
the globs narrow; the list is sorted by the bytes of its paths, as git sorts.

``os.scandir`` says what is in a folder and of which type.  Where ignore files can
have a say (in a work tree of git, or below a ``.ignore``), ``admitted`` says what they
let through.  What only the first saw was left out, and is counted.  Elsewhere the
second is not asked: it would let everything through, and costs twice the rest.  No
file is opened here, and languages are not known.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from structural.errors import UsageError
from structural.search import admitted as rules
from structural.search.freshness import look
from structural.search.globs import Globs
from structural.search.values import Selection, Skipped

if TYPE_CHECKING:
    from structural.search import tracked
    from structural.search.trail import Trail

_STORE = ".structural"
"""The folder in which staged changes are kept."""

_GITS = 8
"""Work trees that git is asked about at one time."""


@dataclass(slots=True)
class Walk:
    """What was found.  ``files`` may hold pipes and devices: reading tells.

    ``named`` are the files that were given by name.  ``ignored`` and ``hidden``
    count entries that were left out, where a folder is one entry whatever it
    holds; ``links`` are symbolic links that were not followed.  ``skipped`` are
    the folders that could not be read.
    """

    files: list[str] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    ignored: int = 0
    hidden: int = 0
    links: int = 0
    skipped: list[Skipped] = field(default_factory=list)


def walk(selection: Selection, trail: Trail | None = None) -> Walk:
    """The files of *selection*; a UsageError for a path that does not exist.

    What is looked at is noted in *trail*, if links are not followed."""
    globs = Globs.compile(selection.globs)
    folders: list[str] = []
    named: dict[str, str] = {}  # by what they really are, so that each comes once
    for path in selection.paths:
        tidy = PurePath(path).as_posix()
        if _is_folder(path):
            folders.append(tidy)
        else:
            named.setdefault(os.path.realpath(path), tidy)
    found = _Walker(selection, many=len(folders) > 1, real_files=set(named), trail=trail)
    for folder in folders:
        found.root(folder)
    found.follow_links()
    found.add_tracked()
    files = list(found.files)
    if globs.rules:
        files = [path for path in files if globs.admits(_relative(path, found.files[path]))]
    if named:
        names = {real.rpartition("/")[2] for real in named}
        files = [
            path
            for path in files
            if path.rpartition("/")[2] not in names or os.path.realpath(path) not in named
        ]
    result = found.result
    files = list({*files, *named.values()})
    plain = all(map(str.isascii, files))  # then the order of characters is that of bytes
    result.files = sorted(files, key=None if plain else os.fsencode)
    result.named = frozenset(named.values())
    result.ignored = len(found.ignored)
    return result


class _Walker:
    """The state of one walk.  ``files`` maps a path to the folder that was given for it."""

    def __init__(
        self, selection: Selection, *, many: bool, real_files: set[str], trail: Trail | None = None
    ) -> None:
        self.selection = selection
        self.result = Walk()
        self.files: dict[str, str] = {}
        self.ignored: set[str] = set()
        self._trail = trail
        self._follow = selection.follow
        # Only where one folder can be reached twice is it worth to know what each really is.
        self._real = many or selection.follow
        self._seen: set[str] = set()
        self._real_files = real_files
        self._links: list[tuple[str, str]] = []
        self._git: list[tuple[tracked.Question, str]] = []
        self._tracked: list[tuple[str, str]] = []

    def root(self, folder: str, base: str | None = None) -> None:
        """Walk *folder*; *base* is the folder that globs are relative to, else *folder*."""
        base = folder if base is None else base
        admitted: rules.Admitted | None = None
        trail, rules_count = self._trail, not self.selection.no_ignore
        if rules_count:
            if trail is not None:
                trail.root(folder)
            above = rules.rules_above(folder)
            if ".git" in above:
                self._ask_git(folder, base)
            if above:
                admitted = rules.admitted(folder, hidden=self.selection.hidden)
        real_root = os.path.realpath(folder) if self._real else ""
        top = "" if folder in (".", "/") else folder
        stack = [(top, admitted)]
        while stack:
            at, admitted = stack.pop()
            if self._real:
                real = os.path.join(real_root, at[len(top) :].lstrip("/")).rstrip("/")
                if real in self._seen:
                    continue
                self._seen.add(real)
            else:
                real = ""
            before = None if trail is None else look(at or folder)
            try:
                with os.scandir(at or folder) as found:
                    entries = list(found)
            except OSError as problem:
                if trail is not None:
                    trail.folder(at or folder, before, problem, rules=rules_count)
                self.result.skipped.append(
                    Skipped(at or folder, "unreadable", problem.strerror or str(problem))
                )
                continue
            if trail is not None:
                trail.folder(at or folder, before, entries, rules=rules_count)
            if admitted is None and rules_count and rules.has_rules(entries):
                admitted = rules.admitted(at or folder, hidden=self.selection.hidden)
            prefix = f"{at}/" if at or folder == "/" else ""
            names = None if admitted is None or not _is_utf8(at) else admitted.get(at, set())
            below = self._entries(entries, prefix, names, real, base, top=at == top)
            stack += [(path, admitted) for path in below]

    def _entries(
        self,
        entries: list[os.DirEntry[str]],
        prefix: str,
        names: set[str] | None,
        real: str,
        base: str,
        *,
        top: bool,
    ) -> list[str]:
        """Take in the entries of one folder; gives the folders below it."""
        below: list[str] = []
        show_hidden = self.selection.hidden
        for entry in entries:
            name = entry.name
            if name == ".git":
                if not top and names is not None:
                    self._ask_git(prefix.rstrip("/"), base)
                continue
            if name == _STORE and entry.is_dir(follow_symlinks=False):
                continue  # what this program keeps there is nobody's code
            path = prefix + name
            if name[0] == "." and not show_hidden:
                self.result.hidden += 1
            elif names is not None and name not in names and _is_utf8(name):
                self.ignored.add(path)
            elif entry.is_symlink():
                self._links.append((path, base))
            elif entry.is_dir(follow_symlinks=False):
                below.append(path)
            else:
                if self._follow:
                    if (itself := f"{real}/{name}") in self._real_files:
                        continue
                    self._real_files.add(itself)
                self.files[path] = base
        return below

    def follow_links(self) -> None:
        """Go where the links lead, if they are followed: to each folder and file once.

        A link to where the walk has been already, such as a folder above it, ends there.
        """
        while self._follow and self._links:
            links, self._links = sorted(self._links), []
            for link, base in links:
                real = os.path.realpath(link)
                if os.path.isdir(real) and real not in self._seen:
                    self.root(link, base)
                elif os.path.exists(real) and not os.path.isdir(real) and real not in self._real_files:
                    self._real_files.add(real)
                    self.files[link] = base
                else:
                    self.result.links += 1
        self.result.links += len(self._links)

    def add_tracked(self) -> None:
        """Take back in what git tracks although it is ignored."""
        while self._git:
            self._answer()
        for path, base in self._tracked:
            there = os.path.isfile(path) and not os.path.islink(path)
            if self._trail is not None:
                self._trail.tracked[path] = there
            if there:
                self.files.setdefault(path, base)
                self.ignored.discard(path)

    def _ask_git(self, folder: str, base: str) -> None:
        if len(self._git) >= _GITS:
            self._answer()
        from structural.search import tracked  # starts processes: only needed where there is git

        self._git.append((tracked.begin(folder), base))

    def _answer(self) -> None:
        question, base = self._git.pop(0)
        folder = question.folder
        prefix = "" if folder in (".", "") else f"{folder.rstrip('/')}/"
        paths = question.paths()
        if self._trail is not None:
            self._trail.answered(folder, paths)
        for path in paths:
            if self.selection.hidden or not any(part.startswith(".") for part in path.split("/")):
                self._tracked.append((prefix + path, base))


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path) or not os.stat(path)
    except FileNotFoundError:
        hint = "it is a link that leads nowhere" if os.path.islink(path) else ""
        raise UsageError(f"there is no {path!r}", hint=hint) from None
    except (OSError, ValueError) as problem:
        raise UsageError(f"{path!r} cannot be searched: {problem}") from None


def _is_utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _relative(path: str, base: str) -> str:
    """*path* as globs see it: relative to the current folder if it lies there, else to *base*."""
    if path.startswith("/"):
        here = os.getcwd()
        inside = path.startswith(here.rstrip("/") + "/")
        return path[len(here) :].lstrip("/") if inside else path[len(base) :].lstrip("/")
    if path.startswith("../"):
        return path[len(base) :].lstrip("/")
    return path
