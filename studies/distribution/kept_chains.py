"""Chains that have come back from workers, on disk until the others of their model have too."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import xarray as xr

from ..errors import InputError
from ..fits.fit_store import VARIANT_ATTRIBUTE, load_fit, save_or_rescue
from ..fits.fitting import build_models
from ..fits.manifest import partial_name, remove_partial
from ..fits.resuming import check_same_models, check_same_run, notes_on_versions
from ..fits.settings import Settings
from ..tables.table import Prepared

FOLDER = "chains"


class KeptChains:
    """Single chains of models, which an error of another chain or Ctrl-C leave where they are.

    Parameters
    ----------
    fits : Path
        Folder of the fits; the chains have one in it.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.distribution.kept_chains import KeptChains
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> KeptChains(Path("fits"), None, Settings(chains=2)).of("ard")
    {}
    """

    def __init__(self, fits: Path, prepared: Prepared, settings: Settings):
        self.folder, self._prepared, self._settings = fits / FOLDER, prepared, settings
        remove_partial(self.folder)

    def of(self, name: str) -> dict[int, xr.DataTree]:
        """Chains of a model that are there, by their number.

        Raises
        ------
        InputError
            If they are of other cases, settings or models, or another version of this package
            made them.
        """
        paths = self.folder.glob(f"{name}-[0-9]*.zarr")
        found = {int(path.stem.rpartition("-")[2]): load_fit(path) for path in sorted(paths)}
        for one in found.values():
            self._check(name, one)
        if found:
            models = build_models(self._prepared, [name], self._settings)
            for one in found.values():
                check_same_models(self.folder.parent, {name: one}, models)
        return found

    def keep(self, name: str, chain: int, idata: xr.DataTree) -> None:
        """Save a chain, with the attributes of a fit."""
        save_or_rescue(idata, self._path(name, chain))

    def remove(self, name: str) -> None:
        """Delete the chains of a model, as its fit is saved."""
        for path in self.folder.glob(f"{name}-[0-9]*.zarr"):
            gone = path.rename(partial_name(path))  # no run takes in what is left of it
            shutil.rmtree(gone, ignore_errors=True)
        with suppress(OSError):  # it has chains of other models, or never was
            self.folder.rmdir()

    def _path(self, name: str, chain: int) -> Path:
        return self.folder / f"{name}-{chain}.zarr"

    def _check(self, name: str, idata: xr.DataTree) -> None:
        if (of := idata.attrs.get(VARIANT_ATTRIBUTE, name)) != name:
            raise InputError(
                f"{str(self.folder)!r} has a chain of {of} as one of {name}; delete it."
            )
        there, cases = json.loads(idata.attrs.get("settings", "{}")), idata.attrs.get("cases")
        what = f"in fits/{FOLDER} a chain of {name}"
        check_same_run(self.folder.parent, what, there, cases, self._prepared, self._settings)
        if notes_on_versions({name: idata}):
            raise InputError(
                f"{str(self.folder)!r} has a chain of {name} by another version of pymc-bnn; "
                "delete it, as a fit mixes none."
            )
