"""Every finding is made where its cause is, and only there."""

import re
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.diagnosis import mixing_findings
from pymc_bnn.samplers.diagnosis.counted import divergences_of, may_miss_divergences
from pymc_bnn.samplers.diagnosis.evidence import gather

CHAINS, DRAWS = 4, 500


def healthy(seed: int = 0, chains: int = CHAINS, draws: int = DRAWS) -> xr.DataTree:
    """Independent draws, and statistics of a sampler that works."""
    rng = np.random.default_rng(seed)
    shape, dims = (chains, draws), ("chain", "draw")
    posterior = {"a": rng.normal(size=shape), "b": rng.gamma(2.0, size=shape)}
    stats = {
        "lp": rng.normal(size=shape),
        "energy": rng.normal(size=shape),
        "diverging": np.zeros(shape, bool),
        "reached_max_treedepth": np.zeros(shape, bool),
        "acceptance_rate": rng.uniform(0.6, 1.0, size=shape),
    }
    coords = {"chain": np.arange(chains), "draw": np.arange(draws)}
    groups = {"posterior": posterior, "sample_stats": stats}
    return xr.DataTree.from_dict(
        {
            group: xr.Dataset({name: (dims, v) for name, v in values.items()}, coords)
            for group, values in groups.items()
        }
    )


def names(idata: xr.DataTree, **options: object) -> list[str]:
    return [finding.name for finding in samplers.diagnose(idata, **options).findings]


def test_healthy_draws_have_no_findings() -> None:
    found = samplers.diagnose(healthy())
    assert found.healthy
    assert found.findings == ()
    assert list(found.table.index) == ["a", "b", "log posterior"]
    assert found.to_frame().empty
    assert repr(found).splitlines()[0] == "Diagnosis of 4 chains of 500 draws: nothing to mend."
    assert "largest R-hat" in repr(found)


def test_zeros_that_stand_for_no_log_posterior_are_none() -> None:
    """PyMC writes them where the last of several steps does not know it."""
    idata = healthy()
    idata["sample_stats"]["lp"].values[:] = 0.0
    found = samplers.diagnose(idata)
    assert found.healthy
    assert list(found.table.index) == ["a", "b"]
    with pytest.raises(ValueError, match="give the step that moves the weights as the last"):
        samplers.energy_bias(idata, healthy())


def spoil(name: str) -> xr.DataTree:
    """Spoil healthy draws in one way."""
    idata = healthy()
    stats = idata["sample_stats"]
    match name:
        case "divergences":
            stats["diverging"].values[0, :3] = True
        case "R-hat":
            idata["posterior"]["a"].values[0] += 0.4
        case "energy":
            stats["energy"].values[2] = np.cumsum(stats["energy"].values[2])
        case "tree depth":
            stats["reached_max_treedepth"].values[1, :30] = True
        case "acceptance":
            stats["acceptance_rate"].values[3] = 0.1
        case "bias":
            stats["biased"] = xr.ones_like(stats["diverging"])
    return idata


def test_transitions_between_thinned_draws_count_too() -> None:
    idata = healthy()
    stats = idata["sample_stats"]
    stats["divergences"] = stats["diverging"].cumsum("draw")
    assert samplers.diagnose(idata).findings == ()
    stats["divergences"].values[1, 7:] += 2  # of sweeps that are not recorded
    [finding] = samplers.diagnose(idata).findings
    assert (finding.name, finding.severity, finding.value) == ("divergences", "warning", 2)
    said = "2 transitions diverged, 0 of them among the 2000 that are recorded: "
    assert finding.problem.startswith(said)
    # what was cut off does not count
    assert samplers.diagnose(idata.isel(draw=slice(7, None))).findings == ()
    [finding] = samplers.diagnose(idata.isel(draw=slice(6, None))).findings
    assert finding.value == 2
    # a share of more than 1% is that of the draws that are recorded
    stats["divergences"].values[1, 7:] += 100
    assert samplers.diagnose(idata).findings[0].severity == "warning"


