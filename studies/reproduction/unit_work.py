"""A unit of work: what it is, how a worker does it, and where its result goes."""

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from ..errors import StorageError, UnitError
from .code_digest import code_digest
from .unit_store import Result, check_result, save_unit


@dataclass(frozen=True)
class Unit:
    """Something to compute once.

    Parameters
    ----------
    key : str
        Names the result: letters, digits and ``_=.-``.
    function : callable
        Computes it; a function of a module, as worker processes have to import it.
    arguments : tuple
        Of the function; they have to be picklable.
    seconds : float
        About how long it takes.
    """

    key: str
    function: Callable[..., Result]
    arguments: tuple[Any, ...] = ()
    seconds: float = 1.0


class Done(NamedTuple):
    """A unit that was computed: the seconds it took, and a pickled result that is not saved yet."""

    seconds: float
    code: str = ""
    result: bytes | None = None


def kept(done: Done, unit: Unit, folder: Path) -> float:
    """Save what a worker on another machine could not, and return the seconds it took."""
    if done.result is not None:
        save_unit(pickle.loads(done.result), folder, unit.key, done.code)
    return done.seconds


def work(unit: Unit, folder: Path | None) -> Done:
    """Compute a result in a worker process, and save it if this is a machine with the folder."""
    begin, code = perf_counter(), code_digest(unit.function)
    log = None if folder is None else folder / f"{unit.key}.error.txt"
    try:
        result = unit.function(*unit.arguments)
        check_result(result)
        if folder is None or log is None:
            # here, as Dask waits forever for what it cannot send
            return Done(perf_counter() - begin, code, pickle.dumps(result))
        save_unit(result, folder, unit.key, code)
        log.unlink(missing_ok=True)
    except StorageError as error:  # nothing is wrong with the unit, and no log can be written
        raise UnitError(f"unit {unit.key!r} is not kept: {error}") from None
    except Exception as error:
        # a text crosses to the other process whatever the error holds
        text = f"unit {unit.key!r} failed: {type(error).__name__}: {error}"
        if log is not None:
            with suppress(OSError):  # the disk may be full
                log.write_text(traceback.format_exc())
            text += f"; see {log}."
        raise UnitError(" ".join(text.split())) from None
    return Done(perf_counter() - begin)
