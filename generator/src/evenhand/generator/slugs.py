"""Readable keys for ids from any text."""

import re
import unicodedata

_MAX_LENGTH = 40


def slugify(text: str) -> str:
    """Return lower-case letters, digits and ``_``, cut at a word after 40 characters.

    >>> slugify("Didn't even have a cellphone"), slugify("Middle-Eastern")
    ('didnt_even_have_a_cellphone', 'middle_eastern')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower().replace("'", ""))
    slug = words[0][:_MAX_LENGTH] if words else "x"
    for word in words[1:]:
        if len(slug) + 1 + len(word) > _MAX_LENGTH:
            break
        slug += f"_{word}"
    return slug


def unique_slugs(texts: list[str]) -> list[str]:
    """Return one slug a text; where two are the same, the later ones get a number.

    >>> unique_slugs(["Big man", "big-man", "small"])
    ['big_man', 'big_man_2', 'small']
    """
    taken: set[str] = set()
    slugs = []
    for text in texts:
        slug = stem = slugify(text)
        number = 1
        while slug in taken:
            number += 1
            slug = f"{stem}_{number}"
        taken.add(slug)
        slugs.append(slug)
    return slugs
