"""Where the user's cache folder is."""

from __future__ import annotations

import sys

import pytest

from structural.search.caches import cache_folder

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the custom of other systems")


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"HOME": "/home/a"}, "/home/a/.cache/structural"),
        ({"HOME": "/home/a", "XDG_CACHE_HOME": "/big"}, "/big/structural"),
        ({"HOME": "/home/a", "XDG_CACHE_HOME": "relative"}, "/home/a/.cache/structural"),
        ({"HOME": "/home/a", "XDG_CACHE_HOME": ""}, "/home/a/.cache/structural"),
        ({"HOME": "/home/a", "XDG_CACHE_HOME": "/big", "STRUCTURAL_CACHE_DIR": "/own"}, "/own"),
        ({"HOME": "", "XDG_CACHE_HOME": "/big"}, "/big/structural"),
        ({"HOME": ""}, None),
        ({"HOME": "relative"}, None),
    ],
)
def test_it_goes_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], folder: str | None
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "STRUCTURAL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == folder
