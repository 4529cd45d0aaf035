"""Statements that are put at the head of a file unless they are there."""

from __future__ import annotations

import pytest

from structural.errors import RewriteError
from structural.rewrite.ensuring import ensured, has, statements
from structural.syntax import registry
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse
from structural.text.edits import apply


def _after(language: str, source: str, *codes: str) -> str:
    columns = parse(source.encode(), language)
    wanted = [one for code in codes for one in statements(code, language)]
    after = apply(columns.source, ensured(columns, wanted))
    again = parse(after, language)
    assert again.errors == columns.errors
    assert all(has(again, one) for one in wanted)
    assert not ensured(again, wanted)
    return after.decode()


@pytest.mark.parametrize(
    ("language", "source", "code"),
    [
        ("python", "import os, re\n", "import re"),
        ("python", "from a import (\n    b,  # why\n    c as d,\n)\n", "from a import c as d"),
        ("javascript", "import a, {b, c as d} from 'm';\n", 'import {b} from "m"'),
        ("javascript", "import a, {b} from 'm'\n", 'import a from "m";'),
        ("javascript", "const a = 1, q = require('q')\n", 'const q = require("q")'),
        ("typescript", "import {type A, b} from 'm'\n", "import {b} from 'm'"),
        ("go", 'package a\n\nimport (\n\t"fmt"\n\tf "io"\n)\n', 'import f "io"'),
        ("rust", "use std::{io, fs::{self, File}};\n", "use std::fs::File;"),
        ("rust", "use std::{io, fs::{self, File}};\n", "use std::fs;"),
        ("scala", "import x.{y, z}\n", "import x.z"),
        ("php", "<?php\nuse A\\{B, C as D};\n", "use A\\B;"),
        ("java", "import a.B;\nimport a.C;\n", "import a.C;"),
        ("c", "#ifndef A\n#define A\n#include <a.h>\n#endif\n", "#include <a.h>"),
        ("haskell", "module A where\nimport B\nimport C\n", "import C"),
        ("elixir", "defmodule A do\n  alias B.C\nend\n", "alias B.C"),
    ],
)
def test_what_is_there_is_not_added(language: str, source: str, code: str) -> None:
    assert _after(language, source, code) == source


@pytest.mark.parametrize(
    ("language", "source", "code"),
    [
        ("python", "import os as o\n", "import os"),
        ("python", "from a import b as c\n", "from a import b"),
        ("javascript", "import * as a from 'm'\n", "import a from 'm'"),
        ("typescript", "import type {A} from 'm'\n", "import {A} from 'm'"),
        ("typescript", "import {type A} from 'm'\n", "import {A} from 'm'"),
        ("go", 'package a\n\nimport f "fmt"\n', 'import "fmt"'),
        ("rust", "use std::{io, fs::File};\n", "use std::fs;"),
        ("java", "import static a.B;\n", "import a.B;"),
    ],
)
def test_what_is_another_thing_does_not_count(language: str, source: str, code: str) -> None:
    assert _after(language, source, code) != source


