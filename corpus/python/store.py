"""A store of documents.  if x is not None: x.close() is not code here."""

from __future__ import annotations

import os.path as osp
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    name: str
    size: int = 0
    tags: list[str] = field(default_factory=list)


class Store(dict):
    """Entries by name."""

    limit: int = 10

    def __init__(self, root, *args, strict=False, **options) -> None:
        super().__init__(*args, **options)
        self.root = root
        self.strict = strict
        self.handle = None

    @property
    def path(self):
        return osp.join(self.root, "größe.txt")

    @staticmethod
    def parse(line): return line.split(",", 1)

    async def lines(self) -> Iterator[str]:
        async with self.open() as stream:
            async for line in stream:
                yield line

    def close(self, other=None):
        if self.handle is not None:
            self.handle.close()
        if other is not None: other.close()
        # The guard that closes something else.
        if other is not None:
            self.handle.close()


def load(path, *, mode="r", **kwargs):
    text = 'if handle is not None: handle.close()'
    try:
        with open(path, mode) as stream, open("log") as log:
            data = stream.read()
    except (OSError, ValueError) as error:
        raise RuntimeError(f"cannot read {path!r}: {error:>{len(text)}}") from error
    except:
        pass
    else:
        return data
    finally:
        print("done", path, sep=", ",)


def classify(value):
    match value:
        case {"kind": kind, **rest} if rest:
            return kind
        case Entry(name="", size=0) | None:
            return "empty"
        case [first, *_]:
            return first
        case _:
            return "other"


def main(argv):
    total = 0
    for index, (name, size) in enumerate(argv):
        if not name:
            continue
        elif size == size and name in argv:
            total += size * 2 ** 3 // 4
        else:
            total -= \
                1
    while (chunk := argv.pop()) is not None and total not in (1, 2):
        del chunk
    squares = [x * x for x in range(10) if x % 2]
    lookup = {key: value for key, value in zip(squares, squares)}
    pick = lambda a, b=1, *rest: a if b else rest
    assert lookup, "empty"
    return pick(total, *squares, **{"a": 1, **lookup})
