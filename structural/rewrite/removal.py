"""Taking a match out as a whole, and rewriting comments."""

from __future__ import annotations

from structural.rewrite.compose import Composer, Job
from structural.rewrite.draft import Drafting, Text
from structural.rewrite.template import Template


def removal(job: Job, template: Template, composer: Composer, draft: Drafting) -> None:
    """Write the edit of a job whose rewrite is empty or whose pattern is a comment."""
    raise NotImplementedError


__all__ = ["Text", "removal"]
