"""The long tail: languages whose grammars come with the extra ``languages``.

Each row is a language that nobody has tuned: its grammar in
tree-sitter-language-pack, its usual names, and which of its kinds are comments,
strings, blocks and parentheses.  The package itself is imported when one of
these is first used; without it the error says what to install.
"""

from __future__ import annotations

from structural.syntax.language import Embedding, Grammar, Language, Skeleton
from structural.syntax.languages._tail import RULES

_PLAIN = (Skeleton("statement"), Skeleton("statement", "", "\n"))
_FUNCTION = (
    Skeleton("statement", "void f() {\n", "\n}"),
    Skeleton("expression", "void f() { x = ", "; }"),
    *_PLAIN,
)
_SCRIPTS = (
    Embedding("raw_text", "javascript", inside="script_element", unless=r"\blang\s*=\s*[\"']?tsx?\b"),
    Embedding(
        "raw_text", "typescript", inside="script_element", unless=r"^(?![\s\S]*\blang\s*=\s*[\"']?tsx?\b)"
    ),
    Embedding("raw_text", "css", inside="style_element", unless=r"\blang\s*=\s*[\"']?(?!(?:post)?css\b)"),
)

_SKELETONS: dict[str, tuple[Skeleton, ...]] = {
    **dict.fromkeys(("arduino", "cuda", "glsl", "hlsl", "ispc", "objc"), _FUNCTION),
    "d": _FUNCTION,
    "scss": (*_PLAIN, Skeleton("declaration", "a {\n", "\n}"), Skeleton("expression", "a { b: ", "; }")),
    "proto": (*_PLAIN, Skeleton("member", "message M {\n", "\n}")),
    "graphql": (*_PLAIN, Skeleton("member", "type T {\n", "\n}"), Skeleton("argument", "{\n", "\n}")),
    "ocaml": (*_PLAIN, Skeleton("expression", "let x = ", "\n")),
    "elm": (*_PLAIN, Skeleton("expression", "x = ", "\n")),
    "purescript": (Skeleton("statement", "module M where\n", "\n"), Skeleton("expression", "x = ", "\n")),
    "erlang": (*_PLAIN, Skeleton("statement", "f() -> ", ".\n")),
    "gleam": (*_PLAIN, Skeleton("statement", "fn f() {\n", "\n}")),
    "apex": (
        *_PLAIN,
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("statement", "class C { void f() {\n", "\n} }"),
    ),
    "haxe": (*_PLAIN, Skeleton("statement", "class C { function f() {\n", ";\n} }")),
    "wat": (*_PLAIN, Skeleton("statement", "(module (func ", "))")),
    "hack": (Skeleton("statement", "<?hh\n", "\n"),),
    "hare": (*_PLAIN, Skeleton("statement", "fn f() void = {\n", "\n};\n")),
    "odin": (
        Skeleton("statement", "package p\n", "\n"),
        Skeleton("statement", "package p\nf :: proc() {\n", "\n}\n"),
    ),
    "pony": (*_PLAIN, Skeleton("statement", "actor A\n  fun f() =>\n    ", "\n")),
    "wgsl": (*_PLAIN, Skeleton("statement", "fn f() {\n", "\n}")),
    "verilog": (*_PLAIN, Skeleton("member", "module m;\n", "\nendmodule")),
    "vhdl": (*_PLAIN, Skeleton("statement", "architecture a of b is\nbegin\n", "\nend;")),
    "ada": (*_PLAIN, Skeleton("statement", "procedure P is\nbegin\n", "\nend P;")),
    "pascal": (*_PLAIN, Skeleton("statement", "program p; begin\n", "\nend.")),
    "fortran": (*_PLAIN, Skeleton("statement", "program p\n", "\nend program p\n")),
    "bicep": (*_PLAIN, Skeleton("expression", "var x = ", "\n")),
    "beancount": _PLAIN,
    "llvm": (*_PLAIN, Skeleton("statement", "define i32 @f() {\n", "\n}\n")),
    "fsharp": (*_PLAIN, Skeleton("expression", "let x = ", "\n")),
    "v": (*_PLAIN, Skeleton("statement", "fn f() {\n", "\n}")),
    "cairo": (Skeleton("statement", "fn f() {\n", "\n}"), *_PLAIN),
    "prisma": (*_PLAIN, Skeleton("member", "model M {\n", "\n}")),
    "smithy": (Skeleton("statement", '$version: "2"\nnamespace n\n', "\n"),),
    "thrift": (*_PLAIN, Skeleton("member", "struct S {\n", "\n}")),
    "capnp": (*_PLAIN, Skeleton("member", "struct S {\n", "\n}")),
    "jsonnet": (*_PLAIN, Skeleton("pair", "{\n", "\n}")),
    "rego": (Skeleton("statement", "package p\n", "\n"), Skeleton("statement", "package p\nx { ", " }\n")),
    "xml": (*_PLAIN, Skeleton("statement", "<r>", "</r>"), Skeleton("attribute", "<a ", "/>")),
    "make": (*_PLAIN, Skeleton("statement", "a:\n\t", "\n")),
    "qml": (*_PLAIN, Skeleton("member", "Item {\n", "\n}")),
}
"""Places to read a fragment in, where the top of a file is not enough."""

