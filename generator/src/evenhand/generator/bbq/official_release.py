"""Imports the official release of BBQ, or a mirror of it."""

import dataclasses
from typing import Any

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.generator.bbq.card import OFFICIAL_CARD
from evenhand.generator.bbq.faults import Fault, find_faults
from evenhand.generator.bbq.files import Release, read_release
from evenhand.generator.bbq.items import Items, build_items, config_rows
from evenhand.generator.bbq.spelling import checked_configs
from evenhand.generator.benchmark import ImportSettings, Prepared

OFFICIAL_ROWS = {
    "Age": 3680,
    "Disability_status": 1556,
    "Gender_identity": 5672,
    "Nationality": 3080,
    "Physical_appearance": 1576,
    "Race_ethnicity": 6880,
    "Religion": 1200,
    "SES": 6864,
    "Sexual_orientation": 864,
    "Race_x_SES": 11160,
    "Race_x_gender": 15960,
}
"""Rows of the release's files.

Source: the card of the mirror walledai/BBQ on the Hub, whose numbers add up to the paper's 58,492;
those of Age and Religion were counted.
"""

_CONSTRUCTION = (
    "Imported from the files of the official BBQ (nyu-mll/BBQ) by `evenhand import bbq`: the same"
    " texts, answers and labels; `id`, `unknown`, `target`, `why_no_target` and `label_type` were"
    " added."
)


def prepare_release(settings: ImportSettings) -> Prepared:
    """Read and check an official release.

    Raises:
        WrongUse: a config is unknown.
        DataRefused: a file is missing or faulty; the sentence names file, line and field.
    """
    configs = checked_configs(settings.configs)
    release = read_release(settings.source, configs)
    for name in configs:
        if name not in release.rows:
            raise DataRefused(
                f"{settings.source} holds no rows of {name}; its files:"
                f" {', '.join(release.file_labels)}."
            )
    items = {name: build_items(name, rows) for name, rows in release.rows.items()}
    faults = [
        fault for one in items.values() for fault in find_faults(one.category, one.rows, one.ids)
    ]
    rows = {
        name: config_rows(one, limit=settings.limit, seed=settings.seed)
        for name, one in items.items()
    }
    return Prepared(
        card=OFFICIAL_CARD,
        n_rows=sum(config.n_rows for config in rows.values()),
        provenance=_provenance(settings, release, items, faults),
        construction=_construction_lines(release, items),
        known_faults=tuple(f"Kept as released: {fault.sentence()}." for fault in faults),
        notes=_notes(release, items, faults),
        configs=lambda: iter(rows.values()),
    )


def _provenance(
    settings: ImportSettings, release: Release, items: dict[str, Items], faults: list[Fault]
) -> dict[str, Any]:
    return {
        "made_by": "import",
        "release": "nyu-mll/BBQ",
        "files": {release.file_label(path): sha256_of_file(path) for path in release.files},
        "limit": settings.limit,
        "rows": {name: len(one.rows) for name, one in items.items()},
        "incomplete_examples": {
            name: one.n_incomplete for name, one in items.items() if one.n_incomplete
        },
        **({"rows_in_two_files": release.n_repeated} if release.n_repeated else {}),
        **findings(items, faults),
        "fields_left_out": release.left_out,
    }


def findings(items: dict[str, Items], faults: list[Fault]) -> dict[str, Any]:
    """Return the facts about imported rows for the manifest."""
    return {
        "known_faults": [dataclasses.asdict(fault) for fault in faults],
        "without_target": {
            name: why for name, one in items.items() if (why := one.why_no_target())
        },
        "second_dimension": {
            name: one.targets.second_dimension
            for name, one in items.items()
            if one.targets.second_dimension
        },
    }


def _construction_lines(release: Release, items: dict[str, Items]) -> list[str]:
    names = sorted(release.file_label(path) for path in release.files)
    return [
        _CONSTRUCTION,
        f"Files: {', '.join(names)}.",
        *(f"{line}." for line in _gaps(items)),
        *(f"Rows without target in {line}." for line in without_target(items)),
    ]


def _notes(release: Release, items: dict[str, Items], faults: list[Fault]) -> list[str]:
    lines = [*_gaps(items)]
    if release.n_repeated:
        lines.append(f"{release.n_repeated:,} rows are in two files; each was taken once")
    absent = [name for name in CATEGORIES if name not in items]
    if absent:
        lines.append(f"not imported: {', '.join(absent)}")
    if release.left_out:
        lines.append(
            f"fields left out, since they are no part of BBQ: {', '.join(release.left_out)}"
        )
    lines += [f"without target: {line}" for line in without_target(items)]
    lines += [f"known fault, kept as it is: {fault.sentence()}" for fault in faults]
    return lines


def _gaps(items: dict[str, Items]) -> list[str]:
    """Say which categories are incomplete."""
    lines = []
    for name, one in items.items():
        if len(one.rows) != OFFICIAL_ROWS[name]:
            lines.append(f"{name}: {len(one.rows):,} rows; the release has {OFFICIAL_ROWS[name]:,}")
        if one.n_incomplete:
            lines.append(
                f"{name}: {one.n_incomplete:,} groups of four (neg and nonneg, ambig and disambig)"
                " are incomplete"
            )
    return lines


def without_target(items: dict[str, Items]) -> list[str]:
    """Say for which rows no target is known, and why."""
    return [
        f"{name}: {count:,} rows, {why}"
        for name, one in items.items()
        for why, count in one.why_no_target().items()
    ]
