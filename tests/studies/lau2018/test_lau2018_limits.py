"""Errors of infinitely wide networks on digits that are not trained on, and words on them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.candidates import CODED, NOISE
from pymc_bnn.studies.lau2018.design.digits import CASES, digits
from pymc_bnn.studies.lau2018.design.keys import limit_errors_key
from pymc_bnn.studies.lau2018.numbers.limits import (
    BY_EVIDENCE,
    BY_FOLDS,
    CHOSEN,
    OWN,
    TEMPERED,
    limits,
)
from pymc_bnn.studies.lau2018.numbers.results import Results
from pymc_bnn.studies.lau2018.runs import limit
from pymc_bnn.studies.lau2018.runs.coding import codes
from pymc_bnn.studies.lau2018.runs.fits import fold_rows
from pymc_bnn.studies.lau2018.words.limits import in_hindsight
from pymc_bnn.studies.lau2018.words.limits import limits as claims
from pymc_bnn.studies.reproduction.unit_store import save_unit
from pymc_bnn.studies.reproduction.verdicts import Verdict
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

_, FIRST, SPREAD = CODED["pixels"]


def test_classes_are_those_of_the_largest_mean() -> None:
    data = digits("centred")
    [wrong] = limit.wrong_classes(data, FIRST, (NOISE / SPREAD,))
    K = SPREAD**2 * limit.covariance(data.X, data.X, FIRST) + NOISE**2 * np.eye(CASES)
    for X, y, found in (
        (data.X_between, data.y_between, wrong[:-CASES]),
        (data.X_test, data.y_test, wrong[-CASES:]),
    ):
        k = SPREAD**2 * limit.covariance(X, data.X, FIRST)
        mean = k @ np.linalg.solve(K, codes(data.y))
        np.testing.assert_array_equal(found, mean.argmax(axis=1) != y)


def test_errors_are_counted_on_both_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "FINER", (FIRST,))
    found = limit.count_errors("centred")
    wrong = limit.wrong_classes(digits("centred"), FIRST, limit.RATIOS)
    np.testing.assert_array_equal(found["test"], wrong[:, -CASES:].sum(axis=1))
    np.testing.assert_array_equal(found["between"] + found["test"], wrong.sum(axis=1))


@pytest.mark.parametrize("name", CODED)
def test_the_grid_holds_the_scales_of_the_candidates(name: str) -> None:
    _, first, spread = CODED[name]
    assert np.isclose(limit.FINER, first).any()
    assert np.isclose(limit.RATIOS, NOISE / spread).any()


def made(folder: Path, between: tuple[int, int], test: tuple[int, int]) -> pd.DataFrame:
    """A grid of two settings, of which the second is that of the candidates."""
    columns = {"first": (0.01, FIRST), "ratio": (0.4, NOISE / SPREAD)}
    said = {"evidence": (2.0, 1.0), "squares": (0.1, 0.2)}  # both prefer the first setting
    counts = {"between": between, "test": test} | said
    data = {name: ("setting", np.array(x, float)) for name, x in (columns | counts).items()}
    save_unit(xr.Dataset(data), folder, limit_errors_key("centred"))
    return limits(Results(folder, BUDGETS["desk"]))


def test_scales_in_hindsight_stand_beside_those_of_the_candidates(tmp_path: Path) -> None:
    table = made(tmp_path, between=(20, 45), test=(36, 35)).set_index("scales")
    first = table["sd of the first layer"]
    assert first[list(CHOSEN)].tolist() == [FIRST, FIRST, 0.01, 0.01]
    assert first.drop(list(CHOSEN)).tolist() == [FIRST, 0.01, 0.01]
    own = table.loc[OWN]
    assert own["error % of the 500"] == pytest.approx(7.0)
    assert own["error % of the 797"] == pytest.approx(4500 / 797)
    share = 80 / 1297
    assert own["error % of the 1297"] == pytest.approx(100 * share)
    assert own["± cases of the 1297"] == pytest.approx(100 * np.sqrt(share * (1 - share) / 1297))
    said = in_hindsight({"limits": table.reset_index()})
    assert "best of 2 settings" in said
    assert "7.0% of the 500, 2.5% of the 797, 4.3% of the 1297" in said
    assert said.endswith("at most 5% on the 797 and the 1297.")


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [(20, Verdict.STANDS), (45, Verdict.UNDECIDED), (90, Verdict.FAILS)],
)
def test_the_target_is_judged_by_the_interval_of_all_digits(
    wrong: int, expected: Verdict, tmp_path: Path
) -> None:
    table = made(tmp_path, between=(0, wrong), test=(0, 25))
    own, *_ = claims({"limits": table})
    assert own.verdict is expected


def test_evidence_is_that_of_normal_codes_at_its_best_scale() -> None:
    data, ratio = digits("centred"), 0.1
    [found] = limit.log_evidence(data, FIRST, (ratio,))
    K = limit.covariance(data.X, data.X, FIRST) + ratio**2 * np.eye(CASES)

    def density(scale: float) -> float:
        return multivariate_normal(np.zeros(CASES), scale**2 * K).logpdf(codes(data.y).T).sum()

    best = minimize_scalar(lambda scale: -density(scale), (0.5, 2.0), tol=1e-6)
    assert found == pytest.approx(-best.fun, rel=1e-9)


def test_squares_are_those_of_blocks_that_are_left_out() -> None:
    data, ratio = digits("centred"), 0.1
    [found] = limit.held_out_squares(data, FIRST, (ratio,))
    K, y = limit.covariance(data.X, data.X, FIRST), codes(data.y)
    squares = []
    for rows in fold_rows(limit.FOLDS):
        others = np.setdiff1d(np.arange(CASES), rows)
        known = K[np.ix_(others, others)] + ratio**2 * np.eye(len(others))
        mean = K[np.ix_(rows, others)] @ np.linalg.solve(known, y[others])
        squares.append(((y[rows] - mean) ** 2).mean())
    assert found == pytest.approx(np.mean(squares), rel=1e-9)


def test_a_temperature_is_a_share_of_the_variance_of_the_noise(tmp_path: Path) -> None:
    columns = {
        "first": (FIRST, FIRST, 0.01),
        "ratio": (NOISE / SPREAD / 2, NOISE / SPREAD, NOISE / SPREAD),
        "between": (10, 20, 30),
        "test": (10, 20, 30),
        "evidence": (1.0, 2.0, 3.0),
        "squares": (0.2, 0.3, 0.1),
    }
    data = {name: ("setting", np.array(x, float)) for name, x in columns.items()}
    save_unit(xr.Dataset(data), tmp_path, limit_errors_key("centred"))
    table = limits(Results(tmp_path, BUDGETS["desk"])).set_index("scales")
    assert table.loc[[OWN, TEMPERED], "temperature"].tolist() == [1.0, pytest.approx(0.25)]
    assert table.loc[[BY_EVIDENCE, BY_FOLDS], "temperature"].isna().all()
    assert table.loc[list(CHOSEN), "error % of the 500"].tolist() == [4.0, 2.0, 6.0, 6.0]
