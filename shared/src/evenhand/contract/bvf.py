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
    """The config."""
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
    """Of the item."""
    p: dict[str, Probability] | None = None
    """Class of Y -> probability; scaled to a sum of 1."""
    word_p: dict[str, Probability] | None = None
    """Word of Y -> probability; summed by class, then scaled to a sum of 1 (Eq. 8)."""
    answer: str | None = None
    """A word of Y that a model without probabilities wrote."""
    sample: int | None = None
    """Number of the answer where there are several; their frequencies serve as probabilities."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One row of ``NAME.parts.parquet``: additive sums by context, and tables for people.

    Columns that do not apply to a row are null.
    """

    table: Literal["statistics", "classes", "factors", "subjects", "directions", "norms"]
    """``statistics`` are the sums that the metrics, their intervals and `compare` are made of;
    ``classes`` says what their lists stand for, ``factors`` what the regressions are made of."""
    config: str
    """The topic."""
    cluster: str | None = None
    """Of ``statistics``: the context."""
    subject: str | None = None
    """Whose risk or stereotypes these are."""
    class_: str | None = msgspec.field(name="class", default=None)
    """A class of Y; of ``statistics`` the subject's correct class where the criterion uses one."""
    factor: str | None = None
    """Of ``factors``: the fact about subjects that risks are regressed on."""
    criterion: str | None = None
    """Of ``classes`` the one that was scored, of ``norms`` one that is shown beside it."""
    n: int | None = None
    """Texts that the row is made of."""
    weight: float | None = None
    """Of ``statistics`` the sum of the texts' weights, of ``subjects`` the subject's weight, of
    ``factors`` its weight in the regression."""
    risk: float | None = None
    """Of ``statistics``: sum of weight times J, not divided by the largest J."""
    stereotypes: list[float] | None = None
    """Of ``statistics``: sum of weight times s, one number a class in the order of ``classes``."""
    p_star: float | None = None
    """Of ``classes``: its probability in a model without bias."""
    slope_weight: float | None = None
    """Of ``factors``: the slope is the sum of this times the subject's risk."""
    x: float | None = None
    """Of ``factors``: the subject's value."""
    r: float | None = None
    """Risk."""
    r_b: float | None = None
    """The part of the risk that persists across contexts: bias."""
    r_v: float | None = None
    """The part of the risk that varies with the context: volatility."""
    mean: float | None = None
    """Of ``directions``, as all that follow: mean of s over contexts, by weight."""
    min: float | None = None
    """Smallest s."""
    q25: float | None = None
    """Lower quartile."""
    median: float | None = None
    """Median s, by weight."""
    q75: float | None = None
    """Upper quartile."""
    max: float | None = None
    """Largest s."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``NAME.examples.jsonl``: a text with one of the strongest stereotypes."""

    metric: str
    """``bvf.R``: what the text is one of the strongest for."""
    config: str
    """The topic."""
    id: str
    """Of the item, as are the next three."""
    context: str
    """With both slots."""
    subject: str
    """What fills the first slot."""
    text: str
    """The text that was scored."""
    weight: float
    """Share of the context."""
    risk: float
    """J of the text, divided by the largest J."""
    p: dict[str, float]
    """Class of Y -> probability."""


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
            f"{place}: provenance.topics is missing, so the words to be read are unknown;"
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
