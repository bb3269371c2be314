"""The bias of mean energies, with its Monte Carlo error."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import samplers
from pymc_bnn.samplers.diagnosis.energy_bias import attached_energy_bias, is_biased

from ..linear_dynamics import linear_network


def run(energy: np.ndarray, **variables: np.ndarray) -> xr.DataTree:
    """Draws that have these energies."""
    dims = ("chain", "draw")
    posterior = xr.Dataset({name: (dims, values) for name, values in variables.items()})
    stats = xr.Dataset({"lp": (dims, -energy)})
    return xr.DataTree.from_dict({"posterior": posterior, "sample_stats": stats})


def independent(mean: float, sd: float, draws: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, sd, size=(4, draws))


def test_differences_of_independent_draws_have_their_textbook_error() -> None:
    biased, exact = independent(12.0, 3.0, 1000, 1), independent(10.0, 2.0, 250, 2)
    found = samplers.energy_bias(run(biased), run(exact))
    assert found.difference == pytest.approx(biased.mean() - exact.mean())
    assert found.mcse == pytest.approx(np.sqrt(9 / 4000 + 4 / 1000), rel=0.1)
    assert found.z == pytest.approx(found.difference / found.mcse)
    assert found.sd == pytest.approx(2.0, rel=0.05)
    assert abs(found.difference - 2.0) < 4 * found.mcse
    assert "above that of an exact run" in str(found)


def test_of_several_steps_the_last_one_has_the_density_of_the_draw() -> None:
    biased, exact = independent(12.0, 3.0, 100, 1), independent(10.0, 2.0, 100, 2)
    several = run(biased)
    both = np.stack([-biased + 50.0, -biased], axis=-1)  # before the second step, and after it
    several["sample_stats"] = xr.Dataset({"lp": (("chain", "draw", "lp_dim_0"), both)})
    expected = samplers.energy_bias(run(biased), run(exact))
    assert samplers.energy_bias(several, run(exact)) == expected


def test_no_bias_gives_a_small_z_score() -> None:
    pairs = [
        (run(independent(0, 1, 100, k)), run(independent(0, 1, 100, k + 50))) for k in range(40)
    ]
    z = np.array([samplers.energy_bias(*pair).z for pair in pairs])
    assert 0.6 < z.std() < 1.5
    assert abs(z.mean()) < 4 / np.sqrt(40)


def test_the_result_is_kept_with_the_draws() -> None:
    found = samplers.EnergyBias(-3.0, 0.5, 2.0)
    idata = run(np.zeros((2, 5)))
    assert attached_energy_bias(idata) is None
    assert attached_energy_bias(found.attach(idata)) == found
    assert str(found).startswith("mean energy 3.0 ± 0.5 below")


def test_what_cannot_be_compared_is_refused() -> None:
    energy = np.ones((2, 5))
    with pytest.raises(ValueError, match="differ in w0, w0_raw: their energies"):
        samplers.energy_bias(run(energy, w0=energy), run(energy, w0_raw=energy))
    without = run(energy)
    without["sample_stats"] = xr.DataTree(xr.Dataset())
    with pytest.raises(ValueError, match="exact has no log posterior 'lp'"):
        samplers.energy_bias(run(energy), without)
    assert not is_biased(without)
    for idata, words in (
        (3, "idata has no draws"),
        (run(energy[:, :3]), "idata has .*give chains of 4 draws or more"),
        (xr.DataTree.from_dict({"posterior": xr.Dataset()}), "idata has no draws"),
    ):
        with pytest.raises(ValueError, match=words):
            samplers.energy_bias(idata, run(energy))


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("pymc_bnn_model", '{"hidden": [5]}', "models"),
        ("pymc_bnn_cases", "another digest", "training cases"),
        ("temperature", 2.0, "temperatures"),
    ],
)
def test_another_distribution_is_no_exact_run(attribute: str, value: object, words: str) -> None:
    biased, exact = (run(independent(mean, 1.0, 50, 1)) for mean in (1.0, 0.0))
    same = {"pymc_bnn_model": '{"hidden": [3]}', "pymc_bnn_cases": "digest"}
    biased.attrs, exact.attrs = dict(same), dict(same)
    assert samplers.energy_bias(biased, exact).difference == pytest.approx(1.0)
    exact.attrs[attribute] = value
    with pytest.raises(ValueError, match=f"are of different {words}: their energies compare"):
        samplers.energy_bias(biased, exact)


def test_biased_draws_are_no_exact_run() -> None:
    found = run(independent(0.0, 1.0, 50, 1))
    flags = xr.ones_like(found["sample_stats"]["lp"], dtype=bool)
    found["sample_stats"] = xr.DataTree(found["sample_stats"].dataset.assign(biased=flags))
    with pytest.raises(ValueError, match="exact is biased too"):
        samplers.energy_bias(found, found)


def test_the_exact_run_is_at_temperature_1_and_starts_where_draws_end() -> None:
    found = run(independent(0.0, 1.0, 50, 1))
    for given in ({"temperature": 3.0}, {"step": None}, {"initvals": None}):
        with pytest.raises(ValueError, match="of the exact run these are set; leave them out"):
            samplers.measure_energy_bias(found, **given)
    with pytest.raises(ValueError, match="chains=2"):
        samplers.measure_energy_bias(found, chains=2.5)  # type: ignore[arg-type]


def test_large_steps_are_found_to_be_biased_and_small_ones_are_not() -> None:
    model = linear_network(cases=12)
    quiet = {"cores": 1, "progressbar": False, "quiet": True, "compute_convergence_checks": False}
    found = {}
    for step_size, batch_size, thin in ((1e-2, 2, 100), (2e-4, 12, 2000)):
        steps = [
            samplers.GibbsPrecision(model=model),
            samplers.SGLD(step_size, batch_size, thin, model=model),
        ]
        idata = samplers.sample(model, 500, 50, 2, step=steps, seed=1, **quiet)
        assert is_biased(idata)
        assert (idata["sample_stats"]["energy"] == -idata["sample_stats"]["lp"]).all()
        found[step_size] = samplers.measure_energy_bias(idata, 500, 100, seed=2, **quiet)
    assert found[1e-2].z > 5
    assert found[1e-2].difference > 3 * abs(found[2e-4].difference)
    assert abs(found[2e-4].z) < 3.5
