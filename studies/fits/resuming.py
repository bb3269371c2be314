"""Fits of an earlier run, from which a comparison goes on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import xarray as xr

from ...models.bnn import BNN
from ...models.description import description_of
from ..errors import InputError
from ..tables.table import Prepared
from .fit_store import VARIANT_ATTRIBUTE, cases_of, load_fit
from .settings import Settings, as_scheduled, is_complete


def saved_fits(
    folder: Path,
    names: Iterable[str],
    prepared: Prepared,
    settings: Settings,
    left_open: tuple[str, ...] = (),
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
    left_open : tuple of str
        Settings that are not known yet, and may differ.

    Returns
    -------
    dict of str to DataTree
        By variant.

    Raises
    ------
    InputError
        If the folder has a fit of other cases, also of a variant that is not asked for, or one with
        other settings or of another variant, or one that cannot be read, as it is damaged or of an
        earlier version: the run would replace it.
    """
    names, found = list(names), {}
    _check_others(folder, names, prepared)
    for name in names:
        if not (path := folder / f"{name}.zarr").exists():
            continue
        idata = load_fit(path)
        if (of := idata.attrs.get(VARIANT_ATTRIBUTE, name)) != name:
            raise InputError(f"{str(path)!r} holds a fit of {of}, not of {name}; delete it.")
        there = json.loads(idata.attrs.get("settings", "{}"))
        cases = idata.attrs.get("cases")
        there |= {key: value for key, value in _listed(settings).items() if key in left_open}
        check_same_run(folder, f"a fit of {name}", there, cases, prepared, settings)
        if is_complete(idata, as_scheduled(idata, settings)):
            found[name] = idata
    return found


def check_same_models(
    folder: Path, saved: Mapping[str, xr.DataTree], models: Mapping[str, BNN]
) -> None:
    """Refuse fits of models that are declared otherwise now, as by an earlier version.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    saved : mapping of str to DataTree
        Fits, by variant.
    models : mapping of str to BNN
        The models of the run.

    Raises
    ------
    InputError
        If a fit is of another prior, or of another network.
    """
    for name, idata in saved.items():
        now, there = json.loads(json.dumps(models[name].to_dict())), description_of(idata)
        others = [key for key in now.keys() & there.keys() if _differ(there[key], now[key])]
        if others:
            raise InputError(
                f"--out {str(folder.parent)!r} has a fit of {name} whose {sorted(others)[0]} is "
                "declared otherwise now; name another folder, or delete it."
            )


def _differ(there: Any, now: Any) -> bool:
    """Whether what is described differs, but for settings that older descriptions lack."""
    if isinstance(there, dict) and isinstance(now, dict):
        return any(key not in now or _differ(there[key], now[key]) for key in there)
    return bool(there != now)


def notes_on_versions(saved: Mapping[str, xr.DataTree]) -> tuple[str, ...]:
    """Say which fits of an earlier run other versions of this package made.

    Parameters
    ----------
    saved : mapping of str to DataTree
        Fits, by variant.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import json
    >>> import xarray as xr
    >>> from pymc_bnn.studies.fits.resuming import notes_on_versions
    >>> older = xr.DataTree(xr.Dataset(attrs={"versions": json.dumps({"pymc-bnn": "0.0.1"})}))
    >>> notes_on_versions({"ard": older})
    ('Made by pymc-bnn 0.0.1: the fit of ard.',)
    """
    found = []
    for name, idata in saved.items():
        made = json.loads(idata.attrs.get("versions", "{}")).get("pymc-bnn")
        if made is not None and made != version("pymc-bnn"):
            found.append(f"Made by pymc-bnn {made}: the fit of {name}.")
    return tuple(found)


def _check_others(folder: Path, names: Sequence[str], prepared: Prepared) -> None:
    """Refuse a folder with fits of other cases, which would lie beside those of this run."""
    for path in sorted(folder.glob("*.zarr")):
        cases = None if path.stem in names else cases_of(path)
        if cases not in (None, prepared.digest):
            raise InputError(
                f"--out {str(folder.parent)!r} has a fit of {path.stem} to other cases or another "
                "split of them; name another folder, or delete it."
            )


def check_same_run(
    folder: Path,
    what: str,
    there: Mapping[str, Any],
    cases: str | None,
    prepared: Prepared,
    settings: Settings,
) -> None:
    """Refuse to replace a result that the run would not make again.

    Parameters
    ----------
    folder : Path
        Where the result is.
    what : str
        What it is, in words.
    there : mapping
        The settings that made it.
    cases : str or None
        Digest of its cases.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.

    Raises
    ------
    InputError
        If the run would use other settings or cases.
    """
    wanted, there = (_spelled_out(given, prepared) for given in (_listed(settings), there))
    others = [
        f"{key}: {there.get(key)!r} there, {wanted[key]!r} now"
        for key in wanted
        if key != "cores" and there.get(key) != wanted[key]
    ]
    if cases != prepared.digest:
        others.insert(0, "its cases or their split differ")
    if others:
        raise InputError(
            f"--out {str(folder.parent)!r} has {what} that was made otherwise "
            f"({'; '.join(others)}); name another folder, or delete it."
        )


def _spelled_out(settings: Mapping[str, Any], prepared: Prepared) -> dict[str, Any]:
    """Settings with the likelihood of a table where none was named."""
    return {**settings, "likelihood": settings.get("likelihood") or prepared.likelihood}


def _listed(settings: Settings) -> dict[str, Any]:
    """Settings as a file holds them."""
    return json.loads(json.dumps(asdict(settings)))
