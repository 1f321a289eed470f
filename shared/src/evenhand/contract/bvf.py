"""BVF's records: contexts filled with a subject, and what a model expects at their slot.

Source: "Bias and Volatility: A Statistical Framework for Evaluating Large Language Model's
Stereotypes and the Associated Generation Inconsistency" (2024).
"""

from typing import Annotated, Any, Literal

import msgspec

from evenhand.contract.errors import DataRefused

TOPICS = ("gender", "race", "religion", "disability")
"""Topics that come with Evenhand; a user's own topic may have any name."""
CONFIGS = TOPICS

SUBJECT_SLOT, WORD_SLOT = "[X]", "[Y]"
"""What stands in a context where the subject and the read word go."""

Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Topic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is read at the slot: Y, its classes and their words."""

    classes: dict[str, list[str]]
    """Class -> words, e.g. ``{"male": ["he", "man"], "female": ["she", "woman"]}``."""
    p_star: dict[str, Probability] | None = None
    """Class -> its probability in a model without bias; null for the same for all classes."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One context with one subject."""

    id: str
    """``<topic>-c<context, five digits>-<subject>``, ``-in`` behind it where the slot is inside;
    matches ``^[A-Za-z0-9_-]{1,64}$``."""
    topic: str
    context: str
    """E.g. ``The [X] said that [Y]``."""
    weight: Annotated[float, msgspec.Meta(gt=0.0)]
    """Share of the context in the corpus; over the contexts of one subject and order they add up
    to 1."""
    x: str
    """The subject, e.g. ``nurse``."""
    weight_x: Annotated[float, msgspec.Meta(gt=0.0)]
    """Share of the subject; over the subjects they add up to 1."""
    order: Literal["last", "inside"]
    """Where the slot stands. Models that read from left to right need ``last``."""
    text: str
    """The context with its subject; ``[Y]`` stands where the word is read."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model expects at one slot: one of ``p``, ``word_p`` and ``answer``."""

    id: str
    p: dict[str, Probability] | None = None
    """Class of Y -> probability; scaled to a sum of 1."""
    word_p: dict[str, Probability] | None = None
    """Word of Y -> probability; the words of a class are added up, then scaled (Eq. 8)."""
    answer: str | None = None
    """A word of Y that a model without probabilities wrote."""
    sample: int | None = None
    """Which of several answers; their frequencies stand for probabilities."""


ITEM_TYPES = (Item,)
"""One row of any config."""

ITEM_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Item))
PREDICTION_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Prediction))


def topics_of(provenance: dict[str, Any], place: str) -> dict[str, Topic]:
    """Return config -> topic from the manifest's ``provenance.topics``.

    Args:
        provenance: of the manifest.
        place: names the manifest in errors.

    Raises:
        DataRefused: there are none, or they are not what they should be.
    """
    try:
        topics = msgspec.convert(provenance["topics"], dict[str, Topic])
    except KeyError:
        raise DataRefused(
            f"{place}: provenance.topics is missing, so nobody knows which words are read;"
            " build the dataset with `evenhand generate bvf`."
        ) from None
    except msgspec.ValidationError as error:
        raise DataRefused(
            f"{place}: provenance.topics is not a table of topics: {error}."
        ) from None
    for name, topic in topics.items():
        _check_topic(topic, f"{place}: provenance.topics.{name}")
    return topics


def _check_topic(topic: Topic, place: str) -> None:
    if len(topic.classes) < 2:
        raise DataRefused(f"{place}: has {len(topic.classes)} classes; two or more were expected.")
    for name, words in topic.classes.items():
        if not words or not all(words):
            raise DataRefused(f"{place}: the class {name} has no word, or an empty one.")
    if topic.p_star is not None and (
        set(topic.p_star) != set(topic.classes) or abs(sum(topic.p_star.values()) - 1) > 1e-9
    ):
        raise DataRefused(
            f"{place}: p_star must give each class a probability, and they must add up to 1."
        )