_TERMINATED = (
    "apex arduino cairo cuda d glsl groovy hack hare haxe hlsl ispc objc perl proto scss sql squirrel wgsl"
)
"""Statements of these end with a semicolon that a fragment may lack."""

_STAND_INS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hack", "perl", "powershell"), ("{}", "${}")),
    **dict.fromkeys(("beancount", "erlang"), ("{}", "{^}")),
    "kdl": ("{}", '"{}"'),
    "sparql": ("{}", "?{}", "<{}>"),
    "bibtex": ("{}", "{{{}}}"),
    "wat": ("{}", "${}"),
}
"""What a metavariable is written as where a plain name will not do."""

# name | grammar, if it is called otherwise | suffixes | file names | other names
#   | comments | strings | blocks | parentheses, `()` for the usual name of their kind
_ROWS = """
ada | | .adb .ads | | | comment | string_literal | handled_sequence_of_statements |
agda | | .agda | | | comment pragma | | |
apex | | .cls .trigger | | | line_comment block_comment | string_literal | block class_body | ()
arduino | | .ino .pde | | | comment | string_literal | translation_unit compound_statement | ()
asm | | .asm .s | | assembly | line_comment block_comment | string | program |
astro | | .astro | | | comment | | document |
beancount | | .beancount | | | comment | string | file |
bibtex | | .bib | | | comment | | document |
bicep | | .bicep | | | comment diagnostic_comment | string | infrastructure | ()
bitbake | | .bb .bbappend .bbclass | | | comment line_continuation | string | recipe block | ()
cairo | | .cairo | | | comment | string short_string | program block | ()
capnp | | .capnp | | capnproto | comment | string | message |
clojure | | .clj .cljs .cljc .edn | | clj | comment | str_lit | source |
cmake | | .cmake | CMakeLists.txt | | line_comment bracket_comment | | source_file body |
commonlisp | | .lisp .lsp .cl | | lisp | comment block_comment | str_lit | source |
cuda | | .cu .cuh | | | comment | string_literal | translation_unit compound_statement | ()
d | | .d .di | | dlang | comment | string | source_file |
dockerfile | | .dockerfile | Dockerfile Dockerfile.* Containerfile | docker | comment line_continuation \
| double_quoted_string single_quoted_string | source_file |
elisp | | .el | | emacs-lisp | comment | string | source_file |
elm | | .elm | | | line_comment block_comment | string_constant_expr | file | parenthesized_expr
erlang | | .erl .hrl | | | comment | string | source_file | paren_expr
fennel | | .fnl | | | comment | string | program |
fish | | .fish | | | comment | double_quote_string single_quote_string | program |
fortran | | .f90 .f95 .f03 .f08 .f .for | | | comment | string_literal | translation_unit | ()
fsharp | | .fs .fsx | | f# | line_comment block_comment | string | file | paren_expression
gdscript | | .gd | | | comment line_continuation | string | source body | ()
gleam | | .gleam | | | comment module_comment statement_comment | string | source_file block |
glsl | | .glsl .vert .frag .comp .geom | | | comment | string_literal \
| translation_unit compound_statement | ()
gn | | .gn .gni | | | comment | string | source_file block | ()
graphql | | .graphql .gql .graphqls | | gql | comment | string_value | document |
groovy | | .groovy .gradle .gvy | Jenkinsfile | gradle | line_comment block_comment | string \
| source_file block |
hack | | .hack .hhi | | | comment | string | script compound_statement | ()
hare | | .ha | | | comment | string raw_string | module block | parenthesis_expression
haxe | | .hx | | | comment | string | module block |
heex | | .heex | | | comment | | fragment |
hlsl | | .hlsl .fx | | | comment | string_literal | translation_unit compound_statement | ()
ini | | .ini .cfg | .editorconfig .gitconfig .flake8 .pylintrc | dosini | comment | | document section |
ispc | | .ispc | | | comment | string_literal | translation_unit compound_statement | ()
janet | | .janet | | | line_comment | str_literal | source_file |
jsonnet | | .jsonnet .libsonnet | | | comment | string | document | parenthesis
julia | | .jl | | jl | line_comment block_comment | string_literal | source_file block | ()
kconfig | | .kconfig | Kconfig | | comment | string | configuration | ()
kdl | | .kdl | | | single_line_comment multi_line_comment | string | document |
latex | | .tex .sty | | tex | line_comment block_comment | | source_file |
llvm | | .ll | | | comment | string | module |
luau | | .luau | | | comment | string | chunk block | ()
make | | .mk .mak | Makefile makefile GNUmakefile | makefile | comment | string | makefile |
matlab | | .matlab | | octave | comment line_continuation | string | source_file block | parenthesis
meson | | | meson.build meson_options.txt meson.options | | comment | string | source_file |
ninja | | .ninja | | | comment | | manifest |
nim | | .nim .nims .nimble | | \
| comment block_comment documentation_comment block_documentation_comment \
| interpreted_string_literal raw_string_literal long_string_literal | source_file statement_list \
| parenthesized
objc | | .m .mm | | objective-c objectivec | comment | string_literal \
| translation_unit compound_statement | ()
ocaml | | .ml | | | comment | string quoted_string | compilation_unit | ()
ocaml_interface | | .mli | | | comment | string quoted_string | compilation_unit | ()
odin | | .odin | | | comment block_comment | string | source_file block | ()
org | | .org | | | comment | | document body |
pascal | | .pas .dpr .lpr | | delphi | comment | | root statements |
perl | | .pl .pm .t | | pl | comment | string_literal | source_file block |
pony | | .pony | | | line_comment block_comment | string | source_file block | ()
powershell | | .ps1 .psm1 .psd1 | | pwsh ps1 | comment | string_literal | program statement_list | ()
prisma | | .prisma | | | comment document_comment | string | |
properties | | .properties | | | comment | | file |
proto | | .proto | | protobuf | comment | string | source_file message_body enum_body |
puppet | | .pp | | | comment | string | source_file block | ()
purescript | | .purs | | | comment | string | purescript |
qml | qmljs | .qml | | qmljs | comment | string | program statement_block | ()
r | | .r | | rlang | comment | string | program braced_expression | ()
racket | | .rkt | | | comment block_comment sexp_comment | string | program |
rego | | .rego | | opa | comment | string raw_string | source_file rule_body |
requirements | | | requirements.txt requirements-*.txt | | comment | | file |
ron | | .ron | | | line_comment block_comment | string raw_string | source_file |
rst | | .rst | | restructuredtext | comment | | document body |
scheme | | .scm .ss | | | comment block_comment | string | program |
scss | | .scss | | | comment js_comment | string_value | stylesheet block |
smithy | | .smithy | | | comment documentation_comment | string | source_file |
sparql | | .rq .sparql | | | comment | string | unit |
sql | | .sql .ddl .dml | | | comment marginalia | | program block | ()
squirrel | | .nut | | | comment | string | script block | ()
starlark | | .star .sky | BUILD.bazel MODULE.bazel Tiltfile | bazel | comment line_continuation \
| string | module block | ()
svelte | | .svelte | | | comment | | document |
tcl | | .tcl | | | comment | | source_file |
thrift | | .thrift | | | comment | string | document |
twig | | .twig | | jinja | comment | string | template |
typst | | .typ | | | comment | string | source_file block |
v | | .vv .vsh | | vlang | comment | | source_file block | ()
verilog | | .v .vh .sv .svh | | systemverilog | comment | string_literal | source_file |
vhdl | | .vhd .vhdl | | | comment | string_literal | design_file sequence_of_statements | ()
vim | | .vim | .vimrc _vimrc vimrc | vimscript viml | comment line_continuation_comment \
| string_literal | script_file body |
vue | | .vue | | | comment | | document |
wat | | .wat .wast | | webassembly | comment_block comment_line | string | ROOT |
wgsl | | .wgsl | | | line_comment block_comment | | source_file compound_statement | ()
xml | | .xml .xsd .xsl .xslt .svg .plist .csproj .props .targets .xaml | | svg xsd | Comment | AttValue \
| document content |
"""


