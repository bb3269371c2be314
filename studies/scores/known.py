"""Leave-one-out of draws of which it may not be known."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from .arviz_parts import ELPDData
from .certain import stated
from .densities import TrainingDensities
from .refitting import STANDING_STILL, leave_one_out, of_cases


def leave_one_out_if_known(
    model: BNN, idata: xr.DataTree, moment_match: bool = False, refit: bool = False, seed: int = 0
) -> ELPDData:
    """Estimate PSIS-LOO, which is NaN for all cases where chains stand still.

    Parameters
    ----------
    model, idata, moment_match, refit, seed
        As for :func:`.refitting.leave_one_out`.

    Returns
    -------
    ELPDData
        With pointwise values.
    """
    cases = np.arange(len(model["X"].get_value(borrow=True)))
    return _if_known(lambda: leave_one_out(model, idata, moment_match, refit, seed), idata, cases)


def of_some_cases(model: BNN, idata: xr.DataTree, cases: np.ndarray) -> ELPDData:
    """Estimate PSIS-LOO of some training cases, NaN where chains stand still.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    cases : ndarray of int
        Places of the cases among those of the training.

    Returns
    -------
    ELPDData
        With pointwise values.
    """
    return _if_known(lambda: of_cases(TrainingDensities(model, idata, cases)), idata, cases)


def _if_known(estimate: Callable[[], ELPDData], idata: xr.DataTree, cases: np.ndarray) -> ELPDData:
    try:
        return estimate()
    except ValueError as error:
        if STANDING_STILL not in str(error):
            raise
        sizes = idata["posterior"].sizes  # their diagnosis says why
        nothing = xr.DataArray(np.full(cases.size, np.nan), dims="obs", coords={"obs": cases})
        return stated(nothing, nothing, sizes["chain"] * sizes["draw"])
