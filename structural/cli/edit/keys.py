"""One key after another: from a terminal as they are pressed, else a line each.

Where the terminal cannot give single keys, and in a pipe, a letter and Enter do the same.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from structural.cli.output import Output

_ARROWS = {"A": "b", "D": "b", "B": "s", "C": "s"}
"""Last letter of what an arrow sends → the key that it stands for."""


class Keys:
    """The keys of standard input.  Use it as a context, so that the terminal is left as it was."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._pending: list[str] = []
        self._old: Any = None
        self.single = _single()

    def __enter__(self) -> Keys:
        if self.single:
            import termios

            self._old = termios.tcgetattr(0)
        return self

    def __exit__(self, *problem: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Give the terminal back, for an editor or at the end."""
        if self._old is not None:
            import termios

            with contextlib.suppress(termios.error):  # it went away
                termios.tcsetattr(0, termios.TCSADRAIN, self._old)

    def read(self, prompt: str) -> str | None:
        """Show *prompt* and wait for a key; None at the end of the input."""
        if self._pending:
            return self._pending.pop(0)
        if self.single:
            self._single_keys()
        self._output.write(prompt)
        self._output.flush()
        key = self._pressed() if self.single else self._line()
        if self.single or not os.isatty(0):
            self._output.write(f"{key or ''}\n")
        return key

    def _line(self) -> str | None:
        line = sys.stdin.readline()
        return line.strip() if line else None

    def _single_keys(self) -> None:
        """Each time: an editor, or a shell that stopped and went on with us, may have changed it."""
        import termios
        import tty

        with contextlib.suppress(termios.error):
            tty.setcbreak(0, termios.TCSANOW)

    def _pressed(self) -> str | None:
        try:
            data = os.read(0, 64)
        except OSError:
            return None
        text = data.decode("utf-8", "replace")
        if not text or text[0] == "\x04":
            return None
        if text[0] == "\x1b":
            return _ARROWS.get(text[-1], "") if len(text) > 2 else ""
        first, *rest = [ch for ch in text if ch not in "\r\n"] or [""]
        self._pending += rest
        return first


def _single() -> bool:
    """Whether single keys can be had: a terminal that is one, on both sides."""
    try:
        import termios  # noqa: F401 - not there on Windows
    except ImportError:
        return False
    return os.isatty(0) and os.isatty(1) and os.environ.get("TERM", "dumb") != "dumb"
