"""Sample a model with the steps that suit it."""

import logging
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import current_process
from typing import Any

import numpy as np
import pymc as pm
from threadpoolctl import threadpool_limits
from xarray import DataTree

from ..models.bnn import BNN
from ..models.data.choices import choose
from ..models.loading import describe
from .arguments import check_arguments
from .batch import sampling as batch
from .compiled.engine import one_thread_at_a_time
from .compiled.memory import initial_point
from .dynamics.standing_still import say_what_stands_still
from .options import (
    check_whole,
    model_at_hand,
    one_seed,
    sorted_options,
)
from .potential.temperature import at_temperature
from .raw_starts import raw_starts
from .recommended import for_nuts, recommended_method, recommended_steps
from .starts import dispersed_starts
from .steps.bases.untempered import check_all_temper, check_tempering
from .tempering.exchange_step import ExchangeStep, replicas_begin
from .tempering.groups import check_names, regroup
from .tempering.lanes.one_rung import sample_one_rung
from .tempering.lanes.sampling import sample_ladders, suit_lanes
from .tempering.replica_exchange import ReplicaExchange
from .tempering.together.energies import RAN
from .tempering.together.sampling import model_for_jax
from .tempering.wanted import (
    ladder_and_temperature,
    unwrapped,
    wanted_exchange,
    wanted_together,
)

METHODS = ("auto", "gibbs_hmc", "nuts")

_log = logging.getLogger("pymc")


