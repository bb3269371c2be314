"""Fit several variants of a network to one table, and keep what has been sampled."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import xarray as xr

from ...models import VARIANTS
from ...models.bnn import BNN
from ..tables.table import Prepared
from ..tables.target_likelihood import likelihood_for
from .estimating import draw_chains
from .fit_store import TABLE_ATTRIBUTE, VARIANT_ATTRIBUTE, load_fit, save_or_rescue
from .interruption import Interruption
from .progress import Progress
from .schedule import Schedule
from .settings import ESTIMATE_ATTRIBUTE, LENGTH_ATTRIBUTE, Settings, draws_of, is_complete
from .time_limit import LEAST_OF_ALL


@dataclass
class Fits:
    """Draws of each variant, as far as they got.

    Parameters
    ----------
    draws : dict of str to DataTree
        By variant; none where they are too few to be judged.
    paths : dict of str to Path
        Where draws are saved.
    interrupted : str or None
        The variant at which the user stopped, if so.
    apart : dict of str to int
        How many chains are saved of variants that others were to complete.
    """

    draws: dict[str, xr.DataTree]
    paths: dict[str, Path]
    interrupted: str | None = None
    apart: dict[str, int] = field(default_factory=dict)


def build_models(prepared: Prepared, variants: Sequence[str], settings: Settings) -> dict[str, BNN]:
    """Declare all variants, which checks the settings before anything is sampled.

    Parameters
    ----------
    prepared : Prepared
        The table.
    variants : sequence of str
        Names from ``models.VARIANTS``.
    settings : Settings
        Network and sampler.

    Returns
    -------
    dict of str to BNN
    """
    likelihood = likelihood_for(prepared, settings.likelihood)
    return {
        name: VARIANTS[name](
            prepared.X,
            prepared.y,
            settings.hidden,
            activation=settings.activation,
            likelihood=likelihood,
        )
        for name in variants
    }


def fit_models(
    models: Mapping[str, BNN],
    prepared: Prepared,
    schedule: Schedule,
    out: Path,
    progress: Progress,
    saved: Mapping[str, xr.DataTree] | None = None,
    finished: Callable[[str, xr.DataTree], None] = lambda name, idata: None,
) -> Fits:
    """Sample all models in turn and save each as soon as it is done.

    Ctrl-C ends the model at hand and skips the rest; what has been drawn is kept and saved. So
    does a limit of time that is passed by far.

    Parameters
    ----------
    models : mapping of str to BNN
        The models.
    prepared : Prepared
        The table.
    schedule : Schedule
        Network and sampler, and how long to sample each model.
    out : Path
        Folder for the fits, ``NAME.zarr`` each; the caller holds it.
    progress : Progress
        Shows how far it is.
    saved : mapping of str to DataTree, optional
        Fits of an earlier run, which are not sampled again; see :func:`.resuming.saved_fits`.
    finished : callable, optional
        Called with each model's name and draws, once they are saved.

    Returns
    -------
    Fits
    """
    fits = Fits({}, {})
    saved = saved or {}
    for name, model in models.items():
        if name in saved:
            progress.skip(name)
            fits.draws[name], fits.paths[name] = saved[name], out / f"{name}.zarr"
            finished(name, saved[name])
            continue
        given = schedule.settings_of(name, model)
        if given is None:
            continue
        begin = perf_counter()
        idata = sample_model(name, model, given, schedule, progress)
        sampled = perf_counter()
        complete = idata is not None and is_complete(idata, given)
        gradients = progress.finish("done" if complete else "interrupted")
        if idata is not None:
            idata.attrs |= attributes(prepared, schedule, name, gradients, sampled - begin)
            keep(fits, name, idata, out, finished, complete)
        if not complete:
            fits.interrupted = name
            break
        schedule.learn(name, sampled - begin, perf_counter() - sampled)
    return fits


def keep(
    fits: Fits,
    name: str,
    idata: xr.DataTree,
    out: Path,
    finished: Callable[[str, xr.DataTree], None],
    complete: bool = True,
) -> None:
    """Save draws of a model, or leave those of an earlier run that are more, and enter them."""
    path = out / f"{name}.zarr"
    if complete or (earlier := _with_more_draws(path, idata)) is None:
        path = save_or_rescue(idata, path)
    else:
        idata = earlier
    fits.paths[name] = path
    if draws_of(idata) >= LEAST_OF_ALL:
        fits.draws[name] = idata
        finished(name, idata)


def _with_more_draws(path: Path, idata: xr.DataTree) -> xr.DataTree | None:
    """Draws that an earlier run was stopped at, if they are not fewer."""
    if not path.exists():
        return None
    earlier = load_fit(path)
    return earlier if draws_of(earlier) >= draws_of(idata) else None


def sample_model(
    name: str,
    model: BNN,
    settings: Settings,
    schedule: Schedule,
    progress: Progress,
    chain: int | None = None,
) -> xr.DataTree | None:
    """Draws of a model, as far as they got; None if it was stopped before there were any.

    With a ``chain`` it alone is sampled, as it is among the others.
    """
    try:
        with Interruption() as interruption:
            progress.start(name, settings.tune + settings.draws)
            steps = schedule.steps_of(name, model)

            def take_in(trace: Any, draw: Any) -> None:
                interruption.check()
                schedule.check(name)
                progress.draw(trace, draw)

            interruption.check()
            return draw_chains(model, steps, settings, take_in, chain)
    except KeyboardInterrupt:
        return None
    except ValueError as error:
        if "Not enough samples" in str(error):  # interrupted during warm-up
            return None
        raise


def attributes(
    prepared: Prepared, schedule: Schedule, name: str, gradients: int, seconds: float
) -> dict[str, Any]:
    """Describe the fit in JSON-able values, for predictions and reports."""
    table = {"name": prepared.name, "source": prepared.source}
    estimate, given = schedule.estimate_of(name), schedule.given[name]
    known = {} if estimate is None else {ESTIMATE_ATTRIBUTE: estimate}
    return known | {
        TABLE_ATTRIBUTE: json.dumps({**table, "encoding": prepared.encoding.to_dict()}),
        "settings": json.dumps(asdict(schedule.settings)),
        LENGTH_ATTRIBUTE: json.dumps({"tune": given.tune, "draws": given.draws}),
        VARIANT_ATTRIBUTE: name,
        "cases": prepared.digest,
        "gradient_evaluations": gradients,
        "seconds": seconds,
        "versions": json.dumps(
            {name: version(name) for name in ("pymc-bnn", "pymc", "pytensor", "arviz", "numba")}
        ),
    }
