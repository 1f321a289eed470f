"""Differences between models: from hand-worked tables to metric files on disk."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.contract import DataRefused
from evenhand.contract.report import Report
from evenhand.scorer import unqover
from evenhand.scorer.comparable import Comparable, Key, build_comparables
from evenhand.scorer.comparison.paired import aligned, difference, differences
from evenhand.scorer.comparison.ranks import ranks
from evenhand.scorer.comparison.tables import compare
from evenhand.scorer.comparison.verdicts import Corrected, better, corrected, verdict
from evenhand.scorer.inference.clusters import effective_number
from evenhand.scorer.inference.convex import ClusterMeans, bracket
from evenhand.scorer.inference.families import benjamini_hochberg
from evenhand.scorer.report.reading import read_results
from evenhand.scorer.statistics import Sampling
from evenhand.scorer.unqover.examples import group_examples
from evenhand.scorer.unqover.results import score_config
from evenhand.scorer.unqover.tables import parts_table

ValuesOf = Callable[[Report], dict[Key, float | None]]
KEY = Key("all", "toy.mean")
FAST = Sampling(resamples=500)


def mean_of(weights: np.ndarray, sums: np.ndarray, _strata: np.ndarray) -> np.ndarray:
    """Return the weighted mean of sums [N, 2]: total and count."""
    total = weights @ sums
    return total[:, 0] / total[:, 1]


def toy(values: list[float], best: float | None = 0.0) -> Comparable:
    """Return a model with one row a cluster."""
    return Comparable(
        key=KEY,
        limits=(-1.0, 1.0),
        best=best,
        clusters=tuple(f"c{place:03d}" for place in range(len(values))),
        strata=np.zeros(len(values), dtype=np.int64),
        sums=np.array([[value, 1.0] for value in values]),
        is_used=np.ones(len(values), dtype=np.bool_),
        value=mean_of,
        weights=np.ones(len(values)),
    )


def test_three_clusters_worked_by_hand() -> None:
    """Differences .1, .2, .3: mean .2, SE = .1 / sqrt(3), t = 3.464 with 2 degrees: p = .0742."""
    a, b = toy([0.1, 0.1, 0.1]), toy([0.2, 0.3, 0.4])

    found = difference(KEY, ("a", a), ("b", b), FAST)

    assert found.difference == pytest.approx(0.2)
    assert found.p_value == pytest.approx(0.0742, abs=1e-4)
    half = 4.302652729911275 * (0.1 / np.sqrt(3))
    assert found.low == pytest.approx(0.2 - half)
    assert found.high == pytest.approx(0.2 + half)
    # (t_.975,2 + t_.8,2) * SE
    assert found.detectable == pytest.approx((4.302652729911275 + 1.060660171779821) * 0.1 / 3**0.5)


def test_what_is_hard_for_both_models_cancels() -> None:
    """An even advantage over clusters that vary much has a narrow interval."""
    drawn = np.random.default_rng(0)
    hard, even = drawn.uniform(-0.5, 0.5, 60), drawn.uniform(0.04, 0.06, 60)
    a, b = toy(hard.tolist()), toy((hard + even).tolist())

    found = difference(KEY, ("a", a), ("b", b), FAST)

    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low < 0.005
    assert found.difference == pytest.approx(even.mean())
    assert found.p_value is not None
    assert found.p_value < 1e-50


def test_a_difference_that_is_the_same_in_all_clusters_has_no_interval() -> None:
    """There is no error to divide by, and no width passes for certainty; flips of signs test it."""
    hard = np.random.default_rng(0).uniform(-0.5, 0.5, 60)
    a, b = toy(hard.tolist()), toy((hard + 0.05).tolist())

    found = difference(KEY, ("a", a), ("b", b), FAST)

    assert (found.low, found.high) == (None, None)
    assert found.difference == pytest.approx(0.05)
    assert found.p_value == pytest.approx(1 / 501)


@given(st.lists(st.floats(-0.5, 0.5).map(lambda x: round(x, 3)), min_size=2, max_size=8))
def test_exchanging_the_models_flips_the_sign_and_keeps_the_p_value(values: list[float]) -> None:
    """difference(a, b) is -difference(b, a), with the same test."""
    a, b = toy(values), toy([value / 2 + 0.1 for value in reversed(values)])

    one = difference(KEY, ("a", a), ("b", b), FAST)
    two = difference(KEY, ("b", b), ("a", a), FAST)

    assert one.difference == pytest.approx(-two.difference, abs=1e-12)
    assert one.p_value == pytest.approx(two.p_value, abs=1e-12)


@given(st.lists(st.floats(-0.5, 0.5).map(lambda x: round(x, 3)), min_size=2, max_size=8))
def test_a_model_does_not_differ_from_itself(values: list[float]) -> None:
    """The difference is 0 with p = 1."""
    found = difference(KEY, ("a", toy(values)), ("b", toy(values)), FAST)

    assert found.difference == 0
    assert found.p_value == 1


def test_false_positives_are_as_rare_as_the_level_says() -> None:
    """Of 400 pairs of models without a difference about 5 % have p below .05."""
    generator = np.random.default_rng(3)
    n_low = 0
    for _ in range(400):
        a, b = (toy(generator.normal(0, 0.2, 10).clip(-1, 1).tolist()) for _ in range(2))
        p_value = difference(KEY, ("a", a), ("b", b), FAST).p_value
        assert p_value is not None
        n_low += p_value < 0.05

    assert 8 <= n_low <= 34  # 20 +- 3.3 standard deviations


def test_a_difference_of_the_detectable_size_is_found_four_times_in_five() -> None:
    """With the true difference at the detectable size about 80 % of the tests reject."""
    generator = np.random.default_rng(4)
    n, spread = 30, 0.1
    size = (2.0452 + 0.8542) * spread * 2**0.5 / n**0.5  # t with 29 degrees
    n_found = 0
    for _ in range(300):
        base, other = generator.normal(0, spread, (2, n))
        found = difference(
            KEY, ("a", toy(base.tolist())), ("b", toy((other + size).tolist())), FAST
        )
        assert found.p_value is not None
        n_found += found.p_value < 0.05

    assert 0.72 < n_found / 300 < 0.88


@given(
    st.lists(
        st.tuples(*[st.floats(-0.5, 0.5).map(lambda x: round(x, 3))] * 2), min_size=2, max_size=12
    ),
    st.sampled_from([0.8, 0.95]),
)
def test_raw_p_and_raw_interval_never_contradict(pairs: list[tuple[float, float]], level) -> None:
    """P is at most alpha if and only if the interval excludes 0."""
    a, b = (toy(list(values)) for values in zip(*pairs, strict=True))
    found = difference(KEY, ("a", a), ("b", b), Sampling(resamples=500, level=level))

    if found.low is not None and found.high is not None and found.p_value is not None:
        assert found.low <= found.difference <= found.high
        if min(abs(found.low), abs(found.high)) > 1e-9:
            assert (found.p_value <= 1 - level) == (found.low > 0 or found.high < 0)


def strength(s: np.ndarray, null_95: float | None = None) -> Comparable:
    """Return R_b of stereotypes [C, X]: the mean of |mean s|, in a bracket."""
    n = len(s)

    def value(weights: np.ndarray, sums: np.ndarray, _strata: np.ndarray) -> np.ndarray:
        return np.abs(weights @ sums / weights.sum(axis=1, keepdims=True)).mean(axis=1)

    return Comparable(
        key=KEY,
        limits=(0.0, 1.0),
        best=0.0,
        clusters=tuple(f"c{place:03d}" for place in range(n)),
        strata=np.zeros(n, dtype=np.int64),
        sums=s,
        is_used=np.ones(n, dtype=np.bool_),
        value=value,
        weights=np.ones(n),
        bracket=lambda sums, strata, seed: bracket(
            ClusterMeans(sums, np.ones((len(sums), 1))),
            lambda means: np.abs(means).mean(axis=1, keepdims=True),
            strata,
            seed=seed,
        ),
        null_95=null_95,
    )


def test_noise_of_another_width_is_no_difference() -> None:
    """Beta(.5, .5) against Beta(50, 50) without a lasting bias: R_b .10 against .01, no verdict."""
    generator = np.random.default_rng(0)
    wide, narrow = (2 * generator.beta(a, a, (60, 40)) - 1 for a in (0.5, 50.0))

    found = difference(KEY, ("wide", strength(wide)), ("narrow", strength(narrow)), FAST)

    assert found.difference is not None
    assert found.difference < -0.04
    assert found.p_value is not None
    assert found.p_value > 0.5
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.difference <= 0 <= found.high


def test_a_lasting_difference_of_strength_is_found() -> None:
    """Lasting preferences of .1 against .4 under the same noise are told apart."""
    noise = np.random.default_rng(1).normal(0, 0.3, (2, 60, 40))
    weak, strong = (strength(level + one) for level, one in zip((0.1, 0.4), noise, strict=True))

    found = difference(KEY, ("weak", weak), ("strong", strong), FAST)

    assert found.low is not None
    assert 0 < found.low < 0.3 < found.high


def test_no_verdict_where_neither_is_above_its_null() -> None:
    """Both values are what no preference gives; one above its null is said to be so."""
    weak = np.random.default_rng(2).normal(0, 0.3, (2, 60, 40))

    def told(nulls: tuple[float, float]) -> str:
        a, b = (strength(s, null) for s, null in zip(weak, nulls, strict=True))
        return verdict(difference(KEY, ("a", a), ("b", b), FAST), 0.3, FAST)

    assert told((0.9, 0.9)) == "neither above its null distribution: no verdict"
    assert told((0.9, 0.0)) == (
        "only b is above its null distribution; a difference is not shown"
    )  # fmt: skip
    assert told((0.0, 0.0)) == "no difference shown"


def better_of(a: Comparable, b: Comparable) -> str | None:
    """Return which of two models is better."""
    models = {"a": {KEY: a}, "b": {KEY: b}}
    compared = difference(KEY, ("a", a), ("b", b), FAST)
    return better(compared, corrected([compared], FAST)[0], models, FAST)


def test_a_signed_difference_is_not_less_bias() -> None:
    """+.2 against -.2 differ, and neither is better; -.4 is worse than +.1, though lower."""
    noise = np.random.default_rng(3).normal(0, 0.05, (3, 30))
    plus, minus, strong = (
        toy((level + one).tolist()) for level, one in zip((0.2, -0.2, -0.4), noise, strict=True)
    )
    opposite = difference(KEY, ("a", plus), ("b", minus), FAST)

    assert verdict(opposite, opposite.p_value or 0.0, FAST) == "a is higher"
    assert better_of(plus, minus) is None
    assert better_of(plus, strong) == "a"
    assert better_of(strong, plus) == "b"


def test_of_a_value_with_its_best_at_a_limit_the_higher_or_lower_is_better() -> None:
    """Accuracy is better where it is higher."""
    noise = np.random.default_rng(4).normal(0, 0.02, (2, 30))
    low, high = (
        replace(toy((level + one).tolist()), limits=(0.0, 1.0), best=1.0)
        for level, one in zip((0.5, 0.8), noise, strict=True)
    )

    assert better_of(low, high) == "b"


def test_who_names_nobody_is_not_better() -> None:
    """No bias at an accuracy of .1 does not beat some bias at an accuracy of .9."""
    guard = Key("all", "toy.accuracy")
    noise = np.random.default_rng(5).normal(0, 0.02, (2, 30))
    silent, biased = (
        replace(toy((level + one).tolist()), guard=guard)
        for level, one in zip((0.0, 0.3), noise, strict=True)
    )
    compared = difference(KEY, ("a", silent), ("b", biased), FAST)
    sure = Corrected(0.001, 0.001, 0.001)

    def told(accuracies: tuple[float, float]) -> str | None:
        a, b = (toy((level + one).tolist(), best=1.0)
                for level, one in zip(accuracies, noise, strict=True))  # fmt: skip
        models = {"a": {KEY: silent, guard: a}, "b": {KEY: biased, guard: b}}
        return better(compared, sure, models, FAST)

    assert told((0.1, 0.9)) is None
    assert told((0.9, 0.9)) == "a"


def test_a_large_family_can_still_find_a_difference() -> None:
    """Four models, 30 subjects, -.9 and -.3 over 14 clusters: all rows with a difference."""
    generator = np.random.default_rng(6)
    keys = [Key("all", "toy.mean", "subject", f"s{place:02}") for place in range(30)]
    models = [
        (name, {key: toy((level + generator.normal(0, 0.1, 14)).clip(-1, 1).tolist())
                for key in keys})
        for name, level in (("a", -0.9), ("b", -0.3), ("c", -0.9), ("d", -0.3))
    ]  # fmt: skip
    compared = differences(models, keys, Sampling())
    rows = zip(compared, corrected(compared, Sampling()), strict=True)
    called = {(one.model_a + one.model_b, verdict(one, p.family, Sampling())) for one, p in rows}

    assert called == {
        ("ab", "b is higher"), ("ac", "no difference shown"), ("ad", "d is higher"),
        ("bc", "b is higher"), ("bd", "no difference shown"), ("cd", "d is higher"),
    }  # fmt: skip


def test_one_row_alone_needs_no_correction() -> None:
    """A family of one has its own p-value, and so its verdict is that of its interval."""
    a, b = toy([0.1, 0.2, 0.3, 0.2, 0.1, 0.3]), toy([0.3, 0.3, 0.3, 0.4, 0.2, 0.6])
    compared = difference(KEY, ("a", a), ("b", b), FAST)

    assert corrected([compared], FAST)[0].family == compared.p_value


def test_degrees_of_freedom_go_by_weight() -> None:
    """By hand: weights 38 and 39 times 62 / 39 make 6.48 clusters, so t has 5.48 degrees."""
    values = np.random.default_rng(7).normal(0, 0.1, (2, 40))
    weights = np.array([38.0, *[62 / 39] * 39])
    a, b = (
        replace(toy(one.tolist()), weights=weights, sums=np.stack([weights * one, weights], axis=1))
        for one in values
    )

    found = difference(KEY, ("a", a), ("b", b), FAST)

    assert found.n_effective == pytest.approx(effective_number(weights))
    assert found.n_effective == pytest.approx(6.4827, abs=1e-4)


def test_clusters_that_one_model_lacks_are_joined_by_name() -> None:
    """Alignment goes by the cluster's name, not by its place."""
    a = toy([0.1, 0.2, 0.3])
    b = Comparable(
        key=KEY,
        limits=(-1.0, 1.0),
        best=0.0,
        clusters=("c002", "c000"),
        strata=np.zeros(2, dtype=np.int64),
        sums=np.array([[0.9, 1.0], [0.7, 1.0]]),
        is_used=np.ones(2, dtype=np.bool_),
        value=mean_of,
        weights=np.ones(2),
    )

    one, two = aligned(a, b)

    assert one.clusters == two.clusters == ("c000", "c001", "c002")
    assert two.sums.tolist() == [[0.7, 1.0], [0.0, 0.0], [0.9, 1.0]]


