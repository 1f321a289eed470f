"""`publish`: one commit, one tag, proven by a download; and all that is refused."""

import json
import re
import shutil
from pathlib import Path

import msgspec

from evenhand.contract.dataset import MANIFEST_NAME, Licence, read_manifest, sealed
from evenhand.contract.files import canonical_json


def files_of(folder: Path) -> dict[str, bytes]:
    """Return path -> bytes of a dataset folder."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def resealed(folder: Path, out: Path, **changed: object) -> Path:
    """Copy a version and change its manifest."""
    shutil.copytree(folder, out)
    manifest = msgspec.structs.replace(read_manifest(folder), **changed)
    (out / MANIFEST_NAME).write_bytes(canonical_json(sealed(manifest)))
    return out


def test_a_version_is_one_commit_and_one_tag(hub, call, versions) -> None:
    """The tag holds the folder's very bytes, in one commit on top of the Hub's own."""
    folder = versions("1.0.0")

    code, out, err = call("publish", folder, "--repo", "org/name")

    assert code == 0, err
    repo = hub.repos["org/name"]
    assert repo.messages == ["initial commit", "unqover 1.0.0"]
    assert repo.tags == {"1.0.0": repo.branches["main"]}
    served = hub.files("org/name", "1.0.0")
    served.pop(".gitattributes")
    assert served == files_of(folder)
    assert out == (
        f"dataset org/name@1.0.0\ncommit {repo.branches['main']}\n"
        f"manifest_digest {read_manifest(folder).manifest_digest}\n"
    )
    assert "tagged 1.0.0; " in err
    assert hub.asked("GET", "/resolve/.*parquet") == 2


def test_the_same_version_again_is_left_alone(hub, call, versions) -> None:
    """No upload, no commit, no tag; the same lines are printed."""
    folder = versions("1.0.0")
    first = call("publish", folder, "--repo", "org/name")
    hub.requests.clear()

    code, out, err = call("publish", folder, "--repo", "org/name")

    assert (code, out) == (0, first[1])
    assert re.fullmatch(r"org/name@1\.0\.0 .* already, .* same content\n", err)
    assert [one for one in hub.requests if one[0] in {"POST", "PUT"}] == []


def test_a_published_version_is_never_changed(hub, call, versions, tmp_path: Path) -> None:
    """The same tag with other rows, or with other words alone, is refused."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    before = hub.files("org/name", "1.0.0")
    reworded = resealed(versions("1.0.0"), tmp_path / "words", content_warning="Other words.")

    for folder in (versions("1.0.0", n=4), reworded):
        code, out, err = call("publish", folder, "--repo", "org/name")
        assert (code, out) == (1, "")
        assert re.fullmatch(
            r"evenhand: org/name@1\.0\.0 .* other content; .*`evenhand diff`.*\.\n", err
        )
    assert hub.files("org/name", "1.0.0") == before
    assert len(hub.repos["org/name"].commits) == 1


def test_a_next_version_goes_on_top(hub, call, versions) -> None:
    """More rows under a minor number: both tags stand, and only what differs is sent."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    hub.requests.clear()

    code, _, err = call("publish", versions("1.1.0", n=4), "--repo", "org/name")

    assert code == 0, err
    assert "comparing with 1.0.0: readers, readers_mlm\n" in err
    assert sorted(hub.repos["org/name"].tags) == ["1.0.0", "1.1.0"]
    assert hub.repos["org/name"].messages[-1] == "unqover 1.1.0"
    served = {k: v for k, v in hub.files("org/name", "1.1.0").items() if k != ".gitattributes"}
    assert served == files_of(versions("1.1.0", n=4))


def test_configs_that_stand_are_not_sent_or_fetched_again(hub, call, versions) -> None:
    """A patch of the words alone sends no Parquet; a config that went is deleted in the commit."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    hub.requests.clear()

    code, _, err = call("publish", versions("2.0.0", "--config", "readers"), "--repo", "org/name")

    assert code == 0, err
    assert hub.asked("PUT", "/lfs/") == 0
    commit = hub.repos["org/name"].branches["main"]
    assert f"/datasets/org/name/resolve/{commit}/readers/" in str(hub.requests)
    assert not any(path.startswith("readers_mlm/") for path in hub.files("org/name", "2.0.0"))
    assert any(path.startswith("readers_mlm/") for path in hub.files("org/name", "1.0.0"))


