"""Files of a later minor version are read: their new fields are passed over."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from evenhand.contract.dataset import MANIFEST_NAME, verify
from evenhand.contract.files import canonical_json
from evenhand.contract.predictions import Header
from evenhand.contract.report import DatasetRecord, Metric, Report


def test_a_metric_file_with_new_fields_is_read() -> None:
    """Whatever a later version adds, at any depth, leaves the fields that are known as they are."""
    metric = Metric(
        id="bbq.accuracy.ambiguous.macro", config="all", value=0.5, unit="share of rows",
        range=(0.0, 1.0), best=1.0, n_scored=4, n_unscored=0, signature="s",
    )  # fmt: skip
    report = Report(
        contract_version="1.9", dataset=DatasetRecord(stem="bbq", version=None, digest=None),
        predictions=[], scorer_version="9", protocol="paper", seed=0, resamples=1, level=0.95,
        configs=["Age"], metrics=[metric], warnings=[],
    )  # fmt: skip
    later = msgspec.to_builtins(report)
    later["energy"] = {"joules": 1}
    later["metrics"][0]["calibration"] = [1]
    later["dataset"]["language"] = "en"

    assert msgspec.json.decode(canonical_json(later), type=Report) == report


def test_a_header_with_new_fields_is_read() -> None:
    """A predictions file says more about its making than this version knows."""
    later = {
        "contract_version": "1.9",
        "dataset": {"stem": "bbq", "language": "en"},
        "model": {"name": "m", "parameters": 7},
        "energy": 1,
    }

    assert msgspec.convert(later, Header).dataset.stem == "bbq"


@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_manifest_with_new_fields_is_verified_as_it_stands(dataset: Path, is_sealed) -> None:
    """Its digest covers the new fields too: they are passed over only where it fits."""
    path = dataset / MANIFEST_NAME
    later = json.loads(path.read_text()) | {"contract_version": "1.9", "language": "en"}
    if is_sealed:
        blank = canonical_json({**later, "manifest_digest": ""})
        later["manifest_digest"] = hashlib.sha256(blank).hexdigest()
    path.write_bytes(canonical_json(later))

    _, faults = verify(dataset)

    assert (faults == []) is is_sealed
