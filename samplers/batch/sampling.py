"""Sample more chains than there are cores as one batch, where that is faster."""

import inspect
import logging
from collections.abc import Iterator, Sequence
from time import time
from typing import Any

import numpy as np
from pymc.progress_bar import MCMCProgressBarManager, default_progress_theme
from xarray import DataTree

from ..potential.likelihood_kernels import kernel_of
from ..potential.recognition import likelihood_of
from ..pymc_steps import BlockedStep
from ..starts import chain_starts
from ..steps.gibbs_hmc import GibbsHMC
from .chains import BatchOfChains
from .network.registers import WIDTH
from .statistics import ACCEPTANCE, DIVERGING
from .trace import ENDING, Drawn, as_result

# Measured with trajectories of 100 steps, time of a batch over that of GibbsHMC by itself: 0.28 for
# 33 weights and 8 cases, 0.40 with 32 cases, 0.56 with 64, 0.64 with 128; 0.45 for 241 weights and
# 8 cases, 0.60 with 32; 0.56 for 661 weights and 8 cases, 0.75 with 32, 0.92 with 128.
MOST_CASES, MOST_WORK = 64, 10_000
SHARE = 0.5
# With the last layer integrated out, recording included, a batch takes this part of the time of
# single chains: 0.08, 0.14, 0.22 with 65 weights and 8, 32, 64 cases; 0.18, 0.25, 0.36 with 161
# weights; 0.37, 0.48 with 321 weights and 32, 64 cases; by the cases' matrix 0.26 with 161 weights
# and 8 cases, 0.38 with 321 weights and 16.

_log = logging.getLogger("pymc")


