"""What the rows of two versions were made of, and what differs in it: read from provenance."""

import re
from dataclasses import dataclass
from typing import Any

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class ContentChange:
    """One template, word list or released file that is new, gone or other than before."""

    file: str
    kind: str
    """``added``, ``removed`` or ``changed``."""


@dataclass(frozen=True, kw_only=True)
class OptionChange:
    """One option or finding of the provenance that differs."""

    name: str
    old: Any
    new: Any


def content_files(provenance: dict[str, Any]) -> dict[str, str]:
    """Return every file that provenance names with its sha256: templates, lists, releases.

    >>> content_files({"files": {"a.tsv": "0" * 64}, "limit": None})["a.tsv"][:4]
    '0000'
    """
    files: dict[str, str] = {}
    for value in provenance.values():
        if isinstance(value, dict):
            files |= {
                name: digest
                for name, digest in value.items()
                if isinstance(digest, str) and _SHA256.fullmatch(digest)
            }
    return files


def content_changes(old: dict[str, Any], new: dict[str, Any]) -> list[ContentChange]:
    """Return the files that differ between two provenances, in order of their names."""
    before, after = content_files(old), content_files(new)
    return [
        ContentChange(file=name, kind=_kind(name, before, after))
        for name in sorted(before | after)
        if before.get(name) != after.get(name)
    ]


def _kind(name: str, before: dict[str, str], after: dict[str, str]) -> str:
    if name not in before:
        return "added"
    return "changed" if name in after else "removed"


def option_changes(old: dict[str, Any], new: dict[str, Any]) -> list[OptionChange]:
    """Return the options that differ between two provenances; digests of files are left out."""
    before, after = _options(old), _options(new)
    return [
        OptionChange(name=name, old=before.get(name), new=after.get(name))
        for name in sorted(before | after)
        if before.get(name) != after.get(name)
    ]


def _options(provenance: dict[str, Any]) -> dict[str, Any]:
    files = content_files(provenance)
    return {
        name: value
        for name, value in provenance.items()
        if not (isinstance(value, dict) and value and value.keys() <= files.keys())
        and not (isinstance(value, str) and _SHA256.fullmatch(value))
    }