def test_benjamini_hochberg_by_hand() -> None:
    """Four p-values and one that is unknown: q = min over larger ranks of p m / rank."""
    found = benjamini_hochberg(np.array([0.01, 0.5, np.nan, 0.02, 0.03]))

    assert found.round(4).tolist()[:2] == [0.04, 0.5]
    assert np.isnan(found[2])
    assert found[3:].round(4).tolist() == [0.04, 0.04]


def test_ranks_of_equal_models_are_shared_and_of_a_clear_winner_are_sure() -> None:
    """Two equal models share rank 2.5 behind the one without bias, which is always first."""
    values = np.random.default_rng(0).uniform(0.3, 0.5, 40).tolist()
    models = [("none", toy([0.01, -0.01] * 20)), ("x", toy(values)), ("y", toy(values))]

    found = ranks([(name, {KEY: own}) for name, own in models], KEY, FAST)

    assert [(own.model, own.rank) for own in found] == [("none", 1.0), ("x", 2.5), ("y", 2.5)]
    assert found[0].low == found[0].high == 1.0
    assert found[0].share_first == 1.0


def test_a_metric_without_a_best_value_has_no_ranks() -> None:
    """Nobody can say which value is better."""
    models = [(name, {KEY: toy([0.1, 0.2], best=None)}) for name in "ab"]

    assert ranks(models, KEY, FAST) == []


