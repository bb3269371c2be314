"""Results that other code made: the user says whether they are used or made anew."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from .code_digest import code_digest
from .unit_store import code_of, is_saved

Changed = Literal["ask", "keep", "redo"]


def settle_changed_code(
    functions: Mapping[str, Callable[..., Any]], folder: Path, changed: Changed = "ask"
) -> None:
    """Refuse, keep or delete results that were made by other code than today's.

    Parameters
    ----------
    functions : mapping of str to callable
        What makes each result, by its key.
    folder : Path
        Where the results are.
    changed : {"ask", "keep", "redo"}
        What to do.

    Raises
    ------
    InputError
        If the user has to be asked.

    Examples
    --------
    >>> from pathlib import Path
    >>> import xarray as xr
    >>> from pymc_bnn.studies.reproduction.changed_code import settle_changed_code
    >>> from pymc_bnn.studies.reproduction.unit_store import save_unit
    >>> save_unit(xr.Dataset({"x": 1.5}), Path("old"), "one", code="of last year")
    >>> settle_changed_code({"one": dict}, Path("old"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pymc_bnn.studies.errors.InputError: of the results in 'old', 1 (one) were made by other code...
    """
    if changed == "keep":
        return
    old = [
        key
        for key, function in functions.items()
        if is_saved(folder, key) and code_of(folder, key) != code_digest(function)
    ]
    if changed == "redo":
        for key in old:
            shutil.rmtree(folder / key, ignore_errors=True)
    elif old:
        names = ", ".join(old[:3]) + (", ..." if len(old) > 3 else "")
        raise InputError(
            f"of the results in {str(folder)!r}, {len(old)} ({names}) were made by other code than "
            "today's; --keep uses them, --redo makes them anew."
        )
