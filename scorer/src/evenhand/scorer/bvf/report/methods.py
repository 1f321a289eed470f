"""What BVF's intervals, tests and null references are, and the definitions of what was reported."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

from collections.abc import Collection

from evenhand.scorer.bvf import specs
from evenhand.scorer.bvf.report.words import R
from evenhand.scorer.specs import Definition, reported


def definitions(metric_ids: Collection[str], protocols: Collection[str]) -> list[Definition]:
    """Return the definitions of what was reported.

    Args:
        metric_ids: of all files.
        protocols: of all files, e.g. ``paper`` and ``code+l2``.
    """
    chosen = list(specs.DEFINITIONS)
    if R in metric_ids:
        is_code = {protocol.startswith("code") for protocol in protocols}
        chosen += [specs.CRITERION] if False in is_code else []
        chosen += [specs.CODE_CRITERION] if True in is_code else []
    return [*chosen, *reported(specs.METRICS, metric_ids)]


INTERVALS = (
    "Intervals are over contexts; the subjects are taken as they are. Under 30 contexts they are"
    " studentised (estimate ± t × jackknife standard error) and marked †, because the bootstrap"
    " then covers too little; from 30 on they are percentiles of a bootstrap. Where all contexts"
    " agree neither can vary: means (R and preferences) then have a bound from their number, marked"
    " ‡, and Rᵇ and Rᵛ have none. Preferences of single"
    " subjects are tested by t over contexts, and their p-values corrected by Holm’s method over"
    " the subjects of one class; those of regressions over the facts."
)
NULLS = (
    "No risk can be negative, so an interval that leaves out 0 says nothing. Rᵇ is read against"
    " what it is when the classes of whole contexts are exchanged at random, which leaves R as it"
    " is: what is left is what a model without lasting preferences shows. Where probabilities are"
    " read, R and Rᵛ of a model without preferences are 0. Where answers are counted, R is read"
    " against answers drawn without preference, and Rᵛ against answers drawn from each subject’s"
    " mean."
)
EXAMPLES = (
    "The texts with the strongest stereotypes, one of each subject before a second of any. In a"
    " table a dotted number opens those behind it."
)
