"""Differential campaign: the same patterns in this engine and in ast-grep, on real source.

``python -m tests.campaigns.differential CORPUS --ast-grep PATH [--out FILE]`` runs every
pattern of the table over its language's part of the small corpus, compares the places
(path, first byte, last byte), and writes what differs as JSON: the counts, and samples of
source for each side.  Both tools get the same folders.  What is compared are answers, not
times.  A place at which only the terminator behind a statement differs counts as equal.

With ``--slow`` the other side is this engine itself with every filter switched off:
there every difference is a fault, a filter that said a wrong "no".

A difference from ast-grep is not a fault: ``docs/peers/differences.md`` says kind by kind who is right.
Places are sorted by kind: those that only this engine finds by the equivalences they need, those
that only ast-grep finds by the table ``DECIDED``, which was made by reading them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from structural.errors import StructuralError
from structural.pattern.compile import compile_pattern
from structural.search.scan import search_paths
from structural.search.source import search_source
from structural.search.values import PatternSpec, Searched, Selection
from structural.syntax import registry
from tests.campaigns import filter_from_the_start

Place = tuple[str, int, int]
"""Path below the corpus, first byte, end byte."""

FOLDERS: dict[str, tuple[str, ...]] = {
    "bash": ("bash",),
    "c": ("c/lua", "c/redis"),
    "cpp": ("cpp",),
    "csharp": ("csharp",),
    "css": ("css",),
    "dart": ("dart",),
    "go": ("go",),
    "html": ("html", "python/django"),
    "java": ("java",),
    "javascript": ("javascript", "jsx"),
    "json": ("json",),
    "kotlin": ("kotlin",),
    "lua": ("lua",),
    "php": ("php",),
    "python": ("python/django",),
    "ruby": ("ruby",),
    "rust": ("rust",),
    "scala": ("scala",),
    "swift": ("swift",),
    "tsx": ("tsx",),
    "typescript": ("typescript", "tsx"),
    "yaml": ("yaml",),
}
"""The part of the small corpus that is searched for each language."""

PATTERNS: dict[str, tuple[str, ...]] = {
    "bash": (
        "echo $A",
        "echo $$$A",
        'echo "$A"',
        "local $A=$B",
        "if [ $$$A ]; then $$$B; fi",
        "if [[ -z $A ]]; then $$$B; fi",
        "for $X in $$$L; do $$$B; done",
        "$F() { $$$B; }",
        "export $A=$B",
        "$A && $B",
        "$A || return 1",
        "cd $A || exit 1",
        "return $X",
        "[ -d $A ] && $B",
        "grep -q $$$A",
        "$A | $B",
    ),
    "c": (
        "malloc($A)",
        "free($A);",
        "$A->$B",
        "$A == NULL",
        "$A == $A",
        "if ($A) $B",
        "if ($A) { $$$B }",
        "if ($A) return $B;",
        "if ($A) { $$$B } else { $$$C }",
        "for ($A; $B; $C) { $$$D }",
        "while ($A) { $$$B }",
        "return $X;",
        "sizeof(*$X)",
        "struct $A { $$$B };",
        "static $T $F($$$A) { $$$B }",
        "$T *$X = $Y;",
        "$A = $A + $B",
        "memset($P, 0, $$$A)",
        "#define $N $V",
        '#include "$F"',
        "case $A: $$$B",
        "(char *)$X",
        "typedef $A $B;",
        "$F($X, $X)",
    ),
    "cpp": (
        "std::move($A)",
        "std::vector<$T>",
        "new $T($$$A)",
        "delete $X",
        "throw $E($$$A)",
        "catch (const $T& $E) { $$$B }",
        "static_cast<$T>($X)",
        "template <typename $T> $$$D",
        "namespace $N { $$$B }",
        "class $C { $$$B }",
        "$X.$M($$$A)",
        "$X->$M($$$A)",
        "auto $X = $Y;",
        "for (auto $X : $Y) { $$$B }",
        "[&]($$$A) { $$$B }",
        "return $X;",
        "EXPECT_EQ($A, $B)",
        "if ($A) return $B;",
        "const $T& $X",
        "nullptr",
    ),
    "csharp": (
        "new $T($$$A)",
        "throw new $E($$$A)",
        "$X.$M($$$A)",
        "if ($A == null) { $$$B }",
        "if ($A) return $B;",
        "$A ?? $B",
        "$X?.$M",
        "await $X",
        "return $X;",
        "foreach (var $A in $B) { $$$C }",
        "using ($A) { $$$B }",
        "using $N;",
        "public class $C { $$$B }",
        "public $T $N { get; set; }",
        "$A is $T",
        "$A == $B",
        "typeof($T)",
        "($A) => $B",
        "$A => $B",
        "try { $$$A } catch ($E $N) { $$$B }",
        "[$A]",
        "nameof($X)",
        "var $A = $B;",
        'ToString("$F")',
    ),
    "css": (
        "color: $C",
        "color: $C;",
        "$P: none",
        "$P: 0;",
        ".$C { $$$D }",
        "$S { $$$D }",
        "a:hover { $$$D }",
        "@media $Q { $$$R }",
        "var($X)",
        "margin: $A $B",
        "$P: $V !important",
        "rgba($$$A)",
        "#$I { $$$D }",
        "font-weight: bold",
        "@import $X;",
        "#fff",
    ),
    "dart": (
        "setState(() { $$$B })",
        "$X.$M($$$A)",
        "final $A = $B;",
        "if ($X != null) { $$$B }",
        "$X == null",
        "$A ?? $B",
        "class $C extends $D { $$$B }",
        "@override $$$D",
        "return $X;",
        "await $X",
        "import '$P';",
        "$A is $T",
        "throw $E($$$A)",
        "for (final $A in $B) { $$$C }",
        "const $T($$$A)",
        "super.dispose();",
    ),
    "go": (
        "if err != nil { return err }",
        "if $E != nil { return $$$R }",
        "$X.Close()",
        "fmt.Println($$$A)",
        "fmt.Sprintf($F, $$$A)",
        "$A := $B",
        "$A, $B := $C",
        "func $F($$$A) error { $$$B }",
        "func ($R $T) $M($$$A) { $$$B }",
        "type $T struct { $$$F }",
        "for $I, $V := range $X { $$$B }",
        "for _, $V := range $X { $$$B }",
        "defer $X.$M($$$A)",
        "go $F($$$A)",
        "append($X, $Y)",
        "$X == nil",
        "$X.($T)",
        "return $X, nil",
        "make($T, $N)",
        "map[$K]$V",
        "&$T{$$$F}",
        "switch $X { $$$C }",
        "assert.Equal(t, $A, $B)",
        "$K: $V",
    ),
    "html": (
        "<$T>$$$C</$T>",
        '<a href="$U">$$$C</a>',
        "<a href=$U>$$$C</a>",
        "<li>$X</li>",
        '<$T class="$C">$$$B</$T>',
        "<script>$X</script>",
        "<input $$$A>",
        "<br>",
        "<img src=$S>",
        "<title>$X</title>",
    ),
    "java": (
        "new $T($$$A)",
        "throw new $E($$$A);",
        "$X.equals($Y)",
        "$X.$M($$$A)",
        "if ($A == null) { $$$B }",
        "if ($A) { return $B; }",
        "return $X;",
        "for ($T $X : $Y) { $$$B }",
        "for (int $I = 0; $I < $N; $I++) { $$$B }",
        "try { $$$A } catch ($E $N) { $$$B }",
        "public static $T $M($$$A) { $$$B }",
        "@Override",
        "import $X;",
        "$A instanceof $T",
        "($T) $X",
        "$A == $B",
        "$A ? $B : $C",
        "$X -> $Y",
        "private final $T $N;",
        "public class $C { $$$B }",
        "assertEquals($A, $B)",
        "$X++",
        'String $S = "$T";',
        "$A[$I]",
    ),
    "javascript": (
        "console.log($$$A)",
        "$A == null",
        "$A === $B",
        "$A && $A.$B",
        "$X == $X",
        "const $A = require($B)",
        "const $A = $B",
        "let $A = $B;",
        "var $A = $B",
        "function $F($$$A) { $$$B }",
        "function($$$A) { $$$B }",
        "($$$A) => $B",
        "$A => $B",
        "($A) => { $$$B }",
        "if ($A) { return $B; }",
        "if ($A) return $B",
        "if ($A) { $$$B } else { $$$C }",
        "for (const $A of $B) { $$$C }",
        "return $X",
        "return $X;",
        "typeof $X === 'undefined'",
        "!!$X",
        "$X ? $Y : $Z",
        "throw new Error($M)",
        "new $T($$$A)",
        "import $A from '$B'",
        "import { $$$A } from $B",
        "export default $X",
        "{ $$$A, $K: $V, $$$B }",
        "$K: function($$$A) { $$$B }",
        "await $X",
        "async function $F($$$A) { $$$B }",
        "class $C extends $D { $$$B }",
        "<$C $$$A />",
        "<$C $$$A>$$$B</$C>",
        "$A.map($F)",
        "$O.$M($$$A, $X, $$$B, $X)",
        "switch ($X) { $$$C }",
        "case $X: $$$B",
        "try { $$$A } catch ($E) { $$$B }",
        "$A = $A || $B",
        "describe($D, () => { $$$B })",
        "'use strict'",
        "delete $X[$Y]",
    ),
    "json": (
        '{"$K": null}',
        '"version": $V',
        "$K: true",
        "[$A, $B]",
        '{"t": $A, $$$B}',
        "null",
        '"$A"',
        '"usage_perc_y": 0',
        "[]",
        "{}",
    ),
    "kotlin": (
        "val $A = $B",
        "var $A: $T = $B",
        "fun $F($$$A) { $$$B }",
        "fun $F($$$A): $T = $B",
        "$X?.$M($$$A)",
        "$X!!",
        "$A ?: $B",
        "if ($A) return $B",
        "if ($A) $B else $C",
        "when ($X) { $$$B }",
        "return $X",
        "throw $E($$$A)",
        "$X.$M { $$$B }",
        "class $C($$$A)",
        "import $X",
        "@Test",
        "assertEquals($A, $B)",
        "$A is $T",
        "$A as $T",
        "$A == null",
        "launch { $$$B }",
        "try { $$$A } catch ($E: $T) { $$$B }",
        "object $O",
        "private val $A = $B",
    ),
    "lua": (
        "local $A = $B",
        "local $A = require($B)",
        "local function $F($$$A) $$$B end",
        "function $F($$$A) $$$B end",
        "if $A then $$$B end",
        "if not $A then return $$$B end",
        "for $K, $V in pairs($T) do $$$B end",
        "for $I = $A, $B do $$$C end",
        "return $X",
        "return nil, $E",
        "$X:$M($$$A)",
        "$X.$Y",
        "$A == nil",
        "assert($A)",
        "$A .. $B",
        "{ $$$A }",
        "#$X",
        "assert.same($A, $B)",
        "$A = $A or $B",
    ),
    "php": (
        "$X->$M($$$A)",
        "$this->$M($$$A)",
        "new $T($$$A)",
        "throw new $E($$$A);",
        "return $X;",
        "if ($A) { $$$B }",
        "$A === null",
        "$A instanceof $T",
        "function $F($$$A) { $$$B }",
        "public function $F($$$A): $T { $$$B }",
        "foreach ($A as $B) { $$$C }",
        "$A::$M($$$P)",
        "$this->assertSame($A, $B)",
        "array($$$A)",
        "[$$$A]",
        "$A => $B",
        "use $N;",
        "namespace $N;",
        "isset($X)",
        "final class $C extends $D { $$$B }",
        "fn ($$$A) => $B",
        "sprintf($$$A)",
        "$A . $B",
        "try { $$$A } catch ($E $V) { $$$B }",
    ),
    "python": (
        "$F($X, $X)",
        "assert $X",
        "return $X",
        "return",
        "raise $E($$$A)",
        "raise NotImplementedError($X)",
        "$X.$M($$$A)",
        "$X is None",
        "$X == None",
        "$A == $A",
        "not $X in $Y",
        "$X not in $Y",
        "if $A: $$$B",
        "if $A: return $B",
        "if not $A:\n    return $B",
        "if $A:\n    $$$B\nelse:\n    $$$C",
        "for $X in $Y: $$$B",
        "for $I, $V in enumerate($X): $$$B",
        "while True: $$$B",
        "def $F($$$A): $$$B",
        "def $F(self): $$$B",
        "async def $F($$$A): $$$B",
        "class $C($$$B): $$$D",
        "class $C: $$$D",
        "@$D\ndef $F($$$A): $$$B",
        "try:\n    $$$A\nexcept $E:\n    $$$B",
        "except $E as $X: $$$B",
        "with open($F) as $X: $$$B",
        "with $A as $B: $$$C",
        "lambda $X: $Y",
        "lambda: $X",
        "[$A for $B in $C]",
        "[$A for $B in $C if $D]",
        "{$K: $V for $X in $Y}",
        "$A if $B else $C",
        "from $M import $N",
        "from $M import $$$N",
        "import $M",
        "'%s' % $X",
        'f"$X"',
        "$X: $T = $V",
        "$X = $X + $Y",
        "$X += 1",
        "print($$$A)",
        "isinstance($X, $T)",
        "isinstance($X, ($A, $B))",
        "$F(*$A, **$K)",
        "$F($$$, $K=$V, $$$)",
        "super().__init__($$$A)",
        "$X[$Y]",
        "$X[0]",
        "$X[$A:$B]",
        "($A, $B)",
        "[$A, $B]",
        "{'$K': $V}",
        "$A and $B",
        "$A < $B < $C",
        "yield $X",
        "await $X",
        "del $X",
        "global $X",
        "pass",
        '""',
        "None",
        "self.$A = $A",
        "_($X)",
    ),
    "ruby": (
        "$X.$M($$$A)",
        "$X.$M",
        "def $F($$$A)\n  $$$B\nend",
        "def $F\n  $$$B\nend",
        "if $A\n  $$$B\nend",
        "return $X if $Y",
        "return unless $X",
        "raise $E, $M",
        "class $C < $D\n  $$$B\nend",
        "module $M\n  $$$B\nend",
        "require '$X'",
        "require $X",
        "$X.each do |$V|\n  $$$B\nend",
        "$X.map { |$V| $B }",
        "$X.nil?",
        "!$X",
        "$A && $B",
        "$A || $B",
        "$A = $B",
        "@$A ||= $B",
        "puts $X",
        "$K: $V",
        "{ $$$A }",
        "[$A, $B]",
        "$A == $B",
        "$X&.$M",
        "expect($X).to $Y",
        "attr_reader $$$A",
        "$A ? $B : $C",
        "case $X\nwhen $A then $B\nend",
        '"#{$X}"',
        "unless $A\n  $$$B\nend",
    ),
    "rust": (
        "$X.unwrap()",
        "$X.clone()",
        "$X.$M($$$A)",
        "Some($X)",
        "$A::$B($$$C)",
        "let $A = $B;",
        "let mut $A = $B;",
        "if let Some($X) = $Y { $$$B }",
        "if $A { $$$B }",
        "match $X { $$$A }",
        "$P => $E",
        "None => $X",
        "fn $F($$$A) { $$$B }",
        "fn $F($$$A) -> $R { $$$B }",
        "pub fn $F(&self) -> $R { $$$B }",
        "impl $T { $$$B }",
        "impl $A for $B { $$$C }",
        "struct $S { $$$F }",
        "enum $E { $$$V }",
        "#[$A]",
        "#[derive($$$A)]",
        "use $X;",
        "println!($$$A)",
        "vec![$$$A]",
        "assert_eq!($A, $B)",
        "$A as $T",
        "&$X",
        "&mut $X",
        "$X?",
        "|$X| $Y",
        "return $X;",
        "for $A in $B { $$$C }",
        "Option<$T>",
        "$A == $B",
        "$S { $$$F }",
        "mod $M { $$$B }",
    ),
    "scala": (
        "val $A = $B",
        "def $F($$$A): $T = $B",
        "case class $C($$$A)",
        "object $O { $$$B }",
        "$X match { $$$C }",
        "case $A => $B",
        "$X.$M($$$A)",
        "$A => $B",
        "import $X",
        "if ($A) $B else $C",
        "Some($X)",
        "new $T($$$A)",
        "throw $X",
        "$A == $B",
        "$X.map($F)",
        "for { $$$A } yield $B",
    ),
    "swift": (
        "guard let $A = $B else { $$$C }",
        "if let $A = $B { $$$C }",
        "let $A = $B",
        "var $A: $T",
        "func $F($$$A) { $$$B }",
        "func $F($$$A) -> $T { $$$B }",
        "return $X",
        "$X!",
        "try $X",
        "try? $X",
        "$X?.$M($$$A)",
        "$X.$M($$$A)",
        "self.$A = $A",
        "import $M",
        "class $C: $D { $$$B }",
        "struct $S { $$$B }",
        "extension $T { $$$B }",
        "switch $X { $$$C }",
        "case .$A: $$$B",
        "$A ?? $B",
        "$A as? $T",
        "throw $E",
        "if $A { $$$B }",
        "for $A in $B { $$$C }",
        "private let $A: $T",
        "$A == nil",
    ),
    "tsx": (
        "<$C $$$A />",
        "<$C $$$A>$$$B</$C>",
        "<Button $$$A>$$$B</Button>",
        "<$C className={$X} $$$A />",
        "const $A = $B",
        "const [$A, $B] = useState($C)",
        "useEffect(() => { $$$B }, [$$$D])",
        "import { $$$A } from '$B'",
        "import * as $A from $B",
        "export const $A = $B",
        "interface $I { $$$B }",
        "$A as $T",
        "$X!",
        "$X?.$M",
        "($$$A) => $B",
        "private $M = ($$$A) => { $$$B }",
        "public render() { $$$B }",
        "return $X;",
        "{...$X}",
        "$A && <$B $$$C />",
        "onClick={$X}",
        "this.setState($X)",
    ),
    "typescript": (
        "import { $$$A } from '$B'",
        "export function $F($$$A) { $$$B }",
        "function $F<$T>($$$A): $R { $$$B }",
        "export const $A = $B",
        "interface $I { $$$B }",
        "type $A = $B",
        "$A as $T",
        "$A as any",
        "$X!",
        "new $T($$$A)",
        "$X.subscribe($$$A)",
        "$X.$M($$$A)",
        "private $A: $T",
        "constructor($$$A) { $$$B }",
        "class $C<$T> extends $D<$T> { $$$B }",
        "return $X;",
        "($A) => $B",
        "$A => $B",
        "let $A: $T",
        "const $A: $T = $B;",
        "typeof $X === 'function'",
        "if ($A) { $$$B }",
        "throw new $E($$$A)",
        "export * from '$X'",
        "$A: $T",
        "enum $E { $$$B }",
    ),
    "yaml": (
        "$K: $V",
        "regex: $R",
        "name: $X",
        "- $X",
        "- regex: $R",
        "test: true",
        "steps:\n  $$$S",
        "uses: $X",
        "major: '$X'",
        "family: $A\nmajor: $B",
    ),
}
"""Patterns as people write them, by language."""

NOT_MENTIONED = "not mentioned"
MISREAD = "pattern misread or refused"
OTHER_END = "another end"
HEADERS = "headers"

KINDS_OURS = {
    MISREAD: "ast-grep reads the pattern as something else, or refuses it",
    HEADERS: "a file `.h`, which is C++ here where the tree around it is",
    "quotes": "equivalence",
    "parens": "equivalence",
    "braces": "equivalence",
    "twins": "equivalence",
    "adornments": "adornments that the pattern does not mention, trailing separators",
    OTHER_END: "the same place, but the stretches end differently: a comment behind the code",
    "terminator": "a terminator that the pattern wrote and the source left out, or the other way round",
    "ellipsis, comments, strings": "`$$$` and its separator, comments between tokens, text inside of strings",
}
"""Kinds of places that only this engine finds."""

KINDS_THEIRS = {
    NOT_MENTIONED: "source that the pattern does not mention: a further operand, clause, block, declarator",
    OTHER_END: "the same place, but the stretches end differently: a comment behind the code",
    "anonymous tokens": "a token without a name of its own differs (`!is`, `&mut`, `async`)",
    "marked": "a marked element (`*xs`, `...xs`, `k=1`, a list of parameters) bound by `$X`",
    MISREAD: "the pattern is read as something else, and that is found",
    "grammar": "another version of the grammar, or code inside of an ERROR",
    "ours": "a fault of this engine",
}
"""Kinds of places that only ast-grep finds."""

DECIDED: dict[tuple[str, str], str] = {
    ("c", "(char *)$X"): "anonymous tokens",
    ("c", "typedef $A $B;"): "marked",
    ("c", "$T *$X = $Y;"): "marked",
    ("c", "#define $N $V"): "ours",
    ("cpp", "$X.$M($$$A)"): "grammar",
    ("cpp", "delete $X"): MISREAD,
    ("csharp", "await $X"): MISREAD,
    ("csharp", "$A => $B"): "marked",
    ("dart", "await $X"): MISREAD,
    ("dart", "@override $$$D"): MISREAD,
    ("go", "append($X, $Y)"): "marked",
    ("go", "$K: $V"): MISREAD,
    ("java", "$X -> $Y"): "marked",
    ("javascript", "$A => $B"): "marked",
    ("javascript", "($$$A) => $B"): "grammar",
    ("javascript", "function $F($$$A) { $$$B }"): "anonymous tokens",
    ("javascript", "for (const $A of $B) { $$$C }"): "anonymous tokens",
    ("javascript", "import $A from '$B'"): "marked",
    ("kotlin", "$A is $T"): "anonymous tokens",
    ("kotlin", "$A ?: $B"): "grammar",
    ("kotlin", "$X?.$M($$$A)"): "grammar",
    ("kotlin", "$X.$M { $$$B }"): "grammar",
    ("kotlin", "if ($A) $B else $C"): "grammar",
    ("kotlin", "return $X"): "grammar",
    ("kotlin", "val $A = $B"): "grammar",
    ("php", "$A => $B"): MISREAD,
    ("php", "use $N;"): "anonymous tokens",
    ("python", "$F($X, $X)"): "anonymous tokens",
    ("python", "($A, $B)"): "marked",
    ("python", "[$A, $B]"): "marked",
    ("python", "[$A for $B in $C]"): "anonymous tokens",
    ("python", "def $F($$$A): $$$B"): "anonymous tokens",
    ("python", "def $F(self): $$$B"): "anonymous tokens",
    ("python", "@$D\ndef $F($$$A): $$$B"): "anonymous tokens",
    ("python", "lambda $X: $Y"): "marked",
    ("ruby", "$A = $B"): "marked",
    ("ruby", "[$A, $B]"): "marked",
    ("rust", "&$X"): "anonymous tokens",
    ("rust", "pub fn $F(&self) -> $R { $$$B }"): "anonymous tokens",
    ("scala", "$A => $B"): "marked",
    ("scala", "import $X"): "ours",
    ("swift", "try $X"): "anonymous tokens",
    ("swift", "func $F($$$A) -> $T { $$$B }"): "anonymous tokens",
    ("typescript", "$A => $B"): "marked",
}
"""Patterns whose places that only ast-grep finds were read and are not of the commonest kind."""


@dataclass(slots=True)
class Answer:
    """What one tool found for one pattern."""

    places: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    """Place → names of the equivalences that it needed."""
    note: str = ""
    """Why it found nothing, or how the pattern was read."""


@dataclass(slots=True)
class Sample:
    """A place that only one of the tools found."""

    path: str
    start: int
    end: int
    text: str
    kind: str


@dataclass(slots=True)
class Comparison:
    """One pattern: the sizes of both answers and what they do not share."""

    language: str
    pattern: str
    ours: int
    theirs: int
    both: int
    only_ours: int
    only_theirs: int
    reading: str
    note: str
    kinds_ours: dict[str, int] = field(default_factory=dict)
    kinds_theirs: dict[str, int] = field(default_factory=dict)
    samples_ours: list[Sample] = field(default_factory=list)
    samples_theirs: list[Sample] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        return not self.only_ours and not self.only_theirs


# --- the two tools ----------------------------------------------------------------------


def ours(
    pattern: str, language: str, corpus: Path, folders: Sequence[str], strictness: str = "smart"
) -> Answer:
    """The places this engine finds."""
    selection = Selection(paths=tuple(str(corpus / f) for f in folders), no_ignore=True)
    try:
        results = search_paths(PatternSpec(pattern, (language,), strictness=strictness), selection)
    except StructuralError as problem:
        return Answer(note=f"refused: {problem.message}")
    places: dict[Place, tuple[str, ...]] = {}
    for result in results:
        if isinstance(result, Searched):
            path = str(Path(result.path).relative_to(corpus))
            for match in result.matches:
                places[path, match.span.start, match.span.end] = match.equivalences
    note = ", ".join(f"{r.rung}: {' '.join(r.kinds)}" for r in results.summary.readings)
    return Answer(places, note)


def theirs(pattern: str, language: str, corpus: Path, folders: Sequence[str], ast_grep: str) -> Answer:
    """The places ast-grep finds."""
    command = [ast_grep, "run", f"--pattern={pattern}", "-l", language, "--json=stream", "--color", "never"]
    for name in ("vcs", "dot", "exclude", "global", "parent"):
        command += ["--no-ignore", name]
    process = subprocess.Popen(
        [*command, *folders], cwd=corpus, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    places: dict[Place, tuple[str, ...]] = {}
    for line in process.stdout:
        item = json.loads(line)
        low, high = item["range"]["byteOffset"]["start"], item["range"]["byteOffset"]["end"]
        places[item["file"], low, high] = ()
    note = " ".join(process.stderr.read().split())
    process.wait()
    return Answer(places, note)


def slowly(pattern: str, language: str, corpus: Path, folders: Sequence[str]) -> Answer:
    """The places this engine finds when no filter is used: every file parsed and flattened whole."""
    try:
        compiled = compile_pattern(pattern, language)
    except StructuralError as problem:
        return Answer(note=f"refused: {problem.message}")
    files = []
    for folder in folders:
        for path in sorted((corpus / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                source = path.read_bytes()
                if registry.language_of_path(str(path), source[:200]) == compiled.language:
                    files.append((str(path.relative_to(corpus)), source))
    for reading in compiled.readings:
        places = {
            (name, match.span.start, match.span.end): match.equivalences
            for name, source in files
            for match in search_source(
                source, compiled.language, {reading.language: reading}, prefilter=False
            ).matches
        }
        if places:
            return Answer(places, "every filter off")
    return Answer(note="every filter off")


# --- comparing --------------------------------------------------------------------------


class Sources:
    """The bytes of corpus files, read once."""

    def __init__(self, corpus: Path) -> None:
        self.corpus = corpus
        self._read: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._read:
            self._read[path] = (self.corpus / path).read_bytes()
        return self._read[path]


def normal(places: dict[Place, tuple[str, ...]], sources: Sources) -> dict[Place, tuple[str, ...]]:
    """Places without the white space and terminators at their ends."""
    found: dict[Place, tuple[str, ...]] = {}
    for (path, start, end), equivalences in places.items():
        source = sources[path]
        while end > start and source[end - 1] in b"; \t\r\n\f":
            end -= 1
        while start < end and source[start] in b" \t\r\n\f":
            start += 1
        found[path, start, end] = equivalences
    return found


def compare(language: str, pattern: str, corpus: Path, ast_grep: str, samples: int) -> Comparison:
    """Both answers to one pattern, held against each other; without *ast_grep* the other one is
    that of ``slowly``."""
    folders = FOLDERS[language]
    mine = ours(pattern, language, corpus, folders)
    if ast_grep:
        other = theirs(pattern, language, corpus, folders, ast_grep)
    else:
        other = slowly(pattern, language, corpus, folders)
    sources = Sources(corpus)
    left, right = normal(mine.places, sources), normal(other.places, sources)
    more, less = left.keys() - right.keys(), right.keys() - left.keys()
    made = Comparison(
        language,
        pattern,
        len(left),
        len(right),
        len(left.keys() & right.keys()),
        len(more),
        len(less),
        mine.note,
        other.note,
    )
    shared = {(path, start) for path, start, _ in more} & {(path, start) for path, start, _ in less}
    if more:
        exact = normal(ours(pattern, language, corpus, folders, "exact").places, sources)
        kinds = {
            place: OTHER_END
            if made.both and place[:2] in shared
            else HEADERS
            if language == "cpp" and place[0].endswith(".h")
            else _kind_of_ours(place, pattern, left[place], made.both > 0, place in exact, sources)
            for place in more
        }
        made.kinds_ours, made.samples_ours = _sampled(kinds, sources, samples)
    if less:
        usual = DECIDED.get((language, pattern), NOT_MENTIONED if left else "ours")
        ends = shared if made.both and usual != "grammar" else set()
        kinds = {place: OTHER_END if place[:2] in ends else usual for place in less}
        made.kinds_theirs, made.samples_theirs = _sampled(kinds, sources, samples)
    return made


def _kind_of_ours(
    place: Place, pattern: str, equivalences: tuple[str, ...], any_both: bool, exact: bool, sources: Sources
) -> str:
    """The kind of a place that only this engine finds."""
    if not any_both:
        return MISREAD
    if equivalences:
        return equivalences[0]
    if exact:
        return "ellipsis, comments, strings"
    path, _, end = place
    written = sources[path][end : end + 1] == b";"
    return "terminator" if pattern.endswith(";") and not written else "adornments"


def _sampled(kinds: dict[Place, str], sources: Sources, samples: int) -> tuple[dict[str, int], list[Sample]]:
    """How many places there are of each kind, and a few of each, spread over the files."""
    numbers = Counter(kinds.values())
    shown: list[Sample] = []
    for kind, number in numbers.items():
        ordered = sorted(place for place in kinds if kinds[place] == kind)
        for path, start, end in ordered[:: max(1, number // samples)][:samples]:
            text = sources[path][start:end].decode("utf-8", "replace")
            shown.append(Sample(path, start, end, text[:300], kind))
    return dict(numbers), shown


def campaign(
    corpus: Path, ast_grep: str, languages: Sequence[str], samples: int, jobs: int
) -> Iterator[Comparison]:
    """Every pattern of *languages*, in the order of the table."""
    asked = [(language, pattern) for language in languages for pattern in PATTERNS[language]]
    one = partial(_compare, corpus, ast_grep, samples)
    if jobs == 1:
        yield from map(one, asked)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, asked)


def _compare(corpus: Path, ast_grep: str, samples: int, asked: tuple[str, str]) -> Comparison:
    return compare(*asked, corpus, ast_grep, samples)


TABLES = "<!-- The tables below are written by tests/campaigns/differential.py -->"


def tables(made: Sequence[Comparison]) -> str:
    """The numbers by kind and by pattern, as Markdown."""
    equal = sum(c.equal for c in made)
    lines = ["## By kind", "", f"{len(made)} patterns, {equal} of them with equal answers.", ""]
    lines += ["| only in | kind | patterns | places |", "| --- | --- | ---: | ---: |"]
    for side, kinds in (("ours", KINDS_OURS), ("theirs", KINDS_THEIRS)):
        for kind in kinds:
            numbers = [n for c in made if (n := getattr(c, f"kinds_{side}").get(kind, 0))]
            if numbers:
                lines.append(f"| {side} | {kind} | {len(numbers)} | {sum(numbers):,} |")
    lines += ["", "## By pattern", "", "| language | pattern | ours | theirs | both | kinds |"]
    lines += ["| --- | --- | ---: | ---: | ---: | --- |"]
    for c in made:
        kinds_shown = [f"+{n} {kind}" for kind, n in c.kinds_ours.items()]
        kinds_shown += [f"−{n} {kind}" for kind, n in c.kinds_theirs.items()]
        shown = " ⏎ ".join(c.pattern.split("\n")).replace("|", "\\|")
        numbers_shown = f"{c.ours:,} | {c.theirs:,} | {c.both:,}"
        lines.append(f"| {c.language} | `{shown}` | {numbers_shown} | {', '.join(kinds_shown)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--ast-grep", default="ast-grep", help="the program to compare with")
    parser.add_argument("--slow", action="store_true", help="compare with every filter switched off instead")
    parser.add_argument("--lang", action="append", help="only this language")
    parser.add_argument("--samples", type=int, default=6, help="samples of source for each kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes that compare")
    parser.add_argument("--out", type=Path, help="write everything as JSON")
    parser.add_argument("--update", type=Path, help="write the tables into this Markdown file")
    asked = parser.parse_args()
    languages = asked.lang or [
        name for name in PATTERNS if all((asked.corpus / f).exists() for f in FOLDERS[name])
    ]
    made: list[Comparison] = []
    for comparison in campaign(
        asked.corpus.resolve(), "" if asked.slow else asked.ast_grep, languages, asked.samples, asked.jobs
    ):
        made.append(comparison)
        sign = "=" if comparison.equal else "≠"
        shown = " ".join(comparison.pattern.split())
        print(
            f"{sign} {comparison.language:11} {shown:44} "
            f"ours {comparison.ours:6} theirs {comparison.theirs:6} both {comparison.both:6} "
            f"+{comparison.only_ours} -{comparison.only_theirs}",
            flush=True,
        )
    if asked.out is not None:
        asked.out.write_text(json.dumps([asdict(c) for c in made], indent=1, ensure_ascii=False), "utf-8")
    if asked.update is not None:
        text = asked.update.read_text("utf-8").partition(TABLES)[0]
        asked.update.write_text(f"{text}{TABLES}\n\n{tables(made)}", "utf-8")
    print(f"{sum(c.equal for c in made)} of {len(made)} patterns alike")
    return 0


if __name__ == "__main__":
    sys.exit(main())
