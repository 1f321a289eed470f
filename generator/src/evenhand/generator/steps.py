"""Steps of a version, and refusing a number that says too little."""

from enum import IntEnum

from evenhand.contract.errors import DataRefused


class Step(IntEnum):
    """How much a version must go up."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


def version_numbers(version: str) -> tuple[int, int, int]:
    """Return the three numbers; what stands behind a ``+`` is dropped.

    >>> version_numbers("1.10.0+sample.5.0")
    (1, 10, 0)
    """
    major, minor, patch = (int(part) for part in version.partition("+")[0].split("."))
    return major, minor, patch


def next_version(version: str, step: Step) -> str:
    """Raise a version by a step; what stands behind a ``+`` is dropped.

    >>> [next_version("1.2.3", step) for step in Step]
    ['1.2.3', '1.2.4', '1.3.0', '2.0.0']
    """
    major, minor, patch = version_numbers(version)
    match step:
        case Step.MAJOR:
            return f"{major + 1}.0.0"
        case Step.MINOR:
            return f"{major}.{minor + 1}.0"
        case Step.PATCH:
            return f"{major}.{minor}.{patch + 1}"
        case Step.NONE:
            return f"{major}.{minor}.{patch}"


def refuse_going_back(old: str, new: str, *, where: str) -> None:
    """Refuse a version below one that is there already.

    Args:
        old: the version that is there.
        new: the version that is asked for.
        where: what holds the old one, for the sentence.

    Raises:
        DataRefused: ``new`` is the lower of the two.
    """
    if version_numbers(new) < version_numbers(old):
        raise DataRefused(
            f"Version {new} goes back behind {old} of {where}; versions only go up, so the next is"
            f" {next_version(old, Step.PATCH)} or higher."
        )
