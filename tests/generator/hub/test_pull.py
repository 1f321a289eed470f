"""`pull`: whole and proven in the pull folder, or not at all; and what then works from there."""

import json
import re
import threading
from pathlib import Path

import polars as pl

from evenhand.contract.dataset import read_manifest, verify

TAG = "org/name@1.0.0"


def pulled(home: Path, label: str = "1.0.0") -> Path:
    """Return the folder that a version is pulled into."""
    return home / "datasets_out/org/name" / label


def names_beside(folder: Path) -> list[str]:
    """Return what lies beside a pulled folder, hidden or not."""
    return sorted(path.name for path in folder.parent.iterdir())


def test_a_tag_comes_whole_with_a_note_beside_it(hub, call, versions, tmp_path: Path) -> None:
    """The folder is the published one; which commit it is stands outside of it."""
    repo = hub.put("org/name", versions("1.0.0"), "1.0.0")

    code, out, err = call("pull", TAG, token=None)

    assert code == 0, err
    manifest, faults = verify(pulled(tmp_path))
    assert faults == []
    assert out == (
        f"dataset {TAG}\nfolder datasets_out/org/name/1.0.0\ncommit {repo.tags['1.0.0']}\n"
        f"manifest_digest {manifest.manifest_digest}\n"
    )
    assert names_beside(pulled(tmp_path)) == ["1.0.0", "1.0.0.pulled.json"]
    assert json.loads((pulled(tmp_path).parent / "1.0.0.pulled.json").read_text()) == {
        "commit": repo.tags["1.0.0"],
        "endpoint": hub.url,
        "manifest_digest": read_manifest(versions("1.0.0")).manifest_digest,
        "name": TAG,
    }


def test_what_was_pulled_is_not_fetched_again(hub, call, versions, tmp_path: Path) -> None:
    """The same lines without a request; a folder that was changed since is refused."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    first = call("pull", TAG, token=None)
    hub.requests.clear()

    assert call("pull", TAG, token=None)[:2] == first[:2]
    assert hub.requests == []
    (pulled(tmp_path) / "README.md").write_text("hello")
    code, _, err = call("pull", TAG, token=None)
    assert code == 1
    assert "org/name/1.0.0 is not " in err
    assert "README.md: has 5 bytes" in err


def test_without_a_tag_the_newest_version_is_taken(hub, call, versions, tmp_path: Path) -> None:
    """1.10.0 is newer than 1.9.0, whichever was tagged last and whatever `main` holds."""
    hub.put("org/name", versions("1.10.0", n=4), "1.10.0")
    hub.put("org/name", versions("1.0.0"), "1.9.0")

    code, out, err = call("pull", "org/name", token=None)

    assert code == 0, err
    assert out.startswith("dataset org/name@1.10.0\n")
    assert read_manifest(pulled(tmp_path, "1.10.0")).version == "1.10.0"


def test_without_any_tag_the_commit_is_the_name(hub, call, versions, tmp_path: Path) -> None:
    """A branch moves, so what was taken is pinned by its commit, and printed."""
    repo = hub.put("org/name", versions("1.0.0"), None)
    commit = repo.branches["main"]

    code, out, err = call("pull", "org/name", token=None)

    assert code == 0, err
    assert out.startswith(f"dataset org/name@{commit}\nfolder datasets_out/org/name/{commit}\n")
    assert f"{commit} is commit {commit}\n" in err
    assert call("pull", f"org/name@{commit}", token=None)[1] == out


def test_a_killed_pull_leaves_nothing_that_looks_whole(hub, call, versions, tmp_path: Path) -> None:
    """And the next call fetches only what had not arrived."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    slow = hub.fail("GET", "/resolve/.*/readers_mlm/", hold=threading.Event())
    last = hub.fail("GET", "/resolve/.*/statistics.json", delay=0.1)
    running = call.start("pull", TAG, token=None)
    assert slow.reached.wait(30)
    assert last.reached.wait(30)
    running.kill()
    assert not pulled(tmp_path).exists()
    (tmp_path / "p.jsonl").write_text("{}")
    code, _, err = call("score", TAG, "--predictions", "p.jsonl", "--out", "m.json")
    assert (code, f"`evenhand pull {TAG}`" in err) == (1, True)
    slow.hold.set()
    hub.faults.clear()
    hub.requests.clear()

    code, _, err = call("pull", TAG, token=None)

    assert code == 0, err
    assert hub.asked("GET", "/resolve/.*parquet") <= 2
    assert hub.asked("GET", "/resolve/.*README") == 0
    assert verify(pulled(tmp_path))[1] == []
    assert names_beside(pulled(tmp_path)) == ["1.0.0", "1.0.0.pulled.json"]


