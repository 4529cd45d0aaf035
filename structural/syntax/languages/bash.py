"""Shell: Bash, and what sh and zsh have in common with it."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="bash",
    aliases=("sh", "zsh", "shell", "ksh", "shellscript"),
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".eclass"),
    filenames=(
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        "PKGBUILD",
        "APKBUILD",
    ),
    interpreters=("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh"),
    grammar=Grammar("tree_sitter_bash", pack="bash"),
    skeletons=(
        # In an `if` the words `elif` and `else` are keywords, at the top they are commands.
        Skeleton("statement", "if x; then y\n", "\nfi\n"),
        Skeleton("statement", "", "\n"),
        Skeleton("expression", "[[ ", " ]]\n"),
        Skeleton("expression", "(( ", " ))\n"),
        Skeleton("top", "", "\n"),
        Skeleton("clause", "if x; then y\n", "\nfi\n"),
        Skeleton("case", "case x in\n", "\nesac\n"),
        Skeleton("argument", "f ", "\n"),
        Skeleton("argument", "f x ", "\n"),
        Skeleton("arithmetic", "echo $((", "))\n"),
    ),
    # `{};` closes a command before `}` or `done`; `{}) ;;` is a branch of a case.
    ellipsis_stand_ins=("{};", "{}) ;;"),
    comments=frozenset({"comment"}),
    line_comments=("#",),
    terminator_tokens=frozenset({";", ";;"}),
    partings={
        **dict.fromkeys(
            [
                "program",
                "compound_statement",
                "do_group",
                "subshell",
                "if_statement",
                "elif_clause",
                "else_clause",
                "case_item",
                "command_substitution",
                "process_substitution",
                "list",
                "pipeline",
            ],
            ("|", "|&", "&&", "||", "&"),
        )
    },
    strings=frozenset({"string", "raw_string"}),
    # An `if` or `while` holds its commands directly, beside its keywords.
    clauses=frozenset({"elif_clause", "else_clause"}),
    whole=frozenset({"command"}),
    blocks=frozenset(
        {
            "program",
            "compound_statement",
            "subshell",
            "do_group",
            "if_statement",
            "elif_clause",
            "else_clause",
            "while_statement",
            "for_statement",
            "c_style_for_statement",
            "case_item",
            "case_statement",
            "command_substitution",
            "process_substitution",
        }
    ),
    optional_tokens={"function_definition": frozenset({"function", "(", ")"})},
    filler=":",
    grouping=("", ""),
    verbatim=frozenset({"heredoc_body", "heredoc_end"}),
    imports=Imports(texts=r"(?:source|\.)\s", texts_before=r"set\s"),
    defines=(
        Defines("function", "function_definition"),
        Defines("variable", "variable_assignment", "@name=variable_name", level=True),
    ),
    levels=frozenset({"program", "declaration_command", "list"}),
    wrappers=frozenset({"declaration_command"}),
)
