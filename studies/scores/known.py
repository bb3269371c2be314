"""Leave-one-out of draws of which it may not be known."""

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from .arviz_parts import ELPDData
from .certain import stated
from .refitting import STANDING_STILL, leave_one_out


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
    try:
        return leave_one_out(model, idata, moment_match, refit, seed)
    except ValueError as error:
        if STANDING_STILL not in str(error):
            raise
        return _unknown(model, idata)  # their diagnosis says why


def _unknown(model: BNN, idata: xr.DataTree) -> ELPDData:
    sizes = idata["posterior"].sizes
    cases = len(model["X"].get_value(borrow=True))
    nothing = xr.DataArray(np.full(cases, np.nan), dims="obs", coords={"obs": np.arange(cases)})
    return stated(nothing, nothing, sizes["chain"] * sizes["draw"])
