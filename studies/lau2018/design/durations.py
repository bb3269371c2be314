"""About how long things take, to say so beforehand."""

from .declarations import Experiment, Network

SECONDS_AROUND = 9.0  # sampling: a network and its step are built, its draws diagnosed
SECONDS_PER_ENTRY = 1.4e-9  # of a dense metric, which is read twice in a leapfrog step
SINGLE = 0.5  # of the seconds of double precision
# leapfrog steps of a draw by NUTS and XHMC, of rows and tables that take more or fewer than usual;
# from the seconds that a desk run recorded
STEPS = {
    "hyperparameter-gibbs-fixed-step": 110.0,
    **dict.fromkeys((f"hyperparameter-{row}-noncentered" for row in ("nutpie", "joint")), 480.0),
    "hyperparameter-joint-centered": 480.0,
    "priors": 1200.0,
    "layers": 900.0,
    "metrics": 560.0,
}


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
    usual = STEPS.get(experiment.table, experiment.steps_per_draw)
    leapfrogs = draws * STEPS.get(experiment.key, usual)
    each = seconds_per_leapfrog(experiment.network)
    if experiment.sampler.options.get("metric") == "dense":
        each += SECONDS_PER_ENTRY * experiment.network.dimension() ** 2
    if experiment.sampler.options.get("precision") == "float32":
        each *= SINGLE
    return SECONDS_AROUND + leapfrogs * each
