"""Imports the original's mined contexts: tables such as ``<corpus>_TemplateForGender.csv``."""

import re
from collections.abc import Sequence
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.bvf import TOPICS
from evenhand.contract.errors import DataRefused
from evenhand.generator.benchmark import ImportSettings, Prepared
from evenhand.generator.bvf.generate import FilledTopic, fill_topic, prepare_topics
from evenhand.generator.bvf.options import ImportOptions
from evenhand.generator.bvf.subjects import Subjects, read_subjects
from evenhand.generator.bvf.topics import read_topic
from evenhand.generator.spelling import check_configs

RELEASE = "EmpathYang/Prejudice-Volatility-Framework"
_TABLE = re.compile(r"([a-z]+_)?Templates?For(?P<form>Gender|Generic)\.csv", re.IGNORECASE)
_FORMS = {"reference": "gender", "adjective": "generic"}
_CONSTRUCTION = (
    f"Imported from the tables of the original ({RELEASE}) by `evenhand import bvf`: the same"
    " contexts, in their order; weights are shares of their frequencies."
)


def prepare_import(settings: ImportSettings) -> Prepared:
    """Read and check the original's tables: a folder of them, or one.

    Raises:
        WrongUse: a topic is unknown, or several corpora are there and none is chosen.
        DataRefused: a table is missing or faulty; the sentence names file and line.
    """
    options = ImportOptions(**settings.options)
    tables = _tables(settings.source, options.slots)
    subjects = read_subjects(_subjects_file(settings.source, options.subjects or ()))
    topics = [
        _read_topic(name, tables, settings, subjects) for name in _topic_names(settings, tables)
    ]
    construction = [
        _CONSTRUCTION,
        f"Tables: {', '.join(sorted({topic.path.name for topic in topics}))}.",
    ]
    return prepare_topics(topics, made_by="import", whose="original", construction=construction)


def _topic_names(settings: ImportSettings, tables: list[Path]) -> list[str]:
    check_configs(settings.configs, TOPICS)
    if settings.configs:
        return list(dict.fromkeys(settings.configs))
    forms = {_table_form(path) for path in tables}
    names = [name for name in ("gender", "race") if _FORMS[read_topic(name).form] in forms]
    if not names:
        raise DataRefused(
            f"{settings.source} holds no table of contexts; <corpus>_TemplateForGender.csv or"
            " <corpus>_TemplateForGeneric.csv was expected."
        )
    return names


def _tables(source: Path, named: str | None) -> list[Path]:
    """Return the tables that are there, or the one that is named."""
    if not source.exists():
        raise DataRefused(f"{source} does not exist; give the folder of the original's tables.")
    if source.is_file():
        return [source]
    if named is not None:
        return [source / named]
    return [path for path in sorted(source.iterdir()) if _TABLE.fullmatch(path.name)]


def _table_form(path: Path) -> str:
    match = _TABLE.fullmatch(path.name)
    return match["form"].lower() if match else ""


def _read_topic(
    name: str, tables: list[Path], settings: ImportSettings, subjects: Subjects
) -> FilledTopic:
    topic = read_topic(name)
    fitting = [path for path in tables if _table_form(path) in {_FORMS[topic.form], ""}]
    if len(fitting) != 1:
        names = ", ".join(path.name for path in fitting) or "none"
        raise WrongUse(
            f"{settings.source}: the tables for {name} are {names}; choose one with --slots NAME."
        )
    return fill_topic(
        topic, fitting[0], subjects, limit=settings.limit, seed=settings.seed, orders=("last",)
    )


def _subjects_file(source: Path, names: Sequence[str]) -> Path | None:
    if len(names) > 1:
        raise WrongUse(f"--subjects names {len(names)} lists; contexts are filled with one.")
    folder = source.parent if source.is_file() else source
    return folder / names[0] if names else None
