"""Chains that go on until their draws can be used, or patience is at its end."""

import warnings
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
import xarray as xr

from ...models.bnn import BNN
from ...samplers import sample
from ..chains.convergence import Convergence, check_convergence, of_mixing
from ..chains.stability import answer_of
from ..fits.step_settings import step_settings
from ..fits.time_limit import TimeLimit

USUAL_ACCEPT = 0.95  # of steps where noise varies by row
LEAST_TUNE = 20  # draws of warm-up of chains that go on, which know their step sizes about


class Judgement(NamedTuple):
    """What draws can be used for.

    Attributes
    ----------
    grade : str
        "converged", "nearly", "predictions stable" or "not yet".
    problems : tuple of str
        What is wrong, and how to mend it.
    longer : bool
        Whether longer chains may mend it.
    divergent : bool
        Whether so many transitions diverged that steps should be smaller.
    convergence : Convergence, optional
        The diagnosis that this follows from.
    """

    grade: str
    problems: tuple[str, ...]
    longer: bool
    divergent: bool = False
    convergence: Convergence | None = None

    @property
    def usable(self) -> bool:
        """Whether draws can be used for anything."""
        return self.grade != "not yet"


def judge(model: BNN, idata: xr.DataTree) -> Judgement:
    """Say what draws can be used for.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.

    Returns
    -------
    Judgement
    """
    found = check_convergence(model, idata)
    errors = found.errors
    divergent = [error for error in errors if error.name == "divergences"]
    longer = all(error in divergent or of_mixing(error) for error in errors)
    return Judgement(answer_of(model, idata, found), found.problems, longer, bool(divergent), found)


def sample_patiently(
    model: BNN,
    patience: int,
    seed: int,
    draws: int,
    tune: int,
    chains: int,
    limit: TimeLimit | None = None,
    **options: Any,
) -> tuple[xr.DataTree, Judgement, int]:
    """Sample a model, for longer and longer until its draws can be used.

    Chains go on from where they were, with twice as many sweeps for each draw as before, and
    earlier draws are forgotten as those of a warm-up. Where too many transitions diverged, half as
    many are to be rejected from then on. Draws are then judged anew. Where a user stops it, the
    draws are those of the last run that is whole, or what there is of the first; so they are, with
    a warning, where a later run fails.

    Parameters
    ----------
    model : BNN
        The model.
    patience : int
        How many times as long as the first run all of them together may be.
    seed : int
        The first run has the draws of :func:`pymc_bnn.samplers.sample` with this seed.
    draws, tune, chains : int
        Draws to keep and warm-up of the first run, and number of chains.
    limit : TimeLimit, optional
        Chains go on only where twice the seconds that the last run took are left.
    **options
        Of :func:`pymc_bnn.samplers.sample`.

    Returns
    -------
    idata : DataTree
        Draws of the last run.
    judgement : Judgement
        What they can be used for.
    times : int
        How many times as long as the first run it is.

    Warns
    -----
    UserWarning
        If a later run fails.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.estimators.patience import sample_patiently
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> idata, judgement, times = sample_patiently(model, 4, 1, 300, 100, chains=4, cores=1,
    ...                                            progressbar=False, quiet=True)
    >>> judgement.usable, times
    (True, 1)
    """
    accept, times, left = None, 1, patience
    before: tuple[xr.DataTree, Judgement, int] | None = None
    while True:
        begun = monotonic()
        settings = step_settings(model, accept)
        length = {"draws": draws, "tune": tune, "chains": chains, **settings}
        idata = None
        longer = "thin" if "thin" in settings else "draws"  # trees of NUTS are not thinned
        length[longer] *= times
        try:
            idata = sample(model, seed=seed, **length, **options)
            sizes = idata["posterior"].sizes  # PyMC drops a chain that was stopped in warm-up
            whole = (sizes["draw"], sizes["chain"]) == (length["draws"], chains)
            judgement = judge(model, idata)
        except (Exception, KeyboardInterrupt) as error:
            if before is None:
                if idata is None:
                    raise
                return idata, _unjudged(error), times
            if isinstance(error, Exception):
                said = f"chains did not go on ({type(error).__name__}: {error}); draws are older."
                warnings.warn(said, stacklevel=2)
            return before
        if before is not None and not whole:
            return before
        left -= times
        before = idata, judgement, times
        times *= 2
        if judgement.usable or not judgement.longer or left < times or not whole:
            return before
        if limit is not None and limit.for_one < 2 * (monotonic() - begun):
            return before
        if judgement.divergent:
            accept = 1 - (1 - (accept or USUAL_ACCEPT)) / 2
        options["initvals"] = last_positions(model, idata)
        tune, seed = max(LEAST_TUNE, tune // 2), seed + 1


def _unjudged(error: BaseException) -> Judgement:
    """Keep draws of which nobody knows yet what they can be used for."""
    said = f"what they can be used for was not found out ({type(error).__name__}: {error})"
    return Judgement("not yet", (said,), longer=False)


def last_positions(model: pm.Model, idata: xr.DataTree) -> list[dict[str, np.ndarray]]:
    """Where each chain ended, as ``initvals`` of the next run.

    Parameters
    ----------
    model : pm.Model
        The model.
    idata : DataTree
        Its draws.

    Returns
    -------
    list of dict
    """
    last = idata["posterior"].dataset.isel(draw=-1)
    names = [str(variable.name) for variable in model.free_RVs]
    return [{name: last[name].values[chain] for name in names} for chain in range(len(last.chain))]
