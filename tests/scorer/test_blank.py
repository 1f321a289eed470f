"""The blank file for a vendor: written, filled in, checked and scored."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evenhand = Callable[..., tuple[int, str, str]]


@pytest.fixture
def dataset(write_dataset: Callable[..., Path], toy_items: Callable[..., Any]) -> Path:
    """Write a toy class of UnQover."""
    return write_dataset({"toy": toy_items()})


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            return list(csv.DictReader(stream))
        return [json.loads(line) for line in stream]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_filled_file_is_checked_and_scored(
    dataset: Path, evenhand: Evenhand, tmp_path: Path, suffix: str
) -> None:
    """What comes back, with its columns of questions, needs no option and no change."""
    out = tmp_path / f"toy.{suffix}"

    assert evenhand("template", dataset, "--out", out)[0] == 0
    rows = _read(out)
    assert list(rows[0]) == [
        "id", "context", "question", "answer1", "answer2", "score_x1", "score_x2",
    ]  # fmt: skip
    assert len(rows) == 72
    assert not any(row["score_x1"] or row["score_x2"] for row in rows)
    _write(out, [row | {"score_x1": 0.25, "score_x2": 0.5} for row in rows])

    code, table, error = evenhand("check", dataset, out)
    assert code == 0, table + error
    code, _, error = evenhand(
        "score", dataset, "--predictions", out, "--out", tmp_path / "metrics.json"
    )
    assert code == 0, error
    report = json.loads((tmp_path / "metrics.json").read_bytes())
    mean = next(own for own in report["metrics"] if own["id"] == "unqover.mean_score")
    assert mean["value"] == 0.375


def test_the_page_says_what_to_fill_in(dataset: Path, evenhand: Evenhand, tmp_path: Path) -> None:
    """One page names the columns, the dataset's digest and the content warning."""
    out = tmp_path / "toy.jsonl"
    manifest = json.loads((dataset / "evenhand.json").read_bytes())

    evenhand("template", dataset, "--out", out)
    page = (tmp_path / "toy.jsonl.instructions.md").read_text(encoding="utf-8")

    assert "| `score_x1` | **you** |" in page
    assert "| `context` | given |" in page
    assert manifest["content_digest"] in page
    assert f"**Content warning.** {manifest['content_warning']}" in page
    first = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert first["score_x1"] is None


def test_answers_are_never_overwritten_in_silence(
    dataset: Path, evenhand: Evenhand, tmp_path: Path
) -> None:
    """An existing file stays as it is unless --overwrite says otherwise."""
    out = tmp_path / "toy.csv"
    out.write_text("somebody's answers", encoding="utf-8")

    code, _, error = evenhand("template", dataset, "--out", out)

    assert code == 1
    assert "--overwrite" in error
    assert out.read_text(encoding="utf-8") == "somebody's answers"
    assert evenhand("template", dataset, "--overwrite", "--out", out)[0] == 0


def test_configs_that_ask_differently_need_a_file_each(
    write_dataset: Callable[..., Path],
    toy_items: Callable[..., Any],
    toy_masked_items: Callable[..., Any],
    evenhand: Evenhand,
    tmp_path: Path,
) -> None:
    """Questions and masked sentences have other columns, so both at once are refused."""
    masked = toy_masked_items()
    folder = write_dataset({"toy": toy_items(), "toy_mlm": masked}, "both")

    code, _, error = evenhand("template", folder, "--out", tmp_path / "both.csv")

    assert code == 2
    assert "toy and toy_mlm ask different things" in error
    assert list(tmp_path.glob("both.csv*")) == []
    assert evenhand("template", folder, "--config", "toy_mlm", "--out", tmp_path / "m.csv")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--out", "x.xlsx"), "must end in one of .jsonl, .csv"),
        (("--out", "none/x.csv"), "the folder none does not exist"),
        (("--config", "nothing", "--out", "x.csv"), "There is no config nothing"),
        (("--config", "Toy", "--out", "x.csv"), "There is no config Toy (is toy meant?)"),
    ],
)
def test_wrong_use_is_one_sentence(
    dataset: Path, evenhand: Evenhand, arguments: tuple[str, ...], sentence: str
) -> None:
    """Each mistake is named, with exit code 2."""
    code, _, error = evenhand("template", dataset, *arguments)

    assert code == 2
    assert sentence in error


def test_the_same_dataset_gives_the_same_bytes(
    dataset: Path, evenhand: Evenhand, tmp_path: Path
) -> None:
    """Nothing in either file depends on the run."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        evenhand("template", dataset, "--out", tmp_path / name / "toy.csv")

    for file in ("toy.csv", "toy.csv.instructions.md"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
