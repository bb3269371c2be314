"""Runs of the study of Neal (1992), on a tiny network: what is measured, and by its command."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies.neal1992 import study
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS, Budget
from pymc_bnn.studies.neal1992.design.networks import data_set
from pymc_bnn.studies.neal1992.design.printed import FAILURE
from pymc_bnn.studies.neal1992.design.schedules import (
    ANNEALED,
    SPREADS,
    STEP_SIZES,
    THIN,
    Cell,
    for_metropolis,
    scaled,
)
from pymc_bnn.studies.neal1992.numbers.derived import marked
from pymc_bnn.studies.neal1992.numbers.tables import metropolis, runs
from pymc_bnn.studies.neal1992.runs import cells, integrating, integrators
from pymc_bnn.studies.neal1992.runs.cells import sample_cell, sample_metropolis
from pymc_bnn.studies.neal1992.runs.chains import run, weights
from pymc_bnn.studies.neal1992.runs.integrating import integrate_along_runs
from pymc_bnn.studies.neal1992.runs.integrators import DYNAMICS, TARGETS, compare_integrators
from pymc_bnn.studies.neal1992.runs.stages import stages_of
from pymc_bnn.studies.reproduction.study import Stage
from scipy import stats
from scipy.special import logsumexp

from ..conftest import call

SMALL = 1, 3  # hidden units and training cases
CELL, SEED = Cell(True, 0.06, 0.5), 7
TINY = replace(
    BUDGETS["smoke"], name="tiny", share=0.1, leapfrogs=10, metropolis=2, along=12, ladder=2000
)
LAST = 5  # of 20 iterations


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """One network for all, with steps that fit it, and runs that are cooled from near by."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (cells, integrating, integrators):
            patch.setattr(module, "SMALL", SMALL)
        for used in (integrating, integrators):
            patch.setattr(used, "BEST", CELL)
        patch.setattr(integrating, "HOTTEST", 10.0)
        yield


CELLS: dict[str, Callable[[Cell, Budget, int], xr.Dataset]] = {
    "hamiltonian": sample_cell,
    "metropolis": sample_metropolis,
}


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_measures_runs_of_its_seeds(kind: str) -> None:
    found, schedule = CELLS[kind](CELL, TINY, SEED), scaled(ANNEALED, TINY.share)
    assert dict(found.sizes) == {"run": 2, "iteration": 20}
    given = (for_metropolis(schedule), CELL, 1) if kind == "metropolis" else (schedule, CELL, 10)
    for k in range(2):
        arm, thin = data_set(SMALL[1], k), THIN if kind == "metropolis" else 1
        again, one = run(kind, SMALL, k, *given, [SEED, k], thin), found.isel(run=k)
        w = weights(again.levels)
        hidden = [np.tanh(arm.X_test @ w["w0"][i] + w["b0"][i]) for i in range(20)]
        each = np.array([h @ w["w1"][i] + w["b1"][i] for i, h in enumerate(hidden)])
        errors = ((arm.y_test - each[-LAST:].mean(axis=0)) ** 2).to_numpy()
        assert float(one["squared_error"]) == pytest.approx(errors.sum(axis=1).mean())
        assert float(one["set"]) == k
        rejected = 1 - again.accepted
        assert float(one["rejected"]) == pytest.approx(rejected[-LAST:].mean())
        assert float(one["rejected_early"]) == pytest.approx(rejected[:-LAST].mean())
    assert 0 < found["rejected_early"].mean() < 1
    other = CELLS[kind](CELL, TINY, SEED + 1)
    assert not np.any(other["squared_error"] == found["squared_error"])


def test_integrators_are_compared_at_equal_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare_integrators(TARGETS[0], TINY, SEED)
    assert list(found["integrator"].values) == list(DYNAMICS)
    assert dict(found.sizes) == {"integrator": 3, "run": 2}
    assert (found["acceptance"] > 0.05).all()
    assert (found["acceptance"] <= 1).all()
    for name in ("effective", "effective_outputs"):
        monkeypatch.setattr(integrators, name, lambda *draws: 1.0)
    again = compare_integrators(TARGETS[0], TINY, SEED)
    for name in ("acceptance", "step_size"):
        xr.testing.assert_equal(again[name], found[name])
    for name in ("outputs", "energy"):  # twelve draws of twelve gradients
        np.testing.assert_allclose(again[name], 1e6 / 144)


def log_evidence_by_prior() -> tuple[float, float]:
    """Log evidence of the network and its error, by draws of the prior."""
    rng, count, arm = np.random.default_rng(5), 200_000, data_set(SMALL[1], 0)
    level = rng.random((3, count))
    of_inputs, of_biases, of_outputs = level / (1 - level)
    X, y = arm.X.to_numpy().T, arm.y.to_numpy().T
    w0, b0 = of_inputs * rng.logistic(size=(2, count)), of_biases * rng.logistic(size=count)
    w1, b1 = of_outputs * rng.logistic(size=(2, 2, count))
    hidden = np.tanh(sum(w[:, None] * x for w, x in zip(w0, X, strict=True)) + b0[:, None])
    f = w1[..., None] * hidden + b1[..., None]
    errors = (y[:, None] - f).transpose(1, 0, 2).reshape(count, -1)
    density = stats.multivariate_t(shape=np.eye(y.size), df=0.1).logpdf(errors)
    share = np.exp(density - logsumexp(density))
    return float(logsumexp(density) - np.log(count)), float(np.sqrt((share**2).sum()))


def test_integration_along_runs_has_the_evidence() -> None:
    """Slow runs as far as their error says; the states of fast ones lag."""
    found = integrate_along_runs(0, TINY, SEED)
    exact, error = log_evidence_by_prior()
    off = float(found["log_evidence"]) - exact
    limit = stats.t(TINY.along - 1).isf(5e-4)
    assert abs(off) < limit * np.hypot(found["standard_error"], error)
    assert found["standard_error"] < 0.15
    assert abs(found["lag"]) < limit * found["lag_error"]
    fast = integrate_along_runs(0, replace(TINY, along=300, ladder=100), SEED)
    assert fast["lag"] > 4 * fast["lag_error"]


@pytest.mark.usefixtures("units_in_this_process")
def test_the_study_runs_by_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stages(folder: Path, budget: Budget, seed: int) -> list[Stage]:
        declared = stages_of(budget, seed)
        return [Stage(name, declared[name].copy) for name in ("experiment 1", "Metropolis")]

    short = replace(study.STUDY, budgets={"tiny": TINY}, stages=stages)
    monkeypatch.setattr(study, "STUDY", short)
    given = ("study", "neal1992", "--budget", "tiny", "--seed", SEED, "--cores", 1)
    ran = call(*given, out=tmp_path / "out")
    assert ran.code == 0, ran.said
    results = short.results(tmp_path / "out" / "units", TINY)
    for table in (runs(results), metropolis(results)):
        assert list(table["way"]) == ["annealed", "annealed", "plain", "plain"]
        assert list(table["data set"]) == [0, 1, 0, 1]
        errors = FAILURE * np.array([0.5, 0.99, 1.0, 2.0])
        some = marked(table.assign(**{"test error": errors, "rejected": [0.1, 0.95, 0.96, 1.0]}))
        assert list(some["failed"]) == [0, 0, 1, 1]
        assert list(some["stuck"]) == [False, False, True, True]
    plain = sample_cell(Cell(False, STEP_SIZES[0], SPREADS[0]), TINY, SEED)
    np.testing.assert_array_equal(plain["squared_error"], runs(results)["test error"][2:])
