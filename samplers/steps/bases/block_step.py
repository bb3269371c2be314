"""What step methods have in common that move a block of variables, given all others."""

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ...potential.agreement import check_potential
from ...potential.conditional import Conditional
from ...potential.parameters import Parameters
from ...potential.rest import Potential, Rest, compile_probe
from ...precisions.closed_form import closed_form_of
from .block_choice import check_continuous
from .compiled_step import CompiledStep

_log = logging.getLogger("pymc")


class BlockStep(CompiledStep):
    """Base of the step methods that move a block by its potential energy, given the others.

    A step defines ``_compile_run`` and ``_update``. What it compiles is held against the model's
    own graph before it runs.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : sequence of str
        Names of the value variables to move.
    rng : Generator or seed, optional
        Where random numbers come from until ``pm.sample`` brings its own.
    precision : {"float64", "float32"}
        Of the pass through a network.

    Attributes
    ----------
    gradient : bool
        Whether the energy that is compiled for the step brings its gradient; the check is of the
        one that does.

    Raises
    ------
    ValueError
        If a variable is discrete.
    """

    gradient: ClassVar[bool] = True

    def __init__(
        self,
        model: pm.Model,
        names: Sequence[str],
        rng: RandomGenerator = None,
        precision: str = "float64",
    ):
        super().__init__(model, [v for v in model.value_vars if v.name in set(names)], rng)
        check_continuous(self.vars, type(self).__name__)
        self.conditional = self._conditional(model, names, precision)

    def _conditional(self, model: pm.Model, names: Sequence[str], precision: str) -> Conditional:
        """Potential energy of the block."""
        return Conditional(model, names, precision)

    @abstractmethod
    def _compile_run(self) -> Callable[..., Any]:
        """Compile the iteration for ``self.conditional`` and its likelihood, ``self._rest``."""

    def _update(
        self, q: np.ndarray, parameters: Parameters, data: tuple
    ) -> tuple[np.ndarray, float, dict[str, Any]]:
        """Move the block; return its position, potential energy and other statistics."""
        raise TypeError(f"{type(self).__name__} has to define _update or _iterate")

    def _build(self) -> None:
        if (fallback := self.conditional.fallback()) is not None:
            _log.info(fallback)
        self._rest = self._compile_rest()
        self._run = self._compile_run()
        if self.conditional.closed_form is None:
            self.conditional.closed_form = closed_form_of(self.conditional)

    def _compile_rest(self) -> Rest:
        """Compile the energy that the iteration follows."""
        return self.conditional.compile_rest(self.gradient)

    def _check_agreement(self) -> None:
        check_potential(self.conditional, self._potential(), type(self).__name__)

    def _potential(self) -> Potential:
        """Potential of the block as compiled; a step whose trajectories show it asks these."""
        rest = self._rest if self.gradient else self.conditional.compile_rest(gradient=True)
        return compile_probe(self.conditional, rest)

    def _iterate(self, point: PointType) -> tuple[PointType, dict[str, Any]]:
        conditional = self.conditional
        parameters = conditional.parameters(point)
        data = conditional.data(self._rest, point, parameters)
        q, potential, found = self._update(conditional.layout.ravel(point), parameters, data)
        found |= self._energies(point, float(potential), float(parameters.log_constant))
        return conditional.layout.unravel(q, point), found
