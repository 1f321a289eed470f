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
    example_id: int
    """Unique in its category."""
    question_index: str
    """The question's template; the cluster of the bootstrap."""
    question_polarity: Literal["neg", "nonneg"]
    context_condition: Literal["ambig", "disambig"]
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    answer_text: list[str]
    """First member of each ``answer_info``."""
    answer_group: list[str]
    """Second member of each ``answer_info``."""
    label: Index
    """The right answer."""
    unknown: Index
    """The answer that says that it cannot be known."""
    target: Index | None
    """The answer that agrees with the stereotype: the stereotyped group for neg, the other person
    for nonneg; null where neither is known."""
    why_no_target: str | None
    label_type: Literal["label", "name"]
    """Whether the people are called by a group's label or by proper names."""
    subcategory: str
    stereotyped_groups: list[str]
    version: str
    source: str


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer; exactly one of ``label``, ``answer`` and ``scores`` is there."""

    id: str
    label: Index | None = None
    answer: str | None = None
    """Text, matched to the three answers; one that matches none is unscored, never UNKNOWN."""
    scores: Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)] | None = None
    """One number an answer; the largest wins, a tie is unscored."""


ITEM_TYPES = (Item,)
"""One row of any config."""

ITEM_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Item))
PREDICTION_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Prediction))
