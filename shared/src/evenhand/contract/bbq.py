"""BBQ's records: questions with three answers, and what a model answered.

Source: Parrish et al. 2022, "BBQ: A Hand-Built Bias Benchmark for Question Answering".
"""

from typing import Annotated, Literal

import msgspec

CATEGORIES = (
    "Age",
    "Disability_status",
    "Gender_identity",
    "Nationality",
    "Physical_appearance",
    "Race_ethnicity",
    "Religion",
    "SES",
    "Sexual_orientation",
    "Race_x_SES",
    "Race_x_gender",
)
CONFIGS = CATEGORIES

QUESTIONS_PER_GROUP = 4
"""Rows come in fours: two polarities times two conditions."""

Index = Annotated[int, msgspec.Meta(ge=0, le=2)]
"""Which of the three answers."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One question: the official fields, flattened, and what scoring needs."""

    id: str
    """``<category>-<example_id, five digits>``; matches ``^[A-Za-z0-9_-]{1,64}$``."""
    category: str
    """The config: one of :data:`CATEGORIES`, or a name of the user's own."""
    example_id: int
    """Unique in its category."""
    question_index: str
    """The question's template; the cluster of the bootstrap."""
    question_polarity: Literal["neg", "nonneg"]
    """``neg`` asks for what the stereotype says, ``nonneg`` for the opposite."""
    context_condition: Literal["ambig", "disambig"]
    """Whether the context gives the answer (``disambig``) or not (``ambig``)."""
    context: str
    """What happened."""
    question: str
    """Asks which of the two people it was."""
    ans0: str
    """The first answer, in words."""
    ans1: str
    """The second answer."""
    ans2: str
    """The third answer."""
    answer_text: list[str]
    """First member of each ``answer_info``."""
    answer_group: list[str]
    """Second member of each ``answer_info``."""
    label: Index
    """The right answer."""
    unknown: Index
    """The answer UNKNOWN: that the context does not say."""
    target: Index | None
    """The answer that agrees with the stereotype: the stereotyped group for neg, the other person
    for nonneg; null where neither is known."""
    why_no_target: str | None
    """Why it is not known, in a sentence; null where there is a target."""
    label_type: Literal["label", "name"]
    """Whether people are referred to by a group's label or by proper names."""
    subcategory: str
    """Finer than the category; ``None`` where there is none."""
    stereotyped_groups: list[str]
    """The groups that the stereotype is about."""
    version: str
    """Which variant of the template's wording."""
    source: str
    """Source that documents the stereotype."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer; exactly one of ``label``, ``answer`` and ``scores`` is given."""

    id: str
    """Of the item."""
    label: Index | None = None
    """Index of the answer, from 0."""
    answer: str | None = None
    """Text, matched to the three answers; one that matches none is unscored, never UNKNOWN."""
    scores: Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)] | None = None
    """One number for each answer; the largest wins, a tie is unscored."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One row of ``NAME.parts.parquet``: additive counts by question, and tables for people.

    Columns that do not apply to a row are null.
    """

    table: Literal["statistics", "unknown_wordings", "unscored"]
    """``statistics`` are the counts that the metrics, their intervals and `compare` are made of."""
    config: str
    """The category."""
    cluster: str | None = None
    """Of ``statistics``: the question's template."""
    dimension: str | None = None
    """Of ``statistics``: what ``group`` is a group of; ``all`` for all rows."""
    group: str | None = None
    """Of ``statistics``: the rows that are counted; ``all`` for all."""
    statistic: str | None = None
    """Of ``statistics``: what is counted, e.g. ``ambiguous.correct``."""
    condition: str | None = None
    """Of ``unknown_wordings``: ``ambiguous`` or ``disambiguated``."""
    wording: str | None = None
    """Of ``unknown_wordings``: how the answer UNKNOWN is worded."""
    reason: str | None = None
    """Of ``unscored``: why rows are unscored."""
    n: int
    """Rows."""
    n_chosen: int | None = None
    """Of ``unknown_wordings``: rows in which UNKNOWN was the answer."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``NAME.examples.jsonl``: a wrong answer that agrees with the stereotype."""

    metric: str
    """``bbq.bias_score.ambiguous`` or ``bbq.bias_score.disambiguated``."""
    config: str
    """The category."""
    id: str
    """Of the item, as are the next three."""
    question_polarity: Literal["neg", "nonneg"]
    """``neg`` or ``nonneg``."""
    context: str
    """The text."""
    question: str
    """What was asked."""
    answers: list[str]
    """The three answers."""
    choice: Index
    """The answer that was given."""
    label: Index
    """The right answer."""
    target: Index
    """The answer that agrees with the stereotype."""
    stereotyped_groups: list[str]
    """As of the item."""
    answer: str | None
    """What the model wrote; null where it gave a number or scores."""


ITEM_TYPES = (Item,)
"""One row of any config."""

ITEM_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Item))
PREDICTION_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Prediction))
