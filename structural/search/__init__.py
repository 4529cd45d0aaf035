"""Searching: the door that reads.  Walks the files, reads them, and gives values.

Imports nothing by itself: name the module that owns the thing.
"""
