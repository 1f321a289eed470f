"""BVF's tables of the contexts behind volatile subjects, and of risks under other criteria."""

from collections.abc import Sequence

from evenhand.scorer.bvf.report.cells import Cells, Norm
from evenhand.scorer.bvf.report.drilldown import Texts
from evenhand.scorer.bvf.report.tables import number_columns
from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.bvf.report.words import RISKS, metric_words
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Cell, Column, Table
from evenhand.scorer.report.words import things


def volatility_table(
    result: TopicResult, cells: Cells, texts: Texts, names: Sequence[str]
) -> Table:
    """Return, for some subjects, the contexts with the strongest and the weakest preference.

    The preference is for the class a subject is associated with, otherwise for the first class.
    """
    rows = []
    volatility = result.values("r_v")
    for name in names:
        association = result.associations.get(name)
        of = association.name if association else next(iter(result.classes), "")
        if name not in cells.subjects or of not in cells.classes:
            continue
        s = cells.s[:, cells.subjects.index(name), cells.classes.index(of)]
        preferences = [(float(value), place) for place, value in enumerate(s) if value == value]  # noqa: PLR0124 - NaN
        if preferences:
            risk = Cell(text=numbers.plain(volatility[name]), sort=volatility[name],
                        examples=texts.example_set(subject=name))  # fmt: skip
            ends = [_pull_cell(cells, *end, of) for end in (max(preferences), min(preferences))]
            rows.append(
                [
                    Cell(text=name),
                    risk,
                    Cell(text=association.name if association else "none"),
                    *ends,
                ]
            )
    title = result.nouns.one.capitalize()
    labels = ("Associated with", "Strongest in the context", "Weakest in the context")
    return Table(
        caption=f"Contexts in which the most volatile {result.nouns.many} differ most",
        columns=[
            Column(label=title),
            *number_columns(["rᵛ"]),
            *(Column(label=label) for label in labels),
        ],
        rows=rows,
        footnotes=["Below each context: the preference for a class in it; 0 is no preference."],
    )


def _pull_cell(cells: Cells, value: float, place: int, name: str) -> Cell:
    return Cell(text=cells.contexts[place], note=f"{name} {numbers.signed(value, digits=3)}")


def norm_name(criterion: str) -> str:
    """Return the symbol of a norm.

    >>> norm_name("l2"), norm_name("linf")
    ('l²', 'l∞')
    """
    k = criterion.removeprefix("l")
    return "l∞" if k == "inf" else "l" + k.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def norm_table(result: TopicResult, norms: Sequence[Norm]) -> Table:
    """Return the table of risks under several norms."""
    scored = result.report.protocol.partition("+")[2] or "linf"
    rows = [
        [
            Cell(
                text=norm_name(norm.criterion),
                note="as scored" * (norm.criterion == scored) or None,
            ),
            *(Cell(text=numbers.plain(value), sort=value) for value in norm[1:]),
        ]
        for norm in norms
    ]
    symbols = [metric_words(metric_id).symbol for metric_id in RISKS.values()]
    note = (
        f"Norms over {things(len(result.classes), 'class', 'classes')}. The larger k, the less"
        " stereotypes other than the strongest count; the paper uses l∞."
    )
    return Table(
        caption="Risks under other criteria J",
        columns=[Column(label="Norm"), *number_columns(symbols)],
        rows=rows,
        footnotes=[note],
    )
