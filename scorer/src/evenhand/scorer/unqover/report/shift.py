"""The shift of gamma from a masked language model to a QA model fine-tuned from it."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Sequence

import polars as pl

from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Block, Cell, Column, Details, Table
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.unqover.report.pairs import read_pairs
from evenhand.scorer.unqover.tables import bias_shift, subject_gammas

MASKED_SUFFIX = "_mlm"

TOP_SHIFTS = 10
"""The number of pairs shown, those with the largest shift."""


def shift_blocks(results: Sequence[ModelResult], config: str) -> list[Block]:
    """Return the difference of gamma for each masked LM and each QA model of a class.

    No file states which LM a QA model was fine-tuned from, so all combinations are compared.

    Args:
        results: all models of the report.
        config: a question-answering config; the LM's config is ``<config>_mlm``.
    """
    masked = config + MASKED_SUFFIX
    models = [result for result in results if masked in result.report.configs]
    answering = [result for result in results if config in result.report.configs]
    blocks: list[Block] = []
    for lm in models:
        for qa in answering:
            tables = _subject_table(lm, qa, config), _pair_table(lm, qa, config)
            kept: list[Block] = [table for table in tables if table is not None]
            if kept:
                summary = f"Shift from the language model {lm.label} to {qa.label}"
                blocks.append(Details(summary=summary, blocks=kept))
    return blocks


def _subject_table(lm: ModelResult, qa: ModelResult, config: str) -> Table | None:
    before = subject_gammas(lm.report, config + MASKED_SUFFIX)
    after = subject_gammas(qa.report, config)
    frames = [
        pl.DataFrame(
            {"subject": list(gamma), "gamma": list(gamma.values())},
            schema={"subject": pl.String, "gamma": pl.Float64},
        )
        for gamma in (before, after)
    ]
    return _table(bias_shift(*frames), caption="Shift of γ(x), by subject")


def _pair_table(lm: ModelResult, qa: ModelResult, config: str) -> Table | None:
    frames = [
        pl.DataFrame(
            [(pair.subject, pair.attribute, pair.gamma) for pair in read_pairs(result, name)],
            schema={"subject": pl.String, "attribute": pl.String, "gamma": pl.Float64},
            orient="row",
        )
        for result, name in ((lm, config + MASKED_SUFFIX), (qa, config))
    ]
    return _table(
        bias_shift(*frames).head(TOP_SHIFTS),
        caption=f"The {TOP_SHIFTS} pairs with the largest shift",
    )


def _table(shift: pl.DataFrame, *, caption: str) -> Table | None:
    if shift.is_empty():
        return None
    words = [name for name in ("subject", "attribute") if name in shift.columns]
    return Table(
        caption=caption,
        columns=[
            *(Column(label=word.capitalize()) for word in words),
            Column(label="γ, language model", is_number=True),
            Column(label="γ, QA model", is_number=True),
            Column(label="Shift", is_number=True),
        ],
        rows=[
            [
                *(Cell(text=str(row[word])) for word in words),
                *(
                    Cell(text=numbers.signed(row[name]), sort=row[name])
                    for name in ("gamma_lm", "gamma_qa", "shift")
                ),
            ]
            for row in shift.iter_rows(named=True)
        ],
    )
