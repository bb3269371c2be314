"""Numbers that are constant in float64 are known as such."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare
from pymc_bnn.studies.tables.constants import is_constant
from pymc_bnn.studies.tables.encoding import learn_encoding

ROWS = 40
CONSTANTS = [0.0, 0.1, 1 / 3, np.pi, 7.7, -1e300, 2.0**60]


@pytest.mark.parametrize("value", CONSTANTS)
def test_equal_numbers_are_constant_whatever_their_standard_deviation(value: float) -> None:
    numbers = np.full((ROWS, 3), value)
    numbers[3, 1] = np.nan
    numbers[3, 2] = value * (1 + 1e-9) if value else 1e-300
    assert is_constant(numbers).tolist() == [True, True, False]
    assert is_constant(numbers.T, axis=1).tolist() == [True, True, False]
    assert is_constant(numbers[:, 0])


def test_sums_that_differ_by_rounding_are_constant() -> None:
    assert 0.1 + 0.2 != 0.3
    assert is_constant(np.array([0.1 + 0.2, 0.3]))


def test_nothing_is_constant_and_infinite_numbers_are_not() -> None:
    assert is_constant(np.array([]))
    assert is_constant(np.array([np.nan, np.nan]))
    assert not is_constant(np.array([1.0, np.inf]))
    assert not is_constant(np.array([-np.inf, np.inf]))
    assert not is_constant(np.array([-1.7e308, 1.7e308]))


@pytest.mark.parametrize("value", CONSTANTS[:-2])
def test_what_is_constant_in_training_has_the_scale_of_all_rows(value: float) -> None:
    frame = pd.DataFrame({"x": np.full(ROWS, value), "y": np.arange(ROWS)})
    frame.loc[0, "x"] = 9.0
    inputs = learn_encoding(frame, "y", "regression", range(1, ROWS)).inputs(frame)
    assert inputs["x"][0] == pytest.approx(np.sqrt(ROWS**2 / (ROWS - 1)))
    np.testing.assert_allclose(inputs["x"][1:], 0.0, atol=1e-12)


def test_whole_numbers_that_floats_do_not_tell_apart_are_refused_by_name() -> None:
    frame = pd.DataFrame(
        {"x": np.arange(ROWS) % 7, "y": np.random.default_rng(1).normal(size=ROWS)}
    )
    huge = 2**60 + np.arange(ROWS)
    for column, said in (
        ("id", r"^column 'id' is constant in float64; subtract an offset, or --ignore id\.$"),
        ("y", r"^the target 'y' is constant in float64; subtract an offset from it\.$"),
    ):
        with pytest.raises(InputError, match=said):
            prepare(frame.assign(**{column: huge}), "y")
    assert prepare(frame.assign(id=huge - 2**60), "y").X["id"].std() > 0.5
