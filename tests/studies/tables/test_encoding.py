"""From a table to numbers and back."""

import json

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import BNNRegressor, InputError
from pymc_bnn.studies.tables.encoding import Encoding, learn_encoding

FRAME = pd.DataFrame(
    {
        "size": [1.0, 3.0, 8.0, 100.0],
        "sold": [True, False, True, False],
        "kind": ["b", "a", "b", "c"],
        "price": [10.0, 30.0, 20.0, 999.0],
    }
)
TRAINING = [0, 1, 2]


@pytest.fixture
def encoding() -> Encoding:
    return learn_encoding(FRAME, "price", "regression", TRAINING)


def test_numbers_are_standardized_by_the_training_rows(encoding: Encoding) -> None:
    encoded = encoding.inputs(FRAME)["size"]
    assert encoded[TRAINING].mean() == pytest.approx(0.0)
    assert encoded[TRAINING].std(ddof=0) == pytest.approx(1.0)
    assert encoded[3] == pytest.approx((100 - 4) / np.std([1.0, 3.0, 8.0]))


def test_categories_and_truth_values_become_columns_of_zeros_and_ones(encoding: Encoding) -> None:
    encoded = encoding.inputs(FRAME)
    assert list(encoded) == ["size", "sold=False", "sold=True", "kind=a", "kind=b", "kind=c"]
    assert encoded["kind=b"].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert encoded["sold=True"].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_the_target_goes_to_unit_scale_and_back(encoding: Encoding) -> None:
    targets = encoding.targets(FRAME["price"])
    assert np.std(targets[TRAINING]) == pytest.approx(1.0)
    np.testing.assert_allclose(targets * encoding.sd + encoding.mean, FRAME["price"])


def test_classes_stay_as_they_are() -> None:
    encoding = learn_encoding(FRAME, "kind", "classification", TRAINING)
    assert list(encoding.targets(FRAME["kind"])) == ["b", "a", "b", "c"]


def test_survives_json(encoding: Encoding) -> None:
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    pd.testing.assert_frame_equal(again.inputs(FRAME), encoding.inputs(FRAME))


def test_order_and_further_columns_of_a_new_table_do_not_matter(encoding: Encoding) -> None:
    new = FRAME[["kind", "sold", "size"]].assign(extra="x")
    pd.testing.assert_frame_equal(encoding.inputs(new), encoding.inputs(FRAME))


def test_a_column_constant_in_training_is_still_finite() -> None:
    frame = pd.DataFrame({"x": [1.0, 1.0, 5.0], "y": [0.0, 1.0, 2.0]})
    encoded = learn_encoding(frame, "y", "regression", [0, 1]).inputs(frame)
    assert np.isfinite(encoded.to_numpy()).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": None}, r"missing values in size \(4\); fill them, or drop these rows\.$"),
        ({"size": [1.0, np.inf, 2.0, -np.inf]}, r"infinite values in size \(2\)"),
        ({"size": [1j, 2, 3, 4]}, "'size' must be numeric, as it was in training"),
        ({"size": ["1", "2", "3", "big"]}, "'size' must be numeric, as it was in training"),
        ({"kind": ["a", "b", "d", "e"]}, r"'kind' has the unseen value\(s\) 'd', 'e'.*'a', 'b'"),
    ],
)
def test_new_rows_that_do_not_fit_are_refused_by_name(
    encoding: Encoding, change: dict, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        encoding.inputs(FRAME.assign(**change))


def test_a_lacking_column_is_named(encoding: Encoding) -> None:
    with pytest.raises(InputError, match=r"lacks the column\(s\) 'size', 'kind'\."):
        encoding.inputs(FRAME[["sold"]])


@pytest.mark.parametrize("unit", [1e-170, 1e160])
def test_numbers_whose_squares_have_no_number_are_refused(unit: float) -> None:
    numbers = unit * np.arange(1.0, 9.0)
    frame = pd.DataFrame({"x": np.arange(8.0), "y": numbers})
    with pytest.raises(InputError, match="'y' has numbers whose squares"):
        learn_encoding(frame, "y", "regression", range(8))
    for name, X, y in (("X", numbers[:, None], frame["x"]), ("y", frame[["x"]], numbers)):
        with pytest.raises(ValueError, match=f"{name} has numbers whose squares"):
            BNNRegressor(likelihood="gaussian", hidden=(2,)).fit(X, y)
