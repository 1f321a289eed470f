"""Describes BVF's intervals, tests and null distributions, and defines the reported metrics."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

from collections.abc import Collection

from evenhand.scorer.bvf import specs
from evenhand.scorer.bvf.report.words import R
from evenhand.scorer.specs import Definition, reported_specs


def definitions(metric_ids: Collection[str], protocols: Collection[str]) -> list[Definition]:
    """Return the definitions of the reported metrics.

    Args:
        metric_ids: of all files.
        protocols: of all files, e.g. ``paper`` and ``code+l2``.
    """
    declared = list(specs.DEFINITIONS)
    if R in metric_ids:
        is_code = {protocol.startswith("code") for protocol in protocols}
        declared += [specs.CRITERION] if False in is_code else []
        declared += [specs.CODE_CRITERION] if True in is_code else []
    return [*declared, *reported_specs(specs.METRICS, metric_ids)]


INTERVALS = (
    "Intervals are over contexts; the subjects are taken as fixed. With fewer than 30 contexts they"
    " are studentised (estimate ± t × jackknife standard error) and marked †, because the bootstrap"
    " undercovers there; from 30 on they are percentile bootstrap intervals. Where all contexts"
    " agree, neither shows any variation: means (R and preferences) then have a bound that follows"
    " from their number, marked ‡, and Rᵇ and Rᵛ have none. The preferences of single subjects are"
    " tested with a t test over contexts. Holm’s method corrects their p-values over the subjects"
    " of one class, and the p-values of regressions over the facts."
)
NULLS = (
    "No risk can be negative, so an interval that excludes 0 shows nothing. The null distribution"
    " of Rᵇ comes from permuting the classes within whole contexts at random, which leaves R"
    " unchanged: it is that of a model without lasting preferences. Where probabilities are read, R"
    " and Rᵛ of a model without preferences are 0. Where answers are counted, the null distribution"
    " of R comes from answers drawn without preference, and that of Rᵛ from permuting each"
    " subject’s answers among its texts."
)
EXAMPLES = (
    "The texts with the strongest stereotypes, one for every subject before a second for any. In"
    " tables, a number with a dotted underline opens the examples behind it."
)
