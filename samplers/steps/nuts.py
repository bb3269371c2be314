"""The no-U-turn sampler, with its trees in compiled code."""

from ..dynamics.trees.no_u_turn import NO_U_TURN
from .bases.dynamic_hmc import DynamicHMC


class NUTS(DynamicHMC):
    """Hamiltonian Monte Carlo whose trajectories grow until they turn around.

    The algorithm of ``pm.NUTS`` (Hoffman & Gelman 2014; Betancourt 2017; Lau 2018, 2.2-2.5), with
    whole trees in compiled code instead of one gradient at a time. Subtrees are checked as a whole,
    as in the thesis; ``pm.NUTS`` also checks from either half to the nearest point of the other,
    which ends some trajectories earlier.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move; by default every continuous variable but the conjugate precisions, which
        are left to :class:`GibbsPrecision` or another step and named in PyMC's log.
    target_accept : float
        Mean acceptance at which warm-up aims.
    max_treedepth : int
        Most doublings of a trajectory.
    step_sizes : {"adapt", "neal"}
        Where the step sizes come from, as for :class:`StaticHMC`.
    step_scale : float
        Step size that warm-up starts from.
    metric : {"diag", "dense", "unit"}
        What ``"adapt"`` learns besides a step size: the variances of the variables, their
        covariance, or nothing (Lau 2018, 2.5).
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     idata = pm.sample(draws=20, tune=20, chains=1, step=samplers.NUTS(),
    ...                       progressbar=False, quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["tree_depth"].max()) <= 10
    True
    """

    name = "compiled_nuts"
    criterion = NO_U_TURN
