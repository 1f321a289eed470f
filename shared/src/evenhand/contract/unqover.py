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
"""Stands for the model's own mask token in ``text``; ``predict`` puts the tokenizer's in."""

QUESTIONS_PER_EXAMPLE = 4
"""Two orders of presentation times two polarities."""

Order = Literal[12, 21]
Polarity = Literal["pos", "neg"]
Score = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class _Slots(msgspec.Struct, frozen=True, kw_only=True):
    """What a question and a masked sentence have in common."""

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
    group1: str | None
    """The group of x1 (``female``, ``male``) where subjects have groups."""
    group2: str | None
    answer1: str
    """The words that stand for x1 in the text (for a country often its demonym)."""
    answer2: str
    attribute: str
    """The attribute itself, not its negation, in the wording of the list."""
    attribute_kind: str
    """Templates and attributes of one kind go together (``person``, ``place``)."""


class Item(_Slots, frozen=True, kw_only=True):
    """One underspecified question about two subjects."""

    context: str
    question: str


class MaskedItem(_Slots, frozen=True, kw_only=True):
    """One sentence with a mask in place of the subject."""

    text: str
    """Holds ``[MASK]`` exactly once."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """S(x1) and S(x2) for one question."""

    id: str
    score_x1: Score
    """QA: sqrt(p_start * p_end) of x1's span. Masked LM: probability of x1 at the mask."""
    score_x2: Score


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
