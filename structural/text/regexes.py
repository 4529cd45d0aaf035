"""Regular expressions that others wrote, bounded in time.

The expressions of the standard library can take years over one line, cannot be stopped, and hold
up every other thread.  ``regex`` reads the same language and stops in time.  Once one text took
too long nothing more is tried with that expression: a caller that asks of thousands of texts
would wait as long for each.
"""

from __future__ import annotations

from typing import Any

from structural.errors import UnsearchableError

SECONDS = 1.0
"""What one text may take."""


class Bounded:
    """A compiled expression.  Every method raises UnsearchableError where it takes too long."""

    def __init__(self, body: str, flags: int = 0) -> None:
        """Raises ValueError with what is wrong with *body*.  *flags* are those of ``re``."""
        import regex  # only who asks with expressions waits for it

        self._body = body
        self._late = False
        try:
            # Both libraries have the same numbers for the flags that people write.
            self._regex: Any = regex.compile(body, flags)
        except (regex.error, OverflowError, RecursionError) as problem:
            raise ValueError(str(problem) or "it is nested too deeply") from None

    def finds(self, text: str) -> bool:
        """Whether the expression matches anywhere in *text*."""
        return self._run(self._regex.search, text) is not None

    def matches(self, text: str) -> bool:
        """Whether the expression matches at the start of *text*."""
        return self._run(self._regex.match, text) is not None

    def replace(self, by: str, text: str) -> str:
        """*text* with every match replaced by the template *by*."""
        made = self._run(lambda whole, timeout: self._regex.sub(by, whole, timeout=timeout), text)
        assert isinstance(made, str)
        return made

    def _run(self, call: Any, text: str) -> Any:
        if not self._late:
            try:
                return call(text, timeout=SECONDS)
            except TimeoutError:
                self._late = True
        shown = self._body if len(self._body) <= 60 else self._body[:59] + "…"
        raise UnsearchableError(
            f"the regular expression {shown!r} takes too long here",
            hint="write it without repetitions in repetitions",
        )
