"""A block on disk says what the same block in memory says, of files in every language."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from structural.search.block import block, packed, text_hash
from structural.search.index.encode import encode, flat
from structural.search.index.mapped import DamagedError, Mapped, Room
from structural.syntax import registry
from structural.syntax.parse import parse

ROOT = Path(__file__).resolve().parent.parent.parent

SOURCES: dict[str, list[bytes]] = {
    "python": [
        *(path.read_bytes() for path in sorted((ROOT / "structural" / "search").glob("*.py"))[:6]),
        b"",
        b"x",
        b"# only a comment\n",
        b"def f(:\n  x = = 1\n",
        b"s = f'{a!r:>{w}} \\n' 'b'  # \xc3\xa9\n" * 3,
        b"if x:\r\n    y = '''a\r\nb'''\r\n",
        b"x = [" + b"1, " * 400 + b"]\n",
        b"v = '" + b"long " * 100 + b"'\n\n\n" + b"\n" * 300 + b"w = 1",
    ],
    "javascript": [
        b"f(`a ${b} c`, /re/g, 'x\\n');\n// c\nx = <T,>(y) => y;\n",
        b"a\n  .b\n/* c */\n  .d()\n",
        b"{ { ",
    ],
    "c": [
        b"#define A(x) \\\n  x + 1\nint f(void) { return A(2); }\n",
        b"#if 0\nint x\n#endif\n",
        b"int a = 1",
    ],
    "markdown": [b"# T\n\n> a\n> b\n\n```python\nx = 1\n```\n\n- a\n  - b\n"],
    "html": [b"<p>a &amp; b</p><script>x = 1;</script>\n<!-- c -->\n"],
    "yaml": [b"a:\n  - b: |\n      text\n      more\n  - 'c'\n"],
    "css": [b"a > b { color: #fff; margin: 0 auto }\n/* c */\n"],
    "ruby": [b"x = <<~A\n  a #{b}\nA\nputs x, :y, %w[a b]\n", b"def f = 1\n__END__\nrest\n"],
    "bash": [b"cat <<E\n$x y\nE\nif [ -f a ]; then b; fi # c\n"],
    "rust": [b'fn f<T>(a: &T) -> Vec<Vec<T>> { r#"x"#; a /* c */ }\n'],
}


def _same(language: str, sources: list[bytes], folder: Path) -> None:
    columns = [parse(source, language) for source in sources]
    made = [flat(one) for one in columns]
    keep = [at for at, one in enumerate(made) if one is not None]
    assert keep, "none can be kept"
    path = folder / "block"
    path.write_bytes(encode(language, [one for one in made if one is not None]))
    mapped = Mapped(str(path), Room(1))
    plain = block(language, [packed(columns[at]) for at in keep])
    everything = np.arange(len(plain.kind))
    for name in ("kind", "size", "start", "end", "text"):
        assert np.array_equal(getattr(mapped, name)[everything], getattr(plain, name)), name
    assert np.array_equal(mapped.uncounted, plain.uncounted)
    assert mapped.sizes == plain.sizes
    assert mapped.missing == plain.missing
    for slot, at in enumerate(keep):
        for candidates in (1, 1 << 30):
            assert mapped.columns(slot, candidates, sources[at]) == plain.columns(
                slot, candidates, sources[at]
            )
    texts = {source[a:b] for at in keep for source in [sources[at]] for a, b in _some_leaves(columns[at])}
    for text in sorted(texts)[:60]:
        number = text_hash(text)
        of = plain.with_text(number, frozenset())
        assert set(of.tolist()) == set(mapped.with_text(number, frozenset(plain.kind[of].tolist())).tolist())
        for literal in {*text.split()[:1], text[:3].strip(), text[1:]} - {b""}:
            held = sum(1 << slot for slot, at in enumerate(keep) if literal in sources[at])
            assert mapped.holding(literal, lambda slot: sources[keep[slot]]) == held
            assert mapped.holding(literal, lambda _: None) & held == held


def _some_leaves(columns: object) -> list[tuple[int, int]]:
    size, start, end = columns.size, columns.start, columns.end  # type: ignore[attr-defined]
    return [(start[i], end[i]) for i in range(0, len(size), 3) if size[i] < 4]


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_a_block_reads_as_it_was_written(language: str, tmp_path: Path) -> None:
    _same(language, SOURCES[language], tmp_path)


def test_the_cases_of_every_language(tmp_path: Path) -> None:
    seen = set()
    for path in sorted((ROOT / "tests" / "cases" / "languages").rglob("*.md")):
        language = path.parent.name
        if language in registry.names() and language not in seen:
            source = path.read_bytes()  # any text: it need not be code
            if flat(parse(source, language)) is not None:
                seen.add(language)
                _same(language, [source, source[: len(source) // 2], b""], tmp_path)
    assert len(seen) > 20


def test_what_does_not_fit_into_the_room_is_let_go_at_once(tmp_path: Path) -> None:
    room = Room(1)
    blocks = []
    for language in ("c", "css"):
        path = tmp_path / language
        made = [one for one in (flat(parse(source, language)) for source in SOURCES[language]) if one]
        path.write_bytes(encode(language, made))
        blocks.append(Mapped(str(path), room))
    gc.disable()  # as in a search, in which it runs seldom
    try:
        first = blocks[0].arrays
        for name in ("kind", "size", "start", "end", "text"):
            getattr(first, name)[np.arange(3)]
        left = weakref.ref(first)
        del first
        assert left() is not None
        assert len(blocks[1].kind) > 0
        assert left() is None, "something else holds it"
    finally:
        gc.enable()


def test_damage_is_noticed_wherever_it_is(tmp_path: Path) -> None:
    made = flat(parse(SOURCES["javascript"][0], "javascript"))
    assert made is not None
    data = encode("javascript", [made])
    path = tmp_path / "block"
    path.write_bytes(data)
    whole = _read(path)
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
        try:
            assert _read(path) == whole  # a bit that says nothing
        except DamagedError:
            continue
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at])
        with pytest.raises(DamagedError):
            _read(path)


def _read(path: Path) -> list[bytes]:
    mapped = Mapped(str(path), Room())
    return [mapped.frame(name) for name in sorted(mapped.table)]
