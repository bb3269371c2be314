"""Network outputs of posterior draws, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from .architecture import SKIP
from .description import check_same_network, unnamed
from .likelihoods.contract import check_functions

if TYPE_CHECKING:
    from .bnn import BNN

BATCH_NUMBERS = 2**24  # float64 numbers of one intermediate array: 128 MiB


class Hyperparameters(dict[str, np.ndarray]):
    """Draws of a likelihood's hyperparameters by name, all that it lists."""

    def __missing__(self, name: str) -> np.ndarray:
        raise ValueError(
            f"the likelihood asks for draws of {name!r}, and its hyperparameters are "
            f"{', '.join(self) or 'none'}; list all of them in the class's hyperparameters."
        )


class PosteriorDraws:
    """Weights and hyperparameters of a model's draws, as arrays with one leading axis.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws, with the group ``posterior``.
    """

    def __init__(self, model: BNN, idata: xr.DataTree):
        if "posterior" not in idata:
            raise ValueError("idata has no group 'posterior'; sample the model first.")
        check_densities(model)
        check_same_network(idata, model.to_dict())
        posterior = idata["posterior"].dataset
        if lacking := [dim for dim in ("chain", "draw") if dim not in posterior.dims]:
            raise ValueError(
                f"idata's posterior has no dimension {' or '.join(map(repr, lacking))}; select "
                "draws by isel(chain=[0]), which keeps it."
            )
        # however a user has ordered them
        posterior = posterior.transpose("chain", "draw", ...)
        if empty := [dim for dim in ("chain", "draw") if not posterior.sizes[dim]]:
            raise ValueError(f"idata's posterior has no {empty[0]}s; keep one at least.")
        names = [*model.groups, *model.likelihood.hyperparameters]
        missing = [name for name in names if name not in posterior]
        if missing:
            raise ValueError(f"idata's posterior lacks {', '.join(missing)}.")
        found = {name: in_order_of(model, posterior[name]) for name in names}
        for name, group in model.groups.items():
            if (shape := found[name].shape[2:]) != group.shape:
                raise ValueError(
                    f"idata's {name} has shape {shape}, the model's {group.shape}; "
                    "these are draws of another network."
                )
        self.shape = (posterior.sizes["chain"], posterior.sizes["draw"])
        self.coordinates = {dim: posterior.coords[dim].values for dim in ("chain", "draw")}
        flat = {n: values.values.reshape(-1, *values.shape[2:]) for n, values in found.items()}
        self.weights = {name: flat[name] for name in model.groups}
        self.hyperparameters = Hyperparameters(
            {name: flat[name] for name in model.likelihood.hyperparameters}
        )
        self.size = self.shape[0] * self.shape[1]

    def part(self, samples: slice) -> PosteriorDraws:
        """Return some of the draws, as those of one chain."""
        part = copy(self)
        part.size = len(range(self.size)[samples])
        part.shape = (1, part.size)
        part.coordinates = {"chain": np.arange(1), "draw": np.arange(part.size)}
        part.weights = {name: values[samples] for name, values in self.weights.items()}
        part.hyperparameters = Hyperparameters(
            {n: values[samples] for n, values in self.hyperparameters.items()}
        )
        return part


