"""Long campaigns, run by hand: ``python -m tests.campaigns.<name>``."""
