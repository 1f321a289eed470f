"""A dataset version on disk: what is in it, that it opens, and that it is the same every time."""

import hashlib
import json
import re
import struct
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.dataset import read_manifest, verify
from evenhand.contract.files import canonical_json
from evenhand.contract.unqover import ITEM_COLUMNS, MASKED_ITEM_COLUMNS
from evenhand.generator.build import ConfigRows, Recipe, build, checked_version
from evenhand.generator.digest import column_bytes, files_digest
from evenhand.generator.unqover.card import CARD
from evenhand.generator.yaml_text import yaml_text

NAMES = ("readers", "readers_mlm")


@pytest.fixture
def dataset(content, evenhand, tmp_path: Path) -> Path:
    """Return a version of the small content."""
    code, _, _ = evenhand("generate", "unqover", "--templates", content(), "--out", tmp_path / "v")
    assert code == 0
    return tmp_path / "v"


def test_a_version_holds_what_the_plan_says(dataset: Path) -> None:
    """Card, manifest, statistics, and one folder a config; `verify` finds no fault."""
    names = sorted(path.relative_to(dataset).as_posix() for path in dataset.rglob("*.*"))

    assert names == [
        "README.md",
        "croissant.json",
        "evenhand.json",
        "readers/test-00000-of-00001.parquet",
        "readers_mlm/test-00000-of-00001.parquet",
        "statistics.json",
    ]
    manifest, faults = verify(dataset)
    assert faults == []
    assert (manifest.stem, manifest.version, manifest.seed) == ("unqover", "1.0.0", 0)
    assert manifest.configs["readers"]["test"].rows == 3 * 2 * 2 * 4
    assert manifest.configs["readers_mlm"]["test"].examples == 1 * 2 * 2


def test_statistics_count_what_is_in_the_rows(dataset: Path) -> None:
    """Three subjects, two attributes of two categories, two templates."""
    counts = json.loads((dataset / "statistics.json").read_text())["configs"]["readers"]

    words = counts.pop("vocabulary")
    assert counts == {
        "rows": 48,
        "examples": 12,
        "templates": 2,
        "pairs": 3,
        "subjects": {"total": 3, "by_group": {"none": 3}},
        "attributes": {
            "total": 2,
            "by_kind": {"person": 2},
            "by_category": {"manners": 1, "honesty": 1},
        },
    }
    expected = sorted(
        [
            "a",
            "an",
            "evening",
            "left-wing",
            "lied",
            "met",
            "polite",
            "reader",
            "readers",
            "rude",
            "several",
            "tabloid",
            "the",
            "told",
            "truth",
            "was",
            "were",
            "who",
        ]
    )
    assert words["words"] == len(expected)
    assert words["sha256"] == hashlib.sha256(canonical_json(expected)).hexdigest()


@pytest.mark.parametrize(
    ("name", "columns"), [("readers", ITEM_COLUMNS), ("readers_mlm", MASKED_ITEM_COLUMNS)]
)
def test_columns_are_plain_strings_for_every_reader(
    dataset: Path, name: str, columns: tuple[str, ...]
) -> None:
    """Stored by dictionary and compressed with zstd, read back as strings without any option."""
    path = dataset / name / "test-00000-of-00001.parquet"

    schema = pq.read_schema(path)
    frame = pl.read_parquet(path)

    assert schema.names == list(columns)
    assert schema.metadata is None
    assert {str(schema.field(name).type) for name in columns if name != "order"} == {"string"}
    assert str(schema.field("order").type) == "int64"
    assert frame["x1"].dtype == pl.String
    column = pq.ParquetFile(path).metadata.row_group(0).column(columns.index("x1"))
    assert column.compression == "ZSTD"
    assert "RLE_DICTIONARY" in column.encodings


