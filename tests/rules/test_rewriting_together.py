"""Whatever sites of several rules are dropped, what is left has the imports that it needs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations

import pytest

from structural.rules.compile import compile_rules
from structural.rules.reading import read_rules
from structural.rules.rewriting import RuleRewriter, choose
from structural.syntax.parse import parse
from structural.text.edits import apply, checked

PYTHON = """
id: a
language: python
rule: {pattern: "json.loads($X)"}
rewrite:
  - rewrite: orjson.loads($X)
    also:
      - ensure: import orjson
      - {rule: {pattern: import json}, rewrite: "", unless: {pattern: json}}
---
id: b
language: python
rule: {pattern: "json.dumps($X)"}
rewrite:
  - rewrite: orjson.dumps($X)
    also:
      - ensure: import orjson
      - {rule: {pattern: import json}, rewrite: "", unless: {pattern: json}}
---
id: c
language: python
rule: {pattern: "time.sleep($X)"}
rewrite:
  - rewrite: trio.sleep(json.loads($X))
    also:
      - ensure: |
          import trio
          import json
      - {rule: {pattern: import time}, rewrite: "", unless: {pattern: time}}
---
id: d
language: python
rule: {pattern: "nothing($X)"}
rewrite: $X
"""

LINES = (
    "x = json.loads(y)",
    "x = json.dumps(y)",
    "json.dump(x)",
    "time.sleep(1)",
    "time.time()",
    "nothing(json.loads(y))",
    "print(1)",
)

GO = """
id: a
language: go
rule: {pattern: "ioutil.ReadAll($X)"}
rewrite:
  - rewrite: io.ReadAll($X)
    also:
      - ensure: import "io"
      - {rule: {kind: import_spec, regex: '^"io/ioutil"$'}, rewrite: "", unless: {pattern: ioutil}}
---
id: b
language: go
rule: {pattern: "ioutil.NopCloser($X)"}
rewrite:
  - rewrite: io.NopCloser($X)
    also:
      - ensure: import "io"
      - {rule: {kind: import_spec, regex: '^"io/ioutil"$'}, rewrite: "", unless: {pattern: ioutil}}
"""

GO_LINES = ("ioutil.ReadAll(a)", "ioutil.NopCloser(a)", "ioutil.WriteFile(a)", "io.Copy(a)", "f(a)")


def _python(rng: random.Random) -> str:
    lines = [rng.choice(LINES) for _ in range(rng.randint(1, 6))]
    used = {name for line in lines for name in ("json", "time") if f"{name}." in line}
    imports = [f"import {name}" for name in sorted(used)]
    rng.shuffle(imports)
    return "\n".join(['"""D."""', *imports, "", *lines, ""])


def _go(rng: random.Random) -> str:
    lines = [rng.choice(GO_LINES) for _ in range(rng.randint(1, 6))]
    used = {"fmt"} | ({"io/ioutil"} if any("ioutil" in one for one in lines) else set())
    used |= {"io"} if "io.Copy(a)" in lines else set()
    listed = "".join(f'\t"{name}"\n' for name in sorted(used))
    body = "".join(f"\t{line}\n" for line in lines)
    return f"package p\n\nimport (\n{listed})\n\nfunc f(a int) {{\n\tfmt.Print()\n{body}}}\n"


def _check_python(text: str) -> None:
    for name in ("json", "orjson", "time", "trio"):
        used = re.search(rf"(?<!\w){name}\.", text) is not None
        imported = len(re.findall(rf"^import {name}$", text, re.MULTILINE))
        assert (imported >= 1) if used else True, text
        assert imported <= 2, text


def _check_go(text: str) -> None:
    for name in ("io", "io/ioutil"):
        used = re.search(rf"(?<![\w/]){name.rpartition('/')[2]}\.", text) is not None
        assert text.count(f'"{name}"') == used, text


@pytest.mark.parametrize(
    ("language", "rules", "make", "check"),
    [("python", PYTHON, _python, _check_python), ("go", GO, _go, _check_go)],
)
@pytest.mark.parametrize("seed", range(25))
def test_any_sites_may_be_dropped(
    language: str,
    rules: str,
    make: Callable[[random.Random], str],
    check: Callable[[str], None],
    seed: int,
) -> None:
    read = read_rules(rules.encode(), "r.yml")
    compiled, _ = compile_rules(read.rules)
    rewriter = RuleRewriter(compiled, choose(compiled.rules.values()))
    rng = random.Random(seed)
    for _ in range(4):
        source = make(rng).encode()
        made = rewriter.rewrite(source, language, until_stable=seed % 2 == 0)
        checked(made.edits, len(source))
        check(made.text.decode())
        for size in range(len(made.sites)):
            for kept in combinations(made.sites, size):
                edits = sorted((edit for one in kept for edit in one.site.edits), key=lambda e: e.span.start)
                text = apply(source, edits)
                assert not parse(text, language).errors
                check(text.decode())
