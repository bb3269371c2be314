"""The energy of a network's likelihood as a sum over batches of its cases."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ....models.bnn import BNN
from ...compiled import engine
from ...compiled.entries import Entry
from ...compiled.words import address, written
from ..conditional import Conditional
from ..likelihood_kernels import kernel_of
from ..network_potential import network_entry
from ..parameters import Parameters
from ..recognition import likelihood_of, why_no_kernel
from ..rest import (
    ALONE,
    WITH_GRADIENT,
    EnergyData,
    Potential,
    Rest,
    called_with_gradient,
    computed_again,
    probe,
    rest_of_entries,
    words_of,
)
from .cases_in_blocks import CasesInBlocks


class BatchedData(NamedTuple):
    """What compiled code needs to follow batches in turn.

    Attributes
    ----------
    words : ndarray of int64
        Those of the energy of all cases, in double precision.
    batches : ndarray of int64, shape (batches,)
        Addresses of the words of each batch, whose likelihood counts as often as there are batches.
    """

    words: np.ndarray
    batches: np.ndarray


class BatchesOfCases:
    """Batches of a network's cases, every so many to each, renewed when the data change.

    Parameters
    ----------
    conditional : Conditional
        All weights of the network, with the fused likelihood.
    count : int
        Number of batches.

    Raises
    ------
    ValueError
        If cases are not independent given the weights, or no fused kernel computes them, or there
        are fewer than batches.
    """

    def __init__(self, conditional: Conditional, count: int):
        model = conditional.model
        if not conditional.fused:
            raise ValueError(
                f"partial_gradients={count!r} needs a pymc_bnn network with a kernel for each "
                f"case, and {_why_not_fused(model)}; leave it out."
            )
        self.conditional, self.count = conditional, count
        self._check(len(model["X"].get_value(borrow=True)))
        self._cases: list[CasesInBlocks] = []
        activation, kernel = model.activation, kernel_of(likelihood_of(model)).energy
        self._some = {WITH_GRADIENT: network_entry(activation, kernel, True, conditional.precision)}
        self._all = {ALONE: network_entry(activation, kernel, gradient=False)}

    def _check(self, cases: int) -> None:
        if cases < self.count:
            raise ValueError(
                f"partial_gradients={self.count!r}: the model has {cases} cases; give no more."
            )

    def rest(self) -> Rest:
        """Return the energy for trajectories, whose data are :class:`BatchedData`."""
        return rest_of_entries(self.data, gradient=True)

    def data(self, parameters: Parameters) -> BatchedData:
        """Return what trajectories read.

        Parameters
        ----------
        parameters : Parameters
            Of the block.
        """
        conditional = self.conditional
        batches = self._words(parameters, self._some)
        whole = conditional.network_data(parameters, self._all).words
        return BatchedData(whole, written([address(words) for words in batches], batches))

    def _words(self, parameters: Parameters, entries: Mapping[int, Entry]) -> list[np.ndarray]:
        conditional = self.conditional
        model, power = conditional.model, conditional.power * self.count
        self._check(len(model["X"].get_value(borrow=True)))
        if not self._cases:
            self._cases = [
                CasesInBlocks(
                    conditional.network_layout,
                    conditional.layout.size,
                    conditional.precision,
                    slice(first, None, self.count),
                )
                for first in range(self.count)
            ]
        return [cases.words(model, entries, parameters.curvature, power) for cases in self._cases]

    def potential(self, run: Callable[..., Any], metric: np.ndarray) -> Potential:
        """Energy of all cases as trajectories have it, and the mean of the partial gradients.

        Parameters
        ----------
        run : callable
            A trajectory; see :func:`.partial_gradients.compile_partial`.
        metric : ndarray
            Step sizes for it.

        Returns
        -------
        callable
            From a point to the energy and its gradient, to be held against the model's graph.
        """
        conditional = self.conditional
        evaluate = engine.specialize(
            probe, allocate=words_of, rest=called_with_gradient, exact=computed_again
        )

        def potential(point: PointType) -> tuple[float, np.ndarray]:
            q, parameters = conditional.layout.ravel(point), conditional.parameters(point)
            data, prior = self.data(parameters), (parameters.mean, parameters.precision)
            still = run(q, np.zeros(q.size), metric, 1, *prior, data)
            batches = self._words(parameters, self._some)
            slopes = [evaluate(q, EnergyData(words))[1] for words in batches]
            slope = np.mean(slopes, axis=0) + parameters.normal_priors(q)[1]
            return still.initial_potential, slope

        return potential


def _why_not_fused(model: pm.Model) -> str:
    if isinstance(model, BNN) and model.parametrization != "centered":
        return "its parametrization is not centred"
    return why_no_kernel(model) or (
        "its weights are not normal, not all that is moved, or in more than its likelihood"
    )
