"""The commands of ``astedit``: stage, look, accept or discard.

Imports nothing by itself, so that ``--version`` answers at once.
"""
