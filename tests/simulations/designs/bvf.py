"""BVF: stereotypes of X subjects in C contexts, with lasting preferences and with noise."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from evenhand.scorer.bvf import brackets
from evenhand.scorer.bvf.metrics import criterion
from evenhand.scorer.bvf.sums import Sums
from evenhand.scorer.inference.bounded import guarded_mean
from evenhand.scorer.inference.clusters import effective_degrees
from evenhand.scorer.inference.estimates import Bracket, jackknife, unbiased
from evenhand.scorer.inference.spread import spread

from .study import LEVEL, Design, Drawn

N_SUBJECTS = 40
_NOISE = np.linspace(-6, 6, 2001)
_DENSITY = np.exp(-(_NOISE**2) / 2) / np.exp(-(_NOISE**2) / 2).sum()


class Model(NamedTuple):
    """How a model's stereotypes come about: tanh of half a preference plus noise."""

    preference: np.ndarray
    """Of each subject, shape [X]."""
    noise: float
    shared: float
    """Share of the noise's variance that moves all subjects of a context together."""

    def draw(self, generator: np.random.Generator, n_contexts: int) -> Sums:
        """Return the sums of some contexts."""
        n_subjects = len(self.preference)
        common = generator.standard_normal((n_contexts, 1)) * self.shared**0.5
        single = generator.standard_normal((n_contexts, n_subjects)) * (1 - self.shared) ** 0.5
        return sums_of(np.tanh((self.preference + self.noise * (common + single)) / 2))

    def truth(self) -> dict[str, float]:
        """Return each metric of all contexts that there could be, by quadrature."""
        s = np.tanh((self.preference[:, None] + self.noise * _NOISE) / 2)
        mean, strength = s @ _DENSITY, np.abs(s) @ _DENSITY
        return {
            "bvf.R": float(strength.mean()),
            "bvf.R_b": float(np.abs(mean).mean()),
            "bvf.R_v": float((strength - np.abs(mean)).mean()),
            "bvf.direction": float(mean.mean()),
            "bvf.distribution.r": float(strength.std()),
            "bvf.distribution.r_b": float(np.abs(mean).std()),
        }


def sums_of(s: np.ndarray, weights: np.ndarray | None = None) -> Sums:
    """Return the sums of stereotypes [C, X] of the first of two classes."""
    weight = np.ones_like(s) if weights is None else np.broadcast_to(weights[:, None], s.shape)
    values = np.stack([weight, weight * np.abs(s), weight * s, -weight * s], axis=-1)
    return Sums(values, np.ones(s.shape[1]), criterion, 1.0)


def with_values(sums: Sums, values: np.ndarray) -> Sums:
    """Return other sums of the same subjects."""
    return Sums(values, sums.subject_weights, sums.strength, sums.largest)


def preferences(scale: float, n_subjects: int = N_SUBJECTS) -> np.ndarray:
    """Return lasting preferences of some subjects, the same for every data set."""
    return scale * np.random.default_rng(3).standard_normal(n_subjects)


def intervals(sums: Sums, repeats: int = brackets.REPEATS) -> dict[str, Drawn | None]:
    """Return the metrics as the scorer has them."""
    n_contexts = len(sums.values)
    strata = np.zeros(n_contexts, dtype=np.int64)
    freedom = effective_degrees(brackets.context_weights(sums), strata)
    total, bias = brackets.total(sums), brackets.bias(sums, seed=0, repeats=repeats)
    direction = jackknife(
        lambda weights: sums.directions(weights)[..., 0].mean(axis=1), strata, width=sums.width
    )
    risk = guarded_mean(total, 0, brackets.context_weights(sums), (0.0, 1.0))
    drawn = partial(_drawn, freedom=freedom)
    return {
        "bvf.R": Drawn(risk.value, *risk.interval(LEVEL)),
        "bvf.R_b": drawn(bias, bias.high.value, limits=(0, 1)),
        "bvf.R_v": drawn(unbiased(total) - bias, total.value - bias.high.value, limits=(0, 1)),
        "bvf.direction": drawn(unbiased(direction), direction.value, limits=(-1, 1)),
        **dict(_spreads(sums, freedom)),
    }


def _drawn(
    bracket: Bracket, value: np.ndarray, *, limits: tuple[float, float], freedom: float
) -> Drawn | None:
    low, high = (float(np.clip(end[0], *limits)) for end in bracket.interval(freedom, LEVEL))
    return None if high - low < 1e-12 else Drawn(float(value[0]), low, high)


def _spreads(sums: Sums, freedom: float) -> Iterable[tuple[str, Drawn]]:
    n = len(sums.values)
    whole, left_out = sums.risks(np.ones((1, n))), sums.risks(1 - np.eye(n))
    for part, name in ((0, "r"), (1, "r_b")):
        one = spread(whole[part][0], left_out[part], freedom=freedom, level=LEVEL)
        yield f"bvf.distribution.{name}", Drawn(one.value, one.low, one.high)


def design(effect: str, scale: float, shared: float = 0.5, noise: float = 3.0) -> Design:
    """Return a design of preferences of some strength."""
    model = Model(preferences(scale), noise, shared)
    return Design(effect, model.truth(), partial(_draw, model))


def _draw(model: Model, generator: np.random.Generator, n: int) -> dict[str, Drawn | None]:
    return intervals(model.draw(generator, n))


DESIGNS = [design("none", 0.0), design("weak", 0.5), design("strong", 3.0)]
