"""A comparison whose models are sampled by the workers of a cluster."""

import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from types import FrameType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from distributed import Client, LocalCluster
from pymc_bnn import models
from pymc_bnn.studies.comparison import comparing
from pymc_bnn.studies.comparison.asked import settings_of, table_of
from pymc_bnn.studies.comparison.comparing import run_comparison
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.distribution import beforehand
from pymc_bnn.studies.distribution import cluster as cluster_module
from pymc_bnn.studies.distribution import fitting as fitting_elsewhere
from pymc_bnn.studies.distribution.cluster import Cluster
from pymc_bnn.studies.errors import InputError, UnitError
from pymc_bnn.studies.fits import resuming
from pymc_bnn.studies.fits.estimating import Estimate, Timed
from pymc_bnn.studies.fits.fit_store import load_fit
from pymc_bnn.studies.fits.fitting import Fits, build_models, fit_models, sample_model
from pymc_bnn.studies.fits.progress import Progress
from pymc_bnn.studies.fits.schedule import Schedule
from pymc_bnn.studies.fits.settings import Settings
from rich.console import Console

OF_ONE = (
    r"gaussian: about [\d.]+ s of a worker as fast as this machine for each of 2 chains, "
    r"[\d.]+ s of them to compile, and 0\.\d MB of draws; others were not timed\."
)
PATIENCE = 600.0  # seconds until a test gives up on a machine that is busy

pytestmark = pytest.mark.filterwarnings("default")  # of Dask's, where its workers die


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    options = {"dashboard_address": ":0", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, **options) as local, Client(local) as client:
        yield client


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x = np.linspace(-1, 1, 40)
    frame = pd.DataFrame({"x": x, "y": np.sin(3 * x) + 0.1 * np.cos(99 * x)})
    frame.to_csv(path := tmp_path_factory.mktemp("elsewhere") / "table.csv", index=False)
    return path


def request(table: Path, name: str, **options: str | None) -> Request:
    lengths = {"draws": 40, "tune": 40, "chains": 2, "cores": None if options else 1}
    what = {"target": "y", "hidden": "2", "variants": "gaussian,ard", "out": table.parent / name}
    return Request(table, **what, **lengths, **options)  # type: ignore[arg-type]


def run(asked: Request) -> tuple[int, str]:
    console = Console(file=io.StringIO(), width=200)
    return run_comparison(asked, console), console.file.getvalue()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def here(table: Path) -> Fits:
    """The fits of this process."""
    asked = request(table, "here")
    prepared, settings = table_of(asked), settings_of(asked)
    models = build_models(prepared, ["gaussian", "ard"], settings)
    progress = Progress(list(models), 2, 40, 40, Console(quiet=True))
    return fit_models(models, prepared, Schedule(settings), table.parent / "fits", progress)


@pytest.mark.usefixtures("without_plots")
def test_models_are_sampled_by_workers_and_kept_here(
    table: Path, client: Client, here: Fits
) -> None:
    address = client.scheduler.address
    status, said = run(request(table, "there", scheduler=address))
    assert status == 0
    estimate, sent, *_ = [line for line in said.splitlines() if line.startswith("gaussian")]
    assert re.fullmatch(OF_ONE, estimate)
    assert sent.startswith("gaussian, ard: sent to 2 workers")
    assert "ard: done after" in said
    assert (table.parent / "there" / "report.html").exists()
    for name, other in here.draws.items():
        one = load_fit(table.parent / "there" / "fits" / f"{name}.zarr")
        xr.testing.assert_equal(one["posterior"].dataset, other["posterior"].dataset)
        assert one.attrs["gradient_evaluations"] == other.attrs["gradient_evaluations"] > 0
        assert one.attrs["cases"] == other.attrs["cases"]
    status, said = run(request(table, "there", scheduler=address))  # nothing is left to sample
    assert status == 0
    assert "sent to" not in said
    assert "as fast as" not in said


