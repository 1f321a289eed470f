"""Publishing through trouble: busy, cut, slow, killed, refused, and two at once."""

import re
import threading
import time
from pathlib import Path

import pytest

WORDS = ("--repo", "org/name")


def test_a_busy_hub_is_waited_for(hub, call, versions) -> None:
    """429 with Retry-After, 500, a cut connection and a slow answer end in one clean commit."""
    hub.fail("GET", "/refs", status=429, headers={"Retry-After": "1"})
    hub.fail("POST", "/repos/create", status=500)
    hub.fail("POST", "/validate-yaml", status=503)
    hub.fail("PUT", "/lfs/", status=500)
    hub.fail("POST", "/tag/", cut=True)
    hub.fail("GET", "/resolve/.*parquet", cut=True)
    hub.fail("GET", "/resolve/.*README", status=502)
    hub.fail("GET", "/tree/", delay=0.5)

    code, _, err = call("publish", versions("1.0.0"), *WORDS)

    assert code == 0, err
    assert re.search(r"\(429\); .* 1 s\n", err)
    assert re.search(r"\(500\); .* 0\.5 s\n", err)
    assert " broke (RemoteProtocolError); " in err
    assert len(hub.repos["org/name"].commits) == 2
    assert all(fault.times == 0 for fault in hub.faults)


@pytest.mark.parametrize("call_that_lost_its_answer", ["/commit/", "/tag/"])
def test_an_answer_that_got_lost_does_no_harm(
    hub, call, versions, call_that_lost_its_answer: str
) -> None:
    """What was done is not done twice: one commit, one tag."""
    hub.fail("POST", call_that_lost_its_answer, lost=True)

    code, _, err = call("publish", versions("1.0.0"), *WORDS)

    assert code == 0, err
    repo = hub.repos["org/name"]
    assert repo.messages == ["initial commit", "unqover 1.0.0"]
    assert repo.tags == {"1.0.0": repo.branches["main"]}


def test_a_killed_upload_goes_on_where_it_stopped(hub, call, versions) -> None:
    """The file that had arrived is not sent again; nothing was visible in between."""
    folder = versions("1.0.0")
    second = hub.fail("PUT", "/lfs/", skip=1, hold=threading.Event(), cut=True)
    running = call.start("publish", folder, *WORDS)
    assert second.reached.wait(30)
    while not hub.objects:
        time.sleep(0.01)
    running.kill()
    second.hold.set()
    assert hub.repos["org/name"].messages == ["initial commit"]
    hub.faults.clear()
    hub.requests.clear()

    code, _, err = call("publish", folder, *WORDS)

    assert code == 0, err
    assert hub.asked("PUT", "/lfs/") == 1
    assert hub.repos["org/name"].messages == ["initial commit", "unqover 1.0.0"]


def test_a_commit_without_its_tag_is_tagged(hub, call, versions) -> None:
    """Stopped between commit and tag: the next call makes the tag and no other commit."""
    repo = hub.put("org/name", versions("1.0.0"), None)

    shown = call("publish", versions("1.0.0"), *WORDS, "--dry-run")[1]
    code, _, err = call("publish", versions("1.0.0"), *WORDS)

    assert re.search(r"org/name .* already; .* tagged 1\.0\.0\.\n", shown)
    assert code == 0, err
    assert len(repo.commits) == 1
    assert repo.tags == {"1.0.0": repo.branches["main"]}


def test_of_two_publishers_at_once_one_wins(hub, call, versions) -> None:
    """The other gets one sentence; the tag is on a whole commit of the winner."""
    hub.put("org/name", versions("1.0.0"), "1.0.0")
    slow = hub.fail("POST", "/commit/", hold=threading.Event())
    loser = call.start("publish", versions("1.1.0", n=4), *WORDS)
    assert slow.reached.wait(30)
    winner = versions("2.0.0", n=2)

    won, _, err = call("publish", winner, *WORDS)
    slow.hold.set()
    code, out, said = loser.finish()

    assert (won, code, out) == (0, 1, ""), err
    assert re.fullmatch(
        r"evenhand: Somebody else changed org/name .*; .* compare .*\.", said.splitlines()[-1]
    )
    repo = hub.repos["org/name"]
    assert set(repo.tags) == {"1.0.0", "2.0.0"}
    served = {k: v for k, v in hub.files("org/name", "2.0.0").items() if k != ".gitattributes"}
    assert served.keys() == {
        path.relative_to(winner).as_posix() for path in winner.rglob("*") if path.is_file()
    }


def test_of_two_publishers_of_one_tag_one_wins(hub, call, versions) -> None:
    """Both commits land, one after the other; the tag that was first stays."""
    slow = hub.fail("POST", "/tag/", hold=threading.Event())
    loser = call.start("publish", versions("1.0.0"), *WORDS)
    assert slow.reached.wait(30)

    won, _, err = call("publish", versions("1.0.0", n=4), *WORDS)
    slow.hold.set()
    code, _, said = loser.finish()

    assert (won, code) == (0, 1), err
    assert re.search(r"org/name@1\.0\.0 .* other content; ", said.splitlines()[-1])
    repo = hub.repos["org/name"]
    assert repo.tags == {"1.0.0": repo.branches["main"]}


