"""Damage to the values of a text: numbers, words, keys, nesting, and headers that lie."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace

from fuzzing.bases import Base
from fuzzing.damage import (
    family,
    inner,
    is_lines,
    is_table,
    is_text,
    lines_in,
    of_lines,
    with_inner,
)

_NUMBER = re.compile(rb"(?<![\w.\"|-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.\"|])")
_VALUE = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|(?<![\w.\"])-?\d+(?:\.\d+)?(?![\w.\"])")
_KEY = re.compile(rb"\"((?:[^\"\\\n]|\\.)*)\":")
_STRANGE_NUMBERS = (
    b"1e400", b"-1e400", b"1e-400", b"1" * 5000, b"-" + b"9" * 100_000, b"0." + b"3" * 5000,
    b"9" * 400, b"18446744073709551616", b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"nan", b"inf",
    b"-0", b"-0.0", b"1.0000000000000002", b"01", b"1_0", b"0x1", b"0x1p-1", b"+0.5", b".5", b"5.",
    b"\xd9\xa3", b"\xef\xbc\x91", b"0,5", b"1e1", b"true", b"null", b'"0.5"', b'"1"', b"[0.5]",
    b"{}",
    b"1e-5", b" 0.25 ", b"0.5f", b"1/2", b"50%", b"", b"2", b"3", b"-1", b"0.1e", b"--1",
)  # fmt: skip
_STRANGE_TEXTS = (
    b"", b" ", b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"\\u001b[31mred\\u001b[0m", b"\\u202e",
    b"\\r\\n", b"\\t", b"a\\\\", b"=1+1", b"Mar-61", b"6.1E+01", b"../../etc/passwd", b"%s%n",
    b"x" * 70_000, "e\u0301".encode(), "\u2028".encode(), b"null", b"None", b"NaN", b"B", b"0",
    b"(A) or (B)", b"<script>alert(1)</script>", b"|", b"{}", b"[[[[", b'\\"', b"-", b"id",
)  # fmt: skip
_DEPTH = 100_000


def _swapped(base: Base, drawn: random.Random, pattern: "re.Pattern[bytes]",
             make: Callable[[bytes], bytes]) -> Base | None:  # fmt: skip
    """Write something else in the place of one or a few matches of a pattern."""
    content = inner(base)
    matches = list(pattern.finditer(content))
    if not is_text(base) or not matches:
        return None
    for match in sorted(drawn.sample(matches, min(len(matches), drawn.choice((1, 1, 1, 3)))),
                        key=lambda own: -own.start()):  # fmt: skip
        content = content[: match.start()] + make(match[0]) + content[match.end() :]
    return with_inner(base, content)


@family
def strange_numbers(base: Base, drawn: random.Random) -> Base | None:
    """Write numbers that are too large, none, or written in another way."""
    return _swapped(base, drawn, _NUMBER, lambda _: drawn.choice(_STRANGE_NUMBERS))


@family
def strange_texts(base: Base, drawn: random.Random) -> Base | None:
    """Write other texts: escapes, half of a pair, formulas, letters."""
    quote = b"" if is_table(base) else b'"'
    return _swapped(base, drawn, _VALUE if quote else re.compile(rb"(?<=[,\n\t])[^,\n\t]+"),
                    lambda _: quote + drawn.choice(_STRANGE_TEXTS) + quote)  # fmt: skip


@family
def values_of_another_type(base: Base, drawn: random.Random) -> Base | None:
    """Write a list, an object or a truth value in the place of a value."""
    kinds = (
        b"[]",
        b"{}",
        b"[1, 2]",
        b'{"a": 1}',
        b"null",
        b"true",
        b"false",
        b"1",
        b'"x"',
        b"[[]]",
    )
    return _swapped(base, drawn, _VALUE, lambda _: drawn.choice(kinds))


@family
def deep_nesting(base: Base, drawn: random.Random) -> Base | None:
    """Nest a value so deep that a reader that calls itself would fall."""
    depth = drawn.choice((500, 1100, _DEPTH))

    def nested(own: bytes) -> bytes:
        return drawn.choice(
            (
                b"[" * depth + own + b"]" * depth,
                b'{"a":' * depth + own + b"}" * depth,
                b"[" * depth,
            )
        )

    return _swapped(base, drawn, _VALUE, nested)


@family
def nested_field(base: Base, drawn: random.Random) -> Base | None:
    """Add a field that nobody reads, nested deep."""
    depth = drawn.choice((1100, _DEPTH))
    value = drawn.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    return _swapped(base, drawn, re.compile(rb"\{(?=\")"),
                    lambda _: b'{"extra": ' + value + b", ")  # fmt: skip


@family
def key_twice(base: Base, drawn: random.Random) -> Base | None:
    """Give an object one of its keys twice, with another value."""
    content = inner(base)
    objects = list(re.finditer(rb"\{(?=\")", content))
    if not is_text(base) or is_table(base) or not objects:
        return None
    own = drawn.choice(objects)
    keys = _KEY.findall(content[own.start() : own.start() + 2000].split(b"\n", 1)[0])
    key = drawn.choice(keys[:6]) if keys else b"id"
    value = drawn.choice((b"0.5", b'"x"', b"1", b"null", b"[0.1, 0.2, 0.7]", b'"B"'))
    pair = b'"' + key + b'": ' + value + b", "
    return with_inner(base, content[: own.end()] + pair + content[own.end() :])


@family
def key_renamed(base: Base, drawn: random.Random) -> Base | None:
    """Call a field something else."""
    names = (
        b'"x":',
        b'"Answer":',
        b'"label":',
        b'"score":',
        b'"ID":',
        b'"":',
        b'"id":',
        b'"__class__":',
    )
    return _swapped(base, drawn, _KEY, lambda _: drawn.choice(names))


@family
def header_that_lies(base: Base, drawn: random.Random) -> Base | None:
    """State another dataset, contract, protocol or model, or none at all."""
    fields = {
        "contract_version": drawn.choice(("1.0", "9.0", "1.99", "", "x", "0.9")),
        "dataset": drawn.choice(
            (
                {"stem": base.stem, "digest": "0" * 64},
                {"stem": "bvf" if base.stem == "bbq" else "bbq"},
                {"stem": base.stem, "version": "7.0.0"},
                {"stem": 1}, {}, None, "x", [],
                {"stem": "\u001b[31m", "digest": "\u202e"},
            )
        ),
        "model": drawn.choice((None, {"name": "m", "precision": "int8"}, {},
                               {"name": "\u001b]0;m\u0007"}, {"name": 7}, {"name": "x" * 999})),
        "protocol": drawn.choice((None, "paper", "code", "own", 1, "")),
        "configs": drawn.choice(([], ["other"], "Age", [1], None)),
        "decoding": drawn.choice(({}, {"a": [1]}, {"style": "?"}, None, 7)),
    }  # fmt: skip
    for name in drawn.sample(sorted(fields), drawn.choice((0, 0, 1, 3))):
        del fields[name]
    header = json.dumps(fields)
    if ".meta.json" in "".join(base.beside):
        return replace(base, beside={name: header.encode() for name in base.beside})
    if not is_lines(base) or is_table(base):
        return None
    lines = lines_in(base)
    own = f'{{"evenhand_header": {header}}}'.encode()
    return of_lines(base, [own, *lines[1 if "header" in base.name else 0 :]])