@one_thread_at_a_time
def sample(
    model: pm.Model | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    method: str = "auto",
    seed: int | np.random.Generator | None = None,
    n_leapfrog: int | None = None,
    thin: int | None = None,
    precision: str | None = None,
    target_accept: float | None = None,
    jitter: str | None = None,
    random_seed: int | np.random.Generator | None = None,
    temperature: float | Sequence[float] = 1.0,
    **more: Any,
) -> DataTree:
    """Sample a model with recommended steps and dispersed starting points.

    Eight chains or more of a small network, if they are more than the cores, run as a batch that
    moves eight of them at a time (see :func:`.batch.sampling.is_faster`).

    Chains that never moved are named in a warning at the end.

    Threads that call this at the same time wait for each other, since PyTensor does not compile
    for several at once, and so does all that compiles or runs our steps. To sample several models
    at once, use processes.

    Parameters
    ----------
    model : pm.Model, optional
        The model; by default that of the context.
    draws, tune, chains
        As for ``pm.sample``.
    cores : int, optional
        Processes to use; by default as many as there are chains or processors, and one in a
        process that may not start others, such as a worker of Dask, or where JAX has run.
    method : {"auto", "gibbs_hmc", "nuts"}
        ``"gibbs_hmc"`` draws conjugate precisions by :class:`GibbsPrecision` and moves all else
        by :class:`StaticHMC`; ``"nuts"`` leaves everything to NUTS, in the non-centred
        parametrization. ``"auto"`` takes the first where all hyperparameters are conjugate.
    seed : int or Generator, optional
        For starting points and sampling; the same seed gives the same draws, in one process or
        several, but a batch does not give those of single chains.
    n_leapfrog, thin : int, optional
        Leapfrog steps per trajectory, and trajectories per recorded draw; for ``"gibbs_hmc"``.
    precision : {"float64", "float32"}, optional
        Of the pass through a network; for ``"gibbs_hmc"``.
    target_accept : float, optional
        Mean acceptance at which warm-up aims.
    jitter : {"uniform", "log-normal", "cauchy"}, optional
        Random factor of the step size, by default uniform; for ``"gibbs_hmc"``.
    random_seed : int or Generator, optional
        Another name of ``seed``, that of ``pm.sample``.
    temperature : float or sequence of float
        Temperature of the likelihood (see :mod:`.potential.temperature`): 1 for the posterior,
        infinity for the prior. Draws at others say so in ``attrs``. With a rising ladder of
        temperatures each chain is one of :class:`ReplicaExchange`: draws are those of the
        posterior, and the groups ``replica_exchange`` and ``tempered_posterior`` have the rest
        (see :func:`.tempering.groups.regroup`). ``[1.0]`` gives the draws of ``1.0``, to the last
        bit. Four replicas or more of a small network are moved eight at a time (see
        :func:`.tempering.lanes.sampling.suit_lanes`).
    **more
        More arguments of the step that suits the model, :class:`GibbsHMC`, :class:`StaticHMC` or
        :class:`NUTS`, and of ``pm.sample``; ``step`` and ``initvals`` replace ours, and all
        replicas of a ladder begin at ``initvals``. With
        ``backend="jax"`` trajectories of a fixed length move all variables, those of all replicas
        of a ladder as one batch, on the accelerator that JAX finds, or on the processor; options
        are then ``n_leapfrog``, ``thin``, the trajectories between two attempts to swap,
        ``step_scale``, ``target_accept`` and ``metric``. A batch does
        without ``callback`` and others that :data:`.batch.sampling.ARGUMENTS` lacks: with them
        chains run one by one.

    Returns
    -------
    DataTree
        What ``pm.sample`` returns, with a description of the model in ``attrs``.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> idata = samplers.sample(model, draws=10, tune=10, chains=2, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> idata["posterior"].sizes["draw"]
    10
    """
    model = model_at_hand(model)
    method = choose("method", method, METHODS)
    check_whole(1, draws=draws, chains=chains, cores=1 if cores is None else cores)
    check_whole(0, tune=tune)
    rng = one_seed(seed, random_seed)
    ladder, at = ladder_and_temperature(temperature)
    named = {
        "n_leapfrog": n_leapfrog,
        "thin": thin,
        "precision": precision,
        "target_accept": target_accept,
        "jitter": jitter,
    }
    given = {name: value for name, value in named.items() if value is not None} | more
    options, pm_sample = sorted_options(given, method)
    check_arguments(model, pm_sample)
    if pm_sample.get("backend") == "jax":
        del pm_sample["backend"]  # PyMC would compile what it records for JAX too
        asked = {"method": method, "cores": cores, "temperature": at, **pm_sample}
        given_model, model, cores = model, model_for_jax(model, asked), 1
        _fit_arguments(pm_sample, given_model, model)
        pm_sample["step"] = wanted_together(model, ladder, chains * (draws + tune), options)
        ladder = None
    if method == "auto":
        method = recommended_method(model)
    if cores is None:
        cores = default_cores(chains)
    if "step" not in pm_sample:
        model, steps = _suited(model, method, options, pm_sample)
        one_rung = ladder is not None and ladder.size == 1
        alone = set(pm_sample) <= batch.ARGUMENTS and (ladder is None or one_rung) and at == 1
        if alone and batch.is_faster(steps, chains, cores):
            together = sample_one_rung if one_rung else batch.sample_batch
            idata = together(steps[0], draws, tune, chains, cores, rng, **pm_sample)
            return _described(idata, model)
        pm_sample["step"] = steps
    pm_sample["step"] = steps = unwrapped(pm_sample["step"])
    if ladder is not None and isinstance(steps, ReplicaExchange):
        raise ValueError("temperature and step=ReplicaExchange(...): give one of them.")
    exchange = wanted_exchange(model, ladder, steps, chains * (draws + tune))
    if exchange is not None:
        check_names(model)
        others = {name: value for name, value in pm_sample.items() if name != "step"}
        # lanes do not run the methods of a user's subclass
        own = isinstance(steps, ReplicaExchange) and type(steps) is not ReplicaExchange
        suited = not own and set(others) <= batch.ARGUMENTS and suit_lanes(model, exchange)
        if at == 1 and suited:
            length = draws, tune, chains, cores
            return _described(sample_ladders(exchange, *length, rng, **others), model)
        if not isinstance(steps, ReplicaExchange):
            pm_sample["step"] = ReplicaExchange(
                exchange.temperatures.tolist(),
                steps=exchange.steps or None,  # where there are none, it says why
                record=exchange.record,
                model=model,
            )
    check_tempering(model, at)
    check_all_temper(model, pm_sample["step"], at)
    starts = dispersed_starts(model, chains, rng)  # also where others are given, for equal draws
    starts_given = pm_sample.get("initvals") is not None
    if not starts_given:
        pm_sample["initvals"] = starts
    pm_sample |= {"draws": draws, "tune": tune, "chains": chains, "cores": cores}
    with replicas_begin(pm_sample["step"], together=starts_given):
        return _run(model, at, {**pm_sample, "random_seed": rng})


