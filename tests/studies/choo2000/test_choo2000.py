"""The machinery of the reproduction of Choo's thesis."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.samplers import GibbsHMC
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.studies.choo2000.design import budgets
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS, Grid
from pymc_bnn.studies.choo2000.design.methods import METHODS
from pymc_bnn.studies.choo2000.design.network import CHOO_CASES, HYPERPARAMETERS, choo_network
from pymc_bnn.studies.choo2000.design.starts import choose_starts, is_inside
from pymc_bnn.studies.choo2000.runs import trials
from pymc_bnn.studies.choo2000.runs.chains import (
    WEIGHTS,
    as_states,
    log_sigma,
    run_chains,
    start_points,
)
from pymc_bnn.studies.choo2000.runs.many_starts import many_units
from pymc_bnn.studies.choo2000.runs.master import make_master, run_master, summarize_master
from pymc_bnn.studies.choo2000.runs.unthinned import run_unthinned
from pymc_bnn.studies.choo2000.study import STUDY
from pymc_bnn.studies.cli import main
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.reproduction.studying import STUDIES, StudyRequest, find_study
from pymc_bnn.studies.reproduction.unit_store import save_unit
from pymc_bnn.studies.reproduction.units import load_unit
from rich.console import Console

RNG_SEED = 20


def some_states(width: int = 8, count: int = 3) -> xr.Dataset:
    rng = np.random.default_rng(RNG_SEED)
    start = choo_network(width).initial_point()
    return as_states(
        [{k: v + rng.normal(size=v.shape) for k, v in start.items()} for _ in range(count)]
    )


def synthetic_run(draws: int, inside: np.ndarray) -> xr.Dataset:
    sigmas = np.zeros((draws, 5))
    sigmas[inside, list(HYPERPARAMETERS).index("a")] = 4.5
    named = {"hyperparameter": list(HYPERPARAMETERS)}
    return xr.Dataset({"log_sigma": (("draw", "hyperparameter"), sigmas)}, coords=named)


@pytest.fixture(scope="module")
def step() -> GibbsHMC:
    return GibbsHMC(20, 0.3, interweave=False, thin=3, model=choo_network(8))


def test_chains_are_those_of_stepping_by_hand(step: GibbsHMC) -> None:
    points = start_points(choo_network(8), some_states())
    chains = run_chains(step, points, 4, seed=[1, 2])
    for chain, rng in enumerate(np.random.default_rng([1, 2]).spawn(3)):
        by_hand = GibbsHMC(20, 0.3, interweave=False, thin=3, model=choo_network(8), rng=rng)
        by_hand.tune = False
        point = points[chain]
        for draw in range(4):
            point, (stats,) = by_hand.step(point)
            found = chains["posterior"].dataset.isel(chain=chain, draw=draw)
            for letter, name in HYPERPARAMETERS.items():
                assert float(found[letter]) == -0.5 * float(point[f"{name}_log__"])
            rate = chains["sample_stats"]["acceptance_rate"][chain, draw]
            assert float(rate) == stats["acceptance_rate"]


def test_chains_in_packs_are_those_of_a_batch_and_cost_as_much(step: GibbsHMC) -> None:
    points = start_points(choo_network(8), some_states(count=9))
    chains = run_chains(step, points, 4, seed=[1, 2])
    rngs = np.random.default_rng([1, 2]).spawn(9)
    batch = BatchOfChains(step, points, rngs, 0, 4)
    assert max(batch.blocks()) == 4
    for letter, name in HYPERPARAMETERS.items():
        found = batch.records.log_precision[..., step.precisions.slices[f"{name}_log__"].start]
        np.testing.assert_array_equal(chains["posterior"][letter], -0.5 * found)
    rates = chains["sample_stats"]["acceptance_rate"]
    np.testing.assert_array_equal(rates, batch.records.statistics[..., 0])
    assert chains["sample_stats"]["n_steps"].sum() == 9 * 4 * 3 * 20
    assert chains.attrs["passes"] == 2 * 9 * 4 * 3 * 20


def test_chains_say_what_they_cost(step: GibbsHMC) -> None:
    points = start_points(choo_network(8), some_states())
    chains = run_chains(step, points, 4, seed=1)
    assert list(chains["posterior"].data_vars) == ["delta", "u", "v", "a", "b"]
    assert chains["sample_stats"]["n_steps"].sum() == 3 * 4 * 3 * 20
    assert chains.attrs["passes"] == 2 * 3 * 4 * 3 * 20
    assert chains.attrs["seconds"] > 0
    assert run_chains(step, points, 1, 1, passes_per_leapfrog=6).attrs["passes"] == 6 * 3 * 3 * 20


def test_a_chain_does_not_change_its_start(step: GibbsHMC) -> None:
    points = start_points(choo_network(8), some_states())
    before = [{name: value.copy() for name, value in point.items()} for point in points]
    first = run_chains(step, points, 2, seed=1)
    for point, old in zip(points, before, strict=True):
        for name, value in point.items():
            np.testing.assert_array_equal(value, old[name])
    xr.testing.assert_identical(
        run_chains(step, points, 2, seed=1)["posterior"].dataset, first["posterior"].dataset
    )


def test_chains_need_starts_and_draws(step: GibbsHMC) -> None:
    with pytest.raises(ValueError, match="starts=0, draws=3: give at least one of each"):
        run_chains(step, [], 3, seed=1)


@pytest.mark.parametrize("width", [8, 20])
def test_start_points_are_the_same_network_in_both_parametrizations(width: int) -> None:
    states = some_states(width)
    X = CHOO_CASES[:, :2]
    expected = [
        np.tanh(X @ s["w0"].values + s["b0"].values) @ s["w1"].values + s["b1"].values
        for s in (states.isel(start=i) for i in range(3))
    ]
    for parametrization in ("centered", "noncentered"):
        model = choo_network(width, parametrization)
        weights = model.replace_rvs_by_values([model[name] for name in WEIGHTS])
        outputs = model.compile_fn(
            weights, inputs=model.value_vars, mode="FAST_COMPILE", on_unused_input="ignore"
        )
        for point, right, i in zip(start_points(model, states), expected, range(3), strict=True):
            assert list(point) == [v.name for v in model.value_vars]
            w0, b0, w1, b1 = outputs(point)
            np.testing.assert_allclose(np.tanh(X @ w0 + b0) @ w1 + b1, right)
            np.testing.assert_allclose(log_sigma(point), states["log_sigma"][i])


def test_states_survive_the_way_there_and_back() -> None:
    states = some_states()
    xr.testing.assert_allclose(as_states(start_points(choo_network(8), states)), states)


def test_starts_are_stratified_and_far_apart() -> None:
    rng = np.random.default_rng(RNG_SEED)
    run = synthetic_run(5000, rng.random(5000) < 0.05)
    starts = choose_starts(run, separation=100, gap=10, seed=(1,))
    assert starts["stratum"].values.tolist() == ["outside"] * 40 + ["inside"] * 10
    np.testing.assert_array_equal(is_inside(starts), [False] * 40 + [True] * 10)
    places = np.sort(starts["draw"].values)
    # the sequence of further states keeps its distance to the first ones, and in itself
    assert np.diff(places).min() >= 10
    first = np.arange(1, 41) * 100 - 1
    outside = first[~is_inside(run).values[first]]
    assert set(outside) <= set(places)


def test_there_are_as_many_times_as_many_starts() -> None:
    rng = np.random.default_rng(RNG_SEED)
    run = synthetic_run(5000, rng.random(5000) < 0.05)
    starts = choose_starts(run, separation=5000, gap=3, seed=(1,), times=4)
    assert starts["stratum"].values.tolist() == ["outside"] * 160 + ["inside"] * 40
    np.testing.assert_array_equal(is_inside(starts), [False] * 160 + [True] * 40)
    assert len(set(starts["draw"].values)) == 200
    with pytest.raises(ValueError, match="states inside G and 400 are needed"):
        choose_starts(run, separation=10, gap=3, times=40)


@pytest.fixture(scope="module")
def interweaved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a short master run with interweaving."""
    folder = tmp_path_factory.mktemp("units")
    master = make_master(8, samples=4000, separation=100, thin=5, interweave=True)
    save_unit(master, folder, trials.master_key(8, True))
    return folder