def test_damage_on_the_way_is_found_and_mended(hub, call, versions, tmp_path: Path) -> None:
    """A file with other bytes than the manifest says is refused, thrown away, and fetched again."""
    repo = hub.put("org/name", versions("1.0.0"), "1.0.0")
    files = repo.commits[repo.tags["1.0.0"]]
    good = files["statistics.json"]
    files["statistics.json"] = good._replace(data=good.data.replace(b"1", b"7"))

    code, out, err = call("pull", TAG, token=None)

    assert (code, out) == (1, "")
    assert "arrived damaged: statistics.json: has sha256" in err
    assert not pulled(tmp_path).exists()
    files["statistics.json"] = good
    assert call("pull", TAG, token=None)[0] == 0


def test_trouble_on_the_way_is_waited_out(hub, call, versions, tmp_path: Path) -> None:
    """Rate limit, server errors, cut and slow answers: the folder is whole in the end."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    hub.fail("GET", "/refs", status=503)
    hub.fail("GET", "/tree/", status=429, headers={"Retry-After": "0"})
    hub.fail("HEAD", "/README", status=500)
    hub.fail("GET", "/readers/", cut=True)
    hub.fail("GET", "/statistics", delay=0.3)

    code, _, err = call("pull", TAG, token=None)

    assert code == 0, err
    assert verify(pulled(tmp_path))[1] == []
    assert "rate limited. Waiting 1.0s" in err
    assert all(fault.times == 0 for fault in hub.faults)


def test_what_cannot_be_pulled_is_told_in_one_sentence(hub, call, versions, tmp_path) -> None:
    """No such dataset, no such tag, gated, private, not of Evenhand, not a name."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    hub.put("org/gated", versions("1.0.0"), "1.0.0").gated = "manual"
    hub.put("org/hidden", versions("1.0.0"), "1.0.0").private = True
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.csv").write_text("a,b")
    hub.put("org/other", tmp_path / "other", "1.0.0")
    cases = {
        "org/absent@1.0.0": "There is no dataset org/absent on http://127.0.0.1",
        "org/name@2.0.0": "org/name has no revision 2.0.0; its tags are 1.0.0.",
        "org/gated@1.0.0": f"org/gated is gated: ask for access at {hub.url}/datasets/org/gated",
        "org/hidden@1.0.0": "There is no dataset org/hidden on",
        "org/other@1.0.0": "holds no evenhand.json, so it is not a dataset of Evenhand.",
        "name": "name is not a repository of the Hub; org/name was expected.",
        "org/name@a b": "org/name@a b: `a b` is not a tag; e.g. org/name@1.0.0.",
    }
    for name, said in cases.items():
        code, out, err = call("pull", name, token=None)
        assert (code in {1, 2}, out) == (True, "")
        assert said in err.splitlines()[-1]
    assert list(tmp_path.glob("datasets_out/*/*/1.0.0")) == []


def test_a_private_dataset_comes_with_a_token(hub, call, versions, tmp_path: Path) -> None:
    """The token is used, and stands in no file."""
    hub.put("org/name", versions("1.0.0"), "1.0.0").private = True

    code, _, err = call("pull", TAG, EVENHAND_TRACEBACK="1")

    assert code == 0, err
    assert verify(pulled(tmp_path))[1] == []


