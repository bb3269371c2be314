"""Fit several variants of a network on the workers of a scheduler of Dask."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import xarray as xr
from rich.console import Console

from ..errors import UnitError
from ..fits.fitting import Fits, attributes, build_models, keep, sample_model
from ..fits.interruption import Interruption
from ..fits.packing import pack, unpack
from ..fits.progress import SECONDS_BETWEEN_LINES, Progress
from ..fits.schedule import Schedule
from ..fits.settings import Settings, is_complete
from ..tables.table import Prepared
from .cluster import Cluster, count_workers
from .kept_chains import KeptChains

if TYPE_CHECKING:
    from distributed import Client


SUMMED = ("gradient_evaluations", "seconds")  # over chains; else they have the same attributes
TIME = "sampling_time"  # on the wall, as where processes of one machine sample side by side


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
    of one of them is raised once the other models are saved. Either way chains that have come back
    are kept, and the same run goes on from them. A chain whose worker dies is begun anew on
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
    fits, kept = Fits({}, {}), KeptChains(out, prepared, schedule.settings)
    for name in [name for name in names if name in saved]:
        fits.draws[name], fits.paths[name] = saved[name], out / f"{name}.zarr"
        kept.remove(name)
        finished(name, saved[name])
    settings, todo = schedule.settings, [name for name in names if name not in saved]
    schedule.given |= dict.fromkeys(todo, settings)

    def describe(name: str, one: Drawn) -> dict[str, Any]:
        return attributes(prepared, schedule, name, one.gradients, one.seconds)

    def whole(name: str, idata: xr.DataTree) -> None:
        _say(console, f"{name}: done after {idata.attrs['seconds']:.0f} s of workers")
        keep(fits, name, idata, out, only_whole)
        kept.remove(name)

    def only_whole(name: str, idata: xr.DataTree) -> None:
        kept.remove(name)  # before what may take long and be stopped
        finished(name, idata)

    coming = _Coming(kept, describe, whole)
    coming.expect(todo, settings.chains)
    left = [name for name in todo if coming.missing[name]]
    if not left:
        return fits
    workers = count_workers(scheduler, [fit_chain])
    _say(console, f"{', '.join(left)}: sent to {workers} worker{'s' * (workers > 1)}")
    try:
        with Interruption() as interruption, Cluster(scheduler) as cluster:
            alone = replace(settings, cores=1)
            running = {
                cluster.submit(fit_chain, prepared, name, alone, chain): (name, chain)
                for name, chains in coming.missing.items()
                for chain in sorted(chains)
            }
            _gather(running, cluster, interruption, coming, console)
    except KeyboardInterrupt:
        fits.interrupted = next((name for name in todo if name not in fits.paths), None)
        if fits.interrupted is None:  # in the midst of the last one's evaluation
            raise
        counts = coming.there().items()
        fits.apart = {name: count for name, count in counts if count and name not in fits.paths}
    return fits


class _Coming:
    """Chains that come back one by one, each saved at once, and each model when all of its are."""

    def __init__(
        self,
        kept: KeptChains,
        describe: Callable[[str, Drawn], dict[str, Any]],
        whole: Callable[[str, xr.DataTree], None],
    ):
        self.missing: dict[str, set[int]] = {}
        self._kept, self._describe, self._whole = kept, describe, whole

    def expect(self, names: Sequence[str], chains: int) -> None:
        """Find out which chains are missing, and save models that lack none."""
        self.chains = chains
        self.missing = {name: set(range(chains)) - set(self._kept.of(name)) for name in names}
        for name in names:
            self.complete(name)

    def save(self, name: str, chain: int, one: Drawn) -> None:
        """Save a chain, once."""
        if chain in self.missing[name]:
            idata = unpack(one.draws)
            idata.attrs |= self._describe(name, one)
            self._kept.keep(name, chain, idata)
            self.missing[name].discard(chain)

    def complete(self, name: str) -> None:
        """Save a model if all of its chains are there."""
        if not self.missing[name]:
            chains = self._kept.of(name)
            self._whole(name, _together([chains[chain] for chain in range(self.chains)]))

    def there(self) -> dict[str, int]:
        """Count the chains of each model that are there."""
        return {name: self.chains - len(left) for name, left in self.missing.items()}


def fit_chain(prepared: Prepared, name: str, settings: Settings, chain: int) -> Drawn:
    """Sample one chain of a model, on a worker."""
    progress = Progress([name], 1, settings.tune, settings.draws, Console(quiet=True))
    [(_, model)] = build_models(prepared, [name], settings).items()
    begun = perf_counter()
    idata = sample_model(name, model, settings, Schedule(settings), progress, chain)
    seconds = perf_counter() - begun
    if idata is None or not is_complete(idata, replace(settings, chains=1)):
        raise RuntimeError("the worker was interrupted.")
    return Drawn(pack(idata), progress.finish(), seconds)


def _together(chains: Sequence[xr.DataTree]) -> xr.DataTree:
    """Put chains that were sampled one by one beside each other, in their order."""
    first = chains[0]
    groups = {name: group.to_dataset() for name, group in first.children.items()}
    for name in ("posterior", "sample_stats"):
        each = [one[name].to_dataset().assign_coords(chain=[i]) for i, one in enumerate(chains)]
        groups[name] = xr.concat(each, "chain", combine_attrs="override", join="exact")
        if times := [one.attrs[TIME] for one in each if TIME in one.attrs]:
            groups[name].attrs[TIME] = max(times)
    idata = xr.DataTree.from_dict(groups)
    sums = {name: sum(one.attrs[name] for one in chains) for name in SUMMED}
    idata.attrs = {**first.attrs, **sums}
    return idata


def _gather(
    running: dict[Future[Drawn], tuple[str, int]],
    cluster: Cluster,
    interruption: Interruption,
    coming: _Coming,
    console: Console,
) -> None:
    """Take in results until there are no more, and then raise the first error."""
    failures: list[UnitError] = []

    def take_in(future: Future[Drawn]) -> None:
        name, chain = running[future]
        try:
            one = future.result()
        except (Exception, CancelledError) as error:
            failures.append(_as_unit_error(name, error, cluster))
        else:
            coming.save(name, chain, one)
        del running[future]

    said = monotonic()
    try:
        while running:
            done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
            interruption.check()
            for future in done:
                name, _ = running[future]
                take_in(future)
                coming.complete(name)
            if not done and (words := cluster.waiting()) is not None:
                _say(console, words)
            if running and monotonic() - said > SECONDS_BETWEEN_LINES:
                said = monotonic()
                _say(console, _how_far(coming))
    except BaseException:  # Ctrl-C, or a full disk
        for future in [each for each in running if each.done()]:
            with suppress(Exception):  # the first error tells
                take_in(future)
        raise
    if failures:
        raise failures[0]


def _how_far(coming: _Coming) -> str:
    """Say how many chains of each model have come back, of models that are not there as a whole."""
    chains = coming.chains
    parts = [f"{name} {n} of {chains}" for name, n in coming.there().items() if n < chains]
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
