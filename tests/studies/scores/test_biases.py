"""Reports warn of fits by stochastic gradients, and say how far off they are."""

from pathlib import Path

import pytest
import xarray as xr
from pymc_bnn import models, samplers, studies
from pymc_bnn.studies.comparison.comparison import put_together
from pymc_bnn.studies.scores import biases

from ..conftest import wave

OFF = samplers.EnergyBias(difference=12.0, mcse=0.5, sd=4.0)


def as_biased(idata: xr.DataTree) -> xr.DataTree:
    """Copy of a fit that says of itself that it is biased, with nothing measured."""
    made = idata.copy(deep=True)
    diverging = made["sample_stats"]["diverging"]
    made["sample_stats"]["biased"] = xr.ones_like(diverging, dtype=bool)
    return made


@pytest.fixture(scope="module")
def comparison(wave_fits: dict) -> studies.Comparison:
    """The network is biased, the line is not."""
    return studies.compare({**wave_fits, "network": OFF.attach(as_biased(wave_fits["network"]))})


def test_the_verdict_warns_and_says_by_how_much(comparison: studies.Comparison) -> None:
    first = "Of 2 models line alone can be judged, and is compared with none."
    assert comparison.verdict.startswith(
        f"{first} network cannot be judged: the draws are biased, with a mean energy 12.0 ± 0.5 "
        "above"
    )
    assert "Use GibbsHMC, StaticHMC or NUTS" in comparison.verdict
    assert comparison.best is None


def test_the_table_says_which_fits_are_biased(comparison: studies.Comparison) -> None:
    table = comparison.table
    assert table["biased"].to_dict() == {"network": True, "line": False}
    assert table.loc["network", ["energy_bias", "energy_bias_mcse"]].tolist() == [12.0, 0.5]


@pytest.mark.usefixtures("without_plots")
def test_the_page_warns(comparison: studies.Comparison, tmp_path: Path) -> None:
    page = comparison.to_html(tmp_path / "report.html").read_text("utf-8")
    assert page.count("The draws are biased") == 1
    assert str(OFF) in page
    assert '<span class="bad">biased</span>' in page


def test_a_biased_loser_does_not_lose(comparison: studies.Comparison, wave_fits: dict) -> None:
    biased = studies.compare({"rough": OFF.attach(as_biased(wave_fits["line"]))}).results["rough"]
    found = put_together({"network": comparison.results["network"], "rough": biased})
    assert found.verdict.count("cannot be judged: the draws are biased") == 1
    first = "None of 2 models can be judged."
    assert found.verdict.startswith(f"{first} network and rough cannot be judged")
    assert found.best is None


def test_the_bias_is_measured_where_nobody_has(
    wave_fits: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(biases, "measure_energy_bias", lambda *a, **k: asked.append(k) or OFF)
    assert biases.bias_of(wave_fits["line"], 3) is None
    assert not asked
    assert biases.bias_of(as_biased(wave_fits["line"]), 3) == OFF
    assert asked[0]["seed"] == 3


def test_real_draws_of_stochastic_gradients_are_reported(wave_fits: dict) -> None:
    X, y = wave(60, seed=3)
    model = models.gaussian(X, y, ())
    steps = [samplers.GibbsPrecision(model=model), samplers.SGLD(1e-3, 10, model=model)]
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    fit = samplers.sample(model, 200, 100, 2, cores=1, step=steps, seed=1, **quiet)
    compared = studies.compare({"line": wave_fits["line"], "rough line": fit})
    row = compared.table.loc["rough line"]
    assert row["biased"]
    assert row["energy_bias_mcse"] > 0
    assert "rough line cannot be judged: the draws are biased" in compared.verdict