def test_growth_is_measured_from_many_states_of_the_interweaved_run(interweaved: Path) -> None:
    [unit] = many_units(interweaved, replace(BUDGETS["desk"], times=2), 0, {8: (5, 0.4)})
    assert unit.key == "many-gibbs-8-5-0.4"
    *head, _, times, seed = unit.arguments
    chains = unit.function(*head, (2, 1), times, seed)
    assert dict(chains["posterior"].sizes) == {"chain": 100, "draw": 24}
    assert chains["posterior"]["stratum"].values.tolist() == ["outside"] * 80 + ["inside"] * 20
    assert chains.attrs["passes"] == 100 * 24 * 5 * 2


def test_inefficiency_of_runs_that_keep_each_trajectory(interweaved: Path) -> None:
    found = run_unthinned(interweaved, "collapsed_gibbs", 8, 300, (0, 1))
    assert found["inefficiency"].shape == (len(HYPERPARAMETERS), 4)
    # some trajectories are worth an independent draw, and no more passes than are charged
    assert 1.0 < float(found["inefficiency"].sel(hyperparameter="u").mean()) < 100.0
    assert 100.0 < float(found["passes"]) <= 100.0 + METHODS["collapsed_gibbs"].sweep_passes


def test_starts_come_closer_if_the_run_is_short() -> None:
    inside = np.zeros(100, bool)
    inside[40:50] = True
    starts = choose_starts(synthetic_run(100, inside), separation=100, gap=10)
    assert set(range(40, 50)) <= set(starts["draw"].values)
    assert len(set(starts["draw"].values)) == 50