def is_faster(steps: Sequence[BlockedStep], chains: int, cores: int) -> bool:
    """Whether a batch gives more effective draws per second than ``pm.sample``.

    Time per chain and leapfrog step is at most about 0.6 of a single chain's in networks of up to
    64 cases whose weights times cases are at most 10 000; with more cases a single chain fills SIMD
    registers by itself. A pack takes as long for one chain as for eight, and one core at a time.

    The updates are the same as those of single chains.

    Parameters
    ----------
    steps : sequence of step methods
        The steps.
    chains, cores : int
        Chains that are wanted, and cores to use.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.batch.sampling import is_faster
    >>> steps = [samplers.GibbsHMC(model=models.gaussian(np.eye(8), np.arange(8.0), hidden=(4,)))]
    >>> is_faster(steps, 64, 2), is_faster(steps, 4, 2), is_faster(steps, 8, 4)
    (True, False, False)
    """
    if chains <= cores or chains < WIDTH or not are_lanes(steps):
        return False
    packs = -(-chains // WIDTH)
    return SHARE * WIDTH * -(-packs // cores) <= -(-chains // cores)


def are_lanes(steps: Sequence[BlockedStep]) -> bool:
    """Whether packs can run the steps of a model, and single chains would fill no registers.

    Parameters
    ----------
    steps : sequence of step methods
        The steps.

    Returns
    -------
    bool
    """
    if [type(step) for step in steps] != [GibbsHMC]:
        return False
    step: Any = steps[0]
    cases = len(step.model["X"].get_value(borrow=True))
    known = kernel_of(likelihood_of(step.model)).of_chains is not None
    if not known or step.conditional.precision != "float64" or step.rule.persistence:
        return False
    small = cases <= MOST_CASES and cases * step.conditional.layout.size <= MOST_WORK
    return small


def sample_batch(
    step: GibbsHMC,
    draws: int,
    tune: int,
    chains: int,
    cores: int,
    rng: np.random.Generator,
    *,
    initvals: Any = None,
    **ending: Any,
) -> DataTree:
    """Sample chains as a batch, and return what ``pm.sample`` would.

    Ctrl-C ends sampling early; all chains are then of the same length.

    Parameters
    ----------
    step : GibbsHMC
        How to sample.
    draws, tune, chains : int
        As for ``pm.sample``.
    cores : int
        Threads to use.
    rng : Generator
        Where starts and the chains' generators come from. Those of a chain do not depend on the
        number of chains.
    initvals
        As for ``pm.sample``.
    **ending
        More of its arguments, see :func:`drawn`.

    Returns
    -------
    DataTree

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.batch.sampling import sample_batch
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> step = samplers.GibbsHMC(20, model=models.gaussian(X, X[:, 0], hidden=(4,)))
    >>> idata = sample_batch(step, 20, 0, 16, 1, np.random.default_rng(1), progressbar=False,
    ...                      quiet=True, compute_convergence_checks=False)
    >>> dict(idata["posterior"].sizes)["chain"]
    16
    """
    batch = begun(step, draws, tune, chains, rng, initvals, bool(ending.get("quiet")))
    return drawn(batch, batch.blocks(cores), **ending)[0]


def begun(
    step: GibbsHMC,
    draws: int,
    tune: int,
    chains: int,
    rng: np.random.Generator,
    initvals: Any,
    quiet: bool,
) -> BatchOfChains:
    """Chains of a batch before their first draw, as for :func:`sample_batch`."""
    step.check_terms()
    begin, generators = rng.spawn(2)
    starts = chain_starts(step.model, chains, begin, initvals, "a batch of chains")
    batch = BatchOfChains(step, starts, generators.spawn(chains), tune, draws)
    if not quiet:
        _log.info(f"Batch sampling ({chains} chains, {WIDTH} at a time)")
    return batch


def drawn(
    batch: Drawn,
    blocks: Iterator[int],
    *,
    var_names: Sequence[str] | None = None,
    progressbar: Any = True,
    progressbar_theme: Any = default_progress_theme,
    **ending: Any,
) -> tuple[DataTree, int]:
    """Let a batch draw, and return what ``pm.sample`` would, and how many draws were made.

    Parameters
    ----------
    batch : Drawn
        The batch.
    blocks : iterator of int
        Makes its draws, and says how many there are.
    var_names, progressbar, progressbar_theme
        As for ``pm.sample``. There is one progress bar, for all chains.
    **ending
        More arguments of ``pm.sample``, see :data:`.trace.ENDING`.

    Returns
    -------
    DataTree, int
    """
    total = batch.seconds.shape[1]
    bar = MCMCProgressBarManager(
        step_method=batch.step,
        chains=1,
        draws=total - batch.tune,
        tune=batch.tune,
        progressbar=False if ending.get("quiet") else progressbar,
        progressbar_theme=progressbar_theme,
    )
    started, done = time(), 0
    try:
        with bar:
            for reached in blocks:
                _show(bar, batch, range(done, reached))
                done = reached
    except KeyboardInterrupt:
        pass
    return as_result(batch, done, time() - started, var_names, **ending), done


_TAKEN = {**inspect.signature(sample_batch).parameters, **inspect.signature(drawn).parameters}
ARGUMENTS = {*_TAKEN, *ENDING} - {"step", "draws", "rng", "batch", "blocks", "ending"}


def _show(bar: MCMCProgressBarManager, batch: Drawn, draws: range) -> None:
    """Move the progress bar, which shows the divergences of all chains and a mean acceptance."""
    if not bar._show_progress:
        return
    statistics, total = batch.records.statistics, batch.seconds.shape[1]
    after = statistics[:, batch.tune : draws.stop, DIVERGING]
    shown = {
        "divergences": int(after.sum()),
        "acceptance_rate": float(statistics[:, draws.stop - 1, ACCEPTANCE].mean()),
        "n_steps": batch.sweeps * batch.step.n_leapfrog,
    }
    for draw in draws:
        last, tuning = draw == total - 1, draw < batch.tune
        bar.update(chain_idx=0, is_last=False, draw=draw, tuning=tuning, stats=[shown])
        if last:
            bar.update(chain_idx=0, is_last=True, draw=draw, tuning=False, stats=[shown])
