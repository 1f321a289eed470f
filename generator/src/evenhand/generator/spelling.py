"""Names that were misspelled: refused with the one that was meant."""

import difflib
from collections.abc import Iterable, Sequence

from evenhand.contract.errors import WrongUse


def check_configs(names: Iterable[str], known: Sequence[str], *, hint: str = "") -> None:
    """Check the configs that a call names.

    Args:
        names: of the call.
        known: all that there are.
        hint: a clause on what else can be done, without full stop.

    Raises:
        WrongUse: one is unknown; the sentence names the one that was meant, and all.

    >>> check_configs(["religon"], ["ethnicity", "religion"])
    Traceback (most recent call last):
    evenhand.contract.errors.WrongUse: There is no config religon. Did you mean religion? \
The configs are ethnicity, religion.
    """
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            guess = f" Did you mean {near[0]}?" if near else ""
            also = f"; {hint}" if hint else ""
            raise WrongUse(
                f"There is no config {name}.{guess} The configs are {', '.join(known)}{also}."
            )