def test_the_pulled_name_works_as_a_dataset(hub, call, versions, tmp_path: Path) -> None:
    """Published, pulled and scored under `org/name@tag`, as from the folder itself."""
    folder = versions("1.0.0")
    assert call("publish", folder, "--repo", "org/name")[0] == 0
    assert call("pull", TAG)[0] == 0
    ids = pl.read_parquet(folder / "readers/*.parquet")["id"]
    scores = pl.DataFrame({"id": ids, "score_x1": [0.7] * len(ids), "score_x2": [0.2] * len(ids)})
    scores.write_ndjson(tmp_path / "p.jsonl")
    options = ("--predictions", "p.jsonl", "--resamples", "100", "--out")
    hub.requests.clear()

    code, _, err = call("score", TAG, *options, "pulled.json", HF_HUB_OFFLINE="1")
    assert code == 0, err
    assert call("score", folder, *options, "local.json")[0] == 0

    assert hub.requests == []
    one, other = (
        json.loads((tmp_path / name).read_text()) for name in ("pulled.json", "local.json")
    )
    assert one["metrics"] == other["metrics"]
    assert one["dataset"]["digest"] == other["dataset"]["digest"]


def test_the_commands_of_the_card_can_be_copied(hub, call, versions, tmp_path: Path) -> None:
    """Its Python runs as it stands, and its shell lines pull, make a blank file, and verify."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    text = (versions("1.0.0") / "README.md").read_text(encoding="utf-8")
    python = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    shell = re.findall(r"^evenhand .*$", text.partition("```sh\n")[2], re.MULTILINE)
    verify = re.findall(r"`evenhand (verify [^`]+)`", text)

    assert shell[0] == f"evenhand pull {TAG}"
    for line in (*shell[:2], f"evenhand {verify[0]}"):
        code, _, err = call(*line.split()[1:], token=None)
        assert code == 0, err
    assert len((tmp_path / "predictions.jsonl").read_text().splitlines()) >= 12
    counted = "\nprint(len(rows))\n".join([*python, ""])
    run = call.program("-c", counted, HF_TOKEN=next(reversed(hub.members)))
    assert run.returncode == 0, run.stderr
    assert run.stdout == "12\n12\n"


def test_diff_fetches_a_version_when_told_to(hub, call, versions, tmp_path: Path) -> None:
    """`--pull` gets what was not pulled; then it lies in the pull folder."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")

    code, out, err = call("diff", TAG, versions("1.1.0", n=4), "--pull", "--changelog", token=None)

    assert code == 0, err
    assert out.startswith("## 1.1.0\n")
    assert verify(pulled(tmp_path))[1] == []


PROGRAM = """
import datasets, json, polars, sys
from huggingface_hub import DatasetCard, HfApi, hf_hub_download
one = datasets.load_dataset("org/name", "readers", split="test", revision="1.0.0")
other = datasets.load_dataset("org/name", "readers", split="test", revision="1.1.0")
streamed = datasets.load_dataset(
    "org/name", "readers_mlm", split="test", revision="1.0.0", streaming=True
)
default = datasets.load_dataset("org/name", split="test", revision="1.1.0")
card = DatasetCard.load("org/name", repo_type="dataset")
path = hf_hub_download("org/name", "evenhand.json", repo_type="dataset", revision="1.0.0")
refs = HfApi().list_repo_refs("org/name", repo_type="dataset")
print(json.dumps({
    "rows": [len(one), len(other), len(default)],
    "first": one[0],
    "streamed": [row["id"] for row in streamed],
    "configs": datasets.get_dataset_config_names("org/name", revision="1.0.0"),
    "name": card.data.pretty_name,
    "version": json.load(open(path))["version"],
    "tags": sorted(tag.name for tag in refs.tags),
}))
"""


def test_the_real_clients_load_what_was_published(hub, call, versions) -> None:
    """`load_dataset` at each tag, whole and streamed by ranges; the card; the tags."""
    old, new = versions("1.0.0"), versions("1.1.0", n=4)
    for folder in (old, new):
        code, _, err = call("publish", folder, "--repo", "org/name")
        assert code == 0, err
    hub.ranges.clear()

    run = call.program("-c", PROGRAM, HF_TOKEN=next(reversed(hub.members)))

    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout)
    rows = pl.read_parquet(old / "readers/*.parquet")
    assert loaded["rows"] == [12, 24, 24]
    assert loaded["first"] == rows.to_dicts()[0]
    assert loaded["streamed"] == pl.read_parquet(old / "readers_mlm/*.parquet")["id"].to_list()
    assert set(loaded["configs"]) == {"readers", "readers_mlm"}
    assert (loaded["name"], loaded["version"]) == ("Evenhand UnQover", "1.0.0")
    assert loaded["tags"] == ["1.0.0", "1.1.0"]
    assert hub.ranges
