"""Patterns: reading them and matching them.  Bytes in, values out; no input or output."""

from structural.pattern.compile import Pattern, Reading, compile_pattern

__all__ = ["Pattern", "Reading", "compile_pattern"]
