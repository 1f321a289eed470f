"""Puts all rows to a model, in shards, so that a killed run can be resumed.

The rows are cut into shards of a size that the benchmark chooses. A finished shard is kept; when
all are there they are joined to the file. Batches are cut within a shard by its rows alone, so a
run that was killed anywhere and started again gives the same bytes.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.files import atomic_path, canonical_json
from evenhand.contract.predictions import DatasetReference, Header, ModelReference
from evenhand.scorer import __version__
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.predict.asking import Asking, Settings, load_asking
from evenhand.scorer.predict.shards import (
    Shard,
    cut_into_shards,
    is_done,
    n_rows,
    partial_folder,
    partial_path,
    refuse_what_stands,
)
from evenhand.scorer.predict.writers import output_suffix, write_finished
from evenhand.scorer.runtime.scheduler import Advance
from evenhand.scorer.runtime.session import ExportedModel

SIGNIFICANT_DIGITS = 6
"""Of a score: the logits are fp32, so further digits are numerical noise."""

_TRIAL_ROWS = (16, 128, 1_024)
_TRIAL_SECONDS = 0.5
"""A trial that takes longer than this is enough; the first one also warms up the model."""


@dataclass(frozen=True, eq=False)
class _Run:
    """What does not change from shard to shard."""

    dataset: Dataset
    model: ExportedModel
    asking: Asking
    settings: Settings


def make_header(
    dataset: Dataset, configs: list[str], model: ExportedModel, settings: Settings
) -> Header:
    """Say how the file is made."""
    asking = load_asking(dataset.manifest.stem)
    return Header(
        contract_version=CONTRACT_VERSION,
        dataset=DatasetReference(
            stem=dataset.manifest.stem,
            version=dataset.manifest.version,
            digest=dataset.manifest.content_digest,
        ),
        configs=configs,
        model=ModelReference(
            name=model.card.name,
            revision=model.card.revision,
            task=model.card.task,
            precision=model.card.precision,
            sha256=model.card.model_sha256,
        ),
        protocol=settings.options.get("protocol"),
        device=model.session.device,
        decoding={"significant_digits": SIGNIFICANT_DIGITS} | asking.decoding(model, settings),
        scorer_version=__version__,
    )


def predict(
    dataset: Dataset,
    model: ExportedModel,
    header: Header,
    *,
    settings: Settings,
    out: Path,
    overwrite: bool,
    say: Callable[[str], None],
    advance: Advance,
) -> int:
    """Write the predictions of all rows of the header's configs and return their number.

    Args:
        dataset: the opened dataset; its rows' digests are checked first.
        model: the opened model.
        header: from :func:`make_header`.
        settings: how the model is read, as the benchmark has resolved them.
        out: the file; its suffix (one of ``writers.SUFFIXES``) is the format.
        overwrite: whether an existing file may be replaced.
        say: is given lines for the user.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: the file exists, rows cannot be scored, or a partial run of other options
            stands beside it.
    """
    output_suffix(out)
    run = _Run(dataset, model, load_asking(dataset.manifest.stem), settings)
    rows = run.asking.shard_rows(model)
    state = canonical_json(
        {"header": header, "shard_rows": rows, "batch_tokens": settings.batch_tokens}
    )
    refuse_what_stands(out, state, overwrite=overwrite)
    for config in header.configs:
        dataset.check_content(config)
        run.asking.check(dataset, config, model, settings)
    shards = cut_into_shards(dataset, header.configs, rows=rows)
    missing = [shard for shard in shards if not is_done(out, shard, state)]
    say(_estimate(run, shards, missing))
    with partial_folder(out, state) as folder:
        for shard in shards:
            if shard in missing:
                answers = _predict_shard(run, shard, advance)
                with atomic_path(folder / shard.name) as temporary:
                    answers.write_parquet(temporary, compression="zstd")
            else:
                advance(shard.rows)
        _finish([folder / shard.name for shard in shards], out, header)
    shutil.rmtree(partial_path(out))
    return n_rows(dataset, header.configs)


def _finish(paths: list[Path], out: Path, header: Header) -> None:
    """Join the shards to the file, which comes into place whole."""
    write_finished(paths, partial_path(out) / f"finished{output_suffix(out)}", out, header)


def _estimate(run: _Run, shards: list[Shard], missing: list[Shard]) -> str:
    """Say how many rows there are and about how long they take."""
    total = sum(shard.rows for shard in shards)
    left = sum(shard.rows for shard in missing)
    resumed = f", {total - left:,} of them done before" if left < total else ""
    if not left:
        return f"{total:,} rows{resumed}"
    seconds = left * _seconds_a_row(run, missing[0])
    return f"{total:,} rows{resumed}; about {_duration(seconds)} on {run.model.session.device}"


def _seconds_a_row(run: _Run, shard: Shard) -> float:
    """Time a few rows with a slow model and more with a fast one, spread over a shard."""
    rows = _read(run, shard)
    seconds = 0.0
    for wanted in _TRIAL_ROWS:
        trial = _spread(rows, wanted)
        start = time.perf_counter()
        _score(run, trial, lambda _: None)
        seconds = (time.perf_counter() - start) / len(trial)
        if seconds * len(trial) > _TRIAL_SECONDS:
            break
    return seconds


def _spread(rows: pl.DataFrame, wanted: int) -> pl.DataFrame:
    """Return about ``wanted`` rows, in groups of four: these share what is run once."""
    four = pl.int_range(pl.len()) // 4
    step = max(1, len(rows) // wanted)
    return rows.filter(four % step == 0).head(wanted)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _predict_shard(run: _Run, shard: Shard, advance: Advance) -> pl.DataFrame:
    return _score(run, _read(run, shard), advance)


def _read(run: _Run, shard: Shard) -> pl.DataFrame:
    rows = run.dataset.scan(shard.config).slice(shard.start, shard.rows)
    return rows.select(run.asking.columns(run.model)).collect()


def _score(run: _Run, rows: pl.DataFrame, advance: Advance) -> pl.DataFrame:
    """Return the benchmark's columns, their numbers rounded."""
    answers = run.asking.answer(run.model, rows, run.settings, advance)
    return answers.with_columns(
        pl.selectors.float().round_sig_figs(SIGNIFICANT_DIGITS),
        pl.selectors.list().list.eval(pl.element().round_sig_figs(SIGNIFICANT_DIGITS)),
    )
