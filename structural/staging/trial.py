"""Whether names can be exchanged in every folder of a commit, tried with files of our own.

After this a second mount, a network or a file system without links is no surprise.
"""

from __future__ import annotations

import os

from structural.errors import UnwritableError
from structural.staging.disk import new_file
from structural.staging.journal import Plan, Step
from structural.staging.native import NotSupported
from structural.staging.places import Places
from structural.staging.values import Action
from structural.staging.volumes import is_network


def try_exchange(places: Places, plan: Plan) -> None:
    """See, with our own files only, that every folder has an exchange with the store, or at least
    links.  UnwritableError if one has neither, or lies on a network without an exchange."""
    disk = places.disk
    trial = places.trial(plan)
    tried: set[str] = set()
    new_file(disk, trial, b"")
    for step in plan.steps:
        path = places.beside(plan, step)
        folder = os.path.dirname(path)
        if step.action is not Action.MODIFY or folder in tried:
            continue
        tried.add(folder)
        try:
            disk.exchange(path, trial)
            disk.exchange(path, trial)
        except NotSupported:
            if is_network(folder):
                raise UnwritableError(
                    f"{step.path} is on a network file system that cannot exchange two files at once; "
                    "nothing was changed",
                    files=((step.path, "is on a network file system without exchange"),),
                ) from None
            _try_links(places, step, path, trial)
        except OSError as error:
            raise _not_exchangeable(step, error) from error
    disk.unlink(trial)


def _try_links(places: Places, step: Step, path: str, trial: str) -> None:
    try:
        places.disk.link(path, trial + ".link")
        places.disk.unlink(trial + ".link")
    except OSError as error:
        raise _not_exchangeable(step, error) from error


def _not_exchangeable(step: Step, error: OSError) -> UnwritableError:
    reason = f"cannot be exchanged with another file ({error.strerror})"
    return UnwritableError(f"{step.path} {reason}; nothing was changed", files=((step.path, reason),))