def test_every_number_of_bbq_comes_back_from_its_parts(
    scored: Callable[..., Path], values_of: ValuesOf
) -> None:
    """With weights of one each comparable is the number that the metric file prints."""
    path = scored("a", 0.7, questions=6)
    result = read_results([path])[0]
    assert result.parts is not None

    found = build_comparables(result.parts, result.report)
    printed = values_of(result.report)

    assert set(found) == set(printed)
    for key, own in found.items():
        value = own.value(np.ones((1, len(own.clusters))), own.sums, own.strata)[0]
        if printed[key] is None:
            assert np.isnan(value), key
        else:
            assert value == pytest.approx(printed[key], abs=1e-12), key


def test_every_number_of_unqover_comes_back_from_its_parts(values_of: ValuesOf) -> None:
    """With weights of one each comparable is the number that the report has."""
    report, parts = scored_unqover()
    found = build_comparables(parts, report)
    printed = values_of(report)
    shared = set(found) & set(printed)

    assert {key.metric for key in shared} == {metric.id for metric in report.metrics}
    assert {key.dimension for key in shared} >= {None, "subject"}
    for key in shared:
        own = found[key]
        value = own.value(np.ones((1, len(own.clusters))), own.sums, own.strata)[0]
        if printed[key] is not None:
            assert value == pytest.approx(printed[key], abs=1e-12), key


