"""Dataset and exported model -> predictions file, in shards, so that a killed run goes on.

The rows are cut into shards of a fixed size. A finished shard stands in ``<FILE>.partial/`` under
its final name (atomic rename); ``state.json`` there says what the shards are of. When all are
there they become the file and the folder goes. Batches are cut within a shard by the lengths of its
rows alone, so a run that was killed anywhere and started again gives the same bytes.
"""

import contextlib
import gzip
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.contract import CONTRACT_VERSION, DataRefused, WrongUse
from evenhand.contract.files import atomic_path, canonical_json, write_atomically
from evenhand.contract.predictions import (
    HEADER_KEY,
    DatasetReference,
    Header,
    ModelReference,
    sidecar_of,
)
from evenhand.scorer import __version__
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.runtime import masked_lm, question_answering
from evenhand.scorer.runtime.session import ExportedModel

SHARD_ROWS = 8_192
SIGNIFICANT_DIGITS = 6
"""Of a score: the logits are fp32, so what follows is noise of the machine."""
SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".csv")

_STATE_NAME = "state.json"
_TRIAL_ROWS = (16, 128, 1_024)
_TRIAL_SECONDS = 0.5
"""A trial that takes longer than this says enough; the first also warms the model up."""
_STEM = "unqover"
_TASK_OF = {False: "question-answering", True: "fill-mask"}


@dataclass(frozen=True)
class Options:
    """How a model is read."""

    protocol: str = "paper"
    batch_tokens: int = 4_096
    """Tokens of a batch, padding included."""


@dataclass(frozen=True)
class Shard:
    """Rows ``start`` to ``start + SHARD_ROWS`` of a config."""

    number: int
    config: str
    start: int

    @property
    def name(self) -> str:
        """The file's name in the partial folder."""
        return f"shard-{self.number:05d}.parquet"


def fitting_configs(dataset: Dataset, wanted: list[str], model: ExportedModel) -> list[str]:
    """Return the configs to predict: those that were named, else all that fit the model's task.

    Raises:
        WrongUse: a named config is not in the dataset, or asks for a model of another task.
        DataRefused: a config has no rows.
    """
    stem, present = dataset.manifest.stem, dataset.manifest.configs
    if stem != _STEM:
        raise WrongUse(f"predict reads no {stem} yet; score a predictions file made elsewhere.")
    fits = [c for c in present if _TASK_OF[_is_masked(c)] == model.card.task]
    for config in wanted:
        if config not in present:
            raise WrongUse(f"There is no config {config}; the dataset has: {', '.join(present)}.")
        if config not in fits:
            raise WrongUse(
                f"{config} needs a {_TASK_OF[_is_masked(config)]} model, but"
                f" {model.card.name} was exported for {model.card.task}."
            )
    if not fits:
        raise WrongUse(
            f"No config of the dataset ({', '.join(present)}) fits a {model.card.task} model."
        )
    chosen = list(dict.fromkeys(wanted)) or fits
    empty = [c for c in chosen if not any(split.rows for split in present[c].values())]
    if empty:
        raise DataRefused(f"{dataset.folder}: the config {empty[0]} has no rows.")
    return chosen


def header_of(
    dataset: Dataset, configs: list[str], model: ExportedModel, options: Options
) -> Header:
    """Say how the file is made."""
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
        protocol=options.protocol,
        device=model.session.device,
        decoding={"significant_digits": SIGNIFICANT_DIGITS},
        scorer_version=__version__,
    )


