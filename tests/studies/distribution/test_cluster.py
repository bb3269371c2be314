"""Units of work on a cluster of processes, of which one is killed on the way."""

import os
import signal
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep

import joblib
import numpy as np
import pytest
import xarray as xr
from distributed import Client, KilledWorker, LocalCluster
from pymc_bnn.studies import BNNRegressor
from pymc_bnn.studies.distribution import cluster as cluster_module
from pymc_bnn.studies.distribution.cluster import Cluster, count_workers
from pymc_bnn.studies.errors import InputError, UnitError
from pymc_bnn.studies.reproduction.units import Unit, load_unit, run_units
from sklearn.model_selection import cross_validate

from tests.studies.reproduction.test_units import fail, quiet

PATIENCE = 600.0  # seconds before a unit gives up on a machine that is busy


def answer(value: float) -> xr.Dataset:
    return xr.Dataset({"x": value, "pid": os.getpid()})


def outlive(folder: Path) -> xr.Dataset:
    """Wait to be killed, unless another process has been at it before."""
    mark, end = folder / "pid", monotonic() + PATIENCE
    if not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
        while monotonic() < end:
            sleep(0.01)
    return answer(float(mark.read_text()))


class Located(BNNRegressor):
    """A regressor that says where it was fitted."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Located":
        self.pid_ = os.getpid()
        return super().fit(X, y)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    options = {"dashboard_address": ":0", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, **options) as local, Client(local) as client:
        yield client


pytestmark = pytest.mark.filterwarnings("default")  # of Dask's, where its workers die


def test_units_are_computed_by_workers_and_kept_here(tmp_path: Path, client: Client) -> None:
    units = [Unit(f"n={i}", answer, (float(i),)) for i in range(4)]
    progress = quiet()
    address = client.scheduler.address
    run_units(units, tmp_path / "out", progress=progress, scheduler=address)
    found = [load_unit(tmp_path / "out", unit.key) for unit in units]
    assert [float(one["x"]) for one in found] == [0.0, 1.0, 2.0, 3.0]
    workers = set(client.run(os.getpid).values())
    assert {int(one["pid"]) for one in found} <= workers
    assert "on 2 cores" in progress.console.file.getvalue()  # type: ignore[attr-defined]


def test_other_code_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_workers(client, [answer]) == 2
    monkeypatch.setattr(cluster_module, "code_digest", lambda function: "changed")
    with pytest.raises(InputError, match="has other code; install the same pymc-bnn there"):
        count_workers(client, [answer])


def test_other_libraries_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    there = cluster_module.version("numba")
    monkeypatch.setattr(
        cluster_module, "version", lambda name: "0.1" if name == "numba" else version(name)
    )
    with pytest.raises(InputError, match=f"has numba {there}, and this machine 0.1; install the s"):
        count_workers(client, [answer])


def test_cross_validation_runs_on_the_workers(client: Client) -> None:
    X = np.linspace(-1, 1, 40)[:, None]
    y = X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=40)
    network = Located((2,), "gaussian", draws=20, tune=20, chains=2, random_state=1)
    with joblib.parallel_config("dask"):
        there = cross_validate(network, X, y, cv=2, return_estimator=True)
    first, here = there["estimator"][0], network.set_params(cores=1).fit(X[20:], y[20:])
    xr.testing.assert_equal(first.idata_["posterior"].dataset, here.idata_["posterior"].dataset)
    assert first.pid_ in client.run(os.getpid).values()


def test_a_unit_whose_worker_is_killed_is_begun_anew(tmp_path: Path, client: Client) -> None:
    units = Unit("killed", outlive, (tmp_path,)), Unit("other", answer, (1.0,))
    run_units(units, tmp_path / "out", scheduler=client)
    found = load_unit(tmp_path / "out", "killed")
    assert int(found["pid"]) != int(found["x"]) == int((tmp_path / "pid").read_text())


def test_what_fails_is_said_and_the_rest_kept(tmp_path: Path, client: Client) -> None:
    units = Unit("one", answer, (1.0,)), Unit("two", fail, (tmp_path,))
    with pytest.raises(UnitError, match="unit 'two' failed: RuntimeError: no luck"):
        run_units(units, tmp_path / "out", scheduler=client)
    assert float(load_unit(tmp_path / "out", "one")["x"]) == 1.0


def test_an_address_where_nothing_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(InputError, match="give an address such as"):
        Cluster("tcp://127.0.0.1:9")


def test_a_client_that_has_gone_does_not_hide_the_error(client: Client) -> None:
    class Gone:
        def shutdown(self, wait: bool) -> None:
            raise RuntimeError("Client is closed.")

    cluster = Cluster(client)
    cluster._executor = Gone()  # type: ignore[assignment]
    cluster.__exit__(KeyError, KeyError(), None)
    with pytest.raises(RuntimeError, match="Client is closed"):
        cluster.__exit__(None, None, None)


def test_workers_that_die_one_after_the_other_are_lost(client: Client) -> None:
    assert Cluster(client).lost(KilledWorker("unit", None, 3))
    assert not Cluster(client).lost(RuntimeError("no luck"))


def test_workers_of_several_threads_are_refused() -> None:
    options = {"dashboard_address": ":0", "processes": False}
    with LocalCluster(n_workers=1, threads_per_worker=2, **options) as local:
        with Client(local) as client, pytest.raises(InputError, match="has 2 threads"):
            Cluster(client)
        local.scale(0)
