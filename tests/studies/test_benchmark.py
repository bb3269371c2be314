"""The benchmark: the floor does the work of the model, and every part delivers its figures."""

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytensor
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.samplers.dynamics.leapfrog import scan_leapfrog
from pymc_bnn.studies.benchmark import timing
from pymc_bnn.studies.benchmark.__main__ import main
from pymc_bnn.studies.benchmark.measures import chains as chains_of_benchmark
from pymc_bnn.studies.benchmark.measures import effective_draws, memory, scaling, start_up
from pymc_bnn.studies.benchmark.measures.arithmetic import Peak, least_seconds
from pymc_bnn.studies.benchmark.measures.ratios import RATIOS
from pymc_bnn.studies.benchmark.peers import floor, inside_pymc, leapfrog_steps
from pymc_bnn.studies.benchmark.peers.leapfrog_steps import PEERS, floor_of
from pymc_bnn.studies.benchmark.peers.plain import plain_model
from pymc_bnn.studies.benchmark.problems import PROBLEMS
from pymc_bnn.studies.benchmark.tables import grids
from pytensor.compile.mode import Mode

rng = np.random.default_rng(1)
X = rng.normal(size=(7, 3))
IN_PYTHON = Mode(linker="py", optimizer="fast_compile")


def networks() -> dict[str, models.BNN]:
    one, two = X[:, 0], X[:, :2]
    classes = np.arange(7) % 3
    return {
        "one output": models.normal_inverse_gamma(X, one, (4,)),
        "two outputs": models.ard(X, two, (5,)),
        "deep classes": models.normal_inverse_gamma(
            X, classes, (4, 5, 6), likelihood="categorical"
        ),
        "linear classes": models.gaussian(X, classes, (), likelihood="categorical"),
    }


@pytest.mark.parametrize("name", networks())
def test_floor_has_energy_and_gradient_of_the_model(name: str) -> None:
    model = networks()[name]
    variables = [model[group] for group in model.groups]
    weights = [model.rvs_to_values[v] for v in variables]
    log_posterior = model.compile_fn([model.logp(), model.dlogp(variables)], mode=IN_PYTHON)
    base = {
        k: np.asarray(v + 0.3 * rng.normal(size=v.shape)) for k, v in model.initial_point(0).items()
    }
    energies, densities = [], []
    for _ in range(2):
        point = base | {w.name: rng.normal(size=base[w.name].shape) for w in weights}
        q = np.concatenate([point[w.name].ravel() for w in weights])
        density, slope = log_posterior(point)
        energy, workspace, data = floor_of(model, point)
        gradient = np.full(q.size, np.nan)
        energies.append(energy(q, gradient, workspace, data))
        densities.append(density)
        np.testing.assert_allclose(gradient, -slope, rtol=1e-11, atol=1e-11)
    assert energies[1] - energies[0] == pytest.approx(densities[0] - densities[1], rel=1e-11)


def test_trajectory_of_the_floor_reverses() -> None:
    energy, workspace, data = floor_of(networks()["one output"])
    q, p = rng.normal(size=(2, data[-1].size))
    start, steps, gradient = q.copy(), np.full(q.size, 0.01), np.empty(q.size)
    follow = floor.leapfrog(energy)
    follow(q, p, steps, 20, gradient, workspace, data)
    assert np.abs(q - start).max() > 0.01
    p *= -1.0
    follow(q, p, steps, 20, gradient, workspace, data)
    np.testing.assert_allclose(q, start, atol=1e-12)


def test_floor_says_that_a_network_is_not_written() -> None:
    with pytest.raises(ValueError, match="no hand-written loop"):
        floor_of(models.gaussian(X, X[:, 0], (2, 2)))


def test_problems_have_the_sizes_of_their_titles() -> None:
    for problem in PROBLEMS.values():
        model = problem.build()
        sizes = [len(model.inputs), *model.hidden, len(model.outputs)]
        cases = len(model["X"].get_value())
        assert f"{'-'.join(map(str, sizes))}, {cases} cases" in problem.title


@pytest.mark.parametrize("name", ["one output", "deep classes"])
def test_plain_models_have_the_density_of_the_network(name: str) -> None:
    model = networks()[name]
    point = {k: v + 0.1 for k, v in model.initial_point(1).items()}
    densities, slopes = [], []
    for written in (model, plain_model(model)):
        variables = [written[group] for group in model.groups]
        graphs = [written.logp(), written.dlogp(variables)]
        density, slope = written.compile_fn(graphs, mode=IN_PYTHON)(point)
        densities.append(float(density))
        slopes.append(slope)
    assert densities[0] == pytest.approx(densities[1], rel=1e-12)
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-10, atol=1e-10)