def test_a_run_without_enough_states_says_so() -> None:
    run = synthetic_run(1000, np.arange(1000) < 9)
    with pytest.raises(ValueError, match="has 9 states inside G and 10 are needed; make it longer"):
        choose_starts(run, 10, 2)


def test_a_summary_is_that_of_the_draws() -> None:
    rng = np.random.default_rng(RNG_SEED)
    run = synthetic_run(2000, np.arange(2000) % 20 == 0)
    run["log_sigma"] = run["log_sigma"] + 0.1 * rng.normal(size=(2000, 5))
    run["acceptance"] = ("draw", np.full(2000, 0.94))
    summary = summarize_master(run.assign_attrs(thin=100))
    np.testing.assert_allclose(summary["mean"], run["log_sigma"].mean("draw"))
    assert float(summary["share"]) == 0.05
    assert float(summary["rejection_rate"]) == pytest.approx(0.06)
    assert int(summary["samples"]) == 200_000
    # independent states: each worth about one
    np.testing.assert_allclose(summary["inefficiency"], 100, rtol=0.3)
    np.testing.assert_allclose(summary["mcse"].sel(hyperparameter="u"), 0.1 / 2000**0.5, rtol=0.3)


def test_a_master_run_is_longer_if_it_has_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    real, asked = run_master, []

    def counted(*given: Any) -> xr.Dataset:
        asked.append(given)
        return real(*given)

    monkeypatch.setattr("pymc_bnn.studies.choo2000.runs.master.run_master", counted)
    monkeypatch.setattr("pymc_bnn.studies.choo2000.runs.master.INSIDE", 1_000_000)
    monkeypatch.setattr("pymc_bnn.studies.choo2000.runs.master.MOST_EXTENSIONS", 2)
    monkeypatch.setattr("pymc_bnn.studies.choo2000.design.starts.BORDER", 0.5)
    master = make_master(8, samples=1000, separation=10, thin=5)
    assert len(asked) == 3
    draws = master["draws"].to_dataset()
    assert draws.sizes["draw"] == 600
    # the second piece goes on where the first ended
    np.testing.assert_allclose(log_sigma(asked[1][5]), draws["log_sigma"][199])
    assert int(master["summary"]["samples"]) == 3000
    assert master["starts"].sizes["start"] == 50


