"""Predict: what cannot be answered is refused early, in one sentence, and leaves nothing behind."""

import json
import re
from pathlib import Path

import onnxruntime
import pytest

from evenhand.scorer.predict import engine
from evenhand.scorer.unqover import ask

QA, MASKED = "question-answering", "fill-mask"
HAS_CUDA = "CUDAExecutionProvider" in onnxruntime.get_available_providers()


@pytest.fixture
def dataset(write_dataset, toy_items, toy_masked_items) -> Path:
    """Write a config of questions and one of masked sentences."""
    masked = toy_masked_items(("Alice", "Justin"), templates=1)
    return write_dataset({"toy": toy_items(templates=1), "toy_mlm": masked})


@pytest.fixture
def out(tmp_path) -> Path:
    """Return a file to write, in a folder of its own."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "p.parquet"


@pytest.fixture
def refused(evenhand, exported, dataset, out):
    """Run predict, which must refuse; return its exit code and sentence."""

    def run(*options, task=QA, data=dataset, model=None, to=out):
        model = model or exported("bert", task)
        before = sorted(out.parent.iterdir())
        code, stdout, stderr = evenhand("predict", data, "--model", model, "--out", to, *options)
        assert stdout == ""
        assert "Traceback" not in stderr
        assert "internal error" not in stderr
        assert sorted(out.parent.iterdir()) == before
        last = stderr.splitlines()[-1]
        assert last.startswith("evenhand: ")
        return code, last

    return run


@pytest.mark.skipif(HAS_CUDA, reason="this onnxruntime has CUDA; tests/gpu looks at it")
def test_cuda_that_is_not_there(refused) -> None:
    """--device cuda never falls back to the CPU: exit code 1 and the way out."""
    code, sentence = refused("--device", "cuda")
    assert code == 1
    assert "CUDA" in sentence
    assert "--device cpu" in sentence


def test_folder_in_place_of_the_file(refused, out) -> None:
    """A folder is not replaced by a file, with --overwrite either."""
    out.mkdir()
    (out / "kept.txt").write_text("mine", encoding="utf-8")
    code, sentence = refused("--overwrite")
    assert code == 1
    assert "p.parquet is a folder" in sentence
    assert (out / "kept.txt").read_text(encoding="utf-8") == "mine"


def test_dataset_that_is_not_there(refused, tmp_path) -> None:
    """A folder that is no dataset, and one on the Hub that was not pulled, are named."""
    assert str(tmp_path / "none") in refused(data=tmp_path / "none")[1]
    assert "evenhand pull org/name@v1" in refused(data="org/name@v1")[1]


def test_model_that_is_not_there(refused, tmp_path) -> None:
    """A folder that `evenhand export` did not write names that command."""
    code, sentence = refused(model=tmp_path)
    assert code == 1
    assert "holds no model.json; " in sentence
    assert "`evenhand export`" in sentence


def test_other_configs_are_not_looked_at(evenhand, exported, dataset, out) -> None:
    """A damaged config that was not asked for hinders nobody."""
    (dataset / "toy_mlm" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    words = ["predict", dataset, "--config", "toy", "--model", exported("bert", QA)]
    assert evenhand(*words, "--out", out)[0] == 0


def test_damaged_file_is_refused(refused, dataset) -> None:
    """A Parquet file that is none names the command that finds the damage."""
    (dataset / "toy" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    code, sentence = refused()
    assert code == 1
    assert "evenhand verify" in sentence


def test_config_without_rows(refused, write_dataset, toy_items) -> None:
    """A config of no rows has no predictions; it is said, not written as an empty file."""
    data = write_dataset({"toy": toy_items(templates=1)}, name="empty")
    manifest = json.loads((data / "evenhand.json").read_bytes())
    manifest["configs"]["toy"]["test"]["rows"] = 0
    (data / "evenhand.json").write_text(json.dumps(manifest), encoding="utf-8")
    code, sentence = refused(data=data)
    assert code == 1
    assert "the config toy has no rows" in sentence


def test_split_subjects_are_all_named_at_once(
    refused, write_dataset, toy_masked_items, monkeypatch
) -> None:
    """Subjects of several pieces of the whole config are named, also those of far shards."""
    monkeypatch.setattr(ask, "SHARD_ROWS", 4)
    subjects = ("Alice", "Justin", "Quijotian", "Zoroastrian")
    data = write_dataset({"own_mlm": toy_masked_items(subjects, config="own_mlm")}, name="own")
    code, sentence = refused(data=data, task=MASKED)
    assert code == 1
    assert re.search(r"own_mlm: .*'Quijotian', 'Zoroastrian' are .*\btoken\b", sentence)
    assert "--tokenizer" in sentence


@pytest.fixture
def write_questions(write_dataset, toy_items):
    """Write 24 questions, one of them with another paragraph; return the folder and the ids."""

    def write(number, context):
        rows = _spoilt(toy_items(templates=1), number, context=context)
        return write_dataset({"toy": rows}, name="spoilt"), [row["id"] for row in rows]

    return write


def _spoilt(rows, number, **changed):
    return [row | changed if i == number else row for i, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("number", "context", "says"),
    [
        (1, "arab jewish sikh " * 20, "the model reads 40"),
        (23, "arab jewish sikh " * 20, "the model reads 40"),
        (23, "Nobody is here.", "is not in its paragraph 'Nobody is here.'"),
    ],
)
def test_row_that_cannot_be_asked(refused, write_questions, number, context, says) -> None:
    """A row that is too long, or lacks its subject, is named by its id; no folder is left."""
    data, ids = write_questions(number, context)
    code, sentence = refused(data=data)
    assert code == 1
    assert ids[number] in sentence
    assert says in sentence


@pytest.mark.parametrize("text", ["Nobody lied.", "The [MASK] met the [MASK]."])
def test_text_of_another_number_of_masks(refused, write_dataset, toy_masked_items, text) -> None:
    """A masked sentence with no mask or two is named by its id."""
    rows = _spoilt(toy_masked_items(("Alice", "Justin"), templates=1), 5, text=text)
    code, sentence = refused(data=write_dataset({"toy_mlm": rows}, name="masks"), task=MASKED)
    assert code == 1
    assert rows[5]["id"] in sentence
    assert f"the mask {text.count('[MASK]')} times" in sentence


def test_shards_before_a_bad_row_are_kept(evenhand, exported, write_questions, out) -> None:
    """A row refused in a later shard is named, and the shards that were finished stay."""
    data, ids = write_questions(23, "Nobody is here.")
    words = ["predict", data, "--model", exported("bert", QA), "--out", out]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask, "SHARD_ROWS", 8)
        code, _, stderr = evenhand(*words)
    assert code == 1
    assert ids[23] in stderr
    assert not out.exists()
    shards = sorted(path.name for path in Path(f"{out}.partial").glob("shard-*"))
    assert shards == ["shard-00000.parquet", "shard-00001.parquet"]


def test_bad_row_of_the_first_shard_leaves_no_folder(refused, write_questions) -> None:
    """A row that the trial run did not meet leaves no empty folder of shards behind either."""
    data, ids = write_questions(23, "Nobody is here.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_TRIAL_ROWS", (2,))
        code, sentence = refused(data=data)
    assert code == 1
    assert ids[23] in sentence


def test_benchmark_that_this_version_does_not_know(refused, dataset) -> None:
    """A dataset of a benchmark that is not there is refused before a model reads a row."""
    path = dataset / "evenhand.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "stem": "later"}))
    code, sentence = refused()
    assert code == 1
    assert "later" in sentence
    assert "unqover, bbq, bvf" in sentence
