"""``astedit review``: in a pipe, at a terminal, in a narrow one; decisions outlast whatever ends it."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.test_astedit import LET, answer, edit, staged, text, tree
from tests.test_cli import command, environment, put

__all__ = ["tree"]


def review(tree: Path, keys: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A review with these keys, a line each, from a pipe."""
    return edit(
        tree, "review", *arguments, stdin="".join(f"{key}\n" for key in keys.split()).encode(), **more
    )


def numbers(tree: Path) -> list[int]:
    return [site["number"] for file in answer(tree, "show")["files"] for site in file["sites"]]


class Terminal:
    """A review at a terminal: what is written there, and keys for it."""

    def __init__(self, tree: Path, *arguments: str, columns: int = 100, **more: str) -> None:
        self._ours, theirs = pty.openpty()
        if sys.platform != "win32":
            import fcntl
            import termios

            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [*command("astedit"), "review", *arguments],
            cwd=tree,
            env=environment(COLUMNS="", **more),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_controlling,
        )
        os.close(theirs)
        self.seen = ""

    def wait(self, part: str, times: int = 1) -> None:
        """Until *part* was seen so often."""
        end = time.monotonic() + 60
        while self.seen.count(part) < times:
            assert time.monotonic() < end, self.seen
            if select.select([self._ours], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self._ours, 65536).decode().replace("\r\n", "\n")
                except OSError:
                    assert self.seen.count(part) >= times, self.seen
                    return

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        self.wait("to write it")
        code = self.process.wait(60)
        os.close(self._ours)
        return code

    def hang_up(self) -> int:
        os.close(self._ours)
        return self.process.wait(60)


def _controlling() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


# --- in a pipe -------------------------------------------------------------------------------------


def test_sites_are_kept_and_dropped(tree: Path) -> None:
    name = staged(tree, *LET)
    done = review(tree, "k d k")
    assert done.returncode == 0
    assert "site 1 (1 of 3)  a.js:1\n@@ -1,3 +1,3 @@\n-var a = 1;\n+let a = 1;\n var b = 2;\n" in done.stdout
    assert "that was the last one\n" in done.stdout
    assert f"2 kept, 1 dropped\nto write it: `astedit resolve --accept {name}`\n" in done.stderr
    assert numbers(tree) == [1, 3]
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "let a = 1;\nvar b = 2;\nfoo(a, b);\n"


def test_a_review_goes_on_where_it_ended(tree: Path) -> None:
    name = staged(tree, *LET)
    done = review(tree, "k q")
    assert f"1 kept, 2 not decided\nto go on: `astedit review {name}`" in done.stderr
    done = review(tree, "keep drop")
    assert done.stderr.startswith("1 site decided before: --all shows them too\n")
    assert "site 2 (1 of 2)" in done.stdout
    assert numbers(tree) == [1, 2]
    assert "site 1 (1 of 2)" in review(tree, "q", "--all").stdout


def test_decisions_can_be_taken_back(tree: Path) -> None:
    staged(tree, *LET)
    done = review(tree, "d d u u u k l q")
    assert "there is nothing to take back" in done.stdout
    assert "     1  kept     a.js:1\n>    2  -        a.js:2\n" in done.stdout
    assert numbers(tree) == [1, 2, 3]


def test_going_through_a_file_at_once(tree: Path) -> None:
    staged(tree, *LET)
    done = review(tree, "n b b s D q")
    assert "site 3 (3 of 3)  sub/b.js:2" in done.stdout
    assert numbers(tree) == [1, 3]
    assert "not decided" in done.stderr


def test_more_context_and_help(tree: Path) -> None:
    put(tree, "a.js", "// 1\n// 2\n// 3\n// 4\nvar a = 1;\n")
    staged(tree, *LET)
    done = review(tree, "m h x q")
    assert done.stdout.count("// 1") == 1
    assert "e  edit its text" in done.stdout
    assert "'x' is no key here" in done.stdout


def test_the_text_of_a_site_is_edited(tree: Path) -> None:
    staged(tree, *LET)
    done = review(tree, "k e k", EDITOR="sed -i s/let/const/")
    assert "+const b = 2;\n" in done.stdout
    assert "2 kept, 1 edited" in done.stderr
    put(tree, "a.js", "// moved\n" + text(tree, "a.js"))
    assert answer(tree, "rebase")["lost_edits"] == []
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "// moved\nlet a = 1;\nconst b = 2;\nfoo(a, b);\n"


def test_an_edit_that_would_not_parse_is_asked_about(tree: Path) -> None:
    staged(tree, *LET)
    done = review(tree, "e n e y q", VISUAL="sed -i s/let/((/")
    assert done.stdout.count("the file would have new syntax errors: take it anyway? [y/n] ") == 2
    assert "1 edited" in done.stderr
    assert "+(( a = 1;" in edit(tree, "show").stdout