def test_leapfrog_results_are_complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # PyTensor's products of matrices compile for as long as all else takes, and its scan nearly so
    monkeypatch.setattr(leapfrog_steps, "plain_model", lambda network: network)
    # nor does nutpie compile a second time what is one model here
    nutpie = leapfrog_steps.import_nutpie()
    monkeypatch.setattr(nutpie, "compile_pymc_model", cache(nutpie.compile_pymc_model))
    scan = pytensor.config.change_flags(mode="FAST_COMPILE")(scan_leapfrog)
    monkeypatch.setattr(leapfrog_steps, "scan_leapfrog", scan)
    out = tmp_path / "benchmark.json"
    main(["--quick", "--only", "leapfrog", "--out", str(out), "--docs", str(tmp_path)])
    results = json.loads(out.read_text())
    assert {"cpu", "date", "python", "pymc", "pytensor", "numba"} <= set(results["machine"])
    problem = results["leapfrog"]["a"]
    assert set(problem["microseconds"]) == set(PEERS)
    for spread in problem["microseconds"].values():
        # what a short run takes longer than a shorter one may come out negative on a busy machine
        assert -np.inf < spread["low"] <= spread["median"] <= spread["high"] < np.inf
    assert set(problem["ratios"]) == {name for name, *_ in RATIOS}
    page = (tmp_path / "benchmark_results.md").read_text()
    assert all(name in page for name in PEERS)


def test_scaling_results_are_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "SWEEPS", {"width": (8,)})
    monkeypatch.setattr(scaling, "measure_peak", lambda *arguments: Peak(1e9, 1e8))
    # a timer that finds 40 microseconds per step, and then 50
    times = iter([40.0, 50.0])
    monkeypatch.setattr(scaling, "ours", lambda model, n_leapfrog: lambda seconds: next(times))
    results = scaling.measure_scaling(repeats=2, seconds=0.05)
    [point] = results["points"]
    assert (point["sweep"], point["value"]) == ("width", 8)
    assert point["rate"] == {"median": 22_500.0, "low": 20_000.0, "high": 25_000.0}
    # 500 cases, 8 inputs and 8 hidden units: two products of 72 weights and one of 8, and 8 tanh
    assert point["limit"] == pytest.approx(1 / (500 * (2 * (2 * 72 + 8) / 1e9 + 8 / 1e8)))
    assert results["peak"] == {"flops": 1e9, "tanhs": 1e8}


def test_time_of_a_call_is_the_mean_of_those_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def call() -> None:
        clock[0] += 0.25

    monkeypatch.setattr(timing, "perf_counter", lambda: clock[0])
    assert timing.seconds_per_call(call, 1.0) == 0.25
    assert clock == [1.25]  # the first call is not timed
    assert timing.seconds_per_call(call, 0.1) == 0.25


def drawn_as_asked(chains: int, draws: int) -> xr.DataTree:
    """Draws of a run that nobody interrupted."""
    values = xr.Dataset({"x": (("chain", "draw"), np.zeros((chains, draws)))})
    return xr.DataTree.from_dict({"posterior": values})


