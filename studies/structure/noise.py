"""Choose the noise of numbers: one of its own for each case, unless pilots speak against it."""

from typing import Any

import numpy as np
import pandas as pd

from ...models.likelihoods import LIKELIHOODS
from .choosing import FEWEST_ROWS
from .likelihoods import ChosenLikelihood, choose_likelihood

BY_ROW, SAME = "heteroscedastic_noise", "gaussian_noise"
ERRORS = 2.0


def choose_noise(
    X: pd.DataFrame, y: Any, hidden: tuple[int, ...], activation: str = "tanh", **options: Any
) -> ChosenLikelihood:
    """Choose between noise by row and the same noise for all rows.

    Noise by row is taken, unless a pilot run with the same noise for all rows predicts held-out
    cases better by more than two standard errors of the paired difference. The burden of proof
    lies with the same noise: pilots are short, and seldom tell both apart.

    Where there are several outputs, pilots have one score for all of them, in which one that is
    constant or nearly so outweighs what the others lose.

    Parameters
    ----------
    X : DataFrame, shape (cases, inputs)
        Training inputs, in the scale of the model.
    y : array, shape (cases,) or (cases, outputs)
        Training targets, standardised.
    hidden : tuple of int
        Units of each hidden layer.
    activation : str
        Of the hidden units.
    **options
        More arguments of :func:`.likelihoods.choose_likelihood`.

    Returns
    -------
    ChosenLikelihood
        The same noise, untried, for fewer than 40 cases, several outputs or a constant one.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pymc_bnn.studies.structure.noise import choose_noise
    >>> X = pd.DataFrame({"x": np.linspace(-1, 1, 39)})
    >>> choose_noise(X, X["x"] ** 2, (4,)).name
    'gaussian_noise'
    """
    targets = np.asarray(y)
    several = targets.ndim == 2 and targets.shape[1] > 1
    if len(X) < FEWEST_ROWS or several or np.ptp(targets) == 0:
        return ChosenLikelihood(SAME, (), 0)
    candidates = {name: LIKELIHOODS[name].suiting(targets) for name in (BY_ROW, SAME)}
    return choose_likelihood(X, targets, candidates, hidden, activation, errors=ERRORS, **options)