@pytest.mark.parametrize(
    ("diverging", "severity"), [(1, "note"), (5, "note"), (6, "warning"), (601, "error")]
)
def test_divergences_are_a_share_of_all_transitions(diverging: int, severity: str) -> None:
    """Thinning makes more transitions, of which some may diverge, and no worse draws."""
    idata = healthy()
    stats = idata["sample_stats"]
    stats["divergences"] = stats["diverging"].astype(int)
    stats["divergences"].values[1, 7:] += diverging
    stats["transitions"] = xr.full_like(stats["divergences"], 30)
    found = samplers.diagnose(idata)
    [finding] = found.findings
    assert (finding.severity, finding.value) == (severity, diverging)
    assert finding.problem.startswith(f"{diverging} of 60000 transitions diverged, 0 of them among")
    assert found.healthy == (severity == "note")


def test_draws_that_are_left_out_had_transitions_too() -> None:
    """Of every tenth draw the counter still has the divergences of all."""
    idata = healthy()
    stats = idata["sample_stats"]
    stats["divergences"] = stats["diverging"].astype(int)
    stats["divergences"].values[1, 7:] += 2
    stats["transitions"] = xr.ones_like(stats["divergences"])
    found = samplers.diagnose(idata.sel(draw=slice(None, None, 10))).findings
    [finding] = [finding for finding in found if finding.name == "divergences"]
    assert finding.severity == "warning"
    assert re.match(r"2 of 19\d\d transitions diverged, 0 of them among the 200", finding.problem)


