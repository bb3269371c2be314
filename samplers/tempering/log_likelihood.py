"""The log likelihood that temperature acts on, at a point of a model."""

from collections.abc import Callable, Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..compiled.engine import compiles
from ..compiled.memory import remembered
from ..potential.graphs.prior_numbers import logp_terms
from ..potential.tape.function import evaluated
from ..potential.temperature import at_temperature


class LogLikelihood:
    """Sum of the log densities of observed variables and potentials.

    Parameters
    ----------
    model : pm.Model
        The model.

    Raises
    ------
    ValueError
        If nothing in the model is observed.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.tempering.log_likelihood import LogLikelihood
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=0.0)
    >>> round(LogLikelihood(model)({"x": np.array(1.0)}), 4)
    -1.4189
    """

    def __init__(self, model: pm.Model):
        if not (model.observed_RVs or model.potentials):
            raise ValueError(
                "Nothing in the model is observed, so that temperature changes nothing; leave "
                "temperatures out."
            )
        self.model = model
        self._evaluate = remembered(model, "log likelihood", self._compile)

    @compiles
    def _compile(self) -> Callable[..., Sequence[np.ndarray]]:
        model, terms = self.model, logp_terms(self.model)
        total = sum(terms[v].sum() for v in (*model.observed_RVs, *model.potentials))
        return evaluated(model.value_vars, [total])

    def __call__(self, point: PointType) -> float:
        """Log likelihood at a point, whatever the temperature.

        Where it is undefined, no trajectory goes at any temperature but infinity: there is none.
        """
        values = [np.asarray(point[variable.name]) for variable in self.model.value_vars]
        with at_temperature(self.model, 1.0):
            found = float(self._evaluate(*values)[0])
        return -np.inf if np.isnan(found) else found
