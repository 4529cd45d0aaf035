"""The languages that come with the program, one module each.

A new language is one new file here with a ``LANGUAGE`` (or ``LANGUAGES``) in
it; nothing else needs to know.
"""