def test_datasets_opens_every_config(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`load_dataset(DIR, CONFIG)` works from disk with the network cut."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import Value, load_dataset

    for name in NAMES:
        rows = load_dataset(str(dataset), name, split="test", cache_dir=str(tmp_path / "cache"))
        assert rows.num_rows == {"readers": 48, "readers_mlm": 16}[name]
        assert rows.features["group1"] == Value("string")
        assert rows[0]["id"] == f"{name}-t00-tabloid-evening-rude-pos-12"


def test_a_second_run_gives_the_same_bytes(content, evenhand, tmp_path: Path) -> None:
    """Same input, same bytes: every file, the manifest among them."""
    folder = content()
    for name in ("one", "two"):
        evenhand("generate", "unqover", "--templates", folder, "--out", tmp_path / name)

    for path in (tmp_path / "one").rglob("*.*"):
        twin = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == twin.read_bytes(), path.name


def test_the_content_digest_is_the_one_of_the_contract(dataset: Path) -> None:
    """Lengths and values of each column, written out the long way, give the manifest's digest."""
    rows = pl.read_parquet(dataset / "readers/*.parquet")
    columns = []
    for name in rows.columns:
        lengths, values = hashlib.sha256(), hashlib.sha256()
        for value in rows[name].to_list():
            if name == "order":
                lengths.update(struct.pack("<q", 1))
                values.update(struct.pack("<q", value))
            else:
                lengths.update(struct.pack("<q", -1 if value is None else len(value.encode())))
                values.update((value or "").encode())
        columns.append([name, lengths.hexdigest(), values.hexdigest()])
    expected = hashlib.sha256(canonical_json({"rows": 48, "columns": columns})).hexdigest()

    manifest = read_manifest(dataset)

    assert manifest.configs["readers"]["test"].content_digest == expected
    paths = [str(path) for path in (dataset / "readers").glob("*.parquet")]
    assert files_digest(paths, rows.columns).hexdigest() == expected


@pytest.mark.parametrize(
    ("array", "lengths", "values"),
    [
        (pa.array(["é", None, ""]), [2, -1, 0], "é".encode()),
        (pa.array(["x", "é", None, ""]).slice(1, 2), [2, -1], "é".encode()),
        (pa.array(["b", "a", None, "b"]).dictionary_encode(), [1, 1, -1, 1], b"bab"),
        (pa.array(["a"], pa.large_string()), [1], b"a"),
        (pa.array([], pa.string()), [], b""),
        (pa.array([None], pa.string()), [-1], b""),
        (pa.array([12, None], pa.int8()), [1, 0], struct.pack("<qq", 12, 0)),
        (pa.array([True, False]), [1, 1], struct.pack("<qq", 1, 0)),
        (pa.array([0.5, None], pa.float32()), [1, 0], struct.pack("<dd", 0.5, 0.0)),
    ],
)
def test_each_type_of_column_feeds_its_bytes(array: pa.Array, lengths: list, values: bytes) -> None:
    """Strings by length and bytes with -1 for null; numbers as eight bytes, 0 for null."""
    found_lengths, found_values = column_bytes(array)

    assert bytes(found_lengths) == struct.pack(f"<{len(lengths)}q", *lengths)
    assert bytes(found_values) == values


def test_bytes_behind_a_null_are_not_content() -> None:
    """A null row may point at bytes; they are left out."""
    plain = pa.array(["secret", "b"])
    hiding = pa.Array.from_buffers(
        pa.string(), 2, [pa.py_buffer(b"\x02"), *plain.buffers()[1:]], null_count=1
    )

    lengths, values = column_bytes(hiding)

    assert (bytes(lengths), bytes(values)) == (struct.pack("<qq", -1, 1), b"b")


def test_a_large_config_is_written_in_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file takes whole batches until it is full; names count from zero to their number."""
    monkeypatch.setattr("evenhand.generator.build.MAX_SHARD_ROWS", 8)
    tables = [pa.table({"id": [f"{n}-{i}" for i in range(4)]}) for n in range(5)]
    counts = {"rows": 20, "examples": 5, "templates": 1}
    statistics = {**counts, "subjects": {"total": 2}, "attributes": {"total": 1}}
    config = ConfigRows(
        name="c", n_rows=20, n_examples=5, batches=lambda: iter(tables), statistics=statistics
    )
    recipe = Recipe(card=CARD, version="1.0.0", seed=0, provenance={}, construction=[])

    build(tmp_path / "v", recipe, [config], overwrite=False)

    paths = sorted((tmp_path / "v/c").iterdir())
    assert [path.name for path in paths] == [f"test-0000{i}-of-00003.parquet" for i in range(3)]
    assert [pq.read_metadata(path).num_rows for path in paths] == [8, 8, 4]
    assert verify(tmp_path / "v")[1] == []


def test_nothing_is_left_when_rendering_fails(content, evenhand, tmp_path: Path) -> None:
    """A fault in the second class leaves no folder, not even a part of one."""
    bad = "key\tword\tsource\na\tTabloid\tours\nb\treader\tours\n"
    folder = content(subjects_readers=bad)

    code, out, err = evenhand(
        *("generate", "unqover", "--templates", folder, "--out", tmp_path / "out" / "v")
    )

    assert (code, out) == (1, "")
    assert "the subject `b` (`reader`) stands 3 times" in err
    assert list(tmp_path.glob("out/**/*")) == []


def test_a_folder_that_is_there_is_refused(dataset: Path, content, evenhand) -> None:
    """It stays as it is, unless --overwrite is given."""
    before = (dataset / "evenhand.json").read_bytes()

    code, _, err = evenhand("generate", "unqover", "--config", "religion", "--out", dataset)

    assert code == 1
    assert re.fullmatch(f"evenhand: .*{dataset} exists; .*--overwrite .*--out.*\\.\n", err)
    assert (dataset / "evenhand.json").read_bytes() == before
    code, _, _ = evenhand(
        *("generate", "unqover", "--config", "religion_mlm", "--limit", 3),
        *("--overwrite", "--out", dataset),
    )
    assert code == 0
    assert list(read_manifest(dataset).configs) == ["religion_mlm"]


def test_a_limit_keeps_complete_examples(evenhand, tmp_path: Path) -> None:
    """N examples a config, all four rows of each, and the version says that it is a sample."""
    code, _, err = evenhand(
        *("generate", "unqover", "--config", "religion", "--config", "ethnicity"),
        *("--limit", 30, "--seed", 7, "--version", "1.2.0", "--out", tmp_path / "v"),
    )

    manifest = read_manifest(tmp_path / "v")
    rows = pl.read_parquet(tmp_path / "v/religion/*.parquet")
    examples = rows.group_by(pl.col("id").str.replace(r"-(pos|neg)-(12|21)$", "")).len()

    assert code == 0
    assert "religion: 120 rows, 30 examples\n" in err
    assert (manifest.version, manifest.seed) == ("1.2.0+sample.30.7", 7)
    assert manifest.configs["religion"]["test"].examples == 30
    assert (rows.height, examples.height) == (120, 30)
    assert examples["len"].to_list() == [4] * 30
    assert rows["template"].n_unique() == 14
    assert rows["attribute"].n_unique() == 30
    assert pl.concat([rows["x1"], rows["x2"]]).n_unique() == 11


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.0+x"])
def test_a_version_has_three_numbers(version: str) -> None:
    """Anything else is wrong use."""
    with pytest.raises(WrongUse, match=rf"{re.escape(version)} .*MAJOR\.MINOR\.PATCH"):
        checked_version(version)


def test_the_card_says_what_a_reader_must_know(dataset: Path) -> None:
    """The warning comes first; YAML for the Hub has configs, features and sizes; counts follow."""
    import yaml

    text = (dataset / "README.md").read_text()
    _, front, body = text.split("---\n", 2)
    data = yaml.safe_load(front)

    assert data["license"] == "apache-2.0"
    assert data["size_categories"] == ["n<1K"]
    assert [config["config_name"] for config in data["configs"]] == list(NAMES)
    assert data["configs"][0]["data_files"] == [{"split": "test", "path": "readers/test-*.parquet"}]
    info = data["dataset_info"][0]
    assert [feature["name"] for feature in info["features"]] == list(ITEM_COLUMNS)
    assert info["splits"][0]["num_examples"] == 48
    assert body.index("**Content warning.**") < body.index("## Configs")
    assert "| readers | 48 | 12 | 2 | 3 | 2 |" in body
    assert "a user's templates" in body


def test_texts_in_yaml_are_read_back_as_they_were() -> None:
    """Quotes, colons, hashes and nesting survive a YAML reader."""
    import yaml

    value = {
        "a": ['"x": y # z', "é", "no", "1e3", "2026-01-01"],
        "b": [{"c": [{"d": 1, "e": None}]}],
        "f": {"g": "- h"},
    }

    assert yaml.safe_load(yaml_text(value)) == value


def test_rows_that_were_not_announced_are_a_fault_of_ours(tmp_path: Path) -> None:
    """Counts come before the rows; if they differ, nothing is written."""
    config = ConfigRows(
        name="c",
        n_rows=8,
        n_examples=2,
        batches=lambda: iter([pa.table({"id": ["a"]})]),
        statistics={},
    )
    recipe = Recipe(card=CARD, version="1.0.0", seed=0, provenance={}, construction=[])

    with pytest.raises(RuntimeError, match="c: 8 rows "):
        build(tmp_path / "v", recipe, [config], overwrite=False)
    assert not (tmp_path / "v").exists()
    with pytest.raises(DataRefused, match="v is not a folder"):
        read_manifest(tmp_path / "v")
