"""Networks whose inputs are connected to their outputs directly too are sampled, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from scipy import stats

from .geweke import WIDEST, tiny_network, z_scores_of_one_iteration

ITERATIONS = 1000
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


@pytest.mark.parametrize(
    ("parametrization", "layers"), [("centered", 1), ("noncentered", 1), ("centered", 3)]
)
def test_steps_leave_the_joint_distribution_invariant(parametrization: str, layers: int) -> None:
    model = tiny_network(skip=True, parametrization=parametrization, layers=layers)
    given: dict[str, Any] = {"model": model, "rng": 1}
    if parametrization == "centered":
        trajectories = samplers.StaticHMC(None, 4, 0.25, step_sizes="adapt", **given)
        steps = [samplers.GibbsPrecision(**given), trajectories]
    else:
        steps = [samplers.NUTS(None, 0.8, 4, step_scale=0.25, **given)]
    scores = z_scores_of_one_iteration(model, steps, ITERATIONS, seed=3)
    assert any(name.startswith("skip") for name in scores)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_three_layers_without_such_connections_are_left_invariant() -> None:
    model = tiny_network(layers=3)
    step = samplers.GibbsHMC(n_leapfrog=5, step_scale=0.8, model=model)
    scores = z_scores_of_one_iteration(model, [step], ITERATIONS, seed=4)
    assert any(name.startswith("w3") for name in scores)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_the_recommended_steps_are_those_of_any_graph() -> None:
    steps = samplers.recommended_steps(tiny_network(skip=True))
    assert [type(step).__name__ for step in steps] == ["GibbsPrecision", "StaticHMC"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: samplers.GibbsHMC(model=m), "connections from inputs to outputs"),
        (lambda m: samplers.SplitLeapfrog(model=m), "connections from inputs to outputs"),
        (lambda m: samplers.SGHMC(1e-4, model=m), "inputs are connected to its outputs"),
        (lambda m: samplers.StaticHMC(n_leapfrog=6, partial_gradients=3, model=m), "of layers"),
        (lambda m: samplers.StaticHMC(step_sizes="neal", model=m), 'use step_sizes="adapt"'),
        (lambda m: samplers.StaticHMC(precision="float32", model=m), "precision='float32'"),
    ],
)
def test_what_needs_the_kernel_of_layers_is_refused(
    build: Callable[[models.BNN], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build(tiny_network(skip=True))


def test_a_network_without_hidden_layers_has_nothing_to_skip() -> None:
    with pytest.raises(ValueError, match="skip=True connects inputs to outputs past hidden"):
        models.BNN(np.eye(3), np.arange(3.0), hidden=(), skip=True)


def nearly_linear() -> tuple[models.BNN, float]:
    """A network whose hidden unit says next to nothing, and its log evidence."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6, 2))
    y = X @ [1.0, -0.5] + 0.5 * rng.normal(size=6)
    tiny, unit = models.Gaussian(sd=0.1), models.Gaussian()
    prior = {"w0": tiny, "b0": tiny, "w1": tiny, "b1": unit, "skip": unit}
    noise = models.GaussianNoise(sd=0.5, alpha=1e4)  # as good as known
    model = models.BNN(X, y, hidden=(1,), prior=prior, likelihood=noise, skip=True)
    covariance = X @ X.T + 1.0 + 0.25 * np.eye(6)
    return model, float(stats.multivariate_normal(cov=covariance).logpdf(y))


def test_the_evidence_is_that_of_a_line_where_units_say_nothing() -> None:
    model, exact = nearly_linear()
    found = samplers.evidence(model, draws=800, seed=5, cores=1, n_leapfrog=8, **QUIET)
    assert abs(found.log_evidence - exact) < 4.5 * found.standard_error, (found, exact)
    assert found.standard_error < 0.1


def test_many_chains_sample_the_line_and_other_targets_move_it(tmp_path: Path) -> None:
    """Sixteen of them, of which no batch is made, saved and read again."""
    model, _ = nearly_linear()
    X, y = model["X"].get_value(), model["y"].get_value()[:, 0]
    design = np.column_stack([X, np.ones(6)])
    covariance = np.linalg.inv(design.T @ design / 0.25 + np.eye(3))
    for targets in (y, 3 - 2 * y):
        model.set_data("y", targets[:, None])
        options = {"draws": 250, "tune": 250, "chains": 16, "cores": 1, "n_leapfrog": 15}
        idata = samplers.sample(model, seed=4, **options, **QUIET)
        drawn = idata["posterior"].dataset
        found = np.concatenate([drawn["skip"].values[..., 0], drawn["b1"].values], axis=-1)
        mean = covariance @ design.T @ targets / 0.25
        errors = found.mean(axis=1) - mean  # of each chain
        z = errors.mean(axis=0) / (errors.std(axis=0, ddof=1) / 4)
        assert abs(z).max() < stats.t(15).ppf(1 - 1e-4), z
        assert np.allclose(found.std(axis=(0, 1)), np.sqrt(np.diag(covariance)), rtol=0.15)
    idata.to_zarr(tmp_path / "draws.zarr", consolidated=False)
    again = xr.open_datatree(tmp_path / "draws.zarr", engine="zarr", consolidated=False)
    loaded = models.load(again)
    assert loaded.skip
    f = [m.predict(idata, X, draws=["f"], seed=1)["predictions"]["f"] for m in (model, loaded)]
    np.testing.assert_array_equal(*f)
