"""The page of the study of Neal (1992): judgements, and what is written from made-up results."""

import re
import shutil
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS, Budget
from pymc_bnn.studies.neal1992.design.fits import fits
from pymc_bnn.studies.neal1992.design.priors import BRIDGED, LOGISTIC, OURS, PRIORS
from pymc_bnn.studies.neal1992.design.schedules import METROPOLIS_STEPS, STEP_SIZES
from pymc_bnn.studies.neal1992.numbers import derived
from pymc_bnn.studies.neal1992.numbers.approximated import OF_BOUNDS, OF_JOINT_MODES
from pymc_bnn.studies.neal1992.numbers.beside import without_sampling_error
from pymc_bnn.studies.neal1992.numbers.bounds import bounds as numbers_of_bounds
from pymc_bnn.studies.neal1992.numbers.evidence import OF_BRIDGES
from pymc_bnn.studies.neal1992.numbers.tables import (
    COOLED,
    OF_PRIORS,
    OF_SCALES,
    OF_SETS,
    RUNS,
)
from pymc_bnn.studies.neal1992.runs.approximations.joint_modes import METHODS as AT_MODES
from pymc_bnn.studies.neal1992.runs.integrators import DYNAMICS, TARGETS
from pymc_bnn.studies.neal1992.runs.stages import (
    approximated_key,
    bridged_key,
    cell_key,
    cells,
    cooled_key,
    integrators_key,
    joint_key,
    metropolis_key,
    modes_key,
    prior_key,
)
from pymc_bnn.studies.neal1992.words import bounds, judgements, recommended
from pymc_bnn.studies.neal1992.words.page import PAGE, summary
from pymc_bnn.studies.pages.page import rewrite_page, write_page
from pymc_bnn.studies.reproduction.estimates import Estimate
from pymc_bnn.studies.reproduction.rates import rate
from pymc_bnn.studies.reproduction.results import Results
from pymc_bnn.studies.reproduction.verdicts import Verdict

DOCS = Path(__file__).parents[3] / "docs"
TINY = Budget("desk", 6, 1.0, 1000, 6, 6, 6, 2, 2, 1000, 2, 6, 6, 100, 2, 3, 100, 3)


class Held(Results[Budget]):
    """Results that are made up; annealed runs and our chains are better by ``gain``."""

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
    """Results of all units."""
    rng = np.random.default_rng(0)
    found = {}
    for keys, sizes in ((cell_key, STEP_SIZES), (metropolis_key, METROPOLIS_STEPS)):
        for cell in cells(TINY, sizes):
            found[keys(cell)] = of_cell(rng, gain if cell.annealed else 0.0)
    for number in range(TINY.cooled):
        moves = 10 ** (1 - gain + rng.random() / 9)
        found[cooled_key(number)] = of_cooled(rng, number).assign(effective_scales=moves)
        found[approximated_key(number)] = of_both(rng, gain, ("mean field", "full rank"))
        found[modes_key(number)] = of_modes(rng)
        found[joint_key(number)] = of_both(rng, gain, AT_MODES)
    for number in range(TINY.believed):
        for name in (*PRIORS, LOGISTIC):
            of_prior = {n: 10 * gain * (name == OURS) + rng.normal() for n in (*OF_PRIORS, *LAG)}
            found[prior_key(name, number)] = xr.Dataset(of_prior)
        less = {n: ("prior", rng.random(3) - 10 * gain) for n in OF_BRIDGES}
        found[bridged_key(number)] = xr.Dataset(less, {"prior": list(BRIDGED)})
    for fit in fits(TINY):
        for number in range(fit.sets):
            columns = {n: 50 - 20 * gain + rng.normal() for n in (*OF_SETS, *OF_SCALES)}
            chains = {n: ("start", 0.006 + 0.0001 * rng.random(fit.starts)) for n in STARTS}
            found[fit.key(number)] = xr.Dataset(columns | chains)
    for target in TARGETS:
        every = list(DYNAMICS)
        names = ("acceptance", "step_size", "outputs", "energy")
        values = {n: (("integrator", "run"), 1 + rng.random((3, 6))) for n in names}
        found[integrators_key(target)] = xr.Dataset(values, {"integrator": every})
    return found


