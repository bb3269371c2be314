"""Classes that have an order."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable
from scipy.special import log_expit

from ..data.class_targets import class_targets
from ..data.numbers import listed, scalar
from ..data.targets import Targets
from ..priors.settings import positive
from .base import Draws, Likelihood

UNIT = "propensity"


@dataclass(frozen=True)
class Ordered(Likelihood):
    r"""Classes that have an order, such as grades: proportional odds.

    The network has one output, whatever the number of classes, and the odds of a class and all
    below it are those of a logistic distribution that is cut where classes meet:

    .. math:: P(y \le k \mid f) = \frac{1}{1 + e^{f - c_k}}, \qquad
              c_k = \log \frac{s_1 + \dots + s_k}{s_{k+1} + \dots + s_K}, \qquad
              s \sim \mathrm{Dirichlet}(\alpha, \dots, \alpha)

    ``class_shares``, :math:`s`, are the shares of the classes among cases for which the network's
    output is zero. Their prior is not conjugate, and there is no fused kernel.

    Parameters
    ----------
    alpha : float
        Concentration of the prior of the shares: 1 is uniform, large ones say equal shares.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> shares = {"class_shares": np.array([[0.2, 0.3, 0.5]])}
    >>> models.Ordered().probability(np.zeros((1, 1, 1)), shares).round(3).tolist()
    [[[0.2, 0.3, 0.5]]]
    """

    alpha: float = 1.0

    name = "ordered"
    classifies = True
    hyperparameters: ClassVar[tuple[str, ...]] = ("class_shares",)

    def __post_init__(self) -> None:
        positive("Ordered", alpha=self.alpha)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets have an order and code them 0, 1, ... from below."""
        return class_targets(y, _ordered(y) if classes is None else classes)

    def units(self, outputs: tuple) -> tuple:
        """Name of the one unit: what rises with the class."""
        return (UNIT,)

    def information(self, units: int) -> np.ndarray:
        """Fisher information of many classes of equal shares, that of a logistic variable."""
        return np.full(units, 1 / 3)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``class_shares`` and ``y_obs``."""
        classes = len(pm.modelcontext(None).coords["output"])
        concentration = np.full(classes, np.float64(self.alpha))
        shares = pm.Dirichlet("class_shares", concentration, dims=("output",))
        log_below = pt.log(pt.cumsum(shares)[:-1])
        log_above = pt.log(pt.cumsum(shares[::-1])[::-1][1:])
        beyond = f[:, 0][:, None] - (log_below - log_above)
        below, above = -pt.softplus(beyond), -pt.softplus(-beyond)
        between = pt.log(shares[1:-1]) - log_below[1:] - log_above[:-1]
        parts = [below[:, :1], below[:, 1:] + above[:, :-1] + between, above[:, -1:]]
        pm.Categorical("y_obs", logit_p=pt.concatenate(parts, axis=1), observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case."""
        return _log_probabilities(f, draws)[:, np.arange(len(y)), y]

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        """Probabilities of classes; the unit alone says little, as cuts go with it."""
        return {"probability": self.probability(f, draws)}

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        """Class probabilities."""
        return np.exp(_log_probabilities(f, draws))

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw classes, by adding logistic noise and counting cuts below."""
        _, below, above = _log_cumulated(draws)
        return np.sum(f + rng.logistic(size=f.shape) > below - above, axis=-1)

    def words(self) -> str:
        """Say the likelihood in words."""
        return f"ordered classes, proportional odds, shares ~ Dirichlet({self.alpha:g})"


def _ordered(y: Any) -> tuple | None:
    """Classes from below; None for numbers, which are sorted."""
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    dtype = getattr(y, "dtype", None)
    if not isinstance(dtype, pd.CategoricalDtype):
        if pd.Series(np.asarray(y).ravel()).infer_objects().dtype.kind not in "biuf":
            raise ValueError(
                "y has classes without an order; give numbers, or pd.Categorical(y, [...], "
                "ordered=True) with the classes from below."
            )
        return None
    if not dtype.ordered:
        raise ValueError("y is a categorical without an order; say .cat.as_ordered().")
    found = tuple(map(scalar, dtype.categories))
    if not all(isinstance(one, str | int | float) for one in found):
        raise ValueError(
            f"y has categories of type {type(found[0]).__name__}; turn them into texts by "
            ".cat.rename_categories(str), which keeps their order."
        )
    if len(found) < 2:
        raise ValueError(f"y has one category only, {listed(found)}; two are needed to classify.")
    return found


def _log_cumulated(draws: Draws) -> tuple[np.ndarray, ...]:
    """Logarithms of shares, and of what lies below and above each cut, shape (samples, 1, ...)."""
    shares = draws["class_shares"][:, None]
    below, above = np.cumsum(shares, axis=-1), np.cumsum(shares[..., ::-1], axis=-1)[..., ::-1]
    with np.errstate(divide="ignore"):
        return np.log(shares), np.log(below[..., :-1]), np.log(above[..., 1:])


def _log_probabilities(f: np.ndarray, draws: Draws) -> np.ndarray:
    r"""Of each class, shape (samples, cases, classes), also where all but one have next to none.

    A class between two cuts has
    :math:`\sigma(c_k - f)\, \sigma(f - c_{k-1})\, (1 - e^{c_{k-1} - c_k})`, and the last factor is
    its share over the shares below the upper cut and above the lower one.
    """
    share, below, above = _log_cumulated(draws)
    cuts = below - above
    under, over = log_expit(cuts - f), log_expit(f - cuts)
    with np.errstate(invalid="ignore"):
        between = share[..., 1:-1] - below[..., 1:] - above[..., :-1]
        middle = under[..., 1:] + over[..., :-1] + between
    parts = [under[..., :1], middle, over[..., -1:]]
    return np.where(share == -np.inf, -np.inf, np.concatenate(parts, axis=-1))
