"""The study of Neal (1995): what is measured, the page from made-up results, and its rules."""

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.samplers.trajectories.correlations import autocorrelation
from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
from pymc_bnn.studies.neal1995.design.networks import QUANTITIES, data_set
from pymc_bnn.studies.neal1995.design.settings import (
    INITIAL,
    LENGTHS,
    LONG,
    SETTINGS,
    SHORTER,
    UNCORRECTED,
)
from pymc_bnn.studies.neal1995.numbers.derived import chosen, found_inputs
from pymc_bnn.studies.neal1995.runs.boston import MEASURES, boston_key
from pymc_bnn.studies.neal1995.runs.fits import more_inputs, width_keys
from pymc_bnn.studies.neal1995.runs.functions import FAMILIES
from pymc_bnn.studies.neal1995.runs.initial import initial_key
from pymc_bnn.studies.neal1995.runs.limits import LIMITS, Limit, draw_precisions, limit_key
from pymc_bnn.studies.neal1995.runs.methods import long_key, long_sets, methods_key
from pymc_bnn.studies.neal1995.runs.sampling import sampling_key
from pymc_bnn.studies.neal1995.runs.stable import STABLE
from pymc_bnn.studies.neal1995.words.networks import widths
from pymc_bnn.studies.neal1995.words.page import PAGE, summary
from pymc_bnn.studies.neal1995.words.sections import CHAPTER_2, CHAPTER_3, CHAPTER_4
from pymc_bnn.studies.pages.page import rewrite_page, write_page
from pymc_bnn.studies.reproduction.results import Results
from pymc_bnn.studies.reproduction.studying import find_study
from pymc_bnn.studies.reproduction.units import check_units

TINY = replace(BUDGETS["desk"], runs=4, along=3, sets=4, decided=4, fitted=8)
SECTIONS = (*CHAPTER_2, *CHAPTER_3, *CHAPTER_4)
WAYS = ("normal noise", "t noise", "linear")


class Held(Results):
    """Results that are made up; what the claims are about is larger by ``gain``."""

    gain = 1.0

    def count(self) -> int:
        return len(self._made())

    def has(self, *keys: str) -> bool:
        return all(key in self._made() for key in keys)

    def load(self, key: str, group: str | None = None) -> xr.Dataset | None:
        return self._made().get(key)

    def _made(self) -> MappingProxyType[str, xr.Dataset]:
        if not hasattr(self, "_kept"):
            object.__setattr__(self, "_kept", MappingProxyType(made_up(self.gain)))
        return self._kept


