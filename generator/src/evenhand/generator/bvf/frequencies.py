"""How often subjects stand in the corpus that is mined, for the regressions of the score.

Source: paper, appendix C.2, which regresses risks on the occupation-specific word frequency.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from evenhand.contract.files import write_atomically
from evenhand.generator import __version__
from evenhand.generator.bvf.contexts import MiningHeader

COLUMNS = ("subject", "word_frequency")
"""Those of the scorer's tables of facts."""

_WORD = re.compile(r"[^\W\d_]+")


class Occurrences:
    """Counts the words of a list in texts.

    A word counts where it stands by itself in the form of the list, in upper or lower case: no
    plural and no other form. Of a phrase all words must follow each other.

    Args:
        words: of the list, each once.

    >>> Occurrences(["nurse", "police officer"]).count(["A Nurse saw nurses, police Officer."])
    (6, {'nurse': 1, 'police officer': 1})
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._word_of = {" ".join(_WORD.findall(word.lower())): word for word in words}
        self._lengths = sorted({form.count(" ") + 1 for form in self._word_of})

    def count(self, texts: Iterable[str]) -> tuple[int, dict[str, int]]:
        """Return the number of all words, and word of the list -> how often it stands there."""
        n_words, counts = 0, Counter[str]()
        for text in texts:
            tokens = _WORD.findall(text.lower())
            n_words += len(tokens)
            for length in self._lengths:
                forms = zip(*(tokens[start:] for start in range(length)), strict=False)
                phrases = tokens if length == 1 else map(" ".join, forms)
                counts.update(filter(self._word_of.__contains__, phrases))
        return n_words, {self._word_of[form]: n for form, n in sorted(counts.items())}


def write_frequencies(
    path: Path, words: Iterable[str], counts: Counter[str], n_words: int, header: MiningHeader
) -> None:
    """Write a table of facts: a word a line, and its count, empty where it does not occur.

    Args:
        path: comma-separated if it ends with ``.csv``, else tab-separated.
        words: the list, in its order.
        counts: word -> how often it stands in the corpus.
        n_words: of the whole corpus.
        header: names the corpus.
    """
    lines = [
        f"# How often each subject stands in a corpus in this form: evenhand mine {__version__}",
        f"# Words that were read: {n_words}, in {header.n_documents} documents",
        *(f"# File of the corpus: {file.name} (sha256 {file.sha256})" for file in header.corpus),
    ]
    table = io.StringIO()
    separator = "," if path.suffix == ".csv" else "\t"
    writer = csv.writer(table, delimiter=separator, lineterminator="\n")
    writer.writerow(COLUMNS)
    # A frequency of 0 has no logarithm, so the regression leaves the subject out.
    writer.writerows((word, counts[word] or "") for word in words)
    write_atomically(path, ("\n".join(lines) + "\n" + table.getvalue()).encode())