def predict(
    dataset: Dataset,
    model: ExportedModel,
    header: Header,
    *,
    options: Options,
    out: Path,
    overwrite: bool,
    say: Callable[[str], None],
    advance: Callable[[int], None],
) -> int:
    """Write the predictions of all rows of the header's configs and return their number.

    Args:
        dataset: the opened dataset; its rows' digests are checked first.
        model: the opened model.
        header: from :func:`header_of`.
        options: how the model is read.
        out: the file; its suffix (one of :data:`SUFFIXES`) is the format.
        overwrite: whether an existing file may be replaced.
        say: is given lines for a person.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: the file exists, rows cannot be scored, or a partial run of other options
            stands beside it.
    """
    suffix = suffix_of(out)
    state = canonical_json(
        {"header": header, "shard_rows": SHARD_ROWS, "batch_tokens": options.batch_tokens}
    )
    _refuse_what_stands(out, state, overwrite=overwrite)
    for config in header.configs:
        _check_config(dataset, model, config, options)
    shards = list(_shards(dataset, header.configs))
    missing = [shard for shard in shards if not _is_done(out, shard, state)]
    say(_estimate(dataset, model, shards, missing, options))
    with _partial_folder(out, state) as folder:
        for shard in shards:
            if shard in missing:
                rows = _predict_shard(dataset, model, shard, options, advance)
                with atomic_path(folder / shard.name) as temporary:
                    rows.write_parquet(temporary, compression="zstd")
            else:
                advance(_rows_of(dataset, shard))
        _finish([folder / shard.name for shard in shards], out, suffix, header)
    shutil.rmtree(_partial_of(out))
    return _total(dataset, header.configs)


def suffix_of(out: Path) -> str:
    """Return the format that a file's name asks for."""
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if out.name.endswith(suffix):
            return suffix
    raise WrongUse(f"--out {out} must end in one of {', '.join(SUFFIXES)}.")


def _shards(dataset: Dataset, configs: list[str]) -> Iterator[Shard]:
    number = 0
    for config in configs:
        for start in range(0, _total(dataset, [config]), SHARD_ROWS):
            yield Shard(number, config, start)
            number += 1


def _total(dataset: Dataset, configs: list[str]) -> int:
    splits = [split for config in configs for split in dataset.manifest.configs[config].values()]
    return sum(split.rows for split in splits)


def _rows_of(dataset: Dataset, shard: Shard) -> int:
    return min(SHARD_ROWS, _total(dataset, [shard.config]) - shard.start)


def _partial_of(out: Path) -> Path:
    return out.with_name(out.name + ".partial")


def _state_of(out: Path) -> bytes | None:
    """Return what the shards beside a file are of, or None where there are none."""
    path = _partial_of(out) / _STATE_NAME
    return path.read_bytes() if path.is_file() else None


def _is_done(out: Path, shard: Shard, state: bytes) -> bool:
    return _state_of(out) == state and (_partial_of(out) / shard.name).is_file()


def _refuse_what_stands(out: Path, state: bytes, *, overwrite: bool) -> None:
    """Refuse to write where there is no folder, or a file or a run that may not be replaced."""
    found = _state_of(out)
    if not out.parent.is_dir():
        raise DataRefused(f"The folder {out.parent} does not exist; make it first.")
    if out.is_dir():
        raise DataRefused(f"{out} is a folder; give the name of a file to write.")
    # A run that was killed when its file was already in place goes on like any other.
    if out.exists() and not overwrite and found != state:
        raise DataRefused(f"{out} exists; add --overwrite or choose another --out.")
    if found not in {None, state} and not overwrite:
        raise DataRefused(
            f"{_partial_of(out)} holds the unfinished run of another model, dataset or option;"
            " finish it with the same options, or add --overwrite to throw it away."
        )


@contextlib.contextmanager
def _partial_folder(out: Path, state: bytes) -> Iterator[Path]:
    """Yield the folder of finished shards; one without any goes when the rows are refused."""
    folder = _partial_of(out)
    if _state_of(out) != state:
        # Shards without a state are what a killed clean-up left: nobody knows of which run.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write_atomically(folder / _STATE_NAME, state)
    try:
        yield folder
    except DataRefused:
        if not any(folder.glob("shard-*")):
            shutil.rmtree(folder)
        raise


def _finish(paths: list[Path], out: Path, suffix: str, header: Header) -> None:
    """Join the shards to the file; it comes into place whole, after its sidecar."""
    finished = _partial_of(out) / f"finished{suffix}"
    _WRITERS[suffix](paths, finished, header)
    if suffix not in _WITH_HEADER:
        write_atomically(sidecar_of(out), canonical_json(header))
    finished.replace(out)


