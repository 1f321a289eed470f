"""Our own set of BBQ: not written yet, and says so."""

from collections.abc import Iterator
from typing import Any

from evenhand.contract import WrongUse
from evenhand.generator.stems import Options, Prepared


def prepare(options: Options) -> Prepared:
    """Refuse: there are no templates of our own yet.

    Raises:
        WrongUse: always; the sentence names the command that works.
    """
    del options
    raise WrongUse(
        "bbq has no templates of its own yet; take the official release with"
        " `evenhand import bbq --from DIR --out DIR`."
    )


def catalogue() -> Iterator[dict[str, Any]]:
    """Yield nothing: no config can be generated yet."""
    return iter(())
