"""Settings of the recommended steps that suit fits of tables."""

from typing import Any

import numpy as np

from ...models.bnn import BNN
from ...samplers import GibbsHMC, recommended_method
from ...samplers.options import options_of
from ...samplers.potential.recognition import why_no_kernel
from ...samplers.recommended import recommended_step

NUTS_SETTINGS = {"target_accept": 0.9, "max_treedepth": 9}
WORK = 250_000  # weights times cases that a draw passes through, in some 20 ms
FEWEST_SWEEPS, MOST_SWEEPS = 2, 20
# Where all scales of the weights are given, chains need fewer: of 11 such fits of Auto MPG, Boston
# housing and diabetes by 4 chains, the 9 that had 400 effective draws and an R-hat below 1.01 had
# 987 to 1666, and 1.006 at most, in the first half of their sweeps already; the other two, of one
# model, failed with all of them too. That was chosen when these fits had been seen.
GIVEN_SCALES = 0.5


def step_settings(model: BNN, target_accept: float | None = None) -> dict[str, Any]:
    """Settings of the recommended steps of a model, of those that these steps have.

    Small networks of few cases make more sweeps for each draw, so that a fit takes about as long,
    and its draws depend less on each other; where all scales are given, half as many. The pass
    through a network is in single precision, if it has a kernel, which the accept test, in double
    precision, leaves as right.

    Parameters
    ----------
    model : BNN
        The model.
    target_accept : float, optional
        Acceptance that step sizes are learnt for; by default that of the recommended steps.

    Returns
    -------
    dict

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.fits.step_settings import step_settings
    >>> X, y = np.eye(3), np.arange(3.0)
    >>> for prior in (models.ARD(), models.Horseshoe()):
    ...     print(step_settings(models.BNN(X, y, prior=prior)))
    {'thin': 20, 'precision': 'float32'}
    {'target_accept': 0.9, 'max_treedepth': 9}
    """
    settings: dict[str, Any] = NUTS_SETTINGS
    if recommended_method(model) == "gibbs_hmc":
        weights = sum(np.prod(group.shape) for group in model.groups.values())
        sweeps = round(WORK / (weights * len(model["X"].get_value(borrow=True))))
        if model.hidden and not _learns_scales(model):
            sweeps = round(GIVEN_SCALES * sweeps)
        if recommended_step(model) is not GibbsHMC:
            sweeps //= 2  # steps in turn take about twice as long
        if why_no_kernel(model) is None:
            sweeps = min(max(sweeps, FEWEST_SWEEPS), MOST_SWEEPS)
            settings = {"thin": sweeps, "precision": "float32"}
        else:  # a gradient of a small graph takes twenty times as long as one of a kernel
            settings = {"thin": FEWEST_SWEEPS}
    if target_accept is not None:
        settings = {**settings, "target_accept": target_accept}
    taken = {"thin", *options_of(recommended_step(model))}  # which recommended_steps takes itself
    return {name: value for name, value in settings.items() if name in taken}


def _learns_scales(model: BNN) -> bool:
    """Whether anything is unknown besides the weights and what the likelihood has of its own."""
    known = {model.free_name(name) for name in model.groups} | {*model.likelihood.hyperparameters}
    return not {variable.name for variable in model.free_RVs} <= known
