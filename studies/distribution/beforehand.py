"""What comes before workers of a scheduler sample models."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from ...models.bnn import BNN
from ..fits.estimating import duration, memory, time_model, worth_timing
from ..fits.settings import Settings
from .cluster import count_workers
from .fitting import fit_chain


def reach_workers(scheduler: str | None, folder: Path, names: Iterable[str]) -> None:
    """Refuse a scheduler whose workers cannot be used, before pilots and compilation take time.

    Parameters
    ----------
    scheduler : str or None
        Its address; None where all is sampled here.
    folder : Path
        Where fits are.
    names : iterable of str
        Models; where there is a fit of each, workers are not needed.

    Raises
    ------
    InputError
        See :func:`pymc_bnn.studies.distribution.cluster.count_workers`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.distribution.beforehand import reach_workers
    >>> reach_workers("nowhere", Path("report/fits"), [])
    """
    missing = any(not (folder / f"{name}.zarr").exists() for name in names)
    if scheduler is not None and missing:
        count_workers(scheduler, [fit_chain])


def time_for_workers(models: Mapping[str, BNN], settings: Settings, console: Console) -> None:
    """Say what a chain of the first of some models would take of a worker as fast as this machine.

    What is compiled here is of no use there, so that no other model is, and what a worker takes to
    compile counts. One on which the same was compiled before takes less.

    Parameters
    ----------
    models : mapping of str to BNN
        The models that workers are to sample.
    settings : Settings
        What was asked for.
    console : Console
        Where to say it.
    """
    if not models or not worth_timing(settings):
        return
    name, alone = next(iter(models)), replace(settings, cores=1, chains=1)
    estimate = time_model(models[name], alone).estimate
    seconds = duration(estimate.compiling + estimate.seconds(alone))
    others = "; others were not timed" if len(models) > 1 else ""
    said = (
        f"{name}: about {seconds} of a worker as fast as this machine for each of "
        f"{settings.chains} chains, {duration(estimate.compiling)} of them to compile, and "
        f"{memory(estimate.bytes(settings))} of draws{others}."
    )
    console.print(said, highlight=False, markup=False, soft_wrap=True)
