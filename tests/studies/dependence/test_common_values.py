"""A value that nearly all rows have is a point, and so are the others."""

import numpy as np
import pytest
from pymc_bnn import models, studies
from pymc_bnn.studies.dependence.values_of_rows import few_values

from .test_partial_dependence import curve_of, drawn

ROWS, UNIT = 2000, 40.0
OTHERS = np.arange(1.0, 58.0)  # whose 19 quantiles are 2, 5, ..., 56


def mostly(value: float) -> np.ndarray:
    """A column of one value and some others."""
    column = np.full(ROWS, value)
    column[7 * np.arange(len(OTHERS))] = OTHERS
    return column


@pytest.mark.parametrize("common", [0.0, 30.5, 100.0])
def test_the_measure_is_weighted_by_shares_of_the_common_value_and_of_others(common: float) -> None:
    others = np.random.default_rng(1).normal(size=ROWS)
    X = np.column_stack([mostly(common) / UNIT, others])
    model = models.gaussian(X, X[:, 1], hidden=())
    idata = drawn(model)
    curve = curve_of(studies.partial_dependence(model, idata), "0")
    expected = np.sort(np.append(np.arange(2.0, 57.0, 3), common))
    np.testing.assert_allclose(curve.grid.values, expected / UNIT)
    assert curve.grid.weights[expected == common] == pytest.approx(1943 / 2000)
    # others have a mean of 29 and a variance of 9 (19^2 - 1) / 12 = 270
    share, distance = 57 / 2000, 29 - common
    variance = share * (270 + distance**2) - (share * distance) ** 2
    slopes = idata["posterior"]["w0"].values[..., 0, 0].ravel()
    np.testing.assert_allclose(curve.measure, abs(slopes) * np.sqrt(variance) / UNIT)


def test_a_column_that_matters_in_few_rows_is_not_left_out_of_many() -> None:
    """As it was where all five quantiles of the coarse look were its common value."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(ROWS, 24)), mostly(0.0)])
    model = models.gaussian(X, X[:, 0], hidden=())
    idata = drawn(model)
    for name, middle in (("w0", 0.05), ("b0", 0.0)):
        values = idata["posterior"][name].values
        values[:] = middle + 0.001 * values
    found = studies.partial_dependence(model, idata)
    assert (found.columns, len(found.curves)) == (25, 20)
    first = found.curves[0]
    assert (first.column, first.shown) == ("24", True)
    assert first.measure.mean() == pytest.approx(0.05 * np.std(X[:, 24]), rel=0.01)


@pytest.mark.parametrize("points", [5, 20])
@pytest.mark.parametrize("shares", [[0.9], [0.5, 0.48]])
def test_few_others_have_points(points: int, shares: list[float]) -> None:
    """Beside one value that rows share, and beside two."""
    same = [np.full(round(1000 * share), -float(i)) for i, share in enumerate(shares)]
    others = np.linspace(1, 2, 1000 - sum(map(len, same)))
    found, weights = few_values(np.concatenate([*same, others]), points)
    assert len(found) >= 3
    assert (found > 0).sum() >= 3 - len(shares)
    assert weights.sum() == pytest.approx(1)
    for i, share in enumerate(shares):
        assert weights[found == -i] == pytest.approx(share, abs=0.51 / points)


def test_quantiles_that_differ_are_as_they_were() -> None:
    """With half of the rows at one value there are others among the quantiles."""
    values = np.sort(np.append(np.zeros(500), np.linspace(-1, 1, 501)[np.r_[:250, 251:501]]))
    found, weights = few_values(values, 20)
    expected, counts = np.unique(values[np.arange(25, 1000, 50) - 1], return_counts=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(weights, counts / 20)
