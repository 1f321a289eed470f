"""The card: YAML that the Hub and `datasets` read, and a folder that every reader opens."""

import dataclasses
import json
import re
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import yaml

from evenhand.contract import STEMS
from evenhand.contract.cli import main
from evenhand.contract.dataset import Licence, SplitEntry, read_manifest
from evenhand.generator.benchmark import benchmark
from evenhand.generator.card import (
    Card,
    Edition,
    Publication,
    card_text,
    front_matter,
    size_category,
)
from evenhand.generator.config_summary import ConfigSummary
from evenhand.generator.evaluation import evaluation_yaml
from evenhand.generator.lists import describe_sources

# The values that the Hub's card specification allows for these fields.
CREATORS = {"crowdsourced", "found", "expert-generated", "machine-generated", "no-annotation"}
TASK_IDS = {
    *("extractive-qa", "multiple-choice-qa", "masked-language-modeling", "language-modeling"),
    *("semantic-similarity-scoring", "natural-language-inference", "multi-class-classification"),
}
CATEGORIES = {
    *("question-answering", "multiple-choice", "fill-mask", "text-generation"),
    *("text-classification", "sentence-similarity"),
}


def card(**changed: object) -> Card:
    """Return a card of a made-up benchmark."""
    words = ("stem", "name", "content_warning", "summary", "measures", "rows", "scoring")
    lists = ("languages", "tags", "task_categories", "limits")
    return Card(
        **{
            **{name: f"{name} text" for name in words},
            **{name: (f"{name} one",) for name in lists},
            "licence": Licence(id="mit", name="MIT License", link="https://opensource.org/mit"),
            "citation": "@misc{x}",
            **changed,
        }
    )


def edition(of: Card | None = None, **changed: object) -> Edition:
    """Return a version of the made-up benchmark with one config."""
    summary = ConfigSummary(
        name="c",
        features=[{"name": "id", "dtype": "string"}, {"name": "words", "list": "string"}],
        split=SplitEntry(rows=4, examples=1, content_digest="d"),
        content_bytes=90,
        file_bytes=50,
        statistics={"rows": 4, "examples": 1, "templates": 1},
        first_row={"id": "c-0", "words": ["one", "a|b"]},
    )
    given = {
        "card": of or card(),
        "version": "1.0.0",
        "seed": 3,
        "construction": ["Made by hand."],
        "provenance": {"made_by": "generate"},
        "configs": [summary],
    }
    return Edition(**{**given, **changed})


@pytest.mark.parametrize("stem", STEMS)
def test_the_hubs_client_reads_the_card(small_versions, stem: str) -> None:
    """`DatasetCard.load` gives every field that the Hub shows, with values that it allows."""
    from huggingface_hub import DatasetCard

    data = DatasetCard.load(small_versions[stem] / "README.md").data.to_dict()

    assert data["license"] == read_manifest(small_versions[stem]).licence.id
    assert data["pretty_name"] == benchmark(stem).card.CARD.name
    assert (data["language"], data["multilinguality"]) == (["en"], ["monolingual"])
    assert set(data["annotations_creators"]) | set(data["language_creators"]) <= CREATORS
    assert set(data["task_categories"]) <= CATEGORIES
    assert set(data["task_ids"]) <= TASK_IDS
    assert data["source_datasets"] == ["original"]
    assert {"bias", "evenhand", stem} <= set(data["tags"])
    assert [one.get("default") for one in data["configs"]].count(True) == 1
    assert data["configs"][0]["default"] is True