def made_up(gain: float) -> dict[str, xr.Dataset]:
    rng = np.random.default_rng(0)
    made: dict[str, xr.Dataset] = {}
    for k in range(TINY.runs):
        errors = 0.02 * np.exp(rng.normal(size=(3, TINY.first)) - gain * np.eye(3)[1][:, None])
        each = {"acceptance": ("leapfrogs", np.ones(3)), "training": (("leapfrogs", "t"), errors)}
        made[initial_key(k)] = xr.Dataset(each, {"leapfrogs": list(INITIAL)})
    for k in range(TINY.along):
        eta = np.exp(rng.uniform(np.log(0.05), 0.0, 400))
        error = np.where(eta > 0.5, 20.0 * (gain > 0), 0.1) + rng.normal(size=400)
        made[f"errors-{k}"] = xr.Dataset({"eta": ("t", eta), "error": ("t", error)})
        walk = np.cumsum(rng.normal(size=(101, 5)), axis=0) * 0.1
        made[f"along-{k}"] = of_quantities(walk)
    for woven, lengths in ((False, LENGTHS), (True, SHORTER)):
        for length in lengths:
            for k in range(TINY.chains):
                one = of_quantities(rng.normal(size=(40, 5)))
                numbers = {"acceptance": 0.9, "seconds": 2.0, "gradients": 1e6}
                made[sampling_key(k, length, woven)] = one.assign(numbers)
    declared = (
        (method, settings, key(method, k))
        for all_settings, key, sets in (
            (SETTINGS, methods_key, range(TINY.sets)),
            (LONG, long_key, long_sets(TINY)),
        )
        for method, settings in all_settings.items()
        for k in sets
    )
    for method, settings, key in declared:
        more = np.exp(gain * (method in ("persistence", "windows", "partial", "interweaving")))
        more *= np.exp(-gain * (method in ("Metropolis", "Langevin")))
        effective = more * rng.uniform(10, 11, (len(settings), 5))
        each = {n: ("setting", np.full(len(settings), 2.0)) for n in ("acceptance", "seconds")}
        each |= {"gradients": ("setting", np.full(len(settings), 1e6))}
        mean = 6.0 + 0.004 * rng.normal(size=effective.shape)
        mean += 0.3 * (method == UNCORRECTED) * (gain < 0)
        by = "setting", "quantity"
        one = xr.Dataset({"effective": (by, effective), "mean": (by, mean), **each})
        made[key] = one.assign_coords(setting=[s.words for s in settings])
    for family in FAMILIES:
        z = rng.uniform(-1, 1, 28) + 6 * (gain < 0)
        excess = {"excess": 2.0 * (family.hidden[0] == 10), "excess_error": 0.1}
        excess["excess_expected"] = gain * excess["excess"]
        functions = ("function", "point"), rng.normal(size=(6, 61))
        made[family.key] = xr.Dataset({"z": ("pair", z), **excess, "functions": functions})
    for wide in STABLE:
        z = rng.uniform(-1, 1, (2, 4)) + 6 * (gain < 0)
        shares = {"shares": 1 - wide.index / 2 + 0.1 * (gain < 0), "shares_error": 0.01}
        functions = ("function", "point"), rng.normal(size=(6, 61))
        drawn = {"z": (("of", "frequency"), z), **shares, "functions": functions}
        made[wide.key] = xr.Dataset(drawn)
    for prior, width, key in width_keys(TINY):
        worse = 40 * ((prior != "unscaled") == (gain < 0)) * (width == 1024)
        made[key] = of_fits(rng, 60 + worse, np.ones(2))
    for prior in LIMITS:
        worse = 40 * ((prior != "unscaled") == (gain < 0))
        one = of_fits(rng, 60 + worse, np.ones(2)).drop_vars("acceptance")
        made[limit_key(prior)] = one.assign(k=("set", rng.random(TINY.fitted)))
    made["relevance-ARD"] = of_fits(rng, 60, np.array([3, 3, 1, 1, 0.1, 0.1][:: int(gain) or 1]))
    made["relevance-shared"] = of_fits(rng, 60 + 10 * gain, np.ones(6))
    for fold in range(TINY.folds):
        score = rng.random((3, 3)) + gain * np.array([[0, 0, 3], [0, 0, 6], [3, 3, 0]])
        coords = {"way": list(WAYS), "measure": list(MEASURES)}
        made[boston_key(fold)] = xr.Dataset({"score": (("way", "measure"), score)}, coords)
    return made


def of_quantities(found: np.ndarray) -> xr.Dataset:
    return xr.Dataset(
        {"found": (("transition", "quantity"), found)}, {"quantity": list(QUANTITIES)}
    )


