"""The constructor of networks with a likelihood: a ``pm.Model`` in one call."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
from pymc.util import UNSET
from xarray import DataArray, DataTree

from . import prediction, scores
from .activations import activation as find_activation
from .architecture import (
    PARAMETRIZATIONS,
    compute_output,
    declare_weights,
    find_groups,
    hidden_sizes,
    layer_coordinates,
    prior_of_each,
    skips,
)
from .data.choices import choose
from .data.pairing import check_paired
from .data.renewed_data import check_rows, new_values, note_labels
from .data.targets import as_inputs, check_outputs
from .data.unit_scale import warn_of_scale
from .declaration import (
    Declaration,
    added_names,
    check_precision,
    check_unnamed,
    free_variable,
    random_variables,
)
from .description import CONTAINER, as_bytes
from .likelihoods import Likelihood
from .likelihoods import likelihood as find_likelihood
from .likelihoods.contract import check_observed
from .priors.base import Prior
from .rebuilding import copied, decode, of_another_class, own_data, rebuild, rebuilt
from .simd.one_thread import alone


class BNN(pm.Model):
    r"""A feed-forward Bayesian neural network.

    .. math:: h_0 = x, \qquad h_{l+1} = \phi(h_l W_l + b_l), \qquad f = h_L W_L + b_L

    (Choo 2000, Eqs. 3.1-3.2, for any number of hidden layers). Weight groups are named
    ``w0, b0, w1, b1, ...``; the hyperparameters of a group start with its name; targets are
    ``y_obs``; inputs and targets are the data containers ``X`` and ``y``.

    Parameters
    ----------
    X : array, DataFrame or DataArray, shape (cases, inputs)
        Inputs; column names become the coordinates of the dimension ``input``.
    y : array, Series, DataFrame or DataArray, shape (cases,) or (cases, outputs)
        Targets. If both have an index, it must be the same; otherwise position pairs them.
    hidden : sequence of int
        Units of each hidden layer; empty for a linear model.
    activation : {"tanh", "relu", "logistic", "softplus", "identity", "step"}
        What hidden units compute.
    prior : Prior or mapping of str to Prior
        Prior of the weights: one for all groups, or one for each (``{"w0": ..., ...}``).
        By default standard normal.
    likelihood : Likelihood or str
        Distribution of the targets, or the name of one of our own, such as ``"gaussian_noise"``,
        ``"heteroscedastic_noise"`` or ``"categorical"``, with its default settings.
    biases : bool
        Whether units have biases.
    parametrization : {"centered", "noncentered"}
        With ``"noncentered"`` the free variables are standard normal ``w0_raw, ...`` and the
        weights their product with the prior's scale (Choo 2000, Eq. 4.10; Lau 2018, 3.2).
    skip : bool
        Whether inputs are connected to outputs directly too (Neal 1995, 3.1): the outputs have
        :math:`x W_\mathrm{skip}` added, the group ``skip``. Such a network is sampled from its
        PyTensor graph.

    Attributes
    ----------
    groups : dict of str to Group
        The groups of weights, in the order of the layers.
    output_units : tuple
        Names of the units of the last layer: the outputs, and what else the likelihood needs.
    scales : dict of str to TensorVariable or float
        Prior standard deviation of each group, given its hyperparameters.
    declaration : Declaration
        The variables that the network declared.

    Raises
    ------
    ValueError
        If an argument is not valid; the message says which and how to mend it.

    Warns
    -----
    ScaleWarning
        If inputs, or targets with Gaussian noise, are far from unit scale: the root mean square of
        a column is above 10, or all of its values are below 0.1 and most are not zero.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> prior = {"w0": models.ARD(), "b0": models.Gaussian(), "w1": models.Scaled(),
    ...          "b1": models.Gaussian()}
    >>> model = models.BNN(X, X[:, 0], hidden=(4,), prior=prior)
    >>> model.groups["w0"].shape
    (3, 4)
    """

    @alone
    def __init__(
        self,
        X: Any,
        y: Any,
        hidden: Sequence[int] = (8,),
        activation: str = "tanh",
        prior: Prior | Mapping[str, Prior] | None = None,
        likelihood: str | Likelihood | Mapping[str, Any] = "gaussian_noise",
        biases: bool = True,
        parametrization: str = "centered",
        *,
        skip: bool = False,
        classes: tuple | None = None,
        nested: bool = True,
    ):
        check_precision()
        values, inputs = as_inputs(X)
        self.likelihood = find_likelihood(likelihood)
        targets = self.likelihood.encode(y, classes)
        check_paired(X, y, len(values), len(targets.values))
        self.hidden = hidden_sizes(hidden)
        self.activation = find_activation(activation)
        self.biases, self.skip = bool(biases), skips(skip, self.hidden)
        self.parametrization = choose("parametrization", parametrization, PARAMETRIZATIONS)
        self.inputs, self.outputs, self.classes = inputs, targets.outputs, targets.classes
        self.output_units = self.likelihood.units(targets.outputs)
        end = "output" if self.output_units == self.outputs else "output_unit"
        coordinates = layer_coordinates(inputs, self.hidden, self.output_units, end=end)
        coords = {**coordinates, "output": targets.outputs}
        super().__init__(coords=coords, model=UNSET if nested else None)
        check_unnamed(self)
        self.groups = find_groups(coordinates, self.biases, self.skip)
        self.priors = prior_of_each(prior, self.groups)
        self._described = {name: prior.to_dict() for name, prior in self.priors.items()}
        self._declare(values, targets.values)
        self.declaration = self._record()
        if nested:  # a model that is built again has been warned of, and its rows are numbered anew
            note_labels(self, X=X, y=y)
            self._warn_of_scale(values, targets.values)

    def _warn_of_scale(self, X: np.ndarray, y: np.ndarray) -> None:
        warn_of_scale(X, self.inputs, "X")
        if self.likelihood.unit_scale:
            warn_of_scale(y, self.outputs, "y")

    def _declare(self, X: np.ndarray, y: np.ndarray) -> None:
        """Declare all variables; the model's context is active here."""
        X_data = pm.Data("X", X, dims=("obs", "input"))
        y_data = pm.Data("y", y, dims=("obs", "output")[: y.ndim])
        pm.Data(CONTAINER, as_bytes(self.to_dict()))
        weights, self.scales = declare_weights(self.groups, self.priors, self.parametrization)
        self._computed = weights
        before = list(self.observed_RVs)
        self.likelihood.observe(compute_output(X_data, weights, self.activation.name), y_data)
        check_observed(self, before)

    def _record(self) -> Declaration:
        """Remember what has been declared up to now."""
        weights = {group: free_variable(self, self.free_name(group)) for group in self.groups}
        return Declaration(
            weights,
            self._computed,
            tuple(self.observed_RVs),
            random_variables(self),
            tuple(self.deterministics),
            own_data(self),
        )

    @property
    def added(self) -> tuple[str, ...]:
        """Names of random variables and potentials that were added to the network's own."""
        return added_names(self, self.declaration) if hasattr(self, "declaration") else ()

    def add_named_variable(self, var: Any, dims: Any = None) -> None:
        """Register a variable, and describe the model anew if it is none of the network's own."""
        super().add_named_variable(var, dims)
        if self.added:
            self[CONTAINER].set_value(as_bytes(self.to_dict()))

    def free_name(self, group: str) -> str:
        """Name of the free variable behind a group: the weights, or their raw form."""
        return group if self.parametrization == "centered" else f"{group}_raw"

    def reparametrized(self, parametrization: str) -> "BNN":
        """Build the same model, on the same data, in another parametrization.

        Parameters
        ----------
        parametrization : {"centered", "noncentered"}
            The parametrization.

        Returns
        -------
        BNN

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn import models
        >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
        >>> model.reparametrized("noncentered").free_RVs[0]
        w0_raw
        """
        return rebuilt(self, parametrization)

    def with_data(self, X: Any, y: Any) -> "BNN":
        """Build the same model on other cases, of the same inputs, outputs and classes."""
        values, _ = as_inputs(X, self.inputs)
        targets = self.likelihood.encode(y, self.classes)
        check_outputs(targets, self.outputs)
        check_paired(X, y, len(values), len(targets.values))
        labels = targets.values if self.classes is None else np.asarray(y)
        built = rebuild(self, values, labels)
        note_labels(built, X=X, y=y)
        return built

    def copy(self) -> pm.Model:
        """Build the network again on the same data; with variables added, as PyMC copies a model.

        Draws of the latter are refused by :func:`pymc_bnn.models.load`.
        """
        return copied(self) or of_another_class(super().copy(), self.to_dict())

    def set_data(
        self, name: str, values: Any, coords: Mapping[str, Sequence] | None = None
    ) -> None:
        """Change a data container, as ``pm.set_data`` does; ``X`` and ``y`` are checked first."""
        super().set_data(name, new_values(self, name, values), coords)
        note_labels(self, **{name: values})

    def training_data(self) -> tuple[pd.DataFrame, Any]:
        """Inputs and targets the model holds, as they were given."""
        check_rows(self)
        return decode(self.to_dict(), self["X"].get_value(), self["y"].get_value())

    def to_dict(self) -> dict[str, Any]:
        """Describe the model in JSON-able values; :func:`pymc_bnn.models.load` reads them."""
        return {
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "classes": None if self.classes is None else list(self.classes),
            "hidden": list(self.hidden),
            "activation": self.activation.name,
            "prior": {name: dict(described) for name, described in self._described.items()},
            "likelihood": self.likelihood.to_dict(),
            "biases": self.biases,
            "parametrization": self.parametrization,
            **({"skip": True} if self.skip else {}),
            **({"added": list(self.added)} if self.added else {}),
            **({} if type(self) is BNN else {"class": type(self).__name__}),
        }

    @alone
    def compile_fn(self, outs: Any, *, inputs: Any = None, **options: Any) -> Any:
        """Compile a function, as ``pm.Model`` does, but not for predictive draws that are wrong."""
        prediction.check_drawn_alone(self, outs, inputs)
        return super().compile_fn(outs, inputs=inputs, **options)

    def predict(self, idata: DataTree, X: Any, **options: Any) -> DataTree:
        """Predict new cases from posterior draws; see :func:`.prediction.predict`."""
        return prediction.predict(self, idata, X, **options)

    def log_likelihood(
        self, idata: DataTree, X: Any = None, y: Any = None, *, trained: bool = False
    ) -> DataArray:
        """Log density of cases under each draw; see :func:`.scores.log_likelihood`."""
        return scores.log_likelihood(self, idata, X, y, trained=trained)

    def log_score(self, idata: DataTree, X: Any, y: Any) -> float:
        """Mean log predictive density of cases; see :func:`.scores.log_score`."""
        return scores.log_score(self, idata, X, y)
