"""Cases that simpler models are fitted to and judged on."""

from typing import Any, NamedTuple

import numpy as np

from ...models.bnn import BNN
from ...models.data.targets import as_inputs


class Cases(NamedTuple):
    """Those of a network, in its scale.

    Attributes
    ----------
    X, y : ndarray
        Inputs and targets of training.
    new, observed : ndarray
        Inputs and targets of held-out cases.
    classes : int
        How many there are, 0 if targets are numbers.
    outputs : int
        Of the network.
    """

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    observed: np.ndarray
    classes: int = 0
    outputs: int = 1

    @property
    def columns(self) -> np.ndarray:
        """Targets of training, shape (outputs, cases), of which each has a model of its own."""
        return self.y.reshape(len(self.y), -1).T


def cases_of(model: BNN, test: tuple[Any, Any]) -> Cases:
    """Training cases of a network, and those held out."""
    X, y = (model[name].get_value(borrow=True) for name in ("X", "y"))
    new, _ = as_inputs(test[0], model.inputs)
    observed = model.likelihood.encode(test[1], model.classes).values
    return Cases(X, y, new, observed, len(model.classes or ()), len(model.outputs))
