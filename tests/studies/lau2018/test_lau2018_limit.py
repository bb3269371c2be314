"""Infinitely wide networks that choose the prior scales of networks on codes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from pymc_bnn.studies.lau2018.design.candidates import CODED, NOISE, SEEN
from pymc_bnn.studies.lau2018.design.digits import CASES, Digits, digits
from pymc_bnn.studies.lau2018.runs.fits import fold_rows
from pymc_bnn.studies.lau2018.runs.limit import FIRST, FOLDS, NOISES, SPREADS, covariance, held_out
from pymc_bnn.studies.lau2018.runs.scores import log_of
from scipy.special import erf


@pytest.fixture(scope="module")
def pixels() -> Digits:
    return digits("centred")


def test_covariance_is_that_of_many_hidden_units(pixels: Digits) -> None:
    rng, units, sd = np.random.default_rng(1), 200_000, 0.3
    X = pixels.X[:4]
    a = X @ (sd * rng.normal(size=(64, units))) + sd * rng.normal(size=units)
    h = erf(np.sqrt(np.pi) / 2 * a)
    products = h[:, None] * h[None]
    z = (products.mean(axis=-1) - covariance(X, X, sd)) / products.std(axis=-1) * np.sqrt(units)
    assert abs(z).max() < 4.0
    assert abs(covariance(X, X, sd) - covariance(X, X, sd).T).max() < 1e-12


def test_what_is_left_out_is_not_known(pixels: Digits) -> None:
    rows = fold_rows(FOLDS)[2]
    y = pixels.y.copy()
    y[rows] = (y[rows] + 1) % 10
    changed = held_out(replace(pixels, y=y), 0.1, 2.0, 0.3)
    before = held_out(pixels, 0.1, 2.0, 0.3)
    np.testing.assert_allclose(changed[rows], before[rows])
    others = np.setdiff1d(np.arange(CASES), rows)
    assert abs(changed[others] - before[others]).max() > 0.1


@pytest.mark.parametrize("name", CODED)
def test_candidates_have_the_scales_that_predict_left_out_blocks_best(name: str) -> None:
    """No neighbour on the grid does better; the study scores the whole grid."""
    _, first, spread = CODED[name]
    data = digits(SEEN[name])
    scores = {
        setting: log_of(held_out(data, *setting), data.y).mean()
        for setting in product(
            _beside(first, FIRST), _beside(spread, SPREADS), _beside(NOISE, NOISES)
        )
    }
    assert max(scores, key=lambda setting: scores[setting]) == (first, spread, NOISE)


def _beside(value: float, grid: tuple[float, ...]) -> tuple[float, ...]:
    place = grid.index(value)
    return grid[max(place - 1, 0) : place + 2]
