"""The user's cache folder, below which indexes and the results of scans lie."""

from __future__ import annotations

import os
import sys


def cache_folder() -> str | None:
    """The folder of this program in the user's cache folder, there or not; None if the user has none.

    ``STRUCTURAL_CACHE_DIR`` names it, else the system's custom does."""
    named = os.environ.get("STRUCTURAL_CACHE_DIR")
    if named:
        return os.path.abspath(named)
    home = os.path.expanduser("~") if os.environ.get("HOME") != "" else ""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.path.join(home, ".cache")
    # A path that is not absolute is to be ignored, by the XDG specification.
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    base = xdg if os.path.isabs(xdg) else base
    return os.path.join(base, "structural") if os.path.isabs(base) else None
