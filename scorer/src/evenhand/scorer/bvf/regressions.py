"""Weighted least squares of risks on income, education, share of women and word frequency.

Source: paper, section 4.4 and appendix C.2; weights are the numbers of people in an occupation.
"""

import importlib.util
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer.bvf.facts import EMPLOYMENT
from evenhand.scorer.bvf.metrics import slope_weights

Floats = NDArray[np.float64]

FACTORS = {
    "log_income": ("income", True),
    "years_of_education": ("years_of_education", False),
    "share_of_women": ("share_of_women", False),
    "log_word_frequency": ("word_frequency", True),
}
"""Factor -> column of the facts, and whether its logarithm is taken."""

FEWEST = 3
"""A line through two points leaves no residual to estimate an error from."""

NO_STATSMODELS = (
    "The regressions on facts of the subjects were left out: they need statsmodels"
    " (`pip install 'evenhand-scorer[stats]'`)."
)


class Points(NamedTuple):
    """Values of one factor for the subjects that have it, with their weights."""

    subjects: NDArray[np.int64]
    """Codes of N subjects."""
    x: Floats
    weights: Floats

    @property
    def slope_weights(self) -> Floats:
        """Factors by which the risks are multiplied and summed to the coefficient; shape [N]."""
        return slope_weights(self.x, self.weights)


class Regression(NamedTuple):
    """Weighted least squares of a risk on one factor and a constant."""

    coefficient: float
    """Change of the risk for an increase of the factor by 1."""
    standard_error: float
    t: float
    p_value: float
    r_squared: float
    n: int


def factor_points(facts: pl.DataFrame) -> dict[str, Points]:
    """Return the factors that are known for enough subjects, with these subjects.

    Args:
        facts: one row a subject, as :func:`evenhand.scorer.bvf.facts.match_facts` returns them.
            Where no employment is known, all subjects have the same weight.
    """
    employment = facts[EMPLOYMENT]
    if employment.null_count() == len(employment):
        employment = pl.repeat(1.0, len(facts), eager=True)
    points = {}
    for factor, (column, is_log) in FACTORS.items():
        rows = np.flatnonzero((facts[column].is_not_null() & employment.is_not_null()).to_numpy())
        x = facts[column].gather(rows).to_numpy().astype(np.float64)
        x = np.log(x) if is_log else x
        if len(rows) >= FEWEST and np.ptp(x) > 0:
            weights = employment.gather(rows).to_numpy().astype(np.float64)
            points[factor] = Points(rows.astype(np.int64), x, weights)
    return points


def has_statsmodels() -> bool:
    """Say whether the extra ``stats`` is installed, without importing it."""
    return importlib.util.find_spec("statsmodels") is not None


def regression(points: Points, risk: Floats) -> Regression | None:
    """Regress a risk on a factor; None where a subject's risk is unknown.

    Args:
        points: the factor.
        risk: of all subjects, shape [X].

    >>> points = Points(np.arange(3), np.array([0.0, 1.0, 2.0]), np.ones(3))
    >>> round(regression(points, np.array([0.1, 0.2, 0.6])).coefficient, 6)
    0.25
    """
    from statsmodels.regression.linear_model import WLS  # type: ignore[import-untyped]

    risks = risk[points.subjects]
    if np.isnan(risks).any():
        return None
    design = np.stack([np.ones(len(risks)), points.x], axis=1)
    fit = WLS(risks, design, weights=points.weights).fit()
    is_flat = (
        np.ptp(risks) < 1e-15
    )  # no variance to explain: t and R squared would be rounding errors
    return Regression(
        coefficient=float(fit.params[1]),
        standard_error=float(fit.bse[1]),
        t=0.0 if is_flat else float(fit.tvalues[1]),
        p_value=1.0 if is_flat else float(fit.pvalues[1]),
        r_squared=0.0 if is_flat else float(fit.rsquared),
        n=len(risks),
    )