@pytest.mark.parametrize("stem", STEMS)
def test_datasets_own_reader_agrees_with_the_files(small_versions, stem: str, monkeypatch) -> None:
    """Features, counts and bytes on the card are those that `datasets` finds in the Parquet."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import Features
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCard

    infos = DatasetInfosDict.from_dataset_card_data(
        DatasetCard.load(small_versions[stem] / "README.md").data
    )

    manifest = read_manifest(small_versions[stem])
    assert set(infos) == set(manifest.configs)
    for name, info in infos.items():
        paths = sorted((small_versions[stem] / name).glob("*.parquet"))
        assert Features.from_arrow_schema(pq.read_schema(paths[0])) == info.features
        assert info.splits["test"].num_examples == manifest.configs[name]["test"].rows
        assert info.download_size == sum(path.stat().st_size for path in paths)
        assert info.dataset_size == info.splits["test"].num_bytes > 0


@pytest.mark.parametrize("stem", STEMS)
def test_the_bytes_on_the_card_are_those_that_datasets_counts(
    small_versions, stem: str, tmp_path: Path, monkeypatch
) -> None:
    """`num_bytes` is what `datasets` finds when it prepares the rows itself, to the byte."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset_builder

    for name in read_manifest(small_versions[stem]).configs:
        folder = str(small_versions[stem])
        builder = load_dataset_builder(folder, name, cache_dir=str(tmp_path))
        said = builder.info.splits["test"].num_bytes
        builder.download_and_prepare()

        assert builder.info.splits["test"].num_bytes == said


