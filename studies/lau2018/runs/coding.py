r"""Classes as codes that a regression predicts, instead of probabilities that a softmax gives.

A case of class :math:`k` has the target vector :math:`e_k`, with 1 at place :math:`k` and -1
elsewhere, and each output has normal noise of a known standard deviation :math:`s`. A new case has
one of these vectors too, so that given the outputs :math:`f` its class has the probability

.. math:: p(k \mid f) = \frac{N(e_k; f, s^2 I)}{\sum_j N(e_j; f, s^2 I)}
          = \frac{\exp(2 f_k / s^2)}{\sum_j \exp(2 f_j / s^2)}.
"""

import numpy as np
import xarray as xr
from scipy.special import softmax

from ....models import BNN, GaussianNoise
from ..design.digits import CLASSES

KNOWN = 1e6  # degrees of freedom of a precision's prior that data do not move


def codes(y: np.ndarray) -> np.ndarray:
    """Code classes as vectors of 1 and -1.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.coding import codes
    >>> codes(np.array([9]))[0, 7:]
    array([-1., -1.,  1.])
    """
    return np.where(np.eye(CLASSES)[y] > 0, 1.0, -1.0)


def known_noise(sd: float) -> GaussianNoise:
    """Normal noise of a known standard deviation."""
    return GaussianNoise(sd, KNOWN)


def class_probability(model: BNN, idata: xr.DataTree, X: np.ndarray) -> xr.DataArray:
    """Class probabilities of cases under each draw, of a classifier or of a regression on codes.

    Parameters
    ----------
    model : BNN
        The network.
    idata : DataTree
        Its draws.
    X : ndarray, shape (cases, inputs)
        The cases.

    Returns
    -------
    DataArray
        Dimensions chain, draw, obs and output: the classes that the model knows.
    """
    name = "probability" if model.likelihood.classifies else "f"
    found = model.predict(idata, X, draws=[name], quantiles=())["predictions"].dataset[name]
    if model.likelihood.classifies:
        return found
    precision = idata["posterior"].dataset["noise_precision"]
    return found.copy(data=softmax(2.0 * precision * found, axis=-1))
