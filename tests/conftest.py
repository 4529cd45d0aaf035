"""Options of the test run: ``--update-cases`` writes what was found into the case files."""

from __future__ import annotations

import os

import pytest


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


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-cases"))
