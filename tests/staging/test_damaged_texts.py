"""What was staged is what is committed: texts of the store are checked like the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import StoreError
from structural.staging import EditFile, Site, open_store
from structural.text import Edit, Span


def test_a_changed_text_of_the_store_is_not_committed(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"foo(1);\n")
    store = open_store(tmp_path)
    site = Site(0, (Edit(Span(0, 3), b"bar"),), Span(0, 6), 1)
    change = store.stage([EditFile("a.js", b"foo(1);\n", (site,))], origin={})
    (kept,) = (tmp_path / ".structural" / "changes" / change.id).glob("after.*")
    kept.write_bytes(kept.read_bytes().replace(b"bar", b"baz"))
    with pytest.raises(StoreError, match="damaged"):
        store.commit(change.id)
    assert (tmp_path / "a.js").read_bytes() == b"foo(1);\n"


def test_a_record_nested_beyond_reading_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"foo(1);\n")
    store = open_store(tmp_path)
    site = Site(0, (Edit(Span(0, 3), b"bar"),), Span(0, 6), 1)
    change = store.stage([EditFile("a.js", b"foo(1);\n", (site,))], origin={})
    (tmp_path / ".structural" / "changes" / change.id / "change.json").write_text("[" * 100_000)
    with pytest.raises(StoreError):
        store.load(change.id)
