"""The card of a dataset (``README.md``): YAML for the Hub, then what a reader must know."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.dataset import Licence
from evenhand.generator import __version__
from evenhand.generator.card_tables import columns_table, counts_table
from evenhand.generator.changes import content_files
from evenhand.generator.config_summary import ConfigSummary
from evenhand.generator.yaml_text import yaml_text

APACHE = Licence(
    id="apache-2.0",
    name="Apache License 2.0",
    link="https://www.apache.org/licenses/LICENSE-2.0",
)
"""The licence of Evenhand's templates and lists."""

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "10M<n<100M"


@dataclass(frozen=True, kw_only=True)
class InspectTask:
    """How inspect-ai asks the rows of a config; the words are those of the Hub's ``eval.yaml``."""

    field_spec: dict[str, Any]
    """``input``, ``target``, ``choices``, ``metadata`` -> the columns that hold them."""
    solvers: tuple[dict[str, Any], ...]
    scorers: tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Card:
    """The text of a benchmark's card, the same for every version.

    A benchmark may leave out the fields that have a default.
    """

    stem: str
    name: str
    licence: Licence
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    task_categories: tuple[str, ...]
    content_warning: str
    summary: str
    measures: str
    limits: tuple[str, ...]
    """What the numbers do not show; the limits that the paper names are among them."""
    rows: str
    """What one row is, and the order of rows."""
    scoring: str
    citation: str
    paper: str = ""
    """The paper's address, e.g. ``https://arxiv.org/abs/2110.08193``; the Hub tags it."""
    task_ids: tuple[str, ...] = ()
    annotations_creators: tuple[str, ...] = ("machine-generated",)
    language_creators: tuple[str, ...] = ("machine-generated",)
    multilinguality: tuple[str, ...] = ("monolingual",)
    biases: tuple[str, ...] = (
        (
            "The rows quote stereotypes on purpose; which groups and stereotypes they cover"
            " reflects the sources of the lists, most of them in English and from the United"
            " States."
        ),
        "Groups that the lists do not name are not measured at all.",
    )
    known_faults: tuple[str, ...] = ()
    use_cases: tuple[str, ...] = (
        "Measuring social bias of language models, and comparing models on the same rows.",
        "Not for training or fine-tuning: on a model that has seen the rows they measure nothing.",
        "Not for judging people, nor as evidence that a model is safe for some use.",
    )
    personal_information: str = (
        "No row is about a real person. Rows name groups of people (by age, gender, ethnicity,"
        " religion, nationality and the like) and, where a config says so, common first names."
    )
    social_impact: str = (
        "A low score may be taken as proof of fairness, which it is not; quoted stereotypes can"
        " hurt readers. The content warning and the limits stand first for that reason."
    )
    gated_prompt: str = (
        "These rows quote stereotypes about groups of people in order to measure them in language"
        " models. Please agree not to train models on them and not to present them as statements"
        " of fact."
    )
    """Asked on the Hub before access is given, where a version is made with ``--gated``."""
    inspect: InspectTask | None = None


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Where and how a version is going to be published; nothing of it changes a row."""

    repo: str | None = None
    """``org/name`` on the Hub; the card's commands then name it."""
    gated: bool = False
    """Whether the card asks for consent (``extra_gated_prompt``)."""
    date: str | None = None
    """``YYYY-MM-DD``, for Croissant's ``datePublished``; never taken from a clock."""
    framework: str | None = None
    """The framework that ``eval.yaml`` names; without it only where inspect-ai can ask the rows."""


UNPUBLISHED = Publication()
"""Where and how it will be published is not known yet."""


@dataclass(frozen=True, kw_only=True)
class Edition:
    """One version of a benchmark: what its card, Croissant and ``eval.yaml`` are made of."""

    card: Card
    version: str
    seed: int
    construction: list[str]
    """Sentences on how it was made."""
    provenance: dict[str, Any]
    configs: list[ConfigSummary]
    publication: Publication = UNPUBLISHED
    known_faults: tuple[str, ...] = ()
    """Faults of this version's rows, besides those of the benchmark."""


