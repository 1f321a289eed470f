"""The tables of a card, in Markdown: what is counted, and what the columns are."""

import re
from collections.abc import Sequence
from typing import Any

from evenhand.generator.config_summary import ConfigSummary


def counts_table(configs: list[ConfigSummary]) -> list[str]:
    """Show what every benchmark counts, then the totals that only some benchmarks have."""
    part_totals = {
        name: [config.statistics.get(name, {}).get("total") for config in configs]
        for name, value in configs[0].statistics.items()
        if isinstance(value, dict) and "total" in value
    }
    columns = {
        name: [config.statistics.get(name) for config in configs]
        for name in ("rows", "examples", "templates")
    } | {name: totals for name, totals in part_totals.items() if any(totals)}
    rows = [
        [config.name, *cells]
        for config, *cells in zip(configs, *map(_numbers, columns.values()), strict=True)
    ]
    if len(configs) > 1:
        # Templates and people of several configs may be the same, so these do not add up.
        sums = [sum(one.split.rows for one in configs), sum(one.split.examples for one in configs)]
        rows.append(["all", *_numbers([*sums, *[None] * (len(columns) - 2)])])
    headings = ["config", *(name.replace("_", " ") for name in columns)]
    return _table(headings, rows, alignment=["---", *["---:"] * len(columns)])


def _numbers(values: list[int | None]) -> list[str]:
    return ["" if value is None else f"{value:,}" for value in values]


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, alignment: Sequence[str]
) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [headings, alignment, *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def columns_table(configs: list[ConfigSummary]) -> list[str]:
    """Show each column once, with its type and its value in a first row, then who lacks which."""
    configs_by_column: dict[tuple[str, str], list[ConfigSummary]] = {}
    for config in configs:
        for feature in config.features:
            configs_by_column.setdefault((feature["name"], feature_type(feature)), []).append(
                config
            )
    rows = [
        (f"`{name}`", kind, cell_text(having[0].first_row.get(name)))
        for (name, kind), having in configs_by_column.items()
    ]
    table = _table(("column", "type", "in the first row"), rows, alignment=["---"] * 3)
    return [*table, *_partial_columns(configs_by_column, len(configs))]


def _partial_columns(
    configs_by_column: "dict[tuple[str, str], list[ConfigSummary]]", n_configs: int
) -> list[str]:
    """Say of columns that not all configs have which have them."""
    groups: dict[str, list[str]] = {}
    for (name, _), having in configs_by_column.items():
        if len(having) < n_configs:
            configs = ", ".join(f"`{config.name}`" for config in having)
            groups.setdefault(configs, []).append(f"`{name}`")
    lines = [f"- Only in {configs}: {', '.join(names)}." for configs, names in groups.items()]
    return ["", *lines] if lines else []


def cell_text(value: Any) -> str:
    r"""Write a value into a cell of a table.

    >>> cell_text(["a_b", "c"]), cell_text(1 / 3), cell_text(None)
    ('a\\_b; c', '0.333333', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, list):
        return "; ".join(map(cell_text, value))
    if isinstance(value, float):
        return f"{value:.6g}"
    return markdown(str(value))


def markdown(text: str) -> str:
    """Escape what Markdown would take for more than text."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", " ".join(text.split()))


def feature_type(feature: dict[str, Any]) -> str:
    """Return the type of a column in words.

    >>> feature_type({"name": "a", "list": "string"})
    'list of string'
    """
    if "dtype" in feature:
        return str(feature["dtype"])
    if "struct" in feature:
        return "struct"
    inner = feature["list"]
    return f"list of {inner if isinstance(inner, str) else 'struct'}"
