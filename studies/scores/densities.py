"""Log densities of the training cases under each draw, a piece of cases at a time.

Those of 100 000 cases and 4000 draws are 3.2 GB, and what is made of them, such as smoothed
weights, takes as much again. Criteria are sums over cases, so that one piece at a time is enough.
"""

from collections.abc import Iterator
from numbers import Real

import numpy as np
from xarray import DataArray, DataTree

from ...models.bnn import BNN
from .arviz_parts import get_log_likelihood

PIECE_NUMBERS = 2**23  # float64 numbers of a piece: 64 MiB
ROUNDING = 1e-6  # of a log density, by which those that are kept may differ
TOLERANCE = 1e-3  # the same of draws in single precision, which are computed anew
MOST_APART = 0.1  # of the cases, as densities of the certain may differ by more


def temperature_of(idata: DataTree) -> float:
    """Temperature that draws were sampled at.

    Examples
    --------
    >>> from xarray import DataTree
    >>> from pymc_bnn.studies.scores.densities import temperature_of
    >>> temperature_of(DataTree())
    1.0
    """
    noted = idata.attrs.get("temperature", 1)
    return float(noted) if isinstance(noted, Real) else 1.0  # a user may note another one


class TrainingDensities:
    """Log densities of a network's training cases; iterating gives pieces of cases.

    Densities that the draws bring along, or that fit one piece, are kept; others are computed anew
    whenever they are asked for.

    Parameters
    ----------
    model : BNN
        The network.
    idata : DataTree
        Its draws; a group ``log_likelihood`` of the training cases need not be computed again. One
        of other cases, or in another unit, is refused, and where few cases differ, as after some
        targets were corrected, all are computed anew.
    cases : ndarray of int, optional
        Of which to give pieces; by default of all.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.scores.densities import TrainingDensities
    >>> model = models.gaussian([[0.0], [1.0]], [0.0, 1.0], hidden=())
    >>> given = xr.Dataset({"y_obs": (("chain", "draw", "obs"), np.zeros((2, 5, 2)))})
    >>> idata = xr.DataTree.from_dict({"log_likelihood": given})
    >>> [piece.sizes["obs"] for piece in TrainingDensities(model, idata)]
    [2]
    """

    def __init__(self, model: BNN, idata: DataTree, cases: np.ndarray | None = None):
        if (temperature := temperature_of(idata)) != 1:
            raise ValueError(
                f"these are draws at temperature {temperature:g} and not from the posterior, which "
                "leave-one-out and WAIC need; sample at temperature 1, or judge them by log_score "
                "of held-out cases."
            )
        self.model, self.idata = model, idata
        self.X, self.y = model.training_data()
        self.y = np.asarray(self.y)
        self.cases = np.arange(len(self.X)) if cases is None else cases
        self._kept: DataArray | None = None
        if "log_likelihood" in idata:
            given = of_each_case(idata)
            _, _, _, *outputs = given.dims  # PyMC's has those, and a case is one row
            kept = given.sum(outputs) if outputs else given
            self._kept = kept if self._can_be_kept(kept) else None
        if self._kept is None and cases is None and len(self.X) <= self._cases_of_a_piece():
            self._kept = self._compute(np.arange(len(self.X)))

    def __iter__(self) -> Iterator[DataArray]:
        size = self._cases_of_a_piece()
        for start in range(0, len(self.cases), size):
            yield self.of(self.cases[start : start + size])

    def of(self, cases: np.ndarray) -> DataArray:
        """Densities of some of the cases, of dimensions chain, draw and obs."""
        if self._kept is None:
            return self._compute(cases)
        return self._kept.isel({self._kept.dims[2]: cases})

    def _cases_of_a_piece(self) -> int:
        sizes = self.idata["posterior"].sizes if self._kept is None else self._kept.sizes
        return max(1, PIECE_NUMBERS // (sizes["chain"] * sizes["draw"]))

    def _can_be_kept(self, kept: DataArray) -> bool:
        """Whether given densities are numbers, and the model's at the first and last draws.

        Those of other cases than the model was trained on are refused, by the first draw.
        """
        count, known = kept.shape[2], len(self.X)
        again = "leave it out by del idata['log_likelihood'], and it is computed again."
        if count != known:
            raise ValueError(
                f"idata's group log_likelihood has {count} cases and the model was trained on "
                f"{known}; {again}"
            )
        variables = {v.name for v in self.model.free_RVs}
        drawn = self.idata["posterior"].data_vars if "posterior" in self.idata else ()
        if not variables <= set(drawn):
            return True  # densities that are kept without the draws
        posterior = self.idata["posterior"].sizes
        if kept.shape[:2] != (posterior["chain"], posterior["draw"]):
            return False  # of draws that were left out since
        ends = self.idata.isel(chain=[0, -1], draw=[0, -1], missing_dims="ignore")
        ours = self.model.log_likelihood(ends, self.X, self.y, trained=True).values
        theirs = kept.values[[[0], [-1]], [0, -1]]
        apart = ~np.isclose(theirs[0, 0], ours[0, 0], rtol=TOLERANCE, atol=TOLERANCE)
        if apart.mean() > MOST_APART:
            raise ValueError(
                "idata's group log_likelihood is not that of the model's training cases: "
                f"{apart.sum()} of {known} differ at the first draw; {again}"
            )
        near = np.allclose(theirs, ours, rtol=ROUNDING, atol=ROUNDING)
        return near and not bool(kept.isnull().any())

    def _compute(self, cases: np.ndarray) -> DataArray:
        X, y = self.X.iloc[cases], self.y[cases]
        densities = self.model.log_likelihood(self.idata, X, y, trained=True)
        return densities.assign_coords(obs=cases)


def of_each_case(idata: DataTree, var_name: str | None = None) -> DataArray:
    """Log densities that draws carry, of dimensions chain, draw and those of the cases.

    Parameters
    ----------
    idata : DataTree
        Draws with a group ``log_likelihood``.
    var_name : str, optional
        The variable in it, if there are several.

    Returns
    -------
    DataArray

    Raises
    ------
    ValueError
        If there is one number for all cases, as PyMC has where cases depend on each other.
    """
    given = get_log_likelihood(idata, var_name=var_name)
    if given.ndim < 3:
        raise ValueError(
            "idata's group log_likelihood holds one number for all cases of a draw, not "
            'one for each; leave it out by del idata["log_likelihood"].'
        )
    return given


def as_tree(densities: DataArray) -> DataTree:
    """Return densities as the group that ArviZ reads."""
    return DataTree.from_dict({"log_likelihood": densities.to_dataset(name="y_obs")})