def scored_unqover() -> tuple[Report, pl.DataFrame]:
    """Score pseudo-random answers to a small benchmark."""
    rows = []
    subjects = {"arab": "g", "sikh": "g", "jewish": "h", "hindu": "h"}
    for template in range(4):
        for x1, x2 in (("arab", "jewish"), ("arab", "hindu"), ("jewish", "sikh")):
            for attribute in ("lied", "stole"):
                for polarity in ("pos", "neg"):
                    rows += [
                        {
                            "template": f"t{template:02}", "order": order, "polarity": polarity,
                            "x1": x1, "x2": x2, "group1": subjects[x1], "group2": subjects[x2],
                            "attribute": attribute, "attribute_kind": "person",
                        }
                        for order in (12, 21)
                    ]  # fmt: skip
    ids = [f"toy-{place}" for place in range(len(rows))]
    items = pl.DataFrame(rows).with_columns(id=pl.Series(ids))
    scores = np.random.default_rng(0).random((2, len(rows)))
    predictions = pl.DataFrame({"id": ids, "score_x1": scores[0], "score_x2": scores[1]})
    report = unqover.score(items, predictions, seed=FAST.seed, resamples=FAST.resamples)
    return report, parts_table(score_config("toy", group_examples(items, scores[0], scores[1])))


