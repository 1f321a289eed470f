"""`croissant.json`: valid without a network, true about the files, and readable by mlcroissant."""

import hashlib
import json
from pathlib import Path

import mlcroissant as mlc
import polars as pl
import pyarrow as pa
import pytest

from evenhand.contract import STEMS
from evenhand.generator.benchmark import benchmark
from evenhand.generator.build import ConfigRows, Recipe, build

# mlcroissant reads JSON-LD through a class of rdflib that rdflib has renamed.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")

RAI = {
    *("rai:dataBiases", "rai:dataLimitations", "rai:personalSensitiveInformation"),
    *("rai:dataUseCases", "rai:dataCollection", "rai:dataCollectionType"),
    *("rai:dataCollectionMissingData", "rai:dataPreprocessingProtocol", "rai:dataSocialImpact"),
    *("rai:dataAnnotationProtocol", "rai:dataReleaseMaintenancePlan"),
}


def described(folder: Path) -> dict:
    """Return the file as plain JSON."""
    return json.loads((folder / "croissant.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("stem", STEMS)
def test_mlcroissant_finds_no_error(small_versions, stem: str) -> None:
    """No error, and no advice but the one about the date, which is given by `--date` alone."""
    dataset = mlc.Dataset(jsonld=small_versions[stem] / "croissant.json")

    issues = dataset.metadata.ctx.issues
    assert issues.errors == set()
    assert len(issues.warnings) == 1
    assert "datePublished" in next(iter(issues.warnings))


@pytest.mark.parametrize("stem", STEMS)
def test_what_is_asked_of_responsible_ai_is_there(small_versions, stem: str) -> None:
    """Use, limits, biases, people and upkeep are said; versions of both vocabularies are named."""
    data = described(small_versions[stem])

    assert set(data) >= RAI
    assert data["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert set(benchmark(stem).card.CARD.use_cases) == set(data["rai:dataUseCases"])
    assert "datePublished" not in data


@pytest.mark.parametrize("stem", STEMS)
def test_every_file_is_named_with_its_digest(small_versions, stem: str) -> None:
    """sha256 and size are those of the file; every config is a record set with all its columns."""
    folder = small_versions[stem]
    data = described(folder)

    files = {one["contentUrl"]: one for one in data["distribution"]}
    paths = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*.parquet")}
    assert files.keys() == paths.keys()
    for name, path in paths.items():
        assert files[name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert files[name]["contentSize"] == f"{path.stat().st_size} B"
    for records in data["recordSet"]:
        schema = pl.read_parquet_schema(next((folder / records["name"]).glob("*.parquet")))
        assert [field["name"] for field in records["field"]] == list(schema)


# mlcroissant calls pandas in a way that the next pandas drops.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_mlcroissant_reads_the_rows(small_versions) -> None:
    """The fields lead to the columns: the records are the rows."""
    dataset = mlc.Dataset(jsonld=small_versions["unqover"] / "croissant.json")

    records = list(dataset.records("religion"))

    rows = pl.read_parquet(small_versions["unqover"] / "religion/*.parquet").to_dicts()
    assert [record["religion/id"].decode() for record in records] == [row["id"] for row in rows]
    assert [record["religion/order"] for record in records] == [row["order"] for row in rows]


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_several_files_of_a_config_are_one_record_set(tmp_path: Path, monkeypatch) -> None:
    """A config in three files has a digest a file and one set of records over all."""
    monkeypatch.setattr("evenhand.generator.build.MAX_SHARD_ROWS", 8)
    tables = [
        pa.table({"id": [f"{n}-{i}" for i in range(4)], "share": [0.5] * 4, "kind": [["a"]] * 4})
        for n in range(5)
    ]
    counts = {"rows": 20, "examples": 5, "templates": 1}
    config = ConfigRows(
        name="c", n_rows=20, n_examples=5, batches=lambda: iter(tables), statistics=counts
    )
    recipe = Recipe(
        card=benchmark("unqover").card.CARD,
        version="1.0.0",
        seed=0,
        provenance={},
        construction=["By hand."],
    )
    build(tmp_path / "v", recipe, [config], overwrite=False)

    dataset = mlc.Dataset(jsonld=tmp_path / "v/croissant.json")

    assert dataset.metadata.ctx.issues.errors == set()
    assert [one.id for one in dataset.metadata.file_sets] == ["c-files"]
    assert len(dataset.metadata.file_objects) == 3
    types = {field.name: field for field in dataset.metadata.record_sets[0].fields}
    assert types["share"].data_types == [mlc.DataType.FLOAT]
    assert types["kind"].is_array
    ids = [record["c/id"].decode() for record in dataset.records("c")]
    assert ids == [f"{n}-{i}" for n in range(5) for i in range(4)]
