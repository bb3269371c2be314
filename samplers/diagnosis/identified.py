"""What a network identifies, and how well chains explore it, by ArviZ's diagnostics.

Hidden units can be exchanged and turned over without changing anything, so single weights need
not agree between chains. Hyperparameters, the log posterior and the network's outputs must; of
hyperparameters that belong to single hidden units, the mean over the units must.
"""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from ...models.likelihoods.contract import predicted_names

MOST_CASES = 200


def identified(posterior: xr.Dataset, groups: Iterable[str]) -> xr.Dataset:
    """Return what the data identify of the hyperparameters.

    Parameters
    ----------
    posterior : Dataset
        Draws of a network.
    groups : iterable of str
        Its groups of weights, which are left out, also in their raw form.

    Returns
    -------
    Dataset
        Logarithms of the hyperparameters, which are positive and skewed, averaged over hidden
        units.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.identified import identified
    >>> draws = {"w0": np.ones((2, 5)), "w0_precision": np.ones((2, 5))}
    >>> posterior = xr.Dataset({name: (("chain", "draw"), v) for name, v in draws.items()})
    >>> list(identified(posterior, ["w0"]))
    ['w0_precision']
    """
    weights = {name for group in groups for name in (group, f"{group}_raw")}
    found = {}
    for name in posterior.data_vars:
        if name not in weights:
            values = numbers(posterior[name])
            values = cast(xr.DataArray, np.log(values)) if bool((values > 0).all()) else values
            found[name] = values.mean([d for d in values.dims if str(d).startswith("hidden_")])
    return xr.Dataset(found)


def network_outputs(model: BNN, idata: xr.DataTree) -> xr.DataArray:
    """Network outputs at some of the training cases, and what else it computes of their noise.

    Where a likelihood tells probabilities of classes alone, they are returned instead.

    Parameters
    ----------
    model : BNN
        The network.
    idata : DataTree
        Its draws.

    Returns
    -------
    DataArray
        Of dimensions ``chain``, ``draw``, ``obs`` and ``output``.
    """
    given = idata["constant_data"].dataset if "constant_data" in idata else {}
    X = given["X"].values if "X" in given else model["X"].get_value()
    rows = np.linspace(0, len(X) - 1, min(len(X), MOST_CASES)).astype(int)
    names = [name for name in predicted_names(model) if name != "probability"] or ["probability"]
    prediction = model.predict(idata, X[rows], draws=names, quantiles=(), seed=0)
    parts = [prediction["predictions"].dataset[name] for name in names]
    return parts[0] if len(parts) == 1 else xr.concat(parts, "output")


def agreement(values: xr.DataArray, kind: str) -> dict[str, Any]:
    """R-hat and effective sample sizes of the worst element of a quantity (Vehtari et al. 2021).

    Parameters
    ----------
    values : DataArray
        Its draws.
    kind : str
        What sort of quantity it is.

    Returns
    -------
    dict
        ``quantity``, ``kind``, ``rhat``, ``ess`` (bulk) and ``ess_tail``; numbers are unknown, NaN,
        where a draw is not finite or no chain ever moves.

    Raises
    ------
    ValueError
        If the draws are no numbers.
    """
    import arviz as az  # takes a second or two, which no draw needs to wait for

    values = numbers(values)
    name = values.name or "value"
    row = {"quantity": name, "kind": kind, "rhat": np.nan, "ess": np.nan, "ess_tail": np.nan}
    # ArviZ counts every draw of a chain that stands still as effective, and ranks infinite ones
    finite = bool(np.isfinite(values).all())
    if not finite or len(chains_that_stand_still(values)) == values.sizes["chain"]:
        return row
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset({name: values})})
    return {
        **row,
        "rhat": float(az.rhat(tree)[name].max()),
        "ess": float(az.ess(tree)[name].min()),
        "ess_tail": float(az.ess(tree, method="tail")[name].min()),
    }


def chains_that_stand_still(values: xr.DataArray) -> tuple:
    """Chains in which no element of a quantity ever changes.

    Parameters
    ----------
    values : DataArray
        Its draws.

    Returns
    -------
    tuple
        Their coordinates; none where a single draw cannot show it.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.identified import chains_that_stand_still
    >>> chains_that_stand_still(xr.DataArray([[1.0, 2.0], [3.0, 3.0]], dims=("chain", "draw")))
    (1,)
    """
    if values.sizes["draw"] < 2:
        return ()
    others = [dim for dim in values.dims if dim != "chain"]
    still = (values == values.isel(draw=0, drop=True)).all(others)
    return tuple(still["chain"].values[still.values].tolist())


def elements_that_stand_still(values: xr.DataArray) -> int:
    """Count elements that have one value in all draws, where others of the quantity move.

    Parameters
    ----------
    values : DataArray
        Its draws.

    Returns
    -------
    int

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.identified import elements_that_stand_still
    >>> draws = xr.DataArray([[[1.0, 3.0], [2.0, 3.0]]], dims=("chain", "draw", "i"))
    >>> elements_that_stand_still(draws)
    1
    """
    still = (values == values.isel(chain=0, draw=0, drop=True)).all(("chain", "draw"))
    return 0 if values.sizes["draw"] < 2 or bool(still.all()) else int(still.sum())


def in_memory(idata: xr.DataTree) -> xr.DataTree:
    """Read draws and statistics that lie in a file, in pieces; all else stays there."""
    groups = {"posterior", "sample_stats"} & set(idata.children)
    if not any(idata[name].dataset.chunksizes for name in groups):
        return idata
    return idata.assign({name: idata[name].compute() for name in groups})


def numbers(values: xr.DataArray) -> xr.DataArray:
    """Draws as numbers in memory, truths as 0 and 1.

    Parameters
    ----------
    values : DataArray
        The draws.

    Returns
    -------
    DataArray

    Raises
    ------
    ValueError
        If they are texts, dates, objects or complex.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.identified import numbers
    >>> numbers(xr.DataArray([True, False])).values
    array([1, 0])
    """
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"{values.name or 'a quantity'} is {values.dtype} and no number: name others in "
            "var_names, or drop it from the posterior."
        )
    values = values.compute()
    return values.astype(int) if values.dtype.kind == "b" else values
