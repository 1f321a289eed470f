"""The card of a dataset (``README.md``): YAML for the Hub, then what a reader must know."""

import json
from dataclasses import dataclass
from typing import Any

from evenhand.contract.dataset import Licence, SplitEntry

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "10M<n<100M"

APACHE = Licence(
    id="apache-2.0",
    name="Apache License 2.0",
    link="https://www.apache.org/licenses/LICENSE-2.0",
)
"""The licence of our own templates and lists."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is said about a benchmark, the same for every version."""

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
    rows: str
    """What one row is, and the order of rows."""
    scoring: str
    citation: str


@dataclass(frozen=True, kw_only=True)
class ConfigSummary:
    """One config as the card shows it."""

    name: str
    features: list[dict[str, str]]
    """Columns as the Hub describes them: ``name``, and ``dtype`` or ``list``."""
    split: SplitEntry
    content_bytes: int
    file_bytes: int
    statistics: dict[str, Any]


def card_text(card: Card, *, version: str, made: list[str], configs: list[ConfigSummary]) -> str:
    """Render ``README.md``."""
    front = yaml_lines(_front_matter(card, configs))
    lines = ["---", *front, "---", "", f"# {card.name} {version}", ""]
    lines += [f"**Content warning.** {card.content_warning}", "", card.summary, ""]
    lines += ["## Configs", "", *_counts_table(configs), ""]
    lines += ["## Rows", "", card.rows, ""]
    lines += ["## What it measures, and what it does not", "", card.measures, ""]
    lines += [f"- {limit}" for limit in card.limits]
    lines += ["", "## How it was made", "", *[f"- {line}" for line in made]]
    lines += ["", "## Loading and scoring", "", *_usage(card, configs[0].name), "", card.scoring]
    lines += ["", "## Licence and citation", ""]
    lines += [f"[{card.licence.name}]({card.licence.link}).", "", "```bibtex"]
    return "\n".join([*lines, card.citation.strip(), "```", ""])


def _front_matter(card: Card, configs: list[ConfigSummary]) -> dict[str, Any]:
    rows = sum(config.split.rows for config in configs)
    size = next((name for limit, name in _SIZES if rows < limit), _LARGEST)
    return {
        "pretty_name": card.name,
        "license": card.licence.id,
        "language": list(card.languages),
        "tags": list(card.tags),
        "task_categories": list(card.task_categories),
        "size_categories": [size],
        "configs": [
            {
                "config_name": config.name,
                "data_files": [{"split": "test", "path": f"{config.name}/test-*.parquet"}],
            }
            for config in configs
        ],
        "dataset_info": [_dataset_info(config) for config in configs],
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


def _counts_table(configs: list[ConfigSummary]) -> list[str]:
    """Show what every benchmark counts, then the totals of its own parts."""
    own = [
        name
        for name, value in configs[0].statistics.items()
        if isinstance(value, dict) and "total" in value
    ]
    headings = [
        "config",
        "rows",
        "examples",
        "templates",
        *(name.replace("_", " ") for name in own),
    ]
    lines = [f"| {' | '.join(headings)} |", f"| --- |{' ---: |' * (len(headings) - 1)}"]
    for config in configs:
        counts = config.statistics
        cells = [counts["rows"], counts["examples"], counts["templates"]]
        cells += [counts[name]["total"] for name in own]
        numbers = " | ".join(f"{cell:,}" for cell in cells)
        lines.append(f"| {config.name} | {numbers} |")
    return lines


def _usage(card: Card, config: str) -> list[str]:
    return [
        "```python",
        "from datasets import load_dataset",
        "",
        f'rows = load_dataset("path/of/this/folder", "{config}", split="test")',
        "```",
        "",
        "```sh",
        "evenhand verify DIR          # DIR is this folder",
        f"evenhand show {card.stem} --config {config}",
        f"evenhand predict DIR --config {config} --model MODEL --out predictions.parquet",
        "evenhand score DIR --predictions predictions.parquet --out metrics.json",
        "```",
    ]


def yaml_lines(value: Any, indent: int = 0) -> list[str]:
    """Write mappings, lists, texts and numbers as YAML; texts are quoted as in JSON.

    >>> yaml_lines({"a": ["b", {"c": 1}]})
    ['a:', '- "b"', '- c: 1']
    """
    pad = " " * indent
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                deeper = indent + 2 if isinstance(inner, dict) else indent
                lines += [f"{pad}{key}:", *yaml_lines(inner, deeper)]
            else:
                lines.append(f"{pad}{key}: {json.dumps(inner, ensure_ascii=False)}")
        return lines
    lines = []
    for item in value:
        inner_lines = yaml_lines(item, indent + 2) if isinstance(item, dict) else None
        if inner_lines is None:
            lines.append(f"{pad}- {json.dumps(item, ensure_ascii=False)}")
        else:
            lines += [f"{pad}- {inner_lines[0].lstrip()}", *inner_lines[1:]]
    return lines