def test_time_inside_pymc_is_that_between_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, drawn = [0.0], []

    def sample(draws: int, callback: Callable, **options: object) -> xr.DataTree:
        """Take a minute before the first draw and after the last, and two seconds for each."""
        drawn.append(draws)
        clock[0] += 60.0
        for i in range(draws):
            clock[0] += 2.0
            callback(None, SimpleNamespace(draw_idx=i, stats=[{"n_steps": 50}, {}]))
        clock[0] += 60.0
        return drawn_as_asked(1, draws)

    monkeypatch.setattr(inside_pymc, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(inside_pymc.pm, "sample", sample)
    timer = inside_pymc.InsidePyMC(networks()["one output"], [])
    assert timer(100.0) == pytest.approx(1e6 * 2.0 / 50)
    assert drawn == [5, 50]


def test_time_of_chains_leaves_out_what_every_call_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, per_step = [0.0], 3e-6

    def sample(model: models.BNN, draws: int, tune: int, chains: int, **options: object) -> Any:
        clock[0] += 5.0 + (draws + tune) * chains * chains_of_benchmark.N_LEAPFROG * per_step
        return drawn_as_asked(chains, draws)

    monkeypatch.setattr(chains_of_benchmark, "process_time", lambda: clock[0])
    monkeypatch.setattr(chains_of_benchmark.samplers, "sample", sample)
    for chains in (1, 64):
        timer = chains_of_benchmark._sampled(networks()["one output"], chains)
        assert timer(2.0) == pytest.approx(1e6 * per_step)


def test_a_first_time_that_is_noise_does_not_ask_for_millions_of_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first calls take their fixed seconds longer, as if draws took none."""
    clock, asked, late = [0.0], [], iter([3.0] * 4)

    def sample(model: models.BNN, draws: int, tune: int, chains: int, **options: object) -> Any:
        asked.append(draws)
        clock[0] += 5.0 + next(late, 0.0) + 3e-4 * draws
        return drawn_as_asked(chains, 1 if draws > 10**6 else draws)

    monkeypatch.setattr(chains_of_benchmark, "process_time", lambda: clock[0])
    monkeypatch.setattr(chains_of_benchmark.samplers, "sample", sample)
    chains_of_benchmark._sampled(networks()["one output"], 1)(2.0)
    assert max(asked) < 10**6


def test_a_run_that_was_interrupted_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def sample(model: models.BNN, draws: int, tune: int, chains: int, **options: object) -> Any:
        return drawn_as_asked(chains, draws // 2)

    monkeypatch.setattr(chains_of_benchmark.samplers, "sample", sample)
    with pytest.raises(KeyboardInterrupt):
        chains_of_benchmark._sampled(networks()["one output"], 1)


@pytest.mark.filterwarnings("ignore:Found chain dimension to be longer than draw dimension")
def test_chains_are_complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chains_of_benchmark, "FEW_DRAWS", 10)
    monkeypatch.setattr(chains_of_benchmark, "LONG", 1000)
    out = tmp_path / "benchmark.json"
    main(["--quick", "--only", "chains", "--out", str(out), "--docs", str(tmp_path)])
    problem = json.loads(out.read_text())["chains"]["a"]
    for spread in problem["microseconds"].values():
        assert -np.inf < spread["low"] <= spread["median"] <= spread["high"] < np.inf
    assert problem["ratio"]["target"] == 0.35
    assert np.isfinite(problem["ratio"]["median"])
    assert "64 chains" in (tmp_path / "benchmark_results.md").read_text()


def test_effective_draws_are_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    # nutpie compiles for as long as all else takes, and the test of leapfrog steps runs it
    monkeypatch.setattr(effective_draws, "_nutpies", effective_draws._ours)
    measure = effective_draws.measure_effective_draws
    case = measure((8,), 2, 1, draws=20, nutpie_draws=10, repeats=1)["8"]
    assert case["ratio"]["median"] > 0
    for name in ("ours", "nutpie"):
        assert case[name]["rate"]["median"] > 0
        assert case[name]["divergences"] >= 0


def test_start_up_times_an_empty_cache_and_a_filled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def run_fresh(program: str, cache: Path, *arguments: object) -> None:
        """Take ten seconds with an empty cache, and two with another."""
        clock[0] += 2.0 if (cache / "mark").exists() else 10.0
        (cache / "mark").touch()

    monkeypatch.setattr(start_up, "run_fresh", run_fresh)
    monkeypatch.setattr(start_up, "perf_counter", lambda: clock[0])
    name = next(iter(start_up.NETWORKS))
    results = {"machine": {}, "start_up": start_up.measure_start_up([name], repeats=2)}
    cold, *warm = results["start_up"][name].values()
    assert [kind["median"] for kind in (cold, *warm)] == [10.0, 2.0, 2.0, 2.0]
    assert (cold["target"], *(kind["target"] for kind in warm)) == (60, 6, 6, 6)
    assert all(kind["verdict"] == "undecided" for kind in (cold, *warm))  # two rounds only
    [*_, grid] = grids(results)
    assert (len(grid.columns), grid.rows[0][0]) == (5, name)


def test_programs_of_the_benchmark_build_their_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are run in processes of their own elsewhere."""
    for program, call in ((start_up.PROGRAM, "samplers.sample("), (memory.PROGRAM, "options =")):
        built, _, _ = program.partition(call)
        prior = start_up.NETWORKS["7-8-1, horseshoe (NUTS)"]
        arguments = (*prior, 0.5, 1) if program is start_up.PROGRAM else ("a", "ours", 1)
        monkeypatch.setattr(sys, "argv", ["-c", *map(str, arguments)])
        names: dict[str, Any] = {}
        exec(built, names)
        assert names["model"].hidden == (8,)


def test_peak_of_memory_is_that_of_the_process_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = np.ones(60_000_000)  # 458 MiB, which must not count in another process
    program = """
import sys
from pymc_bnn.studies.benchmark.measures.memory import peak_mib
before = peak_mib()
if sys.argv[2] == "ours":
    block = bytearray(100 * 2**20)
print(peak_mib() - before if sys.argv[2] == "ours" else before)
"""
    monkeypatch.setattr(memory, "PROGRAM", program)
    monkeypatch.setattr(memory, "TemporaryDirectory", lambda **_: nullcontext(tmp_path))
    results = {"machine": {}, "memory": memory.measure_memory("a", draws=2, repeats=1)}
    case = results["memory"]["a"]
    block, pymcs = (case["mib"][name]["median"] for name in memory.SAMPLERS)
    assert block == pytest.approx(100, abs=10)
    assert 100 < pymcs < own.nbytes / 2**20 < memory.peak_mib()
    assert case["ratio"]["median"] == block / pymcs
    [*_, grid] = grids(results)
    assert grid.rows[0][-1].endswith("≤ 1: undecided")


def test_limit_counts_multiplications_of_all_passes() -> None:
    peak = Peak(flops=1.0, tanhs=np.inf)
    forward_and_weights = 2 * 2 * (3 * 4 + 4 * 2)
    assert least_seconds((3, 4, 2), 1, peak) == forward_and_weights + 2 * 4 * 2


def test_unknown_problem_is_refused() -> None:
    with pytest.raises(SystemExit, match="choose from a, b, c, d, e"):
        main(["--problems", "az"])
