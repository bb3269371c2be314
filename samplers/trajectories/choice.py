"""Step size and length of trajectories as they were chosen, and all that the choice rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import xarray as xr

from ...models.bnn import BNN
from ..recommended import recommended_steps
from .drawing import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class TrajectoryChoice:
    r"""What :func:`.tuning.tune_trajectory` found.

    Attributes
    ----------
    word : {"chosen", "undecided", "none stable"}
        Whether the rules choose. ``n_leapfrog`` is also there where its choice is undecided.
    n_leapfrog : int or None
        Leapfrogs of a trajectory; None where no step size is stable.
    step_scale : float or None
        Step size adjustment factor :math:`\eta`.
    reason : str
        Why, in one or two sentences.
    energies : Dataset
        Errors in the energy by factor (:func:`.rule.choose_factor`).
    along : Dataset
        What varies along a long trajectory (:func:`.along.look_along`).
    lengths : Dataset
        Effective draws by length (:func:`.rule.choose_length`).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> choice = samplers.tune_trajectory(
    ...     model, seed=1, factors=(50.0,), lengths=(10, 20), gradients=400, tune=50)
    >>> choice.word, choice.n_leapfrog
    ('none stable', None)
    """

    word: str
    n_leapfrog: int | None
    step_scale: float | None
    reason: str
    energies: xr.Dataset
    along: xr.Dataset
    lengths: xr.Dataset

    def steps(self, model: BNN) -> list[Any]:
        """Build the steps that were chosen, for ``samplers.sample(step=...)``.

        Parameters
        ----------
        model : BNN
            The network.

        Returns
        -------
        list of step methods

        Raises
        ------
        ValueError
            If there is no choice, as no step size is stable.
        """
        if self.n_leapfrog is None:
            raise ValueError(f"There are no steps to build: {self.reason}")
        return recommended_steps(
            model, n_leapfrog=self.n_leapfrog, step_scale=self.step_scale, target_accept=None
        )

    def plot(self) -> Figure:
        """Draw the three plots (Neal 1995, Figs. 3.3, 3.4 and 3.6); return the figure.

        Errors in the energy by factor, autocorrelations along a long trajectory, and effective
        draws by length, which sum autocorrelations up.
        """
        return draw(self.energies, self.along, self.lengths, self.step_scale, self.n_leapfrog)
