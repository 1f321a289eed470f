"""Names on the Hub: a repository, and a repository at a version's tag."""

import re

from evenhand.contract import WrongUse

_PART = r"[A-Za-z0-9](?:[\w.-]{0,94}[A-Za-z0-9])?"
_REPO = re.compile(rf"{_PART}/{_PART}")
_REVISION = re.compile(r"[\w.+-]+")
_VERSION_TAG = re.compile(r"v?((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))")


def checked_repo(name: str) -> str:
    """Return the name of a repository if it is one.

    Raises:
        WrongUse: it is not ``org/name``.
    """
    if not _REPO.fullmatch(name) or ".." in name or "--" in name:
        raise WrongUse(f"{name} is not a repository of the Hub; org/name was expected.")
    return name


def split_name(name: str) -> tuple[str, str | None]:
    """Return repository and revision of ``org/name@revision``; without ``@`` the second is None.

    >>> split_name("org/name@1.0.0")
    ('org/name', '1.0.0')

    Raises:
        WrongUse: it is neither.
    """
    repo, at, revision = name.partition("@")
    if at and not _REVISION.fullmatch(revision):
        raise WrongUse(f"{name}: `{revision}` is not a tag; e.g. {repo}@1.0.0.")
    return checked_repo(repo), revision or None


def tag_version(tag: str) -> str | None:
    """Return the version that a tag stands for, or None.

    >>> tag_version("v1.2.3"), tag_version("draft")
    ('1.2.3', None)
    """
    match = _VERSION_TAG.fullmatch(tag)
    return match[1] if match else None
