"""Convergence is judged on what a network identifies."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.studies import check_convergence

CHAINS, DRAWS = 4, 400
X = np.linspace(-1, 1, 12)[:, None]


@pytest.fixture(scope="module")
def model() -> models.BNN:
    return models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))


def well_mixed(seed: int = 0) -> xr.DataTree:
    """Chains of independent draws around one network of two units."""
    rng = np.random.default_rng(seed)
    shape = (CHAINS, DRAWS)

    def around(centre: list, scale: float = 0.05) -> np.ndarray:
        return np.array(centre) + rng.normal(scale=scale, size=(*shape, *np.shape(centre)))

    values = {
        "w0": around([[1.0, -2.0]]),
        "b0": around([0.5, -0.5]),
        "w1": around([[1.0], [-1.5]]),
        "b1": around([0.1]),
        **{f"{g}_precision": np.exp(around(0.0, 1.0)) for g in ("w0", "b0", "w1", "b1", "noise")},
    }
    posterior = xr.Dataset(
        {
            name: (("chain", "draw", *(f"{name}_{i}" for i in range(v.ndim - 2))), v)
            for name, v in values.items()
        }
    )
    stats = xr.Dataset(
        {
            "lp": (("chain", "draw"), rng.normal(size=shape)),
            "energy": (("chain", "draw"), rng.normal(size=shape)),
            "diverging": (("chain", "draw"), np.zeros(shape, bool)),
        }
    )
    data = xr.Dataset({"X": (("obs", "input"), X)})
    return xr.DataTree.from_dict(
        {"posterior": posterior, "sample_stats": stats, "constant_data": data}
    )


def test_well_mixed_chains_have_converged(model: models.BNN) -> None:
    found = check_convergence(model, well_mixed())
    assert found.converged
    assert found.problems == ()
    assert found.table["rhat"].max() < 1.02
    assert found.least_ess > 1000
    assert set(found.table["kind"]) == {"hyperparameter", "log posterior", "network outputs"}
    assert len(found.table) == 5 + 1 + 1


def test_chains_whose_units_have_swapped_have_converged(model: models.BNN) -> None:
    idata = well_mixed()
    posterior = idata["posterior"]
    for name, axis in (("w0", 1), ("b0", 0), ("w1", 0)):
        values = posterior[name].values
        values[:2] = np.flip(values[:2], axis=axis + 2)
    found = check_convergence(model, idata)
    assert found.converged
    # the weights disagree, which is reported apart from the verdict
    assert found.weights["rhat"][["w0", "b0", "w1"]].min() > 1.5
    assert not set(found.weights.index) & set(found.table.index)


@pytest.mark.parametrize(
    ("group", "name", "said"),
    [
        ("posterior", "noise_precision", "noise_precision"),
        ("sample_stats", "lp", "log posterior"),
        ("posterior", "b1", "network outputs"),
    ],
)
def test_a_shifted_chain_has_not_converged(
    model: models.BNN, group: str, name: str, said: str
) -> None:
    idata = well_mixed()
    shift = 5.0 if name != "noise_precision" else 100.0
    idata[group][name].values[0] += shift
    found = check_convergence(model, idata)
    assert not found.converged
    assert any(problem.startswith(f"chains disagree on {said} ") for problem in found.problems)
    assert "R-hat" in found.problems[0]


def test_sticky_chains_have_too_few_effective_draws(model: models.BNN) -> None:
    idata = well_mixed()
    lp = idata["sample_stats"]["lp"].values
    lp[:] = np.repeat(lp[:, :16], DRAWS // 16, axis=1)  # each value stays 25 draws
    found = check_convergence(model, idata)
    assert any(p.startswith("few effective draws of log posterior") for p in found.problems)
    assert found.least_ess < 100


def test_divergences_are_forgiven_up_to_one_percent(model: models.BNN) -> None:
    idata = well_mixed()
    diverging = idata["sample_stats"]["diverging"].values
    diverging[0, :16] = True  # 1% of 1600
    assert check_convergence(model, idata).converged
    diverging[1, 0] = True
    found = check_convergence(model, idata)
    assert found.divergences == 17
    assert found.problems == ("1.1% of the transitions diverged: use smaller steps",)


def test_energy_that_hardly_moves_is_a_problem(model: models.BNN) -> None:
    idata = well_mixed()
    idata["sample_stats"]["energy"].values[:] = np.linspace(0, 1, DRAWS)
    assert any("E-BFMI" in problem for problem in check_convergence(model, idata).problems)


def test_a_handful_of_draws_shows_nothing(model: models.BNN) -> None:
    found = check_convergence(model, well_mixed().isel(draw=slice(3)))
    assert any("too few draws to judge" in problem for problem in found.problems)


def test_a_single_chain_shows_nothing(model: models.BNN) -> None:
    idata = well_mixed().isel(chain=slice(1))
    assert any("single chain" in problem for problem in check_convergence(model, idata).problems)


def test_hyperparameters_of_exchanged_units_are_judged_by_their_mean() -> None:
    """Chains that number the hidden units differently describe the same posterior."""
    model = models.BNN(X, X[:, 0], hidden=(2,), prior=models.ARD(by="target"))
    draws = well_mixed()
    posterior = draws["posterior"].dataset
    one = np.exp(np.random.default_rng(1).normal(size=(CHAINS, DRAWS, 2)) * 0.1 + [2.0, -2.0])
    one[1:3] = one[1:3, :, ::-1]
    of_units = xr.DataArray(one, dims=("chain", "draw", "hidden_0"))
    draws["posterior"] = xr.DataTree(posterior.assign(w0_precision=of_units))
    assert check_convergence(model, draws).converged
    draws["posterior"] = xr.DataTree(
        posterior.assign(w0_precision=of_units + 5.0 * (of_units.chain))
    )
    assert not check_convergence(model, draws).converged