def of_fits(rng: np.random.Generator, excess: float, size: np.ndarray) -> xr.Dataset:
    names = ("training", "halves", "acceptance")
    each = {name: ("set", 0.1 * rng.random(TINY.fitted)) for name in names}
    errors = excess + rng.normal(size=TINY.fitted)
    sizes = size * np.ones((TINY.fitted, 1))
    return xr.Dataset({**each, "excess": ("set", errors), "size": (("set", "input"), sizes)})


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The page of all results, with what is beside it."""
    docs: Path = tmp_path_factory.mktemp("docs")
    return write_page(PAGE, Held(docs / "none", TINY), docs)


def test_the_page_is_written_from_results_and_again_from_its_tables(
    written: list[Path], tmp_path: Path
) -> None:
    results = Held(tmp_path / "none", TINY)
    before = written[0].read_text()
    images = {path.stem for path in written if path.suffix == ".png"}
    figures = {f"figure_3_{i}" for i in range(2, 7)}
    chapter_2 = {"functions", "covariances", "layers", "stable"}
    assert images == {*figures, *chapter_2, "methods", "widths"}
    assert "Not run yet" not in before
    assert "nan" not in before
    assert rewrite_page(PAGE, TINY, written[0].parents[1])[0].read_text() == before
    assert summary(results).row_count == sum(map(len, SETTINGS.values()))


def test_what_long_chains_judge_is_undecided_without_them(
    written: list[Path], tmp_path: Path
) -> None:
    results = Held(tmp_path / "none", TINY)
    kept = {key: one for key, one in made_up(1.0).items() if not key.startswith("long-")}
    object.__setattr__(results, "_kept", MappingProxyType(kept))
    page = write_page(PAGE, results, tmp_path)[0].read_text()
    why = "there are no long chains here"
    for method in ("persistence", "partial gradients"):
        claims = re.findall(rf"- Long chains, {method}: .*? \*\*(\w+)\.\*\* {why}", page)
        assert claims == ["Undecided"] * 2
    gain = f"give 1.5 times the effective draws per gradient? **Undecided:** {why}"
    assert f"Does persistence {gain}" in page
    assert f"Do partial gradients {gain}" in page
    assert why not in written[0].read_text()


def test_verdicts_follow_the_results() -> None:
    said = []
    for gain in (1.0, -1.0):
        results = Held(Path("none"), TINY)
        object.__setattr__(results, "gain", gain)
        tables = {name: source.measure(results) for name, source in PAGE.sources.items()}
        said.append("\n".join(section.words(tables) for section in SECTIONS if section.words))
    claims = {
        "Trajectories of 64": ("Stands", "Does not stand"),
        "Factors above 0.5": ("Stands", "Does not stand"),
        "Metropolis gives fewer": ("Stands", "Does not stand"),
        "Persistence: at least": ("Stands", "Does not stand"),
        "Partial gradients: at least": ("Stands", "Does not stand"),
        "Interweaving: at least": ("Stands", "Does not stand"),
        "Long chains, persistence: at least": ("Stands", "Does not stand"),
        "Long chains, partial gradients: at least": ("Stands", "Does not stand"),
        "Long chains, fewer effective draws": ("Stands", "Does not stand"),
        "Covariances of networks": ("Stands", "Does not stand"),
        "The kurtosis of outputs": ("Stands", "Does not stand"),
        "Functions of stable weights": ("Stands", "Does not stand"),
        "Few units keep": ("Stands", "Does not stand"),
        "Without rejection the mean": ("Stands", "Does not stand"),
        "With the scaled prior 1024": ("Stands", "Does not stand"),
        "With the scaled prior the limit": ("Stands", "Does not stand"),
        "With the unscaled prior 1024 units are no": ("Does not stand", "Stands"),
        "With the unscaled prior a Gaussian process": ("Does not stand", "Stands"),
        "With the learnt prior 1024": ("Stands", "Does not stand"),
        "With the learnt prior the limit": ("Stands", "Does not stand"),
        "ARD gives both": ("Stands", "Does not stand"),
        "Errors are smaller with ARD": ("Stands", "Does not stand"),
        "Both networks have a better squared": ("Stands", "Does not stand"),
        "The log score is better with t": ("Stands", "Does not stand"),
    }
    for begins, verdicts in claims.items():
        found = [re.search(rf"- {begins}.*?\*\*(.+?)\.\*\*", text) for text in said]
        assert tuple(one and one[1] for one in found) == verdicts, begins


def test_widths_are_undecided_where_chains_have_not_come_together() -> None:
    results = Held(Path("none"), TINY)
    tables = {name: source.measure(results) for name, source in PAGE.sources.items()}
    tables["widths"].loc[tables["widths"]["units"] == 1024, "halves"] = 0.5
    assert widths(tables).count("**Undecided.**") == 6


def test_limits_that_are_not_known_are_left_out() -> None:
    results = Held(Path("none"), TINY)
    tables = {name: source.measure(results) for name, source in PAGE.sources.items()}
    first = (tables["widths"]["way"] == "limit") & (tables["widths"]["set"] == 0)
    tables["widths"]["k"] = np.where(tables["widths"]["way"] == "limit", 0.1, np.nan)
    assert widths(tables).count("on 8 of 8 data sets") == 6
    tables["widths"].loc[first, ["excess", "k"]] = 1e6, 0.71
    assert "With the scaled prior the limit of many units is no worse than 16. **Stands" in widths(
        tables
    )
    assert widths(tables).count("on 7 of 8 data sets") == 3  # nor networks of that data set
    tables["widths"].loc[first, "k"] = 0.69
    assert "the limit of many units is no worse than 16. **Stands" not in widths(tables)


def test_a_setting_is_chosen_on_other_data_sets_than_where_it_is_judged() -> None:
    results = Held(Path("none"), TINY)
    table = PAGE.sources["methods"].measure(results)
    lucky = (table["method"] == "HMC") & (table["set"] == 0) & (table["setting"] == "L 10, eta 0.3")
    table.loc[lucky, "per million"] = 1e6
    assert chosen(table, "HMC", "per million")[0] < np.log(100.0)


def test_units_have_keys_of_their_own_and_budgets_share_them() -> None:
    study = find_study("neal1995")
    for budget in BUDGETS.values():
        check_units([u for stage in study.stages(Path("none"), budget, 0) for u in stage.units()])


def test_inputs_are_angles_copies_and_noise() -> None:
    arm, rng = data_set(100, 0), np.random.default_rng(0)
    more = more_inputs(arm.X, 6, rng)
    assert more[:, 2:4] == pytest.approx(arm.X.to_numpy(), abs=0.1)
    assert more_inputs(arm.X, 2, rng) == pytest.approx(arm.X.to_numpy())


def test_autocorrelations_of_a_known_process() -> None:
    rng = np.random.default_rng(1)
    series = np.zeros((20_000, 1))
    for t in range(1, len(series)):
        series[t] = 0.8 * series[t - 1] + rng.normal()
    centred = series[:2000]
    assert autocorrelation(centred)[[0, 1, 3], 0] == pytest.approx([1.0, 0.8, 0.512], abs=0.08)


def test_inputs_are_found_by_both_angles_alone() -> None:
    table = PAGE.sources["relevance"].measure(Held(Path("none"), TINY))
    assert found_inputs(table)["found"].sum() == TINY.fitted
    hidden = table.assign(x3=2 * table["x1"])
    assert found_inputs(hidden)["found"].sum() == 0


def test_the_limit_has_the_covariance_of_networks_and_the_posterior_of_a_grid() -> None:
    arm, rng = data_set(100, 0), np.random.default_rng(0)
    X, y = arm.X.to_numpy()[:12], arm.y.to_numpy()[:12]
    limit = Limit(X, y, output_sd=4.0, learnt=False)
    prior = dict.fromkeys(("w0", "b0", "b1"), models.Gaussian(1.0)) | {"w1": models.Gaussian(0.5)}
    network = models.BNN(X, y, hidden=(64,), prior=prior)
    covariance = limit.covariance(np.zeros(4), X[:, None], X)
    assert covariance == pytest.approx(models.limiting_covariance(network, X))

    grid = np.linspace(0.0, 14.0, 2001)
    logs = np.array([limit.log_density(np.array([at])) for at in grid])
    density = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    mean, sd = density @ grid, np.sqrt(density @ grid**2 - (density @ grid) ** 2)
    drawn = np.concatenate([draw_precisions(limit, rng)[0][:, 0] for _ in range(5)])
    assert abs(drawn.mean() - mean) < 3.5 * sd / np.sqrt(5 * 20)
    assert drawn.std() == pytest.approx(sd, rel=0.25)


def test_precisions_of_the_limit_are_those_of_a_random_walk() -> None:
    arm, rng = data_set(100, 0), np.random.default_rng(1)
    limit = Limit(arm.X.to_numpy()[:12], arm.y.to_numpy()[:12], output_sd=4.0, learnt=True)
    drawn, k = draw_precisions(limit, rng)
    assert k < 1.0
    point, chain = drawn.mean(axis=0), []
    value, width = limit.log_density(point), drawn.std(axis=0)
    for _ in range(3000):
        new = point + 1.2 * width * rng.standard_normal(4)
        there = limit.log_density(new)
        if np.log(rng.random()) < there - value:
            point, value = new, there
        chain.append(point)
    walk = np.array(chain)
    error = walk.std(axis=0) * np.sqrt(1 / 20 + 1 / 80)
    assert np.abs((drawn.mean(axis=0) - walk.mean(axis=0)) / error).max() < 3.5
