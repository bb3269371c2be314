"""Wall time that a user gives a fit, to which it keeps by fewer draws."""

import warnings
from dataclasses import replace
from time import monotonic

from ...models.bnn import BNN
from ...samplers import recommended_method
from ...samplers.compiled.engine import one_thread_at_a_time
from ...samplers.recommended import for_nuts
from ...samplers.sampling import default_cores
from ..chains.chain_stacking import LEAST_CASES, MOST_CASES
from ..fits.estimating import Estimate, time_model
from ..fits.settings import Settings
from ..fits.time_limit import LEAST_SHARE, TimeLimit, shortened

SMOOTHING = 1e-3  # seconds of a case of a chain, where chains that disagree are weighed


def limit_of(minutes: float | None, cases: int, chains: int) -> TimeLimit | None:
    """Begin a limit of wall time, if there is to be one.

    Parameters
    ----------
    minutes : float or None
        The limit.
    cases : int
        Training cases.
    chains : int
        Number of chains.

    Returns
    -------
    TimeLimit or None

    Examples
    --------
    >>> from pymc_bnn.studies.estimators.time_budget import limit_of
    >>> limit = limit_of(2.0, 100, 4)
    >>> 119 < limit.left <= 120, limit.evaluation
    (True, 0.4)
    """
    if minutes is None:
        return None
    now = monotonic()
    weighed = min(cases, MOST_CASES) if cases >= LEAST_CASES else 0
    return TimeLimit(float(minutes), now, now, SMOOTHING * chains * weighed)


def within(limit: TimeLimit | None, model: BNN, asked: Settings) -> Settings:
    """Settings with as many draws as there is time for, and with a tenth where there is none.

    Parameters
    ----------
    limit : TimeLimit or None
        The limit; without one nothing is timed.
    model : BNN
        The model that is to be sampled.
    asked : Settings
        What was asked for.

    Returns
    -------
    Settings
        Warm-up and draws are shorter alike; all else is what was asked for.

    Warns
    -----
    UserWarning
        If there is no time for a tenth.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.estimators.time_budget import limit_of, within
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> asked = Settings(draws=100, tune=50, chains=2, cores=1)
    >>> within(limit_of(60.0, 3, 2), model, asked) == asked
    True
    """
    if limit is None:
        return asked
    if limit.left > 0:  # else timing would only make it later
        found = limit.length([_estimate(model, asked)], asked)
        if found is not None:
            return found
    least = shortened(asked, LEAST_SHARE)
    said = (
        f"minutes={limit.minutes:g}: the time is not enough for a tenth of the draws; chains of "
        f"{least.tune} + {least.draws} are sampled all the same. Give more minutes or fewer draws."
    )
    warnings.warn(said, stacklevel=4)  # of who called fit
    return least


@one_thread_at_a_time
def _estimate(model: BNN, asked: Settings) -> Estimate:
    """Time a model as ``sample`` moves it, which then finds compiled what was compiled for that.

    A batch of many chains, which only small networks of few cases have, takes less time.
    """
    if recommended_method(model) == "nuts" and model.parametrization == "centered":
        model = for_nuts(model)
    cores = default_cores(asked.chains) if asked.cores is None else asked.cores
    return time_model(model, replace(asked, cores=cores)).estimate
