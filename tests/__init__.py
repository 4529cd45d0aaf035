"""Tests.  ``cases_format`` and ``cases_runner`` read and run the files under ``cases/``."""
