"""Waiting when the Hub is busy, and saying in one sentence what it refused.

huggingface_hub (2.4) tries again by itself where it lists files, asks for metadata and uploads
content; it sends once what lists references, creates, sets, commits and tags, and gives a download
up at a 5xx. Those calls are repeated here.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

import httpx2
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
)

from evenhand.contract.errors import DataRefused

Answer = TypeVar("Answer")

WAITS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each new attempt; the Hub's own ``Retry-After`` counts where it asks for more."""

LONGEST_WAIT = 300
"""Seconds; whoever asks for more patience is told to come back."""

_WAIT_FOR_A_CONNECTION = 1.0
"""Seconds; an address where nobody answers is mostly a wrong one."""

_BUSY = frozenset({408, 429, 500, 502, 503, 504})

_TROUBLES = (
    HfHubHTTPError,
    httpx2.TransportError,
    LocalEntryNotFoundError,
    json.JSONDecodeError,
    OfflineModeIsEnabled,
    RuntimeError,
    ValueError,
)
"""What the client raises when the Hub does not do as asked; anything else is a fault of ours."""


def patiently(
    call: Callable[[], Answer],
    say: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Call the Hub, and call again after a pause when it is busy or the connection broke.

    Args:
        call: one request, or several, that may be repeated.
        say: told what is waited for.
        sleep: waits a number of seconds.

    Raises:
        Exception: that of the last attempt, or of one that no patience mends.
    """
    for pause in WAITS:
        try:
            return call()
        except _TROUBLES as error:
            trouble = root_cause(error)
            asked = retry_after(trouble)
            # The client wraps what it was patient with itself; that is not waited for twice.
            is_wrapped = trouble is not error
            if is_wrapped or asked > LONGEST_WAIT or not is_passing(trouble, after=pause):
                raise
            seconds = max(pause, asked)
            say(f"{_what_happened(trouble)}; trying again in {seconds:g} s")
            sleep(seconds)
    return call()


def root_cause(error: BaseException) -> BaseException:
    """Return the trouble itself where the client wrapped it in an error of its own."""
    wraps = isinstance(error, LocalEntryNotFoundError | RuntimeError)
    if wraps and error.__cause__ is not None:
        return root_cause(error.__cause__)
    return error


def is_passing(trouble: BaseException, *, after: float) -> bool:
    """Say whether the same request may succeed after a pause of so many seconds."""
    if isinstance(trouble, HfHubHTTPError):
        return http_status(trouble) in _BUSY
    if isinstance(trouble, httpx2.ConnectError):
        return after <= _WAIT_FOR_A_CONNECTION
    return isinstance(trouble, httpx2.TransportError | json.JSONDecodeError)


def http_status(trouble: BaseException) -> int | None:
    """Return the HTTP status of an answer."""
    return trouble.response.status_code if isinstance(trouble, HfHubHTTPError) else None


def retry_after(trouble: BaseException) -> float:
    """Return the seconds that the Hub asked to wait, else 0."""
    if not isinstance(trouble, HfHubHTTPError):
        return 0
    text = trouble.response.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else 0


def _what_happened(trouble: BaseException) -> str:
    status = http_status(trouble)
    if status == 429:
        return "the Hub asks for patience (429)"
    if status is not None:
        return f"the Hub is in trouble ({status})"
    return f"the connection to the Hub broke ({type(trouble).__name__})"


@contextlib.contextmanager
def plain_words(endpoint: str, repo: str, doing: str) -> Iterator[None]:
    """Turn what the client raises into one sentence.

    Args:
        endpoint: address of the Hub.
        repo: ``org/name``.
        doing: what was tried, e.g. ``write to``.

    Raises:
        DataRefused: with the sentence.
    """
    try:
        yield
    except _TROUBLES as error:
        _refuse(root_cause(error), endpoint, repo, doing)


def _refuse(trouble: BaseException, endpoint: str, repo: str, doing: str) -> NoReturn:
    if isinstance(trouble, OfflineModeIsEnabled):
        raise DataRefused(
            f"HF_HUB_OFFLINE is set, so {endpoint} cannot be asked; unset it to {doing} {repo}."
        ) from trouble
    status = http_status(trouble)
    if status is not None:
        assert isinstance(trouble, HfHubHTTPError)
        raise DataRefused(_sentence(trouble, status, endpoint, repo, doing)) from trouble
    if isinstance(trouble, httpx2.TransportError):
        raise DataRefused(
            f"{endpoint} cannot be reached to {doing} {repo} ({type(trouble).__name__}); run the"
            " same command again, it resumes where it stopped."
        ) from trouble
    if isinstance(trouble, RuntimeError):
        raise trouble
    reason = " ".join(str(trouble).split())
    raise DataRefused(f"{endpoint}: {doing} {repo}: {reason}") from trouble


_SENTENCES = {
    401: (
        "{endpoint} does not let you {doing} {repo} (401): you are not logged in, or your token is"
        " not valid; log in with `hf auth login`, or set HF_TOKEN."
    ),
    403: (
        "Your token may not {doing} {repo} (403); it needs the right to do so, see"
        " {endpoint}/settings/tokens."
    ),
    404: (
        "There is no dataset {repo} on {endpoint} (404), or it is private and not yours; check the"
        " name."
    ),
    409: (
        "Somebody else changed {repo} in the meantime; run the same command again to compare with"
        " what is there now."
    ),
    429: (
        "{endpoint} asks for patience (429){how_long}; run the same command later, it resumes where"
        " it stopped."
    ),
    503: (
        "{endpoint} is in trouble ({status}, after {attempts} attempts); run the same command"
        " later, it resumes where it stopped."
    ),
}
"""Status of an answer -> what a person is told."""

_SAME_AS = {412: 409, **dict.fromkeys((408, 500, 502, 504), 503)}
"""Status -> the one whose sentence it shares; a commit on an old parent answers 412."""


def _sentence(trouble: HfHubHTTPError, status: int, endpoint: str, repo: str, doing: str) -> str:
    if isinstance(trouble, GatedRepoError):
        return (
            f"{repo} is gated: ask for access at {endpoint}/datasets/{repo}, then run the same"
            " command again."
        )
    words = _SENTENCES.get(_SAME_AS.get(status, status))
    if words is None:
        return f"{endpoint} refused to {doing} {repo} ({status}): {_server_message(trouble)}"
    return words.format(
        endpoint=endpoint,
        repo=repo,
        doing=doing,
        status=status,
        how_long=_how_long(retry_after(trouble)),
        attempts=len(WAITS) + 1,
    )


def _how_long(seconds: float) -> str:
    """Say for how long the Hub asked to wait, where it said so."""
    return f" for {seconds:g} s or more" if seconds else ""


def _server_message(trouble: HfHubHTTPError) -> str:
    text = trouble.server_message or trouble.response.headers.get("X-Error-Message") or "no reason"
    return " ".join(text.split()).rstrip(".") + "."
