"""Hidden layers that were chosen, in a file beside the fits."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path

from ..fits.manifest import written_whole
from ..fits.resuming import saved_fits
from ..fits.settings import Settings
from ..tables.table import Prepared
from ..tables.target_likelihood import likelihood_for
from .choosing import Structure, Tried, choose_structure
from .pilots import Pilot

NAME = "structure.json"


def find_structure(
    folder: Path,
    names: Iterable[str],
    prepared: Prepared,
    settings: Settings,
    finished: Callable[[Pilot], None],
    left_open: tuple[str, ...] = ("hidden",),
    most_seconds: float = math.inf,
) -> Structure:
    """Choose hidden layers for a table, or load what was chosen by the same pilots.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    names : iterable of str
        Variants that are asked for.
    prepared : Prepared
        The table.
    settings : Settings
        Activation, seed and processes; not its hidden layers.
    finished : callable
        Called with each pilot that is run.
    left_open : tuple of str
        Settings that are not known yet.
    most_seconds : float
        Seconds for all pilots.

    Returns
    -------
    Structure

    Raises
    ------
    InputError
        If the folder has fits of other cases or with other settings.
    StorageError
        If the disk is full, or closed to writing.
    """
    path = folder / NAME
    key = {name: asdict(settings)[name] for name in ("activation", "seed", "likelihood", "minutes")}
    key |= {"cases": prepared.digest, "likelihood": settings.likelihood or prepared.likelihood}
    known = _read(path, key, prepared.likelihood)
    if known is not None:
        return known
    saved_fits(folder, names, prepared, settings, left_open=left_open)
    structure = choose_structure(
        prepared.X,
        prepared.y,
        likelihood_for(prepared, settings.likelihood),
        settings.activation,
        seed=settings.seed,
        cores=settings.cores,
        most_seconds=most_seconds,
        finished=finished,
    )
    with written_whole(path) as partial:
        partial.write_text(json.dumps({**key, **asdict(structure)}, indent=1) + "\n", "utf-8")
    return structure


def _read(path: Path, key: dict[str, object], usual: str) -> Structure | None:
    """What a file holds, if it was written for the same; pilots are soon run again."""
    try:
        record = json.loads(path.read_text("utf-8"))
        record["likelihood"] = record["likelihood"] or usual
        if any(record[name] != value for name, value in key.items()):
            return None
        tried = [Tried(**one) for one in record["tried"]]
        tried = [replace(one, hidden=tuple(one.hidden)) for one in tried]
        left_out = tuple(map(tuple, record["left_out"]))
        return Structure(tuple(record["hidden"]), tuple(tried), record["cases_scored"], left_out)
    except (OSError, ValueError, KeyError, TypeError):
        return None
