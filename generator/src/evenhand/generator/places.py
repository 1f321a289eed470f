"""Places for output: refused before any work is done for them."""

from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import check_place


def refuse_existing_folder(out: Path, *, overwrite: bool) -> None:
    """Refuse a folder that exists and holds something.

    Raises:
        DataRefused: it does, and may not be replaced.
    """
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise DataRefused(f"The folder {out} exists; add --overwrite or choose another --out.")


def check_output_file(path: Path, flag: str, *, overwrite: bool) -> None:
    """Refuse a file that cannot be written, or that exists.

    Args:
        path: the file.
        flag: the option that names it.
        overwrite: whether a file that exists may be replaced.

    Raises:
        DataRefused: it cannot be written.
    """
    check_place(path)
    if path.exists() and not overwrite:
        raise DataRefused(f"{path} exists; add --overwrite or choose another {flag}.")
