"""Fits of an earlier run, from which a comparison goes on."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import xarray as xr

from ..errors import InputError
from ..tables.table import Prepared
from .fit_store import load_fit
from .settings import Settings, is_complete


def saved_fits(
    folder: Path, names: Iterable[str], prepared: Prepared, settings: Settings
) -> dict[str, xr.DataTree]:
    """Load the fits that a run need not make again.

    Fits that an interruption cut short are left for the run to make anew.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    names : iterable of str
        Variants that are asked for.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.

    Returns
    -------
    dict of str to DataTree
        By variant.

    Raises
    ------
    InputError
        If the folder has a fit of other cases or with other settings, or one that cannot be read,
        as it is damaged or of an earlier version: the run would replace it.
    """
    found = {}
    for name in names:
        if not (path := folder / f"{name}.zarr").exists():
            continue
        idata = load_fit(path)
        _check_same_run(folder, name, idata, prepared, settings)
        if is_complete(idata, settings):
            found[name] = idata
    return found


def _check_same_run(
    folder: Path, name: str, idata: xr.DataTree, prepared: Prepared, settings: Settings
) -> None:
    """Refuse to replace draws that the run would not make again."""
    there = json.loads(idata.attrs.get("settings", "{}"))
    wanted = json.loads(json.dumps(asdict(settings)))
    others = [
        f"{what}: {there.get(what)!r} there, {wanted[what]!r} now"
        for what in wanted
        if what != "cores" and there.get(what) != wanted[what]
    ]
    if idata.attrs.get("cases") != prepared.digest:
        others.insert(0, "its cases or their split differ")
    if others:
        raise InputError(
            f"--out {str(folder.parent)!r} has a fit of {name} that was made otherwise "
            f"({'; '.join(others)}); name another folder, or delete it."
        )