LAG = ("lag", "lag_error")
LATER = (*OF_BOUNDS, *OF_SCALES)
STARTS = ("squared_error", "test_error", "excess")


def of_cell(rng: np.random.Generator, gain: float) -> xr.Dataset:
    count = TINY.runs
    errors = 0.0075 + 0.002 * (rng.random(count) - 0.5 - 0.4 * gain)
    columns = {name: ("run", rng.random(count)) for name in RUNS}
    columns |= {"set": ("run", np.arange(count)), "squared_error": ("run", errors)}
    stuck = (np.arange(count) < 2) & (rng.random() < 0.5)
    columns["rejected"] = ("run", np.where(stuck, 0.97, 0.6 + 0.1 * rng.random(count)))
    training = rng.random((count, 200))
    training[:2, 20:120] = 1.0
    return xr.Dataset({**columns, "training": (("run", "iteration"), training)})


def of_cooled(rng: np.random.Generator, number: int) -> xr.Dataset:
    columns = {name: 50 + rng.normal() for name in COOLED} | {"set": number}
    cools = np.geomspace(40, 1, 850)
    along = {"energy": np.where(cools > 8, 1500.0, 500.0), "temperature": cools}
    along["training"] = 0.02 / cools + rng.random(850)
    last = {name: ("kept", 0.01 + 0.001 * rng.random(100)) for name in ("each", "averaged")}
    grid = {"grid": (("shown", "point", "output"), rng.normal(size=(50, 144, 2)))}
    of_iterations = {name: ("iteration", one) for name, one in along.items()}
    return xr.Dataset({**columns, **of_iterations, **last, **grid})


def of_modes(rng: np.random.Generator) -> xr.Dataset:
    columns = {name: 100 + rng.normal() for name in (*COOLED, "small_evidence")}
    names = ("log_evidence", "mode_error", "mode_excess")
    return xr.Dataset(columns | {name: ("mode", rng.normal(size=2)) for name in names})


def of_both(rng: np.random.Generator, gain: float, names: tuple[str, ...]) -> xr.Dataset:
    count = len(names)
    every = (*COOLED, *OF_JOINT_MODES, "small_evidence")
    columns = {name: ("method", 100 + rng.normal(size=count)) for name in every}
    columns |= {name: ("method", rng.normal(size=count) - 100 * gain) for name in OF_BOUNDS}
    return xr.Dataset(columns, {"method": list(names)})


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
    assert images == {*(f"figure_{n}" for n in range(1, 6)), "excess"}
    assert "Not run yet" not in before
    assert "nan" not in before
    counts = [int(n) for n in re.findall(r"stands: (\d+)", before)]
    assert sum(counts) == before.count("**Stands.**")
    assert rewrite_page(PAGE, results.budget, written[0].parents[1])[0].read_text() == before
    assert summary(results).row_count == 42


def test_what_is_found_follows_the_results(written: list[Path], tmp_path: Path) -> None:
    said = [written[0].read_text()]
    for gain in (0.0, -1.0):
        results = Held(tmp_path / "none", TINY)
        object.__setattr__(results, "gain", gain)
        said.append(write_page(PAGE, results, tmp_path)[0].read_text())
    answers = [re.search(r"make failures fewer\? \*\*(\w+):", text) for text in said]
    assert [found and found[1] for found in answers] == ["Yes", "Undecided", "No"]
    answers = [re.search(r"is at most 40\. \*\*(.+?)\.\*\*", text) for text in said]
    assert [found and found[1] for found in answers] == [
        "Stands",
        "Does not stand",
        "Does not stand",
    ]


def tables_of(found: dict[str, xr.Dataset]) -> dict[str, pd.DataFrame]:
    results = Held(Path("none"), TINY)
    object.__setattr__(results, "_kept", MappingProxyType(found))
    sources = ("cooled", "hyperparameters", "sets", "starts", "approximations", "priors", "bridged")
    return {name: PAGE.sources[name].measure(results) for name in sources}


