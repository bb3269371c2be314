"""Inputs and targets are paired by position only where no labels contradict that."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from pymc_bnn import models

RNG = np.random.default_rng(0)
ROWS = [4, 0, 2, 7]
X = pd.DataFrame(RNG.normal(size=(4, 2)), columns=["a", "b"], index=ROWS)
Y = pd.Series(RNG.normal(size=4), index=ROWS, name="speed")
ANOTHER_ORDER = "X and y have the same index in another order; align them, as by y.loc[X.index]"
OTHERS = "X and y differ in their index; give the same rows of both, or y.to_numpy()"


def labelled(values: pd.Series) -> xr.DataArray:
    return xr.DataArray(values.to_numpy(), dims="case", coords={"case": values.index})


def network(X: Any = X, y: Any = Y) -> models.BNN:
    return models.gaussian(X, y, hidden=(2,))


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (X, Y),
        (X, Y.to_frame()),
        (X, labelled(Y)),
        (X, Y.to_numpy()),
        (X.to_numpy(), Y[::-1][::-1]),
        (X, Y.set_axis([4.0, 0.0, 2.0, 7.0])),
        (X.reset_index(drop=True), Y.set_axis([0, 1, 2, 3])),
        (X, xr.DataArray(Y.to_numpy(), dims="case")),
    ],
)
def test_cases_of_one_index_are_paired(X: Any, y: Any) -> None:
    np.testing.assert_array_equal(network(X, y)["y"].get_value()[:, 0], Y.to_numpy())


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[::-1], ANOTHER_ORDER),
        (Y.sort_index().to_frame(), ANOTHER_ORDER),
        (labelled(Y[::-1]), ANOTHER_ORDER),
        (Y[::-1].rename("y").rename_axis("case").to_frame().to_xarray(), ANOTHER_ORDER),
        (pa.Table.from_pandas(Y[::-1].to_frame("y")), ANOTHER_ORDER),
        (Y.set_axis([4, 0, 2, 8]), OTHERS),
        (Y.reset_index(drop=True), OTHERS),
        (Y.set_axis(list("abcd")), OTHERS),
        (Y.set_axis([4, 4, 2, 7]), OTHERS),
    ],
)
def test_cases_of_other_indexes_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        network(y=y)
    assert "\n" not in str(error.value)


def test_a_table_without_an_index_is_paired_by_position() -> None:
    y = pa.table({"y": Y.to_numpy()})
    np.testing.assert_array_equal(network(y=y)["y"].get_value()[:, 0], Y.to_numpy())


def test_default_index_beside_the_same_numbers_in_another_order_is_refused() -> None:
    table = X.reset_index(drop=True)
    with pytest.raises(ValueError, match=re.escape(ANOTHER_ORDER)):
        network(table.sort_values("a"), table["b"])


def test_new_cases_are_paired_in_the_same_way() -> None:
    model = network()
    np.testing.assert_array_equal(model.with_data(X[1:], Y[1:])["y"].get_value()[:, 0], Y[1:])
    with pytest.raises(ValueError, match=re.escape(ANOTHER_ORDER)):
        model.with_data(X, Y[::-1])
    with pytest.raises(ValueError, match=re.escape(OTHERS)):
        model.log_likelihood(xr.DataTree(), X, Y.reset_index(drop=True))


def test_classes_with_an_index_go_into_other_data() -> None:
    classes = pd.Series(["no", "yes", "yes", "no"], index=ROWS)
    model = models.gaussian(X, classes, hidden=(2,), likelihood="bernoulli")
    assert model.with_data(X[1:], classes[1:])["y"].get_value().tolist() == [1, 1, 0]
