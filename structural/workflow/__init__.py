"""Where the parts meet: what a command does, without its printing.

Imports nothing by itself: name the module that owns the thing.
"""
