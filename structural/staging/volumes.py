"""Whether a folder is on a network.  Asked only where a file system cannot exchange names."""

from __future__ import annotations

import os
import re

_NETWORK = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|afs|afpfs|ncpfs|9p|ceph|glusterfs|lustre|fuse\.(sshfs|rclone|s3fs).*"
)


def is_network(folder: str, table: str = "/proc/self/mountinfo") -> bool:
    """Whether *folder* is on a network file system; False where the system does not tell."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as lines:
            mounts = [_mount(line) for line in lines]
    except OSError:
        return False
    real = os.path.join(os.path.realpath(folder), "")
    above = [(point, kind) for point, kind in mounts if real.startswith(os.path.join(point, ""))]
    if not above:
        return False
    # Of several mounts at one point the last one is seen.
    longest = max(len(point) for point, _ in above)
    return bool(_NETWORK.fullmatch([kind for point, kind in above if len(point) == longest][-1]))


def _mount(line: str) -> tuple[str, str]:
    """The mount point and the kind of file system of a line of ``mountinfo``."""
    front, _, back = line.partition(" - ")
    point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), front.split(" ")[4])
    return point, back.split(" ")[0]
