"""UnQover finds a bias that was planted into a small model, and none in its twin.

The tables in tests/models say what was planted; they were drawn before the models were trained.
Scored are only templates and pairs of subjects that no model was trained on.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.contract import cli
from evenhand.contract.report import DatasetRecord, Metric
from evenhand.scorer.datasets import open_dataset
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.runtime.session import open_model
from evenhand.scorer.statistics import Sampling
from evenhand.scorer.unqover import example_metrics
from evenhand.scorer.unqover.ask import masks, spans
from evenhand.scorer.unqover.examples import ITEM_COLUMNS, group_examples
from evenhand.scorer.unqover.metric_records import config_metrics
from evenhand.scorer.unqover.results import ScoredConfig, score_config
from evenhand.scorer.unqover.tables import subject_attribute_table

MODELS = Path(__file__).parents[1] / "models"
CONFIGS = {"qa": "religion", "mlm": "religion_mlm"}
READERS = {
    "religion": (spans.score_questions, spans.COLUMNS),
    "religion_mlm": (masks.score_masks, masks.COLUMNS),
}

SHARE_OF_PREFERENCE = 0.5
"""The share of the planted preference in the target; the rest are nuisances (see the README)."""

STRENGTHS = (0.55, 0.70, 0.90)
LEAST_CORRELATION = 0.9
SIGNIFICANT = 0.05
N_HELD_OUT = 7 * 11 * 50 * 4
"""Templates, pairs, attributes, questions of an example."""

PROVENANCE = Provenance(
    DatasetRecord(stem="unqover", version=None, digest=None, why_null="Held-out rows only."),
    "paper",
    Sampling(),
)


@dataclass(frozen=True)
class Planted:
    """What the tables say."""

    strength: dict[str, float]
    """attribute -> probability that the subject of the higher rank is chosen."""
    rank: dict[tuple[str, str], int]
    """(attribute, subject) -> 0 for the most preferred."""
    templates: list[str]
    """Held out of the training, as are the pairs."""
    pairs: set[frozenset[str]]

    def bias(self, attribute: str, x1: str, x2: str) -> float:
        """Return the C that was planted: (2p - 1) times its share, signed by the ranks."""
        lean = SHARE_OF_PREFERENCE * (2 * self.strength[attribute] - 1)
        return lean if self.rank[attribute, x1] < self.rank[attribute, x2] else -lean


def _table(name: str) -> list[dict[str, str]]:
    with (MODELS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


@pytest.fixture(scope="module")
def planted() -> Planted:
    """Read the committed tables."""
    preferences = _table("preferences.tsv")
    return Planted(
        strength={row["attribute"]: float(row["strength"]) for row in preferences},
        rank={
            (row["attribute"], subject): rank
            for row in preferences
            for rank, subject in enumerate(row["ranking"].split(","))
        },
        templates=[row["template"] for row in _table("templates.tsv") if row["held_out"] == "yes"],
        pairs={frozenset(row.values()) for row in _table("pairs.tsv")},
    )


def _metric(scored: ScoredConfig, name: str) -> Metric:
    return next(metric for metric in config_metrics(scored, PROVENANCE) if metric.id == name)


def _p_after_holm(scored: ScoredConfig) -> list[float]:
    values = _metric(scored, "unqover.gamma").by["subject"].values()
    return [value.p_holm for value in values if value.p_holm is not None]


def _is_above_null(scored: ScoredConfig) -> bool:
    mu = _metric(scored, "unqover.mu")
    return mu.value > mu.null_reference.quantile_95


def _planted_bias(scored: ScoredConfig, planted: Planted) -> np.ndarray:
    """Return the planted C of each scored example."""
    examples = scored.examples
    subjects, attributes = examples.subjects, examples.attributes
    return np.array(
        [
            planted.bias(attributes[attribute], subjects[x1], subjects[x2])
            for attribute, x1, x2 in zip(examples.attribute, examples.x1, examples.x2, strict=True)
        ]
    )


def _planted_gamma(scored: ScoredConfig, planted: Planted) -> np.ndarray:
    """Return the planted gamma(x,a), NaN where no pair was scored; without the scorer's code."""
    examples = scored.examples
    total = np.zeros((len(examples.subjects), len(examples.attributes)))
    n = np.zeros_like(total)
    bias = _planted_bias(scored, planted)
    for subject, sign in ((examples.x1, 1), (examples.x2, -1)):
        np.add.at(total, (subject, examples.attribute), sign * bias)
        np.add.at(n, (subject, examples.attribute), 1)
    return total / np.where(n, n, np.nan)


def _recovered_strengths(scored: ScoredConfig, planted: Planted) -> dict[float, float]:
    """Return the probability p that the scores give for each planted p."""
    towards = scored.bias * np.sign(_planted_bias(scored, planted)) / SHARE_OF_PREFERENCE
    strengths = np.array([planted.strength[name] for name in scored.examples.attributes])
    of_example = strengths[scored.examples.attribute]
    return {float(p): (1 + towards[of_example == p].mean()) / 2 for p in np.unique(strengths)}


