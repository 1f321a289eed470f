"""Transfers go side by side, stop after an error, and are not waited for after Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from evenhand.generator.hub.at_once import at_once


def test_every_result_comes_once_and_work_overlaps() -> None:
    """Four items that wait for each other are all done; none waits for its turn."""
    together = threading.Barrier(4, timeout=10)

    def work(item: int) -> int:
        if item < 4:
            together.wait()
        return item * item

    assert sorted(at_once(work, range(40))) == [n * n for n in range(40)]
    assert list(at_once(work, [])) == []


def test_an_error_is_raised_when_the_others_are_finished() -> None:
    """What was on the way is whole; nothing else is begun."""
    begun: list[int] = []
    finished: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            raise ValueError(item)
        time.sleep(0.05)
        finished.append(item)

    with pytest.raises(ValueError, match="0"):
        list(at_once(work, range(100), n=2))

    assert len(begun) < 10
    assert sorted(finished) == sorted(item for item in begun if item != 0)


def test_ctrl_c_ends_an_upload_at_once(hub, call, versions) -> None:
    """Exit code 130 while the Hub still keeps files waiting; nothing is visible there."""
    slow = hub.fail("PUT", "/lfs/", hold=threading.Event(), times=9)
    words = ("publish", str(versions("1.0.0")), "--repo", "org/name")
    with subprocess.Popen(
        [sys.executable, "-m", "evenhand.contract.cli", *words],
        env={
            **{name: text for name, text in os.environ.items() if not name.startswith("HF_")},
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(call.home / "hf"),
            "HF_TOKEN": next(iter(hub.members)),
            "NO_PROXY": "127.0.0.1",
        },
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert slow.reached.wait(60)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert err.splitlines()[-1] == "evenhand: stopped."
    assert hub.repos["org/name"].messages == ["initial commit"]
    slow.hold.set()
