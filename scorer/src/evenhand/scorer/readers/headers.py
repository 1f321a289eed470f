"""The header of our predictions: the first line of JSON lines, or a file beside them."""

from pathlib import Path

import msgspec

from evenhand.contract import CONTRACT_VERSION, DataRefused
from evenhand.contract.predictions import HEADER_KEY, Header, HeaderLine, sidecar_of
from evenhand.scorer.faults import excerpt

_NOT_ONE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_START_BYTES = 200


def parse_header(path: Path, line: bytes) -> Header | None:
    """Return the header that the first line of JSON lines is, None where it is a row.

    Raises:
        DataRefused: it begins like a header and is none, or is of another contract.
    """
    start = line[:_START_BYTES].lstrip()
    if not (start.startswith(b"{") and start[1:].lstrip().startswith(b'"' + HEADER_KEY.encode())):
        return None
    try:
        header = msgspec.json.decode(line, type=HeaderLine).evenhand_header
    except _NOT_ONE as error:
        raise _refusal(f"{path}, line 1", error) from error
    return _check_contract(f"{path}, line 1", header)


def read_sidecar(path: Path) -> Header | None:
    """Return the header in ``<file>.meta.json``, if there is one.

    Raises:
        DataRefused: it is no header, or of another contract.
    """
    sidecar = sidecar_of(path)
    if not sidecar.is_file():
        return None
    try:
        header = msgspec.json.decode(sidecar.read_bytes(), type=Header)
    except _NOT_ONE as error:
        raise _refusal(str(sidecar), error) from error
    return _check_contract(str(sidecar), header)


def _refusal(place: str, error: Exception) -> DataRefused:
    return DataRefused(f"{place} is not a header of predictions: {excerpt(str(error))}.")


def _check_contract(place: str, header: Header) -> Header:
    if header.contract_version.split(".")[0] != CONTRACT_VERSION.split(".")[0]:
        said = excerpt(header.contract_version, 20)
        raise DataRefused(
            f"{place}: contract_version is {said!r}, but this version of Evenhand reads"
            f" {CONTRACT_VERSION}; take the version of Evenhand that made the file."
        )
    return header
