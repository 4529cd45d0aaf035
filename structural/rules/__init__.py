"""Rules: conditions over patterns, with a message, rewrites and examples.

Order of things: ``reading`` makes values of YAML, ``compile`` makes them ready for one language,
``engine`` finds where they hold in a source, ``rewriting`` makes edits of that.  No file is read here.
"""
