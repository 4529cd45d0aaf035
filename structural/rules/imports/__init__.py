"""Rules of another program, written as rules of ours: bytes in, texts and problems out.

``document`` (YAML with places) → ``formula`` (what a rule of semgrep says) → ``conditions`` (the same as
a condition of ours; ``ellipses``, ``patterns``, ``sequences`` and ``comparison`` do its parts) →
``layout`` (YAML for people). ``semgrep`` joins these. Nothing here opens a file.

What a pattern of semgrep means and ours cannot say is a problem with its place, or, where the rule only
finds more or less without it, a remark that also stands as a comment in the text that is made.
"""