def test_divergences_are_found_whatever_the_labels_and_the_order_of_draws() -> None:
    idata = healthy()
    stats = idata["sample_stats"]
    stats["divergences"] = stats["diverging"].astype(int)
    stats["divergences"].values[1, 7:] += 2
    stats["transitions"] = xr.ones_like(stats["divergences"])
    count = stats.sizes["draw"]
    jump = np.where(np.arange(count) < count // 2, 0, 100_000) + np.arange(count)
    for other in (
        idata.isel(draw=slice(None, None, -1)),
        idata.map_over_datasets(lambda d: d.assign_coords(draw=jump) if "draw" in d.dims else d),
        idata.map_over_datasets(
            lambda d: d.assign_coords(draw=jump.astype(str)) if "draw" in d.dims else d
        ),
    ):
        found = samplers.diagnose(other).findings
        [finding] = [finding for finding in found if finding.name == "divergences"]
        assert finding.problem.startswith(f"2 of {stats['divergences'].size} transitions diverged")


def test_divergences_of_runs_that_were_joined_are_added() -> None:
    idata = healthy()
    stats = idata["sample_stats"]
    stats["divergences"] = stats["diverging"].astype(int)
    stats["divergences"].values[1, 7:] += 2
    stats["transitions"] = xr.ones_like(stats["divergences"])
    joined = idata.map_over_datasets(lambda d: xr.concat([d, d], "draw") if "draw" in d.dims else d)
    found = samplers.diagnose(joined).findings
    [finding] = [finding for finding in found if finding.name == "divergences"]
    assert finding.problem.startswith(f"4 of {2 * stats['divergences'].size} transitions diverged")


def test_transitions_of_several_steps_are_counted_together() -> None:
    idata = healthy()
    stats = idata["sample_stats"].dataset.drop_vars("diverging")
    diverging = np.zeros((*(stats.sizes[dim] for dim in ("chain", "draw")), 2), bool)
    diverging[0, :30, 1] = True
    idata["sample_stats"] = stats.assign(diverging=(("chain", "draw", "step"), diverging))
    [finding] = samplers.diagnose(idata).findings
    assert finding.problem.startswith("30 of 4000 transitions diverged: ")


def energies(autocorrelation: float, draws: int, gibbs: bool) -> xr.DataTree:
    """Healthy draws whose energy is autoregressive, of a sampler with Gibbs draws or without."""
    idata = healthy(draws=draws)
    stats = idata["sample_stats"]
    rng, energy = np.random.default_rng(5), stats["energy"].values
    for draw in range(1, draws):
        fresh = np.sqrt(1 - autocorrelation**2) * rng.normal(size=CHAINS)
        energy[:, draw] = autocorrelation * energy[:, draw - 1] + fresh
    if gibbs:
        stats["interweave_evaluations"] = xr.zeros_like(stats["diverging"], dtype=int)
    return idata


def test_energies_along_split_trajectories_are_judged_by_momenta() -> None:
    """They carry precisions along, and draw none unless interweaving moves them."""
    idata = energies(0.9, 4000, gibbs=True)
    idata["sample_stats"]["hyper_step_size"] = xr.ones_like(idata["sample_stats"]["energy"])
    assert names(idata) == ["E-BFMI"]
    idata["sample_stats"]["interweave_evaluations"] += 3
    assert names(idata) == []


@pytest.mark.parametrize(
    ("autocorrelation", "draws", "gibbs", "found"),
    [
        (0.9, 4000, False, ("E-BFMI", "error")),
        (0.9, 4000, True, None),  # enough effective draws of the energy
        (0.9, 1000, True, ("bulk ESS", "warning")),
        (0.99, 1000, True, ("bulk ESS", "error")),  # it truly crawls
        (0.7, 4000, False, None),
    ],
)
def test_gibbs_draws_move_the_energy_too(
    autocorrelation: float, draws: int, gibbs: bool, found: tuple[str, str] | None
) -> None:
    """E-BFMI, 2 (1 - autocorrelation), is below 0.3 in all but the last of these."""
    findings = samplers.diagnose(energies(autocorrelation, draws, gibbs)).findings
    assert [(f.name, f.severity) for f in findings] == ([found] if found else [])
    if found and gibbs:
        assert findings[0].quantity == "energy"
        assert re.search(
            r"Few effective draws of the energy: \d+, below 400; E-BFMI of chain \d is "
            r"0.\d\d, below 0.3.",
            findings[0].problem,
        )


@pytest.mark.parametrize(
    ("cause", "name", "severity", "said", "remedy"),
    [
        ("divergences", "divergences", "warning", "3 of 2000 transitions", "smaller steps"),
        ("energy", "E-BFMI", "error", "E-BFMI of chain 2 is 0.", "interweaving"),
        ("tree depth", "tree depth", "warning", "6% of the trees of chain 1", "max_treedepth"),
        ("acceptance", "acceptance", "warning", "chain 3 .* probability 0.10", "step_scale"),
        ("bias", "bias", "error", "biased, by an unknown amount", "measure_energy_bias"),
    ],
)
def test_a_cause_has_its_finding(
    cause: str, name: str, severity: str, said: str, remedy: str
) -> None:
    found = samplers.diagnose(spoil(cause))
    assert [finding.name for finding in found.findings] == [name]
    [row] = found.to_frame().itertuples()
    assert row.severity == severity
    assert re.search(said, row.problem)
    assert remedy in row.remedy
    assert row.problem in repr(found)
    assert row.remedy in repr(found)
    assert not found.healthy


@pytest.mark.parametrize(("shift", "severity"), [(0.4, "warning"), (2.0, "error")])
def test_chains_that_disagree_are_graded(shift: float, severity: str) -> None:
    idata = healthy()
    idata["posterior"]["a"].values[0] += shift
    worst = samplers.diagnose(idata).findings[0]
    assert (worst.name, worst.severity, worst.quantity) == ("R-hat", severity, "a")
    assert "Chains disagree on a: R-hat is 1." in worst.problem


@pytest.mark.parametrize(
    ("check", "value", "said", "severity"),
    [
        (mixing_findings.rhat, 1.0103, "R-hat is 1.0103, above 1.01.", "warning"),
        (mixing_findings.rhat, 1.0503, "R-hat is 1.0503, above 1.01.", "error"),
        (mixing_findings.bulk_ess, 399.7, "399.7, below 400.", "warning"),
        (mixing_findings.tail_ess, 99.6, "99.6, below 400.", "error"),
        (mixing_findings.tail_ess, 99.996, "99.996, below 400.", "error"),
    ],
)
def test_numbers_near_a_limit_are_on_its_side(
    check: Callable, value: float, said: str, severity: str
) -> None:
    table = pd.DataFrame({"rhat": [value], "ess": [value], "ess_tail": [value]}, ["a"])
    [found] = check(SimpleNamespace(table=table))
    assert found.problem.endswith(said)
    assert found.severity == severity


def sticky(values: np.ndarray, times: int) -> np.ndarray:
    """Repeat each draw some times."""
    kept = values[:, : -(-values.shape[1] // times)]
    return np.repeat(kept, times, axis=1)[:, : values.shape[1]]


def test_chains_that_never_move_are_the_first_error() -> None:
    """R-hat is unknown then, and every draw counts as effective."""
    idata = healthy()
    for name in ("a", "b"):
        idata["posterior"][name].values[:] = idata["posterior"][name].values[:, :1]
    for name in ("lp", "energy"):
        idata["sample_stats"][name].values[:] = idata["sample_stats"][name].values[:, :1]
    idata["sample_stats"]["acceptance_rate"].values[:] = 0.0
    found = samplers.diagnose(idata)
    first = found.findings[0]
    assert (first.name, first.severity, first.value) == ("still", "error", 4)
    assert first.problem == (
        "Every chain stands still: a, b, log posterior never changed in 500 draws."
    )
    assert not found.usable
    assert found.table[["rhat", "ess", "ess_tail"]].isna().all(axis=None)
    assert "stands still" in repr(found).splitlines()[1]


def test_chains_at_one_start_that_never_move_are_seen_too() -> None:
    idata = healthy()
    for name in ("a", "b"):
        idata["posterior"][name].values[:] = 1.0
    assert "still" not in names(idata)  # the log posterior moves: these may be constants
    assert {f.name: f.severity for f in samplers.diagnose(idata).findings}["constant"] == "warning"
    assert names(idata, var_names=["a", "b"]) == ["still"]
    idata["sample_stats"]["lp"].values[:] = 1.0
    assert names(idata)[0] == "still"


def test_one_chain_that_stands_still_is_named() -> None:
    idata = healthy()
    idata["posterior"]["a"].values[2] = 0.01  # in the middle of the others
    first = samplers.diagnose(idata).findings[0]
    assert first.problem == "Chain 2 stands still: a never changed in 500 draws."


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("group", "name"), [("posterior", "a"), ("sample_stats", "lp")])
def test_draws_that_are_no_numbers_are_named(value: float, group: str, name: str) -> None:
    idata = healthy()
    idata[group][name].values[1, 3] = value
    found = samplers.diagnose(idata)
    said = "log posterior" if name == "lp" else name
    assert found.findings[0].problem == f"Draws that are not finite, of 2000: {said} (1)."
    assert [f.name for f in found.findings] == ["finite"]
    assert not found.usable


def test_agreement_that_is_unknown_without_a_reason_is_an_error() -> None:
    """Whatever else leaves R-hat undefined is never taken for agreement."""
    seen = gather(healthy(), [(healthy()["posterior"]["a"], "variable")], [])
    seen.table.loc["a", "rhat"] = np.nan
    assert [f.problem for f in mixing_findings.unknown(seen)] == ["R-hat of a cannot be computed."]


def test_few_effective_draws_are_graded() -> None:
    idata = healthy()
    idata["posterior"]["b"].values[:] = sticky(idata["posterior"]["b"].values, 8)
    found = {finding.name: finding for finding in samplers.diagnose(idata).findings}
    assert found["bulk ESS"].severity == "warning"
    assert found["bulk ESS"].quantity == "b"
    assert found["bulk ESS"].threshold == 400
    assert 150 < found["bulk ESS"].value < 350
    idata["posterior"]["b"].values[:] = sticky(healthy()["posterior"]["b"].values, 100)
    assert samplers.diagnose(idata).findings[0].severity == "error"
    assert "bulk ESS" in names(idata)


def test_tails_are_looked_at_apart() -> None:
    """Rare long visits to a tail, in every chain alike: means are known, quantiles are not."""
    idata = healthy(draws=2000)
    a = idata["posterior"]["a"].values
    for chain in range(CHAINS):
        a[chain, 200 * chain : 200 * chain + 160] += 5.0
    found = {f.name: f for f in samplers.diagnose(idata, "a").findings}
    assert found["bulk ESS"].severity == "warning"
    # too few even to be used
    assert found["tail ESS"].value < 100
    assert found["tail ESS"].severity == "error"


@pytest.mark.parametrize("chains", [2, 16])
def test_four_hundred_effective_draws_are_asked_for_however_many_chains(chains: int) -> None:
    idata = healthy(chains=chains, draws=800 // chains)
    assert "bulk ESS" not in names(idata, var_names="a")
    a = idata["posterior"]["a"].values
    a[:] = sticky(a, 4)
    [bulk] = [f for f in samplers.diagnose(idata, "a").findings if f.name == "bulk ESS"]
    assert (bulk.threshold, bulk.severity) == (400, "warning")


def test_many_divergences_are_an_error_and_come_first() -> None:
    idata = spoil("tree depth")
    idata["sample_stats"]["diverging"].values[0, :21] = True
    found = samplers.diagnose(idata)
    assert [(f.name, f.severity) for f in found.findings] == [
        ("divergences", "error"),
        ("tree depth", "warning"),
    ]


def test_steps_smaller_than_they_need_be_are_a_note_only() -> None:
    idata = healthy()
    idata["sample_stats"]["acceptance_rate"].values[:] = 0.999
    found = samplers.diagnose(idata)
    assert [f.severity for f in found.findings] == ["note"]
    assert found.healthy


def test_runs_too_small_to_judge() -> None:
    assert "chains" in names(healthy(chains=1))
    short = samplers.diagnose(healthy(draws=3))
    assert {f.name: f.severity for f in short.findings}["draws"] == "error"
    assert {f.name: f.severity for f in samplers.diagnose(healthy(draws=60)).findings}[
        "draws"
    ] == "warning"


def test_biased_steps_say_by_how_much_and_have_no_bfmi() -> None:
    idata = spoil("bias")
    idata["sample_stats"]["energy"].values[:] = np.linspace(0, 1, DRAWS)
    idata["sample_stats"]["diverging"].values[0, 0] = True
    samplers.EnergyBias(7.25, 0.5, 2.0).attach(idata)
    found = {finding.name: finding for finding in samplers.diagnose(idata).findings}
    assert set(found) == {"bias", "divergences"}
    assert found["bias"].value == 7.25
    assert "mean energy 7.2 ± 0.5 above" in found["bias"].problem
    assert "learning rate" in found["divergences"].remedy


def test_statistics_of_several_steps_are_looked_at_one_by_one() -> None:
    idata = healthy()
    stats = idata["sample_stats"].dataset
    both = xr.concat([stats["acceptance_rate"], stats["acceptance_rate"] * 0.2], "step")
    energies = xr.concat([stats["energy"], stats["energy"].cumsum("draw")], "step")
    order = ("chain", "draw", "step")
    idata["sample_stats"] = xr.DataTree(
        stats.drop_vars(["acceptance_rate", "energy"]).assign(
            acceptance_rate=both.transpose(*order), energy=energies.transpose(*order)
        )
    )
    assert set(names(idata)) == {"acceptance", "E-BFMI"}


def test_chosen_variables_only() -> None:
    idata = spoil("R-hat")
    assert names(idata, var_names=["b"]) == []
    assert list(samplers.diagnose(idata, "b").table.index) == ["b"]
    with pytest.raises(ValueError, match="var_names: the posterior has no c; choose from a, b"):
        samplers.diagnose(idata, "c")
    with pytest.raises(ValueError, match="var_names: a model was given"):
        samplers.diagnose(idata, pm.Model())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no group 'posterior'"):
        samplers.diagnose(xr.DataTree())
    with pytest.raises(ValueError, match="idata has no draws"):
        samplers.diagnose(idata.isel(draw=slice(0)))
    with pytest.raises(ValueError, match=r"no dimension 'chain': .* isel\(chain=\[0\]\)"):
        samplers.diagnose(idata.isel(chain=1))


@pytest.fixture(scope="module")
def fit() -> tuple[models.BNN, xr.DataTree]:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.ard(X, X[:, 0], (2,))
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    return model, samplers.sample(model, 200, 200, 2, cores=1, seed=1, **quiet)


def test_networks_are_judged_by_what_they_identify(fit: tuple[models.BNN, xr.DataTree]) -> None:
    """Units that are numbered differently in one chain change no finding; a shift of f does."""
    _, idata = fit
    found = samplers.diagnose(idata)
    precisions = [f"{name}_precision" for name in ("w0", "b0", "w1", "b1", "noise")]
    assert set(found.table.index) == {*precisions, "network outputs", "log posterior"}
    swapped = idata.copy(deep=True)
    for values in swapped["posterior"].dataset.data_vars.values():
        if "hidden_0" in values.dims:
            values.values[0] = np.flip(values.values[0], axis=values.dims.index("hidden_0") - 1)
    # ranks of draws that were repeated depend on how sums over units are rounded
    pd.testing.assert_frame_equal(samplers.diagnose(swapped).table, found.table, rtol=5e-3)
    swapped["posterior"]["b1"].values[0] += 50.0
    assert "network outputs" in {f.quantity for f in samplers.diagnose(swapped).findings}
    assert list(samplers.diagnose(idata, ["w0"]).table.index) == ["w0"]


def test_real_output_of_every_sampler_is_read() -> None:
    with pm.Model() as model:
        pm.Normal("x", shape=3)
        quiet = {"progressbar": False, "random_seed": 1, "cores": 1}
        ours = pm.sample(100, tune=200, chains=2, step=samplers.NUTS(), quiet=True, **quiet)
        theirs = pm.sample(100, tune=200, chains=2, step=pm.NUTS(), quiet=True, **quiet)
        cut = pm.sample(
            100,
            tune=0,
            chains=2,
            step=pm.NUTS(max_treedepth=1, step_scale=0.01),
            quiet=True,
            **quiet,
        )
    nutpie = pytest.importorskip("nutpie")
    compiled = nutpie.compile_pymc_model(model)
    other = nutpie.sample(compiled, draws=100, tune=200, chains=2, progress_bar=False, seed=1)
    for idata in (ours, theirs, other):
        found = samplers.diagnose(idata)
        assert list(found.table["kind"]) == ["variable", "log posterior"]
        assert not {"tree depth", "acceptance"} & {f.name for f in found.findings}
    assert "tree depth" in names(cut)


def test_truths_and_draws_in_pieces_are_judged_and_texts_refused() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(4, 300))
    dims = ("chain", "draw")

    def tree(x: np.ndarray) -> xr.DataTree:
        groups = {"posterior": {"x": x}, "sample_stats": {"energy": values}}
        return xr.DataTree.from_dict(
            {name: xr.Dataset({k: (dims, v) for k, v in of.items()}) for name, of in groups.items()}
        )

    assert samplers.diagnose(tree(values > 0)).usable
    whole, pieces = tree(values), tree(values).chunk({"draw": 100})
    pd.testing.assert_frame_equal(samplers.diagnose(pieces).table, samplers.diagnose(whole).table)
    for wrong in (values.astype(str), values + 1j):
        with pytest.raises(ValueError, match=r"x is .* and no number: name others in var_names"):
            samplers.diagnose(tree(wrong))


@pytest.mark.parametrize("dims", [("chain", "draw"), ("chain", "draw", "obs", "output")])
def test_a_variable_of_the_user_called_f_is_no_output(
    fit: tuple[models.BNN, xr.DataTree], dims: tuple[str, ...]
) -> None:
    model, idata = fit
    expected = samplers.diagnose(idata).table
    own = idata.copy(deep=True)
    f = model.predict(idata, model.training_data()[0], draws=["f"])["predictions"]["f"]
    values = np.random.default_rng(1).normal(size=f.shape)
    own["posterior"]["f"] = f.copy(data=values).isel({d: 0 for d in f.dims if d not in dims})
    found = samplers.diagnose(own).table
    pd.testing.assert_frame_equal(found.drop(index="f"), expected)
    assert found.loc["f", "kind"] == "hyperparameter"


def thinned(every: int) -> xr.DataTree:
    """Three transitions diverged at draw 50 of one chain, and at draw 70 of another."""
    idata = healthy()
    stats = idata["sample_stats"]
    stats["diverging"].values[0, 50] = stats["diverging"].values[1, 70] = True
    times = min(3, every)
    stats["divergences"] = times * stats["diverging"].cumsum("draw")
    stats["transitions"] = xr.full_like(stats["divergences"], every)
    return idata


@pytest.mark.parametrize(
    ("cut", "said"), [(49, "6 of"), (50, "at least 4 of"), (51, "at least 3 of")]
)
def test_divergences_of_the_first_draw_that_is_left_count(cut: int, said: str) -> None:
    found = samplers.diagnose(thinned(every=5).isel(draw=slice(cut, None))).findings
    [finding] = [finding for finding in found if finding.name == "divergences"]
    assert finding.problem.startswith(said)


def test_of_one_transition_for_each_draw_all_are_known() -> None:
    found = samplers.diagnose(thinned(every=1).isel(draw=slice(50, None))).findings
    [finding] = [finding for finding in found if finding.name == "divergences"]
    assert finding.problem.startswith("2 of")


def test_an_element_that_never_changes_is_a_note() -> None:
    values = np.random.default_rng(2).normal(size=(CHAINS, DRAWS, 3))
    values[:, :, 1] = 0.3
    draws = xr.Dataset({"x": (("chain", "draw", "i"), values)})
    found = samplers.diagnose(xr.DataTree.from_dict({"posterior": draws}))
    [finding] = found.findings
    assert (finding.name, finding.severity) == ("constant elements", "note")
    assert finding.problem == "Elements with one value in all draws: 1 of x."
    assert found.healthy


def test_runs_that_were_joined_and_numbered_anew_count_all_their_divergences() -> None:
    runs = xr.concat([thinned(every=5), thinned(every=5)], "draw")
    every = np.arange(runs["posterior"].sizes["draw"])
    joined = runs.map_over_datasets(
        lambda group: group.assign_coords(draw=every) if "draw" in group.dims else group
    )
    [finding] = [f for f in samplers.diagnose(joined).findings if f.name == "divergences"]
    assert finding.problem.startswith("12 of")
    turned = joined.isel(draw=slice(None, None, -1))
    [again] = [f for f in samplers.diagnose(turned).findings if f.name == "divergences"]
    assert again.problem == finding.problem


def numbered(idata: xr.DataTree, labels: np.ndarray) -> xr.DataTree:
    """Draws with other labels."""
    return idata.map_over_datasets(
        lambda group: group.assign_coords(draw=labels) if "draw" in group.dims else group
    )


def test_divergences_are_counted_run_by_run_however_draws_are_put_together() -> None:
    """Each run has six: three by draw 50 of a chain, and three by draw 70 of another."""
    run = thinned(every=5)
    two = xr.concat([run, run], "draw")
    size = two["posterior"].sizes["draw"]
    halved = xr.concat([run.isel(draw=slice(60, None))] * 2, "draw")
    for idata, said in (
        (two, "12 of"),
        (two.isel(draw=slice(None, None, -1)), "12 of"),
        (two.isel(draw=np.argsort(two["posterior"]["draw"].values, kind="stable")), "12 of"),
        (numbered(two, np.arange(size) / 1.0), "12 of"),
        (halved, "at least 6 of"),
        (numbered(two, np.arange(size)).isel(draw=slice(60, None)), "at least 9 of"),
        (numbered(run, np.arange(size // 2) / 1.0).isel(draw=slice(60, None)), "at least 3 of"),
    ):
        [finding] = [f for f in samplers.diagnose(idata).findings if f.name == "divergences"]
        assert finding.problem.startswith(said), finding.problem


def test_runs_of_which_one_counts_no_divergences_say_at_least() -> None:
    run, other = thinned(every=5), thinned(every=5)
    other["sample_stats"] = other["sample_stats"].dataset.drop_vars("divergences")
    both = xr.concat([run["sample_stats"].dataset, other["sample_stats"].dataset], "draw")
    assert (divergences_of(both), may_miss_divergences(both)) == (6, True)


def test_texts_beside_the_draws_of_a_network_are_named(
    fit: tuple[models.BNN, xr.DataTree],
) -> None:
    idata = fit[1].copy(deep=True)
    texts = np.full((idata["posterior"].sizes["chain"], idata["posterior"].sizes["draw"]), "a")
    idata["posterior"]["f"] = xr.DataArray(texts, dims=("chain", "draw"))
    with pytest.raises(ValueError, match=r"f is .* and no number"):
        samplers.diagnose(idata)
