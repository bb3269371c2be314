"""What replica exchange records, in groups of its own beside the posterior."""

import numpy as np
import pymc as pm
import xarray as xr
from xarray import DataTree

from ..compiled.engine import compiles, graph_mode

EXCHANGE, TEMPERED = "replica_exchange", "tempered_posterior"
NAMES = {
    "replica": "replica",
    "tempered_log_likelihood": "log_likelihood",
    "tempered_acceptance": "acceptance_rate",
    "tempered_diverging": "diverging",
}
MOST_DIVERGING = 0.01  # of the iterations at a temperature


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
    Group ``replica_exchange`` has ``replica``, ``log_likelihood``, ``acceptance_rate`` and
    ``diverging`` at each ``temperature``, and ``swap_probability`` of each ``colder`` temperature
    with the next one, undefined where the pair did not try. Group ``tempered_posterior`` has the
    draws at all temperatures but 1, where they were recorded.

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
    if "sample_stats" not in idata.children:
        return  # interrupted in the warm-up, whose draws stay as they are
    stats = idata["sample_stats"].to_dataset()
    ladder = {new: _along(stats[name], "temperature") for name, new in NAMES.items()}
    coordinates = {"temperature": temperatures}
    if "swap_probability" in stats:
        ladder["swap_probability"] = _along(stats["swap_probability"], "colder")
        coordinates["colder"] = temperatures[:-1]
    idata[EXCHANGE] = DataTree(xr.Dataset(ladder).assign_coords(coordinates))
    if "tempered_values" in stats:
        idata[TEMPERED] = DataTree(_draws(idata, stats["tempered_values"], model, temperatures))
    ours = [name for name in (*NAMES, "swap_probability", "tempered_values") if name in stats]
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


def what_diverged(idata: DataTree) -> str:
    """Say at which temperatures of a ladder too many iterations diverged; nothing if at none.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.tempering.groups import what_diverged
    >>> diverging = np.zeros((4, 100, 2), bool)
    >>> diverging[:, :10, 1] = True
    >>> group = xr.Dataset({"diverging": (("chain", "draw", "temperature"), diverging)},
    ...                    {"temperature": [1.0, np.inf]})
    >>> print(what_diverged(xr.DataTree.from_dict({"replica_exchange": group})))
    Iterations diverged at temperature inf (10%): parts of what is sampled there may be left out; take smaller steps (target_accept), or write the model with variables that do not scale each other.
    """  # noqa: E501
    group = idata[EXCHANGE].to_dataset()
    if "diverging" not in group:  # draws of old
        return ""
    diverging = group["diverging"]
    shares = diverging.mean([dim for dim in diverging.dims if dim != "temperature"])
    return diverged_in_words(group["temperature"].to_numpy(), shares.to_numpy())


def diverged_in_words(temperatures: np.ndarray, shares: np.ndarray) -> str:
    """Say at which temperatures too large a share of the iterations diverged."""
    many = np.flatnonzero(shares > MOST_DIVERGING)
    if not many.size:
        return ""
    where = ", ".join(f"{temperatures[k]:g} ({shares[k]:.0%})" for k in many)
    return (
        f"Iterations diverged at temperature {where}: parts of what is sampled there may be left "
        "out; take smaller steps (target_accept), or write the model with variables that do not "
        "scale each other."
    )


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
