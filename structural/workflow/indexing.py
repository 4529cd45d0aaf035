"""What a surface needs to build, look at, check and drop indexes."""

from structural.search.index.build import Built, Status, build, drop, status, verify
from structural.search.index.indexed import IndexMemory

__all__ = ["Built", "IndexMemory", "Status", "build", "drop", "status", "verify"]
