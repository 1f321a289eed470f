"""What a metric file cannot know, as stated on the command line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.predictions import ModelReference
from evenhand.scorer.report.reading import ReadReport

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, kw_only=True)
class Stated:
    """The stated facts; None or empty where nothing was stated."""

    model: str | None = None
    dataset_repos: Mapping[str, str] = field(default_factory=dict)
    """Stem -> name on the Hub."""
    dataset_revisions: Mapping[str, str] = field(default_factory=dict)
    """Stem -> commit or tag."""
    date: datetime | None = None
    source_url: str | None = None
    source_name: str | None = None
    organization: str | None = None
    relationship: str | None = None


def parse_date(text: str) -> datetime:
    """Read a date or a time; without a time zone it is UTC.

    >>> parse_date("2026-01-15").isoformat()
    '2026-01-15T00:00:00+00:00'

    Raises:
        WrongUse: it is neither.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse(
            f"--date {text} is not a date; write 2026-01-15 or 2026-01-15T10:30:00Z."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def values_by_benchmark(option: str, texts: Sequence[str], stems: Sequence[str]) -> dict[str, str]:
    """Read all given ``[STEM=]VALUE``; a value without a stem is for all benchmarks.

    >>> values_by_benchmark("--dataset-repo", ["first=org/one"], ["first", "second"])
    {'first': 'org/one'}

    Raises:
        WrongUse: a stem is not among the files, or the value is empty.
    """
    by_benchmark: dict[str, str] = {}
    for text in texts:
        stem, equals, value = text.rpartition("=")
        if not value or (equals and stem not in stems):
            raise WrongUse(
                f"{option} {text}: write VALUE, or STEM=VALUE where STEM is one of the files'"
                f" benchmarks ({', '.join(dict.fromkeys(stems))})."
            )
        by_benchmark |= dict.fromkeys([stem] if equals else stems, value)
    return by_benchmark


def check_repository(name: str) -> None:
    """Refuse a name that cannot be one on the Hub.

    Raises:
        WrongUse: it is not of the form ``org/name``.
    """
    if not _REPOSITORY.fullmatch(name):
        raise WrongUse(f"--dataset-repo {name} is not a name on the Hub; write ORG/NAME.")


def check_one_model(reports: Sequence[ReadReport]) -> ModelReference | None:
    """Return the model that the predictions' headers name, None where none names one.

    Raises:
        DataRefused: two files name different models.
    """
    models = {read.path: record.model for read in reports for record in read.report.predictions
             if record.model is not None}  # fmt: skip
    for path, model in models.items():
        other, first = next(iter(models.items()))
        if model.name != first.name:
            raise DataRefused(
                f"{other} is of the model {first.name}, but {path} is of {model.name}; write one"
                " file a model."
            )
    return next(iter(models.values()), None)


def stated_model(reports: Sequence[ReadReport], stated: Stated) -> ModelReference:
    """Return the one model of all files: as stated, else as the predictions' headers name it.

    Raises:
        DataRefused: no file names one, or two files name different ones.
    """
    known = check_one_model(reports)
    if stated.model is not None:
        plain = known or ModelReference(name=stated.model)
        return msgspec.structs.replace(plain, name=stated.model)
    if known is None:
        raise DataRefused(
            f"{reports[0].path} names no model because its predictions had no header; add"
            " --model ORG/NAME."
        )
    return known


def hub_repository(read: ReadReport, stated: Stated, *, form: str) -> str:
    """Return the dataset's name on the Hub.

    Raises:
        DataRefused: nobody stated it.
    """
    stem = read.report.dataset.stem
    if stem not in stated.dataset_repos:
        raise DataRefused(
            f"{read.path} does not say where its dataset is on the Hub, which {form} requires;"
            f" add --dataset-repo {stem}=ORG/NAME."
        )
    return stated.dataset_repos[stem]
