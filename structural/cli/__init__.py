"""The commands ``astgrep`` and ``astedit``: options in, text or JSON out.

The only package that prints.  Imports nothing by itself, so that ``--version``
answers at once.
"""
