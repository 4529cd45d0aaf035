"""Languages, grammars, trees as columns: the one package that knows tree-sitter."""
