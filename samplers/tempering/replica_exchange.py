"""Replicas of a model at several temperatures that change places."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ..arguments import check_step
from ..potential.temperature import at_temperature
from ..pymc_steps import CompoundStep, dataclass_state
from ..recommended import recommended_steps
from .exchange_step import Advanced, ExchangeState, ExchangeStep
from .log_likelihood import LogLikelihood
from .rungs import REPEATED, Rung, check_ladder, check_steps, of_all_steps, single_steps, twin


@dataclass_state
class ReplicaExchangeState(ExchangeState):
    """State of one ladder."""

    replicas: list


class ReplicaExchange(ExchangeStep):
    r"""Replica exchange: chains at several temperatures that change places.

    At temperature :math:`T` a replica has the posterior of Baldock & Marzari (2019, Eq. 10),

    .. math:: p(\theta \mid y; T) \propto p(y \mid \theta)^{1/T}\, p(\theta)

    Hot replicas cross barriers that keep cold ones in one mode. After ``iterations_per_swap``
    iterations of each replica neighbours try to change places (Algorithm 2; see
    :mod:`.tempering.swaps`). What is recorded is the replica at temperature 1, so that draws are
    those of the posterior; statistics tell of the others.

    Each temperature has its own step sizes, which warm-up learns there. It takes any model whose
    variables are all moved by steps of this package that can temper the likelihood.

    :func:`.sample` moves the replicas of a small network eight at a time, see
    :func:`.tempering.lanes.sampling.suit_lanes`; under ``pm.sample`` one moves after another.

    Parameters
    ----------
    temperatures : sequence of float
        The ladder, rising, with 1 among them; infinity stands for the prior.
    iterations_per_swap : int
        Iterations of the steps between two attempts to swap, which is :math:`N_\mathrm{traj}` of
        the paper where an iteration is a trajectory.
    steps : step method or sequence of step methods, optional
        What moves a replica; by default :func:`.recommended_steps`, which take ``options``.
    record : bool
        Whether the positions of all temperatures become a statistic.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.
    **options
        Of the recommended steps, such as ``n_leapfrog``.

    Raises
    ------
    ValueError
        If an argument is not valid, nothing is observed, or the steps leave a variable.

    Notes
    -----
    Statistics besides those of the steps at temperature 1: ``replica``, which replica is at each
    temperature, ``tempered_log_likelihood``, the log likelihood of that replica,
    ``swap_probability`` of each pair of neighbours that tried, ``tempered_acceptance``,
    ``tempered_diverging``, and with ``record`` the value variables of each as ``tempered_values``,
    in the order of the model's. With one temperature draws are those of the steps alone.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", 0, 10)
    ...     y = pm.Normal("y", abs(x), 0.5, observed=5.0)
    ...     step = samplers.ReplicaExchange([1, 4, 16, 64])
    ...     idata = pm.sample(draws=300, tune=200, chains=1, step=step, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> bool(0.2 < (idata["posterior"]["x"] > 0).mean() < 0.8)
    True
    """

    name = "replica_exchange"
    _state_class = ReplicaExchangeState
    compiled = ("_rungs", "log_likelihood")  # rungs share what the first of them compiles

    def __init__(
        self,
        temperatures: Sequence[float],
        iterations_per_swap: int = 1,
        steps: Any = None,
        record: bool = True,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
        **options: Any,
    ):
        check_ladder(temperatures)
        if steps is not None and options:
            raise ValueError(f"{', '.join(options)}: give them to the steps, or leave out steps.")
        super().__init__(temperatures, iterations_per_swap, record, pm.modelcontext(model), rng)
        self.log_likelihood = LogLikelihood(self.model)
        if steps is None:
            found = recommended_steps(self.model, **options)
        else:
            check_step(steps)
            found = list(steps) if isinstance(steps, list | tuple) else [steps]
        check_steps(self.model, found, self.temperatures)
        self.first = found[0] if len(found) == 1 else CompoundStep(found)
        own: dict[str, tuple[Any, Any]] = {}
        for step in single_steps(self.first):
            own |= step.stats_dtypes_shapes
        self._declare_statistics(own)
        self._rungs: list[Rung] = []
        self.setup_chain(self.rng, 0, 0)

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        if "log_likelihood" not in vars(self):
            self.log_likelihood = LogLikelihood(self.model)
        passes = self.iterations_per_swap * tune, self.iterations_per_swap * draws
        self.first.setup_chain(self.rng, *passes)  # before spawning, as if it were alone
        self.swapping, *generators = self.rng.spawn(self.temperatures.size + 1)
        self._rungs = [twin(self.first) for _ in self.temperatures]
        self._rungs[self.posterior] = self.first
        for rung, generator in zip(self._rungs, generators, strict=True):
            if rung is not self.first:
                rung.setup_chain(generator, *passes)
        self._forget(tune)
        self.replicas: list[PointType] = []

    def stop_tuning(self) -> None:
        """End the warm-up of all temperatures."""
        super().stop_tuning()
        for rung in self._rungs:
            rung.stop_tuning()

    def _begin(self, points: list[PointType]) -> np.ndarray:
        self.replicas = points
        return self._log_likelihoods()

    def _log_likelihoods(self) -> np.ndarray:
        return np.array([self.log_likelihood(replica) for replica in self.replicas])

    def _put(self, point: PointType) -> float | None:
        if point is self.replicas[self.posterior]:
            return None
        self.replicas[self.posterior] = point
        return self.log_likelihood(point)

    def _reorder(self, order: np.ndarray) -> None:
        self.replicas = [self.replicas[place] for place in order]

    def _advance(self) -> Advanced:
        moved = [self._move(place) for place in range(self.temperatures.size)]
        acceptance = np.array([one.get("acceptance_rate", np.nan) for one in moved])
        diverging = np.array([bool(one.get("diverging", False)) for one in moved])
        return Advanced(self._log_likelihoods(), acceptance, diverging, moved[self.posterior])

    def _move(self, place: int) -> dict[str, Any]:
        """Move the replica of a temperature, and return its steps' statistics."""
        found = []
        with at_temperature(self.model, self.temperatures[place]):
            for _ in range(self.iterations_per_swap):
                self.replicas[place], statistics = self._rungs[place].step(self.replicas[place])
                found.append(of_all_steps(statistics))
        together = found[-1]
        for name, total in REPEATED.items():
            if name in together:
                together[name] = total([one[name] for one in found])
        return together

    def moved(self, point: PointType, inverse_temperature: float) -> PointType:
        """Move a point at any inverse temperature, by the steps of the next colder rung."""
        self._check_compiled()
        colder = int(np.flatnonzero(self.inverse >= inverse_temperature)[-1])
        temperature = 1.0 / inverse_temperature if inverse_temperature > 0 else np.inf
        with at_temperature(self.model, temperature):
            return self._rungs[colder].step(point)[0]

    def values(self) -> np.ndarray:
        """Positions of all replicas, shape (temperatures, size), in the model's order."""
        return np.array([self._flat(replica) for replica in self.replicas])

    def _flat(self, point: PointType) -> np.ndarray:
        return np.concatenate([np.ravel(point[variable.name]) for variable in self.vars])

    def _posterior_point(self) -> PointType:
        return self.replicas[self.posterior]

    def _progressbar_config(self, n_chains: int = 1) -> tuple[list, dict]:
        return self.first._progressbar_config(n_chains)

    def _make_progressbar_update_functions(self) -> tuple:
        each = self.first._make_progressbar_update_functions()

        def update(stats: dict[str, Any]) -> dict[str, Any]:
            return {name: value for one in each for name, value in one(stats).items()}

        return (update,)  # one iteration has one set of statistics, however many steps there are
