"""From predictions to the probability of each class for each item, collecting all faults."""

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bvf import Topic
from evenhand.scorer.bvf.metrics import class_probabilities
from evenhand.scorer.bvf.predictions import SHAPE, WORD_P, P
from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.matching import add_missing, add_unknown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOT_PREDICTED = "no prediction"
NO_WORD = "every word of Y has probability 0"
NO_MATCH = "no answer is a word of Y"
"""Reasons why an item is unscored."""

NOT_ONE_KIND = "rows without exactly one of p, word_p and answer"
OUT_OF_RANGE = "values out of range"
MISSING_CLASS = "rows with a missing class"
WRONG_SUM = "probabilities that do not add up to 1"
CLASS_WITHOUT_WORD = "classes without any word"
UNKNOWN_CLASS, UNKNOWN_WORD = "unknown classes", "unknown words"
"""Kinds of faults."""

SUM_TOLERANCE = 1e-3
"""Tolerance for rounding in probabilities that add up to 1."""


class Probabilities(NamedTuple):
    """A model's class probabilities at the slots of N items."""

    p: Floats
    """Shape [N, Y]; NaN where an item is unscored."""
    n_answers: Integers
    """Answers behind each frequency, 0 where a probability was given; shape [N]."""
    why: pl.Series
    """Why an item is unscored, null where it is scored."""
    n_unmatched: int
    """Number of answers that are not a word of Y."""


def find_probabilities(
    ids: pl.Series, rows: pl.DataFrame, topic: Topic, faults: FaultList
) -> Probabilities:
    """Find the probabilities of each item.

    Args:
        ids: of N items.
        rows: predictions of one config, a flat table in any order.
        topic: classes of Y and their words.
        faults: collects everything that is wrong.
    """
    rows = _check_kinds(rows, faults)
    rows = _check_ids(ids, rows, faults)
    values, n_answers, is_matched = _rows_as_classes(rows, topic, faults)
    place = _places(ids, rows, faults)
    sums, counts = _sum_by_item(place, values, n_answers, len(ids))
    p = class_probabilities(sums, np.arange(sums.shape[1]))
    n_rows = np.bincount(place[place >= 0], minlength=len(ids))
    is_answer = rows["answer"].is_not_null().to_numpy() & (place >= 0)
    is_answered = np.bincount(place[is_answer], minlength=len(ids)) > 0
    reasons = np.where(is_answered, NO_MATCH, np.where(n_rows > 0, NO_WORD, NOT_PREDICTED))
    why = pl.select(pl.when(pl.Series(np.isnan(p[:, 0]))).then(pl.Series(reasons))).to_series()
    return Probabilities(p, counts, why, int((~is_matched).sum()))


def _numbers(rows: pl.DataFrame, prefix: str) -> list[str]:
    """Return the columns with a prefix that are not empty."""
    return [
        column
        for column in rows.columns
        if column.startswith(prefix) and rows[column].null_count() < len(rows)
    ]


def _is_given(rows: pl.DataFrame, prefix: str) -> pl.Series:
    names = _numbers(rows, prefix)
    if not names:
        return pl.repeat(value=False, n=len(rows), eager=True)
    return rows.select(pl.any_horizontal(pl.col(names).is_not_null())).to_series()


