"""New data of a network are checked when they come, and their lengths when they are used."""

import re
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.data.renewed_data import check_data

X = np.linspace(-1, 1, 12).reshape(6, 2)
FRAME = pd.DataFrame(X, columns=["a", "b"])
CLASSES = ["u", "v", "w"]
CODES = "give the codes 0 to 2 of its classes, or use with_data"


@pytest.fixture
def regression() -> models.BNN:
    return models.gaussian(FRAME, X[:, 0], hidden=(2,))


@pytest.fixture
def classifier() -> models.BNN:
    return models.gaussian(FRAME, CLASSES * 2, hidden=(2,), likelihood="categorical")


def test_columns_are_put_into_the_models_order(regression: models.BNN) -> None:
    pm.set_data({"X": FRAME[["b", "a"]][:4], "y": X[:4, 1]}, model=regression)
    np.testing.assert_array_equal(regression["X"].get_value(), X[:4])
    np.testing.assert_array_equal(regression["y"].get_value(), X[:4, 1:])
    check_data(regression)


def test_codes_may_come_in_any_type_of_number(classifier: models.BNN) -> None:
    classifier.set_data("X", X[:2])
    for codes in ([2, 0], np.array([2.0, 0.0]), pd.Series([2, 0]), np.ma.array([2, 0])):
        classifier.set_data("y", codes)
        assert classifier["y"].get_value().tolist() == [2, 0]


def test_other_containers_take_what_pymc_takes(regression: models.BNN) -> None:
    with regression:
        pm.Data("offset", [1.0, 2.0])
        pm.set_data({"offset": [3.0, 4.0]})
    assert regression["offset"].get_value().tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("X", X[:, :1], "X has 1 columns, the model has 2 inputs"),
        ("X", [[1.0, np.nan]], "X has 1 missing or infinite value(s)"),
        ("X", FRAME[["a"]], "X lacks the column(s) 'b'"),
        ("X", [["u", "v"]], "X is not numeric"),
        ("y", X, "y has 2 column(s), the model has 1 output(s)"),
        ("y", [1.0, np.nan], "y has 1 missing or infinite value(s)"),
        ("y", ["u", "v"], "y is not numeric"),
    ],
)
def test_new_data_that_do_not_fit_are_refused(
    name: str, values: Any, message: str, regression: models.BNN
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        pm.set_data({name: values}, model=regression)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([0, 3], f"y holds the code 3, no class of the model; {CODES}"),
        ([-1, 0], f"y holds the code -1, no class of the model; {CODES}"),
        ([0.5, 1.0], f"y holds what is no class of the model; {CODES}"),
        ([np.inf, 1.0], f"y holds what is no class of the model; {CODES}"),
        ([0.0, -np.inf], f"y holds what is no class of the model; {CODES}"),
        ([np.nan, 1.0], f"y holds what is no class of the model; {CODES}"),
        (["u", "v"], f"y holds what is no class of the model; {CODES}"),
        (np.ma.array([0, 1], mask=[0, 1]), f"y holds what is no class of the model; {CODES}"),
        ([[0, 1]], f"y has shape (1, 2), the model one class per case; {CODES}"),
    ],
)
def test_codes_of_no_class_are_refused(codes: Any, message: str, classifier: models.BNN) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        classifier.set_data("y", codes)
    assert "\n" not in str(error.value)


def test_other_numbers_of_inputs_and_targets_are_refused_when_used(
    regression: models.BNN, classifier: models.BNN
) -> None:
    pm.set_data({"X": X[:3]}, model=regression)
    with pytest.raises(ValueError, match=r"X has 3 cases and y has 6; give both to pm\.set_data"):
        check_data(regression)
    classifier["y"].set_value(np.array([0, 1, 2, 3, 0, 1], dtype=np.int32))
    with pytest.raises(ValueError, match="the code 3, no class of the model"):
        check_data(classifier)


def test_rows_are_paired_by_their_labels_as_when_a_network_is_built() -> None:
    inputs, targets = FRAME.set_axis([*"pqrstu"]), pd.Series(X[:, 0], index=[*"pqrstu"])
    model = models.gaussian(inputs, targets, hidden=(2,))
    pm.set_data({"y": 2 * targets}, model=model)
    check_data(model)
    pm.set_data({"y": targets[::-1]}, model=model)
    copies = (
        model.copy(),
        model.reparametrized("noncentered"),
        cloudpickle.loads(cloudpickle.dumps(model)),
    )
    for used in (check_data, models.BNN.training_data):
        for one in (model, *copies):
            with pytest.raises(ValueError, match=r"the same index in another order; align them"):
                used(one)
    pm.set_data({"X": inputs[::-1]}, model=model)
    check_data(model)
    pm.set_data({"y": targets.set_axis([*"vwxyzp"])}, model=model)
    with pytest.raises(ValueError, match="X and y differ in their index"):
        check_data(model)


def test_rows_without_labels_are_paired_by_position() -> None:
    inputs, targets = FRAME.set_axis([*"pqrstu"]), pd.Series(X[:, 0], index=[*"pqrstu"])
    model = models.gaussian(inputs, targets, hidden=(2,))
    pm.set_data({"y": X[:, 1]}, model=model)
    check_data(model)
    pm.set_data({"y": targets[::-1]}, model=model)
    model["y"].set_value(X[:, :1])  # past the model
    check_data(model)
    with model:
        pm.Data("model", 1.0)
    pm.set_data({"model": 2.0}, model=model)
    del model.row_labels  # as of a pickle of an earlier version
    check_data(model)
    pm.set_data({"y": targets[::-1]}, model=model)
    check_data(model)


def test_a_network_on_other_cases_knows_their_labels() -> None:
    inputs, targets = FRAME.set_axis([*"pqrstu"]), pd.Series(X[:, 0], index=[*"pqrstu"])
    model = models.gaussian(X, X[:, 0], hidden=(2,)).with_data(inputs.to_numpy(), targets)
    pm.set_data({"X": pd.DataFrame(X, columns=list(model.inputs), index=[*"utsrqp"])}, model=model)
    with pytest.raises(ValueError, match="in another order"):
        check_data(model)
