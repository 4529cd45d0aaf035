"""Benchmarks: this project and what a user would take instead, measured in one run."""