def test_what_a_worker_takes_is_said_of_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[Settings] = []

    def made_up(model: object, settings: Settings) -> Timed:
        timed.append(settings)
        return Timed(None, Estimate(5.0, 1.0, 0.01, 1000.0))

    monkeypatch.setattr(beforehand, "time_model", made_up)
    console = Console(file=io.StringIO(), width=200)
    settings = Settings(draws=1000, tune=500, chains=4)
    tell = beforehand.time_for_workers
    tell({"ard": None}, settings, console)  # type: ignore[dict-item]
    tell({"ard": None}, Settings(draws=20, tune=20), console)  # type: ignore[dict-item]
    tell({}, settings, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    # five to compile, which "done after" counts too, one to begin, and 1500 draws
    assert said == (
        "ard: about 21 s of a worker as fast as this machine for each of 4 chains, 5.0 s of them "
        "to compile, and 4.0 MB of draws.\n"
    )
    assert [(one.cores, one.chains) for one in timed] == [(1, 1)]


def test_a_wrong_address_is_refused_before_anything_is_compiled(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(*arguments: object, **options: object) -> None:
        raise AssertionError("workers were not looked for")

    monkeypatch.setattr(comparing, "choose_by_pilots", too_late)
    monkeypatch.setattr(beforehand, "time_model", too_late)
    for hidden in ("auto", "2"):
        asked = replace(request(table, "wrong", scheduler="nowhere"), hidden=hidden, draws=400)
        with pytest.raises(InputError, match="scheduler='nowhere': give an address"):
            run(asked)
        assert not asked.out.exists()


def test_chains_side_by_side_take_as_long_as_the_slowest() -> None:
    def chain(seconds: float) -> xr.DataTree:
        drawn = xr.Dataset(
            {"w": (("chain", "draw"), np.zeros((1, 5)))}, attrs={"sampling_time": seconds}
        )
        idata = xr.DataTree.from_dict({"posterior": drawn, "sample_stats": drawn.copy()})
        idata.attrs = {"gradient_evaluations": 10, "seconds": seconds + 1}
        return idata

    idata = fitting_elsewhere._together([chain(seconds) for seconds in (10.0, 40.0, 30.0)])
    assert idata["posterior"].attrs["sampling_time"] == 40.0
    assert idata["sample_stats"].attrs["sampling_time"] == 40.0
    assert idata.attrs == {"gradient_evaluations": 30, "seconds": 83.0}


def test_how_many_chains_have_come_back_is_said_now_and_then() -> None:
    coming = SimpleNamespace(there=lambda: {"ard": 2, "gaussian": 3}, chains=3)
    said = fitting_elsewhere._how_far(coming)  # type: ignore[arg-type]
    assert said == "chains that have come back: ard 2 of 3"


def test_workers_are_not_looked_for_where_all_fits_are_there(tmp_path: Path) -> None:
    (tmp_path / "ard.zarr").mkdir()
    beforehand.reach_workers("nowhere", tmp_path, ["ard"])
    beforehand.reach_workers(None, tmp_path, ["ard", "gaussian"])
    with pytest.raises(InputError, match="scheduler='nowhere'"):
        beforehand.reach_workers("nowhere", tmp_path, ["ard", "gaussian"])


def is_at_a_fit() -> bool:
    """Whether a thread of this process compiles or samples a model."""
    for frame in sys._current_frames().values():
        at: FrameType | None = frame
        while at is not None:
            if at.f_code is sample_model.__code__:
                return True
            at = at.f_back
    return False


USUAL = Schedule.steps_of


def take(seconds: float) -> None:
    """Have a worker take more time for a chain that it begins from here on."""

    def steps_of(self: Schedule, name: str, model: models.BNN) -> object:
        sleep(seconds)
        return USUAL(self, name, model)

    Schedule.steps_of = steps_of  # type: ignore[method-assign]


def wait_for[T](found: Callable[[], T]) -> T:
    """Ask again and again until there is an answer."""
    end = monotonic() + PATIENCE
    while not (answer := found()) and monotonic() < end:
        sleep(0.01)
    return answer


def kill_one_at_a_fit(client: Client, fits: Path) -> dict[Path, int]:
    """Kill a worker in the midst of a chain once a fit is there, and say which is."""
    pids = client.run(os.getpid)

    def at_it() -> list[str]:
        return [worker for worker, busy in client.run(is_at_a_fit).items() if busy]

    wait_for(at_it)
    client.run(take, 3.0)
    there = wait_for(lambda: {path: path.stat().st_mtime_ns for path in fits.glob("*.zarr")})
    os.kill(pids[wait_for(at_it)[0]], signal.SIGKILL)
    return there


@pytest.mark.usefixtures("without_plots")
def test_a_fit_whose_worker_is_killed_is_begun_anew(
    table: Path, client: Client, here: Fits
) -> None:
    asked = request(table, "killed", scheduler=client.scheduler.address)
    with ThreadPoolExecutor() as executor:
        killing = executor.submit(kill_one_at_a_fit, client, asked.out / "fits")
        status, said = run(asked)
    client.run(take, 0.0)
    assert status == 0
    assert (asked.out / "report.html").exists()
    [(done, written)] = killing.result().items()
    assert done.stat().st_mtime_ns == written  # what was done is not done again
    for name, other in here.draws.items():
        assert said.count(f"{name}: done after") == 1
        one = load_fit(asked.out / "fits" / f"{name}.zarr")
        xr.testing.assert_equal(one["posterior"].dataset, other["posterior"].dataset)


@pytest.mark.usefixtures("without_plots")
def test_what_a_worker_cannot_fit_is_said_and_the_rest_kept(
    table: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = Cluster.submit

    def spoil(self: Cluster, function: Callable[..., object], *arguments: object) -> object:
        table, name, settings, chain = arguments
        return submit(self, function, table, name, settings if name == "gaussian" else None, chain)

    monkeypatch.setattr(Cluster, "submit", spoil)
    with pytest.raises(UnitError, match="sampling ard failed on a worker: AttributeError"):
        run(request(table, "out", scheduler=client.scheduler.address))
    kept = load_fit(table.parent / "out" / "fits" / "gaussian.zarr")
    assert kept["posterior"].sizes["draw"] == 40


def test_ctrl_c_gives_up_what_is_at_work(
    table: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting_elsewhere, "wait", pressed)
    monkeypatch.setattr(Future, "done", lambda self: False)
    status, said = run(request(table, "stopped", scheduler=client.scheduler.address))
    assert status == 130
    assert "Interrupted before the first draw was kept; nothing was written." in said
    assert not (table.parent / "stopped").exists()


@pytest.mark.usefixtures("without_plots")
@pytest.mark.parametrize("end", ["Ctrl-C", "error"])
def test_chains_that_have_come_back_are_kept_and_gone_on_from(
    table: Path, client: Client, here: Fits, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    asked = request(table, f"kept-{end}", scheduler=client.scheduler.address)
    asked, sampled = replace(asked, variants="gaussian"), list[int]()
    submit = Cluster.submit

    def failing(self: Cluster, function: Callable[..., object], *arguments: object) -> object:
        sampled.append(arguments[-1])  # type: ignore[arg-type]
        later = end == "error" and arguments[-1] == 1
        future = submit(self, len if later else function, *((0,) if later else arguments))
        if end == "Ctrl-C" and arguments[-1] == 0:
            wait([future])
        return future

    def pressed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(Cluster, "submit", failing)
        if end == "Ctrl-C":  # where chains are there that nobody has taken in
            broken.setattr(fitting_elsewhere, "wait", pressed)
            status, said = run(asked)
            assert status == 130
            assert "only single chains were written" in said
        else:
            with pytest.raises(UnitError, match="sampling gaussian failed on a worker: TypeError"):
                run(asked)
    chains = asked.out / "fits" / "chains"
    assert "gaussian-0.zarr" in {path.name for path in chains.iterdir()}
    with pytest.raises(InputError, match=r"a chain of gaussian .*; seed: 0 there"):
        run(replace(asked, seed=1))
    with pytest.raises(InputError, match=r"a chain of gaussian .*chains: 2 there, 1 now"):
        run(replace(asked, chains=1))
    with monkeypatch.context() as earlier:
        wide = partial(models.BNN, prior=models.Gaussian(9.0))
        earlier.setitem(models.VARIANTS, "gaussian", wide)
        with pytest.raises(InputError, match="of gaussian whose prior is declared otherwise now"):
            run(asked)
    with monkeypatch.context() as earlier:
        earlier.setattr(resuming, "version", {"pymc-bnn": "0.0.1"}.get)
        with pytest.raises(InputError, match=r"gaussian by another version .*delete it"):
            run(asked)
    monkeypatch.setattr(Cluster, "submit", failing)
    sampled.clear()
    end = "nothing"
    assert run(asked)[0] == 0
    assert 0 not in sampled
    assert not chains.exists()
    one, other = load_fit(asked.out / "fits" / "gaussian.zarr"), here.draws["gaussian"]
    xr.testing.assert_equal(one["posterior"].dataset, other["posterior"].dataset)
    assert one.attrs["gradient_evaluations"] == other.attrs["gradient_evaluations"]


def test_ctrl_c_in_an_evaluation_leaves_the_fit_whole(
    table: Path, client: Client, here: Fits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    asked = request(table, "evaluated", scheduler=client.scheduler.address)
    monkeypatch.setattr(comparing.RunningReport, "add", pressed)
    status, said = run(replace(asked, variants="gaussian"))
    assert status == 130
    assert said.count("gaussian: done after") == 1
    assert [path.name for path in (asked.out / "fits").iterdir()] == ["gaussian.zarr"]
    one = load_fit(asked.out / "fits" / "gaussian.zarr")
    xr.testing.assert_equal(one["posterior"].dataset, here.draws["gaussian"]["posterior"].dataset)


@pytest.mark.parametrize("option", [{"minutes": 5.0}, {"cores": 2}])
def test_options_of_this_machine_are_refused(table: Path, option: dict[str, float]) -> None:
    name = next(iter(option))
    with pytest.raises(InputError, match=f"--{name}.*--scheduler"):
        run_comparison(Request(table, scheduler="tcp://127.0.0.1:9", **option), Console())  # type: ignore[arg-type]


def test_a_cluster_without_workers_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "SECONDS_BETWEEN_LOOKS", 0.0)
    options = {"dashboard_address": ":0", "threads_per_worker": 1, "processes": False}
    with LocalCluster(n_workers=1, **options) as local, Client(local) as client:
        cluster = Cluster(client)
        assert cluster.waiting() is None
        local.scale(0)
        while client.nthreads():
            sleep(0.01)
        assert "has no workers left" in str(cluster.waiting())
        assert cluster.waiting() is None