def _check_kinds(rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Keep the rows with exactly one kind of prediction and only valid probabilities."""
    kinds = [_is_given(rows, P), _is_given(rows, WORD_P), rows["answer"].is_not_null()]
    n_kinds = kinds[0].cast(pl.Int8) + kinds[1].cast(pl.Int8) + kinds[2].cast(pl.Int8)
    is_bad = n_kinds != 1
    remedy = SHAPE
    _fault(NOT_ONE_KIND, remedy, rows["id"], is_bad, faults)
    for column in (*_numbers(rows, P), *_numbers(rows, WORD_P)):
        values = rows[column]
        is_outside = values.is_not_null() & ~values.is_between(0, 1).fill_null(value=True)
        places = [f"{rows['id'][at]}: {column} {values[at]}" for at in
                  is_outside.arg_true().head(FIRST)]  # fmt: skip
        remedy = "A probability is a number from 0 to 1."
        faults.add_many(OUT_OF_RANGE, remedy, places, int(is_outside.sum()))
        is_bad = is_bad | is_outside
    return rows.filter(~is_bad)


def _check_ids(ids: pl.Series, rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Drop rows with unknown ids, and all but the first of duplicate rows.

    Several answers to one id differ in their sample.
    """
    known = ids.unique()
    is_unknown = ~rows["id"].is_in(known.implode())
    add_unknown(rows["id"].filter(is_unknown), faults)
    rows = rows.filter(~is_unknown)
    is_answer = pl.col("answer").is_not_null()
    key = pl.when(is_answer).then(pl.col("sample")).otherwise(None)
    keyed = rows.with_columns(_key=key.cast(pl.String).fill_null(""))
    mixed = keyed.group_by("id").agg(n=pl.len(), is_all=is_answer.all()).filter(
        (pl.col("n") > 1) & ~pl.col("is_all")
    )  # fmt: skip
    is_mixed = keyed["id"].is_in(mixed["id"].implode())
    is_first_of_id = keyed["id"].is_first_distinct()
    is_first_of_key = keyed.select(pl.struct("id", "_key").is_first_distinct()).to_series()
    is_first = (is_mixed & is_first_of_id) | (~is_mixed & is_first_of_key)
    remedy = "Keep one row for each text, or number several answers to it in the field sample."
    _fault("duplicate ids", remedy, rows["id"], ~is_first, faults)
    return rows.filter(is_first)


def _places(ids: pl.Series, rows: pl.DataFrame, faults: FaultList) -> Integers:
    """Return the index of each row's item, and report the items without a row."""
    items = ids.alias("id").to_frame().with_row_index("place")
    joined = rows.select("id").join(items, on="id", how="left", maintain_order="left")
    place = joined["place"].cast(pl.Int64).fill_null(-1).to_numpy()
    is_missing = pl.Series(np.bincount(place[place >= 0], minlength=len(ids)) == 0)
    add_missing(ids.filter(is_missing), faults)
    return np.asarray(place, dtype=np.int64)


def _rows_as_classes(
    rows: pl.DataFrame, topic: Topic, faults: FaultList
) -> tuple[Floats, Integers, Flags]:
    """Return each row's values by class [N, Y], its number of answers, and whether it matches Y."""
    values = np.zeros((len(rows), len(topic.classes)))
    is_answer = rows["answer"].is_not_null().to_numpy()
    _add_p(values, rows, topic, faults)
    _add_words(values, rows, topic, faults)
    hits = _answer_hits(rows["answer"], topic)
    values += hits
    is_matched = ~is_answer | (hits.sum(axis=1) > 0)
    return values, (is_answer & is_matched).astype(np.int64), is_matched


def _add_p(total: Floats, rows: pl.DataFrame, topic: Topic, faults: FaultList) -> None:
    names = _numbers(rows, P)
    if not names:
        return
    is_given = _is_given(rows, P)
    _check_names(rows, P, list(topic.classes), faults)
    columns = [rows[P + name] if P + name in names else None for name in topic.classes]
    lacking = [is_given if column is None else is_given & column.is_null() for column in columns]
    is_lacking = pl.DataFrame({str(i): flags for i, flags in enumerate(lacking)}).select(
        pl.any_horizontal(pl.all())
    ).to_series()  # fmt: skip
    remedy = f"Give a probability for each of {', '.join(topic.classes)}, 0 if there is none."
    _fault(MISSING_CLASS, remedy, rows["id"], is_lacking, faults)
    values = np.stack(
        [
            np.zeros(len(rows)) if column is None else column.fill_null(0.0).to_numpy()
            for column in columns
        ],
        axis=1,
    )
    is_off = np.abs(values.sum(axis=1) - 1) > SUM_TOLERANCE
    remedy = (
        f"Classes must add up to 1 within {SUM_TOLERANCE}; put probabilities of words in word_p."
    )
    _fault(WRONG_SUM, remedy, rows["id"],
           is_given & ~is_lacking & pl.Series(is_off), faults)  # fmt: skip
    total += np.where(is_given.to_numpy()[:, None], values, 0.0)


def _add_words(total: Floats, rows: pl.DataFrame, topic: Topic, faults: FaultList) -> None:
    names = _numbers(rows, WORD_P)
    if not names:
        return
    words_of_y = list(dict.fromkeys(word for words in topic.classes.values() for word in words))
    _check_names(rows, WORD_P, words_of_y, faults)
    for code, (name, words) in enumerate(topic.classes.items()):
        columns = [WORD_P + word for word in words if WORD_P + word in names]
        if not columns:
            remedy = f"Give a probability for at least one of: {', '.join(words[:FIRST])}."
            faults.add(CLASS_WITHOUT_WORD, remedy, name)
            continue
        sums = rows.select(pl.sum_horizontal(pl.col(columns).fill_null(0.0))).to_series()
        total[:, code] += sums.to_numpy()


def _check_names(rows: pl.DataFrame, prefix: str, known: list[str], faults: FaultList) -> None:
    """Report the columns that are not a class, or not a word, of Y."""
    unknown = [name for name in _numbers(rows, prefix) if name.removeprefix(prefix) not in known]
    n = sum(len(rows) - rows[name].null_count() for name in unknown)
    few = ", ".join(known[:6]) + (", ..." if len(known) > 6 else "")
    kind = UNKNOWN_CLASS if prefix == P else UNKNOWN_WORD
    places = [name.removeprefix(prefix) for name in unknown]
    faults.add_many(kind, f"The dataset has {few}.", places, n)


def _answer_hits(answers: pl.Series, topic: Topic) -> Floats:
    """Return for which classes each answer counts, shape [N, Y]; all zeros for no match.

    Case and punctuation around the word are ignored. A word of two classes counts for both.
    """
    hits = np.zeros((len(answers), len(topic.classes)))
    texts = answers.unique().drop_nulls()
    plain = {text: re.sub(r"^\W+|\W+$", "", text).casefold() for text in texts.to_list()}
    for code, words in enumerate(topic.classes.values()):
        lower = {word.casefold() for word in words}
        matching = [text for text, word in plain.items() if word in lower]
        is_match = answers.is_in(pl.Series(matching, dtype=pl.String).implode()).fill_null(
            value=False
        )
        hits[:, code] = is_match.to_numpy()
    return hits


def _sum_by_item(
    place: Integers, values: Floats, n_answers: Integers, n_items: int
) -> tuple[Floats, Integers]:
    is_placed = place >= 0
    sums = np.stack(
        [np.bincount(place[is_placed], weights=p[is_placed], minlength=n_items) for p in values.T],
        axis=1,
    )
    counts = np.bincount(place[is_placed], weights=n_answers[is_placed], minlength=n_items)
    return np.asarray(sums, dtype=np.float64), counts.astype(np.int64)


def _fault(kind: str, remedy: str, ids: pl.Series, is_bad: pl.Series, faults: FaultList) -> None:
    first = ids.filter(is_bad).unique(maintain_order=True).head(FIRST).to_list()
    faults.add_many(kind, remedy, first, int(is_bad.sum()))
