"""`list`, `show`, `generate` and `import` from the command line."""

import json
from collections import Counter
from pathlib import Path

import pytest


def test_list_names_every_config_with_its_size(evenhand) -> None:
    """Eight configs of UnQover, eleven of BBQ, four of BVF, each with its counts."""
    code, out, _ = evenhand("list", "--format", "json")
    rows = {(row["benchmark"], row["config"]): row for row in json.loads(out)}

    assert code == 0
    counts = Counter(benchmark for benchmark, _ in rows)
    assert counts == {"unqover": 8, "bbq": 11, "bvf": 4}
    assert rows["unqover", "gender_occupation"] == {
        "benchmark": "unqover",
        "config": "gender_occupation",
        "rows": 5_488_000,
        "examples": 1_372_000,
        "templates": 4,
        "subjects": 140,
        "attributes": 70,
    }


def test_list_as_a_table_groups_its_digits(evenhand) -> None:
    """The table is for people."""
    assert "5,488,000  1,372,000" in evenhand("list")[1]


def test_show_prints_complete_examples(evenhand) -> None:
    """A table of texts; the smallest config where none is named."""
    code, out, err = evenhand("show", "unqover")

    lines = out.splitlines()
    assert (code, err, len(lines)) == (0, "", 9)
    assert lines[0].split() == ["polarity", "order", "context", "question"]
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["pos", "12"],
        ["pos", "21"],
        ["neg", "12"],
        ["neg", "21"],
    ]


def test_show_as_jsonl_has_all_columns(evenhand, content) -> None:
    """Rows as they would be written, of one's own templates too."""
    folder = content()
    code, out, _ = evenhand(
        *("show", "unqover", "--templates", folder, "--rows", 5, "--format", "jsonl")
    )

    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert len(rows) == 5
    assert rows[0]["class"] == "readers"


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["--config", "etnicity"], 2, "Did you mean ethnicity?"),
        (["--config", "religion", "--version", "1.0"], 2, "--version 1.0 "),
        (["--limit", "0"], 2, "--limit: 0 is not"),
        (["--header", "bbc"], 2, "--header bbc is not"),
        (["--templates", "nowhere"], 1, "nowhere is not a folder; --templates "),
        (["--config", "religion_mlm", "--tokenizer", "nowhere"], 1, "nowhere does not exist"),
    ],
)
def test_generate_refuses_in_one_sentence(
    evenhand, tmp_path: Path, words: list[str], code: int, expected: str
) -> None:
    """Wrong use is 2, refused data is 1, and nothing is written."""
    found, out, err = evenhand("generate", "unqover", *words, "--out", tmp_path / "v")

    assert (found, out) == (code, "")
    assert expected in err
    assert list(tmp_path.iterdir()) == []


def test_generate_prints_its_digest_and_reports_on_stderr(evenhand, tmp_path: Path) -> None:
    """The digest that goes to stdout is the one that `verify --expect` takes."""
    code, out, err = evenhand(
        *("generate", "unqover", "--config", "religion", "--limit", 5, "--out", tmp_path / "v")
    )
    digest = out.removeprefix("manifest_digest ").strip()

    assert code == 0
    assert err == (
        f"religion: 20 rows, 5 examples\n{tmp_path / 'v'}: unqover 1.0.0+sample.5.0 is complete\n"
    )
    assert evenhand("verify", tmp_path / "v", "--expect", digest)[0] == 0


def test_progress_is_a_bar_on_a_terminal(
    evenhand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal rows are counted in a bar; the lines of a log are printed above it."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")

    code, out, err = evenhand(
        *("generate", "unqover", "--config", "religion", "--limit", 5, "--out", tmp_path / "v")
    )

    assert code == 0
    assert out.startswith("manifest_digest ")
    assert "religion: 20 rows, 5 examples" in err
    assert "\x1b[" in err
