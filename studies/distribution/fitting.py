"""Fit several variants of a network on the workers of a scheduler of Dask."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, NamedTuple

import xarray as xr
from rich.console import Console

from ..errors import UnitError
from ..fits.fitting import Fits, attributes, build_models, keep, sample_model
from ..fits.interruption import Interruption
from ..fits.packing import pack, unpack
from ..fits.progress import SECONDS_BETWEEN_LINES, Progress
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
    """Have workers sample the chains of models, and save each model once all of its have come back.

    The draws are those of :func:`pymc_bnn.studies.fits.fitting.fit_models`. Ctrl-C takes back
    what is not begun and does not wait for what is at work, which its worker still ends. An error
    of one of them is raised once the other models are saved. A chain whose worker dies is begun
    anew on another.

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
    workers = count_workers(scheduler, [fit_chain])
    _say(console, f"{', '.join(todo)}: sent to {workers} worker{'s' * (workers > 1)}")

    def arrived(name: str, chains: Sequence[Drawn]) -> None:
        idata = _together([unpack(one.draws) for one in chains])
        gradients, seconds = (sum(each) for each in list(zip(*chains, strict=True))[1:])
        idata.attrs |= attributes(prepared, schedule, name, gradients, seconds)
        _say(console, f"{name}: done after {seconds:.0f} s of workers")
        keep(fits, name, idata, out, finished)

    settings = schedule.settings
    schedule.given |= dict.fromkeys(todo, settings)
    try:
        with Interruption() as interruption, Cluster(scheduler) as cluster:
            running: dict[Future[Drawn], tuple[str, int]] = {}
            for name in todo:
                alone = replace(settings, cores=1)
                for chain in range(settings.chains):
                    task = cluster.submit(fit_chain, prepared, name, alone, chain)
                    running[task] = name, chain
            _gather(running, cluster, interruption, arrived, console)
    except KeyboardInterrupt:
        fits.interrupted = next((name for name in todo if name not in fits.paths), None)
    return fits


def fit_chain(prepared: Prepared, name: str, settings: Settings, chain: int) -> Drawn:
    """Sample one chain of a model, on a worker."""
    progress = Progress([name], 1, settings.tune, settings.draws, Console(quiet=True))
    [(_, model)] = build_models(prepared, [name], settings).items()
    begun = perf_counter()
    idata = sample_model(name, model, settings, Schedule(settings), progress, chain)
    seconds = perf_counter() - begun
    if idata is None:
        raise RuntimeError("the worker was interrupted.")
    return Drawn(pack(idata), progress.finish(), seconds)


def _together(chains: Sequence[xr.DataTree]) -> xr.DataTree:
    """Put chains that were sampled one by one beside each other, in their order."""
    first = chains[0]
    groups = {name: group.to_dataset() for name, group in first.children.items()}
    for name in ("posterior", "sample_stats"):
        each = [one[name].to_dataset().assign_coords(chain=[i]) for i, one in enumerate(chains)]
        groups[name] = xr.concat(each, "chain", combine_attrs="override")
    idata = xr.DataTree.from_dict(groups)
    idata.attrs = dict(first.attrs)
    return idata


def _gather(
    running: dict[Future[Drawn], tuple[str, int]],
    cluster: Cluster,
    interruption: Interruption,
    arrived: Callable[[str, Sequence[Drawn]], None],
    console: Console,
) -> None:
    """Take in results until there are no more, and then raise the first error."""
    failure: UnitError | None = None
    there: dict[str, dict[int, Drawn | None]] = {}
    for name, chain in running.values():
        there.setdefault(name, {})[chain] = None
    said = monotonic()
    while running:
        done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
        interruption.check()
        for future in done:
            name, chain = running.pop(future)
            try:
                there[name][chain] = future.result()
            except (Exception, CancelledError) as error:
                failure = failure or _as_unit_error(name, error, cluster)
            chains = [one for one in there[name].values() if one is not None]
            if len(chains) == len(there[name]):
                arrived(name, chains)
                del there[name]  # its draws are saved
        if not done and (words := cluster.waiting()) is not None:
            _say(console, words)
        if running and monotonic() - said > SECONDS_BETWEEN_LINES:
            said = monotonic()
            _say(console, _how_far(there))
    if failure is not None:
        raise failure


def _how_far(there: Mapping[str, Mapping[int, Drawn | None]]) -> str:
    """Say how many chains of each model have come back, of models that are not there as a whole."""
    counts = {
        name: (sum(one is not None for one in chains.values()), len(chains))
        for name, chains in there.items()
    }
    parts = [f"{name} {came} of {all_}" for name, (came, all_) in counts.items() if came < all_]
    return f"chains that have come back: {', '.join(parts)}"


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
