"""The page of the reproduction of Choo's thesis."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS, Budget, Grid
from pymc_bnn.studies.choo2000.design.network import HYPERPARAMETERS
from pymc_bnn.studies.choo2000.design.starts import choose_starts
from pymc_bnn.studies.choo2000.numbers import analysis, beside, beyond, judged, saturation, tables
from pymc_bnn.studies.choo2000.numbers.results import Results
from pymc_bnn.studies.choo2000.runs.master import summarize_master
from pymc_bnn.studies.choo2000.runs.rejections import LENGTHS, curves
from pymc_bnn.studies.choo2000.runs.unthinned import unthinned_key
from pymc_bnn.studies.choo2000.words import beyond_words
from pymc_bnn.studies.choo2000.words import table_words as words
from pymc_bnn.studies.choo2000.words.page import PAGE, summary
from pymc_bnn.studies.choo2000.words.sections import BEYOND, THESIS
from pymc_bnn.studies.pages.page import rewrite_page, write_page
from pymc_bnn.studies.reproduction.unit_store import save_unit

RNG_SEED = 8
DRAWS = 200
MOST_BYTES = 150_000
OF_METHODS = (  # what a page says of tables that it may not have
    "chapters 5 and 6",
    "tethers",
    "are collapsed Gibbs's",
    "share start states or chains",
    "A target is *met*",
    "12 super-transitions",
    "Table 5.5",
    "the time, are in the table",
    "geometric means of their rows",
    "Grids are smaller",
)
STRATA = np.repeat(["outside", "inside"], [40, 10])


def synthetic_draws(inside: float, interweave: int) -> xr.Dataset:
    """A run with a given share in the region G, and beyond 6 as well if it is interweaved."""
    rng = np.random.default_rng(RNG_SEED + interweave)
    sigmas = rng.normal(0, 0.5, (DRAWS, 5))
    far = rng.permutation(DRAWS)[: int(inside * DRAWS)]
    sigmas[far, 1] = 6.5 if interweave else 4.5
    sizes = {"w0": ("input", "hidden"), "b0": ("hidden",), "w1": ("hidden", "output")}
    lengths = {"input": 2, "hidden": 8, "output": 1}
    weights = {
        name: (("draw", *dims), rng.normal(size=(DRAWS, *(lengths[d] for d in dims))))
        for name, dims in (sizes | {"b1": ("output",)}).items()
    }
    named = {"log_sigma": (("draw", "hyperparameter"), sigmas)}
    named |= {"acceptance": (("draw",), rng.uniform(0.9, 0.98, DRAWS))}
    attrs = {"width": 8, "thin": 20, "interweave": interweave}
    return xr.Dataset({**weights, **named}, {"hyperparameter": list(HYPERPARAMETERS)}, attrs)


def save_master(folder: Path, inside: float, interweave: int, width: int = 8) -> xr.Dataset:
    draws = synthetic_draws(inside, interweave)
    parts = {"draws": draws, "summary": summarize_master(draws)}
    parts["starts"] = choose_starts(draws, 4, 1)
    key = f"master-{width}-interweaved" if interweave else f"master-{width}"
    save_unit(xr.DataTree.from_dict(parts), folder, key)
    return draws


def save_trial(
    folder: Path, key: str, means: xr.DataArray, outside: float | np.ndarray, inside: float
) -> None:
    """Chains whose means deviate by so much from the true mean."""
    deviation = np.where(STRATA == "outside", outside, inside)[:, None] + np.zeros((50, 12))
    posterior = {
        n: (("chain", "draw"), deviation + float(means.sel(hyperparameter=n)))
        for n in HYPERPARAMETERS
    }
    accepted = {"acceptance_rate": (("chain", "draw"), np.full((50, 12), 0.75))}
    chain = {"chain": np.arange(50), "draw": np.arange(12)}
    coords = chain | {"stratum": ("chain", STRATA)}
    parts = {
        "posterior": xr.Dataset(posterior, coords),
        "sample_stats": xr.Dataset(accepted, chain),
    }
    tree = xr.DataTree.from_dict(parts)
    tree.attrs = {
        "passes": 50 * 1000,
        "seconds": 2.0,
        "n_leapfrog": 50,
        "step_scale": 0.4,
        "width": 8,
    }
    save_unit(tree, folder, key)


@pytest.fixture(scope="module")
def budget() -> Budget:
    grids = dict.fromkeys(("gibbs", "dynamical_b", "collapsed_gibbs"), Grid((50,), (0.4,)))
    return replace(BUDGETS["smoke"], widths=(8,), grids=grids)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, budget: Budget) -> Results:
    folder = tmp_path_factory.mktemp("units")
    save_master(folder, 0.1, interweave=0)
    means = summarize_master(save_master(folder, 0.25, interweave=1))["mean"]
    for stage in ("grid", "again"):
        save_trial(folder, f"{stage}-gibbs-8-50-0.4", means, 1.0, 2.0)
        save_trial(folder, f"{stage}-collapsed_gibbs-8-50-0.4", means, 0.1, 0.2)
        save_trial(folder, f"{stage}-dynamical_b-8-50-0.4", means, 1.0, 4.0)
    rates = {17: 0.1, 50: 0.1, 150: 0.1, 500: 0.1, 2000: 0.12}
    for curve in curves((8,)):
        rejection = np.array([[rates[n]] * 40 + [2 * rates[n]] * 10 for n in LENGTHS])
        coords = {"n_leapfrog": list(LENGTHS), "stratum": ("start", STRATA)}
        data = {"rejection": (("n_leapfrog", "start"), rejection)}
        save_unit(xr.Dataset(data, coords), folder, curve.key)
    factors = (("hyperparameter", "chain"), 10.0 + np.arange(20.0).reshape(5, 4))
    measured = {"inefficiency": factors, "passes": 120.0}
    save_unit(
        xr.Dataset(measured, {"hyperparameter": list(HYPERPARAMETERS)}),
        folder,
        unthinned_key("collapsed_gibbs", 8),
    )
    energy = np.cumsum(np.random.default_rng(1).normal(size=(50, 21)), axis=1)
    energies = xr.Dataset({"energy": (("trajectory", "step"), energy)}, {"step": np.arange(21)})
    save_unit(energies, folder, "energies")
    return Results(folder, budget)


def test_inefficiency_is_the_mean_of_chains_with_its_error(results: Results) -> None:
    [row] = tables.unthinned(results).to_dict("records")
    at = list(HYPERPARAMETERS).index("u")
    each = 10.0 + 4 * at + np.arange(4.0)
    assert (row["T_u"], row["largest T"]) == pytest.approx((each.mean(), 27.5))
    assert row["error"] == pytest.approx(each.std(ddof=1) / 2)
    assert row["passes per independent draw"] == pytest.approx(120 * each.mean())


def test_growth_from_many_starts_is_a_row_of_its_own(tmp_path: Path, budget: Budget) -> None:
    """Wide networks have such starts too, unlike other stages."""
    several = replace(budget, times=4, wide=(16,), wide_grids=budget.grids)
    for width, factor in ((8, 1.0), (16, 2.0)):
        means = summarize_master(save_master(tmp_path, 0.25, interweave=1, width=width))["mean"]
        save_trial(tmp_path, f"many-gibbs-{width}-50-0.4", means, factor, 2 * factor)
        save_trial(tmp_path, f"again-gibbs-{width}-50-0.4", means, 1.0, 2.0)
    table = beyond.slopes(Results(tmp_path, several))
    rows = table.set_index("start states")["slope"]
    assert rows["interweaved, 200 of them"] == pytest.approx(2.0)  # of variances
    assert rows["as in the thesis"] == pytest.approx(0.0)
    assert beyond.slopes(Results(tmp_path, replace(several, times=0))).shape == (1, 5)


def test_twelve_independent_draws_leave_a_floor(results: Results) -> None:
    table = beside.floors(saturation.floors(results)).set_index("method")
    sd = results.master(8, True, "summary")["sd"]
    combined = [float(sd.sel(hyperparameter=name)) for name in ("delta", "u", "v", "a")]
    floor = np.prod([value**2 / 12 for value in combined]) ** 0.25
    np.testing.assert_allclose(table["floor of 12 draws"], floor)
    assert table.loc["Gibbs", "thesis printed"] == 0.0784
    assert table.loc["Dynamical B", "thesis recomputed"] == pytest.approx(0.1063, abs=5e-5)
    # chains that stay where they are have the same mean by any number of draws
    assert table.loc["Gibbs", "g, 12 draws"] == table.loc["Gibbs", "g, all draws"]
    said = saturation.saturation(table.reset_index())
    assert "could not have shown a large gain" in said
    assert "- Gibbs: all draws make g 1.0 to 1.0 times smaller." in said


def test_the_measure_of_the_thesis_takes_the_last_draw_of_each_super_transition(
    tmp_path: Path,
) -> None:
    draws = np.arange(36.0)[None, :] + np.zeros((2, 36))
    coords = {"stratum": ("chain", ["outside", "inside"])}
    tree = xr.DataTree.from_dict(
        {"posterior": xr.Dataset({"u": (("chain", "draw"), draws)}, coords)}
    )
    tree.attrs = {"draws": 3}
    save_unit(tree, tmp_path, "trial")
    last = analysis.draws_of(tmp_path, "trial", every=False)["u"].values[0]
    assert last.tolist() == list(range(2, 36, 3))
    assert analysis.draws_of(tmp_path, "trial", every=True)["u"].shape == (2, 36)


def test_shares_come_with_errors_and_scores(results: Results) -> None:
    row = beside.region_shares(tables.region_shares(results)).iloc[0]
    assert row["p"] == pytest.approx(0.1)
    assert row["p interweaved"] == pytest.approx(0.25)
    assert row["thesis"] == 0.0498
    its = np.sqrt(0.0498 * 0.9502 * 320 / 500_000)
    assert row["its error"] == pytest.approx(its)
    assert row["z"] == pytest.approx((0.1 - 0.0498) / np.hypot(row["error"], its))


def test_variances_weight_strata_and_stand_beside_the_thesis(results: Results) -> None:
    table = beside.variances(tables.variances(results)).set_index(["method", "hyperparameter"])
    row = table.loc[("Gibbs", "u")]
    assert row["rho"] == pytest.approx(0.75 * 1 + 0.25 * 4)
    assert row["error"] == pytest.approx(0, abs=1e-12)
    assert row["z"] == pytest.approx((1.75 - 0.1777) / 0.0367)
    assert np.isnan(table.loc[("Collapsed Gibbs", "u"), "thesis"])
    g = beside.geometric_means(tables.geometric_means(results)).set_index("method")
    assert g.loc["Gibbs", ["g", "thesis printed", "passes per chain"]].tolist() == pytest.approx(
        [1.75, 0.0784, 1000]
    )


def test_ratios_are_of_geometric_means(results: Results) -> None:
    row = beside.pairwise_ratios(tables.pairwise_ratios(results)).iloc[0]
    assert row["ratio of"] == "Dynamical B / Gibbs"
    assert row["ratio"] == pytest.approx((0.75 + 0.25 * 16) / 1.75)
    assert row["thesis printed"] == pytest.approx(0.0683 / 0.0784)
    assert row["thesis recomputed"] == pytest.approx(0.1063 / 0.0784, rel=1e-3)
    gains = judged.gains(beyond.gains(results)).set_index("method")
    assert gains.loc["Collapsed Gibbs", "ratio"] == pytest.approx(0.01)
    assert gains.loc["Collapsed Gibbs", "target"] == "met"
    assert gains.loc["Dynamical B", "target"] == "missed"
    said = beyond_words.gains(gains.reset_index())
    assert "0.010 to 0.010 at equal seconds (intervals from 0.010 to 0.010); " in said
    assert "target of at most 0.05: met at 8 hidden units" in said


def test_a_setting_of_another_method_is_not_compared(results: Results) -> None:
    table = beside.best_settings(tables.best_settings(results))
    assert table["rejection rate"].tolist() == pytest.approx([0.25] * 3)
    assert table["z"].isna().all()
    assert words.settings(table) == "0 of 2 best settings are the thesis's."


def test_rejections_weight_strata(results: Results) -> None:
    table = judged.rejection_growth(beyond.rejection_growth(results)).set_index("sampler")
    row = table.loc["Dynamical A"]
    assert row["at 50"] == pytest.approx(0.75 * 0.1 + 0.25 * 0.2)
    assert row["ratio"] == pytest.approx(1.2)
    assert row["flat"] == "met"
    assert row["no worse"] == "not measured"
    assert beyond_words.flat(table.reset_index()) == "No results to judge yet."


def test_tails_that_a_plain_run_never_reaches_have_an_error(results: Results) -> None:
    table = judged.tails(beyond.tails(results)).set_index(["hyperparameter", "log sigma above"])
    row = table.loc[("u", 6)]
    assert row["plain"] == 0
    assert row["interweaved"] == pytest.approx(0.25)
    factor = tables.inefficiencies(results)["T_u"].iloc[0] / (DRAWS * 20)
    assert row["error"] == pytest.approx(np.sqrt(0.25 * 0.75 * factor))
    assert row["z"] < 0
    assert np.isnan(table.loc[("a", 10), "z"])


def check_page(page: Path, docs: Path) -> str:
    text = page.read_text(encoding="utf-8")
    _, _, missing = text.partition("## Not run yet")
    for section in (*THESIS, *BEYOND):
        assert (f"### {section.title}\n" in text) != (section.title in missing.split("\n##")[0])
    images = re.findall(r"```\{figure\} (\S+)", text)
    assert all((page.parent / image).resolve().is_file() for image in images)
    sizes = [path.stat().st_size for path in (docs / "_static").rglob("*.png")]
    assert len(sizes) == len(set(images))  # one stands at the head of the page as well
    assert all(size < MOST_BYTES for size in sizes)
    return text


def test_a_page_has_all_sections_and_images(results: Results, tmp_path: Path) -> None:
    written = write_page(PAGE, results, tmp_path)
    assert all(path.is_file() for path in written)
    text = check_page(written[0], tmp_path)
    assert not [said for said in OF_METHODS if said not in text]
    assert text.count("{figure}") >= 12
    kept = pd.read_csv(tmp_path / "studies" / "choo2000" / "gains.csv")
    assert kept["ratio"].tolist() == pytest.approx(beyond.gains(results)["ratio"].tolist(), 1e-5)
    assert set(rewrite_page(PAGE, results.budget, tmp_path)) == set(written)
    assert written[0].read_text(encoding="utf-8") == text
    assert summary(results).row_count == 3


def test_a_page_of_a_partial_folder_shows_what_is_there(tmp_path: Path, budget: Budget) -> None:
    save_master(tmp_path / "units", 0.1, interweave=0)
    (page, *files) = write_page(PAGE, Results(tmp_path / "units", budget), tmp_path)
    assert [path.name for path in files] == [
        "run.csv",
        "master_rejections.csv",
        "inefficiencies.csv",
        "region_shares.csv",
        "data.png",
        "shares.png",
    ]
    text = check_page(page, tmp_path)
    assert "No results yet" in text
    assert "Plain master runs with 12, 16, 20 hidden units have not been run. Master" in text
    assert "Methods have not been compared." in text
    assert not [said for said in OF_METHODS if said in text]


def test_a_run_at_the_thesis_lengths_has_a_page_of_its_own(tmp_path: Path) -> None:
    save_master(tmp_path / "units", 0.1, interweave=0)
    (page, *files) = write_page(PAGE, Results(tmp_path / "units", BUDGETS["paper"]), tmp_path)
    assert page.name == "choo2000_paper.md"
    assert {path.parent.name for path in files} == {"choo2000_paper"}
    assert "# Choo (2000): hyperparameters by Hamiltonian dynamics, runs as long as" in check_page(
        page, tmp_path
    )