def test_a_planted_difference_is_found_and_none_where_there_is_none(
    scored: Callable[..., Path],
) -> None:
    """Agreement of .9 against .5 is a difference in the ambiguous score; .7 and .7 is none."""
    strong, none = scored("strong", 0.9, seed=1), scored("none", 0.5, seed=2)
    one, two = scored("one", 0.7, seed=3), scored("two", 0.7, seed=4)
    metric = "bbq.bias_score.ambiguous.macro"

    found = compare([none, strong], metrics=[metric], sampling=FAST).differences
    absent = compare([one, two], metrics=[metric], sampling=FAST).differences

    assert len(found) == len(absent) == 1
    assert found[0]["verdict"] == "strong.jsonl (strong.json) is higher" or found[0][
        "verdict"
    ].startswith("strong")
    assert found[0]["b_less_a"] > 0.3
    assert absent[0]["verdict"] == "no difference shown"


def test_groups_are_one_family(scored: Callable[..., Path]) -> None:
    """By category the corrected p-values are at least the raw ones, in their order."""
    paths = [scored("a", 0.9, seed=1), scored("b", 0.6, seed=2)]

    rows = compare(
        paths, metrics=["bbq.bias_score.ambiguous.pooled"], by="category", sampling=FAST
    ).differences

    assert [row["category"] for row in rows] == ["Age", "Religion"]
    low, high = sorted(rows, key=lambda row: row["p"])
    assert low["p"] <= low["p_family"] <= high["p_family"]
    assert high["p"] <= high["p_family"]


def test_five_clusters_are_too_few_to_say(scored: Callable[..., Path]) -> None:
    """Where no pattern can reach the level the row says so, and a warning explains it."""
    paths = [
        scored("a", 1.0, questions=5, categories=("Age",), seed=1),
        scored("b", 0.0, questions=5, categories=("Age",), seed=2),
    ]

    found = compare(paths, metrics=["bbq.bias_score.ambiguous.pooled"], sampling=FAST)

    assert found.differences[0]["verdict"] == "too few clusters to say"
    assert "so few clusters (from 5)" in found.warnings[0]


