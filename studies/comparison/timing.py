"""What a comparison will take, what it took, and what a limit of time has made shorter."""

from collections.abc import Iterable, Mapping
from time import monotonic

import numpy as np
import xarray as xr
from rich.console import Console

from ...models.bnn import BNN
from ..errors import InputError
from ..fits.estimating import Timed, duration, memory, processes, time_model, worth_timing
from ..fits.fitting import Fits
from ..fits.schedule import Schedule
from ..fits.settings import Settings, as_scheduled
from ..fits.time_limit import LEAST_OF_ALL, TimeLimit
from ..scores.smoothing import smoothed
from .announcing import kept_of

CASES = 100  # by which an evaluation is timed
# An evaluation of 3750 cases and 4 chains of 248 draws that disagreed took 4.6 times as long as
# smoothing the scores of all cases once.
SMOOTHINGS = 4.6


def check_enough(name: str, model: BNN, settings: Settings, limit: TimeLimit) -> dict[str, Timed]:
    """Refuse a limit in which not even one model is sampled, before anything is written.

    Parameters
    ----------
    name : str
        The first model, which has the simplest hidden layers where they are to be chosen.
    model : BNN
        The model.
    settings : Settings
        What was asked for.
    limit : TimeLimit
        The limit.

    Returns
    -------
    dict of str to Timed
        The model, which was compiled for it.

    Raises
    ------
    InputError
        If a tenth of its draws does not fit into it.
    """
    if limit.left > 0:
        timed = time_model(model, settings)
        if limit.fits([timed.estimate], settings):
            return {name: timed}
    gone = monotonic() - limit.begun
    raise InputError(
        f"--minutes {limit.minutes:g}: {gone:.0f} s went before the first draw here, and what is "
        f"left is not enough for a tenth of the draws of {name}; give more minutes or fewer draws."
    )


def seconds_of_evaluation(cases: int, settings: Settings) -> float:
    """Seconds of what grows with the cases in an evaluation, by smoothing scores of made-up ones.

    Parameters
    ----------
    cases : int
        Training cases.
    settings : Settings
        How many draws are smoothed.

    Returns
    -------
    float
        For a model whose chains do not agree, of which each is smoothed by itself as well.
    """
    shape = settings.chains, max(settings.draws, LEAST_OF_ALL), CASES
    drawn = np.random.default_rng(0).normal(size=shape)
    densities = xr.DataArray(drawn, dims=("chain", "draw", "obs"))
    smoothed(densities[..., :2], 1.0)  # what is imported then
    begun = monotonic()
    smoothed(densities, 1.0)
    return SMOOTHINGS * cases / CASES * (monotonic() - begun)


def time_models(
    models: Mapping[str, BNN],
    settings: Settings,
    limit: TimeLimit | None,
    console: Console,
    known: Mapping[str, Timed],
    one_at_least: bool,
) -> dict[str, Timed]:
    """Compile and time all models that a limit has time for, and say what they will take.

    Parameters
    ----------
    models : mapping of str to BNN
        The models that are to be sampled.
    settings : Settings
        What was asked for.
    limit : TimeLimit or None
        Of the comparison.
    console : Console
        Where to say it.
    known : mapping of str to Timed
        Models that were timed before.
    one_at_least : bool
        Whether the first model has its place even if the limit has no time for it.

    Returns
    -------
    dict of str to Timed
        None of a model if its fit is so short that timing it would take as long.
    """
    timed: dict[str, Timed] = {}
    if limit is None and not worth_timing(settings):
        return timed
    for name, model in models.items():
        found = known.get(name) or time_model(model, settings)
        so_far = [one.estimate for one in (*timed.values(), found)]
        needless = not one_at_least or bool(timed)
        if limit is not None and needless and not limit.fits(so_far, settings):
            break
        timed[name] = found
        _say(console, f"{name}: {_in_words(found, settings)}")
    if timed:
        cases = len(next(iter(models.values()))["X"].get_value(borrow=True))
        evaluation = len(timed) * seconds_of_evaluation(cases, settings)
        _say(console, _total(timed, settings, len(models), evaluation))
    return timed


def _in_words(timed: Timed, settings: Settings) -> str:
    estimate, at_once = timed.estimate, processes(settings)
    seconds, size = estimate.words(settings)
    return (
        f"compiled in {estimate.compiling:.1f} s; {settings.tune + settings.draws} draws of "
        f"{settings.chains} chains, {at_once} at a time, will take about {seconds} "
        f"({1000 * estimate.draw:.3g} ms each) and {size}."
    )


def _total(timed: Mapping[str, Timed], settings: Settings, models: int, evaluation: float) -> str:
    estimates = [one.estimate for one in timed.values()]
    seconds = sum(one.seconds(settings) for one in estimates)
    size = sum(one.bytes(settings) for one in estimates)
    which = "all" if len(timed) == models else f"the first {len(timed)}"
    return (
        f"Estimate of {which}: {duration(seconds)} of sampling and {memory(size)} of draws; "
        f"compilation is over. Evaluation comes on top, about {duration(evaluation)} of one core "
        "for what grows with the cases, and so does the report."
    )


def say_time(schedule: Schedule, console: Console) -> str | None:
    """Say how long sampling took, beside what was estimated.

    Parameters
    ----------
    schedule : Schedule
        What was planned, and what it took.
    console : Console
        Where to say it.

    Returns
    -------
    str or None
        The same for the report; None if nothing was estimated.
    """
    known = {name: schedule.estimate_of(name) for name in schedule.took}
    both = {name: (e, schedule.took[name]) for name, e in known.items() if e is not None}
    if not both:
        return None
    estimated, took = (sum(pair) for pair in zip(*both.values(), strict=True))
    each = ", ".join(f"{name} {duration(t)} ({duration(e)})" for name, (e, t) in both.items())
    said = f"Sampling took {duration(took)}, where {duration(estimated)} were estimated: {each}."
    _say(console, said)
    return said


def notes_on_time(schedule: Schedule, variants: Iterable[str], fits: Fits) -> tuple[str, ...]:
    """What a limit of time has made shorter.

    Parameters
    ----------
    schedule : Schedule
        What was planned.
    variants : iterable of str
        Models that were asked for.
    fits : Fits
        Those that have draws.

    Returns
    -------
    tuple of str
        Sentences for the report; none if nothing is shorter than was asked for.
    """
    limit = schedule.limit
    if limit is None:
        return ()
    minutes, notes = f"{limit.minutes:g} minutes", []
    if short := _shortened(schedule, fits):
        asked = f"{schedule.settings.tune} + {schedule.settings.draws}"
        notes.append(
            f"To keep to {minutes}, chains are shorter than the {asked} draws that were asked "
            f"for: {', '.join(short)}. How short depends on the speed of the machine; --tune and "
            "--draws make one of them again."
        )
    if schedule.late is not None and schedule.late in fits.draws:
        notes.append(f"{minutes} had passed, and sampling was ended: {kept_of(fits, schedule)}.")
    left = [name for name in variants if name not in fits.draws]
    if left and (fits.interrupted is None or schedule.late is not None):
        notes.append(f"There was no time in {minutes} for {', '.join(left)}.")
    return tuple(notes)


def _shortened(schedule: Schedule, fits: Fits) -> list[str]:
    """Models that were given fewer draws than was asked for, now or before, with their numbers."""
    asked = schedule.settings
    all_given = {name: as_scheduled(idata, asked) for name, idata in fits.draws.items()}
    return [
        f"{name} {given.tune} + {given.draws}"
        for name, given in all_given.items()
        if (given.tune, given.draws) != (asked.tune, asked.draws)
    ]


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