def test_two_publishers_of_the_same_files_agree(hub, call, versions) -> None:
    """Neither is refused; there is one commit and one tag."""
    slow = hub.fail("POST", "/commit/", hold=threading.Event())
    one = call.start("publish", versions("1.0.0"), *WORDS)
    assert slow.reached.wait(30)

    other = call("publish", versions("1.0.0"), *WORDS)
    slow.hold.set()

    assert [other[0], one.finish()[0]] == [0, 0]
    assert hub.repos["org/name"].messages == ["initial commit", "unqover 1.0.0"]


def test_what_the_hub_serves_is_compared_with_what_was_sent(hub, call, versions) -> None:
    """A Hub that keeps other bytes is found out, and the sentence names the file."""
    running = call.start("publish", versions("1.0.0"), *WORDS)
    hub.fail("POST", "/tag/", delay=0.1).reached.wait(30)
    with hub.lock:
        repo = hub.repos["org/name"]
        files = repo.commits[repo.branches["main"]]
        files["README.md"] = files["README.md"]._replace(data=b"x" * len(files["README.md"].data))
    code, _, err = running.finish()

    assert code == 1
    assert "arrived damaged: README.md: has sha256" in err


REFUSALS = [
    (401, {"X-Error-Message": "Invalid credentials in Authorization header"}, "(401): you are not"),
    (403, {}, "Your token may not write to org/name (403); it needs the right to do so"),
    (404, {"X-Error-Code": "RepoNotFound"}, "There is no dataset org/name on http://127.0.0.1"),
    (400, {}, "refused to write to org/name (400): on purpose."),
    (413, {}, "refused to write to org/name (413): on purpose."),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=[str(one[0]) for one in REFUSALS])
def test_a_refusal_is_one_sentence(hub, call, versions, refusal) -> None:
    """Status, what it means and what to do; no traceback, nothing tagged."""
    status, headers, said = refusal
    hub.fail("POST", "/commit/", status=status, headers=headers)

    code, out, err = call("publish", versions("1.0.0"), *WORDS)

    assert (code, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("evenhand: ")
    assert said in last
    assert "Traceback" not in err
    assert hub.repos["org/name"].tags == {}


def test_who_may_not_write_is_told_so(hub, call, versions) -> None:
    """Not logged in, a token that nobody has, and a reader's token; even a traceback hides it."""
    nobody = "hf_nobodynobodynobody"
    cases = [
        (None, "You are not logged in, so nothing can be written to org/name; run `hf auth login`"),
        (nobody, "(401): you are not logged in, or your token is not valid"),
        (next(reversed(hub.members)), "Your token may not create org/name (403)"),
    ]
    for token, said in cases:
        code, out, err = call(
            "publish", versions("1.0.0"), *WORDS, token=token, EVENHAND_TRACEBACK="1"
        )
        assert (code, out) == (1, "")
        assert said in err
        assert nobody not in err
    assert hub.repos == {}


def test_a_stored_login_is_used(hub, call, versions, tmp_path: Path) -> None:
    """`hf auth login` leaves a token in HF_HOME; HF_TOKEN is not needed."""
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf/token").write_text(next(iter(hub.members)))

    run = call.program(
        "-m", "evenhand.contract.cli", "publish", versions("1.0.0"), *WORDS, EVENHAND_TRACEBACK="1"
    )

    assert run.returncode == 0, run.stderr
    assert list(hub.repos["org/name"].tags) == ["1.0.0"]
    assert not any(token in run.stdout + run.stderr for token in hub.members)


def test_an_address_where_nobody_answers_is_one_sentence(hub, call, versions) -> None:
    """And what is no address at all is told before anything is tried."""
    code, _, err = call(
        "publish", versions("1.0.0"), *WORDS, "--endpoint", "http://127.0.0.1:9", "--dry-run"
    )
    assert code == 1
    assert re.fullmatch(
        r"evenhand: http://127\.0\.0\.1:9 .* read org/name \(ConnectError\); .* resumes .*\.",
        err.splitlines()[-1],
    )
    code, _, err = call("publish", versions("1.0.0"), *WORDS, "--endpoint", "localhost")
    assert (code, "--endpoint localhost" in err) == (1, True)


def test_a_hub_that_asks_for_an_hour_is_not_waited_for(hub, call, versions) -> None:
    """The sentence says for how long."""
    hub.fail("GET", "/refs", status=429, headers={"Retry-After": "3600"})

    code, _, err = call("publish", versions("1.0.0"), *WORDS)

    assert code == 1
    assert "(429) for 3600 s " in err
