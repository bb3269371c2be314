"""Annealing of a network from hot to cold that stops where new cases are predicted worse."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from pymc.blocking import PointType
from threadpoolctl import threadpool_limits
from xarray import DataTree

from ...models.bnn import BNN
from ...models.data.renewed_data import check_data
from ...models.description import attach
from ...models.scores import checked_cases
from ..compiled.engine import one_thread_at_a_time
from ..compiled.memory import initial_point
from ..options import check_whole, model_at_hand, one_seed
from ..potential.temperature import at_temperature, check_temperature
from ..recommended import recommended_steps
from ..starts import chain_starts
from ..tempering.rungs import check_steps
from .chains_at_temperatures import ChainsAtTemperatures
from .validation_path import Validated, has_risen

GROUP = "cooling"
HOTTEST, COLDEST, PER_DECADE = 100.0, 0.01, 5

_log = logging.getLogger("pymc")


@one_thread_at_a_time
def cool(
    model: BNN | None = None,
    X: Any = None,
    y: Any = None,
    temperatures: Sequence[float] | None = None,
    draws: int = 50,
    tune: int = 50,
    chains: int = 4,
    patience: int = 2,
    start: PointType | Sequence[PointType] | None = None,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> DataTree:
    r"""Cool a network, and keep the temperature at which it predicts validation cases best.

    Chains sample :math:`p(y \mid \theta)^{1/T} p(\theta)` at one temperature after the other, from
    hot to cold, each from where it was at the last. At each the validation error is

    .. math:: \frac{1}{n} \bigl\langle -\log p(y^* \mid x^*, \theta) \bigr\rangle_T,

    the mean over draws and the n validation cases. "Cool until the average validation error
    starts to increase, then revert to the parameters with the lowest validation error" (Baldock &
    Marzari 2019, 3.5). An error is taken to have increased if at ``patience`` temperatures in a
    row it is above the lowest one by more than two standard errors of the difference. Noise alone
    can end the cooling too: the lowest of many errors is a chosen one, beside which two later ones
    that are as large in truth may well look higher. With more ``patience`` it is rarer.

    Validation cases choose the temperature: the lowest error is a little too good, and other
    cases have to say how good the network is. A temperature that is not 1 is no posterior:
    intervals of its draws are wider or narrower than what was believed.

    Parameters
    ----------
    model : BNN, optional
        The network; by default that of the context.
    X : array, DataFrame or DataArray, shape (cases, inputs)
        Inputs of the validation cases, which the model has not seen.
    y : array or Series, shape (cases,) or (cases, outputs)
        Their targets.
    temperatures : sequence of float, optional
        Falling; by default from 100 to 0.01, five to each factor of ten.
    draws, tune : int
        Iterations of each chain at each temperature: those that count, and before them those in
        which it gets used to the temperature and steps learn their size.
    chains : int
        Number of chains.
    patience : int
        At how many temperatures in a row the error has to be higher.
    start : dict or sequence of dict, optional
        Where chains begin, as ``initvals`` of ``pm.sample``; by default dispersed.
    seed : int or Generator, optional
        The same seed gives the same draws.
    **options
        Of the recommended steps, such as ``n_leapfrog``.

    Returns
    -------
    DataTree
        Group ``posterior`` with the draws of the best temperature, for ``model.predict``, and
        group ``cooling`` with ``error``, ``standard_error`` and ``acceptance_rate`` by
        ``temperature``. In ``attrs``, ``temperature`` is the best one, and ``stopped`` says
        why: ``"error rose"``, ``"last temperature"`` or ``"interrupted"``, as Ctrl-C returns the
        best of the temperatures that are done.

    Raises
    ------
    ValueError
        If an argument is not valid, or steps cannot temper the model.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20, 1))
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.cool(model, X, X[:, 0], temperatures=[100, 1], draws=10, tune=10,
    ...                       chains=2, seed=1, n_leapfrog=10)
    >>> idata.attrs["temperature"], idata["posterior"].sizes["draw"]
    (1.0, 10)
    >>> model.predict(idata, X, draws=False)["summary"]["mean"].shape
    (2, 20, 1)
    """
    check_whole(1, draws=draws, chains=chains, patience=patience)
    check_whole(0, tune=tune)
    found = model_at_hand(model)
    if not isinstance(found, BNN):
        raise TypeError("model: cool needs a network of pymc_bnn.models.")
    model, ladder = found, _check_falling(temperatures)
    check_data(model)
    if X is None or y is None:
        raise ValueError("X and y: give the inputs and targets of validation cases.")
    checked_cases(model, X, y)
    with threadpool_limits(1, user_api="blas"):
        steps = recommended_steps(model, **options)
        check_steps(model, steps, ladder[::-1])
        begin, moving = one_seed(seed, None).spawn(2)
        starts = [
            {name: np.asarray(value) for name, value in (initial_point(model) | own).items()}
            for own in chain_starts(model, chains, begin, start, "cool", "start")
        ]
        sampled = ChainsAtTemperatures(model, steps, starts, tune, draws, moving)
        return _best(model, sampled, ladder, X, y, patience)


def _check_falling(temperatures: Any) -> np.ndarray:
    """Refuse what is not falling temperatures."""
    if temperatures is None:
        decades = np.log10(HOTTEST / COLDEST)
        return np.geomspace(HOTTEST, COLDEST, round(PER_DECADE * decades) + 1)
    given = list(temperatures) if np.ndim(temperatures) == 1 else []
    for temperature in given:
        check_temperature(temperature)
    ladder = np.array(given, float)
    if not given or not np.all(ladder[1:] < ladder[:-1]):
        raise ValueError(f"temperatures={temperatures!r}: give falling numbers, hot ones first.")
    return ladder


def _best(
    model: BNN,
    sampled: ChainsAtTemperatures,
    ladder: np.ndarray,
    X: Any,
    y: Any,
    patience: int,
) -> DataTree:
    """Go down the ladder until the error has risen, and return the best of it."""
    path: list[Validated] = []
    best, stopped = None, "last temperature"
    try:
        for temperature in ladder:
            with at_temperature(model, float(temperature)):
                idata, acceptance = sampled.draw()
            path.append(_judge(model, idata, float(temperature), acceptance, X, y))
            if best is None or path[-1].error < min(one.error for one in path[:-1]):
                best = idata
            if has_risen(path, patience):
                stopped = "error rose"
                break
    except KeyboardInterrupt:
        if best is None:
            raise
        stopped = "interrupted"
    assert best is not None
    return _result(model, best, path, stopped)


def _judge(
    model: BNN, idata: DataTree, temperature: float, acceptance: float, X: Any, y: Any
) -> Validated:
    """Measure the validation error of draws."""
    import arviz as az  # takes a second or two, which no draw needs to wait for

    errors = -model.log_likelihood(idata, X, y).mean("obs")
    spread = float(az.mcse(errors, method="mean")) if errors.sizes["draw"] > 3 else np.nan
    error = float(np.nan_to_num(errors.mean(), nan=np.inf))  # undefined ones are no least
    found = Validated(temperature, error, spread, acceptance)
    _log.info(f"Temperature {temperature:.3g}: validation error {found.error:.4g} ± {spread:.2g}")
    return found


def _result(model: BNN, best: DataTree, path: Sequence[Validated], stopped: str) -> DataTree:
    """Draws of the best temperature with the path of all."""
    columns = {name: [getattr(one, name) for one in path] for name in Validated._fields}
    temperatures = columns.pop("temperature")
    variables = {name: ("temperature", values) for name, values in columns.items()}
    best[GROUP] = DataTree(xr.Dataset(variables, {"temperature": temperatures}))
    best.attrs["temperature"] = min(path, key=lambda one: one.error).temperature
    best.attrs["stopped"] = stopped
    return attach(best, model.to_dict())