def test_budgets_give_every_method_about_the_thesis_leapfrog_steps() -> None:
    paper = BUDGETS["paper"]
    for method, leapfrogs in (("gibbs", 614400), ("dynamical_a", 307200), ("dynamical_b", 204804)):
        for n_leapfrog in paper.grids[method].n_leapfrog:
            given = paper.sweeps(method, n_leapfrog) * n_leapfrog * budgets.SUPER_TRANSITIONS
            assert 0.98 * leapfrogs <= given <= 1.001 * leapfrogs
    assert all(set(METHODS) == set(budget.grids) for budget in BUDGETS.values())
    with pytest.raises(InputError, match="unknown budget 'papre'; did you mean 'paper'"):
        STUDY.budget("papre")


@pytest.mark.parametrize("name", ["interweaved_gibbs", "collapsed_gibbs"])
def test_interweaving_costs_about_as_many_passes_as_it_is_charged_for(name: str) -> None:
    states, method = some_states(20), METHODS[name]
    model, step = method.build(20, 15, 0.2, 500, dict.fromkeys(HYPERPARAMETERS, 0.0))
    chains = run_chains(step, start_points(model, states), 2, seed=1)
    each = chains.attrs["passes"] / (3 * 2 * 500)
    charged = method.passes * 15 + method.sweep_passes
    assert 0.85 * charged < each <= charged


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A budget of a few seconds."""
    grids = dict.fromkeys(("gibbs", "collapsed_gibbs"), Grid((10,), (0.4,)))
    small: dict[str, Any] = {"widths": (8,), "grids": grids, "repeats": 0, "passes": 480}
    small |= {"master_samples": {8: 4000}, "interweaved_samples": 4000}
    monkeypatch.setitem(BUDGETS, "tiny", replace(BUDGETS["smoke"], name="tiny", **small))
    return "tiny"


@pytest.mark.usefixtures("units_in_this_process")
def test_the_study_runs_end_to_end_and_again(tmp_path: Path, tiny: str) -> None:
    said = io.StringIO()
    request = StudyRequest("choo2000", tiny, tmp_path / "out", cores=1)
    for _ in range(2):
        assert find_study("choo2000").run(request, Console(file=said, width=200)) == 0
    first, second = said.getvalue().split("choo2000, tiny: ")[1:]
    assert "0 of 8 units are already there" in first
    assert second.startswith("8 of 8 units are already there")
    units = tmp_path / "out" / "units"
    chains = load_unit(units, trials.trial_key("gibbs", 8, 10, 0.4))
    assert dict(chains["posterior"].sizes) == {"chain": 50, "draw": 24}
    assert chains["posterior"]["stratum"].values.tolist() == ["outside"] * 40 + ["inside"] * 10
    assert chains.attrs["method"] == "gibbs"
    assert chains.attrs["passes"] == 50 * 480
    more = load_unit(units, trials.trial_key("collapsed_gibbs", 8, 10, 0.4))
    assert more.attrs["passes"] > chains.attrs["passes"]
    summary = load_unit(units, trials.master_key(8), "summary")
    assert 0 < float(summary["share"]) < 0.5
    with pytest.raises(InputError, match="seed: 0 there, 1 now"):
        find_study("choo2000").run(replace(request, seed=1), Console(file=said))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["choo200"],
            "unknown study 'choo200'; did you mean 'choo2000'? "
            f"Valid: {', '.join(sorted(STUDIES))}.",
        ),
        (["choo2000", "--budget", "dsk"], "unknown budget 'dsk'; did you mean 'desk'?"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    words: list[str],
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit_:
        main(["study", *words])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert error in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
