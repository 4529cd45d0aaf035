"""What a walk looked at, and whether it would find the same today.

A ``Trail`` is laid while ``walk`` walks: every folder with its signature and entries, the
ignore files of the tree and those above and beside it, what git was asked.  ``still_good``
looks at each again.  A folder whose signature moved is listed again, and git is asked
again if its index moved; if that says what it said before, the walk holds.  Whatever else
moved ends it, and so does what may have moved while it walked.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from structural.search import tracked
from structural.search.freshness import Seen, look, look_at_all, settled

Entries = dict[str, int] | str
"""What is in a folder: 2 for a link, 1 for a folder, 0 for a file; or why it cannot be listed."""

_IGNORE_FILES = (".gitignore", ".ignore")

_OF_A_REPOSITORY = ("info/exclude", "config", "config.worktree")
"""Files of a repository that decide what it ignores; the index and the folder itself are others."""


@dataclass(slots=True)
class Trail:
    """Filled by one walk; the lists run side by side."""

    began: int = field(default_factory=time.time_ns)
    folders: list[str] = field(default_factory=list)
    signatures: list[Seen] = field(default_factory=list)
    entries: list[Entries] = field(default_factory=list)
    unsettled: set[int] = field(default_factory=set)
    """Folders that are listed again next time, whatever their signature."""
    unreadable: set[int] = field(default_factory=set)
    rules: dict[str, Seen] = field(default_factory=dict)
    """Ignore files and configuration, there or not."""
    repositories: dict[str, Seen] = field(default_factory=dict)
    """``.git`` folders and indexes: if one moved, git is asked again."""
    asked: dict[str, list[str]] = field(default_factory=dict)
    """What git said of a folder."""
    tracked: dict[str, bool] = field(default_factory=dict)
    """Whether a file that git named was there and no link."""
    sure: bool = True
    """Whether nothing moved while the walk walked."""

    @property
    def weight(self) -> int:
        """About the bytes that it takes in memory."""
        return 400 * len(self.folders) + 120 * sum(map(len, self.entries)) + 400 * len(self.rules)

    # --- while walking ------------------------------------------------------------------------

    def root(self, folder: str) -> None:
        """Note what decides about ignored files from above *folder*, be it there or not."""
        for at in {os.path.abspath(folder), os.path.realpath(folder)}:
            while True:
                self._rules_in(at, (*_IGNORE_FILES, ".git"))
                above = os.path.dirname(at)
                if above == at:
                    break
                at = above

    def folder(
        self, path: str, before: Seen, found: list[os.DirEntry[str]] | OSError, *, rules: bool
    ) -> None:
        """Note the entries of a folder; *before* is its signature from before it was listed.
        *rules*: the ignore files in it count."""
        self.folders.append(path or ".")
        self.signatures.append(before)
        if isinstance(found, OSError):
            self.unreadable.add(len(self.entries))
        self.entries.append(_entries(found))
        if rules and not isinstance(found, OSError):
            self._rules_in(path, [entry.name for entry in found if entry.name in (*_IGNORE_FILES, ".git")])

    def answered(self, folder: str, paths: list[str]) -> None:
        """Note what git said of a folder; its configuration may lie anywhere."""
        self.asked[folder] = paths
        for at in {os.path.dirname(path) for path in paths}:
            while at:
                self._rules_in(os.path.join(folder, at), (".gitignore",))
                at = os.path.dirname(at)

    def end(self) -> None:
        """The walk is done: see whether anything moved meanwhile."""
        self._configuration()
        self.sure = all(settled(seen, self.began) for seen in self.signatures) and all(
            settled(seen, self.began) for seen in self.rules.values()
        )
        # The index is written anew all the time; that git was asked of this one is what counts.
        self.sure &= all(look(path) == seen for path, seen in self.repositories.items())

    def _rules_in(self, folder: str, names: Iterable[str]) -> None:
        for name in names:
            path = os.path.join(folder, name)
            if name == ".git":
                self._repository(path)
            elif path not in self.rules:
                self.rules[path] = look(path)

    def _repository(self, path: str) -> None:
        """Note the files of the repository at *path*, a folder or a file that names one."""
        if path in self.repositories:
            return
        self.repositories[path] = look(path)
        homes = [path]
        if os.path.isfile(path):
            self.rules[path] = look(path)
            own = os.path.join(os.path.dirname(path), _pointer(path, "gitdir:"))
            common = os.path.join(own, _pointer(os.path.join(own, "commondir")))
            self.rules[os.path.join(own, "commondir")] = look(os.path.join(own, "commondir"))
            homes = [own, common]
        for home in homes:
            self.repositories[os.path.join(home, "index")] = look(os.path.join(home, "index"))
            for name in _OF_A_REPOSITORY:
                self.rules[os.path.join(home, name)] = look(os.path.join(home, name))

    def _configuration(self) -> None:
        """Note the files that hold the user's and the machine's rules, and those that they name."""
        if not self.asked and not any(seen for seen in self.repositories.values()):
            return
        home = os.path.expanduser("~")
        xdg = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        paths = {
            os.path.join(home, ".gitconfig"),
            os.path.join(xdg, "git", "config"),
            os.path.join(xdg, "git", "ignore"),
            os.path.join(home, ".config", "git", "ignore"),
            "/etc/gitconfig",
        }
        for variable in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            if os.environ.get(variable):
                paths.add(os.environ[variable])
        for path in list(paths):
            for name in _EXCLUDES.findall(_text(path)):
                paths |= _places(name, [os.path.dirname(path)])
        for folder in self.asked:
            paths |= _configured(folder or ".")
        for path in paths:
            if path not in self.rules:
                self.rules[path] = look(path)

    # --- later ------------------------------------------------------------------------------------

    def still_good(self) -> bool:
        """Whether a walk would find what it found.  Takes in signatures that moved without a difference."""
        if not self.sure or look_at_all(self.rules) != list(self.rules.values()):
            return False
        now = time.time_ns()
        seen = look_at_all(self.folders)
        again = set(self.unsettled)
        if seen != self.signatures:
            again |= {at for at, one in enumerate(seen) if one != self.signatures[at]}
        again |= self.unreadable
        for at in again:
            if _listed(self.folders[at]) != self.entries[at]:
                return False
        self.signatures = seen
        self.unsettled = {at for at in again if not settled(seen[at], now)}
        return self._git_says_the_same() and all(_is_file(path) == was for path, was in self.tracked.items())

    def _git_says_the_same(self) -> bool:
        now = look_at_all(self.repositories)
        if now == list(self.repositories.values()) and all(settled(seen, self.began) for seen in now):
            return True
        began = time.time_ns()
        questions = [tracked.begin(folder) for folder in self.asked]
        answers = [question.paths() for question in questions]
        if answers != list(self.asked.values()):
            return False
        self.repositories = dict(zip(self.repositories, now, strict=True))
        self.began = began
        return True


_EXCLUDES = re.compile(
    r"^\s*(?:excludesfile|path)\s*=\s*\"?\s*(\S.*?)\s*\"?\s*$", re.MULTILINE | re.IGNORECASE
)


def _is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def _entries(found: list[os.DirEntry[str]] | OSError) -> Entries:
    if isinstance(found, OSError):
        return found.strerror or str(found)
    return {
        entry.name: 2 if entry.is_symlink() else 1 if entry.is_dir(follow_symlinks=False) else 0
        for entry in found
    }


def _listed(path: str) -> Entries:
    try:
        with os.scandir(path) as found:
            return _entries(list(found))
    except OSError as problem:
        return _entries(problem)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1_000_000)
    except OSError:
        return ""


def _pointer(path: str, mark: str = "") -> str:
    """The path that a file of git holds."""
    text = _text(path).strip()
    return text.removeprefix(mark).strip() or "."


def _places(name: str, bases: Iterable[str]) -> set[str]:
    """Where a path of a configuration may lead, from any of *bases*."""
    name = os.path.expanduser(name.replace("\\\\", "\\"))
    return {os.path.normpath(os.path.join(base or ".", name)) for base in bases}


def _configured(folder: str) -> set[str]:
    """Every file that git reads its configuration from in *folder*, and those that it names."""
    try:
        done = subprocess.run(
            ["git", "config", "--list", "--show-origin", "--includes", "-z"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return set()
    above = [folder]
    while os.path.dirname(os.path.abspath(above[-1])) != os.path.abspath(above[-1]):
        above.append(os.path.dirname(os.path.abspath(above[-1])))
    found: set[str] = set()
    fields = os.fsdecode(done.stdout).split("\0")
    for origin, entry in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        files = _places(origin.removeprefix("file:"), above) if origin.startswith("file:") else set()
        found |= files
        if key == "core.excludesfile" or (key.startswith("include") and key.endswith(".path")):
            found |= _places(value, [*above, *map(os.path.dirname, files)])
    return found
