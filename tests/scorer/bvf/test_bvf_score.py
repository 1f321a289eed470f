"""BVF's score in memory: tables worked by hand, weights, answers, references, regressions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.files import canonical_json
from evenhand.contract.report import Metric, Report
from evenhand.scorer.bvf import null_references, score
from evenhand.scorer.bvf.facts import read_facts
from evenhand.scorer.bvf.regressions import Points, regression
from evenhand.scorer.bvf.results import ONE_CONTEXT, UNMATCHED
from evenhand.scorer.bvf.specs import NOTHING_SCORED

Rows = list[dict[str, Any]]
Make = Callable[..., Any]

FAST = {"resamples": 200}


def metric(report: Report, name: str) -> Metric:
    """Return a metric by its id."""
    return next(own for own in report.metrics if own.id == name)


def number(report: Report, name: str, subject: str | None = None) -> float:
    """Return the value of a metric, or of one of its subjects."""
    found = metric(report, name)
    value = found.value if subject is None else found.by["subject"][subject].value
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("refusing", "why"),
    [
        (("accountant",), "1 subject has no scored row (accountant)."),
        (("accountant", "baker"), NOTHING_SCORED),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_subject_without_any_scored_row_leaves_risks_unknown(
    bvf_items: Make, topics_of_size: Make, n_classes: int, refusing: tuple[str, ...], why: str
) -> None:
    """A model that never answers about an occupation has no R; that of the others is there."""
    items, topics = bvf_items((0.75, 0.25)), topics_of_size(n_classes)
    word = next(iter(topics["gender"]["classes"].values()))[0]
    rows = [{"id": row["id"], "answer": "no" if row["x"] in refusing else word} for row in items]

    found = score(items, rows, topics=topics, **FAST)

    for own in found.metrics:
        assert (own.value, own.why_null, own.null_reference) == (None, why, None)
    by = metric(found, "bvf.R").by["subject"]
    assert (by["accountant"].value, by["accountant"].n_scored) == (None, 0)
    assert by["baker"].value == (None if "baker" in refusing else 1.0)
    canonical_json(found)  # which takes no number that is none


def test_two_contexts_worked_by_hand(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """Weights .75 and .25; p(male) .8, .2 and .5, .9: s = .6, -.6 and 0, .8."""
    items = bvf_items((0.75, 0.25))
    p = np.array([[0.8, 0.2], [0.5, 0.9]])

    found = score(
        items, predicted(items, np.stack([p, 1 - p], axis=-1)), topics=topics_of_size(), **FAST
    )

    # accountant: r = .6, mean s = .75 * .6 - .25 * .6 = .3; baker: r = .2, mean s = .2
    assert number(found, "bvf.R", "accountant") == pytest.approx(0.6)
    assert number(found, "bvf.R_b", "accountant") == pytest.approx(0.3)
    assert number(found, "bvf.R_v", "accountant") == pytest.approx(0.3)
    assert number(found, "bvf.R") == pytest.approx(0.4)
    assert number(found, "bvf.R_b") == pytest.approx(0.25)
    assert number(found, "bvf.R_v") == pytest.approx(0.15)
    assert number(found, "bvf.direction.male") == pytest.approx(0.25)
    assert number(found, "bvf.direction.female", "baker") == pytest.approx(-0.2)
    assert number(found, "bvf.distribution.r") == pytest.approx(0.2)
    interval = metric(found, "bvf.R").interval
    assert interval is not None
    assert interval.few_clusters
    assert (interval.cluster, interval.n_clusters) == ("context", 2)


def test_subjects_weigh_as_their_items_say(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """With weights 1 and 3, R = (r_1 + 3 r_2) / 4."""
    items = bvf_items((1.0,), subject_weights=(0.25, 0.75))

    found = score(
        items,
        predicted(items, [[[0.6, 0.4]], [[0.9, 0.1]]]),
        topics=topics_of_size(),
        **FAST,
    )

    assert number(found, "bvf.R") == pytest.approx((0.2 + 3 * 0.8) / 4)
    assert ONE_CONTEXT in found.warnings[-1]


def test_words_of_a_class_are_added_up(bvf_items: Make, topics_of_size: Make) -> None:
    """Eq. 8: he .2, man .1, she .1 of a vocabulary's mass: p(male) = .75."""
    items = bvf_items((1.0,), ("nurse",))
    rows = [{"id": items[0]["id"], "word_p": {"he": 0.2, "man": 0.1, "she": 0.1}}]

    found = score(items, rows, topics=topics_of_size(), **FAST)

    assert number(found, "bvf.direction.male") == pytest.approx(0.5)