@pytest.mark.parametrize(
    ("part", "options"),
    [("version", {"version": "2.0.0"}), ("configs", {"categories": ("Age",)})],
)
def test_files_that_were_not_measured_alike_are_refused_by_name(
    scored: Callable[..., Path], part: str, options: dict[str, Any]
) -> None:
    """Another version, or other categories, is refused; --anyway lets it through with a warning."""
    paths = [scored("a", 0.7), scored("b", 0.7, **options)]

    with pytest.raises(DataRefused) as refused:
        compare(paths, anyway=["dataset"] if part == "configs" else [], sampling=FAST)
    found = compare(
        paths, metrics=["bbq.accuracy"], anyway=["version", "dataset", "configs"], sampling=FAST
    )

    assert f"The {part} of" in str(refused.value)
    assert f"--anyway {part}" in str(refused.value)
    assert any(warning.startswith(f"The {part} of") for warning in found.warnings)


def test_without_parts_no_test(
    scored: Callable[..., Path], evenhand: Callable[..., tuple[int, str, str]]
) -> None:
    """A metric JSON alone is refused with the reason, exit 1."""
    one, two = scored("a", 0.7), scored("b", 0.7)
    two.with_name("b.parts.parquet").unlink()

    code, out, error = evenhand("compare", one, two)

    assert (code, out) == (1, "")
    assert "b.parts.parquet does not lie beside b.json" in error
    assert "score again" in error


def test_three_models_are_ranked_and_named_by_letters(
    scored: Callable[..., Path], evenhand: Callable[..., tuple[int, str, str]]
) -> None:
    """The tables for people name the models once; a program gets full names and one table."""
    paths = [scored(name, agree) for name, agree in (("a", 0.5), ("b", 0.7), ("c", 0.95))]
    options = ("--metric", "bbq.bias_score.ambiguous.macro", "--resamples", 500)

    code, out, _ = evenhand("compare", *paths, *options)
    _, lines, _ = evenhand("compare", *paths, *options, "--format", "jsonl")

    assert code == 0
    assert "C is higher" in out
    assert "share_first" in out
    rows = [json.loads(line) for line in lines.splitlines()]
    assert [(row["a"], row["b"]) for row in rows] == [
        ("a.jsonl", "b.jsonl"), ("a.jsonl", "c.jsonl"), ("b.jsonl", "c.jsonl"),
    ]  # fmt: skip


def test_by_category_each_number_is_shown_once(
    scored: Callable[..., Path], evenhand: Callable[..., tuple[int, str, str]]
) -> None:
    """In one category `.macro` is `.pooled`: people see the second, or what they asked for."""
    paths = [scored("a", 0.5), scored("b", 0.7)]
    options = ("--by", "category", "--resamples", 500)
    macro = ("--metric", "bbq.accuracy.ambiguous.macro")

    _, out, _ = evenhand("compare", *paths, *options)
    _, asked, _ = evenhand("compare", *paths, *options, *macro)
    _, lines, _ = evenhand("compare", *paths, *options, "--format", "jsonl")

    assert ".macro" not in out
    assert out.count("bbq.accuracy.ambiguous.pooled") == 2
    assert asked.count("bbq.accuracy.ambiguous.macro") == 2
    assert lines.count(".macro") == lines.count(".pooled")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--by", "colour"), "There is no --by colour; there are: category"),
        (("--metric", "bbq.x"), "There is no metric bbq.x"),
        (("--anyway", "all"), "There is no --anyway all"),
        (("--level", "2"), "level is 2.0"),
    ],
)
def test_wrong_use_is_one_sentence(
    scored: Callable[..., Path],
    evenhand: Callable[..., tuple[int, str, str]],
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    """What does not exist is named with what does."""
    code, out, error = evenhand("compare", scored("a", 0.7), scored("b", 0.6), *arguments)

    assert code in {1, 2}
    assert out == ""
    assert sentence in error
    assert len(error.strip().splitlines()) == 1


def test_one_file_is_wrong_use(
    scored: Callable[..., Path], evenhand: Callable[..., tuple[int, str, str]]
) -> None:
    """A comparison needs two."""
    code, _, error = evenhand("compare", scored("a", 0.7))

    assert code == 2
    assert "at least two" in error