@pytest.mark.parametrize(
    ("language", "source", "after"),
    [
        # Behind the imports, which may be parted by comments; the line's own comment stays on it.
        ("python", "import os  # why\n\n# b\nimport a\nx()\n", "import os  # why\n\n# b\nimport a\n+\nx()\n"),
        ("python", "x()\nimport os\n", "+\n\nx()\nimport os\n"),
        ("python", "", "+\n"),
        ("python", "\nx()\n", "+\n\nx()\n"),
        ("python", "#!/bin/python\nx()\n", "#!/bin/python\n\n+\n\nx()\n"),
        (
            "python",
            "# Copyright X\n# All.\n\n# f\ndef f(): 1\n",
            "# Copyright X\n# All.\n\n+\n\n# f\ndef f(): 1\n",
        ),
        ("python", "# f does\ndef f(): 1\n", "+\n\n# f does\ndef f(): 1\n"),
        ("python", '"""Doc."""\n\nx()\n', '"""Doc."""\n\n+\n\nx()\n'),
        ("python", '"""Doc."""\nx()\n', '"""Doc."""\n\n+\n\nx()\n'),
        ("python", "'D'\nfrom __future__ import a\nx()\n", "'D'\nfrom __future__ import a\n+\nx()\n"),
        ("python", "import os; x()\n", "+\nimport os; x()\n"),
        ("python", "import os\r\nx()\r\n", "import os\r\n+\r\nx()\r\n"),
        ("python", "\ufeffx()\n", "\ufeff+\n\nx()\n"),
        ("python", "import os", "import os\n+"),
        ("python", "if a:\n    import os\n", "+\n\nif a:\n    import os\n"),
        (
            "javascript",
            "#!/usr/bin/env node\n'use strict'\nf()\n",
            "#!/usr/bin/env node\n'use strict'\n\n+\n\nf()\n",
        ),
        ("javascript", "import a from 'a';\nf();\n", "import a from 'a';\n+;\nf();\n"),
        ("javascript", "const a = require('a')\nf()\n", "const a = require('a')\n+\nf()\n"),
        ("javascript", "/* eslint no-x: 0 */\nf()\n", "/* eslint no-x: 0 */\n\n+\n\nf()\n"),
        ("javascript", "/** f does */\nfunction f() {}\n", "+\n\n/** f does */\nfunction f() {}\n"),
        ("go", "// L\n\npackage a\n\nfunc f() {}\n", "// L\n\npackage a\n\n+\n\nfunc f() {}\n"),
        ("java", "package a;\n\nclass A {}\n", "package a;\n\n+\n\nclass A {}\n"),
        ("java", "class A {}\n", "+\n\nclass A {}\n"),
        ("kotlin", "package a\n\nimport b.c\n\nfun f() {}\n", "package a\n\nimport b.c\n+\n\nfun f() {}\n"),
        ("rust", "//! Doc.\n#![allow(x)]\nfn f() {}\n", "//! Doc.\n#![allow(x)]\n\n+\n\nfn f() {}\n"),
        ("c", "#ifndef A\n#define A\nint f();\n#endif\n", "#ifndef A\n#define A\n\n+\n\nint f();\n#endif\n"),
        ("cpp", "#pragma once\n#include <a>\nint f();\n", "#pragma once\n#include <a>\n+\nint f();\n"),
        ("csharp", "using A;\nnamespace N { }\n", "using A;\n+\nnamespace N { }\n"),
        ("php", "<?php\n\nnamespace A;\n\nf();\n", "<?php\n\nnamespace A;\n\n+\n\nf();\n"),
        ("php", "<?php\nf();\n", "<?php\n\n+\n\nf();\n"),
        ("ruby", "# frozen_string_literal: true\nx\n", "# frozen_string_literal: true\n\n+\n\nx\n"),
        ("ruby", "require 'a'\n\nx\n", "require 'a'\n+\n\nx\n"),
        ("elixir", "defmodule A do\n  use B\n\n  x()\nend\n", "defmodule A do\n  use B\n  +\n\n  x()\nend\n"),
        ("haskell", "module A where\n\nf = 1\n", "module A where\n\n+\n\nf = 1\n"),
        ("bash", "#!/bin/sh\nset -e\nx\n", "#!/bin/sh\nset -e\n\n+\n\nx\n"),
        (
            "solidity",
            "// SPDX: a\npragma solidity 1;\ncontract C {}\n",
            "// SPDX: a\npragma solidity 1;\n\n+\n\ncontract C {}\n",
        ),
        ("css", "a { b: c }\n", "+\n\na { b: c }\n"),
        ("swift", "import A\nf()\n", "import A\n+\nf()\n"),
        ("dart", "library a;\nvoid f() {}\n", "library a;\n\n+\n\nvoid f() {}\n"),
        ("lua", "local a = require('a')\nf()\n", "local a = require('a')\n+\nf()\n"),
        ("scala", "package a\n\nobject A {}\n", "package a\n\n+\n\nobject A {}\n"),
        ("zig", 'const a = @import("a");\nvar x = 1;\n', 'const a = @import("a");\n+\nvar x = 1;\n'),
    ],
)
def test_where_it_goes(language: str, source: str, after: str) -> None:
    code = _CODE[language]
    assert _after(language, source, code) == after.replace("+", code)


_CODE = {
    "python": "import new",
    "javascript": "import new1 from 'new'",
    "go": 'import "new"',
    "java": "import a.New;",
    "kotlin": "import a.New",
    "rust": "use a::New;",
    "c": "#include <new.h>",
    "cpp": "#include <new>",
    "csharp": "using New;",
    "php": "use A\\New1;",
    "ruby": "require 'new'",
    "elixir": "alias A.New",
    "haskell": "import New",
    "bash": "source new.sh",
    "solidity": 'import "new";',
    "css": '@import "new.css";',
    "swift": "import New",
    "dart": "import 'new.dart';",
    "lua": "local new = require('new')",
    "scala": "import a.New",
    "zig": 'const new = @import("new");',
}


def test_what_must_be_first_goes_before_the_others() -> None:
    after = _after("python", '"""D."""\nimport os\nx()\n', "from __future__ import annotations")
    assert after == '"""D."""\n\nfrom __future__ import annotations\nimport os\nx()\n'
    after = _after("python", "from __future__ import a\nimport os\n", "from __future__ import b")
    assert after == "from __future__ import a\nfrom __future__ import b\nimport os\n"


def test_several_at_once() -> None:
    assert _after("python", "import os\nx()\n", "import a\nimport os\nimport b") == (
        "import os\nimport a\nimport b\nx()\n"
    )


def test_what_is_no_code_is_an_error() -> None:
    with pytest.raises(RewriteError):
        statements("import (", "python")


@pytest.mark.parametrize("language", [name for name in registry.names() if registry.get(name).imports])
def test_kinds_are_those_of_the_grammar(language: str) -> None:
    data, grammar = registry.get(language).imports, load_named(language)
    assert data is not None
    for kind in data.kinds | data.before | data.units | set(data.around.split("/")) - {""}:
        assert grammar.ids((kind,)), kind


def test_into_the_list_of_imports() -> None:
    source = 'package a\n\nimport (\n\t"fmt"\n\t"os" // why\n\n\t"x.y/z"\n)\n'
    assert _after("go", source, 'import "io"', 'import "path"', 'import q "a.b/c"') == (
        'package a\n\nimport (\n\t"fmt"\n\t"io"\n\t"os" // why\n\t"path"\n\n\tq "a.b/c"\n\t"x.y/z"\n)\n'
    )
    source = 'package a\n\nimport (\n\tz "a.b/a"\n\t"a.b/c"\n)\n'
    assert _after("go", source, 'import "a.b/b"') == (
        'package a\n\nimport (\n\tz "a.b/a"\n\t"a.b/b"\n\t"a.b/c"\n)\n'
    )
    assert _after("go", 'package a\n\nimport ("fmt"; "os")\n', 'import "io"') == (
        'package a\n\nimport ("fmt"; "os")\nimport "io"\n'
    )
