"""The widely applicable information criterion, which ArviZ 1 no longer has."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import xarray as xr
from xarray import DataArray, DataTree
from xarray_einstats.stats import logsumexp

from .arviz_parts import ELPDData
from .densities import of_each_case

LARGEST_VARIANCE = 0.4


@dataclass(kw_only=True, repr=False)
class ELPDDataWAIC(ELPDData):
    """Results of :func:`waic`; prints and compares like ArviZ's own criteria."""

    _kind: ClassVar[str] = "waic"


def waic(idata: DataTree, var_name: str | None = None) -> ELPDDataWAIC:
    r"""Estimate the expected log pointwise predictive density by WAIC.

    .. math:: \mathrm{elpd} = \sum_i \Bigl[ \log \frac1S \sum_s p(y_i \mid \theta_s)
              - \operatorname{var}_s \log p(y_i \mid \theta_s) \Bigr]

    (Lau 2018, 3.6). It is on the log scale: larger is better. The variances add up to the
    effective number of parameters; where one exceeds 0.4, WAIC is not reliable and PSIS-LOO, which
    says so itself, is the better guide.

    Parameters
    ----------
    idata : DataTree
        Draws with a group ``log_likelihood``.
    var_name : str, optional
        The variable in it, if there are several.

    Returns
    -------
    ELPDDataWAIC
        Always with pointwise values; ``az.compare`` accepts it.

    Warns
    -----
    UserWarning
        If the variance of some case's log density exceeds 0.4, or is unknown as some draw has no
        finite density of it; then there is no estimate.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn import studies
    >>> log_likelihood = xr.Dataset({"y_obs": (("chain", "draw", "obs"), np.zeros((2, 5, 3)))})
    >>> tree = xr.DataTree.from_dict({"log_likelihood": log_likelihood})
    >>> abs(round(float(studies.waic(tree).elpd), 6))
    0.0
    """
    return waic_in_pieces([of_each_case(idata, var_name)])


def waic_in_pieces(pieces: Iterable[DataArray]) -> ELPDDataWAIC:
    """Estimate as :func:`waic` does, from log densities of some of the cases at a time.

    Parameters
    ----------
    pieces : iterable of DataArray
        Log densities along ``chain``, ``draw`` and the dimensions of the cases.

    Returns
    -------
    ELPDDataWAIC
    """
    parts = [_of_cases(piece) for piece in pieces]
    n_samples = parts[0][0]
    lppd = xr.concat([part[1] for part in parts], parts[0][1].dims[0])
    variance = xr.concat([part[2] for part in parts], parts[0][2].dims[0])
    elpd_i = lppd - variance
    unknown = int((~np.isfinite(elpd_i)).sum())
    unreliable = bool(unknown or (variance > LARGEST_VARIANCE).any())
    if unknown:
        warnings.warn(
            f"The log density of {unknown} of {elpd_i.size} cases is not finite under some draw: "
            "WAIC is not defined. Use PSIS-LOO.",
            stacklevel=3,
        )
    elif unreliable:
        warnings.warn(
            "For one or more cases the posterior variance of the log predictive density exceeds "
            "0.4: WAIC may fail there. Use PSIS-LOO.",
            stacklevel=3,
        )
    return ELPDDataWAIC(
        elpd=float(elpd_i.sum(skipna=False)),
        se=float(np.sqrt(elpd_i.size * elpd_i.var(skipna=False))),
        p=float(variance.sum(skipna=False)),
        n_samples=n_samples,
        n_data_points=elpd_i.size,
        scale="log",
        warning=unreliable,
        good_k=None,  # type: ignore[arg-type]  # only PSIS has one; ArviZ checks for None
        elpd_i=elpd_i,
    )


def _of_cases(log_likelihood: DataArray) -> tuple[int, DataArray, DataArray]:
    """Number of samples, log predictive densities of cases, and variances of their logarithm."""
    samples = ["chain", "draw"]
    n_samples = int(np.prod([log_likelihood.sizes[dim] for dim in samples]))
    lppd: DataArray = logsumexp(  # type: ignore[func-returns-value, assignment]  # not annotated
        log_likelihood, dims=samples, b=1 / n_samples
    )
    with np.errstate(invalid="ignore"):  # of infinite ones there is no variance
        return n_samples, lppd, log_likelihood.var(dim=samples, skipna=False)
