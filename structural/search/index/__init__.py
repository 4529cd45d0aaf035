"""The index: columns of the files of a tree, kept on disk between searches.

It is a memory (``structural.search.memory``) whose blocks were written by an earlier process.
Nothing in it is trusted that was not looked at again, and whatever is missing, moved or damaged
is searched as without it.  Only files below the user's cache folder are written here.
"""
