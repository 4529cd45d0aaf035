"""``astedit review``: through the sites one by one, in the terminal.

Each decision is put into the change at once, so that it is there however the review ends.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from structural.cli.edit.frame import Frame
from structural.cli.edit.keys import Keys
from structural.cli.edit.texts import clean, count, diff_lines
from structural.cli.options import Options
from structural.cli.output import OutputError, ReaderGoneError
from structural.errors import StructuralError
from structural.workflow.changes import find, listed
from structural.workflow.reviewing import DROP, EDITED, KEEP, Item, Review

_HELP = """\
  k  keep this site            K  keep all that are left in this file
  d  drop it                   D  drop all that are left in this file
  e  edit its text             u  take the last decision back
  m  more context              l  list the sites
  s  skip it for now           n  next file
  b  back                      q  quit; decisions are kept
"""

_WORDS = {
    "keep": "k",
    "drop": "d",
    "edit": "e",
    "more": "m",
    "skip": "s",
    "back": "b",
    "undo": "u",
    "list": "l",
    "next": "n",
    "help": "h",
    "quit": "q",
    "yes": "y",
    "no": "n",
}

_PROMPT = "[k]eep [d]rop [e]dit [m]ore [s]kip [b]ack [n]ext file [u]ndo [l]ist [h]elp [q]uit > "
_NARROW = "k d e m s b n u l h q > "

_CONTEXT = 3
_MORE = 10

_SAID = {KEEP: "kept", DROP: "dropped", EDITED: "edited", None: ""}


class _EndedError(BaseException):
    """A signal asks to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def review(name: str | None, options: Options) -> int:
    """The command; gives the exit code."""
    frame = Frame(options)
    change = find(frame.tree, name)
    stale = frame.tree.store.stale(change.id)
    if stale:
        frame.say(
            f"{change.id} is stale ({count(len(stale), 'file')} moved on): `astedit rebase {change.id}`"
        )
    work = Review(frame.tree, change, again=options["every"])
    if work.before:
        gone = f" ({len(change.dropped):,} more dropped)" if change.dropped else ""
        frame.say(f"{count(work.before, 'site')} decided before{gone}: --all shows them too")
    code = 0
    try:
        with _signals():
            with Keys(frame.output) as keys:
                _Session(frame, work, keys).run()
            frame.output.flush()
    except KeyboardInterrupt:
        code = 130
    except _EndedError as ended:
        code = 128 + ended.number
    except (ReaderGoneError, OutputError):
        code = 128 + signal.SIGHUP if hasattr(signal, "SIGHUP") else 1
    finally:
        _save(frame, work)
    _sum_up(frame, work)
    return code


def _save(frame: Frame, work: Review) -> None:
    try:
        work.save()
    except StructuralError:
        gone = [item.site.number for item in work.items if work.decision(item.site.number) == DROP]
        frame.say(
            "the decisions could not be stored" + (f"; dropped were: --site {listed(gone)}" if gone else "")
        )
        raise


def _sum_up(frame: Frame, work: Review) -> None:
    parts = [
        f"{work.count(decision):,} {word}"
        for decision, word in ((KEEP, "kept"), (EDITED, "edited"), (DROP, "dropped"))
        if work.count(decision)
    ]
    left = work.count(None)
    name = work.change.id
    said = [f"{', '.join(parts) or 'nothing decided'}{f', {left:,} not decided' if left else ''}"]
    if not work.change.files:
        said.append(f"nothing is left: `astedit resolve --discard {name}`")
    else:
        if left:
            said.append(f"to go on: `astedit review {name}`")
        said.append(f"to write it: `astedit resolve --accept {name}`")
    frame.say(*said)


