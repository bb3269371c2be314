"""A network as part of a model: its groups of weights with their priors, and what it computes."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pymc as pm
from pytensor import config
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable
from pytensor.tensor.type import discrete_dtypes
from pytensor.tensor.variable import TensorVariable

from .activations import activation as find_activation
from .data.choices import choose
from .data.targets import as_inputs
from .data.unit_scale import warn_of_scale
from .declaration import declared
from .layer import layer
from .priors.base import Group, Prior

PARAMETRIZATIONS = ("centered", "noncentered")
SKIP = "skip"  # group of the weights from inputs to outputs


def network(
    X: Any,
    outputs: int | None = None,
    hidden: Sequence[int] = (8,),
    activation: str = "tanh",
    prior: Prior | Mapping[str, Prior] | None = None,
    biases: bool = True,
    parametrization: str = "centered",
    *,
    skip: bool = False,
    name: str = "f",
) -> TensorVariable:
    r"""Declare a network in the model at hand and return its output, for a likelihood of your own.

    .. math:: h_0 = x, \qquad h_{l+1} = \phi(h_l W_l + b_l), \qquad f = h_L W_L + b_L

    (Choo 2000, Eqs. 3.1-3.2). A model may have any number of networks, under different names. The
    groups of weights of a network ``"f"`` are ``f_w0, f_b0, f_w1, ...``, their hyperparameters
    start with these names, and its dimensions are ``f_input, f_hidden_0, ..., f_output``. PyMC's
    prefix of a nested model is put before all of them. Such a model is sampled from its PyTensor
    graph, in which each layer is a compiled kernel. The fused kernel of a whole network is for
    :class:`pymc_bnn.models.BNN`.

    Parameters
    ----------
    X : array, DataFrame, DataArray or pm.Data, shape (cases, inputs)
        Inputs. A table is put into the data container ``f_X``, which ``pm.set_data`` changes; it
        takes columns by their places, so give it ``table[list(model.coords["f_input"])]``.
    outputs : int, optional
        Number of outputs. By default there is one, and the result is a vector.
    hidden : sequence of int
        Units of each hidden layer; empty for a linear model.
    activation : {"tanh", "relu", "logistic", "softplus", "identity", "step"}
        What hidden units compute.
    prior : Prior or mapping of str to Prior, optional
        Prior of every group, or of each group ``w0, b0, w1, ...``; :class:`Gaussian` by default.
    biases : bool
        Whether layers have biases.
    parametrization : {"centered", "noncentered"}
        Whether the free variables are the weights, or weights in units of their prior's scale.
    skip : bool
        Whether inputs are connected to the output directly too, by weights ``f_skip``.
    name : str
        Name of the network.

    Returns
    -------
    TensorVariable
        Shape (cases,), or (cases, outputs) if ``outputs`` is given.

    Raises
    ------
    TypeError
        If there is no model at hand.
    ValueError
        If an argument is not valid; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> X, y = np.linspace(-1, 1, 6)[:, None], np.arange(6.0)
    >>> with pm.Model() as model:
    ...     mean = models.network(X, hidden=(4,), name="mean")
    ...     log_sd = models.network(X, hidden=(2,), name="log_sd")
    ...     _ = pm.Normal("y", mean, pm.math.exp(log_sd), observed=y)
    >>> [variable.name for variable in model.free_RVs][:4]
    ['mean_w0', 'mean_b0', 'mean_w1', 'mean_b1']
    """
    model = pm.modelcontext(None)
    if not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(f"name={name!r}: give a name such as 'f', of letters and digits.")
    if not (outputs is None or (isinstance(outputs, int | np.integer) and outputs > 0)):
        raise ValueError(f"outputs={outputs!r}: give a positive whole number, or leave it out.")
    choose("parametrization", parametrization, PARAMETRIZATIONS)
    between = find_activation(activation).name
    units, inputs = _inputs(X)
    sizes = hidden_sizes(hidden)
    last = range(1 if outputs is None else outputs)
    coordinates = layer_coordinates(inputs, sizes, last, f"{model.name_for(name)}_")
    if next(iter(coordinates)) in model.coords:
        raise ValueError(f"name={name!r}: the model has such a network already; name another.")
    groups = find_groups(coordinates, biases, skips(skip, sizes), f"{name}_")
    wanted = [model.name_for(n) for n in (f"{name}_X", *(g.name for g in groups.values()))]
    if taken := [n for n in wanted if n in model.named_vars]:
        raise ValueError(
            f"name={name!r}: the model has a variable {taken[0]} already; name another."
        )
    priors = prior_of_each(prior, groups)  # nothing is declared before all arguments are checked
    model.add_coords(coordinates)
    if isinstance(units, np.ndarray):
        units = pm.Data(f"{name}_X", units)
    weights, _ = declare_weights(groups, priors, parametrization)
    output = compute_output(units, weights, between)
    return output if outputs is not None else output[:, 0]


def _inputs(X: Any) -> tuple[Any, Sequence]:
    """Inputs as an array or a tensor, and the names of their columns."""
    if not isinstance(X, Variable):
        values, inputs = as_inputs(X)
        warn_of_scale(values, inputs, "X")
        return values, inputs
    columns = X.type.shape[1] if X.type.ndim == 2 else None
    if columns is None and X.type.ndim == 2 and isinstance(X, SharedVariable):
        columns = X.get_value(borrow=True).shape[1]
    if columns is None:
        raise ValueError(
            "X is a tensor of which it is not known how many columns it has; give a table, pm.Data "
            "of shape (cases, inputs), or pytensor.tensor.specify_shape(X, (None, inputs))."
        )
    # kernels of layers know floats alone, all of one precision
    double = X.dtype in discrete_dtypes or config.floatX == "float64" != X.dtype
    return X.astype("float64") if double else X, range(columns)


def layer_coordinates(
    inputs: Sequence, hidden: tuple[int, ...], last: Sequence, prefix: str = "", end: str = "output"
) -> dict[str, tuple]:
    """Names of the units of all layers, by their dimensions: ``input, hidden_0, ..., output``."""
    layers = {"input": inputs, **{f"hidden_{i}": range(n) for i, n in enumerate(hidden)}, end: last}
    return {f"{prefix}{dim}": tuple(units) for dim, units in layers.items()}


def skips(skip: bool, hidden: tuple[int, ...]) -> bool:
    """Check whether inputs are connected to outputs directly beside all hidden layers."""
    if skip and not hidden:
        raise ValueError(
            "skip=True connects inputs to outputs past hidden layers, and there are none; leave it "
            "out, or give hidden."
        )
    return bool(skip)


def find_groups(
    coordinates: Mapping[str, tuple], biases: bool, skip: bool = False, prefix: str = ""
) -> dict[str, Group]:
    """Groups of weights between layers of given units, by ``w0, b0, w1, ...``, and ``skip``."""
    groups: dict[str, Group] = {}
    dims, sizes = list(coordinates), [len(units) for units in coordinates.values()]
    for i, (source, target) in enumerate(pairwise(dims)):
        shape = (sizes[i], sizes[i + 1])
        groups[f"w{i}"] = Group(f"{prefix}w{i}", shape, (source, target), sizes[i])
        if biases:
            groups[f"b{i}"] = Group(f"{prefix}b{i}", shape[1:], (target,), sizes[i])
    if skip:
        ends = (sizes[0], sizes[-1]), (dims[0], dims[-1])
        groups[SKIP] = Group(f"{prefix}{SKIP}", *ends, sizes[0])
    return groups


def declare_weights(
    groups: Mapping[str, Group], priors: Mapping[str, Prior], parametrization: str
) -> tuple[dict[str, TensorVariable], dict[str, TensorVariable | np.float64]]:
    """Declare the weights of all groups in the model at hand; return them, and their scales."""
    weights, scales = {}, {}
    for key, group in groups.items():
        scales[key] = priors[key].scale(group)
        weights[key] = declared(priors[key], group, scales[key], parametrization)
    return weights, scales


def compute_output(
    units: TensorVariable, weights: Mapping[str, TensorVariable], activation: str
) -> TensorVariable:
    """Carry inputs through all layers, and past them; the last one is linear."""
    inputs, last = units, max(int(key[1:]) for key in weights if key != SKIP)
    for i in range(last + 1):
        between = "identity" if i == last else activation
        units = layer(units, weights[f"w{i}"], weights.get(f"b{i}"), between)
    if SKIP not in weights:
        return units
    # a product of PyTensor's own takes numba five times as long to compile as one of ours
    return units + layer(inputs, weights[SKIP], None, "identity")


def hidden_sizes(hidden: Sequence[int] | int) -> tuple[int, ...]:
    """Check the units of the hidden layers and return them as a tuple."""
    sizes = tuple(hidden) if isinstance(hidden, Iterable) else (hidden,)
    if any(not isinstance(n, int | np.integer) or n < 1 for n in sizes):
        raise ValueError(
            f"hidden={hidden!r}: give the units of each hidden layer as positive integers, "
            "for example (8,) or (16, 16), or () for a linear model."
        )
    return tuple(int(n) for n in sizes)


def prior_of_each(
    prior: Prior | Mapping[str, Prior] | None, groups: Mapping[str, Group]
) -> dict[str, Prior]:
    """Give every group its prior."""
    if prior is None:
        prior = Prior.from_dict({"name": "Gaussian"})
    if isinstance(prior, Prior):
        return dict.fromkeys(groups, prior)
    if not isinstance(prior, Mapping):
        raise ValueError(
            f"prior={prior!r}: give a prior such as models.Gaussian(), or a mapping from the "
            f"groups {', '.join(groups)} to priors."
        )
    for name in prior:
        choose("weight group in prior", name, groups)
    for name, value in prior.items():
        if not isinstance(value, Prior):
            raise ValueError(f"prior[{name!r}]={value!r}: give a prior such as models.Gaussian().")
    missing = [name for name in groups if name not in prior]
    if missing:
        raise ValueError(f"prior gives no prior for the group(s) {', '.join(missing)}.")
    return {name: prior[name] for name in groups}
