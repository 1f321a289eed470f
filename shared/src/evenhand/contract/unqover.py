"""UnQover's records: questions, masked sentences, and the two scores that answer each.

Source: Li et al. 2020, "UNQOVERing Stereotyping Biases via Underspecified Questions".
"""

from typing import Annotated, Literal

import msgspec

CLASSES = ("gender_occupation", "nationality", "ethnicity", "religion")
QA_CONFIGS = CLASSES
MASKED_CONFIGS = tuple(f"{name}_mlm" for name in CLASSES)
CONFIGS = QA_CONFIGS + MASKED_CONFIGS

MASK = "[MASK]"
"""Stands for the mask token in ``text``; ``predict`` replaces it by the tokenizer's."""

QUESTIONS_PER_EXAMPLE = 4
"""Two orders of presentation times two polarities."""

Order = Literal[12, 21]
Polarity = Literal["pos", "neg"]
Score = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class _Slots(msgspec.Struct, frozen=True, kw_only=True):
    """Fields that a question and a masked sentence share."""

    id: str
    """``<config>-<template>-<x1>-<x2>-<attribute key>-<polarity>-<order>``."""
    class_: str = msgspec.field(name="class")
    """The subject class: one of :data:`CLASSES`, or a name of the user's own."""
    template: str
    """Name of the template, e.g. ``t03``; the cluster of the bootstrap."""
    order: Order
    """12 shows x1 first in the text, 21 shows x2 first."""
    polarity: Polarity
    """``pos`` asks for the attribute, ``neg`` for its negation."""
    x1: str
    """The subject that is named first in the pair, whatever the order."""
    x2: str
    """The other subject."""
    group1: str | None
    """The group of x1 (``female``, ``male``) where subjects have groups."""
    group2: str | None
    """The group of x2 likewise."""
    answer1: str
    """The words that stand for x1 in the text (for a country often its demonym)."""
    answer2: str
    """The words that stand for x2."""
    attribute: str
    """The attribute itself, not its negation, in the wording of the list."""
    attribute_kind: str
    """Templates and attributes of one kind go together (``person``, ``place``)."""


class Item(_Slots, frozen=True, kw_only=True):
    """One underspecified question about two subjects."""

    context: str
    """Names both subjects and does not contain the answer."""
    question: str
    """Asks for the attribute or its negation."""


class MaskedItem(_Slots, frozen=True, kw_only=True):
    """One sentence with a mask in place of the subject."""

    text: str
    """Holds ``[MASK]`` exactly once."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """S(x1) and S(x2) for one question."""

    id: str
    """Of the item."""
    score_x1: Score
    """QA: sqrt(p_start * p_end) of x1's span. Masked LM: probability of x1 at the mask."""
    score_x2: Score
    """The same of x2; the two need not add up to 1."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One row of ``NAME.parts.parquet``: additive sums by cluster, and tables for people.

    Columns that do not apply to a row are null.
    """

    table: Literal["statistics", "subject_attribute", "group_attribute", "subjects", "groups"]
    """``statistics`` are the sums that the metrics, their intervals and `compare` are made of."""
    config: str
    """The config that was scored."""
    metric: str | None = None
    """Of ``statistics``: the metric whose sums these are; ``unqover.gamma`` are sums of C and
    ``unqover.eta`` of its sign, by subject and attribute."""
    subject: str | None = None
    """Whose C is meant: seen from the other subject it has the other sign."""
    group: str | None = None
    """The subject's group, or the group whose subjects are added up."""
    attribute: str | None = None
    """As of the item; null in tables of subjects and groups."""
    cluster: str | None = None
    """Of ``statistics``: the template."""
    stratum: int | None = None
    """Of ``statistics``: code of the template's kinds of attributes; resampling stays within it."""
    sum: float | None = None
    """Of ``statistics``: sum over the examples of the cluster."""
    n: int | None = None
    """Examples that the row is made of."""
    gamma: float | None = None
    """Of the tables for people: mean of C."""
    eta: float | None = None
    """Of the tables for people: mean sign of C."""


class ExampleQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One of the four questions of an example; a masked sentence has ``text`` alone."""

    polarity: Polarity
    """As of the item."""
    order: Order
    """As of the item."""
    score_x1: float
    """S(x1), as predicted."""
    score_x2: float
    """S(x2), as predicted."""
    context: str | None = None
    """The text."""
    question: str | None = None
    """What was asked."""
    text: str | None = None
    """The masked sentence."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``NAME.examples.jsonl``: an example with one of the largest absolute C."""

    metric: str
    """``unqover.gamma``: what the example is one of the strongest for."""
    config: str
    """The config that was scored."""
    template: str
    """As of the item, and so are the next three."""
    x1: str
    """The subject whose C it is."""
    x2: str
    """The other one."""
    attribute: str
    """The attribute."""
    comparative_bias: float
    """C(x1, x2), in [-1, 1]."""
    questions: list[ExampleQuestion]
    """Positive in both orders, then negated in both orders."""


ITEM_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Item))
MASKED_ITEM_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(MaskedItem))
PREDICTION_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Prediction))


def item_columns(config: str) -> tuple[str, ...]:
    """Return the columns of a config in order.

    >>> item_columns("religion_mlm")[-1]
    'text'
    """
    return MASKED_ITEM_COLUMNS if config.endswith("_mlm") else ITEM_COLUMNS


ITEM_TYPES = (Item, MaskedItem)
"""One row of a question-answering config, and of a masked-LM config."""
