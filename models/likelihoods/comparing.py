"""Hold what a user's likelihood computes on arrays against what it declares in the model's graph.

Both are written by hand, and a mistake in one of them would be silent. It is done at one draw, once
for each model, for the training cases. Likelihoods of the package are tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import numpy as np
import pytensor
import xarray as xr
from pymc.logprob.basic import conditional_logp
from pymc.pytensorf import compile as compile_with_pymc
from pytensor.graph.basic import Variable
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.type import RandomType

from ..class_digest import is_ours
from ..forward_pass import Hyperparameters, PosteriorDraws, in_order_of, outputs
from ..simd.one_thread import COMPILING
from .contract import OBSERVED, of_shape, owner_of, simulated

if TYPE_CHECKING:
    from ..bnn import BNN

TOLERANCE = 1e-6  # of log densities, relative or in nats
CASES, FEWEST, MOST = 20, 50, 400  # cases of which targets are drawn, and how often
NUMBERS = 200_000  # that PyMC may draw
FALSE_ALARMS = 1e-6
LIGHT = 20  # range of draws of a distribution of light tails, at most, in interquartile ranges
_DENSITIES: WeakSet[BNN] = WeakSet()
_DRAWS: WeakSet[BNN] = WeakSet()


class _OneDraw(NamedTuple):
    """A draw of a model, on arrays and as values of its graph's variables."""

    f: np.ndarray
    hyperparameters: Hyperparameters
    values: dict[Variable, Variable]
    numbers: dict[str, np.ndarray]


def compare_densities(model: BNN, idata: xr.DataTree) -> None:
    """Hold a user's ``log_density`` against what ``observe`` declares, once for each model.

    It is done for the training targets and for others, which ``simulate`` draws. Likelihoods whose
    cases depend on each other given the draws have another density on arrays.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws; those that lack what the density needs are not compared.

    Raises
    ------
    ValueError
        If they differ.
    """
    if model in _DENSITIES or _needs_none(model, "log_density"):
        return
    with COMPILING:
        if model not in _DENSITIES:  # as another thread may just have found
            _compare_densities(model, _one_draw(model, idata))


def _compare_densities(model: BNN, draw: _OneDraw | None) -> None:
    if draw is None:
        return
    found = _density(model, draw)
    if found is not None:
        trained = model["y"].get_value()
        names = "log_density", "log_density_of_trained"
        _compare_at(model, draw, found, trained, "training case", names)
        rng = np.random.default_rng(0)
        other = simulated(model, draw.f, draw.hyperparameters, rng)[0].reshape(trained.shape)
        _compare_at(model, draw, found, other, "a target drawn for case", names[:1])
    _DENSITIES.add(model)


def compare_draws(model: BNN, idata: xr.DataTree) -> None:
    """Hold a user's ``simulate`` and predicted mean against PyMC's draws, once for each model.

    Distributions are compared case by case, by the test of Kolmogorov and Smirnov. A mean is off
    if in most cases it is larger or smaller than all draws; it is not compared where these have
    heavy tails, nor are draws if other variables, as weights of cases, have a part in targets.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws; those that lack what the distribution of targets needs are not compared.

    Raises
    ------
    ValueError
        If they differ.
    """
    if model in _DRAWS or _needs_none(model, "simulate"):
        return
    with COMPILING:
        if model not in _DRAWS:
            _compare_targets(model, _one_draw(model, idata))


def _compare_targets(model: BNN, draw: _OneDraw | None) -> None:
    if draw is None:
        return
    cases = np.unique(np.linspace(0, draw.f.shape[1] - 1, CASES).astype(int))
    theirs = None if _is_augmented(model) else _drawn_by_pymc(model, draw, cases)
    if theirs is not None:
        _compare_draws(model, draw, cases, theirs)
    _DRAWS.add(model)


def _is_augmented(model: BNN) -> bool:
    """Whether targets depend on variables that ``simulate`` is not given, as weights of cases."""
    listed = [model[name] for name in model.likelihood.hyperparameters]
    given = [*model.declaration.computed.values(), *listed]
    above = ancestors(model[model.name_for(OBSERVED)].owner.inputs, blockers=given)
    return any(v in model.free_RVs and v not in given for v in above)


def _compare_draws(model: BNN, draw: _OneDraw, cases: np.ndarray, theirs: np.ndarray) -> None:
    from scipy.stats import ks_2samp  # which takes as long to import as half of this package

    likelihood, count = model.likelihood, len(theirs)
    given, rng = (draw.f, draw.hyperparameters), np.random.default_rng(1)
    ours = np.array([simulated(model, *given, rng)[0, cases] for _ in range(count)])
    ours = ours.reshape(count, -1)
    name = type(likelihood).__name__
    tests = [ks_2samp(*pair, method="asymp").pvalue for pair in zip(ours.T, theirs.T, strict=True)]
    if min(tests) * len(tests) < FALSE_ALARMS:
        i = int(np.argmin(tests))
        raise ValueError(
            f"{name}.simulate draws other targets than observe declares: of training case "
            f"{cases[i * len(cases) // len(tests)]} its median is {np.median(ours[:, i]):.6g}, "
            f"PyMC's {np.median(theirs[:, i]):.6g}; mend one of both."
        )
    mean = likelihood.predicted(*given).get("mean")
    _compare_mean(name, None if mean is None else mean[0, cases].ravel(), theirs)


