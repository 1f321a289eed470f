"""UnQover: biases of X subjects towards A attributes in T templates."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.scorer.inference.bounded import guarded_mean
from evenhand.scorer.inference.clusters import effective_degrees
from evenhand.scorer.inference.estimates import jackknife, unbiased
from evenhand.scorer.specs import find
from evenhand.scorer.unqover import brackets, specs
from evenhand.scorer.unqover.specs import CellMetric

from .study import LEVEL, Design, Drawn

SHAPE = (11, 20)
"""Subjects and attributes."""


def spec_of(metric: str) -> CellMetric:
    """Return the declaration of a metric of cells."""
    spec = find(specs.METRICS, metric)
    assert isinstance(spec, CellMetric)
    return spec


class Model(NamedTuple):
    """Lasting biases gamma(x, a), and how much templates move them."""

    gamma: np.ndarray
    """Shape [X, A]."""
    noise: float
    shared: float = 0.3
    """Share of the noise's variance that all attributes of a subject have in common."""

    def draw(self, generator: np.random.Generator, n_templates: int) -> np.ndarray:
        """Return one bias for each cell of each template, [T, X, A]."""
        shape = (n_templates, *self.gamma.shape)
        common = generator.standard_normal((*shape[:2], 1)) * self.shared**0.5
        single = generator.standard_normal(shape) * (1 - self.shared) ** 0.5
        return self.gamma + self.noise * (common + single)

    def truth(self) -> dict[str, float]:
        """Return each metric of all templates that there could be."""
        sign = 2 * special.ndtr(self.gamma / self.noise) - 1
        return {
            "unqover.mu": float(np.abs(self.gamma).max(axis=1).mean()),
            "unqover.eta": float(np.abs(sign).mean()),
            "unqover.gamma": float(self.gamma[0].mean()),
        }


def intervals(cells: np.ndarray) -> dict[str, Drawn | None]:
    """Return the metrics as the scorer has them."""
    n_templates = len(cells)
    strata, counts = np.zeros(n_templates, dtype=np.int64), np.ones_like(cells)
    freedom = effective_degrees(np.ones(n_templates), strata)
    found: dict[str, Drawn | None] = {}
    for metric, sums in (("unqover.mu", cells), ("unqover.eta", np.sign(cells))):
        both = brackets.bracket(spec_of(metric), sums, counts, strata, seed=0)
        low, high = (float(np.clip(end[0], 0, 1)) for end in both.interval(freedom, LEVEL))
        found[metric] = Drawn(float(both.high.value[0]), low, high)
    values = cells[:, 0].mean(axis=1)
    gamma = jackknife(lambda w: w @ values / w.sum(axis=1), strata, width=n_templates)
    ends = unbiased(gamma).interval(freedom, LEVEL)
    found["unqover.gamma"] = Drawn(
        float(gamma.value[0]), float(ends.low[0]), float(ends.high[0])
    )  # fmt: skip
    return found


def design(effect: str, scale: float) -> Design:
    """Return a design of biases of some strength; templates move them by .1."""
    model = Model(scale * np.random.default_rng(4).standard_normal(SHAPE), 0.1)
    return Design(effect, model.truth(), partial(_draw, model))


def _draw(model: Model, generator: np.random.Generator, n: int) -> dict[str, Drawn | None]:
    return intervals(model.draw(generator, n))


def mean_design(effect: str, mean: float) -> Design:
    """Return a design of delta: a mean of values between 0 and 1 that is skewed near 0."""
    return Design(effect, {"unqover.delta": mean}, partial(_draw_mean, mean))


def _draw_mean(mean: float, generator: np.random.Generator, n: int) -> dict[str, Drawn | None]:
    values = generator.beta(20 * mean, 20 * (1 - mean), n)
    strata = np.zeros(n, dtype=np.int64)
    estimate = jackknife(lambda w: w @ values / w.sum(axis=1), strata, width=n)
    share = guarded_mean(estimate, 0, np.ones(n), (0.0, 1.0))
    return {"unqover.delta": Drawn(share.value, *share.interval(LEVEL))}


DESIGNS = [
    design("none", 0.0),
    design("weak", 0.05),
    design("strong", 0.3),
    mean_design("none", 0.02),
    mean_design("weak", 0.1),
    mean_design("strong", 0.4),
]
