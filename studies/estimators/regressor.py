"""A network for numbers, as a scikit-learn regressor."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ...models import BNN, Prior
from ...models.data.choices import choose
from ...models.data.numbers import finite
from ...models.likelihoods.contract import mean_name
from ...models.scores import log_predictive_density
from ..fits.settings import draws_of
from ..scores.tails import MIDDLE, beyond_draws, warn_of_tails
from ..tables.encoding import Encoding
from ..tables.target_likelihood import named_likelihood, names_for
from .network_estimator import AUTO, NetworkEstimator
from .target_names import check_columns, named_targets
from .units import centre_and_scale, refuse_times


class BNNRegressor(RegressorMixin, NetworkEstimator):
    """A Bayesian neural network that is sampled, for numbers.

    Inputs and targets are standardised by the training cases; predictions come back in the unit
    of the targets. For texts and categories put a ``OneHotEncoder`` before it.

    Parameters
    ----------
    hidden : "auto" or sequence of int
        Units of each hidden layer; ``"auto"`` chooses by pilot runs on the training cases (see
        :func:`.structure.choosing.choose_structure`), ``()`` is a linear model.
    prior : str, Prior or mapping of str to Prior
        One of :data:`pymc_bnn.models.VARIANTS`, or as for :class:`pymc_bnn.models.BNN`.
    activation : {"tanh", "relu", "logistic", "softplus", "identity", "step"}
        What hidden units compute.
    draws, tune, chains : int
        Draws to keep and warm-up of each chain, and number of chains.
    cores : int, optional
        Processes; by default one per processor.
    random_state : int or RandomState, optional
        The same number gives the same draws.
    likelihood : {"auto", "gaussian", "student_t", "heteroscedastic"}
        Noise: normal, with heavy tails, or normal with a standard deviation that the network
        computes for each case; ``"auto"`` chooses between the first and the last by pilot runs
        (see :func:`.structure.noise.choose_noise`). The name in ``noise_`` will do too. Of several
        outputs each has noise of its own.
    patience : int
        How many times as long as usual sampling may take. While draws cannot be used as chains
        disagree, chains go on, with twice as many sweeps for each draw as before.
    minutes : float, optional
        Wall time of a fit, pilot runs included, to which it keeps as far as it can: it tries fewer
        hidden layers and likelihoods, makes warm-up and draws shorter alike, down to a tenth, and
        has patience only while there is time. Some draws are timed first. How short chains are
        depends on the speed of the machine, so that the same ``random_state`` gives the same
        draws only where nothing is left out.

    Attributes
    ----------
    idata_ : DataTree
        The draws, for ArviZ.
    hidden_ : tuple of int
        Units of each hidden layer.
    structure_ : Structure or None
        How they were chosen, if they were.
    noise_ : ChosenLikelihood or None
        How the likelihood was chosen, if it was.
    grade_ : str
        What the draws can be used for: "converged", "nearly", "predictions stable", "not yet".
    problems_ : tuple of str
        What is wrong with them, and how to mend it.
    chain_weights_ : ChainWeights or None
        Weights of chains that stay apart, by stacking; predictions use them where they predict
        better than equal ones, as reports do. ``idata_`` holds the draws of all chains.
    times_ : int
        How many times as long as usual the last run of the chains is: that many times as many
        sweeps lie between two draws, or of priors for NUTS there are so many draws.

    Warns
    -----
    ConvergenceWarning
        If chains disagree so much that the draws cannot be used.
    UserWarning
        If ``minutes`` are not enough for a tenth of the draws, which are sampled all the same.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import studies
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = 3 * X[:, 0] + 0.1 * np.cos(99 * X[:, 0])
    >>> model = studies.BNNRegressor(hidden=(), draws=300, cores=1, random_state=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        hidden: str | Sequence[int] = AUTO,
        prior: str | Prior | Mapping[str, Prior] = "normal_inverse_gamma",
        activation: str = "tanh",
        draws: int = 500,
        tune: int = 300,
        chains: int = 4,
        cores: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        likelihood: str = AUTO,
        patience: int = 1,
        minutes: float | None = None,
    ):
        shared = hidden, prior, activation, draws, tune, chains, cores, random_state
        super().__init__(*shared, patience, minutes)
        self.likelihood = likelihood

    def fit(self, X: Any, y: Any) -> Self:
        """Sample the posterior.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            Inputs, in any unit.
        y : array, Series or DataFrame, shape (cases,) or (cases, outputs)
            Targets, in any unit; draws of outputs carry their names, if these are texts.

        Returns
        -------
        BNNRegressor

        Raises
        ------
        ValueError
            If the likelihood is none of numbers, or X and y are of the same cases in another order.
        """
        with self._fitting():
            likelihood = _named(self.likelihood)
            self._note_labels(X, y)
            refuse_times(X, "X")
            refuse_times(y, "y")
            X, y = validate_data(
                self,
                X,
                y,
                dtype=np.float64,
                y_numeric=True,
                multi_output=True,
                ensure_min_samples=2,
            )
            y = y.astype(np.float64)
            self.noise_ = None
            self._mean, self._sd = centre_and_scale(y, "y")
            one = self._mean.size == 1
            unit = (float(self._mean.item()), float(self._sd.item())) if one else (0.0, 1.0)
            # reports have one unit for all outputs
            target = "y" if one else "y, standardised"
            encoding = Encoding(self._columns(X), target, "regression", *unit)
            self._fit(X, self._in_scale(y), likelihood, encoding)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the predictive distribution of each case, and its standard deviation if asked.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.
        return_std : bool
            Whether to return the standard deviation of a new target too, noise included.

        Returns
        -------
        mean : ndarray, shape (cases,) or (cases, outputs)
        std : ndarray
            Of the same shape, if asked for.

        Warns
        -----
        UserWarning
            If standard deviations rest on few draws, as they may with noise by row far from the
            training cases, where its logarithm is extrapolated; an interval is sound there.
        """
        inputs = self._new(X)
        predicted = self._model.predict(
            self._predicting(), inputs, draws=False, quantiles=MIDDLE, seed=self._seed
        )
        summary = predicted["summary"].dataset
        # the mean of the noise is known to be zero, that of its draws is not
        mean = self._unit(summary["mean"].sel(variable=mean_name(self._model)).values)
        if not return_std:
            return mean
        warn_of_tails(summary.sel(variable="y"))
        return mean, self._shaped(summary["sd"].sel(variable="y").values * self._sd)

    def predict_interval(self, X: Any, probability: float = 0.9) -> np.ndarray:
        """Interval that holds a new target with a probability, with equal tails.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.
        probability : float
            Between 0 and 1.

        Returns
        -------
        ndarray, shape (cases, 2) or (cases, outputs, 2)
            Lower and upper end.

        Raises
        ------
        ValueError
            If the probability is none.

        Warns
        -----
        UserWarning
            If fewer than five draws lie beyond each end.
        """
        if not isinstance(probability, Real) or not 0 < probability < 1:
            raise ValueError(f"probability={probability!r}: give a number between 0 and 1.")
        check_is_fitted(self)
        draws = self._predicting()
        if said := beyond_draws(float(probability), draws_of(draws)):
            warnings.warn(f"{said}.", stacklevel=2)
        inputs, tail = self._new(X), (1 - probability) / 2
        predicted = self._model.predict(
            draws, inputs, draws=False, quantiles=(tail, 1 - tail), seed=self._seed
        )
        ends = (
            predicted["summary"].dataset["quantiles"].sel(variable="y").transpose("quantile", ...)
        )
        return np.stack([self._unit(end) for end in ends.values], axis=-1)

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """Log predictive density of targets, of which the mean is the log score.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.
        y : array, shape (cases,) or (cases, outputs)
            Their targets.

        Returns
        -------
        ndarray, shape (cases,)
            In nats, per unit of the targets.

        Raises
        ------
        ValueError
            If there are other targets than in ``fit``, such as texts, or in another order than X.

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn import studies
        >>> X = np.linspace(-1, 1, 40)[:, None]
        >>> y = 1000 * X[:, 0] + 50 * np.cos(99 * X[:, 0])
        >>> model = studies.BNNRegressor(hidden=(), draws=300, cores=1, random_state=1).fit(X, y)
        >>> round(float(model.log_density(X, y).mean()))  # of noise with a deviation of 35
        -5
        """
        inputs = self._new(X)
        draws, scaled = self._predicting(), self._in_scale(self._targets(X, y))
        density = log_predictive_density(self._model, draws, inputs, scaled)
        return density - float(np.sum(np.log(self._sd)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination of the predictive means, as of any regressor."""
        check_is_fitted(self)
        return float(super().score(X, self._targets(X, y), sample_weight))

    def _readable(self, y: Any) -> np.ndarray:
        check_columns(y, getattr(self, "_names", None))
        targets = finite(y, "y", "give numbers, as to fit")
        outputs = np.size(self._mean)
        if targets.size != len(targets) * outputs:
            raise ValueError(
                f"y has shape {targets.shape}: give {outputs} target(s) for each case, as to fit."
            )
        return targets

    def _build(self, X: pd.DataFrame, y: np.ndarray, hidden: Any, likelihood: str) -> BNN:
        return super()._build(X, named_targets(y, self._names), hidden, likelihood)

    def _in_scale(self, y: np.ndarray) -> np.ndarray:
        return (y.reshape(len(y), *np.shape(self._mean)) - self._mean) / self._sd

    def _decode(self, drawn: xr.DataArray) -> xr.DataArray:
        return drawn * self._sd + self._mean

    def _unit(self, values: np.ndarray) -> np.ndarray:
        """From the scale of the network, shape (cases, outputs), into that of the targets."""
        return self._shaped(values * self._sd + self._mean)

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values[:, 0] if np.ndim(self._mean) == 0 else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _named(noise: Any) -> str:
    """Full name of a noise, given that or what is before ``_noise``; others are refused."""
    short = noise.removesuffix("_noise") if isinstance(noise, str) else noise
    noises = (name.removesuffix("_noise") for name in names_for("regression"))
    return named_likelihood(choose("likelihood", short, (AUTO, *noises)))
