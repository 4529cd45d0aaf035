"""Long campaigns, run by hand: ``python -m tests.campaigns.<name>``."""

from structural.search import source


def filter_from_the_start() -> None:
    """Use every filter from the first file on in this process, also those that pay only later."""
    source.ROWS_BYTES = 0
