"""Units of work, done in worker processes; each result is kept as soon as it is there."""

import os
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..distribution.cluster import Cluster, count_workers
from ..distribution.workers import Workers
from ..errors import UnitError, WorkerLostError
from ..fits.folder_lock import held
from ..fits.manifest import remove_partial
from .changed_code import Changed, settle_changed_code
from .unit_progress import UnitProgress, about
from .unit_store import check_key, is_saved, load_unit
from .unit_work import Done, Unit, kept, work

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Unit", "describe_units", "load_unit", "missing_units", "run_units"]


def run_units(
    units: Sequence[Unit],
    folder: str | Path,
    cores: int | None = None,
    progress: UnitProgress | None = None,
    title: str = "units",
    changed: Changed = "ask",
    scheduler: "str | Client | None" = None,
) -> None:
    """Run the units whose results are not there yet.

    Units start in the given order, so units that compile the same code belong together. When the
    user interrupts or this process ends, the workers stop at once: what they were at is lost, and
    every unit that was done stays done.

    Parameters
    ----------
    units : sequence of Unit
        The units; none may depend on another's result.
    folder : str or Path
        Where the results are saved; made if it is not there.
    cores : int, optional
        Worker processes; by default one per processor.
    progress : UnitProgress, optional
        Shows how far it is.
    title : str
        What the units are, for the progress.
    changed : {"ask", "keep", "redo"}
        Whether results that other code made are refused, used, or made anew.
    scheduler : str or distributed.Client, optional
        A scheduler of Dask, whose workers compute the units in the place of processes of this
        machine; results come back to the folder.

    Raises
    ------
    InputError
        If another process is at work in the folder, other code made some of its results, or the
        workers of the scheduler cannot be used.
    UnitError
        If a unit fails. No other unit is begun then, and those at work are finished and saved.
    ValueError
        If keys are not valid, or not unique.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.reproduction.units import Unit, load_unit, run_units
    >>> run_units([Unit("one", xr.Dataset, ({"x": 1.5},))], "results", cores=1)
    >>> float(load_unit("results", "one")["x"])
    1.5
    """
    folder, progress = Path(folder), progress or UnitProgress()
    check_units(units, cores)
    if cores is not None and scheduler is not None:
        raise ValueError(f"cores={cores!r}: a scheduler says how many; leave it out.")
    with held(folder):
        remove_partial(folder)
        settle_changed_code({unit.key: unit.function for unit in units}, folder, changed)
        todo = missing_units(units, folder)
        find: Callable[[int], Workers | Cluster] = Workers
        if scheduler is not None:
            find = partial(_of_scheduler, scheduler)
            cores = count_workers(scheduler, [unit.function for unit in todo])
        _run_all(units, folder, _processes(cores), find, progress, title)


def _of_scheduler(scheduler: "str | Client", cores: int) -> Cluster:
    return Cluster(scheduler)


def _run_all(
    units: Sequence[Unit],
    folder: Path,
    cores: int,
    find: Callable[[int], Workers | Cluster],
    progress: UnitProgress,
    title: str,
) -> None:
    todo = missing_units(units, folder)
    progress.say(f"{title}: {describe_units(units, folder, cores)}")
    try:
        while todo:
            todo = _run_or_lose(todo, folder, cores, find, progress, title)
    except KeyboardInterrupt:
        done = len(units) - len(missing_units(units, folder))
        progress.say(
            f"Interrupted: {title}, {done} of {len(units)} are kept in {folder}; "
            "run the same again to go on."
        )
        raise


def _run_or_lose(
    todo: list[Unit],
    folder: Path,
    cores: int,
    find: Callable[[int], Workers | Cluster],
    progress: UnitProgress,
    title: str,
) -> list[Unit]:
    """Run units in new worker processes, and return those that are left if a worker was lost.

    A worker that the system ended, for want of memory or by a fault in compiled code, takes the
    others with it. New ones go on, as long as units get done.
    """
    cores = min(cores, len(todo))
    progress.start(title, [unit.seconds for unit in todo], cores)
    try:
        with find(cores) as workers, progress:
            _run(todo, folder, workers, progress)
    except WorkerLostError as error:
        left = missing_units(todo, folder)
        if len(left) == len(todo):
            raise
        progress.say(f"Going on after {error}")
        return left
    return []


def missing_units(units: Sequence[Unit], folder: str | Path) -> list[Unit]:
    """Units whose results are not in a folder, or are damaged there."""
    return [unit for unit in units if not is_saved(Path(folder), unit.key)]


def describe_units(units: Sequence[Unit], folder: str | Path, cores: int | None = None) -> str:
    """Say about how long units will take, and how many are already there.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.units import Unit, describe_units
    >>> describe_units([Unit("one", dict, (), 100.0), Unit("two", dict, (), 140.0)], "new", 2)
    'about 2 minutes on 2 cores; 0 of 2 units are already there'
    """
    cores, todo = _processes(cores), missing_units(units, folder)
    seconds = [unit.seconds for unit in todo]
    longest = max([sum(seconds) / cores, *seconds])
    there = f"{len(units) - len(todo)} of {len(units)} units are already there"
    if not todo:
        return there
    return f"{about(longest)} on {cores} core{'s' if cores > 1 else ''}; {there}"


def _processes(cores: int | None) -> int:
    return cores or os.cpu_count() or 1


def check_units(units: Sequence[Unit], cores: int | None = None) -> None:
    """Refuse keys that name no folder or several units, and less than one core."""
    if cores is not None and cores < 1:
        raise ValueError(f"cores={cores!r}: give a positive whole number.")
    for unit in units:
        check_key(unit.key)
    twice = [key for key, n in Counter(unit.key for unit in units).items() if n > 1]
    if twice:
        raise ValueError(f"units={', '.join(twice)}: give every unit a key of its own.")


def _run(
    todo: list[Unit], folder: Path, workers: Workers | Cluster, progress: UnitProgress
) -> None:
    waiting, running = deque(todo), dict[Future[Done], Unit]()
    shared = folder if isinstance(workers, Workers) else None
    failure: UnitError | None = None
    while running or (waiting and failure is None):
        while waiting and failure is None and len(running) < workers.cores:
            unit = waiting.popleft()
            try:
                running[workers.submit(work, unit, shared)] = unit
            except BrokenProcessPool as error:  # a worker died before the unit reached it
                failure = _as_unit_error(error, [unit, *running.values()], workers)
        done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
        for future in done:
            unit = running[future]
            try:
                progress.finish(unit.key, unit.seconds, kept(future.result(), unit, folder))
            except Exception as error:
                failure = failure or _as_unit_error(error, list(running.values()), workers)
        for future in done:
            del running[future]
        if not done:
            progress.refresh()
            if (said := workers.waiting()) is not None:
                progress.say(said)
    if failure is not None:
        raise failure


def _as_unit_error(
    error: Exception, running: Sequence[Unit], workers: Workers | Cluster
) -> UnitError:
    if isinstance(error, UnitError):
        return error
    names = ", ".join(unit.key for unit in running)
    if workers.lost(error):
        return WorkerLostError(
            f"a worker process was ended at {names}, perhaps for want of memory; "
            "run the same again to go on."
        )
    if isinstance(error, CancelledError):
        return UnitError(
            f"the scheduler or its client has gone while {names} ran; run the same again to go on."
        )
    return UnitError(f"unit failed: {type(error).__name__}: {error}")
