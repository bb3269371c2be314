"""How long a fit will take and how large its draws are, from some transitions that are timed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from ...samplers import recommended_steps, sample
from ...samplers.compiled.memory import initial_point
from ...samplers.starts import dispersed_starts, one_of_chains
from .interruption import Interruption
from .settings import Settings
from .step_settings import step_settings

SECONDS = 1.0  # that the timed draws of a chain are to take
SHARE = 0.1  # of the draws of a chain, at most
FEWEST, MOST = 5, 100  # draws of a chain that are timed
FIRST = 2  # transitions by which their number is chosen


@dataclass(frozen=True)
class Estimate:
    """What a fit will take.

    Parameters
    ----------
    compiling : float
        Seconds that its steps took to compile; they are not compiled again.
    begin : float
        Seconds until the first draw of a chain.
    draw : float
        Seconds of a draw of a chain, with as many chains at work as there are processes.
    size : float
        Bytes of a draw of a chain, with its statistics.
    """

    compiling: float
    begin: float
    draw: float
    size: float

    def seconds(self, settings: Settings) -> float:
        """Seconds of sampling, warm-up included and compilation not.

        Examples
        --------
        >>> from pymc_bnn.studies.fits.estimating import Estimate
        >>> from pymc_bnn.studies.fits.settings import Settings
        >>> Estimate(2.0, 1.0, 0.01, 800.0).seconds(Settings(tune=100, draws=200, cores=2))
        7.0
        """
        turns = -(-settings.chains // processes(settings))
        return self.begin + turns * (settings.tune + settings.draws) * self.draw

    def bytes(self, settings: Settings) -> float:
        """Memory of the draws that are kept."""
        return settings.chains * settings.draws * self.size

    def words(self, settings: Settings) -> tuple[str, str]:
        """Seconds and memory, as they are said."""
        return duration(self.seconds(settings)), memory(self.bytes(settings))


def duration(seconds: float) -> str:
    """Write seconds, the tenths of a few alone."""
    return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:,.0f} s"


def memory(size: float) -> str:
    """Write bytes, in millions or in thousands of millions."""
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


class Timed(NamedTuple):
    """Compiled steps of a model, and what a fit by them will take.

    Attributes
    ----------
    steps : list of step methods
        As they were before they were timed.
    estimate : Estimate
        What follows from the times.
    """

    steps: Any
    estimate: Estimate


def processes(settings: Settings) -> int:
    """How many chains run at the same time."""
    return min(settings.chains, settings.cores or os.cpu_count() or 1)


def worth_timing(settings: Settings) -> bool:
    """Whether a fit is so long that the draws to be timed are a small part of it."""
    return SHARE * (settings.tune + settings.draws) >= FEWEST


def time_model(model: BNN, settings: Settings) -> Timed:
    """Compile the steps of a model, and time some draws of as many chains as there are processes.

    The draws are made by the compiled steps in the processes that a fit has, so that whatever else
    the machine does counts, and how processes hinder each other. A trajectory of fixed length
    takes the same time all along; trees of NUTS may become longer or shorter than in the draws
    that are timed, which belong to the warm-up.

    Parameters
    ----------
    model : BNN
        The model.
    settings : Settings
        Of the fit.

    Returns
    -------
    Timed
        The steps give the same draws as if they had not been timed.

    Raises
    ------
    KeyboardInterrupt
        If the user stops it.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.fits.estimating import time_model
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> estimate = time_model(model, Settings(draws=100, cores=1)).estimate
    >>> estimate.draw > 0, int(estimate.size) > 8 * 4  # of three weights and a bias
    (True, True)
    """
    with Interruption() as interruption:  # also of what compiles between two draws
        begun = perf_counter()
        steps = recommended_steps(model, **step_settings(model, settings.target_accept))
        compiling = perf_counter() - begun
        interruption.check()
        before = [step.sampling_state for step in steps]
        number = _number(_first_seconds(model, steps, settings.seed), settings)
        try:
            begin, draw, size = _timed_draws(model, steps, settings, number, interruption)
        except ValueError:  # PyMC's word for an interrupt before the first draw that is kept
            interruption.check()
            raise
        for step, state in zip(steps, before, strict=True):
            step.sampling_state = state
        interruption.check()
    return Timed(steps, Estimate(compiling, begin, draw, size))


def _first_seconds(model: BNN, steps: Sequence[Any], seed: int) -> float:
    """Roughly the seconds of a transition, in this process."""
    rng = np.random.default_rng(seed)
    start = dispersed_starts(model, 1, rng)[0]
    point = initial_point(model) | {name: np.asarray(value) for name, value in start.items()}
    for step in steps:
        step.setup_chain(rng, FIRST, 0)
    begun = perf_counter()
    for _ in range(FIRST):
        for step in steps:
            point, _ = step.step(point)
    return (perf_counter() - begun) / FIRST


def _number(seconds: float, settings: Settings) -> int:
    """How many draws to time."""
    most = min(MOST, int(SHARE * (settings.tune + settings.draws)))
    return max(FEWEST, min(most, int(SECONDS / seconds)))


def _timed_draws(
    model: BNN, steps: Any, settings: Settings, number: int, interruption: Interruption
) -> tuple[float, float, float]:
    """Seconds to the first draw and of a draw, and bytes of a draw."""
    at_once = processes(settings)
    arrived: list[list[float]] = [[] for _ in range(at_once)]

    def take_in(trace: Any, draw: Any) -> None:
        interruption.check()
        arrived[draw.chain].append(perf_counter())

    tune = number // 2
    short = replace(settings, tune=tune, draws=number - tune, chains=at_once, cores=at_once)
    begun = perf_counter()
    idata = draw_chains(model, steps, short, take_in)
    interruption.check()
    begin = float(np.mean([times[0] for times in arrived])) - begun
    if at_once == 1 < settings.chains:
        begin *= settings.chains  # each begins where the last one has ended
    # the chain that begins last has all others beside it
    later = [np.diff(times)[len(times) // 4 :].mean() for times in arrived]
    kept = sum(idata[group].dataset.nbytes for group in ("posterior", "sample_stats"))
    return begin, float(np.mean(later)), kept / (at_once * short.draws)


def draw_chains(
    model: BNN, steps: Any, settings: Settings, callback: Any, chain: int | None = None
) -> xr.DataTree:
    """Sample a model by given steps, with a callback for every draw and no words.

    With a ``chain`` it alone is sampled, as it is among the others.
    """
    which: dict[str, Any] = {"chains": settings.chains, "seed": settings.seed}
    if chain is not None:
        start, rng = one_of_chains(model, settings.seed, chain, settings.chains)
        which = {"chains": 1, "seed": rng, "initvals": [start]}
    return sample(
        model,
        draws=settings.draws,
        tune=settings.tune,
        cores=settings.cores,
        step=steps,
        callback=callback,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
        **which,
    )
