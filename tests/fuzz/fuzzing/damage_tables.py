"""Damage to tables of text: names, delimiters, quotes and numbers of columns."""

import random

from fuzzing.bases import Base
from fuzzing.damage import family, inner, is_table, lines_in, of_lines, place_in, with_inner


@family
def columns_swapped(base: Base, drawn: random.Random) -> Base | None:
    """Write the names of a table's columns in another order than its values."""
    if not is_table(base):
        return None
    lines = lines_in(base)
    mark = b"\t" if ".tsv" in base.name else b","
    names = lines[0].split(mark)
    drawn.shuffle(names)
    return of_lines(base, [mark.join(names), *lines[1:]])


@family
def column_renamed(base: Base, drawn: random.Random) -> Base | None:
    """Give a column another name, or one that another has."""
    if not is_table(base):
        return None
    lines = lines_in(base)
    mark = b"\t" if ".tsv" in base.name else b","
    names = lines[0].split(mark)
    others = (*names, b"", b"x", b'"id"', b" id", b"ID", b"Answer", b"prediction", b"n" * 200_000,
              b"\x1b[31m", b"_duplicated_0", b"score_x1_duplicated_0")  # fmt: skip
    names[drawn.randrange(len(names))] = drawn.choice(others)
    return of_lines(base, [mark.join(names), *lines[1:]])


@family
def another_delimiter(base: Base, drawn: random.Random) -> Base | None:
    """Separate columns by something else."""
    if not is_table(base):
        return None
    mark = b"\t" if ".tsv" in base.name else b","
    other = drawn.choice((b";", b"|", b"\t", b",", b", ", b" ", b"\x1f", b",,"))
    return with_inner(base, inner(base).replace(mark, other))


@family
def quotes(base: Base, drawn: random.Random) -> Base | None:
    """Open quotes that never close, or put them into a cell."""
    if not is_table(base):
        return None
    content = inner(base)
    for _ in range(drawn.choice((1, 1, 2, 3))):
        place = place_in(content, drawn)
        content = content[:place] + drawn.choice((b'"', b'""', b"'", b'"\n"')) + content[place:]
    return with_inner(base, content)


@family
def wide_table(base: Base, drawn: random.Random) -> Base | None:
    """Give a table thousands of columns, or a row thousands of cells."""
    if not is_table(base):
        return None
    mark, many = b"\t" if ".tsv" in base.name else b",", drawn.choice((300, 20_000))
    lines = lines_in(base)
    place = drawn.choice((0, 1))
    lines[place] += b"".join(mark + b"c%d" % number for number in range(many))
    return of_lines(base, lines)
