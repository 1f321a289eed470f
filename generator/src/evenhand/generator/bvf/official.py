"""Imports the original's mined contexts: tables such as ``<corpus>_TemplateForGender.csv``."""

import re
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.bvf import TOPICS
from evenhand.contract.errors import DataRefused
from evenhand.generator.bvf.asked import Subjects, read_subjects
from evenhand.generator.bvf.generate import Filled, filled, prepared
from evenhand.generator.bvf.topics import read_topic
from evenhand.generator.stems import ImportOptions, Prepared

RELEASE = "EmpathYang/Prejudice-Volatility-Framework"
_TABLE = re.compile(r"([a-z]+_)?Templates?For(?P<form>Gender|Generic)\.csv", re.IGNORECASE)
_FORMS = {"reference": "gender", "adjective": "generic"}
_MADE = (
    f"Imported from the tables of the original ({RELEASE}) by `evenhand import bvf`: the same"
    " contexts, in their order; weights are shares of their frequencies."
)


def prepare_import(options: ImportOptions) -> Prepared:
    """Read and check the original's tables: a folder of them, or one.

    Raises:
        WrongUse: a topic is unknown, or several corpora are there and none is chosen.
        DataRefused: a table is missing or faulty; the sentence names file and line.
    """
    if options.header or "activities" in options.files or options.from_templates:
        raise WrongUse("--header, --activities and --templates are not for bvf.")
    subjects = read_subjects(_subjects_file(options))
    topics = [_topic(name, options, subjects) for name in _names(options)]
    made = [_MADE, f"Tables: {', '.join(sorted({own.path.name for own in topics}))}."]
    return prepared(topics, made_by="import", contexts_of="original", made=made)


def _names(options: ImportOptions) -> list[str]:
    unknown = [name for name in options.configs if name not in TOPICS]
    if unknown:
        raise WrongUse(f"There is no config {unknown[0]}. The configs are {', '.join(TOPICS)}.")
    if options.configs:
        return list(dict.fromkeys(options.configs))
    forms = {_form(path) for path in _tables(options)}
    found = [name for name in ("gender", "race") if _FORMS[read_topic(name).form] in forms]
    if not found:
        raise DataRefused(
            f"{options.source} holds no table of contexts; <corpus>_TemplateForGender.csv or"
            " <corpus>_TemplateForGeneric.csv was expected."
        )
    return found


def _tables(options: ImportOptions) -> list[Path]:
    """Return the tables that are there, or those that are named."""
    source, named = options.source, options.files.get("slots", [])
    if not source.exists():
        raise DataRefused(f"{source} does not exist; give the folder of the original's tables.")
    if source.is_file():
        return [source]
    if named:
        return [source / name for name in named]
    return [path for path in sorted(source.iterdir()) if _TABLE.fullmatch(path.name)]


def _form(path: Path) -> str:
    found = _TABLE.fullmatch(path.name)
    return found["form"].lower() if found else ""


def _topic(name: str, options: ImportOptions, subjects: Subjects) -> Filled:
    topic, tables = read_topic(name), _tables(options)
    own = [path for path in tables if _form(path) in {_FORMS[topic.form], ""}]
    if len(own) != 1:
        names = ", ".join(path.name for path in own) or "none"
        raise WrongUse(
            f"{options.source}: the tables for {name} are {names}; choose one with --slots NAME."
        )
    return filled(topic, own[0], subjects, limit=options.limit, seed=options.seed, orders=("last",))


def _subjects_file(options: ImportOptions) -> Path | None:
    names = options.files.get("subjects", [])
    if len(names) > 1:
        raise WrongUse("--subjects names one list for bvf.")
    folder = options.source.parent if options.source.is_file() else options.source
    return folder / names[0] if names else None
