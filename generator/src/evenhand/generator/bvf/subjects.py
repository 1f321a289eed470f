"""X: the subjects that contexts are filled with, the paper's occupations or a list of one's own."""

from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.generator.bvf.topics import OUR_FOLDER
from evenhand.generator.lists import KEY, Entry, read_list
from evenhand.generator.slugs import unique_slugs

OCCUPATIONS = OUR_FOLDER / "occupations.tsv"
"""The 120 occupations of the paper's appendix D.1, all of the same weight."""


@dataclass(frozen=True, kw_only=True)
class Subjects:
    """Subjects with their weights."""

    path: Path
    keys: list[str]
    """Parts of ids."""
    words: list[str]
    texts: list[str]
    """What stands for each in a text: itself, or the list's words for it, e.g. with an article."""
    has_texts: bool
    """Whether the list says so."""
    weights: list[float]
    """They add up to 1."""


def read_subjects(path: Path | None = None) -> Subjects:
    """Read a list of subjects, tab-separated, or plain text with one word a line (``.txt``).

    Args:
        path: with the column ``word``, and ``key``, ``weight`` and ``text`` if wanted; None for the
            paper's occupations, which weigh the same. ``text`` is what stands for the subject
            inside a sentence (``die Lehrkraft``); at its beginning it gets a capital.

    Raises:
        DataRefused: the list is faulty, a word stands twice, or a weight is no number above 0.
    """
    path = path or OCCUPATIONS
    if path.suffix == ".txt":
        words = [line.strip() for line in _text(path).splitlines() if line.strip()]
        return _check_subjects(path, words, unique_slugs(words), [1.0] * len(words))
    entries = read_list(path, required=("word",), optional=("key", "text", "weight", "source"))
    words = [entry.values["word"] for entry in entries]
    weights = []
    for entry in entries:
        try:
            weights.append(float(entry.values.get("weight") or 1))
        except ValueError:
            weights.append(float("nan"))
        if not 0 < weights[-1] < float("inf"):
            raise entry.refusal("weight", f"is `{entry.values['weight']}`, not a number above 0")
    keys = [entry.values.get("key", "") for entry in entries]
    keys = keys if all(keys) else unique_slugs(words)
    return _check_subjects(path, words, keys, weights, _texts(entries))


def _texts(entries: list[Entry]) -> list[str] | None:
    """Return the column ``text``, which is filled everywhere or nowhere; null without it."""
    texts = [entry.values.get("text", "") for entry in entries]
    if not any(texts):
        return None
    if not all(texts):
        raise entries[texts.index("")].refusal("text", "is empty, but other lines have one")
    return texts


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataRefused(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text; save it as UTF-8.") from error


def _check_subjects(
    path: Path,
    words: list[str],
    keys: list[str],
    weights: list[float],
    texts: list[str] | None = None,
) -> Subjects:
    if not words:
        raise DataRefused(f"{path} names no subject; it needs one per line.")
    for names, what in ((words, "word"), (keys, "key")):
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise DataRefused(f"{path}: the {what} `{twice}` stands twice; keep one.")
    for word in (*words, *(texts or ())):
        if not word.isprintable() or "[" in word:
            raise DataRefused(f"{path}: the word {word!r} cannot stand in a text; take it out.")
    if bad := next((key for key in keys if not KEY.fullmatch(key)), None):
        raise DataRefused(f"{path}: the key `{bad}` has more than lower-case letters, digits, _.")
    total = sum(weights)
    return Subjects(
        path=path,
        keys=keys,
        words=words,
        texts=texts or words,
        has_texts=texts is not None,
        weights=[weight / total for weight in weights],
    )
