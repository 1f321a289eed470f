"""The blocks of a report: plain records that the HTML page and the Markdown both draw.

A benchmark's module returns sections of these; it writes no markup, so nothing that
came from a file (a model's name, a sentence) can become markup.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

Tone = Literal["plain", "positive", "negative", "quiet", "reason"]
"""``positive``: significantly above 0; ``negative``: below; ``quiet``: not significantly different;
``reason``: there is no value, the text gives the reason."""


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """A few sentences; ``notice`` sets them apart from the running text."""

    kind = "paragraph"
    text: str
    notice: bool = False


@dataclass(frozen=True, kw_only=True)
class Subheading:
    """A heading inside a section."""

    kind = "subheading"
    text: str


@dataclass(frozen=True, kw_only=True)
class ExampleSet:
    """The examples behind a number: read from the page's data when they are asked for."""

    kind = "examples"
    summary: str
    """What they are examples of."""
    shelf: str
    """Name of the :attr:`Story.shelves` entry that holds them."""
    rows: list[int]
    """Their places there; at most :data:`EXAMPLES_A_NUMBER`."""
    n_behind: int
    """How many the examples file holds behind this number."""


EXAMPLES_A_NUMBER = 20
"""The most examples shown for one number; more would only repeat them."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a table: what is read, and what it is sorted by (null sorts last)."""

    text: str
    sort: float | None = None
    note: str | None = None
    """A second, smaller line."""
    hint: str | None = None
    """Meaning of the cell's last line, shown when the pointer rests on it."""
    tone: Tone = "plain"
    examples: ExampleSet | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table."""

    label: str
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that can be sorted by each of its columns."""

    kind = "table"
    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    footnotes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One row of a track plot; all positions are percent of the track's width."""

    label: str
    value: str
    point: float | None
    """None where the value is null: the row then shows ``value`` (the reason) alone."""
    span: tuple[float, float] | None = None
    """The interval's line."""
    band: tuple[float, float] | None = None
    """Where the value would lie under the null hypothesis."""
    other: float | None = None
    """A second value, drawn hollow; the line between the two is :attr:`span`."""
    box: tuple[float, float, float] | None = None
    """A box plot's box: lower quartile, median, upper quartile; the whiskers are :attr:`span`."""
    bar: bool = False
    """True draws a bar from 0 to the point."""
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A labelled position on an axis, in percent."""

    at: float
    label: str
    is_zero: bool = False


@dataclass(frozen=True, kw_only=True)
class TrackPlot:
    """Rows of points with intervals, or of bars, on one axis."""

    kind = "track"
    rows: list[Mark]
    ticks: list[Tick]
    axis: str
    legend: list[tuple[str, str]] = field(default_factory=list)
    """(name of the swatch, what it means)."""


@dataclass(frozen=True, kw_only=True)
class HeatCell:
    """One cell of a heat map."""

    step: int | None
    """-5 to 5, the class of the colour; None where there is no value."""
    title: str


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """A matrix of colours: rows by columns."""

    kind = "heat"
    columns: list[str]
    rows: list[tuple[str, list[HeatCell]]]
    scale: list[tuple[int, str]]
    """(step, its label) for the legend, from low to high."""


@dataclass(frozen=True, kw_only=True)
class Dot:
    """One point of a scatter plot; its place is percent of the plot, from left and from below."""

    x: float
    y: float
    title: str
    """Name and numbers, shown when the pointer rests on it."""
    name: str | None = None
    """Label beside it, for a few points only."""
    is_name_left: bool = False
    radius: float = 4.0
    """In pixels."""
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class Margin:
    """Distribution of the points along one axis, in percent; the highest bar is 100."""

    bars: list[tuple[float, float, float]]
    """(start, width, height) of a histogram's bars."""
    curve: list[tuple[float, float]] = field(default_factory=list)
    """(place, height) along a fitted distribution, from low to high."""


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """Points on two axes."""

    kind = "scatter"
    dots: list[Dot]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_axis: str
    y_axis: str
    legend: list[tuple[str, str]] = field(default_factory=list)
    top: Margin | None = None
    """Along x; with :attr:`side`, along y, or neither."""
    side: Margin | None = None
    line: tuple[tuple[float, float], tuple[float, float]] | None = None
    """Both ends of a fitted line."""


