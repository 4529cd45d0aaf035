"""``astedit show --html``: one page, without a script or anything from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.test_astedit import LET, PARTED, edit, staged, tree
from tests.test_cli import put

__all__ = ["tree"]

_EMPTY = {"meta", "col", "link", "br"}
_OPTIONAL = {"td", "th", "tr", "li", "p", "tbody", "thead"}


class Reader(HTMLParser):
    """Checks that tags are closed in order; gathers ids, links and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in _OPTIONAL:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(tree: Path, *arguments: str) -> tuple[str, Reader]:
    done = edit(tree, "show", "--html", "-", *arguments)
    assert done.returncode == 0, done.stderr
    reader = Reader()
    reader.feed(done.stdout)
    assert not [tag for tag in reader.open if tag not in _OPTIONAL]
    return done.stdout, reader


def test_the_page_needs_nothing_else(tree: Path) -> None:
    staged(tree, *LET)
    html, reader = page(tree)
    assert html.startswith("<!DOCTYPE html>")
    assert "<script" not in html
    assert "://" not in html
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert len(set(reader.ids)) == len(reader.ids)
    assert {"site-1", "site-2", "site-3", "file-1", "file-2"} <= set(reader.ids)
    assert "prefers-color-scheme: dark" in html


def test_what_changes_is_marked_and_coloured(tree: Path) -> None:
    staged(tree, *LET)
    html, reader = page(tree)
    assert (
        "1 <span aria-hidden=true>−</span><td class=del><code><del><span class=k>var</span></del> a" in html
    )
    assert "<ins><span class=k>let</span></ins> a = <span class=n>1</span>;" in html
    assert "<span class=c>// kept</span>" in html
    assert "3 sites in 2 files" in reader.text


def test_the_texts_of_files_stay_texts(tree: Path) -> None:
    put(tree, "d.js", "var d = '</code><script>alert(1)</script> \u202e \x07';\n")
    staged(tree, *LET)
    html, reader = page(tree)
    assert "<script" not in html
    assert "</code><script>alert(1)</script> U+202E \u2407" in reader.text


def test_refused_matches_and_files_that_were_not_searched_are_there(tree: Path) -> None:
    put(tree, "d.js", "x = oldName;\nfunction oldName() {}\n")
    put(tree, "bad.js", b"oldName = '\xff';\n")
    staged(tree, *PARTED, code=3)
    _, reader = page(tree)
    assert "1 match refused" in reader.text
    assert "d.js:2the result would not parse" in reader.text.replace("\n", "")
    assert "skipped bad.js: encoding" in reader.text


def test_new_and_deleted_files_and_stale_ones(tree: Path) -> None:
    patch = (
        "--- a/sub/c.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-foo(1, 2)\n"
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+import x\n+\n"
    )
    assert edit(tree, "stage", "--diff", "-", stdin=patch.encode()).returncode == 0
    put(tree, "sub/c.py", "foo(3, 4)\n")
    html, reader = page(tree)
    assert "create" in reader.text
    assert "delete" in reader.text
    assert "Stale" in reader.text
    assert "<span class=k>import</span> x" in html


def test_a_page_goes_to_a_file(tree: Path) -> None:
    staged(tree, *LET)
    done = edit(tree, "show", "--html", "out.html")
    assert done.returncode == 0
    assert (tree / "out.html").read_text(encoding="utf-8").endswith("</html>\n")
    done = edit(tree, "show", "--html", "nowhere/out.html")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert edit(tree, "show", "--html", "-", "--stat").returncode == 2


def test_a_browser_shows_it(tree: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium is installed")
    staged(tree, *LET)
    edit(tree, "show", "--html", "out.html")
    shot = tmp_path / "shot.png"
    done = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1200,900",
            f"--screenshot={shot}",
            (tree / "out.html").as_uri(),
        ],
        capture_output=True,
        timeout=120,
        check=False,
    )
    if done.returncode or not shot.exists():
        pytest.skip(f"chromium cannot run here: {done.stderr[-200:]!r}")
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert not re.search(rb"CONSOLE.*error", done.stderr, re.IGNORECASE)
