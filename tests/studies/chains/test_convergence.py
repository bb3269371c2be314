"""Convergence is judged on what a network identifies."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.models.description import attach
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
    assert any(problem.startswith(f"Chains disagree on {said}: ") for problem in found.problems)
    assert "R-hat" in found.problems[0]


def test_sticky_chains_have_too_few_effective_draws(model: models.BNN) -> None:
    idata = well_mixed()
    lp = idata["sample_stats"]["lp"].values
    lp[:] = np.repeat(lp[:, :16], DRAWS // 16, axis=1)  # each value stays 25 draws
    found = check_convergence(model, idata)
    assert any(p.startswith("Few effective draws of log posterior") for p in found.problems)
    assert found.least_ess < 100


def test_divergences_are_graded_by_their_share(model: models.BNN) -> None:
    idata = well_mixed()
    diverging = idata["sample_stats"]["diverging"].values
    assert check_convergence(model, idata).grade == "converged"
    diverging[0, :16] = True  # 1% of 1600
    found = check_convergence(model, idata)
    assert found.grade == "nearly"
    assert [warning.name for warning in found.warnings] == ["divergences"]
    diverging[1, 0] = True
    found = check_convergence(model, idata)
    assert (found.grade, found.divergences) == ("not yet", 17)
    assert found.warnings == ()  # an error, and so no warning
    [problem] = found.problems
    assert problem.startswith("17 of 1600 transitions diverged")
    assert "Use smaller steps" in problem


def test_there_is_one_judge(model: models.BNN) -> None:
    """Reports say what samplers.diagnose says, in its words."""
    idata = model_draws(model)
    rng = np.random.default_rng(3)
    idata["posterior"]["b1"].values[0] += 0.05  # R-hat between the two thresholds
    idata["sample_stats"]["diverging"].values[0, 0] = True
    idata["sample_stats"]["lp"].values[:] = np.repeat(rng.normal(size=(CHAINS, 80)), 5, axis=1)
    convergence, diagnosis = check_convergence(model, idata), samplers.diagnose(idata)
    assert convergence.diagnosis.findings == diagnosis.findings
    assert {f.severity for f in diagnosis.findings} == {"warning"}
    assert convergence.problems == tuple(f"{f.problem} {f.remedy}" for f in diagnosis.findings)
    assert (convergence.converged, convergence.usable, convergence.grade) == (False, True, "nearly")


def model_draws(model: models.BNN) -> xr.DataTree:
    """Draws that say of which network they are."""
    idata = well_mixed()
    attach(idata, model.to_dict())
    observed = model["y"].get_value()
    dims = ("obs", "output")[: observed.ndim]
    idata["observed_data"] = xr.DataTree(xr.Dataset({"y_obs": (dims, observed)}))
    return idata


def test_chains_that_never_move_are_the_first_problem(model: models.BNN) -> None:
    idata = well_mixed()
    for group in ("posterior", "sample_stats"):
        for values in idata[group].dataset.data_vars.values():
            values.values[:] = values.values[:, :1]
    idata["sample_stats"]["diverging"].values[:] = False
    found = check_convergence(model, idata)
    assert found.problems[0].startswith("Every chain stands still: ")
    assert "smaller or fewer steps" in found.problems[0]
    assert (found.converged, found.grade) == (False, "not yet")
    assert np.isnan([found.largest_rhat, found.least_ess, found.least_ess_tail]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["noise_precision", "w0"])
def test_draws_that_are_no_numbers_have_not_converged(
    model: models.BNN, name: str, value: float
) -> None:
    idata = well_mixed()
    idata["posterior"][name].values[1, 3, ...] = value
    found = check_convergence(model, idata)
    assert found.grade == "not yet"
    assert found.problems[0].startswith("Draws that are not finite, of 1600: ")
    assert f"{name} (1)" in found.problems[0]


def test_tails_count(model: models.BNN) -> None:
    """Visits to a tail that are as long as rare: the bulk knows nothing of them."""
    idata = well_mixed()
    lp = idata["sample_stats"]["lp"].values
    lp[:] = np.clip(lp, -1.0, 1.0)
    for chain in range(CHAINS):
        lp[chain, 80 * chain : 80 * chain + 32] -= 5.0
    found = check_convergence(model, idata)
    assert any(p.startswith("Few effective draws in the tails") for p in found.problems)
    assert found.least_ess_tail < 400


def test_energy_that_hardly_moves_is_a_problem(model: models.BNN) -> None:
    idata = well_mixed()
    idata["sample_stats"]["energy"].values[:] = np.linspace(0, 1, DRAWS)
    assert any("E-BFMI" in problem for problem in check_convergence(model, idata).problems)


def test_a_handful_of_draws_shows_nothing(model: models.BNN) -> None:
    found = check_convergence(model, well_mixed().isel(draw=slice(3)))
    assert any("draws are too short to judge" in problem for problem in found.problems)
    assert found.grade == "not yet"


def test_a_single_chain_shows_nothing(model: models.BNN) -> None:
    idata = well_mixed().isel(chain=slice(1))
    assert any("A single chain" in problem for problem in check_convergence(model, idata).problems)


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
