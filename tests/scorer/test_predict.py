"""Predict: the file is the model's answers in order, and no interruption changes a byte of it."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import polars as pl
import pytest

from evenhand.contract.predictions import Header, HeaderLine, sidecar_of
from evenhand.contract.unqover import Prediction
from evenhand.scorer.datasets import open_dataset
from evenhand.scorer.predict import engine as work
from evenhand.scorer.predict import fitting_configs
from evenhand.scorer.predict.shards import cut_into_shards
from evenhand.scorer.runtime.session import open_model
from evenhand.scorer.unqover import ask

SHARD_ROWS = 16


@pytest.fixture
def items(toy_items, toy_masked_items):
    """Questions of two configs, and masked sentences of a third."""
    subjects = ("Alice", "Justin", "Arab")
    return {
        "toy": toy_items(subjects),
        "other": toy_items(subjects, templates=1, config="other"),
        "toy_mlm": toy_masked_items(subjects),
    }


@pytest.fixture
def data(write_dataset, items):
    """The dataset folder of these."""
    return write_dataset(items)


@pytest.fixture
def qa(exported):
    """An exported question-answering model."""
    return exported("bert", "question-answering")


@pytest.fixture
def small_shards(monkeypatch):
    """Cut into shards of a few rows, so that a small dataset has several."""
    monkeypatch.setattr(ask, "SHARD_ROWS", SHARD_ROWS)


@pytest.fixture
def predict(evenhand, data, qa, tmp_path):
    """Run the command on the dataset into a file of the given name."""

    def run(name="p.parquet", *words, model=qa, dataset=data):
        out = tmp_path / name
        code, stdout, stderr = evenhand("predict", dataset, "--model", model, "--out", out, *words)
        assert stdout == ""
        return out, code, stderr

    return run


def _rows(out: Path) -> pl.DataFrame:
    if out.name.endswith(".parquet"):
        return pl.read_parquet(out)
    if out.name.endswith(".csv"):
        return pl.read_csv(out)
    content = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    return pl.read_ndjson(content.split(b"\n", 1)[1])


def _header(out: Path) -> Header:
    if out.name.endswith((".parquet", ".csv")):
        return msgspec.json.decode(sidecar_of(out).read_bytes(), type=Header)
    content = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    return msgspec.json.decode(content.split(b"\n", 1)[0], type=HeaderLine).evenhand_header


@pytest.mark.parametrize("name", ["p.parquet", "p.csv", "p.jsonl", "p.jsonl.gz"])
@pytest.mark.usefixtures("small_shards")
def test_formats_hold_the_same(predict, items, tmp_path, name) -> None:
    """Each format holds the dataset's ids in order, the same scores, and the same header."""
    out, code, _ = predict(name)
    plain, _, _ = predict("plain.parquet")
    assert code == 0
    rows = _rows(out)
    assert rows.columns == ["id", "score_x1", "score_x2"]
    assert rows["id"].to_list() == [row["id"] for c in ("other", "toy") for row in items[c]]
    assert rows.equals(_rows(plain))
    assert _header(out) == _header(plain)
    msgspec.convert(rows.to_dicts(), type=list[Prediction])
    assert not list(tmp_path.glob("*.partial"))
    assert not list(tmp_path.glob(".*"))


def test_header_says_how(predict, data, qa) -> None:
    """The header names dataset digest, configs, model, protocol and device, and no time."""
    out, _, _ = predict("p.jsonl", "--protocol", "code")
    header, card = _header(out), json.loads((qa / "model.json").read_text(encoding="utf-8"))
    assert header.dataset.digest == open_dataset(str(data)).manifest.content_digest
    assert header.configs == ["other", "toy"]
    assert header.model is not None
    assert header.model.sha256 == card["model_sha256"]
    assert (header.model.task, header.model.precision) == ("question-answering", "fp32")
    assert (header.protocol, header.device) == ("code", "cpu")
    assert header.decoding == {"significant_digits": 6}