@pytest.mark.parametrize(("gain", "verdict"), [(1.0, "Stands"), (-1.0, "Does not stand")])
def test_hyperparameters_and_bounds_are_judged_where_they_are(gain: float, verdict: str) -> None:
    """Results that were made before these were measured lack them."""
    found = made_up(gain)
    tables = tables_of(found)
    claim = "effective draws of the hyperparameters per second. **"
    assert f"{claim}{verdict}.**" in recommended.beside(tables)
    assert derived.SCALES in derived.ways(tables)
    assert f"below the evidence by sampling. **{verdict}.**" in bounds.conclude(tables)
    there = {key: one for key, one in found.items() if "joint" not in key}
    older = {key: one.drop_vars([n for n in LATER if n in one]) for key, one in there.items()}
    before = tables_of(older)
    assert claim not in recommended.beside(before)
    assert numbers_of_bounds(before).empty


def test_without_results_the_page_says_so(tmp_path: Path) -> None:
    page = write_page(PAGE, Results(tmp_path / "none", BUDGETS["smoke"]), tmp_path)[0]
    text = page.read_text()
    assert "Not run yet" in text
    assert "not to be compared" in text


def test_verdicts_can_be_yes_no_and_undecided() -> None:
    stands, fails, undecided = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
    values = (-3.0, 0.0, 3.0)
    assert [judgements.less({"": Estimate(v, 1.0)}) for v in values] == [stands, undecided, fails]
    spread = Estimate(1.0, 0.1, 9.0)
    assert judgements.in_the_spread(1.1, spread) == stands
    assert judgements.in_the_spread(2.0, spread) == fails
    assert judgements.in_the_spread(1.1, Estimate(1.0, 0.1, 2.0)) == undecided
    assert judgements.in_the_spread(1.1, Estimate(1.0, 0.5, 9.0)) == undecided
    near = [judgements.about(Estimate(v, 2.0, 9.0), 60, 80) for v in (70.0, 62.0, 40.0)]
    assert near == [stands, undecided, fails]
    often = [judgements.as_often(rate(k, n), rate(3, 5)) for k, n in ((60, 100), (6, 10), (0, 90))]
    assert often == [stands, undecided, fails]
    sets = pd.Series(np.arange(100) // 5)  # twenty of five runs each; 22 runs are on five of them
    never = [judgements.none(sets[:n] == at, sets[:n]) for n, at in ((100, -1), (22, -1), (100, 3))]
    assert never == [stands, undecided, fails]
    worse = [judgements.no_worse(Estimate(v, 1.0)) for v in (-3.0, -0.5, 4.0)]
    assert worse == [stands, undecided, fails]
    rates = {(1, 1): Estimate(0.0, 0.0), (2, 1): Estimate(0.5, 0.05)}
    assert judgements.best(rates, (1, 1)) == stands
    assert judgements.best(rates, (2, 1)) == fails
    assert judgements.best(rates, ()) == undecided


def test_chains_together_and_alone_tell_what_endless_ones_have() -> None:
    rng = np.random.default_rng(1)
    offs = rng.normal(size=(50, 5, 300))  # of data sets, chains and cases, about a bias of 3
    single, together = ((3 + offs) ** 2).mean(axis=2), ((3 + offs.mean(axis=1)) ** 2).mean(axis=1)
    sets = pd.DataFrame({"fit": "short", "data set": range(50), "excess": together})
    chains = pd.DataFrame({"fit": "short", "data set": np.repeat(range(50), 5)})
    tables = {"sets": sets, "starts": chains.assign(excess=single.ravel())}
    found = without_sampling_error(tables)
    assert abs(found.value - 9) < 4 * found.error < 0.3  # 10 alone, and 9.2 together


def test_rates_of_nothing_and_of_all_reach_the_ends() -> None:
    assert rate(0, 10).low == 0
    assert rate(10, 10).high == 1
    assert rate(5, 10).low == pytest.approx(1 - rate(5, 10).high)


def test_the_page_says_what_its_tables_say(tmp_path: Path) -> None:
    """If this fails, write the page anew by `pages.page.rewrite_page` and read what changed."""
    shutil.copytree(DOCS / "studies" / "neal1992", tmp_path / "studies" / "neal1992")
    shutil.copytree(DOCS / "_static" / "neal1992", tmp_path / "_static" / "neal1992")
    page = rewrite_page(PAGE, BUDGETS["paper"], tmp_path)[0]
    assert page.read_text() == (DOCS / "studies" / "neal1992.md").read_text()
