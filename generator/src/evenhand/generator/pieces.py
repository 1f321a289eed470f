"""Which words are a single token for a tokenizer (the only file that imports ``tokenizers``)."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.contract.errors import DataRefused, WrongUse

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# A word at the mask stands after a space, as it does between these two.
_BEFORE, _AFTER = "saw ", " there"


class PieceCounter:
    """Counts the pieces of a word as it stands inside a sentence, after a space."""

    def __init__(self, path: Path) -> None:
        """Open a ``tokenizer.json``.

        Raises:
            DataRefused: the file is missing or is no tokenizer.
            WrongUse: the package ``tokenizers`` is not installed.
        """
        self._tokenizer = _load(path)
        self._unknown = _unknown_id(path, self._tokenizer)

    def n_pieces(self, word: str) -> int:
        """Return the number of pieces of a word; 0 if the tokenizer does not know it."""
        encoded = self._tokenizer.encode(_BEFORE + word + _AFTER, add_special_tokens=False)
        # The space before the word is part of its piece in a byte-level vocabulary.
        start, end = len(_BEFORE) - 1, len(_BEFORE) + len(word)
        ids = [
            piece
            for piece, (low, high) in zip(encoded.ids, encoded.offsets, strict=True)
            if low < end and high > start
        ]
        return 0 if self._unknown in ids else len(ids)


def _load(path: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise WrongUse(
            "--tokenizer needs the package tokenizers: pip install 'evenhand-generator[mlm]'."
        ) from None
    if not path.is_file():
        raise DataRefused(f"{path} does not exist; --tokenizer names a tokenizer.json.")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise DataRefused(f"{path} is not a tokenizer.json: {error}.") from error


def _unknown_id(path: Path, tokenizer: "Tokenizer") -> int | None:
    """Return the id of the unknown piece; the library shows it for some models only."""
    model: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["model"]
    if model.get("unk_id") is not None:
        return int(model["unk_id"])
    name = model.get("unk_token")
    return tokenizer.token_to_id(name) if name else None
