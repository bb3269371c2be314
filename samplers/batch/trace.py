"""Turn the draws of a batch into what ``pm.sample`` returns.

The draws are put into PyMC's own traces, all at once, and its own function makes the result of
them: this is the only file that depends on how ``pm.sample`` ends.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pymc as pm
from pymc.backends.ndarray import NDArray
from pymc.logprob.transforms import LogTransform
from pymc.sampling.mcmc import _sample_return
from pytensor.graph.basic import Variable
from xarray import DataTree

from ..compiled.engine import graph_mode
from ..compiled.memory import initial_point
from ..dynamics.metropolis import LARGEST_ENERGY_ERROR
from ..precisions.conjugacy import conjugate_precisions
from ..steps.gibbs_hmc import GibbsHMC
from .state import Records
from .statistics import STATISTICS

# what pm.sample does with the draws, by its defaults
ENDING = {
    "discard_tuned_samples": True,
    "compute_convergence_checks": True,
    "return_inferencedata": True,
    "keep_warning_stat": False,
    "idata_kwargs": None,
    "quiet": False,
}


class Drawn(Protocol):
    """Draws to make a result of.

    Attributes
    ----------
    step : GibbsHMC
        How they were made.
    tune : int
        Draws of warm-up.
    records : Records
        All draws of all chains.
    seconds : ndarray, shape (chains, draws)
        Time that each took.
    """

    step: GibbsHMC
    tune: int
    records: Records
    seconds: np.ndarray

    @property
    def sweeps(self) -> int:
        """Sweeps of each draw."""
        ...


def filled_trace(
    model: pm.Model,
    variables: Sequence[Variable],
    samples: dict[str, np.ndarray],
    statistics: dict[str, np.ndarray],
    chain: int,
    dtypes: dict[str, Any],
) -> NDArray:
    """Make the trace of a chain whose draws are all there.

    Parameters
    ----------
    model : pm.Model
        The model.
    variables : sequence of Variable
        What is recorded.
    samples, statistics : dict of ndarray
        Draws of each variable and statistics of the step, draws along the first axis.
    chain : int
        Number of the chain.
    dtypes : dict of str to type
        Of the statistics.

    Returns
    -------
    NDArray
    """
    trace = NDArray(
        model=model,
        vars=variables,
        fn=NotImplemented,  # compiled otherwise, for each chain, and not needed
        var_shapes={name: values.shape[1:] for name, values in samples.items()},
        var_dtypes={name: values.dtype for name, values in samples.items()},
    )
    trace.setup(0, chain, [dtypes])
    trace.samples = samples
    trace._stats = [{name: statistics[name].astype(dtype) for name, dtype in dtypes.items()}]
    trace.draws = trace.draw_idx = len(next(iter(statistics.values())))
    return trace


def result_of_the_start(model: pm.Model, idata_kwargs: Mapping[str, Any]) -> DataTree:
    """Make of a model's initial point what ``pm.sample`` would return of a draw.

    Parameters
    ----------
    model : pm.Model
        The model.
    idata_kwargs : mapping
        As for ``pm.sample``.

    Returns
    -------
    DataTree
    """
    trace = NDArray(model=model)
    trace.setup(1, 0)
    trace.record(initial_point(model), in_warmup=False)
    trace.close()
    ending: dict[str, Any] = {**ENDING, "compute_convergence_checks": False, "quiet": True}
    ending["idata_kwargs"] = dict(idata_kwargs)
    return _sample_return(run=None, traces=[trace], tune=0, t_sampling=0.0, model=model, **ending)


def as_result(
    batch: Drawn, done: int, seconds: float, var_names: Sequence[str] | None, **ending: Any
) -> DataTree:
    """Make of a batch what ``pm.sample`` returns.

    Parameters
    ----------
    batch : Drawn
        The batch.
    done : int
        How many draws all chains have, those of warm-up among them.
    seconds : float
        Time that sampling took.
    var_names : sequence of str or None
        Variables to record; by default all.
    **ending
        Of :data:`ENDING`, to replace the defaults.

    Returns
    -------
    DataTree
    """
    model = batch.step.model
    variables = _variables(model, var_names)
    samples = samples_of(batch.step, batch.records, done, variables)
    statistics = _statistics(batch, done)
    [dtypes] = batch.step.stats_dtypes
    traces = []
    for chain in range(len(batch.seconds)):
        draws, stats = ({k: v[chain] for k, v in each.items()} for each in (samples, statistics))
        traces.append(filled_trace(model, variables, draws, stats, chain, dtypes))
    ending = {**ENDING, **ending}
    ending["idata_kwargs"] = ending["idata_kwargs"] or {}
    return _sample_return(
        run=None, traces=traces, tune=batch.tune, t_sampling=seconds, model=model, **ending
    )


def _variables(model: pm.Model, names: Sequence[str] | None) -> list[Variable]:
    if names is None:
        return list(model.unobserved_value_vars)
    known = {v.name: v for v in model.unobserved_RVs}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"var_names: the model has no {', '.join(unknown)}; choose from {', '.join(known)}."
        )
    return model.replace_rvs_by_values([known[name] for name in known if name in set(names)])


def samples_of(
    step: GibbsHMC, records: Records, done: int, variables: Sequence[Variable]
) -> dict[str, np.ndarray]:
    """Draws of each variable, the first ones, shape (chains, draws, ...)."""
    found = {}
    for layout, recorded in (
        (step.conditional.layout, records.q),
        (step.precisions, records.log_precision),
    ):
        for name, where in layout.slices.items():
            part = recorded[:, :done, where]
            found[name] = part.reshape(*part.shape[:2], *layout.shapes[name])
    for precision in conjugate_precisions(step.model):
        assert isinstance(step.model.rvs_to_transforms[precision.variable], LogTransform)
        found[str(precision.variable.name)] = np.exp(found[str(precision.value.name)])
    others = [v for v in variables if v.name not in found]
    if others:
        found |= _evaluated(step.model, others, found)
    return {str(v.name): found[str(v.name)] for v in variables}


def _evaluated(
    model: pm.Model, variables: Sequence[Variable], found: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Deterministic variables at every draw."""
    function = model.compile_fn(
        list(variables),
        inputs=model.value_vars,
        mode=graph_mode(),
        point_fn=False,
        on_unused_input="ignore",
    )
    inputs = [found[str(v.name)] for v in model.value_vars]
    chains, draws = inputs[0].shape[:2]
    values = [
        [function(*(array[chain, draw] for array in inputs)) for draw in range(draws)]
        for chain in range(chains)
    ]
    return {
        str(v.name): np.array([[draw[i] for draw in chain] for chain in values])
        for i, v in enumerate(variables)
    }


def _statistics(batch: Drawn, done: int) -> dict[str, np.ndarray]:
    """Statistics that the step reports, shape (chains, draws)."""
    step, records = batch.step, batch.records
    found = {name: records.statistics[:, :done, i] for i, name in enumerate(STATISTICS)}
    potential, kinetic = found.pop("potential"), found.pop("kinetic")
    constant = step.closed_form.log_constant(records.log_precision[:, :done])
    after = np.arange(done) >= batch.tune
    last = ~(found["energy_error"] < LARGEST_ENERGY_ERROR)
    several = batch.sweeps > step.thin  # iterations between swaps, of which any counts
    return {
        **found,
        "energy": potential + kinetic - constant,
        "model_logp": constant - potential,
        "diverging": found["diverging"] > 0 if several else last,
        "divergences": np.cumsum(found["diverging"] * after, axis=1),
        "n_steps": np.full(potential.shape, batch.sweeps * step.n_leapfrog),
        "transitions": np.full(potential.shape, batch.sweeps),
        "perf_counter_diff": batch.seconds[:, :done],
    }
