"""What scoring does for every benchmark, shown on one that is unlike those that there are.

Its items are prompts. A model writes several texts for each, told apart by their sample, and a text
is annotated with a number; both configs make one result.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.cli import main
from evenhand.contract.report import Metric, Report
from evenhand.scorer.benchmark_scoring import BenchmarkScoring, Texts
from evenhand.scorer.datasets import Dataset, open_dataset
from evenhand.scorer.faults import Fault, FaultList
from evenhand.scorer.frames import Kinds
from evenhand.scorer.inputs import Inputs
from evenhand.scorer.matching import add_missing, add_unknown
from evenhand.scorer.outcome import Outcome, Rows, write_outcome
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.scoring import Settings, score_files, score_frames, score_inputs
from evenhand.scorer.statistics import DEFAULT_SAMPLING


class Annotated(NamedTuple):
    """A config's prompts with the annotations of their texts."""

    config: str
    n_prompts: int
    rows: pl.DataFrame


class Whole(NamedTuple):
    """All configs together."""

    configs: list[str]
    rows: pl.DataFrame


class AnnotationScoring(BenchmarkScoring[Annotated, Whole]):
    """Several annotated texts a prompt."""

    stem = "toy"
    item_kinds: ClassVar[Kinds] = {"id": pl.String, "group": pl.String}
    text_columns = ("prompt",)
    made_by = "evenhand generate toy --out DIR"

    def read_files(
        self, paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str]
    ) -> Inputs:
        """Read nothing: the test hands over rows."""
        raise NotImplementedError

    def read_frame(self, predictions: pl.DataFrame) -> tuple[pl.DataFrame, list[Fault]]:
        """Take rows as they are."""
        return predictions, []

    def match(
        self, config: str, items: pl.DataFrame, rows: pl.DataFrame, faults: FaultList
    ) -> Annotated:
        """Give each annotation the group of its prompt."""
        add_unknown(rows["id"].filter(~rows["id"].is_in(items["id"].implode())), faults)
        add_missing(items["id"].filter(~items["id"].is_in(rows["id"].implode())), faults)
        return Annotated(config, len(items), rows.join(items, on="id", maintain_order="left"))

    def coverage(self, match: Annotated) -> Rows:
        """Count prompts and texts."""
        return [{"config": match.config, "prompts": match.n_prompts, "texts": len(match.rows)}]

    def results(self, matches: Iterable[Annotated], protocol: str) -> list[Whole]:  # noqa: ARG002
        """Put all configs together."""
        every = list(matches)
        return [Whole([own.config for own in every], pl.concat(own.rows for own in every))]

    def metrics(self, result: Whole, provenance: Provenance) -> list[Metric]:
        """Return the mean annotation."""
        return [
            Metric(
                id="toy.mean",
                config="all",
                value=float(str(result.rows["toxicity"].mean())),
                unit="share",
                range=(0.0, 1.0),
                best=None,
                n_scored=len(result.rows),
                n_unscored=0,
                signature=provenance.protocol,
            )
        ]

    def warnings(self, result: Whole) -> list[str]:  # noqa: ARG002
        """Have nothing to say."""
        return []

    def parts(self, result: Whole) -> pl.DataFrame:
        """Return the sum of each group."""
        groups = result.rows.group_by("group", maintain_order=True)
        return groups.agg(pl.col("toxicity").sum())

    def examples(self, result: Whole, texts: Texts) -> Rows:
        """Return the most toxic text."""
        worst = result.rows.sort("toxicity").tail(1)
        identity = str(worst["id"][0])
        return [{"id": identity, **texts(identity[0], worst["id"])[identity]}]

    def tables(self, report: Report, results: Sequence[Whole]) -> list[Rows]:  # noqa: ARG002
        """Return the groups."""
        return [self.parts(result).to_dicts() for result in results]


PROMPTS = [
    {"id": f"{config}-{place}", "group": group, "prompt": f"{group} {place}"}
    for config in ("a", "b")
    for place, group in enumerate(("x", "y"))
]
ANNOTATIONS = [
    {"id": row["id"], "sample": sample, "toxicity": (sample + place) / 10}
    for place, row in enumerate(PROMPTS)
    for sample in range(3)
]


def score_in_memory(annotations: Rows, *, allow_missing: bool = False) -> Report:
    """Score annotations of the prompts."""
    return score_frames(
        AnnotationScoring(),
        PROMPTS,
        annotations,
        allow_missing=allow_missing,
        dataset=None,
        protocol="paper",
        sampling=DEFAULT_SAMPLING,
    )


def score_on_disk(write_dataset: Any) -> Outcome[Whole]:
    """Score the same on a dataset folder."""
    folder = write_dataset({name: [r for r in PROMPTS if r["id"][0] == name] for name in "ab"})
    inputs = Inputs(pl.DataFrame(ANNOTATIONS), {}, [], [])
    return score_inputs(AnnotationScoring(), open_dataset(str(folder)), inputs, Settings())


def test_a_prompt_may_have_several_rows_and_configs_one_result() -> None:
    """All twelve annotations count, and the report names both configs."""
    report = score_in_memory(ANNOTATIONS)

    assert [metric.n_scored for metric in report.metrics] == [12]
    assert report.metrics[0].value == pytest.approx((1 + 1.5) / 10)  # mean sample and place
    assert report.configs == ["a", "b"]


def test_missing_ids_are_refused_or_left_out() -> None:
    """Three rows of one prompt gone is one missing id."""
    with pytest.raises(DataRefused, match=r"the predictions, b: missing ids: 1 \(b-1\)"):
        score_in_memory(ANNOTATIONS[:-3])

    assert score_in_memory(ANNOTATIONS[:-3], allow_missing=True).metrics[0].n_scored == 9


def test_side_files_are_what_the_benchmark_makes_of_them(
    write_dataset: Any, tmp_path: Path
) -> None:
    """Parts are the groups' sums; the example carries the text that scoring did not read."""
    outcome = score_on_disk(write_dataset)

    report = write_outcome(outcome, tmp_path / "m.json")

    assert report.metrics == score_in_memory(ANNOTATIONS).metrics
    assert pl.read_parquet(tmp_path / "m.parts.parquet")["group"].to_list() == ["x", "y"]
    assert '"prompt": "y 1"' in (tmp_path / "m.examples.jsonl").read_text(encoding="utf-8")
    assert outcome.tables()[0][0]["group"] == "x"


@pytest.mark.parametrize("stem", ["bbq", "bvf", "unqover"])
def test_a_stem_is_no_dataset(stem: str, tmp_path: Path) -> None:
    """Every benchmark says which command makes a dataset of it."""
    with pytest.raises(WrongUse, match=f"`{stem}` is a benchmark.* {stem} .*--out DIR` makes one"):
        score_files(stem, [tmp_path / "p.jsonl"], None, "evenhand", Settings())


def test_a_config_is_suggested_and_rows_of_others_are_named(
    write_dataset: Any, toy_items: Any, toy_predictions: Any, tmp_path: Path, capsys: Any
) -> None:
    """Every benchmark says which spelling is meant, and which config the file is of."""
    both = {name: toy_items(config=name) for name in ("toy", "other")}
    folder, path = write_dataset(both), tmp_path / "p.parquet"
    toy_predictions(both["toy"]).write_parquet(path)
    command = ["score", str(folder), "--predictions", str(path), "--out", str(tmp_path / "m.json")]

    assert main([*command, "--config", "Other"]) == 1
    assert "(is other meant?)" in capsys.readouterr().err
    assert main([*command, "--config", "other", "--allow-missing"]) == 1
    assert "no row of other; theirs are of toy" in capsys.readouterr().err