@dataclass(frozen=True, kw_only=True)
class Panels:
    """Plots side by side: one per model on the same axes, or one per metric."""

    kind = "panels"
    panels: Sequence[tuple[str, TrackPlot | Scatter]]
    """(model or metric, its plot)."""


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    """One number on a coloured ground."""

    text: str
    step: int | None
    """-5 to 5, the class of the colour; None where there is no value."""
    title: str
    """The number in full, with its interval."""
    is_strong: bool = False
    """True where it differs significantly from 0."""
    examples: ExampleSet | None = None


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """One row of a matrix."""

    label: str
    cells: list[MatrixCell]
    is_part: bool = False
    """True where it is a part of the row above."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """A heat map with its numbers in it: a table, so that a screen reader can read it."""

    kind = "matrix"
    corner: str
    """What the rows are."""
    groups: list[tuple[str, list[str]]]
    """(title over columns, the columns)."""
    rows: list[MatrixRow]
    scale: list[tuple[int, str]]
    """(step, its label) for the legend, from low to high."""
    legend: str
    """Meaning of bold print."""


Chart = TrackPlot | HeatMap | Panels | Matrix | Scatter


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart with its title, a caption, and a description for screen readers."""

    kind = "figure"
    title: str
    description: str
    caption: str
    chart: Chart


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One answer that a model could give."""

    text: str
    tags: list[str]
    """Tags, e.g. ``right answer``."""
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class Example:
    """One example with its texts and the answers or scores that the model gave."""

    title: str
    lines: list[tuple[str, str]]
    """(what it is, text), e.g. ``("Paragraph", "...")``."""
    choices: list["Choice"] = field(default_factory=list)
    scores: Table | None = None


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A definition: name, formula and how to read it."""

    kind = "formula"
    id: str
    name: str
    mathml: Markup
    text: str
    """The formula in one line of plain text."""
    reading: str
    source: str
    link: str | None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Names and values in two columns."""

    kind = "facts"
    rows: list[tuple[str, list[str]]]
    """(name, its values)."""


@dataclass(frozen=True, kw_only=True)
class Details:
    """Blocks that are collapsed at first; left out of the Markdown."""

    kind = "details"
    summary: str
    blocks: list["Block"]
    is_open: bool = False
    is_major: bool = False
    """True where it holds a large part, e.g. all that belongs to one model."""


Block = Paragraph | Subheading | Table | Figure | ExampleSet | Formula | Facts | Details


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of the page."""

    title: str
    blocks: list[Block]
    lead: str = ""
    is_ours: bool = False
    """True for numbers that are in no paper."""


Evidence = Literal["found", "mixed", "none", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The finding for one model on one config, in plain words."""

    model: str
    config: str
    evidence: Evidence
    verdict: str
    support: list[str]
    """How certain it is: one sentence each."""
    figure: Figure | None


@dataclass(frozen=True, kw_only=True)
class Story:
    """The report of one benchmark."""

    benchmark: str
    question: str
    content_warning: str
    findings: list[Finding]
    sections: list[Section]
    overview: Table | None = None
    """The headline numbers of several models, one column per model."""
    shelves: dict[str, list[Example]] = field(default_factory=dict)
    """Examples that the blocks refer to by shelf and place; shelf names begin with the stem."""


MARKED = "Coloured, or marked * where there are no colours:"
"""Beginning of the footnote that explains the colours of a table's cells."""


def mark_cell(cell: Cell) -> str:
    """Return a cell's text with a mark in place of its colour."""
    return f"{cell.text} *" if cell.tone in {"positive", "negative"} else cell.text


def matrix_table(title: str, matrix: Matrix) -> Table:
    """Return a matrix as a plain table; each column is named with the title over it."""
    names = [
        ", ".join(word for word in (group, name) if word)
        for group, columns in matrix.groups
        for name in columns
    ]
    columns = [
        Column(label=matrix.corner),
        *(Column(label=label, is_number=True) for label in names),
    ]
    rows = [
        [
            Cell(text=f"· {row.label}" if row.is_part else row.label),
            *(_matrix_cell(label) for label in row.cells),
        ]
        for row in matrix.rows
    ]
    return Table(caption=title, columns=columns, rows=rows, footnotes=[f"{MARKED} {matrix.legend}"])


def _matrix_cell(cell: MatrixCell) -> Cell:
    return Cell(text=cell.text, tone="positive" if cell.is_strong else "plain")
