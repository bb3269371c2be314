"""Sections about the tables of the thesis."""

from ...pages.sections import Section
from ..runs.arithmetic import MOST_CAST
from . import algorithms
from .conclusions import judged

THESIS = (
    judged(
        "Early stopping (Table 4.1)",
        "Committees of scikit-learn's networks (`MLPClassifier`) of 35 tanh units with early "
        "stopping, all else at its defaults; means over disjoint committees. The thesis trains "
        "its own, and does not say how. They are compared with the network that sees what they "
        "see: on raw inputs that of Table 4.4, on unit inputs that of *Where 23% might come from* "
        "below.",
        "committees",
    ),
    judged(
        "Termination (Table 4.2)",
        "XHMC thresholds and the criterion of NUTS. *xhmc* is the criterion as the thesis prints "
        "it, which divides the mean rate of change of the virial by the number of points once "
        "more; *stan* is that of Stan, which does not.",
        "termination",
    ),
    judged(
        "Gibbs and joint sampling (Table 4.3)",
        "A learnt precision of the input weights. The thesis's Gibbs sampler moves weights by NUTS "
        "with a unit metric and a fixed step of 0.01; beside it one with trajectories of 100 "
        "steps from the curvature, without and with interweaving.",
        "hyperparameter",
    ),
    judged(
        "Priors (Table 4.4)",
        "Of the output weights; those of the inputs are standard normal.",
        "priors",
    ),
    judged(
        "Stochastic gradients (Tables 4.5-4.8)",
        "SGHMC with friction 0.01. Rows name the standard deviation of fresh velocities, the "
        "learning rate and the leapfrog steps. Its draws are biased: *energy off by* is their mean "
        "energy less that of a short exact run from where they ended, in nats.",
        "stochastic_gradients",
        folded=True,
    ),
    judged(
        "The noise as printed (Tables 4.5-4.8)",
        "Algorithm 16 prints a noise without the learning rate η in its variance, that of a "
        "posterior at temperature 1 / η. Rows as above.",
        "noise_as_printed",
        folded=True,
    ),
    judged(
        "Scaled priors (Table 4.9)",
        "Output weights of variance 1, and of variance 1 / hidden units.",
        "scaled_priors",
    ),
    judged(
        "Metrics (Table 4.10)",
        "With the prior on all weights. The thesis's seconds are those of its machine.",
        "metrics",
    ),
    judged("Layers (Table 4.11)", "35 units in each, standard normal weights.", "layers"),
    judged(
        "Single precision (Table 4.12)",
        "Of the pass through the network; sums and the accept test stay in double precision.",
        "precision",
    ),
    Section(
        "Energy in single precision (4.10)",
        "The same trajectories of 100 leapfrog steps in both precisions, from states of the "
        "posterior: the Hamiltonians at their ends. Single precision is that of the pass through "
        "the network, as it is offered; *all cast* has positions, momenta and sums in it too, as "
        "in the thesis, with unit masses, from at most "
        f"{MOST_CAST} of these states, and moves the precision with the weights. What the thesis "
        "says is of its own trajectories.",
        "arithmetic",
    ),
    judged(
        "Static and dynamic trajectories (Table 4.13)",
        "Windows are a tenth of the trajectory's steps, of 10 steps two; the thesis does not say "
        "what its are. *whole* has windows of all states (see *Windows that grow* below), and "
        "stands beside the same error of the thesis; these rows were added after the others had "
        "been seen.",
        "trajectories",
    ),
    judged("Windows that grow (Algorithm 3)", algorithms.WINDOWS, "windows"),
    judged("The first step size (Algorithm 9)", algorithms.FIRST, "first_steps"),
    judged(
        "WAIC (Table 4.14)",
        "Ours are sums over the training cases in nats, larger is better. The thesis's grow in "
        "proportion to the number of weights, 11.4 to 11.8 for each; over 500 cases they are 61 to "
        "151 nats a case, where guessing one of ten classes costs 2.3.",
        "information_criterion",
    ),
)
