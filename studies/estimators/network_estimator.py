"""What regressors and classifiers have in common: fit a network to arrays, keep its draws."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ...models import BNN, VARIANTS, Prior, load
from ...models.architecture import hidden_sizes
from ...models.data.choices import choose, is_whole
from ...models.likelihoods import LIKELIHOODS
from ..chains.chain_stacking import (
    LEAST_CASES,
    ChainWeights,
    predicting_draws,
    weights_where_apart,
)
from ..fits.fit_store import TABLE_ATTRIBUTE
from ..fits.packing import pack, unpack
from ..fits.settings import Settings, draws_of
from ..fits.time_limit import LEAST_OF_ALL, TimeLimit, check_minutes, seconds_for_pilots
from ..structure.choosing import Structure, choose_structure
from ..structure.likelihoods import ChosenLikelihood
from ..structure.noise import SAME, choose_noise
from ..structure.pilots import Pilot
from ..tables.column import Column
from ..tables.encoding import Encoding
from .labels import check_column_labels, check_rows
from .patience import Judgement, sample_patiently
from .target_names import columns_of
from .time_budget import limit_of, within
from .units import centre_and_scale, refuse_times

AUTO = "auto"
# what a fit leaves; subclasses of users may have attributes of their own
LEFT_BY_A_FIT = (
    *("idata_", "chain_weights_", "grade_", "problems_", "times_", "_model", "hidden_"),
    *("structure_", "noise_", "classes_", "n_features_in_", "feature_names_in_"),
    *("_encoding", "_seed", "_mean", "_sd", "_names", "_inputs", "_called"),
)


class NetworkEstimator(BaseEstimator):
    """A network with the arguments and methods that its regressor and its classifier share."""

    noise_: ChosenLikelihood | None

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
        patience: int = 1,
        minutes: float | None = None,
    ):
        self.hidden = hidden
        self.prior = prior
        self.activation = activation
        self.draws = draws
        self.tune = tune
        self.chains = chains
        self.cores = cores
        self.random_state = random_state
        self.patience = patience
        self.minutes = minutes

    def _fit(self, X: np.ndarray, y: np.ndarray, likelihood: str, encoding: Encoding) -> Self:
        """Sample a network; targets are in its scale, inputs are not."""
        self._encoding = encoding
        limit = limit_of(self.minutes, len(y), self.chains)
        seed = int(check_random_state(self.random_state).randint(2**31))
        inputs = self._encode(X)
        hidden, likelihood = self._choose(inputs, y, likelihood, seed, limit)
        self._model = self._build(inputs, y, hidden, likelihood)
        asked = Settings(
            draws=self.draws, tune=self.tune, chains=self.chains, cores=self.cores, seed=seed
        )
        idata, judgement, self.times_ = self._sample(within(limit, self._model, asked), limit)
        self.hidden_ = tuple(self._model.hidden)
        self._seed, self._called = seed, self._name()
        self.grade_, self.problems_ = judgement.grade, judgement.problems
        # Ctrl-C from here on keeps the draws, whose chains then have equal weights
        self.chain_weights_: ChainWeights | None = None
        self.idata_: xr.DataTree = idata
        self._describe()
        self.chain_weights_ = self._weigh_chains(judgement)
        if not judgement.usable:
            self._warn(judgement)
        return self

    def _note_labels(self, X: Any, y: Any) -> None:
        """Remember labels of columns, and refuse inputs of other cases than their targets."""
        self._names, self._inputs = columns_of(y), columns_of(X)
        check_rows(X, y)

    def _sample(
        self, length: Settings, limit: TimeLimit | None
    ) -> tuple[xr.DataTree, Judgement, int]:
        return sample_patiently(
            self._model,
            self.patience,
            length.seed,
            length.draws,
            length.tune,
            length.chains,
            limit=limit,
            cores=length.cores,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )

    def _weigh_chains(self, judgement: Judgement) -> ChainWeights | None:
        """Weigh chains that stay apart, as reports of the same draws do."""
        cases = len(self._model["y"].get_value(borrow=True))
        if judgement.convergence is None or cases < LEAST_CASES:  # weights of few are not used
            return None
        return weights_where_apart(self._model, self.idata_, judgement.convergence)

    def _predicting(self) -> xr.DataTree:
        """Draws to predict with."""
        return predicting_draws(self.idata_, self.chain_weights_)

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Check settings, and leave an earlier fit as it was where a new one comes to no draws."""
        before = self._forgotten()
        try:
            self._check_settings()
            yield
        except BaseException:
            if "idata_" not in vars(self):
                self._forgotten()
                self.__dict__.update(before)
            raise

    def _forgotten(self) -> dict[str, Any]:
        """Forget what a fit left, as what stays of it would be of two fits, and return it."""
        left = {name: value for name, value in vars(self).items() if name in LEFT_BY_A_FIT}
        for name in left:
            delattr(self, name)
        return left

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "idata_")

    def _choose(
        self, X: pd.DataFrame, y: np.ndarray, likelihood: str, seed: int, limit: TimeLimit | None
    ) -> tuple[Any, str]:
        """Hidden layers and likelihood, by pilots where they are left open."""
        usual = LIKELIHOODS[SAME if likelihood == AUTO else likelihood].suiting(y)
        options: dict[str, Any] = {"seed": seed, "cores": self.cores}
        made: list[Pilot] = []
        self.structure_: Structure | None = None
        hidden: Any = self.hidden if isinstance(self.hidden, str) else hidden_sizes(self.hidden)
        if isinstance(hidden, str):
            options["most_seconds"] = seconds_for_pilots(limit)
            self.structure_ = choose_structure(
                X, y, usual, self.activation, finished=made.append, **options
            )
            hidden = self.structure_.hidden
        if likelihood == AUTO:
            options |= {"known": {SAME: made}, "most_seconds": seconds_for_pilots(limit)}
            self.noise_ = choose_noise(X, y, hidden, self.activation, **options)
            likelihood = self.noise_.name
        return hidden, likelihood

    def _check_settings(self) -> None:
        for name, least in (("draws", 10), ("tune", 0), ("chains", 1), ("patience", 1)):
            if not is_whole(value := getattr(self, name), least):
                raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
        if self.minutes is not None:
            check_minutes(self.minutes, f"minutes={self.minutes!r}")
        if isinstance(self.hidden, str):
            choose("hidden", self.hidden, (AUTO,))
        else:
            hidden_sizes(self.hidden)
        if isinstance(self.prior, str):
            choose("prior", self.prior, VARIANTS)

    def _build(self, X: pd.DataFrame, y: Any, hidden: Any, likelihood: str) -> BNN:
        suited = LIKELIHOODS[likelihood].suiting(y)  # as for the command line
        settings: dict[str, Any] = {"activation": self.activation, "likelihood": suited}
        if isinstance(self.prior, str):
            return VARIANTS[self.prior](X, y, hidden, **settings)
        return BNN(X, y, hidden, prior=self.prior, **settings)

    def _name(self) -> str:
        """What a report calls the model."""
        return self.prior if isinstance(self.prior, str) else "network"

    def _warn(self, judgement: Judgement) -> None:
        """Say that draws can be used for nothing, and what might help."""
        with_time = "" if self.minutes is None else " with more minutes"
        more = f"; patience={4 * self.patience}{with_time} may help" if judgement.longer else ""
        said = f"the draws cannot be used yet: {judgement.problems[0].rstrip('.')}{more}."
        warnings.warn(said, ConvergenceWarning, stacklevel=4)

    def _encode(self, X: np.ndarray) -> pd.DataFrame:
        names = [column.name for column in self._encoding.columns]
        return self._encoding.inputs(pd.DataFrame(X, columns=names))

    def _new(self, X: Any) -> pd.DataFrame:
        """Check new inputs, and put them into the scale of the network."""
        check_is_fitted(self)
        refuse_times(X, "X")
        inputs = validate_data(self, X, dtype=np.float64, reset=False)
        check_column_labels(X, getattr(self, "_inputs", ()))  # which older pickles lack
        return self._encode(inputs)

    def _columns(self, X: np.ndarray) -> tuple[Column, ...]:
        """How inputs are standardised; constant ones are only centred."""
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])])
        mean, sd = centre_and_scale(X, "X")
        return tuple(
            Column(str(name), float(m), float(s))
            for name, m, s in zip(names, mean, sd, strict=True)
        )

    def _describe(self) -> None:
        """Say in the draws how the table was encoded, as fits of a comparison do."""
        table = {"name": "table", "source": "", "encoding": self._encoding.to_dict()}
        self.idata_.attrs[TABLE_ATTRIBUTE] = json.dumps(table)

    def sample_predictions(self, X: Any, random_state: int | None = None) -> xr.DataArray:
        """Simulate new targets, one for each draw of the posterior.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.
        random_state : int, optional
            For the simulation; by default that of the fit.

        Returns
        -------
        DataArray
            Of dimensions chain, draw and obs: numbers in the unit of the targets, which have a
            dimension output too, with the names of targets whose columns have texts for names, or
            classes, by the name of theirs. Where predictions weigh chains by stacking, draws are
            taken in these shares, as of a single chain.
        """
        inputs = self._new(X)
        seed = self._seed if random_state is None else random_state
        drawn = self._model.predict(self._predicting(), inputs, draws=["y"], seed=seed)
        return self._decode(drawn["predictions"].dataset["y"])

    def report_(self, path: str | Path = "report.html", X: Any = None, y: Any = None) -> Path:
        """Write a report of the fit, with held-out cases if they are given.

        Parameters
        ----------
        path : str or Path
            The HTML file, by default in the folder where Python runs.
        X, y : array, optional
            Held-out cases.

        Returns
        -------
        Path

        Raises
        ------
        ValueError
            If there is one of X and y only, they are not of the same cases in the same order, or
            draws are too few for leave-one-out.
        """
        from ..comparison.comparison import compare  # reports take a while to import

        if (X is None) != (y is None):
            raise ValueError("give X and y of held-out cases, or neither.")
        if draws_of(self.idata_) < LEAST_OF_ALL:
            raise ValueError(
                f"draws={self.draws!r} of chains={self.chains!r}: a report needs at least "
                f"{LEAST_OF_ALL} draws of all chains."
            )
        test = None
        if X is not None:
            test = self._new(X), self._in_scale(self._targets(X, y))
        found = compare({self._called: self.idata_}, test, seed=self._seed)
        noise = getattr(self, "noise_", None)
        return replace(found, structure=self.structure_, likelihood=noise).to_html(path)

    def _targets(self, X: Any, y: Any) -> np.ndarray:
        """Targets of new inputs, with the checks of a fit."""
        check_consistent_length(X, y)
        check_rows(X, y)
        return self._readable(y)

    def _readable(self, y: Any) -> np.ndarray:
        """Targets as an array, if a fit would take them."""
        raise NotImplementedError

    def _in_scale(self, y: np.ndarray) -> np.ndarray:
        """Targets in the scale of the network."""
        raise NotImplementedError

    def _decode(self, drawn: xr.DataArray) -> xr.DataArray:
        """Simulated targets as the user knows them."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_model", None)  # its draws say what it is
        if "idata_" in state:
            state["idata_"] = pack(state["idata_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {"minutes": None, **state}  # which older pickles lack
        if "idata_" in state:
            state = {**state, "idata_": unpack(state["idata_"])}
        super().__setstate__(state)
        if "idata_" in state and "_called" not in state:  # as in older pickles
            self._called = self._name()
        if "idata_" in state:
            self._model = load(self.idata_)
