"""Rewriting: a match and a template become edits, each checked before anyone sees it.

Pure: bytes in, values out.  Knows no files and no store.
"""
