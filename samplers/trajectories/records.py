"""Points of chains as draws, and what of them is followed."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from pymc.blocking import PointType

from ...models.bnn import BNN
from ..diagnosis.identified import network_outputs

CASES = 10  # training cases whose outputs are followed


def as_draws(model: BNN, chains: Sequence[Sequence[PointType]]) -> xr.DataTree:
    """Label the points of chains as the draws they are.

    Parameters
    ----------
    model : BNN
        A network whose only transformed variables are precisions, on the scale of logarithms.
    chains : sequence of sequence of dict
        Points, as many of each chain.

    Returns
    -------
    DataTree
        The groups ``posterior`` and ``constant_data``.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.trajectories.records import as_draws
    >>> model = models.normal_inverse_gamma(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> as_draws(model, [[model.initial_point(0)] * 5])["posterior"]["w0"].shape
    (1, 5, 3, 2)
    """
    variables = {}
    for value in model.value_vars:
        rv = model.values_to_rvs[value]
        found = np.array([[point[value.name] for point in points] for points in chains])
        drawn = np.exp(found) if model.rvs_to_transforms[rv] is not None else found
        dims = model.named_vars_to_dims.get(rv.name, ())
        variables[rv.name] = ("chain", "draw", *dims), drawn
    numbers = {"chain": np.arange(len(chains)), "draw": np.arange(len(chains[0]))}
    inputs = xr.Dataset({"X": (("obs", "input"), model["X"].get_value())})
    groups = {"posterior": xr.Dataset(variables, numbers), "constant_data": inputs}
    return xr.DataTree.from_dict(groups)


def some_outputs(model: BNN, draws: xr.DataTree) -> xr.DataArray:
    """Outputs at a few training cases, evenly chosen, shape (chain, draw, quantity)."""
    outputs = network_outputs(model, draws)
    cases = outputs.sizes["obs"]
    few = np.linspace(0, cases - 1, min(cases, CASES)).astype(int)
    flat = outputs.isel(obs=few).stack(quantity=("obs", "output"), create_index=False)
    return flat.drop_vars(["obs", "output"], errors="ignore").rename("outputs")


def magnitudes(model: BNN, draws: xr.DataTree) -> xr.DataArray:
    """Logarithms of the root mean squares of groups of weights, shape (chain, draw, quantity).

    Those of a group that has one weight are of its size, and cross zero where the weight does.
    """
    posterior = draws["posterior"].dataset
    found = {}
    for name in model.groups:
        weights = posterior[name]
        axes = [dim for dim in weights.dims if dim not in ("chain", "draw")]
        found[name] = 0.5 * np.log((weights**2).mean(axes))
    return xr.Dataset(found).to_dataarray("quantity").transpose("chain", "draw", "quantity")
