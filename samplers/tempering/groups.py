"""What replica exchange records, in groups of its own beside the posterior."""

import numpy as np
import pymc as pm
import xarray as xr
from xarray import DataTree

from ..compiled.engine import compiles, graph_mode

EXCHANGE, TEMPERED = "replica_exchange", "tempered_posterior"
LADDER = ("replica", "tempered_log_likelihood", "tempered_acceptance")
NAMES = {"tempered_log_likelihood": "log_likelihood", "tempered_acceptance": "acceptance_rate"}


def check_names(model: pm.Model) -> None:
    """Refuse models whose own names stand in the way of the groups.

    Parameters
    ----------
    model : pm.Model
        The model.

    Raises
    ------
    ValueError
        If a variable or dimension is named ``temperature``.
    """
    if "temperature" in model.named_vars or "temperature" in model.coords:
        raise ValueError(
            "A variable or dimension of the model is named temperature, as is the dimension of a "
            "ladder; rename it."
        )


def regroup(idata: DataTree, model: pm.Model, temperatures: np.ndarray) -> None:
    """Move what :class:`.ReplicaExchange` recorded from ``sample_stats`` into other groups.

    Parameters
    ----------
    idata : DataTree
        Result of ``pm.sample``; it is changed.
    model : pm.Model
        The model.
    temperatures : ndarray, shape (temperatures,)
        The ladder.

    Notes
    -----
    Group ``replica_exchange`` has ``replica``, ``log_likelihood`` and ``acceptance_rate`` at each
    ``temperature``, and ``swap_probability`` of each ``colder`` temperature with the next one,
    undefined where the pair did not try. Group ``tempered_posterior`` has the draws at all
    temperatures but 1, where they were recorded.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=0.0)
    >>> idata = samplers.sample(model, temperature=[1, 2], draws=10, tune=10, chains=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> idata["replica_exchange"].sizes["temperature"]
    2
    """
    stats = idata["sample_stats"].to_dataset()
    ladder = {NAMES.get(name, name): _along(stats[name], "temperature") for name in LADDER}
    coordinates = {"temperature": temperatures}
    if "swap_probability" in stats:
        ladder["swap_probability"] = _along(stats["swap_probability"], "colder")
        coordinates["colder"] = temperatures[:-1]
    idata[EXCHANGE] = DataTree(xr.Dataset(ladder).assign_coords(coordinates))
    if "tempered_values" in stats:
        idata[TEMPERED] = DataTree(_draws(idata, stats["tempered_values"], model, temperatures))
    ours = [name for name in (*LADDER, "swap_probability", "tempered_values") if name in stats]
    left = stats.drop_vars(ours)
    idata["sample_stats"] = DataTree(left.drop_vars(set(left.coords) - {"chain", "draw"}))


def ladder_records(idata: DataTree) -> tuple[np.ndarray, np.ndarray]:
    """Log likelihoods of all replicas, and their inverse temperatures.

    Parameters
    ----------
    idata : DataTree
        Draws of ``samplers.sample(temperature=[...])``.

    Returns
    -------
    tuple of ndarray
        Shapes (chains, draws, temperatures) and (temperatures,).

    Raises
    ------
    ValueError
        If the draws have no ladder, or no dimension ``chain``.
    """
    if EXCHANGE not in idata.children:
        raise ValueError(
            "The draws have no ladder of temperatures; give draws of "
            "samplers.sample(temperature=[...])."
        )
    found = idata[EXCHANGE].to_dataset()
    if "chain" not in found.dims:
        raise ValueError("The draws have no dimension chain; select by sel(chain=[...]).")
    values = found["log_likelihood"].transpose("chain", "draw", "temperature").to_numpy()
    return values, 1.0 / found["temperature"].to_numpy()


def _along(values: xr.DataArray, dim: str) -> xr.DataArray:
    """Name the last dimension of a statistic."""
    last = str(values.dims[-1])
    return values.drop_vars(last).rename({last: dim})


@compiles
def _draws(
    idata: DataTree, recorded: xr.DataArray, model: pm.Model, temperatures: np.ndarray
) -> xr.Dataset:
    """Variables of the posterior at all temperatures but 1, from the value variables."""
    posterior = idata["posterior"].to_dataset()
    outputs = [v for v in model.unobserved_value_vars if v.name in posterior]
    transform = model.compile_fn(
        outputs,
        inputs=model.value_vars,
        mode=graph_mode(),
        point_fn=False,
        on_unused_input="ignore",
    )
    point = model.initial_point()
    shapes = [np.shape(point[v.name]) for v in model.value_vars]
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])[:-1]
    hot = np.flatnonzero(temperatures != 1)
    values = recorded.values[:, :, hot]
    flat = values.reshape(-1, values.shape[-1])
    found = [
        transform(*(part.reshape(s) for part, s in zip(np.split(row, ends), shapes, strict=True)))
        for row in flat
    ]
    variables = {}
    for i, output in enumerate(outputs):
        like = posterior[output.name]
        stacked = np.array([draw[i] for draw in found])
        stacked = stacked.reshape(*values.shape[:3], *like.shape[2:])
        variables[output.name] = (("chain", "draw", "temperature", *like.dims[2:]), stacked)
    return xr.Dataset(variables, {**posterior.coords, "temperature": temperatures[hot]})
