"""Fit several variants of a network on the workers of a scheduler of Dask."""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import xarray as xr
from rich.console import Console

from ..errors import UnitError
from ..fits.fitting import Fits, attributes, build_models, keep, sample_model
from ..fits.interruption import Interruption
from ..fits.packing import pack, unpack
from ..fits.progress import Progress
from ..fits.schedule import Schedule
from ..fits.settings import Settings
from ..tables.table import Prepared
from .cluster import Cluster, count_workers

if TYPE_CHECKING:
    from distributed import Client


class Drawn(NamedTuple):
    """What a worker has sampled: packed draws, gradient evaluations and seconds."""

    draws: bytes
    gradients: int
    seconds: float


def fit_models_elsewhere(
    names: list[str],
    prepared: Prepared,
    schedule: Schedule,
    out: Path,
    console: Console,
    scheduler: "str | Client",
    saved: Mapping[str, xr.DataTree],
    finished: Callable[[str, xr.DataTree], None],
) -> Fits:
    """Have workers sample models, each one of them, and save each as soon as it has come back.

    The draws are those of :func:`pymc_bnn.studies.fits.fitting.fit_models`. Ctrl-C takes back
    what is not begun and does not wait for what is at work, which its worker still ends. An error
    of one of them is raised once the others are saved. A fit whose worker dies is begun anew on
    another.

    Parameters
    ----------
    names : list of str
        The models.
    prepared : Prepared
        The table, which workers are sent.
    schedule : Schedule
        Network and sampler; there is no limit of time.
    out : Path
        Folder for the fits on this machine, ``NAME.zarr`` each; the caller holds it.
    console : Console
        Where to say how far it is.
    scheduler : str or distributed.Client
        See :class:`pymc_bnn.studies.distribution.cluster.Cluster`.
    saved : mapping of str to DataTree
        Fits of an earlier run, which are not sampled again.
    finished : callable
        Called with each model's name and draws, once they are saved.

    Returns
    -------
    Fits

    Raises
    ------
    UnitError
        If a fit fails, or all workers that were at it died.
    """
    fits = Fits({}, {})
    for name in [name for name in names if name in saved]:
        fits.draws[name], fits.paths[name] = saved[name], out / f"{name}.zarr"
        finished(name, saved[name])
    todo = [name for name in names if name not in saved]
    if not todo:
        return fits
    workers = count_workers(scheduler, [fit_variant])
    _say(console, f"{', '.join(todo)}: sent to {workers} worker{'s' * (workers > 1)}")

    def arrived(name: str, drawn: Drawn) -> None:
        idata = unpack(drawn.draws)
        idata.attrs |= attributes(prepared, schedule, name, drawn.gradients, drawn.seconds)
        _say(console, f"{name}: done after {drawn.seconds:.0f} s")
        keep(fits, name, idata, out, finished)

    settings = schedule.settings
    schedule.given |= dict.fromkeys(todo, settings)
    try:
        with Interruption() as interruption, Cluster(scheduler) as cluster:
            running = {
                cluster.submit(fit_variant, prepared, name, replace(settings, cores=1)): name
                for name in todo
            }
            _gather(running, cluster, interruption, arrived, console)
    except KeyboardInterrupt:
        fits.interrupted = next((name for name in todo if name not in fits.paths), None)
    return fits


def fit_variant(prepared: Prepared, name: str, settings: Settings) -> Drawn:
    """Sample one model, on a worker."""
    progress = Progress([name], settings.chains, settings.tune, settings.draws, Console(quiet=True))
    [(_, model)] = build_models(prepared, [name], settings).items()
    begun = perf_counter()
    idata = sample_model(name, model, settings, Schedule(settings), progress)
    seconds = perf_counter() - begun
    if idata is None:
        raise RuntimeError("the worker was interrupted.")
    return Drawn(pack(idata), progress.finish(), seconds)


def _gather(
    running: dict[Future[Drawn], str],
    cluster: Cluster,
    interruption: Interruption,
    arrived: Callable[[str, Drawn], None],
    console: Console,
) -> None:
    """Take in results until there are no more, and then raise the first error."""
    failure: UnitError | None = None
    while running:
        done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
        interruption.check()
        for future in done:
            name = running.pop(future)
            try:
                drawn = future.result()
            except (Exception, CancelledError) as error:
                failure = failure or _as_unit_error(name, error, cluster)
            else:
                arrived(name, drawn)
        if not done and (said := cluster.waiting()) is not None:
            _say(console, said)
    if failure is not None:
        raise failure


def _as_unit_error(name: str, error: BaseException, cluster: Cluster) -> UnitError:
    if cluster.lost(error):
        return UnitError(
            f"workers died one after the other at {name}, perhaps for want of memory; run the "
            "same again to go on."
        )
    if isinstance(error, CancelledError):
        return UnitError(
            f"the scheduler has gone while {name} was sampled; run the same again to go on."
        )
    return UnitError(f"sampling {name} failed on a worker: {type(error).__name__}: {error}")


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