def test_scores_have_six_digits(predict) -> None:
    """No score says more than six significant digits."""
    out, _, _ = predict("p.csv")
    scores = [line.split(",")[1] for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    assert all(float(f"{float(score):.6g}") == float(score) for score in scores)


@pytest.mark.parametrize("task", ["question-answering", "fill-mask"])
@pytest.mark.usefixtures("small_shards")
def test_batch_size_and_threads_change_no_byte(predict, exported, task) -> None:
    """The whole file is the same for batches of one row, of a few and of all, and any threads."""
    model = exported("bert", task)
    first, _, _ = predict("a.jsonl", model=model)
    for words in (("--batch-tokens", 1), ("--batch-tokens", 90), ("--threads", 1)):
        again, code, _ = predict("b.jsonl", *words, "--overwrite", model=model)
        assert code == 0
        assert again.read_bytes() == first.read_bytes()


def test_masked_configs_go_with_masked_models(predict, exported, items) -> None:
    """Without --config a fill-mask model takes the masked configs, all and alone."""
    out, code, _ = predict("p.csv", model=exported("bert", "fill-mask"))
    assert code == 0
    assert _rows(out)["id"].to_list() == [row["id"] for row in items["toy_mlm"]]


def test_named_configs_alone(predict, items) -> None:
    """With --config the named one is predicted; naming it twice is naming it once."""
    out, _, _ = predict("p.csv", "--config", "other", "--config", "other")
    assert _rows(out)["id"].to_list() == [row["id"] for row in items["other"]]


def test_estimate_comes_first(predict) -> None:
    """Stderr says how many rows there are and about how long, before the file is there."""
    _, _, err = predict()
    first = err.splitlines()[0]
    assert first.startswith("96 rows; about 1 s on cpu")
    assert "p.parquet: 96 rows" in err


_KILLED = """
import sys
from evenhand.contract import cli
from evenhand.scorer.unqover import ask
ask.SHARD_ROWS = int(sys.argv[1])
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.usefixtures("small_shards")
def test_killed_run_goes_on(predict, write_dataset, toy_items, qa, tmp_path) -> None:
    """A run killed by SIGKILL after a few shards skips them and ends in the same bytes."""
    subjects = ("Alice", "Justin", "Arab", "Sikh", "Jewish", "American")
    data = write_dataset({"toy": toy_items(subjects, templates=20)}, "large")
    whole, _, _ = predict("whole.parquet", dataset=data)
    out, partial = tmp_path / "p.parquet", tmp_path / "p.parquet.partial"
    command = ("predict", data, "--model", qa, "--threads", 1, "--out", out)
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(SHARD_ROWS), *map(str, command)],
        stderr=subprocess.DEVNULL,
    )
    while len(list(partial.glob("shard-*.parquet"))) < 5 and process.poll() is None:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not out.exists()
    kept = {path.name: path.stat().st_mtime_ns for path in partial.glob("shard-*.parquet")}
    assert 5 <= len(kept) < 150
    _, code, err = predict(dataset=data)
    assert code == 0
    assert f"2,400 rows, {len(kept) * SHARD_ROWS:,} of them done before" in err
    assert out.read_bytes() == whole.read_bytes()
    assert not partial.exists()


@pytest.mark.usefixtures("small_shards")
def test_run_that_died_cleaning_up_goes_on(predict, monkeypatch) -> None:
    """A run stopped when its file was in place, its shards not yet gone, ends when repeated."""
    remove = work.shutil.rmtree

    def die(folder, **options):
        if options:
            remove(folder, **options)
        else:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(work.shutil, "rmtree", die)
        out, code, _ = predict()
    assert code == 130
    first = out.read_bytes()
    out, code, _ = predict()
    assert code == 0
    assert out.read_bytes() == first
    assert not out.with_name("p.parquet.partial").exists()


@pytest.mark.usefixtures("small_shards")
def test_shards_of_nobody_are_not_used(predict, tmp_path) -> None:
    """Shards without a state file, the rest of a killed clean-up, are thrown away."""
    whole, _, _ = predict("whole.parquet")
    partial = tmp_path / "p.parquet.partial"
    partial.mkdir()
    foreign = pl.DataFrame({"id": ["x"], "score_x1": [0.5], "score_x2": [0.5]})
    foreign.write_parquet(partial / "shard-00000.parquet")
    out, code, _ = predict()
    assert code == 0
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize(
    "words", [("--protocol", "code"), ("--batch-tokens", 64), ("--config", "toy")]
)
def test_partial_run_of_other_options(predict, monkeypatch, words) -> None:
    """An unfinished run of other options is refused, kept, and goes with --overwrite."""

    def die(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(work, "_finish", die)
        out, code, _ = predict()
    assert code == 130
    partial = out.with_name("p.parquet.partial")
    kept = sorted(path.name for path in partial.iterdir())
    _, code, err = predict("p.parquet", *words)
    assert code == 1
    assert "unfinished run of another model, dataset or option" in err
    assert sorted(path.name for path in partial.iterdir()) == kept
    _, code, _ = predict("p.parquet", *words, "--overwrite")
    assert code == 0
    assert not partial.exists()


def test_existing_file_is_kept(predict) -> None:
    """An existing file is refused without --overwrite and not touched."""
    out, _, _ = predict()
    out.write_bytes(b"mine")
    _, code, err = predict()
    assert (code, out.read_bytes()) == (1, b"mine")
    assert "add --overwrite" in err
    _, code, _ = predict("p.parquet", "--overwrite")
    assert code == 0
    assert len(_rows(out)) == 96


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("none/p.csv",), 1, "none does not exist"),
        (("p.txt",), 2, "must end in one of .parquet, .jsonl"),
        (
            ("p.csv", "--config", "tay"),
            2,
            "no config tay (is toy meant?); the dataset has: other, ",
        ),
        (("p.csv", "--config", "toy_mlm"), 2, "toy_mlm needs a fill-mask model"),
        (("p.csv", "--device", "tpu"), 2, "tpu is not one of"),
        (("p.csv", "--batch-tokens", "0"), 2, "--batch-tokens takes a number from 1 on"),
        (("p.csv", "--threads", "-1"), 2, "--threads from 0 on"),
    ],
)
def test_wrong_use_is_one_sentence(predict, tmp_path, words, code, says) -> None:
    """Each wrong option is one line that names it, and nothing is written."""
    before = sorted(tmp_path.iterdir())
    _, found, err = predict(*words)
    assert found == code
    assert len(err.splitlines()) == 1
    assert says in err
    assert sorted(tmp_path.iterdir()) == before


def test_wrong_row_leaves_nothing(predict, write_dataset, items) -> None:
    """A row that cannot be scored is named, and neither file nor folder is left."""
    rows = items["toy"]
    rows[5] = rows[5] | {"answer1": "Mongolian"}
    out, code, err = predict(dataset=write_dataset({"toy": rows}, "spoilt"))
    assert code == 1
    assert f"Row {rows[5]['id']}: the subject 'Mongolian'" in err
    assert not out.exists()
    assert not out.with_name("p.parquet.partial").exists()
    assert not sidecar_of(out).exists()


def test_subject_of_several_pieces(predict, write_dataset, items, exported) -> None:
    """``paper`` refuses a masked config before it starts; ``code`` scores such a subject with 0."""
    rows = [row | {"answer1": "Zoroastrian"} for row in items["toy_mlm"]]
    options = {
        "dataset": write_dataset({"toy_mlm": rows}, "pieces"),
        "model": exported("bert", "fill-mask"),
    }
    _, code, err = predict("p.csv", **options)
    assert code == 1
    assert re.search(r"toy_mlm: .*'Zoroastrian' is .*\btoken\b", err)
    assert "--tokenizer" in err
    out, code, _ = predict("p.csv", "--protocol", "code", **options)
    assert code == 0
    assert (_rows(out)["score_x1"] == 0).all()


def test_changed_dataset_is_refused(predict, data, items) -> None:
    """Rows that are not those of the manifest are refused before anything runs."""
    path = next((data / "toy").glob("*.parquet"))
    pl.read_parquet(path).reverse().write_parquet(path)
    out, code, err = predict()
    assert code == 1
    assert "content digest" in err
    assert not out.with_name("p.parquet.partial").exists()


def test_model_of_no_config(evenhand, write_dataset, items, exported, tmp_path) -> None:
    """A dataset of which no config fits the model's task is wrong use, with the task named."""
    data = write_dataset({"toy": items["toy"]}, "questions")
    model = exported("bert", "fill-mask")
    code, _, err = evenhand("predict", data, "--model", model, "--out", tmp_path / "p.csv")
    assert code == 2
    assert "fits a fill-mask model" in err


def test_needs_no_torch(data, qa, tmp_path) -> None:
    """Neither torch nor transformers is loaded by a whole run."""
    script = (
        "import sys; from evenhand.contract.cli import main; code = main(sys.argv[1:]);"
        "print(code, [m for m in ('torch', 'transformers', 'onnx') if m in sys.modules])"
    )
    words = ("predict", data, "--model", qa, "--out", tmp_path / "p.csv")
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0 []\n"


def test_shards_cover_every_row_once(data, qa) -> None:
    """Shards of the real size number on over the configs and add up to all rows."""
    dataset = open_dataset(str(data))
    configs = fitting_configs(dataset, [], open_model(qa, device="cpu"))
    shards = cut_into_shards(dataset, configs, rows=ask.SHARD_ROWS)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert sum(shard.rows for shard in shards) == 96
