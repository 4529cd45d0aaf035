"""What can be read, and the reasons why something cannot."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from structural.search.read import check_text, read_file, read_head
from structural.search.values import Skipped


def reason(path: Path | str, max_size: int = 0) -> tuple[str, str]:
    result = read_file(str(path), max_size)
    assert isinstance(result, Skipped), result
    return result.reason, result.detail


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1\n",
        b"\xef\xbb\xbfx = 1\n",
        "é€😀".encode(),
        b"a\r\nb\rc",
        b"x" * 10_000 + b"\0",
        b"\x1b[0m",
    ],
)
def test_text_is_given_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    assert read_file(str(path)) == data
    assert check_text("a", data) is None


@pytest.mark.parametrize(
    ("data", "wanted", "part"),
    [
        (b"a\0b", "binary", "NUL"),
        (b"\x7fELF\x02\x01\0\0\xff\xff", "binary", "NUL"),
        ("\ufeffx".encode("utf-16-le"), "encoding", "UTF-16"),
        ("\ufeffx".encode("utf-16-be"), "encoding", "UTF-16"),
        ("\ufeffx".encode("utf-32-le"), "encoding", "UTF-32"),
        ("\ufeffx".encode("utf-32-be"), "encoding", "UTF-32"),
        ("a\né".encode("latin-1"), "encoding", "0xe9 in line 2"),
        (b"\xed\xa0\x80", "encoding", "line 1"),
        (b"\xc3", "encoding", "line 1"),
        (b"a" * 9000 + b"\xff", "encoding", "line 1"),
    ],
)
def test_what_is_no_text_says_why(tmp_path: Path, data: bytes, wanted: str, part: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    found, detail = reason(path)
    assert found == wanted
    assert part in detail
    checked = check_text("a", data)
    assert checked is not None
    assert checked.reason == wanted


def test_too_large_is_told_with_sizes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    assert reason(path, 10) == ("too large", "11 bytes, the limit is 10")
    assert read_file(str(path), 11) == b"x" * 11
    assert read_file(str(path), 0) == b"x" * 11


def test_a_file_that_vanished(tmp_path: Path) -> None:
    assert reason(tmp_path / "a")[0] == "unreadable"
    assert reason("a\0b")[0] == "unreadable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    path.chmod(0)
    assert reason(path) == ("unreadable", "Permission denied")


def test_pipes_sockets_devices_and_folders_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert reason(tmp_path / "pipe") == ("not a file", "a pipe")
    assert reason("/dev/null") == ("not a file", "a device")
    assert reason(tmp_path) == ("not a file", "a folder")
    server = socket.socket(socket.AF_UNIX)
    try:
        monkeypatch.chdir(tmp_path)  # the path of a socket must be short
        server.bind("socket")
        assert reason("socket") == ("not a file", "a socket")
    finally:
        server.close()
    assert read_head(str(tmp_path / "pipe")) == b""


def test_a_file_whose_size_is_not_known_before(tmp_path: Path) -> None:
    if not os.path.exists("/proc/version"):
        pytest.skip("no /proc")
    assert os.stat("/proc/version").st_size == 0
    assert read_file("/proc/version") == Path("/proc/version").read_bytes()


def test_the_head_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"#!/bin/sh\n" + b"x" * 1000)
    assert read_head(str(path)).startswith(b"#!/bin/sh\n")
    assert len(read_head(str(path))) == 256
    assert read_head(str(tmp_path / "none")) == b""