def _correlations(scored: ScoredConfig, planted: Planted) -> tuple[float, float]:
    """Return Spearman's rho of gamma(x) and of gamma(x,a) with what was planted."""
    expected = _planted_gamma(scored, planted)
    by_subject = _metric(scored, "unqover.gamma").by["subject"]
    risks = [by_subject[subject].value for subject in scored.examples.subjects]
    place = {name: i for i, name in enumerate(scored.examples.subjects)}
    column = {name: i for i, name in enumerate(scored.examples.attributes)}
    cells = subject_attribute_table(scored)
    pairs = zip(cells["subject"], cells["attribute"], strict=True)
    planted_cells = [expected[place[subject], column[attribute]] for subject, attribute in pairs]
    # Every subject meets as many others for each attribute, so gamma(x) is a mean of gamma(x,a).
    return (
        float(stats.spearmanr(risks, np.nanmean(expected, axis=1)).statistic),
        float(stats.spearmanr(cells["gamma"], planted_cells).statistic),
    )


def check_planted(scored: ScoredConfig, planted: Planted) -> None:
    """Assert that the scorer finds what was planted."""
    of_subjects, of_cells = _correlations(scored, planted)
    assert of_subjects >= LEAST_CORRELATION
    assert of_cells >= LEAST_CORRELATION
    for strength, recovered in _recovered_strengths(scored, planted).items():
        assert min(STRENGTHS, key=lambda other: abs(other - recovered)) == strength
    assert _is_above_null(scored)
    assert min(_p_after_holm(scored)) < SIGNIFICANT


def check_twin(scored: ScoredConfig) -> None:
    """Assert that the scorer finds nothing."""
    p_values = _p_after_holm(scored)
    assert len(p_values) == len(scored.examples.subjects)
    assert min(p_values) >= SIGNIFICANT
    assert not _is_above_null(scored)


@dataclass(frozen=True)
class Answers:
    """A model's predictions for the held-out rows of its config."""

    config: str
    items: pl.DataFrame
    predictions: pl.DataFrame

    def scored(self) -> ScoredConfig:
        """Score them with what the scorer is at this moment, mutated or not."""
        rows = self.items.join(self.predictions, on="id", how="left", maintain_order="left")
        scores = (rows[name].to_numpy() for name in ("score_x1", "score_x2"))
        return score_config(self.config, group_examples(self.items, *scores))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    """Generate both configs; the masked one with the subjects that the models know whole."""
    folder = tmp_path_factory.mktemp("planted") / "dataset"
    tokenizer = MODELS / "mlm_planted" / "tokenizer.json"
    configs = [word for config in CONFIGS.values() for word in ("--config", config)]
    command = ["generate", "unqover", *configs, "--tokenizer", str(tokenizer)]
    assert cli.main([*command, "--out", str(folder)]) == 0
    return folder


def _answers(name: str, dataset: Path, planted: Planted) -> Answers:
    """Predict the rows of a model's config that were held out of the training."""
    config = CONFIGS[name.partition("_")[0]]
    read, columns = READERS[config]
    items = open_dataset(str(dataset)).read(config, (*dict.fromkeys([*ITEM_COLUMNS, *columns]),))
    pairs = zip(items["x1"].cast(pl.String), items["x2"].cast(pl.String), strict=True)
    is_pair = pl.Series([frozenset(pair) in planted.pairs for pair in pairs])
    items = items.filter(is_pair & items["template"].cast(pl.String).is_in(planted.templates))
    assert len(items) == N_HELD_OUT
    model = open_model(MODELS / name, device="cpu", threads=2)
    rows = items.select(pl.col(columns).cast(pl.String))
    scores = read(model, rows, protocol="paper", budget=4096, advance=lambda _: None)
    predictions = pl.DataFrame(
        {"id": items["id"], "score_x1": scores[:, 0], "score_x2": scores[:, 1]}
    )
    return Answers(config, items, predictions)


@pytest.fixture(scope="module", params=["qa", "mlm"])
def of_planted(request, dataset, planted) -> Answers:
    """Answers of a model with a planted preference."""
    return _answers(f"{request.param}_planted", dataset, planted)


@pytest.fixture(scope="module", params=["qa", "mlm"])
def of_twin(request, dataset, planted) -> Answers:
    """Answers of a model that was trained alike, with every preference at 0.5."""
    return _answers(f"{request.param}_twin", dataset, planted)


def _flip_the_sign(monkeypatch) -> None:
    right = example_metrics.comparative_bias
    monkeypatch.setattr(example_metrics, "comparative_bias", lambda one, other: -right(one, other))


def _drop_the_negated_questions(monkeypatch) -> None:
    def positive_alone(scores: np.ndarray) -> np.ndarray:
        return scores[..., [example_metrics.POSITIVE_12, example_metrics.POSITIVE_21]].mean(axis=-1)

    monkeypatch.setattr(example_metrics, "subject_attribute_score", positive_alone)


def test_planted_preferences_are_recovered(of_planted, planted):
    """Order, strengths, mu and significance are those of the table drawn before the training."""
    check_planted(of_planted.scored(), planted)


def test_twin_shows_no_preference(of_twin):
    """No subject's gamma differs from 0 after Holm, and mu lies inside its null reference."""
    check_twin(of_twin.scored())


@pytest.mark.parametrize("mutate", [_flip_the_sign, _drop_the_negated_questions])
def test_broken_scorer_does_not_recover_the_order(of_planted, planted, mutate, monkeypatch):
    """With the sign flipped, or without the negated questions, the order of gamma is lost."""
    mutate(monkeypatch)
    scored = of_planted.scored()
    assert _correlations(scored, planted)[0] < LEAST_CORRELATION
    with pytest.raises(AssertionError):
        check_planted(scored, planted)


def test_twin_seems_biased_without_the_negated_questions(of_twin, monkeypatch):
    """Salience is no bias, but a scorer that drops the negated questions takes it for one."""
    _drop_the_negated_questions(monkeypatch)
    with pytest.raises(AssertionError):
        check_twin(of_twin.scored())
