"""The long tail: each language of the pack reads a trivial pattern and finds it.

These languages have no cases of their own.  Without the extra ``languages`` the
tests that need its grammars are skipped.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator

import pytest

from structural import search_text
from structural.errors import LanguageError
from structural.syntax import registry
from structural.syntax.grammar import LoadedGrammar
from structural.syntax.languages._pack import LANGUAGES

BY_NAME = {language.name: language for language in LANGUAGES}

NEEDS_PACK = pytest.mark.skipif(
    importlib.util.find_spec("tree_sitter_language_pack") is None,
    reason="the extra structural[languages] is not installed",
)

SNIPPETS: dict[str, tuple[str, str]] = {
    "ada": ("Put ($X)", "procedure P is\nbegin\n   Put (1);\nend P;\n"),
    "agda": ("f = $X", "module M where\nf = a\n"),
    "apex": ("foo($X)", "class C { void f() { foo(1); } }"),
    "arduino": ("foo($X)", "void setup() { foo(1); }"),
    "asm": ("mov eax, $X", "mov eax, 1\n"),
    "astro": ("<p>$X</p>", "<p>a</p>"),
    "beancount": ("2020-01-01 open Assets:$X", "2020-01-01 open Assets:Cash\n"),
    "bibtex": ("@book{$K, title = $T}", "@book{a, title = {b}}"),
    "bicep": ("foo($X)", "var x = foo(1)\n"),
    "bitbake": ("A = $X", 'A = "b"\n'),
    "cairo": ("foo($X)", "fn f() { foo(1); }"),
    "capnp": ("a @0 :$T;", "@0xdbb9ad1f14bf0b36;\nstruct S { a @0 :Text; }"),
    "clojure": ("(foo $X)", "(foo 1)"),
    "cmake": ("set($X 1)", "set(A 1)\n"),
    "commonlisp": ("(foo $X)", "(foo 1)"),
    "cuda": ("foo($X)", "__global__ void f() { foo(1); }"),
    "d": ("foo($X)", "void f() { foo(1); }"),
    "dockerfile": ("FROM $X", "FROM a\n"),
    "elisp": ("(foo $X)", "(foo 1)"),
    "elm": ("f $X", "x = f 1\n"),
    "erlang": ("foo($X)", "f() -> foo(1).\n"),
    "fennel": ("(foo $X)", "(foo 1)"),
    "fish": ("echo $X", "echo a\n"),
    "fortran": ("call foo($X)", "program p\n  call foo(1)\nend program p\n"),
    "fsharp": ("foo $X", "let x = foo 1\n"),
    "gdscript": ("foo($X)", "func f():\n\tfoo(1)\n"),
    "gleam": ("foo($X)", "fn f() { foo(1) }"),
    "glsl": ("foo($X)", "void main() { foo(1); }"),
    "gn": ("foo($X)", 'foo("a") {\n}\n'),
    "graphql": ("a: $T", "type T { a: Int }"),
    "groovy": ("foo($X)", "foo(1)\n"),
    "hack": ("foo($X)", "<?hh\nfoo(1);\n"),
    "hare": ("foo($X)", "fn f() void = { foo(1); };\n"),
    "haxe": ("foo($X)", "class C { function f() { foo(1); } }"),
    "heex": ("<p>$X</p>", "<p>a</p>"),
    "hlsl": ("foo($X)", "void main() { foo(1); }"),
    "ini": ("a = $X", "[s]\na = 1\n"),
    "ispc": ("foo($X)", "void f() { foo(1); }"),
    "janet": ("(foo $X)", "(foo 1)"),
    "jsonnet": ("foo($X)", "foo(1)"),
    "julia": ("foo($X)", "foo(1)\n"),
    "kconfig": ("config $X\n\tbool", "config A\n\tbool\n"),
    "kdl": ("foo $X", 'foo "a"\n'),
    "latex": ("\\section{$X}", "\\section{a}\n"),
    "llvm": ("call void @$X()", "define void @f() {\n  call void @g()\n  ret void\n}\n"),
    "luau": ("foo($X)", "foo(1)\n"),
    "make": ("A = $X", "A = b\n"),
    "matlab": ("foo($X)", "foo(1)\n"),
    "meson": ("foo($X)", "foo('a')\n"),
    "ninja": ("a = $X", "a = b\n"),
    "nim": ("foo($X)", "foo(1)\n"),
    "objc": ("[a foo:$X]", "void f() { [a foo:1]; }"),
    "ocaml": ("foo $X", "let x = foo 1\n"),
    "ocaml_interface": ("val f : $T", "val f : int\n"),
    "odin": ("foo($X)", "package p\nf :: proc() {\n\tfoo(1)\n}\n"),
    "org": ("* $X", "* a"),
    "pascal": ("foo($X)", "program p; begin foo(1); end."),
    "perl": ("foo($X)", "foo(1);\n"),
    "pony": ("foo($X)", "actor A\n  fun f() =>\n    foo(1)\n"),
    "powershell": ("Get-Item $X", "Get-Item a\n"),
    "prisma": ("id $T", "model A {\n  id Int\n}\n"),
    "properties": ("a = $X", "a = b\n"),
    "proto": ("string $A = 1;", 'syntax = "proto3";\nmessage M { string a = 1; }'),
    "puppet": ("foo($X)", "foo(1)\n"),
    "purescript": ("f $X", "module M where\nx = f 1\n"),
    "qml": ("a: $X", "Item { a: 1 }"),
    "r": ("foo($X)", "foo(1)\n"),
    "racket": ("(foo $X)", "(foo 1)"),
    "rego": ("foo($X)", "package p\nx { foo(1) }\n"),
    "requirements": ("foo==$V", "foo==1.0\n"),
    "ron": ("(a: $X)", "(a: 1)"),
    "rst": (".. note:: $X", ".. note:: a\n"),
    "scheme": ("(foo $X)", "(foo 1)"),
    "scss": ("color: $X;", "a { color: red; }"),
    "smithy": ("string $X", '$version: "2"\nnamespace n\nstring A\n'),
    "sparql": ("SELECT ?a WHERE { ?a a $X }", "SELECT ?a WHERE { ?a a <b> }"),
    "sql": ("SELECT $X FROM t", "SELECT a FROM t;"),
    "squirrel": ("foo($X)", "foo(1);\n"),
    "starlark": ("foo($X)", "foo(1)\n"),
    "svelte": ("<p>$X</p>", "<p>a</p>"),
    "tcl": ("foo $X", "foo 1\n"),
    "thrift": ("1: string $N", "struct S { 1: string a }"),
    "twig": ("{{ $X }}", "{{ a }}"),
    "typst": ("#foo($X)", "#foo(1)\n"),
    "v": ("foo($X)", "fn f() {\n\tfoo(1)\n}\n"),
    "verilog": ("assign a = $X;", "module m; assign a = b; endmodule\n"),
    "vhdl": ("a <= $X;", "architecture x of y is\nbegin\n  a <= b;\nend;\n"),
    "vim": ("call foo($X)", "call foo(1)\n"),
    "vue": ("<p>$X</p>", "<template><p>a</p></template>"),
    "wat": ("(call $F)", "(module (func (call $g)))"),
    "wgsl": ("let x = $Y;", "fn f() { let x = y; }"),
    "xml": ("<p>$X</p>", "<r><p>a</p></r>"),
}
"""Language → a pattern, and a text in which it stands once."""


@pytest.fixture
def long_tail() -> Iterator[None]:
    """The registry with the long tail in it, for one test."""
    saved = dict(registry._extra)
    for language in LANGUAGES:
        registry.add(language)
    yield
    registry._extra.clear()
    registry._extra.update(saved)
    for cached in (
        registry._all,
        registry._aliases,
        registry._suffixes,
        registry._filenames,
        registry._interpreters,
    ):
        cached.cache_clear()


def test_every_language_has_a_snippet() -> None:
    assert set(SNIPPETS) == set(BY_NAME)


def test_no_name_is_taken() -> None:
    """Neither a tuned language nor another one of the tail has the same suffix or file name."""
    taken: dict[str, str] = {}
    tuned = [registry.get(name) for name in registry.names()]
    for language in [*(x for x in tuned if x.name not in BY_NAME), *LANGUAGES]:
        for key in (*language.suffixes, *language.filenames):
            assert key not in taken, f"{key} belongs to {taken[key]} and to {language.name}"
            taken[key] = language.name


@NEEDS_PACK
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_kinds_exist(name: str) -> None:
    language = BY_NAME[name]
    grammar = LoadedGrammar(language)
    kinds = language.comments | language.layout | language.strings | language.blocks | language.parens
    missing = sorted(kind for kind in kinds | language.slots if not grammar.has(kind))
    assert not missing, f"the grammar of {name} has no {', '.join(missing)}"


@NEEDS_PACK
@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_a_trivial_pattern_finds_itself(name: str, long_tail: None) -> None:
    pattern, text = SNIPPETS[name]
    found = search_text(pattern, text, name)
    assert len(found.matches) == 1
    assert not found.syntax_errors


@NEEDS_PACK
def test_scripts_in_components_are_searched(long_tail: None) -> None:
    text = "<script>foo(1)</script><script lang='ts'>foo(<any>2)</script><style>a { color: red }</style>"
    for host in ("vue", "svelte"):
        assert [m.span.start for m in search_text("foo(1)", text, "javascript", host=host)] == [8]
        assert len(search_text("foo($X)", text, "typescript", host=host)) == 1
        assert len(search_text("color: $X", text, "css", host=host)) == 1


def test_without_the_pack_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    with pytest.raises(LanguageError) as caught:
        LoadedGrammar(BY_NAME["perl"])
    assert "perl" in str(caught.value)
    assert "structural[languages]" in caught.value.hint
