"""Additive sufficient statistics of UnQover: sums by subject, attribute and cluster (template).

Every metric is a function of these sums under weights of the clusters, so the estimate, the
jackknife, the bootstrap and the sign flips do not need the examples themselves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.unqover import metrics, specs
from evenhand.scorer.unqover.examples import Examples
from evenhand.scorer.unqover.specs import CellMetric, ExampleMean

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cells:
    """Sums over the examples of one config; T templates, X subjects, A attributes."""

    bias: Floats
    """Sum of C seen from the subject, shape [T, X, A]."""
    sign: Floats
    """Sum of the signs of C seen from the subject, shape [T, X, A]."""
    n: Floats
    """Number of examples with the subject, shape [T, X, A]."""
    means: dict[str, Floats]
    """Metric that is a mean over examples -> sum over examples, shape [T]; ties of decisions are
    under :func:`ties_id`."""
    n_examples: Floats
    """Number of examples, shape [T]."""

    @property
    def width(self) -> int:
        """Number of cells of one cluster, X times A."""
        return int(self.n.shape[1] * self.n.shape[2])

    def gamma_xa(self, weights: Floats) -> Floats:
        """Return gamma(x,a) under weights [R, T]; shape [R, X, A]."""
        return metrics.subject_attribute_bias(self._sum(weights, self.bias), self.count(weights))

    def eta_xa(self, weights: Floats) -> Floats:
        """Return eta(x,a) under weights [R, T]; shape [R, X, A]."""
        return metrics.subject_attribute_preference(
            self._sum(weights, self.sign), self.count(weights)
        )

    def gamma_x(self, weights: Floats) -> Floats:
        """Return gamma(x) under weights [R, T]; shape [R, X]."""
        return metrics.subject_bias(self._sum(weights, self.bias), self.count(weights))

    def eta_x(self, weights: Floats) -> Floats:
        """Return eta(x) under weights [R, T]; shape [R, X]."""
        return metrics.subject_preference(self._sum(weights, self.sign), self.count(weights))

    def value(self, spec: CellMetric, weights: Floats) -> Floats:
        """Return a metric under weights [R, T]; shape [R], by subject [R, X]."""
        return spec.value(self._sum(weights, getattr(self, spec.sums)), self.count(weights))

    def value_under_signs(self, spec: CellMetric, signs: Floats) -> Floats:
        """Return a metric with the preferences of each cluster kept (1) or reversed (-1)."""
        return spec.value(self._sum(signs, getattr(self, spec.sums)), self.n.sum(axis=0))

    def mean(self, name: str, weights: Floats) -> Floats:
        """Return one of :attr:`means` under weights [R, T]; shape [R]."""
        n = weights @ self.n_examples
        total = weights @ self.means[name]
        mean = np.full(total.shape, np.nan)
        np.divide(total, n, out=mean, where=n != 0)
        return mean

    def count(self, weights: Floats) -> Floats:
        """Return the number of examples of each cell under weights [R, T]; shape [R, X, A]."""
        return self._sum(weights, self.n)

    def by_group(self, groups: list[str]) -> "Cells":
        """Return the sums by group, over the subjects of each.

        Args:
            groups: the group of each subject, by subject code; the result's subjects are the sorted
                distinct groups.
        """
        names = sorted(set(groups))
        member = np.array([[float(group == name) for group in groups] for name in names])
        bias, sign, n = (
            np.einsum("gx,txa->tga", member, sums) for sums in (self.bias, self.sign, self.n)
        )
        return Cells(bias=bias, sign=sign, n=n, means=self.means, n_examples=self.n_examples)

    def _sum(self, weights: Floats, sums: Floats) -> Floats:
        flat = weights @ sums.reshape(len(sums), -1)
        return np.asarray(flat.reshape(len(weights), *sums.shape[1:]))


def sum_cells(examples: Examples, bias: Floats) -> Cells:
    """Add up the examples by template, subject and attribute.

    Args:
        examples: E examples.
        bias: C of each example, shape [E].
    """
    shape = (len(examples.templates), len(examples.subjects), len(examples.attributes))
    cells = [
        np.ravel_multi_index((examples.template, x, examples.attribute), shape)
        for x in (examples.x1, examples.x2)
    ]
    sign = np.sign(bias)
    size = int(np.prod(shape))

    def seen_from_both(values: Floats) -> Floats:
        # C(x2, x1) = -C(x1, x2): what x1 wins, x2 loses.
        won = np.bincount(cells[0], weights=values, minlength=size)
        lost = np.bincount(cells[1], weights=values, minlength=size)
        return np.asarray(won - lost, dtype=np.float64).reshape(shape)

    n = np.bincount(np.concatenate(cells), minlength=size).reshape(shape)
    return Cells(
        bias=seen_from_both(bias),
        sign=seen_from_both(sign),
        n=n.astype(np.float64),
        means=_means(examples),
        n_examples=_by_template(examples, np.ones(len(bias))),
    )


def _means(examples: Examples) -> dict[str, Floats]:
    sums: dict[str, Floats] = {}
    for spec in specs.METRICS:
        if isinstance(spec, ExampleMean):
            values = {spec.id: spec.value, ties_id(spec.id): spec.tied}
            for name, value in values.items():
                if value is not None:
                    example_values = value(examples.scores_x1, examples.scores_x2)
                    sums[name] = _by_template(examples, example_values)
    return sums


def ties_id(metric_id: str) -> str:
    """Return the name under which the ties of a share of decisions are summed."""
    return f"{metric_id}.tied"


def _by_template(examples: Examples, values: Floats) -> Floats:
    sums = np.bincount(examples.template, weights=values, minlength=len(examples.templates))
    return np.asarray(sums, dtype=np.float64)
