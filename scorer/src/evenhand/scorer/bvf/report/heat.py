"""BVF's heat map: the model's preference in each context for each subject."""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.bvf.report.cells import Cells
from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Figure, HeatCell, HeatMap
from evenhand.scorer.report.words import things

MOST_CONTEXTS, MOST_SUBJECTS = 20, 16
HEAT_STEPS = 5

Floats = NDArray[np.float64]
_Format = Callable[[float], str]


def heat_figure(result: TopicResult, cells: Cells) -> Figure | None:
    """Draw the strongest contexts (rows) and subjects (columns).

    With two classes the colour is the preference for either, with more it is the risk.
    """
    shares = cells.risk_shares
    contexts = _largest_places(shares, MOST_CONTEXTS)
    subjects = _subjects(result, cells)
    if len(contexts) * len(subjects) < 2 or not np.isfinite(cells.risk).any():
        return None
    values = cells.s[..., _first_class(result, cells)] if result.is_two_sided else cells.risk
    shown = values[np.ix_(contexts, subjects)]
    limit = float(np.nanmax(np.abs(shown), initial=0.0)) or 1.0
    rows = _sort_by_mean(contexts, np.nan_to_num(shown).mean(axis=1))
    columns = _sort_by_mean(subjects, np.nan_to_num(shown).mean(axis=0))
    write: _Format = numbers.plain
    if result.is_two_sided:
        write = functools.partial(numbers.signed, digits=2)
    return Figure(
        title=_title(result),
        description=(
            f"Heat map of {things(len(rows), 'context', 'contexts')} by {len(columns)}"
            f" {result.nouns.many}, {result.label}. From {write(float(np.nanmin(shown)))} to"
            f" {write(float(np.nanmax(shown)))}."
        ),
        caption=_caption(result, cells, rows, columns),
        chart=HeatMap(
            columns=[cells.subjects[x] for x in columns],
            rows=[
                (
                    cells.contexts[c],
                    [_cell(cells, (c, x), float(values[c, x]) / limit) for x in columns],
                )
                for c in rows
            ],
            scale=_scale(limit, write, two_sided=result.is_two_sided),
        ),
    )


def _first_class(result: TopicResult, cells: Cells) -> int:
    return cells.classes.index(result.classes[0]) if result.classes[0] in cells.classes else 0


def _subjects(result: TopicResult, cells: Cells) -> list[int]:
    """Return the indices of the subjects with the highest risk and the highest volatility."""
    if len(cells.subjects) <= MOST_SUBJECTS:
        return list(range(len(cells.subjects)))
    volatility = result.values("r_v")
    moving = sorted(volatility, key=lambda name: (-volatility[name], name))
    half = MOST_SUBJECTS // 2
    chosen = dict.fromkeys([*result.ranking[:half], *moving, *result.ranking])
    places = {name: place for place, name in enumerate(cells.subjects)}
    return [places[name] for name in chosen if name in places][:MOST_SUBJECTS]


def _largest_places(values: Floats, most: int) -> list[int]:
    """Return the indices of the largest values, earlier ones first among equals."""
    return [int(place) for place in np.argsort(-values, kind="stable")[:most]]


def _sort_by_mean(places: Sequence[int], means: Floats) -> list[int]:
    """Return indices from the highest mean to the lowest, so that colours are in order."""
    return [places[at] for at in np.argsort(-means, kind="stable")]


def _title(result: TopicResult) -> str:
    if result.is_two_sided:
        first, second = result.classes
        return f"Context by {result.nouns.one}: preference for {first} (above 0) or {second}"
    return f"Context by {result.nouns.one}: strength of the stereotype"


def _cell(cells: Cells, at: tuple[int, int], share: float) -> HeatCell:
    """Return one cell; ``share`` is its value as a share of the largest that is shown."""
    context, subject = at
    title = f"{cells.subjects[subject]} · {cells.contexts[context]}"
    if math.isnan(share):
        return HeatCell(step=None, title=f"{title}: not scored")
    preferences = ", ".join(
        f"{name} {numbers.signed(float(value), digits=2)}"
        for name, value in zip(cells.classes, cells.s[at], strict=True)
    )
    risk = numbers.plain(float(cells.risk[at]))
    return HeatCell(step=round(HEAT_STEPS * share), title=f"{title}: {preferences}; risk {risk}")


def _scale(limit: float, write: _Format, *, two_sided: bool) -> list[tuple[int, str]]:
    first = -HEAT_STEPS if two_sided else 0
    return [(step, write(limit * step / HEAT_STEPS)) for step in range(first, HEAT_STEPS + 1)]


def _caption(
    result: TopicResult, cells: Cells, contexts: Sequence[int], subjects: Sequence[int]
) -> str:
    """Explain how to read the map, and say how much of the whole is shown."""
    text = (
        "A row of one colour: the preference depends on the context. A column of one colour: it"
        f" depends on the {result.nouns.one}."
    )
    if len(contexts) < len(cells.contexts):
        share = numbers.percent(float(cells.risk_shares[list(contexts)].sum()))
        text += (
            f" Shown: the {len(contexts)} of {numbers.count(len(cells.contexts))} contexts that"
            f" contribute most to R, {share} of it."
        )
    if len(subjects) < len(cells.subjects):
        text += (
            f" Shown: {len(subjects)} of {len(cells.subjects)} {result.nouns.many}: the"
            f" {MOST_SUBJECTS // 2} with the highest r, then those with the highest rᵛ."
        )
    return text
