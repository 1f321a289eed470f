"""How long is waited, for what, and what names and versions on the Hub mean."""

import re

import httpx2
import pytest
from huggingface_hub.errors import HfHubHTTPError
from hypothesis import given
from hypothesis import strategies as st

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.hub.patience import WAITS, patiently, plain_words
from evenhand.generator.hub.pull import newest_version
from evenhand.generator.names import checked_repo, split_name
from evenhand.generator.steps import Step, next_version, refuse_going_back, version_numbers

HUB = "https://hub.example"
VERSIONS = st.tuples(*[st.integers(0, 30)] * 3).map(lambda numbers: "{}.{}.{}".format(*numbers))


def answer(status: int, **headers: str) -> HfHubHTTPError:
    """Return what the client raises for an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx2.Request("GET", HUB)
    return HfHubHTTPError("no", response=httpx2.Response(status, headers=named, request=request))


def waited_for(*troubles: Exception) -> tuple[list[float], list[str]]:
    """Return the pauses and the lines of a call that fails so and then succeeds."""
    left = list(troubles)
    pauses: list[float] = []
    lines: list[str] = []

    def call() -> str:
        if left:
            raise left.pop(0)
        return "done"

    assert patiently(call, lines.append, pauses.append) == "done"
    return pauses, lines


def test_pauses_double_from_half_a_second() -> None:
    """Five attempts after the first, 15.5 seconds in all."""
    pauses, _ = waited_for(*[answer(503)] * 5)

    assert pauses == [0.5, 1, 2, 4, 8] == list(WAITS)


def test_the_hub_says_how_long() -> None:
    """Retry-After counts where it is longer than our own pause, and is told."""
    pauses, lines = waited_for(answer(429, Retry_After="7"), answer(429, Retry_After="0"))

    assert pauses == [7, 1]
    assert re.fullmatch(r".* \(429\); .* 7 s", lines[0])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413])
def test_what_waiting_does_not_mend_is_not_waited_for(status: int) -> None:
    """One attempt."""
    with pytest.raises(HfHubHTTPError):
        waited_for(answer(status))


def test_six_failures_are_one_sentence() -> None:
    """The last answer is told, and that nothing is lost."""
    with (
        pytest.raises(
            DataRefused,
            match=r"^https://hub\.example .* \(502, after 6 attempts\); .* resumes .*\.$",
        ),
        plain_words(HUB, "org/name", "read"),
    ):
        waited_for(*[answer(502)] * 6)


@pytest.mark.parametrize(
    ("headers", "said"),
    [({}, r"\(429\); run"), ({"Retry_After": "3600"}, r"\(429\) for 3600 s .*; run")],
)
def test_how_long_is_said_where_the_hub_says_it(headers: dict[str, str], said: str) -> None:
    """Without Retry-After nothing is said of seconds."""
    with pytest.raises(DataRefused, match=said), plain_words(HUB, "org/name", "read"):
        raise answer(429, **headers)


def test_what_the_client_waited_for_itself_is_not_waited_for_again() -> None:
    """An upload that failed after its own attempts is told at once."""
    wrapped = RuntimeError("Error while uploading")
    wrapped.__cause__ = httpx2.ReadTimeout("slow")

    with (
        pytest.raises(DataRefused, match=r"cannot be reached to write to org/name \(ReadTimeout\)"),
        plain_words(HUB, "org/name", "write to"),
    ):
        waited_for(wrapped)


def test_a_fault_of_ours_is_no_trouble_of_the_hub() -> None:
    """It is not put into words about the Hub."""
    with pytest.raises(KeyError), plain_words(HUB, "org/name", "read"):
        waited_for(KeyError("ours"))


@given(st.lists(VERSIONS, min_size=1, unique=True), st.booleans())
def test_the_newest_version_is_the_highest(versions: list[str], has_letter: bool) -> None:
    """By numbers and not by text; tags that are no version do not count."""
    tags = {("v" if has_letter else "") + version: "commit" for version in versions}

    newest = newest_version({**tags, "draft": "x", "9.9": "y", "99.0.0-rc1": "z"})

    assert newest is not None
    assert version_numbers(newest.removeprefix("v")) == max(map(version_numbers, versions))
    assert newest_version({"draft": "x"}) is None


@given(VERSIONS, st.sampled_from(list(Step)))
def test_a_step_goes_up_by_as_little_as_it_may(version: str, step: Step) -> None:
    """The stepped version is never lower, and is refused as going back by no one."""
    higher = next_version(version, step)

    assert (version_numbers(higher) > version_numbers(version)) == (step is not Step.NONE)
    refuse_going_back(version, higher, where="org/name")
    if step is not Step.NONE:
        with pytest.raises(
            DataRefused, match=f"{re.escape(version)} .* {re.escape(higher)} of org/name"
        ):
            refuse_going_back(higher, version, where="org/name")


def test_names_on_the_hub_are_org_and_name() -> None:
    """A revision may follow; paths and addresses are no names."""
    assert split_name("org/name@v1.0.0") == ("org/name", "v1.0.0")
    assert split_name("a.b-c/d_e") == ("a.b-c/d_e", None)
    for wrong in ("name", "a/b/c", "/a", "a/", "../a", "a/..b", "a/b--c", "https://x/y", "a b/c"):
        with pytest.raises(WrongUse):
            checked_repo(wrong)
    for wrong in ("org/name@", "org/name@a/b", "org/name@a@b"):
        with pytest.raises(WrongUse):
            split_name(wrong)