def _check_config(dataset: Dataset, model: ExportedModel, config: str, options: Options) -> None:
    """Check, before hours are spent, that the rows are the manifest's and can be asked."""
    dataset.load(config, ())  # keeps no column: it checks the rows' digest
    if options.protocol == "paper" and _is_masked(config):
        masked_lm.refuse_split_subjects(model, dataset.scan(config), config)


def _is_masked(config: str) -> bool:
    return config.endswith("_mlm")


def _estimate(
    dataset: Dataset,
    model: ExportedModel,
    shards: list[Shard],
    missing: list[Shard],
    options: Options,
) -> str:
    """Say how many rows there are and about how long they take."""
    total = sum(_rows_of(dataset, shard) for shard in shards)
    left = sum(_rows_of(dataset, shard) for shard in missing)
    resumed = f", {total - left:,} of them done before" if left < total else ""
    if not left:
        return f"{total:,} rows{resumed}"
    seconds = left * _seconds_a_row(dataset, model, missing[0], options)
    return f"{total:,} rows{resumed}; about {_duration(seconds)} on {model.session.device}"


def _seconds_a_row(dataset: Dataset, model: ExportedModel, shard: Shard, options: Options) -> float:
    """Measure a few rows of a slow model and more of a fast one, spread over a shard."""
    rows = _read(dataset, shard)
    seconds = 0.0
    for wanted in _TRIAL_ROWS:
        trial = rows.gather_every(max(1, len(rows) // wanted)).head(wanted)
        start = time.perf_counter()
        _score(model, trial, options, lambda _: None)
        seconds = (time.perf_counter() - start) / len(trial)
        if seconds * len(trial) > _TRIAL_SECONDS:
            break
    return seconds


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _predict_shard(
    dataset: Dataset,
    model: ExportedModel,
    shard: Shard,
    options: Options,
    advance: Callable[[int], None],
) -> pl.DataFrame:
    rows = _read(dataset, shard)
    scores = _score(model, rows, options, advance)
    found = pl.DataFrame({"id": rows["id"], "score_x1": scores[:, 0], "score_x2": scores[:, 1]})
    return found.with_columns(pl.selectors.float().round_sig_figs(SIGNIFICANT_DIGITS))


def _read(dataset: Dataset, shard: Shard) -> pl.DataFrame:
    module = masked_lm if _is_masked(shard.config) else question_answering
    lazy = dataset.scan(shard.config).slice(shard.start, SHARD_ROWS)
    return lazy.select(module.COLUMNS).collect()


def _score(
    model: ExportedModel, rows: pl.DataFrame, options: Options, advance: Callable[[int], None]
) -> question_answering.Floats:
    is_masked = model.card.task == "fill-mask"
    score = masked_lm.score_masks if is_masked else question_answering.score_questions
    return score(
        model, rows, protocol=options.protocol, budget=options.batch_tokens, advance=advance
    )


def _write_parquet(paths: list[Path], out: Path, _header: Header) -> None:
    pl.scan_parquet(paths).sink_parquet(
        out, compression="zstd", row_group_size=SHARD_ROWS * 16, maintain_order=True
    )


def _write_csv(paths: list[Path], out: Path, _header: Header) -> None:
    pl.scan_parquet(paths).sink_csv(out, maintain_order=True)


def _write_jsonl(paths: list[Path], out: Path, header: Header) -> None:
    with out.open("wb") as stream:
        for chunk in _json_lines(paths, header):
            stream.write(chunk)


def _write_jsonl_gz(paths: list[Path], out: Path, header: Header) -> None:
    # Neither a name nor a time in the gzip header: a second run gives the same bytes.
    with (
        out.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream,
    ):
        for chunk in _json_lines(paths, header):
            stream.write(chunk)


def _json_lines(paths: list[Path], header: Header) -> Iterator[bytes]:
    import msgspec

    yield msgspec.json.encode({HEADER_KEY: header}, order="sorted") + b"\n"
    for path in paths:
        yield pl.read_parquet(path).write_ndjson().encode()


_WITH_HEADER = (".jsonl", ".jsonl.gz")
"""Formats whose first line is the header; the others have it in a sidecar."""
_WRITERS = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".jsonl.gz": _write_jsonl_gz,
}
