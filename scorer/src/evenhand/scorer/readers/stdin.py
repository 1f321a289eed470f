"""``-`` in place of a predictions file: stdin, stored as a file with the fitting suffix."""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.contract import DataRefused, WrongUse

STDIN = Path("-")

_PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_KINDS = {b"PAR1": ".parquet", b"PK\x03\x04": ".eval"}
_NAME = "stdin"


@contextlib.contextmanager
def with_stdin(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the paths with a file in place of ``-``; it is removed when the block ends.

    Raises:
        WrongUse: stdin is named twice.
        DataRefused: it is empty; refusals of the block name it ``stdin``.
    """
    if list(paths).count(STDIN) > 1:
        raise WrongUse("- is stdin, which can be read only once.")
    if STDIN not in paths:
        yield list(paths)
        return
    with tempfile.TemporaryDirectory(prefix="evenhand-") as folder:
        path = _store(Path(folder))
        try:
            yield [path if given == STDIN else given for given in paths]
        except DataRefused as refused:
            raise DataRefused(str(refused).replace(str(path), _NAME)) from refused
        except WrongUse as refused:
            raise WrongUse(str(refused).replace(str(path), _NAME)) from refused


def _store(folder: Path) -> Path:
    """Write stdin to a file whose suffix says what its first bytes are."""
    raw = folder / "raw"
    with raw.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream)
    if not raw.stat().st_size:
        raise DataRefused("stdin is empty; it must hold one row for each question.")
    with raw.open("rb") as stream:
        start = stream.read(4)
    packed = next((suffix for mark, suffix in _PACKED.items() if start.startswith(mark)), "")
    named = raw.rename(folder / f"raw.jsonl{packed}")
    kind = _KINDS.get(start) or _kind_of_text(named)
    return named.rename(folder / f"{_NAME}{kind}{packed}")


def _kind_of_text(path: Path) -> str:
    """Distinguish JSON lines, one JSON value and tables by their first bytes."""
    from evenhand.scorer.readers.streams import head

    text = head(path, 1 << 16).decode(errors="replace").lstrip()
    if not text.startswith(("{", "[")):
        return ".tsv" if "\t" in text.partition("\n")[0] else ".csv"
    first = text.partition("\n")[0].rstrip()
    return ".jsonl" if first.startswith("{") and first.endswith("}") else ".json"