def in_order_of(model: BNN, values: xr.DataArray) -> xr.DataArray:
    """Draws of a variable with its dimensions and their elements in the order of the model.

    Parameters
    ----------
    model : BNN
        The model.
    values : DataArray
        Of dimensions chain and draw, and others in any order.

    Returns
    -------
    DataArray
        Elements are taken as they come where only the model or only the draws name them.

    Raises
    ------
    ValueError
        If they are other ones than those of the model.
    """
    dims = model.named_vars_to_dims.get(str(values.name), ())
    if set(dims) <= set(values.dims):
        values = values.transpose("chain", "draw", *dims, ...)
    elif _may_be_turned(values):
        raise ValueError(
            f"idata's {values.name} has dimensions {_own(values)}, the model has {dims}, and its "
            "shape does not tell which is which; give them the model's names."
        )
    for dim in set(dims) & set(values.indexes):
        own, there = list(model.coords[dim] or ()), values.indexes[dim].tolist()
        if there == own or len(there) != len(own):  # shapes are looked at by themselves
            continue
        if len(set(there)) == len(there) and set(there) == set(own):
            values = values.sel({dim: own})
        elif len(set(there)) < len(there) or unnamed(there) == unnamed(own):
            raise ValueError(
                f"idata's {values.name} has {dim} {there}, the model has {own}; give the draws as "
                "they were sampled."
            )
    return values


def _may_be_turned(values: xr.DataArray) -> bool:
    """Whether draws of a square matrix have dimensions of a user's names, in whatever order."""
    names = _own(values)
    if all(str(name).endswith(f"_{i}") for i, name in enumerate(names)):  # as ArviZ numbers them
        return False
    return len({values.sizes[name] for name in names}) < len(names)


def _own(values: xr.DataArray) -> tuple[Hashable, ...]:
    return tuple(dim for dim in values.dims if dim not in ("chain", "draw"))


def check_densities(model: BNN) -> None:
    """Refuse a model whose class changed its graph and left its NumPy functions as they were.

    Parameters
    ----------
    model : BNN
        The model.

    Raises
    ------
    ValueError
        If the model's class declares its variables by itself, or its likelihood observes by
        itself and inherits the densities of another one.
    """
    kind = type(model)
    if any(_is_overridden(kind, name) for name in ("_declare", "_weights")):
        raise ValueError(
            f"{kind.__name__} declares variables by itself, and predictions and scores are those "
            "of pymc_bnn.models.BNN; use pm.sample_posterior_predictive."
        )
    check_functions(model.likelihood)


def _is_overridden(kind: type, name: str) -> bool:
    """Whether a class that inherits an attribute also defines it."""
    return sum(name in vars(base) for base in kind.__mro__) > 1


def outputs(model: BNN, draws: PosteriorDraws, X: np.ndarray) -> np.ndarray:
    r"""Units of the last layer for every draw, :math:`f(x; \theta)` (Choo 2000, Eqs. 3.1-3.2).

    Parameters
    ----------
    model : BNN
        The model.
    draws : PosteriorDraws
        Its draws.
    X : ndarray, shape (cases, inputs)
        Inputs.

    Returns
    -------
    ndarray, shape (samples, cases, units)
    """
    units = np.broadcast_to(X, (draws.size, *X.shape))
    last = len(model.hidden)
    for i in range(last + 1):
        units = units @ draws.weights[f"w{i}"]
        if f"b{i}" in draws.weights:
            units += draws.weights[f"b{i}"][:, None, :]
        if i < last:
            units = model.activation.array(units)
    return units + X @ draws.weights[SKIP] if SKIP in draws.weights else units


def batches(model: BNN, draws: PosteriorDraws, cases: int) -> Iterator[slice]:
    """Cut cases into batches whose largest intermediate array fits ``BATCH_NUMBERS``.

    A batch is one case at least; where that is too much, :func:`blocks` cuts its draws.
    """
    yield from _slices(cases, BATCH_NUMBERS // (draws.size * _widest(model)))


def blocks(model: BNN, draws: PosteriorDraws, cases: int) -> Iterator[slice]:
    """Cut draws into blocks whose arrays for a batch of cases fit ``BATCH_NUMBERS``."""
    yield from _slices(draws.size, BATCH_NUMBERS // (cases * _widest(model)))


def _widest(model: BNN) -> int:
    return max(len(model.output_units), *model.hidden, 1)


def _slices(length: int, size: int) -> Iterator[slice]:
    for start in range(0, length, max(1, size)):
        yield slice(start, min(start + max(1, size), length))
