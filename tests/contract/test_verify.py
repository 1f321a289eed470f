"""`evenhand verify` finds and names every departure from the manifest."""

import json
from pathlib import Path

import pytest

from evenhand.contract.cli import main
from evenhand.contract.dataset import MANIFEST_NAME, Manifest, read_manifest, sealed, verify
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import canonical_json

FILES = [
    MANIFEST_NAME,
    "README.md",
    "statistics.json",
    "religion/test-00000-of-00001.parquet",
]


def test_a_true_folder_has_no_faults(dataset: Path) -> None:
    """A folder as it was written passes."""
    manifest, faults = verify(dataset)

    assert faults == []
    assert manifest.configs["religion"]["test"].rows == 4


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("position", [0, 7, -2])
def test_one_flipped_byte_in_any_file_is_found_and_named(
    dataset: Path, name: str, position: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever byte of whichever file is flipped, the command refuses and names that file."""
    content = bytearray((dataset / name).read_bytes())
    content[position] ^= 1
    (dataset / name).write_bytes(content)

    code = main(["verify", str(dataset)])

    assert code == 1
    assert name in capsys.readouterr().err


def test_every_byte_of_the_manifest_counts(dataset: Path) -> None:
    """No byte of the manifest can be flipped unnoticed."""
    original = (dataset / MANIFEST_NAME).read_bytes()
    unnoticed = []
    for position in range(len(original)):
        content = bytearray(original)
        content[position] ^= 1
        (dataset / MANIFEST_NAME).write_bytes(content)
        try:
            faults = verify(dataset)[1]
        except DataRefused as error:
            faults = [str(error)]
        if not any(MANIFEST_NAME in fault for fault in faults):
            unnoticed.append(position)

    assert unnoticed == []


def test_all_faults_are_listed_at_once(dataset: Path) -> None:
    """A missing, a shortened and an added file stand in one list."""
    (dataset / "README.md").unlink()
    (dataset / "statistics.json").write_bytes(b"{}")
    (dataset / "extra.txt").write_bytes(b"hello")

    assert verify(dataset)[1] == [
        "README.md: is missing.",
        "statistics.json: has 2 bytes, but the manifest says 12.",
        "extra.txt: is not in the manifest.",
    ]


def test_a_link_in_place_of_a_file_is_a_fault(dataset: Path, tmp_path: Path) -> None:
    """A symbolic link is refused even when it leads to the right bytes."""
    real = tmp_path / "elsewhere.md"
    (dataset / "README.md").rename(real)
    (dataset / "README.md").symlink_to(real)

    assert verify(dataset)[1] == ["README.md: is missing."]


def test_a_manifest_that_points_outside_the_folder_is_a_fault(dataset: Path) -> None:
    """A path with .. in the manifest is never followed."""
    write_changed(dataset, lambda plain: plain["files"][0].update(path="../secret"))

    assert any("outside the folder" in fault for fault in verify(dataset)[1])


def test_a_resealed_manifest_is_caught_by_the_expected_digest(dataset: Path) -> None:
    """Whoever edits a manifest and reseals it passes verify, but not verify --expect."""
    digest = read_manifest(dataset).manifest_digest
    write_changed(dataset, lambda plain: plain.update(content_warning="None needed."))

    assert verify(dataset)[1] == []
    assert [digest in fault for fault in verify(dataset, expect=digest)[1]] == [True]


def test_a_manifest_with_other_whitespace_is_not_canonical(dataset: Path) -> None:
    """The same JSON with other spaces is told apart."""
    path = dataset / MANIFEST_NAME
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True))

    assert verify(dataset)[1] == ["evenhand.json: is not in canonical form, so it was edited."]


def test_a_folder_of_versions_is_refused_with_the_one_that_was_meant(dataset: Path) -> None:
    """Naming the parent folder gets the path of the version in the sentence."""
    with pytest.raises(DataRefused, match=r"Did you mean .*1\.0\.0\?"):
        verify(dataset.parent)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is not a manifest"),
        (b"[1, 2]", "is not a manifest"),
        (b'{"stem": 3}', r"\$\.stem"),
        (b"\xff\xfe", "is not a manifest"),
    ],
)
def test_what_is_no_manifest_is_refused_in_one_sentence(
    dataset: Path, content: bytes, expected: str
) -> None:
    """An empty, foreign or mistyped manifest is refused, not crashed on."""
    (dataset / MANIFEST_NAME).write_bytes(content)

    with pytest.raises(DataRefused, match=expected):
        verify(dataset)


def write_changed(folder: Path, change) -> None:
    """Change the manifest's plain JSON and seal it again."""
    import msgspec

    plain = json.loads((folder / MANIFEST_NAME).read_text())
    change(plain)
    manifest = sealed(msgspec.convert(plain, Manifest))
    (folder / MANIFEST_NAME).write_bytes(canonical_json(manifest))
