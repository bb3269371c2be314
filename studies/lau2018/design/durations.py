"""About how long things take, to say so beforehand."""

from .declarations import Experiment, Network

SECONDS_AROUND = 15.0  # sampling: a network and its step are built, its draws diagnosed
SECONDS_PER_ENTRY = 2e-9  # of a dense metric, which is read twice in a leapfrog step


def seconds_per_leapfrog(network: Network) -> float:
    """About how long a leapfrog step takes, measured on two idle cores.

    Parameters
    ----------
    network : Network
        What is sampled.

    Returns
    -------
    float
        Seconds in double precision.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.declarations import Network
    >>> from pymc_bnn.studies.lau2018.design.durations import seconds_per_leapfrog
    >>> round(seconds_per_leapfrog(Network()) * 1e6)
    221
    """
    return 40e-6 + 0.07e-6 * network.dimension()


def seconds(experiment: Experiment) -> float:
    """About how long an experiment takes, compilation and diagnostics included."""
    draws = experiment.chains * (1.2 * experiment.tune + experiment.draws)
    leapfrogs = draws * experiment.steps_per_draw
    each = seconds_per_leapfrog(experiment.network)
    if experiment.sampler.options.get("metric") == "dense":
        each += SECONDS_PER_ENTRY * experiment.network.dimension() ** 2
    return SECONDS_AROUND + leapfrogs * each
