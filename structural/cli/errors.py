"""How an error is told: ``error:`` and ``hint:`` on standard error, JSON on standard output.

A pattern that is no code shows, language by language and rung by rung, what stopped
it.  Knows the values of errors, not what raised them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from structural.cli.output import Output, OutputError, ReaderGoneError, error_text
from structural.errors import StructuralError

_LANGUAGES = 3
"""Languages whose attempts are shown: those in which the pattern was read furthest."""


def report(error: StructuralError, *, as_json: bool) -> int:
    """Tell *error*; gives the exit code."""
    text = f"error: {error.message}\n"
    attempts = getattr(error, "attempts", ())
    if attempts:
        text += "".join(attempt_lines(attempts))
    if error.hint:
        text += f"hint: {error.hint}\n"
    error_text(text)
    if as_json and not isinstance(error, OutputError):
        from structural.cli.jsonout import write_error

        try:
            write_error(Output(), error)
        except (OutputError, ReaderGoneError):
            return error.exit_code
    return error.exit_code


def attempt_lines(attempts: Sequence[object]) -> Iterator[str]:
    """The attempts of a refused pattern, indented: what stopped it, and on which rungs."""
    from structural.workflow.searching import Attempt, Refusal

    refusals = [attempt for attempt in attempts if isinstance(attempt, Refusal)]
    refusals.sort(key=lambda refusal: -max((one.column for one in refusal.attempts), default=0))
    for refusal in refusals[:_LANGUAGES]:
        if len(refusals) > 1:
            yield f"  {refusal.language}:{'' if refusal.attempts else ' ' + refusal.message}\n"
        yield from rung_lines(refusal.attempts, "    " if len(refusals) > 1 else "  ")
    if len(refusals) > _LANGUAGES:
        names = ", ".join(refusal.language for refusal in refusals[_LANGUAGES:])
        yield f"  and no further: {names}\n"
    yield from rung_lines([attempt for attempt in attempts if isinstance(attempt, Attempt)], "  ")


def rung_lines(attempts: Sequence[object], indent: str) -> Iterator[str]:
    """One line for the rungs that were stopped in the same way, those that got furthest first."""
    from structural.workflow.searching import Attempt

    stopped: dict[tuple[int, str], dict[str, None]] = {}
    for attempt in attempts:
        if isinstance(attempt, Attempt) and not attempt.accepted:
            stopped.setdefault((attempt.column, attempt.reason), {}).setdefault(attempt.rung)
    for (column, reason), rungs in sorted(stopped.items(), key=lambda item: -item[0][0]):
        where = f" at column {column}" if column else ""
        yield f"{indent}{reason}{where}: {', '.join(rungs)}\n"