def _needs_none(model: BNN, function: str) -> bool:
    likelihood = model.likelihood
    return is_ours(owner_of(type(likelihood), function)) or not likelihood.independent


def _one_draw(model: BNN, idata: xr.DataTree) -> _OneDraw | None:
    """The first draw; None where draws of a free variable are not kept."""
    one = idata["posterior"].dataset.isel(chain=slice(1), draw=slice(1))
    values: dict[Variable, Variable] = {v: v.type(name=v.name) for v in model.free_RVs}
    if any(variable.name not in one for variable in values):
        return None
    posterior = PosteriorDraws(model, xr.DataTree.from_dict({"posterior": one}))
    numbers = {str(v.name): in_order_of(model, one[v.name]).values[0, 0] for v in values}
    f = outputs(model, posterior, model["X"].get_value())
    rng = np.random.default_rng(0)
    completed = model.likelihood.completed(posterior.hyperparameters, rng)
    return _OneDraw(f, Hyperparameters(completed), values, numbers)


def _density(model: BNN, draw: _OneDraw) -> tuple[Any, Variable] | None:
    """Log density of targets given a draw, elementwise, and the variable of targets.

    There is none where PyMC cannot tell it, or draws at random what it should be given.
    """
    observed = model[model.name_for(OBSERVED)]
    value = observed.type(name="targets")
    try:
        density = conditional_logp({**draw.values, observed: value})[value]
    except NotImplementedError:  # as PyMC says of distributions whose density it cannot derive
        return None
    if any(isinstance(variable.type, RandomType) for variable in ancestors([density])):
        return None
    given: list[Any] = [value, *draw.values.values()]
    options: dict[str, Any] = {"mode": "FAST_COMPILE", "on_unused_input": "ignore"}
    return pytensor.function(given, density, **options), value


def _drawn_by_pymc(model: BNN, draw: _OneDraw, cases: np.ndarray) -> np.ndarray | None:
    """Targets of cases given a draw, shape (draws, targets), if PyMC can draw them."""
    observed = model[model.name_for(OBSERVED)]
    count = int(np.clip(NUMBERS // max(draw.f[0].size, 1), FEWEST, MOST))
    try:
        [target] = graph_replace([observed], draw.values, strict=False)
        evaluate = compile_with_pymc(
            list(draw.values.values()),
            target,
            random_seed=1,
            mode="FAST_COMPILE",
            on_unused_input="ignore",
        )
        drawn = np.array([evaluate(*draw.numbers.values())[cases] for _ in range(count)])
    except (NotImplementedError, ValueError):  # NumPy refuses what is too large to draw
        return None
    return drawn.reshape(count, -1)


def _compare_at(
    model: BNN,
    draw: _OneDraw,
    found: tuple[Any, Variable],
    targets: np.ndarray,
    what: str,
    names: Sequence[str],
) -> None:
    """Compare densities of targets, by functions of the likelihood and by the model's graph."""
    evaluate, observed = found
    given = targets.ravel() if observed.type.ndim == 1 else targets
    declared = evaluate(given.astype(observed.type.dtype), *draw.numbers.values())
    declared = declared.reshape(len(targets), -1).sum(axis=1)
    for name in names:
        arrays = getattr(model.likelihood, name)(draw.f, targets, draw.hyperparameters)
        of_shape(arrays, draw.f.shape[:2], model.likelihood, name)
        _compare(f"{type(model.likelihood).__name__}.{name}", what, arrays[0], declared)


def _compare(function: str, what: str, arrays: np.ndarray, declared: np.ndarray) -> None:
    apart = ~np.isclose(arrays, declared, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    if apart.any():
        case = int(np.argmax(apart))
        raise ValueError(
            f"{function} is not the density that observe declares: {arrays[case]:.6g} for {what} "
            f"{case}, where PyMC has {declared[case]:.6g}; mend one of both."
        )


def _compare_mean(name: str, mean: np.ndarray | None, draws: np.ndarray) -> None:
    low, high = draws.min(axis=0), draws.max(axis=0)
    if mean is None or mean.shape != low.shape:
        return
    middle = np.subtract(*np.quantile(draws, (0.75, 0.25), axis=0))
    light = (middle > 0) & (high - low < LIGHT * middle)  # else a mean may lie beyond all draws
    off = (mean < low) | (mean > high)
    if light.any() and np.mean(off[light]) > 0.5:
        i = int(np.argmax(light & off))
        raise ValueError(
            f"{name}.predicted: mean is not that of the targets that observe declares: "
            f"{mean[i]:.6g} where PyMC draws from {low[i]:.6g} to {high[i]:.6g}; mend one of both."
        )