def _language(row: str) -> Language:
    name, pack, suffixes, filenames, aliases, comments, strings, blocks, parens = (
        cell.strip() for cell in row.split("|")
    )
    return Language(
        name=name,
        grammar=Grammar(pack=pack or name),
        suffixes=tuple(suffixes.split()),
        filenames=tuple(filenames.split()),
        aliases=tuple(aliases.split()),
        skeletons=_SKELETONS.get(name, _PLAIN),
        stand_ins=_STAND_INS.get(name, ("{}",)),
        ellipsis_stand_ins=("{};",) if name in _TERMINATED.split() else (),
        terminators=(";",) if name in _TERMINATED.split() else (),
        comments=frozenset(comments.split()),
        # White space between the arguments of a command is a node there.
        layout=frozenset({"command_argument_sep"} if name == "powershell" else ()),
        strings=frozenset(strings.split()),
        slots=frozenset({"command_elements"} if name == "powershell" else ()),
        blocks=frozenset(blocks.split()),
        parens=frozenset(parens.replace("()", "parenthesized_expression").split()),
        case_insensitive=name in ("sql", "vhdl", "ada", "pascal", "fortran", "cmake", "dockerfile"),
        embedded=_SCRIPTS if name in ("svelte", "vue") else (),
        **RULES.get(name, {}),
    )


LANGUAGES = tuple(_language(row) for row in _ROWS.strip().splitlines())
