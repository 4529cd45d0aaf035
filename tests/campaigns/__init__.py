"""Long campaigns, run by hand: ``python -m tests.campaigns.<name>``."""

from structural.search import source

# Here every filter is used from the first file on, also those that pay only later.
source.ROWS_BYTES = 0
