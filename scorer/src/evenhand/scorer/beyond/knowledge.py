"""How well a model knows the right class: a concave criterion in place of norms."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def knowledge(s: Floats, p_star: Floats, right: NDArray[np.int64]) -> Floats:
    r"""How well a model knows the right class of each subject, by a quadratic score (J of p).

    .. math::
        J(p) = 1 - (1 - p_g)^2,\qquad p_g = p^*_g (1 + s_g)

    Symbols:
        s: stereotypes of Y classes of X subjects, shape [..., X, Y].
        p_star: probabilities of an unbiased model, shape [Y].
        right: code g of each subject's right class, shape [X].
        returns: J, shape [..., X].

    Range:
        [0, 1]; 1 is certainty of the right class. J is concave, so by Jensen's inequality
        E[J(p)] is at most J(E[p]); the difference is the cost of varying between contexts.

    Ties and empties:
        NaN where s is NaN.

    Source:
        Evenhand's own. Appendix E.1 of the paper proposes a concave function of p without naming
        one; this one is the quadratic (Brier) score of the right class, as a gain.

    >>> knowledge(np.array([[[1.0, -1.0]], [[0.0, 0.0]]]), np.array([0.5, 0.5]), np.array([0]))
    array([[1.  ],
           [0.75]])
    """
    s_right = np.take_along_axis(np.asarray(s), _index(s, right), axis=-1)[..., 0]
    p = np.asarray(p_star)[right] * (1 + s_right)
    return np.asarray(1 - (1 - p) ** 2)


def _index(s: Floats, right: NDArray[np.int64]) -> NDArray[np.int64]:
    shape = (*np.shape(s)[:-1], 1)
    return np.broadcast_to(right[:, None], shape)
