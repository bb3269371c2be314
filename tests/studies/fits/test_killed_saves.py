"""Saves that are killed in the middle: nothing half counts, and what was there stays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.fits.fit_store import load_fit
from pymc_bnn.studies.fits.manifest import PARTIAL, remove_partial
from pymc_bnn.studies.reproduction.unit_store import is_saved, load_unit

# A save that replaces an older one is killed before its manifest is there, before it gets its
# place, between the two renames, and before the older one is deleted.
PROGRAM = """
import os, signal, sys
from pathlib import Path
import numpy as np
import xarray as xr
from pymc_bnn.studies.fits import fit_store, manifest
from pymc_bnn.studies.reproduction import unit_store

def save_fit(folder, value):
    posterior = xr.Dataset({"w": (("chain", "draw"), np.full((2, 10), value))})
    tree = xr.DataTree.from_dict({"posterior": posterior})
    tree.attrs["pymc_bnn_table"] = "{}"
    fit_store.save_fit(tree, folder / "one")

def save_unit(folder, value):
    unit_store.save_unit(xr.Dataset({"w": ("draw", np.full(10, value))}), folder, "one")

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

def without_manifest():
    fit_store.sizes_of = unit_store.sizes_of = die

def without_place():
    manifest._put_in_place = die

def between_renames():
    def put_in_place(partial, path):
        path.rename(manifest.partial_name(path))
        die()
    manifest._put_in_place = put_in_place

def before_cleaning():
    manifest._remove = die

def in_a_process(*calls):
    # forked, as imports take longer than all else; Zarr has no threads yet
    if (process := os.fork()) == 0:
        for call, *arguments in calls:
            call(*arguments)
        os._exit(0)
    return os.waitpid(process, 0)[1]

for save in (save_fit, save_unit):
    for point in (without_manifest, without_place, between_renames, before_cleaning):
        folder = Path(sys.argv[1]) / save.__name__ / point.__name__
        folder.mkdir(parents=True)
        assert in_a_process((save, folder, 1.0)) == 0
        assert in_a_process((point,), (save, folder, 2.0)) == signal.SIGKILL
"""
KEPT = {"without_manifest": 1.0, "without_place": 1.0, "between_renames": None}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], env=environment, check=True)
    return folder


@pytest.mark.parametrize("point", [*KEPT, "before_cleaning"])
def test_a_killed_save_loses_no_more_than_itself(killed: Path, point: str) -> None:
    fits, units = killed / "save_fit" / point, killed / "save_unit" / point
    assert list(fits.glob(f"*{PARTIAL}"))
    for folder in (fits, units):
        remove_partial(folder)
    found = {path.name for folder in (fits, units) for path in folder.iterdir()}
    if (kept := KEPT.get(point, 2.0)) is None:
        assert found == set()
        assert not is_saved(units, "one")
        with pytest.raises(InputError, match="there is no fit"):
            load_fit(fits / "one")
    else:
        assert found == {"one"}
        assert (load_fit(fits / "one")["posterior"]["w"] == kept).all()
        assert (load_unit(units, "one")["w"] == kept).all()