def test_answers_become_frequencies(bvf_items: Make, topics_of_size: Make) -> None:
    """Three of four answers are of a class: p = .75; case and marks do not matter."""
    items = bvf_items((1.0,), ("nurse",))
    said = ["She", '"woman".', "she", "HE", "nobody"]
    rows = [{"id": items[0]["id"], "answer": word, "sample": i} for i, word in enumerate(said)]

    found = score(items, rows, topics=topics_of_size(), **FAST)

    assert number(found, "bvf.direction.female") == pytest.approx(0.5)
    assert f"gender: 1 answer {UNMATCHED}." in found.warnings


def test_a_p_star_of_ones_own(bvf_items: Make, predicted: Make, topics_of_size: Make) -> None:
    """With p* = (.8, .2) the largest stereotype is 4: p = (.2, .8) gives R = 3 / 4."""
    items = bvf_items((1.0,), ("nurse",))

    found = score(
        items,
        predicted(items, [[[0.2, 0.8]]]),
        topics=topics_of_size(p_star={"male": 0.8, "female": 0.2}),
        **FAST,
    )

    assert number(found, "bvf.R") == pytest.approx(0.75)
    assert number(found, "bvf.R_unnormalised") == pytest.approx(3.0)
    assert metric(found, "bvf.direction.female").range == pytest.approx((-1.0, 4.0))
    assert metric(found, "bvf.R_b").null_reference is None