def card_text(edition: Edition) -> str:
    """Render ``README.md``."""
    card = edition.card
    return _template().render(
        edition=edition,
        card=card,
        front_matter=yaml_text(front_matter(edition)).rstrip("\n"),
        counts=counts_table(edition.configs),
        columns=columns_table(edition.configs),
        smallest=min(edition.configs, key=lambda one: one.split.rows).name,
        sources=_sources(edition.provenance),
        known_faults=[*card.known_faults, *edition.known_faults],
        generator_version=__version__,
        contract_version=CONTRACT_VERSION,
    )


@cache
def _template() -> Template:
    # Markdown and not HTML, and every text is ours or was checked as a template: no escaping.
    environment = Environment(  # noqa: S701
        loader=FileSystemLoader(Path(__file__).parent / "templates" / "card"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["thousands"] = "{:,}".format
    return environment.get_template("README.md.jinja")


def front_matter(edition: Edition) -> dict[str, Any]:
    """Return the card's YAML."""
    card = edition.card
    return {
        "pretty_name": card.name,
        **_licence(card.licence),
        "language": list(card.languages),
        "language_creators": list(card.language_creators),
        "annotations_creators": list(card.annotations_creators),
        "multilinguality": list(card.multilinguality),
        "source_datasets": [_source_dataset(edition)],
        "size_categories": [size_category(sum(one.split.rows for one in edition.configs))],
        "task_categories": list(card.task_categories),
        **({"task_ids": list(card.task_ids)} if card.task_ids else {}),
        "tags": list(card.tags),
        **(_gate(card) if edition.publication.gated else {}),
        "configs": [
            _config(one.name, is_default=place == 0) for place, one in enumerate(edition.configs)
        ],
        "dataset_info": [_dataset_info(one) for one in edition.configs],
    }


def size_category(rows: int) -> str:
    """Return the Hub's name for a number of rows.

    >>> size_category(999), size_category(1_000)
    ('n<1K', '1K<n<10K')
    """
    return next((name for limit, name in _SIZES if rows < limit), _LARGEST)


def _licence(licence: Licence) -> dict[str, str]:
    """Name the licence; one that the Hub does not know by an id goes with its name and link."""
    if licence.id != "other":
        return {"license": licence.id}
    return {
        "license": "other",
        "license_name": licence.name.lower().replace(" ", "-"),
        "license_link": licence.link,
    }


def _source_dataset(edition: Edition) -> str:
    imported = edition.provenance.get("made_by") == "import"
    return f"extended|other-{edition.card.stem}" if imported else "original"


def _gate(card: Card) -> dict[str, Any]:
    return {
        "extra_gated_prompt": card.gated_prompt,
        "extra_gated_fields": {
            "I agree not to train models on these rows": "checkbox",
            "I have read the content warning": "checkbox",
        },
        "extra_gated_button_content": "Agree and see the rows",
    }


def _config(name: str, *, is_default: bool) -> dict[str, Any]:
    return {
        "config_name": name,
        "data_files": [{"split": "test", "path": f"{name}/test-*.parquet"}],
        **({"default": True} if is_default else {}),
    }


def _dataset_info(config: ConfigSummary) -> dict[str, Any]:
    return {
        "config_name": config.name,
        "features": config.features,
        "splits": [
            {
                "name": "test",
                "num_bytes": config.content_bytes,
                "num_examples": config.split.rows,
            }
        ],
        "download_size": config.file_bytes,
        "dataset_size": config.content_bytes,
    }


def _sources(provenance: dict[str, Any]) -> str:
    """Return how many files the rows are made of."""
    files = content_files(provenance)
    if not files:
        return ""
    n_templates = sum(name.endswith(".jinja") for name in files)
    n_lists = sum(name.endswith(".tsv") for name in files)
    n_others = len(files) - n_templates - n_lists
    counts = [(n_templates, "template"), (n_lists, "word list"), (n_others, "file of the release")]
    parts = [f"{n:,} {what if n == 1 else _plural(what)}" for n, what in counts if n]
    return f"Made of {' and '.join(parts)}; the sha256 of each is in `evenhand.json`."


def _plural(what: str) -> str:
    return what.replace("file", "files") if what.startswith("file") else f"{what}s"