def test_a_number_that_says_too_little_is_refused(hub, call, versions) -> None:
    """Back, too small for added rows, too small for removed rows: nothing is written."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    cases = [
        ("0.9.9", 3, "Version 0.9.9 goes back behind 1.0.0 of org/name; versions only go up"),
        ("1.0.1", 4, "Version 1.0.1 says less than what changed since 1.0.0: every old row"),
        ("1.1.0", 2, "Version 1.1.0 says less than what changed since 1.0.0: old numbers are"),
    ]
    for number, n, said in cases:
        code, _, err = call("publish", versions(number, n=n), "--repo", "org/name")

        assert code == 1
        assert f"evenhand: {said}" in err
    assert [one for one in hub.requests if one[0] in {"POST", "PUT"}] == []


def test_what_may_not_be_published_is_refused_before_the_hub_is_asked(
    hub, call, versions, tmp_path: Path
) -> None:
    """A sample, no licence, a licence without name, a folder that was edited, a foreign tag."""
    whole = versions("1.0.0")
    none = Licence(id="unknown", name="", link="")
    unnamed = Licence(id="other", name="", link="")
    edited = resealed(whole, tmp_path / "edited")
    (edited / "README.md").write_text("hello")
    cases = [
        ((versions("1.0.0", "--limit", "1"),), "a sample; a published version holds all rows"),
        ((resealed(whole, tmp_path / "none", licence=none),), "has no licence"),
        ((resealed(whole, tmp_path / "bare", licence=unnamed),), "without name or link"),
        ((edited,), "is not what its manifest says: README.md: has 5 bytes"),
        ((whole, "--tag", "2.0.0"), "it may be 1.0.0 or v1.0.0"),
        ((tmp_path / "absent",), "absent is not a folder"),
    ]
    for words, said in cases:
        code, out, err = call("publish", *words, "--repo", "org/name")
        assert (code in {1, 2}, out) == (True, "")
        assert said in err
        assert err.count("\n") == 1
    assert hub.requests == []


def test_a_repository_of_something_else_is_left_alone(hub, call, versions, tmp_path) -> None:
    """Files that Evenhand did not put there are not deleted."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.csv").write_text("a,b")
    hub.put("org/name", tmp_path / "other", None)

    code, _, err = call("publish", versions("1.0.0"), "--repo", "org/name")

    assert code == 1
    assert "org/name holds files that are not a dataset of Evenhand (data.csv)" in err
    assert set(hub.files("org/name", "main")) == {".gitattributes", "data.csv"}


def test_a_dry_run_says_everything_and_writes_nothing(hub, call, versions) -> None:
    """Every file with size and digest, the difference, and what would be done."""
    folder = versions("1.1.0", n=4)
    code, out, _ = call("publish", folder, "--repo", "org/name", "--dry-run", token=None)
    assert code == 0
    assert re.search(r"org/name .* created; .* \(6 add\) .* org/name@1\.1\.0\.\n\Z", out)
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    hub.requests.clear()

    code, out, err = call(
        "publish", folder, "--repo", "org/name", "--dry-run", "--format", "json", token=None
    )

    assert code == 0, err
    assert {method for method, _ in hub.requests} == {"GET", "HEAD"}
    shown = json.loads(out)
    entries = {entry.path: entry for entry in read_manifest(folder).files}
    for row in shown["files"]:
        if row["path"] != "evenhand.json":
            assert row["sha256"] == entries[row["path"]].sha256
            assert row["bytes"] == entries[row["path"]].bytes
    assert {row["action"] for row in shown["files"]} == {"replace"}
    assert shown["difference"]["step"] == "MINOR"
    assert shown["difference"]["content"] == [{"file": "subjects/readers.tsv", "change": "changed"}]
    assert re.fullmatch(r"one commit .* \(6 replace\) .* org/name@1\.1\.0\.", shown["verdict"])
    text = call("publish", folder, "--repo", "org/name", "--dry-run", token=None)[1]
    assert "least step: MINOR (1.1.0 or higher)" in text
    assert "unqover 1.0.0 -> 1.1.0" in text


def test_private_and_gated_are_set_before_anything_is_sent(hub, call, versions) -> None:
    """The gate stands when the first file comes."""
    folder = versions("1.0.0", "--gated")

    code, _, err = call(
        *("publish", folder, "--repo", "org/name", "--private", "--gated", "--tag", "v1.0.0")
    )

    assert code == 0, err
    repo = hub.repos["org/name"]
    assert (repo.private, repo.gated, list(repo.tags)) == (True, "manual", ["v1.0.0"])
    order = [path for method, path in hub.requests if method in {"PUT", "POST"}]
    assert order.index("/api/datasets/org/name/settings") < order.index(
        "/api/datasets/org/name/preupload/main"
    )
    code, _, err = call("pull", "org/name@v1.0.0", token=None)
    assert (code, "There is no dataset org/name on" in err) == (1, True)


def test_each_file_is_hashed_once(hub, call, versions, tmp_path: Path) -> None:
    """The digests of the check are those that the client sends; no file is read for another."""
    program = tmp_path / "counted.py"
    program.write_text(
        "import collections, hashlib, sys\n"
        "from evenhand.contract import dataset, files\n"
        "import huggingface_hub.lfs, huggingface_hub.utils.sha as sha\n"
        "from evenhand.contract.cli import main\n"
        "counts = collections.Counter()\n"
        "whole = files.sha256_of_file\n"
        "def ours(path):\n"
        "    counts[path] += '/v/' in str(path)\n"
        "    return whole(path)\n"
        "def theirs(*_):\n"
        "    raise AssertionError('the client hashes again')\n"
        "import evenhand.generator.hub.plan as plan\n"
        "dataset.sha256_of_file = plan.sha256_of_file = ours\n"
        "huggingface_hub.lfs.sha_fileobj = theirs\n"
        "code = main(sys.argv[1:])\n"
        "print([n for n in counts.values() if n], file=sys.stderr)\n"
        "sys.exit(code)\n"
    )

    words = ("publish", versions("1.0.0"), "--repo", "org/name")
    run = call.program(program, *words, HF_TOKEN=next(iter(hub.members)))

    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "[1, 1, 1, 1, 1, 1]"