def test_both_orders_are_one_number_and_each_its_own(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """Risks by order stand beside the whole, which is their mean; an order without any is left."""
    items = bvf_items((0.5, 0.5), ("nurse",), orders=("last", "inside"))
    rows = predicted(items[:2], [[[0.6, 0.4]] * 2]) + predicted(items[2:], [[[0.9, 0.1]] * 2])

    both = score(items, rows, topics=topics_of_size(), **FAST)
    one = score(items, rows[:2], topics=topics_of_size(), **FAST)

    by = metric(both, "bvf.R").by["order"]
    assert {name: own.value for name, own in by.items()} == pytest.approx(
        {"inside": 0.8, "last": 0.2}
    )
    assert number(both, "bvf.R") == pytest.approx(0.5)
    assert number(one, "bvf.R") == pytest.approx(0.2)
    assert metric(one, "bvf.R").n_unscored == 0


def test_a_subject_without_a_row_leaves_no_mean(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """R is null and names the subject; the others keep their risks."""
    items = bvf_items((0.5, 0.5))
    rows = [
        row
        for row in predicted(items, [[[0.6, 0.4]] * 2, [[0.9, 0.1]] * 2])
        if "baker" not in row["id"]
    ]

    found = score(items, rows, topics=topics_of_size(), allow_missing=True, **FAST)

    assert metric(found, "bvf.R").value is None
    assert "(baker)" in str(metric(found, "bvf.R").why_null)
    assert number(found, "bvf.R", "accountant") == pytest.approx(0.2)
    assert "'baker'" in str(metric(found, "bvf.R").by["subject"]["baker"].why_null)
    assert (metric(found, "bvf.R").n_scored, metric(found, "bvf.R").n_unscored) == (2, 2)


@pytest.mark.parametrize(
    ("first", "options", "said"),
    [
        (1, {}, "pass allow_missing=True"),
        (0, {"criterion": "knowledge"}, "criterion='knowledge' "),
        (0, {"criterion": "knowledge"}, " facts=Path(FILE) "),
        (0, {"criterion": "knowledge", "protocol": "code"}, "; leave out protocol."),
        (0, {"criterion": "l"}, "criterion='l'; choose linf"),
    ],
)
def test_a_refusal_in_python_names_the_argument(
    *, bvf_items: Make, predicted: Make, topics_of_size: Make, first: int, options, said: str
) -> None:
    """No option of the command line is advised to whoever calls the function."""
    items = bvf_items((0.5, 0.5), ("nurse",))
    rows = predicted(items, [[[0.5, 0.5], [0.6, 0.4]]])[first:]

    with pytest.raises((DataRefused, WrongUse)) as refused:
        score(items, rows, topics=topics_of_size(), **options, **FAST)

    assert said in str(refused.value)
    assert "--" not in str(refused.value)


def test_a_row_left_out_leaves_the_other_contexts_their_share(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """Of contexts .5, .3, .2 the first is missing: r = (.3 * .2 + .2 * .6) / .5."""
    items = bvf_items((0.5, 0.3, 0.2), ("nurse",))
    rows = predicted(items, [[[0.5, 0.5], [0.6, 0.4], [0.8, 0.2]]])[1:]

    found = score(items, rows, topics=topics_of_size(), allow_missing=True, **FAST)

    assert number(found, "bvf.R") == pytest.approx((0.3 * 0.2 + 0.2 * 0.6) / 0.5)


def test_frames_of_any_kind_give_the_same_report(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """Lists, polars and pandas frames, shuffled, and columns instead of objects."""
    items = bvf_items()
    p = np.random.default_rng(0).random((2, 3))
    rows = predicted(items, np.stack([p, 1 - p], axis=-1))
    wide = pl.DataFrame(rows).unnest("p").rename({"male": "p:male", "female": "p:female"})

    found = [
        score(some, given, topics=topics_of_size(), **FAST).metrics
        for some, given in (
            (items, rows),
            (pl.DataFrame(items), pl.DataFrame(rows)),
            (items, wide.sample(fraction=1, shuffle=True, seed=1)),
            (pd.DataFrame(items), pd.DataFrame(wide.to_dict(as_series=False))),
        )
    ]

    assert found[0] == found[1] == found[2] == found[3]


def many(predicted: Make, bvf_items: Make, p_male: np.ndarray) -> tuple[Rows, Rows]:
    """Return items and predictions of p(male) [X, C] under equal weights."""
    n_subjects, n_contexts = p_male.shape
    items = bvf_items([1 / n_contexts] * n_contexts, [f"x{i}" for i in range(n_subjects)])
    return items, predicted(items, np.stack([p_male, 1 - p_male], axis=-1))


def test_no_lasting_preference_lies_within_its_reference(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """A model whose preferences change sides at random has an R^b not above the 95 % quantile."""
    drawn = np.random.default_rng(1).integers(0, 2, (4, 60)).astype(float)
    items, rows = many(predicted, bvf_items, drawn)

    found = metric(score(items, rows, topics=topics_of_size(), resamples=1000), "bvf.R_b")

    assert found.null_reference is not None
    assert found.null_reference.method == null_references.SIGN_FLIPS
    assert found.value is not None
    assert 0 < found.value <= found.null_reference.quantile_95


def test_a_lasting_preference_lies_above_its_reference(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """A model that leans to one class in all contexts is far above; R of probabilities has 0."""
    drawn = np.random.default_rng(1).uniform(0.55, 0.95, (4, 60))
    items, rows = many(predicted, bvf_items, drawn)

    report = score(items, rows, topics=topics_of_size(), resamples=1000)
    found, whole = metric(report, "bvf.R_b"), metric(report, "bvf.R")

    assert found.null_reference is not None
    assert found.value is not None
    assert found.value > 2 * found.null_reference.quantile_95
    assert whole.null_reference is not None
    assert (whole.null_reference.method, whole.null_reference.quantile_95) == (
        null_references.EXACT, 0.0,
    )  # fmt: skip


def test_three_classes_are_exchanged_within_contexts(
    bvf_items: Make, predicted: Make, topics_of_size: Make
) -> None:
    """Where each context prefers a random class R^b is within the reference; a fixed one is not."""
    chosen = np.eye(3)[np.random.default_rng(2).integers(0, 3, (2, 50))]
    fixed = np.broadcast_to(np.array([0.6, 0.2, 0.2]), (2, 50, 3))
    items = bvf_items([1 / 50] * 50, ("a", "b"), topic="race")
    topics = topics_of_size(3, "race")

    found = [
        metric(
            score(items, predicted(items, p, "abc"), topics=topics, resamples=300), "bvf.R_b"
        )
        for p in (chosen, fixed)
    ]  # fmt: skip

    for own, is_above in zip(found, (False, True), strict=True):
        assert own.null_reference is not None
        assert own.value is not None
        assert own.null_reference.method == null_references.PERMUTATIONS
        assert (own.value > own.null_reference.quantile_95) is is_above


def test_few_answers_make_a_risk_by_chance(bvf_items: Make, topics_of_size: Make) -> None:
    """Two answers of an unbiased model: E|s| is .5, and the reference says so."""
    generator = np.random.default_rng(3)
    items = bvf_items([1 / 100] * 100, ("a", "b"))
    rows = [
        {"id": row["id"], "answer": word, "sample": i}
        for row in items
        for i, word in enumerate(generator.choice(["he", "she"], 2).tolist())
    ]

    report = score(items, rows, topics=topics_of_size(), resamples=400)
    found, moved = metric(report, "bvf.R"), metric(report, "bvf.R_v")

    assert found.null_reference is not None
    assert found.null_reference.method == null_references.ANSWERS
    assert found.null_reference.mean == pytest.approx(0.5, abs=0.01)
    assert found.value == pytest.approx(0.5, abs=0.08)
    assert moved.null_reference is not None
    assert moved.value is not None
    assert moved.null_reference.mean == pytest.approx(moved.value, abs=0.08)


def test_an_interval_of_a_signed_mean_covers_what_it_should() -> None:
    """The bootstrap over 50 contexts covers the direction's true value about 95 times in 100."""
    from evenhand.scorer import statistics
    from evenhand.scorer.bvf.criteria import Setting, build_criterion
    from evenhand.scorer.bvf.sums import Sums

    criterion = build_criterion(None, "paper", Setting(np.array([0.5, 0.5])))
    generator, n_covered = np.random.default_rng(5), 0
    for _ in range(300):
        s = generator.normal(0.2, 0.2, 50).clip(-1, 1)
        values = np.stack([np.ones(50), np.abs(s), s, -s], axis=1)[:, None]
        sums = Sums(values, np.ones(1), criterion.strength, 1.0)
        bounds = statistics.interval(
            lambda w, own=sums: own.directions(w)[:, 0, 0],
            np.zeros(50, dtype=np.int64),
            sampling=statistics.Sampling(resamples=400),
            limits=(-1.0, 1.0),
            width=5,
        )
        assert bounds is not None
        n_covered += bool(bounds.low <= 0.2 <= bounds.high)

    assert 0.91 <= n_covered / 300 <= 0.98


def test_a_planted_slope_is_found(bvf_items: Make, predicted: Make, topics_of_size: Make) -> None:
    """A risk of .1 + .02 a year of education comes back: coefficient .02, r squared 1."""
    facts = read_facts(None)
    known = facts.filter(pl.col("years_of_education").is_not_null())["subject"].head(12).to_list()
    years = dict(facts.select("subject", "years_of_education").iter_rows())
    risk = np.array([0.1 + 0.02 * years[name] for name in known])
    items = bvf_items((0.5, 0.5), known)
    p = np.repeat((1 + risk[:, None]) / 2, 2, axis=1)

    report = score(
        items, predicted(items, np.stack([p, 1 - p], axis=-1)), topics=topics_of_size(), **FAST
    )
    found = metric(report, "bvf.regression.years_of_education")

    assert found.value == pytest.approx(0.02)
    fit = found.by["r"]
    assert fit["r_squared"].value == pytest.approx(1.0)
    assert fit["n"].value == fit["coefficient"].n_scored == 12
    assert set(fit) == {"coefficient", "standard_error", "t", "p_value", "r_squared", "n"}
    assert found.by["r_v"]["coefficient"].value == pytest.approx(0.0, abs=1e-12)


def test_a_coefficient_is_a_weighted_sum_of_risks() -> None:
    """Least squares of statsmodels and our closed form agree, so contexts can be resampled."""
    generator = np.random.default_rng(0)
    x, weights, risk = generator.random((3, 20))
    points = Points(np.arange(20), x, weights)

    fit = regression(points, risk)

    assert fit is not None
    assert fit.coefficient == pytest.approx(risk @ points.slope_weights)


def test_facts_of_ones_own(
    bvf_items: Make, predicted: Make, topics_of_size: Make, tmp_path: Path
) -> None:
    """A table with an income of every subject gives that regression and no other."""
    path = tmp_path / "facts.tsv"
    path.write_text("subject\tincome\tnote\na\t10\tx\nb\t100\ty\nc\t1000\tz\n", encoding="utf-8")
    items = bvf_items((0.5, 0.5), ("a", "b", "c"))
    p = np.array([[0.6, 0.6], [0.7, 0.7], [0.8, 0.8]])

    report = score(
        items,
        predicted(items, np.stack([p, 1 - p], axis=-1)),
        topics=topics_of_size(),
        facts=path,
        **FAST,
    )

    names = [own.id for own in report.metrics if own.id.startswith("bvf.regression")]
    assert names == ["bvf.regression.log_income"]
    assert number(report, names[0]) == pytest.approx(0.2 / np.log(10))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("word\tincome\na\t1\n", r"lacks .*subject \(.*word, income"),
        ("subject\tincome\na\t1\na\t2\n", r"subject a .*twice"),
        ("subject\tincome\na\tmuch\n", r"income of a .*'much'.* 0 "),
        ("subject\tincome\na\t0\n", r"income of a .*'0'.* 0 "),
        ("subject\tshare_of_women\na\t40\n", r"share_of_women of a .*'40'.*0 to 1"),
        ("", "is empty"),
    ],
)
def test_faulty_facts_are_refused(tmp_path: Path, text: str, facts: str) -> None:
    """The message names file, subject and column."""
    path = tmp_path / "facts.tsv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataRefused, match=rf"facts\.tsv.*{facts}"):
        read_facts(path)


def test_every_occupation_of_the_paper_has_a_row_of_facts() -> None:
    """120 subjects; what has no counterpart is empty and is no 0."""
    found = read_facts(None)

    assert len(found) == 120
    assert found.filter(pl.col("subject") == "nurse")["share_of_women"].item() > 0.8
    assert found.filter(pl.col("subject") == "ambassador")["income"].item() is None
    assert found["years_of_education"].drop_nulls().is_between(10, 21).all()


def test_knowledge_of_a_right_class(
    bvf_items: Make, predicted: Make, topics_of_size: Make, tmp_path: Path
) -> None:
    """Right with .9 and .3 of two contexts: .75 on average, .84 of the mean; on the other shelf."""
    path = tmp_path / "facts.tsv"
    path.write_text("subject\tright_class\nking\tmale\nqueen\tfemale\n", encoding="utf-8")
    items = bvf_items((0.5, 0.5), ("king", "queen"))
    rows = predicted(items, [[[0.9, 0.1], [0.3, 0.7]], [[0.1, 0.9], [0.7, 0.3]]])

    report = score(items, rows, topics=topics_of_size(), criterion="knowledge", facts=path, **FAST)

    assert number(report, "bvf.knowledge") == pytest.approx(0.75)
    assert number(report, "bvf.knowledge_b") == pytest.approx(0.84)
    assert number(report, "bvf.knowledge_v", "queen") == pytest.approx(-0.09)
    assert {own.shelf for own in report.metrics} == {"beyond"}
    assert report.protocol == "paper+knowledge"


def test_a_right_class_that_is_none_is_refused(
    bvf_items: Make, predicted: Make, topics_of_size: Make, tmp_path: Path
) -> None:
    """A subject without a right class is named."""
    path = tmp_path / "facts.tsv"
    path.write_text("subject\tright_class\nking\tmale\n", encoding="utf-8")
    items = bvf_items((1.0,), ("king", "queen"))
    rows = predicted(items, [[[0.9, 0.1]], [[0.1, 0.9]]])

    with pytest.raises(DataRefused, match=r"^facts: .*queen .*right_class; .*male, female"):
        score(items, rows, topics=topics_of_size(), criterion="knowledge", facts=path)


def test_taking_contexts_off_the_whole_is_the_jackknife() -> None:
    """The standard error agrees with that of the statistics that all benchmarks share."""
    from evenhand.scorer import statistics
    from evenhand.scorer.bvf.criteria import Setting, build_criterion
    from evenhand.scorer.bvf.estimates import Layout, jackknife_error, layout_values
    from evenhand.scorer.bvf.sums import Sums

    generator = np.random.default_rng(6)
    s = generator.uniform(-1, 1, (12, 3))
    weight = generator.uniform(0.1, 1, (12, 3))
    values = np.stack([weight, weight * np.abs(s), weight * s, -weight * s], axis=2)
    criterion = build_criterion(None, "paper", Setting(np.array([0.5, 0.5])))
    sums, layout = Sums(values, np.ones(3), criterion.strength, 1.0), Layout(3, 2, ())

    found = jackknife_error(sums, layout, {})

    expected = statistics.jackknife_standard_error(
        lambda weights: layout_values(sums.all_values(weights), layout, {}),
        np.zeros(12, dtype=np.int64),
        width=sums.width,
    )
    assert found == pytest.approx(expected, abs=1e-12)
