"""Chains that go on from one temperature of their model to the next."""

from collections.abc import Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from xarray import DataTree

from ..compiled.engine import compiles, graph_mode
from ..one_chain import iterate_chain
from ..potential.constants import constant_values
from ..pymc_steps import BlockedStep, CompoundStep
from ..tempering.rungs import of_all_steps, twin


class ChainsAtTemperatures:
    """Chains whose steps warm up anew at each temperature.

    Parameters
    ----------
    model : pm.Model
        The model; whoever draws sets its temperature.
    steps : sequence of step methods
        What moves a chain.
    starts : sequence of dict
        Where chains begin.
    tune, draws : int
        Iterations at each temperature, before those that are recorded and of these.
    rng : Generator
        Where random numbers come from.
    """

    def __init__(
        self,
        model: pm.Model,
        steps: Sequence[BlockedStep],
        starts: Sequence[PointType],
        tune: int,
        draws: int,
        rng: np.random.Generator,
    ):
        self.model, self.tune, self.draws = model, tune, draws
        self.points, self._generators = list(starts), rng.spawn(len(starts))
        first = steps[0] if len(steps) == 1 else CompoundStep(list(steps))
        self._chains = [twin(first) for _ in starts]
        self._compile()

    @compiles
    def _compile(self) -> None:
        """Compile what turns value variables into those that are recorded."""
        model = self.model
        self._recorded = list(model.unobserved_value_vars)
        self._transform = model.compile_fn(
            self._recorded,
            inputs=model.value_vars,
            mode=graph_mode(),
            point_fn=False,
            on_unused_input="ignore",
        )

    def draw(self) -> tuple[DataTree, float]:
        """Warm up and draw at the model's temperature.

        Returns
        -------
        idata : DataTree
            The draws, as group ``posterior``.
        acceptance_rate : float
            Their mean; undefined where steps do not say.
        """
        import arviz as az  # takes a second or two, which no draw needs to wait for

        found = [self._one_chain(chain) for chain in range(len(self.points))]
        names = [str(variable.name) for variable in self._recorded]
        samples = {
            name: np.array([[draw[i] for draw in draws] for draws, _ in found])
            for i, name in enumerate(names)
        }
        groups = {"posterior": samples, **self._data()}
        known = {name for group in groups.values() for name in group}
        dims = {k: list(v) for k, v in self.model.named_vars_to_dims.items() if k in known}
        coords = {k: np.asarray(v) for k, v in self.model.coords.items() if v is not None}
        idata = az.from_dict(groups, coords=coords, dims=dims)
        return idata, float(np.mean([rates for _, rates in found]))

    def _data(self) -> dict[str, dict[str, np.ndarray]]:
        """Data of the model, as ``pm.sample`` keeps them with draws."""
        model = self.model
        values = [model.rvs_to_values[variable] for variable in model.observed_RVs]
        names = [str(variable.name) for variable in model.observed_RVs]
        constants = {v.name: v.get_value() for v in model.data_vars if v not in values}
        observed = dict(zip(names, constant_values(values), strict=True))
        return {"observed_data": observed, "constant_data": constants}

    def _one_chain(self, chain: int) -> tuple[list, list[float]]:
        """Move a chain, and return its draws and acceptance rates."""
        step, [generator] = self._chains[chain], self._generators[chain].spawn(1)
        draws, rates, point = [], [], self.points[chain]
        iterations = iterate_chain(step, point, generator, tune=self.tune, draws=self.draws)
        for point, statistics, tuning in iterations:
            if not tuning:
                draws.append(self._transform(*(point[v.name] for v in self.model.value_vars)))
                rates.append(float(of_all_steps(statistics).get("acceptance_rate", np.nan)))
        self.points[chain] = point
        return draws, rates
