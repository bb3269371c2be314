"""The study of peers: what a fold holds, how differences are made, and what is said of them."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies import InputError
from pymc_bnn.studies.pages.page import rewrite_page, write_page
from pymc_bnn.studies.peers import ensembles, ordinary
from pymc_bnn.studies.peers.budgets import BUDGETS, Budget
from pymc_bnn.studies.peers.fits import BY_ROW, NETWORK, cases_of, fit_fold, fold_key
from pymc_bnn.studies.peers.judgements import (
    BEHIND,
    IN_PLACE,
    OPEN,
    complete,
    no_slower,
    place,
)
from pymc_bnn.studies.peers.numbers import against, places, scores
from pymc_bnn.studies.peers.ordinary import TABLES
from pymc_bnn.studies.peers.page import PAGE
from pymc_bnn.studies.peers.words import beside, draws
from pymc_bnn.studies.reproduction.results import Results
from scipy.stats import norm

DOCS = Path(__file__).parents[3] / "docs"
CONTENDERS = (NETWORK, BY_ROW, "bde", "linear")
BUDGET = Budget("invented", folds=3)


def fold(ahead: float, seed: int, grade: str = "converged", times: float = 0.5) -> xr.Dataset:
    """A fold in which the network is ahead of all others by some nats, with some noise."""
    rng = np.random.default_rng(seed)
    shift = np.array([ahead, 0.0, 0.0, -1.0])[:, None]
    noise = 0.1 * rng.normal(size=(4, 30))
    noise -= noise.mean(axis=1, keepdims=True)  # differences are what they are meant to be
    return xr.Dataset(
        {
            "log_score": (("contender", "case"), -1.0 + shift + noise),
            "squared_error": (("contender", "case"), 1.0 - 0.5 * shift + noise),
            "seconds": ("contender", [10.0 * times, 12.0, 10.0, 0.1]),
            "grade": ("contender", [grade, "not yet", "", ""]),
        },
        {"contender": list(CONTENDERS)},
    )


@dataclass(frozen=True)
class Invented(Results[Budget]):
    """Results in memory."""

    folds: dict[str, xr.Dataset]

    def load(self, key: str, group: str | None = None) -> Any:
        return self.folds.get(key)

    def count(self) -> int:
        return len(self.folds)


def results(ahead: float, **options: Any) -> Invented:
    keys = [fold_key(table, k) for table in TABLES for k in range(BUDGET.folds)]
    folds = {key: fold(ahead, seed, **options) for seed, key in enumerate(keys)}
    return Invented(Path("nothing"), BUDGET, folds)


def tables_of(found: Invented) -> dict[str, pd.DataFrame]:
    kept = {"scores": scores(found), "against": against(found)}
    return kept | {"places": places(kept)}


def line_of(text: str, begins: str) -> str:
    [line] = [line for line in text.splitlines() if line.startswith(f"- {begins}")]
    return line


def test_a_fold_is_standardised_by_its_training_rows() -> None:
    cases = cases_of("autompg", 1, BUDGETS["smoke"], 3)
    assert len(cases.y) + len(cases.observed) == 60
    assert (cases.y.mean(), cases.y.std()) == pytest.approx((0.0, 1.0), abs=1e-9)
    assert abs(cases.observed.mean()) > 1e-3
    other = cases_of("autompg", 0, BUDGETS["smoke"], 3)
    assert not set(map(tuple, other.new.round(6))) & set(map(tuple, cases.new.round(6)))


def test_all_that_are_installed_predict_a_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensembles, "installed", lambda: False)
    found = fit_fold("diabetes", 0, BUDGETS["smoke"], 0)
    names = [NETWORK, BY_ROW, "linear", "gaussian process", "boosted trees"]
    assert found["contender"].values.tolist() == names
    assert np.isfinite(found["log_score"]).all()
    assert 0.2 < float(found["squared_error"].sel(contender=NETWORK).mean()) < 1.5
    assert str(found["grade"].sel(contender=NETWORK).values)


def test_an_ensemble_is_a_mixture_over_its_draws() -> None:
    rng = np.random.default_rng(1)
    raw, observed = rng.normal(size=(50, 7, 2)), rng.normal(size=7)
    mean, density = ensembles.mixture(raw, observed)
    sd = np.log1p(np.exp(raw[..., 1])) + 1e-6
    np.testing.assert_allclose(mean, raw[..., 0].mean(0))
    expected = np.log(norm.pdf(observed, raw[..., 0], sd).mean(0))
    np.testing.assert_allclose(density, expected)


def test_differences_are_paired_and_above_zero_where_ours_is_better() -> None:
    table = against(results(0.3))
    ours = table[(table["ours"] == NETWORK) & (table["peer"] == "bde")]
    np.testing.assert_allclose(ours["log score"], 0.3)
    np.testing.assert_allclose(ours["squared error"], 0.15)
    np.testing.assert_allclose(ours["error of log score"], 0.1 * np.sqrt(2 / 90), rtol=0.35)
    np.testing.assert_allclose(ours["times"], 0.5)


@pytest.mark.parametrize(
    ("ahead", "said"), [(0.3, "Stands"), (-0.3, "Does not stand"), (-0.022, "Undecided")]
)
def test_all_three_words_are_said(ahead: float, said: str) -> None:
    line = line_of(beside(tables_of(results(ahead))), "By log score the network is")
    assert f"**{said}.**" in line


@pytest.mark.parametrize(
    ("ahead", "said"), [(-0.3, "Stands"), (0.3, "Does not stand"), (0.0, "Undecided")]
)
def test_noise_by_row_is_judged_beside_the_same_noise(ahead: float, said: str) -> None:
    line = line_of(beside(tables_of(results(ahead))), "By log score noise by row")
    assert f"**{said}.**" in line


# a table counts where the interval that holds for eight at once, of 2.73 errors, leaves out zero
@pytest.mark.parametrize(
    ("z", "said", "evidence"),
    [
        ([2.8] * 5 + [-9.0] * 3, "Stands", "better on 5 of 8"),
        ([2.8] * 4 + [2.7] * 4, "Undecided", "better on 4 of 8"),
        ([2.8] * 4 + [-2.8] * 4, "Does not stand", "worse on 4"),
        ([2.7] * 8, "Undecided", "better on 0 of 8, worse on 0"),
    ],
)
def test_eight_tables_are_looked_at_at_once(z: list[float], said: str, evidence: str) -> None:
    tables = tables_of(results(0.0))
    table = tables["against"]
    by_row = (table["ours"] == BY_ROW) & (table["peer"] == NETWORK)
    table.loc[by_row, "log score"] = np.multiply(z, table.loc[by_row, "error of log score"])
    line = line_of(beside(tables), "By log score noise by row")
    assert f"**{said}.**" in line
    assert evidence in line


@pytest.mark.parametrize(
    ("ahead", "error", "said"),
    [
        (
            0.0,
            1.0,
            "in place on 8 of 8, behind on 0; by whole intervals at most 0.05 nats behind "
            "on 0, and behind on 0",
        ),
        (0.0, 0.018, "at most 0.05 nats behind on 8, and behind on 0"),
        (
            -0.025,
            0.01,
            "behind on 8 (autompg, .*); by whole intervals at most 0.05 nats behind "
            "on 0, and behind on 0",
        ),
        (-0.028, 0.01, "by whole intervals at most 0.05 nats behind on 0, and behind on 8"),
    ],
)
def test_large_errors_show_nothing(ahead: float, error: float, said: str) -> None:
    tables = tables_of(results(0.0))
    tables["places"] = tables["places"].assign(ahead=ahead, error=error)
    text = beside(tables)
    assert re.search(
        said.replace("(", r"\(").replace(")", r"\)"), line_of(text, "By log score the network is")
    )
    assert "nats" not in line_of(text, "By squared error the network is")


def test_where_one_is_in_place() -> None:
    assert [place(a, 0.1) for a in (-0.1, -0.11, -0.2, -0.21)] == [IN_PLACE, OPEN, OPEN, BEHIND]


def test_few_folds_decide_nothing() -> None:
    found = results(0.3)
    del found.folds[fold_key("tips", 2)]
    tables = tables_of(found)
    assert not complete(tables["places"]["folds"])
    assert "**Stands.**" not in beside(tables)
    assert "**Stands.**" not in draws(tables)


@pytest.mark.parametrize(("grade", "said"), [("nearly", "Stands"), ("not yet", "Does not stand")])
def test_draws_are_judged_by_their_grades(grade: str, said: str) -> None:
    line = line_of(draws(tables_of(results(0.0, grade=grade))), "Draws of the network are")
    assert f"**{said}.**" in line


@pytest.mark.parametrize(("times", "said"), [(0.5, "Stands"), (2.0, "Does not stand")])
def test_seconds_are_judged_by_their_ratio(times: float, said: str) -> None:
    table = against(results(0.0, times=times))
    ours = table[(table["ours"] == NETWORK) & (table["peer"] == "bde")]
    spread = ours.assign(times=ours["times"] * np.linspace(0.8, 1.2, len(ours)))
    verdict, evidence = no_slower(spread)
    assert str(verdict) == said
    found = re.fullmatch(r"(.*) times as long \((.*) to (.*)\)", evidence)
    assert found is not None
    ratio, low, high = map(float, found.groups())
    assert low < ratio < high
    assert ratio == pytest.approx(np.exp(np.log(spread["times"]).mean()), rel=0.01)
    assert (high < 1) if said == "Stands" else (low > 1)
    assert str(no_slower(spread.assign(times=np.linspace(0.5, 1.6, len(ours))))[0]) == "Undecided"
    assert str(no_slower(spread.iloc[:5])[0]) == "Undecided"


def test_a_page_says_who_was_not_there(tmp_path: Path) -> None:
    found = results(0.3)
    (tmp_path / "docs" / "studies").mkdir(parents=True)
    before = write_page(PAGE, found, tmp_path / "docs")[0].read_text()
    assert "was not installed" not in before
    assert rewrite_page(PAGE, BUDGET, tmp_path / "docs")[0].read_text() == before
    tables = tables_of(found)
    alone = tables["against"].query("peer != 'bde'")
    assert "bde was not installed" in beside({**tables, "against": alone})


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str) -> None:
        raise ModuleNotFoundError(module)

    monkeypatch.setattr(ordinary, "import_module", absent)
    for table, package in (("co2", "statsmodels"), ("tips", "plotly")):
        with pytest.raises(InputError, match=f"need the package {package}; run uv run --with"):
            ordinary.load(table, None, 0)
    assert len(ordinary.load("boston", None, 0).frame) == 506


def test_the_page_of_the_documentation_says_what_its_tables_do(tmp_path: Path) -> None:
    """If this fails, write the page anew by `pages.page.rewrite_page` and read what changed."""
    for folder in ("studies/peers", "_static/peers"):
        shutil.copytree(DOCS / folder, tmp_path / folder)
    page = rewrite_page(PAGE, BUDGETS["desk"], tmp_path)[0]
    assert page.read_text() == (DOCS / "studies" / "peers.md").read_text()