class _Session:
    """The loop over keys.  ``at`` is the site that is shown; behind the last one it is the end."""

    def __init__(self, frame: Frame, work: Review, keys: Keys) -> None:
        self._frame, self._work, self._keys = frame, work, keys
        self._at = 0
        self._context = _CONTEXT
        self._width = shutil.get_terminal_size((80, 24)).columns

    def run(self) -> None:
        """Until there is no more input, or someone quits."""
        if not self._work.items:
            self._frame.write(["there is no site to decide on"])
            return
        self._forward(0)
        shown = -1
        while True:
            if self._at != shown:
                self._show()
                shown = self._at
            key = self._keys.read(self._prompt())
            if key is None or self._word(key) == "q":
                return
            if self._key(self._word(key)):
                shown = -1
            self._store()

    def _store(self) -> None:
        """Put what was decided into the change at once, so that nothing that ends us loses it."""
        try:
            self._work.save()
        except StructuralError as problem:  # it is tried again; the last time it is an error
            self._say(f"this could not be stored yet: {problem.message}")

    def _key(self, key: str) -> bool:
        """Do what *key* says; True if the site is to be shown again."""
        ended = self._at >= len(self._work.items)
        if key == "u":
            item = self._work.undo()
            if item is None:
                self._say("there is nothing to take back")
                return False
            self._at = self._work.items.index(item)
            return True
        if key == "b":
            self._at = max(0, self._at - 1)
            self._context = _CONTEXT
            return True
        if key == "l":
            self._list()
        elif key in ("h", "?"):
            self._frame.output.write(_HELP)
        elif key == "":
            return False
        elif ended:
            self._say("every site is decided or skipped: q ends, b goes back, u takes back")
        elif key in ("k", "d", "e", "m", "s", "n", "K", "D"):
            return self._on_site(key)
        else:
            self._say(f"{key!r} is no key here; h shows them")
        return False

    def _on_site(self, key: str) -> bool:
        work = self._work
        item = work.items[self._at]
        if key == "m":
            self._context += _MORE
            return True
        if key == "k":
            work.keep([item])
        elif key == "d":
            if not self._drop(item):
                return False
        elif key == "e":
            return self._edit(item)
        elif key in ("K", "D"):
            rest = [
                one
                for one in work.items[self._at :]
                if one.view is item.view and work.decision(one.site.number) is None
            ]
            if key == "D" and work.hangs(rest) is not None:
                self._say("what is kept of the file would have new syntax errors without these")
                return False
            (work.keep if key == "K" else work.drop)(rest)
        if key == "n":
            while self._at < len(work.items) and work.items[self._at].view is item.view:
                self._at += 1
            self._forward(self._at)
        else:
            self._forward(self._at + 1)
        return True

    def _drop(self, item: Item) -> bool:
        other = self._work.hangs([item])
        if other is None:
            self._work.drop([item])
            return True
        if other is item:
            self._say("without it the rest of the file would have new syntax errors: D drops all of it")
            return False
        number = other.site.number
        answer = self._keys.read(f"it hangs together with site {number}: drop both? [y/n] ")
        if self._word(answer or "") != "y":
            return False
        self._work.drop([item, other])
        return True

    def _edit(self, item: Item) -> bool:
        if not self._work.editable(item):
            self._say("a file that comes or goes cannot be edited here")
            return False
        old = self._work.text(item)
        new = self._edited(item, old)
        if new is None or new == old:
            if new is not None:
                self._say("nothing was edited")
            return False
        if self._work.breaks(item, new):
            answer = self._keys.read("the file would have new syntax errors: take it anyway? [y/n] ")
            if self._word(answer or "") != "y":
                return False
        self._work.edit(item, new)
        self._frame.write(self._diff(item))
        self._forward(self._at + 1)
        return True

    def _edited(self, item: Item, old: bytes) -> bytes | None:
        """What the editor made of the text; None if it failed."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or shutil.which("nano") or "vi"
        self._frame.output.flush()
        self._keys.restore()
        with tempfile.TemporaryDirectory(prefix="astedit-") as folder:
            path = Path(folder, f"site-{item.site.number}{Path(item.view.file.path).suffix}")
            path.write_bytes(old)
            terminal = os.isatty(0)
            try:
                done = subprocess.run(
                    [*shlex.split(editor), str(path)],
                    stdin=None if terminal else subprocess.DEVNULL,
                    check=False,
                )
                new = path.read_bytes()
            except (OSError, ValueError) as problem:
                self._say(f"the editor {editor!r} cannot be run: {problem}")
                return None
        if done.returncode:
            self._say(f"the editor ended with {done.returncode}; nothing was edited")
            return None
        # Editors end a file with a line break, also where there was none.
        if new.endswith(b"\n") and not old.endswith(b"\n"):
            new = new[:-1].removesuffix(b"\r")
        return new

    def _forward(self, at: int) -> None:
        """To the next site on which nothing was decided; behind the last one if there is none."""
        items = self._work.items
        while at < len(items) and self._work.decision(items[at].site.number) is not None:
            at += 1
        self._at = at
        self._context = _CONTEXT

    def _show(self) -> None:
        work, c = self._work, self._frame.colours
        if self._at >= len(work.items):
            left = work.count(None)
            rest = f"; {count(left, 'site')} not decided" if left else ""
            self._say(f"that was the last one{rest}")
            return
        item = work.items[self._at]
        state = _SAID[work.decision(item.site.number)]
        place = f"{c.path}{clean(item.view.file.path)}{c.off}:{c.line}{item.site.line}{c.off}"
        self._frame.output.write(
            f"\n{c.strong}site {item.site.number}{c.off} ({self._at + 1} of {len(work.items)})  {place}"
            f"{f'  {state}' if state else ''}{f'  {item.site.title}' if item.site.title else ''}\n"
        )
        self._frame.write(self._diff(item))

    def _diff(self, item: Item) -> Iterator[str]:
        """The hunks of one site, without the names of the file."""
        diff = self._work.diff(item, self._context)
        lines = diff_lines(item.view, diff, self._frame.colours, terminal=True, numbers=False)
        inside = False
        for line in lines:
            inside = inside or "@@ -" in line
            if inside or item.view.file.action != "modify":
                yield line

    def _list(self) -> None:
        work = self._work
        for at, item in enumerate(work.items):
            here = ">" if at == self._at else " "
            state = _SAID[work.decision(item.site.number)] or "-"
            self._frame.output.write(
                f"{here} {item.site.number:>4}  {state:<7}  {clean(item.view.file.path)}:{item.site.line}\n"
            )

    def _prompt(self) -> str:
        if self._at >= len(self._work.items):
            return "[q]uit [b]ack [u]ndo [l]ist > "
        return _PROMPT if self._width > len(_PROMPT) else _NARROW

    def _say(self, text: str) -> None:
        self._frame.output.write(f"{text}\n")

    @staticmethod
    def _word(text: str) -> str:
        """The key behind a letter or a whole word."""
        return _WORDS.get(text.lower(), text if len(text) == 1 else text[:1] if text.isalpha() else text)


@contextmanager
def _signals() -> Iterator[None]:
    """A terminal that hangs up, and a request to end, end the review in order."""

    def end(number: int, frame: FrameType | None) -> None:
        raise _EndedError(number)

    old = {}
    for name in ("SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None:
            old[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
