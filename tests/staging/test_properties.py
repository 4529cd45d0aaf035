"""Staging, committing and undoing any edits of any files gives back bytes, mode, owner and attributes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.errors import NothingToStageError
from structural.staging import CreateFile, DeleteFile, EditFile, ProposedFile, Site, open_store
from structural.text import Edit, Span
from structural.text.edits import apply, checked

from .trees import assert_tidy, snapshot, write

CONTENT = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from([b"a\r\n", b"b\n", b"\xef\xbb\xbf", b"c", b"\r", b"\x00"]), max_size=12).map(
        b"".join
    ),
)
NAMES = st.sampled_from(["a", "b.py", "d/c", "d/e/f", "g h", "ü"])
MODES = st.sampled_from([0o644, 0o600, 0o755, 0o640, 0o4755, 0o200])


@st.composite
def edits_of(draw: st.DrawFn, text: bytes) -> tuple[Edit, ...]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    return checked(
        [Edit(Span(i, j), draw(st.binary(max_size=6))) for i, j in zip(cuts[::2], cuts[1::2], strict=False)],
        len(text),
    )


@st.composite
def changes(draw: st.DrawFn) -> tuple[dict[str, tuple[bytes, int]], list[ProposedFile], dict[str, bytes]]:
    files = draw(st.dictionaries(NAMES, st.tuples(CONTENT, MODES), max_size=5))
    proposals: list[ProposedFile] = []
    after = {name: content for name, (content, _) in files.items()}
    for name, (content, _) in files.items():
        what = draw(st.sampled_from(["edit", "edit", "delete", "leave"]))
        if what == "edit":
            edits = draw(edits_of(content))
            sites = tuple(Site(0, (edit,), edit.span, 1) for edit in edits)
            proposals.append(EditFile(name, content, sites))
            after[name] = apply(content, edits)
        elif what == "delete":
            proposals.append(DeleteFile(name, content))
            del after[name]
    if draw(st.booleans()):
        content = draw(CONTENT)
        proposals.append(CreateFile("new/deep/file", content, executable=draw(st.booleans())))
        after["new/deep/file"] = content
    return files, proposals, after


@settings(max_examples=60, deadline=None)
@given(changes())
def test_commit_and_undo(
    in_memory: Path,
    change: tuple[dict[str, tuple[bytes, int]], list[ProposedFile], dict[str, bytes]],
) -> None:
    files, proposals, after = change
    root = Path(tempfile.mkdtemp(dir=in_memory))
    for number, (name, (content, mode)) in enumerate(files.items()):
        write(root, {name: content})
        if hasattr(os, "chown") and os.geteuid() == 0:
            os.chown(root / name, 1000 + number, 2000)
        os.chmod(root / name, mode)
        with contextlib.suppress(OSError):
            os.setxattr(root / name, "user.number", b"%d" % number)
    old = snapshot(root)
    store = open_store(root)
    try:
        name = store.stage(proposals, origin={}).id
    except NothingToStageError:
        assert all(isinstance(proposal, EditFile) for proposal in proposals)
        return
    assert snapshot(root) == old
    change_read = open_store(root).load(name)
    for file, before, content in store.texts(name):
        assert apply(before, file.edits) == content
    store.commit(name)
    new = snapshot(root)
    assert {path: entry[0] for path, entry in new.items() if entry} == after
    for path in set(after) & set(files):
        assert new[path][1:] == old[path][1:], path
    assert store.load(name).files == change_read.files
    back = store.undo()
    assert snapshot(root) == old
    store.undo(back.id)
    assert snapshot(root) == new
    assert_tidy(root)


@pytest.mark.parametrize(
    "text",
    [b"a x\r\nb x\r\n", b"\xef\xbb\xbfx\n", b"x\r\ny\nx\rx", b"x", b"\xff\xfe x \x00", b"x\n" * 1000],
    ids=["crlf", "bom", "mixed", "no end", "no text", "long"],
)
def test_bytes_outside_the_edits_are_untouched(tmp_path: Path, text: bytes) -> None:
    write(tmp_path, {"f": text})
    sites = tuple(
        Site(0, (Edit(Span(at, at + 1), b"yy"),), Span(at, at + 1), 1)
        for at in range(len(text))
        if text[at : at + 1] == b"x"
    )
    store = open_store(tmp_path)
    name = store.stage([EditFile("f", text, sites)], origin={}).id
    store.commit(name)
    assert (tmp_path / "f").read_bytes() == text.replace(b"x", b"yy")
    store.undo()
    assert (tmp_path / "f").read_bytes() == text


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs Linux")
def test_access_control_lists_are_kept(tmp_path: Path) -> None:
    acl = bytes.fromhex(
        "0200000001000600ffffffff02000700e803000004000400ffffffff10000700ffffffff20000000ffffffff"
    )
    write(tmp_path, {"f": b"x"})
    try:
        os.setxattr(tmp_path / "f", "system.posix_acl_access", acl)
        os.setxattr(tmp_path, "system.posix_acl_default", acl.replace(b"\xe8\x03", b"\xe9\x03"))
    except OSError:
        pytest.skip("the file system has no access control lists")
    write(tmp_path, {"plain": b"x"})
    os.removexattr(tmp_path / "plain", "system.posix_acl_access")
    old = snapshot(tmp_path)
    store = open_store(tmp_path)
    site = Site(0, (Edit(Span(0, 1), b"y"),), Span(0, 1), 1)
    store.commit(store.stage([EditFile(p, b"x", (site,)) for p in ("f", "plain")], origin={}).id)
    new = snapshot(tmp_path)
    for path in ("f", "plain"):
        assert new[path][1:] == old[path][1:]
