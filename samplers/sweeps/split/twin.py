"""Hold the centred network that stands in for a non-centred one against it."""

import numpy as np

from ....models.bnn import BNN
from ...compiled.memory import initial_point
from ...potential.agreement import Comparison, density_of, random_points
from ...potential.conditional import Conditional
from ...potential.layout import Layout


def check_twin(model: BNN, centred: BNN, step: str) -> None:
    r"""Compare a network with the centred one that stands in for it.

    With :math:`w = m + s \tilde w` the densities differ by the Jacobian :math:`\sum \log s`; means
    :math:`m` and scales :math:`s` are those of the normal priors of the centred network's weights.

    Parameters
    ----------
    model, centred : BNN
        A non-centred network, and its centred form.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If the densities differ.
    """
    block = Conditional(centred, list(centred.groups))
    for point in random_points(model):
        prior = block.parameters_once({**initial_point(centred), **point})
        scale = prior.precision**-0.5
        raw = Layout(model, [model.free_name(group) for group in model.groups]).ravel(point)
        twin = block.layout.unravel(prior.mean + scale * raw, point)
        expected = density_of(model)(point).total
        found = density_of(centred)(twin).total + np.log(scale).sum()
        Comparison(step, "float64")("the centred form of the network", found, expected)