@pytest.mark.parametrize("stem", STEMS)
def test_a_table_shows_every_column_once_with_its_first_value(small_versions, stem: str) -> None:
    """Below it stands which configs alone have a column; what Markdown reads is escaped."""
    text = (small_versions[stem] / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## Rows\n")[2].partition("\n## ")[0]
    cells = [
        re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("|")
    ]
    shown = {row[0].split("`")[1]: [cell.strip() for cell in row] for row in cells[2:]}
    configs = [one["config_name"] for one in yaml.safe_load(text.split("---\n")[1])["configs"]]
    frames = [pl.read_parquet(small_versions[stem] / name / "*.parquet") for name in configs]

    assert len(shown) == len(cells) - 2
    assert list(shown) == list(dict.fromkeys(name for frame in frames for name in frame.columns))
    first = frames[0].row(0, named=True)
    assert shown["id"] == ["`id`", "string", first["id"].replace("_", r"\_")]
    for name in shown:
        having = [one for one, frame in zip(configs, frames, strict=True) if name in frame.columns]
        start = f"- Only in {', '.join(f'`{one}`' for one in having)}: "
        lines = [line for line in section.splitlines() if line.startswith(start)]
        assert (len(having) < len(configs)) == any(f"`{name}`" in line for line in lines)


def test_counts_end_with_the_sums_that_make_sense() -> None:
    """Rows and examples add up; templates may be shared; what no config has is left out."""
    one = edition().configs[0]
    counts = {
        "rows": 4,
        "examples": 1,
        "templates": 7,
        "groups": {"total": 2},
        "lost": {"total": 0},
    }
    two = [dataclasses.replace(one, name=name, statistics=counts) for name in ("c", "d")]

    text = card_text(edition(configs=two))

    assert "| config | rows | examples | templates | groups |\n" in text
    assert "| d | 4 | 1 | 7 | 2 |\n| all | 8 | 2 |  |  |\n" in text
    assert "| all |" not in card_text(edition())


def test_the_sources_of_the_lists_stand_on_the_card(small_versions, tmp_path: Path) -> None:
    """By host or work, with counts; a list without sources says nothing."""
    texts = {
        stem: (small_versions[stem] / "README.md").read_text(encoding="utf-8") for stem in STEMS
    }
    (tmp_path / "a.tsv").write_text(
        "# ours\nword\tsource\na\thttps://www.x.org/y (lists it)\nb\tLi et al. 2020, page 2\n"
        "c\thttp://x.org\nd\t\n"
    )
    (tmp_path / "b.tsv").write_text("word\na\n")

    assert "Sources of `subjects/religions.tsv`: legacy.pewresearch.org (8), " in texts["unqover"]
    assert ": plain English (" in texts["bbq"]
    assert ": BVF (2024) (" in texts["bvf"]
    assert describe_sources([tmp_path / "a.tsv", tmp_path / "b.tsv"]) == (
        "x.org (2), Li et al. 2020 (1), not named (1)"
    )


@pytest.mark.parametrize("stem", STEMS)
def test_every_reader_opens_every_config(
    small_versions, stem: str, tmp_path: Path, monkeypatch
) -> None:
    """`datasets`, pandas, polars and DuckDB read the same rows from the folder."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import duckdb
    import pandas as pd
    from datasets import load_dataset

    for name in read_manifest(small_versions[stem]).configs:
        pattern = small_versions[stem] / name / "*.parquet"
        rows = pl.read_parquet(pattern).to_dicts()
        loaded = load_dataset(
            str(small_versions[stem]), name, split="test", cache_dir=str(tmp_path)
        )
        framed = pd.concat(pd.read_parquet(path) for path in sorted(pattern.parent.iterdir()))
        queried = duckdb.sql(f"select * from read_parquet('{pattern}')")  # noqa: S608

        assert loaded.to_list() == rows
        assert framed["id"].tolist() == [row["id"] for row in rows]
        assert [dict(zip(queried.columns, row, strict=True)) for row in queried.fetchall()] == rows


def test_the_default_config_is_the_first(small_versions, tmp_path: Path, monkeypatch) -> None:
    """`load_dataset(DIR)` without a config opens it."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset

    rows = load_dataset(str(small_versions["unqover"]), split="test", cache_dir=str(tmp_path))

    assert rows[0]["id"].startswith("gender_occupation-")


@pytest.mark.parametrize("stem", STEMS)
def test_a_version_is_the_same_bytes_every_time(small_versions, stem: str, tmp_path: Path) -> None:
    """Card, Croissant, statistics, registration and manifest hold no time and no place."""
    config = next(iter(read_manifest(small_versions[stem]).configs))
    words = ["generate", stem, "--limit", "3", "--config", config, "--out"]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        assert main([*words, str(folder)]) == 0

    one, two = ({p.relative_to(f): p for p in f.rglob("*") if p.is_file()} for f in folders)
    assert {name: p.read_bytes() for name, p in one.items()} == {
        name: p.read_bytes() for name, p in two.items()
    }


def test_the_warning_comes_first_and_all_sections_follow() -> None:
    """A reader meets the warning before any row, and limits before the commands."""
    text = card_text(edition(known_faults=("Two rows are the same.",)))
    body = text.split("---\n", 2)[2]

    assert body.lstrip().startswith(
        "# name text 1.0.0\n\n> **Content warning.** content_warning text"
    )
    headings = [line[3:] for line in body.splitlines() if line.startswith("## ")]
    assert headings == [
        *("Configs", "Rows", "What it measures, and what it does not", "How it was made"),
        *("Loading", "Scoring", "Known faults", "Use, people and versions"),
        "Licence and citation",
    ]
    assert "- Two rows are the same." in body
    assert "- Seed 3; generator " in body
    assert "| `words` | list of string | one; a\\|b |\n" in body
    assert "\n\n\n" not in body


def test_without_known_faults_the_card_says_so() -> None:
    """No empty section."""
    assert "## Known faults\n\nNone are known.\n" in card_text(edition())


def test_another_licence_goes_with_name_and_link() -> None:
    """The Hub asks for both where the id is `other`."""
    other = Licence(id="other", name="My Terms", link="https://example.org/terms")

    data = front_matter(edition(card(licence=other)))

    assert (data["license"], data["license_name"]) == ("other", "my-terms")
    assert data["license_link"] == "https://example.org/terms"
    assert "license_name" not in front_matter(edition())


def test_consent_is_asked_for_where_wanted() -> None:
    """`--gated` puts the prompt and two boxes into the YAML, which reads back as it was."""
    gated = edition(publication=Publication(gated=True))

    data = yaml.safe_load(card_text(gated).split("---\n")[1])

    assert data["extra_gated_prompt"] == card().gated_prompt
    assert set(data["extra_gated_fields"].values()) == {"checkbox"}
    assert data == front_matter(gated)
    assert "extra_gated_prompt" not in front_matter(edition())


def test_an_import_names_what_it_extends() -> None:
    """The rows of a release are not ours."""
    imported = edition(provenance={"made_by": "import", "files": {"a.jsonl": "0" * 64}})

    assert front_matter(imported)["source_datasets"] == ["extended|other-stem text"]
    assert " 1 file of the release; " in card_text(imported)


def test_the_repository_is_named_where_it_is_known() -> None:
    """Commands of the card load and score the tag of this version."""
    text = card_text(edition(publication=Publication(repo="org/name")))

    assert '"org/name", "c", split="test", revision="1.0.0"' in text
    assert "evenhand pull org/name@1.0.0\n" in text
    assert "evenhand score org/name@1.0.0 --predictions" in text


@pytest.mark.parametrize(
    ("rows", "name"),
    [(1, "n<1K"), (999_999, "100K<n<1M"), (1_000_000, "1M<n<10M"), (10_000_000, "10M<n<100M")],
)
def test_sizes_have_the_hubs_names(rows: int, name: str) -> None:
    """The upper bound belongs to the next class."""
    assert size_category(rows) == name


def test_bbq_is_registered_for_inspect(small_versions) -> None:
    """`eval.yaml` has what the Hub asks for, and names columns that are there."""
    registered = yaml.safe_load((small_versions["bbq"] / "eval.yaml").read_text())
    columns = pl.read_parquet_schema(next((small_versions["bbq"] / "Age").glob("*.parquet")))

    assert set(registered) == {"name", "description", "evaluation_framework", "tasks"}
    assert registered["evaluation_framework"] == "inspect-ai"
    tasks = registered["tasks"]
    assert {task["config"] for task in tasks} == set(read_manifest(small_versions["bbq"]).configs)
    assert len({task["id"] for task in tasks}) == len(tasks)
    spec = tasks[0]["field_spec"]
    assert {spec["input"], spec["target"], *spec["choices"], *spec["metadata"]} <= set(columns)
    assert [solver["name"] for solver in tasks[0]["solvers"]] == [
        *("prompt_template", "multiple_choice")
    ]
    assert tasks[0]["scorers"] == [{"name": "choice"}]


def test_no_framework_is_claimed_that_cannot_ask_the_rows(small_versions) -> None:
    """Nothing on the Hub's list reads UnQover's spans, so nothing is registered unasked."""
    assert not (small_versions["unqover"] / "eval.yaml").exists()
    named = evaluation_yaml(edition(publication=Publication(framework="ours")))
    assert named is not None
    registered = yaml.safe_load(named)

    assert registered["evaluation_framework"] == "ours"
    assert registered["tasks"] == [{"id": "stem text_c", "config": "c", "split": "test"}]


def test_options_of_publication_reach_the_files(evenhand, tmp_path: Path) -> None:
    """`--repo`, `--gated`, `--date` and `--register` change words only, never a row."""
    options = ("--repo", "org/name", "--gated", "--date", "2026-11-30", "--register", "ours")
    plain = ("generate", "unqover", "--config", "religion", "--limit", 2)
    evenhand(*plain, "--out", tmp_path / "plain")
    code, _, _ = evenhand(*plain, *options, "--out", tmp_path / "v")

    croissant = json.loads((tmp_path / "v/croissant.json").read_text())
    assert code == 0
    assert croissant["datePublished"] == "2026-11-30"
    assert croissant["url"] == "https://huggingface.co/datasets/org/name"
    assert "extra_gated_prompt" in (tmp_path / "v/README.md").read_text()
    assert (tmp_path / "v/eval.yaml").exists()
    digests = [read_manifest(tmp_path / name).content_digest for name in ("plain", "v")]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--repo", "name", "name is not .*; org/name "),
        ("--repo", "../x/y", r"\.\./x/y is not .*; org/name "),
        ("--date", "2026-13-01", "--date: 2026-13-01 "),
    ],
)
def test_wrong_options_of_publication_are_refused(
    evenhand, tmp_path: Path, option: str, value: str, said: str
) -> None:
    """Wrong use; nothing is written."""
    code, _, err = evenhand(
        "generate", "unqover", "--limit", 1, option, value, "--out", tmp_path / "v"
    )

    assert code == 2
    assert re.search(said, err)
    assert not (tmp_path / "v").exists()


def test_every_card_names_its_paper_and_its_limits() -> None:
    """What a benchmark does not show is said at least four times, and the paper is linked."""
    for stem in STEMS:
        one = benchmark(stem).card.CARD
        assert len(one.limits) >= 4
        assert one.paper.startswith("https://")
        assert one.task_ids
        blank = [field.name for field in dataclasses.fields(one) if getattr(one, field.name) == ""]
        assert blank == []