def test_an_editor_that_fails_edits_nothing(tree: Path) -> None:
    staged(tree, *LET)
    done = review(tree, "e q", VISUAL="false")
    assert "the editor ended with 1; nothing was edited" in done.stdout
    done = review(tree, "e q", VISUAL="/nowhere/editor")
    assert "cannot be run" in done.stdout
    assert "nothing was edited" in review(tree, "e q", VISUAL="true").stdout


def test_sites_that_hang_together_are_dropped_together(tree: Path) -> None:
    edits = (
        b'[{"path": "a.js", "find": "foo(a, b);", "text": "if (a) {\\n  foo(a, b);"},'
        b' {"path": "a.js", "range": [33, 33], "text": "}\\n"},'
        b' {"path": "a.js", "find": "var b", "text": "let b"}]'
    )
    answer(tree, "stage", "--edits", "-", stdin=edits)
    done = review(tree, "k d n d y")
    assert done.stdout.count("it hangs together with site 2: drop both? [y/n] ") == 2
    assert numbers(tree) == [3]


def test_a_change_that_is_closed_is_not_reviewed(tree: Path) -> None:
    name = staged(tree, *LET)
    edit(tree, "resolve", "--accept")
    done = review(tree, "k", name)
    assert done.returncode == 2
    assert "there is nothing to review" in done.stderr


def test_a_change_that_went_away_meanwhile_is_told(tree: Path) -> None:
    name = staged(tree, *LET)
    process = subprocess.Popen(
        [*command("astedit"), "review"],
        cwd=tree,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"d\n")
    process.stdin.flush()
    while b"site 2" not in process.stdout.readline():
        pass
    edit(tree, "resolve", "--discard", name)
    out, err = process.communicate(b"d\nq\n", timeout=60)
    assert process.returncode == 2
    assert b"this could not be stored yet" in out
    assert b"the decisions could not be stored; dropped were: --site 1-2" in err


# --- at a terminal ---------------------------------------------------------------------------------


def test_single_keys_at_a_terminal(tree: Path) -> None:
    staged(tree, *LET)
    seen = Terminal(tree)
    seen.wait("[q]uit > ")
    seen.press("k")
    seen.wait("site 2\x1b[0m (2 of 3)")
    seen.press("dk")
    seen.wait("[q]uit [b]ack")
    seen.press("q")
    assert seen.end() == 0
    assert "\x1b[32m+let a = 1;\x1b[0m" in seen.seen
    assert numbers(tree) == [1, 3]


def test_a_letter_and_enter_do_the_same(tree: Path) -> None:
    staged(tree, *LET)
    seen = Terminal(tree, TERM="dumb")
    seen.wait("[q]uit > ")
    seen.press("d\n")
    seen.wait("site 2 (2 of 3)")
    seen.press("\n")
    seen.press("q\n")
    assert seen.end() == 0
    assert "\x1b" not in seen.seen
    assert numbers(tree) == [2, 3]


def test_a_narrow_terminal_has_a_short_prompt(tree: Path) -> None:
    staged(tree, *LET)
    seen = Terminal(tree, "--color", "never", columns=40)
    seen.wait("\nk d e m s b n u l h q > ")
    seen.press("q")
    assert seen.end() == 0


@pytest.mark.parametrize(("how", "code"), [("interrupt", 130), ("hang up", 129), ("terminate", 143)])
def test_decisions_outlast_what_ends_the_review(tree: Path, how: str, code: int) -> None:
    staged(tree, *LET)
    seen = Terminal(tree)
    seen.wait("[q]uit > ")
    seen.press("d")
    seen.wait("site 2\x1b[0m (2 of 3)")
    seen.wait("[q]uit > ", 2)
    if how == "interrupt":
        seen.press("\x03")
        assert seen.end() == code
    elif how == "terminate":
        seen.process.send_signal(signal.SIGTERM)
        assert seen.end() == code
    else:
        assert seen.hang_up() == code
    assert numbers(tree) == [2, 3]


def test_a_review_that_is_killed_loses_no_decision(tree: Path) -> None:
    name = staged(tree, *LET)
    process = subprocess.Popen(
        [*command("astedit"), "review"],
        cwd=tree,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"d\nk\nd\nu\n")
    process.stdin.flush()
    seen = b""
    while seen.count(b" > ") < 5:
        seen += process.stdout.read(1)
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    value = answer(tree, "show", name)
    assert value["dropped"] == [1]
    assert [site["number"] for file in value["files"] for site in file["sites"]] == [2, 3]
    again = edit(tree, "review", stdin=b"q\n")
    assert "1 site decided before (1 more dropped)" in again.stderr
    assert "site 3 (1 of 1)" in again.stdout
