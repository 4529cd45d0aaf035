"""Options of the test run: ``--update-cases`` writes what was found into the case files."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from structural.search import source


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="rewrite the matches and console blocks of the cases that disagree; read the result",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-cases") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--update-cases is refused where CI is set: there nobody reads what it fills in"
        )
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A job in the background of a script ignores interrupts, and its children inherit that:
        # the commands that the tests interrupt would go on.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a cluster come last: its client leaves threads, and then no process is forked."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is not None)


@pytest.fixture(scope="module")
def filtered_from_the_start() -> Iterator[None]:
    """Every filter is used from the first file on, also those that pay only later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "ROWS_BYTES", 0)
        yield


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-cases"))
