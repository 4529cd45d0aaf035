"""The version of this program; ``pyproject.toml`` says the same, and a test compares."""

VERSION = "0.1.0"
