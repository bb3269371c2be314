"""What the page on temperature says of committed evidences is what their tables have."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit

from tests.benchmarks.tempering.evidence_by_quadrature import SD, X, Y, exact

DOCS = Path(__file__).parents[3] / "docs"
PAGE = " ".join((DOCS / "temperature.md").read_text().split())
LADDERS = ["mbar", "stepping_stone", "thermodynamic_integration"]


@pytest.fixture(scope="module")
def small() -> pd.DataFrame:
    return pd.read_csv(DOCS / "evidence_by_quadrature.csv")


def test_estimates_within_two_errors_of_quadrature_are_counted(small: pd.DataFrame) -> None:
    within, runs = small["within two errors"], small["runs"]
    assert f"Of these {runs.sum()} estimates {within.sum()} lie within two" in PAGE
    assert (within == runs)[small["by"].isin(LADDERS)].all()
    beyond = small[within < runs]
    assert beyond["by"].str.startswith("annealed").all()
    assert beyond["largest errors off"].abs().round(1).tolist() == [2.6, 2.6]


def test_the_grid_has_the_integral_of_adaptive_quadrature(small: pd.DataFrame) -> None:
    def joint(w: float) -> float:
        return float(np.prod(expit(w * X * (2 * Y - 1))) * stats.norm.pdf(w, 0, SD))

    assert exact(1) == pytest.approx(np.log(integrate.quad(joint, -14, 14)[0]), abs=1e-6)
    for weights, rows in small.groupby("weights"):
        assert rows["exactly"].to_numpy() == pytest.approx(exact(int(str(weights))), abs=1e-4)


def test_all_estimates_of_choos_cases_reach_a_tenth_in_a_minute() -> None:
    table = pd.read_csv(DOCS / "evidence_of_known_models.csv")
    choo = table[table["model"] == "Choo's eight cases"]
    assert len(choo) == 4
    assert (choo["error"] < 0.1).all()
    assert (choo["processor seconds"] < 60).all()
    values, errors = choo["log evidence"].to_numpy(), choo["error"].to_numpy()
    apart = abs(values[:, None] - values) / np.hypot(errors[:, None], errors)
    assert apart.max() < 1.2
