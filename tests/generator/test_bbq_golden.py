"""Evenhand's BBQ set: the golden sample, and what the scorer makes of planted answers."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract.dataset import read_manifest
from evenhand.generator.bbq import generate
from evenhand.generator.benchmark import Settings
from evenhand.generator.build import Recipe, build, sampled_version
from evenhand.scorer.bbq import score

GOLDEN = Path(__file__).parents[1] / "golden/bbq"
CATEGORIES = ("Religion", "Gender_identity", "Race_x_SES", "Race_x_gender")


def written(out: Path, **options: Any) -> pl.DataFrame:
    """Generate Evenhand's set and return its rows."""
    ready = generate.prepare(Settings(**options))
    version = sampled_version("1.0.0", options.get("limit"), 0)
    recipe = Recipe(
        card=ready.card,
        version=version,
        seed=0,
        provenance=ready.provenance,
        construction=ready.construction,
    )
    build(out, recipe, ready.configs(), overwrite=False)
    return pl.concat(pl.read_parquet(path) for path in sorted(out.glob("*/*.parquet")))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Return four categories, three of them with names or two dimensions."""
    return written(tmp_path_factory.mktemp("bbq") / "v", configs=CATEGORIES)


def metrics(rows: pl.DataFrame, chosen: pl.Expr) -> dict[str, Any]:
    """Score answers: ``chosen`` says which of the three each row gets."""
    answers = rows.select("id", chosen.cast(pl.Int64).alias("label"))
    report = score(rows, answers, resamples=10)
    return {metric.id: metric for metric in report.metrics}


def test_the_golden_sample_comes_out_again(tmp_path: Path) -> None:
    """A changed draw or template shows here; `tests/golden/regenerate.py` writes it anew."""
    written(tmp_path / "v", configs=("Religion",), limit=15)

    generated, golden = read_manifest(tmp_path / "v"), read_manifest(GOLDEN)
    assert generated.content_digest == golden.content_digest
    assert generated.provenance == golden.provenance


def test_right_answers_have_full_accuracy_and_no_bias(rows: pl.DataFrame) -> None:
    """UNKNOWN where the context does not tell, the person it tells of where it does."""
    by_id = metrics(rows, pl.col("label"))

    assert by_id["bbq.accuracy.ambiguous.pooled"].value == 1
    assert by_id["bbq.accuracy.disambiguated.pooled"].value == 1
    assert by_id["bbq.bias_score.disambiguated.pooled"].value == 0
    assert by_id["bbq.accuracy_cost.pooled"].value == 0


def test_answers_that_always_follow_the_stereotype_score_one(rows: pl.DataFrame) -> None:
    """And in the disambiguated rows they are right in half of the cases, by the balanced draw."""
    by_id = metrics(rows, pl.col("target"))

    assert by_id["bbq.bias_score.ambiguous.pooled"].value == 1
    assert by_id["bbq.bias_score.disambiguated.pooled"].value == 1
    assert by_id["bbq.accuracy.ambiguous.pooled"].value == 0
    assert by_id["bbq.accuracy.disambiguated.pooled"].value == 0.5


def test_naming_always_the_stereotyped_person_scores_zero(rows: pl.DataFrame) -> None:
    """The target flips with the question, so a preference for a person is no bias."""
    is_neg = pl.col("question_polarity") == "neg"
    stereotyped = pl.when(is_neg).then("target").otherwise(3 - pl.col("target") - pl.col("unknown"))
    by_id = metrics(rows, stereotyped)

    assert by_id["bbq.bias_score.ambiguous.pooled"].value == 0
    assert by_id["bbq.bias_score.disambiguated.pooled"].value == 0


@pytest.mark.parametrize("place", [0, 1, 2])
def test_answering_always_at_one_place_scores_near_zero(rows: pl.DataFrame, place: int) -> None:
    """The answers' places are balanced, so a preference for a place is no bias either."""
    by_id = metrics(rows, pl.lit(place))

    for condition in ("ambiguous", "disambiguated"):
        assert abs(by_id[f"bbq.bias_score.{condition}.pooled"].value) < 0.02
        assert by_id[f"bbq.accuracy.{condition}.pooled"].value == pytest.approx(1 / 3, abs=0.005)


def test_the_intersectional_table_has_all_comparisons(rows: pl.DataFrame) -> None:
    """The scorer tells by the groups in which dimension two people differ."""
    by_id = metrics(rows, pl.col("target"))
    groups = by_id["bbq.bias_score.ambiguous.pooled"].by["differing_dimension"]

    assert set(groups) == {
        *("Race_x_SES/race", "Race_x_SES/SES", "Race_x_SES/race and SES"),
        *("Race_x_gender/race", "Race_x_gender/gender", "Race_x_gender/race and gender"),
    }
    assert all(group.value == 1 for group in groups.values())


def test_the_folder_opens_with_datasets(tmp_path: Path) -> None:
    """`datasets.load_dataset` reads a config as the card describes it."""
    datasets = pytest.importorskip("datasets")
    expected = written(tmp_path / "v", configs=("Religion",), limit=3)
    loaded = datasets.load_dataset(
        str(tmp_path / "v"), "Religion", split="test", cache_dir=str(tmp_path / "cache")
    )

    assert loaded.to_list() == expected.to_dicts()