def _suited(
    model: pm.Model, method: str, options: dict[str, Any], pm_sample: dict[str, Any]
) -> tuple[pm.Model, list]:
    """Return the model in the parametrization that suits a method, and the steps."""
    if method == "nuts" and isinstance(model, BNN) and model.parametrization == "centered":
        given_model, model = model, for_nuts(model)
        _fit_arguments(pm_sample, given_model, model)
    if not pm_sample.get("quiet"):
        _log.info("Compiling steps; the first time takes up to a minute.")
    return model, recommended_steps(model, method, **options)


def _fit_arguments(pm_sample: dict[str, Any], given: pm.Model, sampled: pm.Model) -> None:
    """Make arguments for a model those for the same network with raw weights, if it is another."""
    if sampled is given:
        return
    if "initvals" in pm_sample:
        pm_sample["initvals"] = raw_starts(sampled, pm_sample["initvals"])
    check_arguments(sampled, pm_sample)


def default_cores(chains: int) -> int:
    """How many processes to use by default.

    Parameters
    ----------
    chains : int
        Chains that are wanted.

    Returns
    -------
    int

    Examples
    --------
    >>> from pymc_bnn.samplers.sampling import default_cores
    >>> default_cores(1)
    1
    """
    # a daemon, as workers of Dask and of process pools are, may not start processes
    if current_process().daemon or chains == 1:
        return 1
    if RAN:
        _log.info(
            "Chains run in turn, as JAX has run in this process, and may hang where one is forked "
            'from it; give cores=2 and mp_ctx="forkserver" to run them in several.'
        )
        return 1
    return min(chains, os.cpu_count() or 1)


def _described(idata: Any, model: BNN) -> Any:
    """Say of draws of a network what does not move, and attach what the model is."""
    say_what_stands_still(idata, model)
    return describe(idata, model)


def _run(model: pm.Model, temperature: float, pm_sample: dict[str, Any]) -> Any:
    """Run ``pm.sample`` at a temperature, and put into the result what it does not say."""
    with model, _blas_limit(pm_sample), at_temperature(model, temperature):
        idata = pm.sample(**_unchecked_if_empty(model, pm_sample))
    if isinstance(idata, DataTree):
        say_what_stands_still(idata, model)
        step = pm_sample["step"]
        if isinstance(step, ExchangeStep):
            regroup(idata, model, step.temperatures)
        if temperature != 1:
            idata.attrs["temperature"] = float(temperature)
    return describe(idata, model) if isinstance(idata, DataTree) else idata


def _unchecked_if_empty(model: pm.Model, pm_sample: dict[str, Any]) -> dict[str, Any]:
    """Leave out PyMC's checks of draws where a variable has no elements, for which they raise."""
    empty = [name for name, value in initial_point(model).items() if 0 in value.shape]
    if not empty or "compute_convergence_checks" in pm_sample:
        return pm_sample
    _log.warning(
        f"{', '.join(empty)} has no elements, for which PyMC's checks of the draws fail: they are "
        "left out; ask samplers.diagnose(idata, var_names) about the other variables."
    )
    return {**pm_sample, "compute_convergence_checks": False}


def _blas_limit(pm_sample: dict[str, Any]) -> AbstractContextManager:
    """Give each chain one thread of BLAS, unless a user says otherwise by ``blas_cores``.

    The last bits of a product depend on the number of threads, and so the draws would on the
    machine and on ``cores``. Where processes are forked, PyMC sets no limit at all, and the
    threads of all chains wait for each other; forked processes inherit this one.
    """
    return nullcontext() if "blas_cores" in pm_sample else threadpool_limits(1, user_api="blas")
