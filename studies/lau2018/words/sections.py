"""What the page of the study shows, section by section."""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Picture, Section
from ..design.candidates import NOISE
from ..numbers import beyond, choice, confirming, criteria, tables
from ..numbers.differences import differences
from ..numbers.explanation import SAID, drawn_against_printed, spread
from . import goals
from .conclusions import conclude, misleading
from .short import PRINTED

# what is made of results, by the name of its file
SOURCES: Mapping[str, Source] = {
    **{name: Source(measure) for name, measure in tables.TABLES.items()},
    "committees": Source(tables.committees),
    "arithmetic": Source(tables.arithmetic),
    "factors": Source(beyond.factors),
    "effects": Source(beyond.effects),
    "scales": Source(beyond.scales),
    "moment_matching": Source(beyond.moment_matching),
    "efficiency": Source(beyond.efficiency),
    "single_weights": Source(beyond.single_weights),
    "baselines": Source(choice.baselines),
    "chosen": Source(choice.chosen),
    "confirmation": Source(confirming.confirmation),
    "candidates": Source(criteria.candidates),
    "correlations": Source(criteria.correlations),
    "differences": Source(differences),
}
# what is made of those
DERIVED: Mapping[str, Callable[[Tables], pd.DataFrame]] = {"drawn_classes": drawn_against_printed}


def _judged(
    title: str, text: str, name: str, plots: tuple[Picture, ...] = (), folded: bool = False
) -> Section:
    words = partial(conclude, name)
    return Section(title, text, name, words, plots=plots, folded=folded)


THESIS = (
    _judged(
        "Early stopping (Table 4.1)",
        "Committees of scikit-learn's networks with early stopping; means over disjoint "
        "committees. The thesis trains its own, and does not say how. They are compared with the "
        "network that sees what they see: on raw inputs that of Table 4.4, on unit inputs that of "
        "*Why 23%* below.",
        "committees",
    ),
    _judged("Termination (Table 4.2)", "XHMC thresholds and the criterion of NUTS.", "termination"),
    _judged(
        "Gibbs and joint sampling (Table 4.3)",
        "A learnt precision of the input weights. The thesis's Gibbs sampler moves weights with a "
        "fixed step of 0.01; ours is that with 100 leapfrog steps, and then with steps from the "
        "curvature, without and with interweaving.",
        "hyperparameter",
    ),
    _judged(
        "Priors (Table 4.4)",
        "Of the output weights; those of the inputs are standard normal.",
        "priors",
    ),
    _judged(
        "Stochastic gradients (Tables 4.5-4.8)",
        "SGHMC with friction 0.01. Rows name the standard deviation of fresh velocities, the "
        "learning rate and the leapfrog steps. Its draws are biased: *energy off by* is their mean "
        "energy less that of a short exact run from where they ended, in nats.",
        "stochastic_gradients",
        folded=True,
    ),
    _judged(
        "The noise as printed (Tables 4.5-4.8)",
        "Algorithm 16 prints a noise without the learning rate η in its variance, that of a "
        "posterior at temperature 1 / η. Rows as above.",
        "noise_as_printed",
        folded=True,
    ),
    _judged(
        "Scaled priors (Table 4.9)",
        "Output weights of variance 1, and of variance 1 / hidden units.",
        "scaled_priors",
    ),
    _judged(
        "Metrics (Table 4.10)",
        "With the prior on all weights. The thesis's seconds are those of its machine.",
        "metrics",
    ),
    _judged("Layers (Table 4.11)", "35 units in each, standard normal weights.", "layers"),
    _judged(
        "Single precision (Table 4.12)",
        "Of the pass through the network; sums and the accept test stay in double precision.",
        "precision",
    ),
    Section(
        "Energy in single precision (4.10)",
        "The same trajectories of 100 leapfrog steps in both precisions, from states of the "
        "posterior: the Hamiltonians at their ends.",
        "arithmetic",
    ),
    _judged(
        "Static and dynamic trajectories (Table 4.13)",
        "Windows are a tenth of the trajectory's steps; the thesis does not say what its are.",
        "trajectories",
    ),
    _judged(
        "WAIC (Table 4.14)",
        "Ours are sums over the training cases in nats, larger is better. The thesis's grow in "
        "proportion to the number of weights, 11.4 to 11.8 for each, which no sum over 500 cases "
        "can do.",
        "information_criterion",
    ),
)
CODES = (
    "A network on codes is a regression with ten outputs: the target of a case is 1 for its class "
    f"and -1 for the others, with normal noise of standard deviation {NOISE}, and the probability "
    "of a class is the density of its code among those of all ten."
)
BEYOND = (
    Section(
        "Why 23%",
        "The thesis's network with inputs, prior and biases changed in all combinations, with "
        f"codes of the classes instead of a softmax, and with short chains. {CODES} "
        "*Drawn classes* come from the predictive probabilities, the others are the most probable "
        "ones (see below).",
        "factors",
        spread,
    ),
    _judged(
        "Drawn classes",
        f"{SAID} A class drawn from the predictive probabilities is wrong more often than the most "
        "probable one. Here both are set beside the error that the thesis prints, for all rows "
        "that have one. Errors are those of 500 cases and of the chains (the spread of the most "
        "probable class's, for both); a row fits where the printed error is in the interval.",
        "drawn_classes",
        (PRINTED,),
        folded=True,
    ),
    Section(
        "The part of each",
        "Changes of the test error, averaged over pairs that differ in one factor only.",
        "effects",
    ),
    Section(
        "Other classifiers",
        "On the same split, with settings chosen by 5-fold cross-validation on the training cases.",
        "baselines",
    ),
    Section(
        "Scales of networks on codes",
        "Networks on codes become Gaussian processes as they become wide, for which K-fold over "
        "the training cases is linear algebra. The best settings of a grid; the first one of each "
        "kind of inputs is the prior of the candidates below, with the standard deviation of "
        "outputs divided by the root of the width.",
        "scales",
    ),
    Section(
        "Networks chosen without the test cases",
        "The candidate that each criterion prefers on the training cases. K-fold leaves out blocks "
        "of neighbouring images, which are by the same writers. Calibration error is the expected "
        "calibration error of the predicted class in ten bins of equal width, weighted by cases. "
        "An average weights networks so that the K-fold predictions are most likely. "
        "Where the exponent is not 1, probabilities are raised to it and normalized; it is learnt "
        "from the K-fold predictions of the training cases. WAIC and LOO do not compare "
        "regressions on codes with the others.",
        "chosen",
        goals.reached,
    ),
    _judged(
        "Confirmed on other digits",
        "The network on codes that K-fold chose, sampled by longer trajectories, on the 797 images "
        "between the two sets: no choice of network, prior or family has seen them. Beside it "
        "other classifiers on the same 500 training cases, each with the settings of a plain grid "
        "that classify most of the left-out training cases rightly (5-fold, shuffled); the "
        "Gaussian process, one for each class, learns its own. Differences are paired by cases.",
        "confirmation",
    ),
    Section(
        "All candidates",
        "WAIC, LOO and K-fold are log predictive densities per training case, in nats.",
        "candidates",
        folded=True,
    ),
    Section(
        "Are information criteria useful?",
        "Rank correlations over all candidates, with 90% intervals of a bootstrap over candidates, "
        "training cases and test cases.",
        "correlations",
    ),
    Section(
        "Moment matching",
        "Of PSIS-LOO from thinned draws. First the share of all training cases where Pareto k is "
        "too large; then, of some of these cases, the share where it still is after matching, and "
        "their log predictive densities before, after, and by K-fold.",
        "moment_matching",
    ),
    Section(
        "Effective draws per second",
        "On the model of Table 4.3, chains one after the other, warm-up included and compilation "
        "not.",
        "efficiency",
    ),
    Section(
        "Single weights and predictions",
        "R-hat and effective sample sizes of the weights, whose hidden units can be exchanged and "
        "turned over, beside those of the test cases' class probabilities.",
        "single_weights",
        lambda tables: misleading(tables.get("single_weights", pd.DataFrame())),
        folded=True,
    ),
    Section(
        "Differences of test errors",
        "All that claims are judged by, first row less second one, with the thesis's.",
        "differences",
        folded=True,
    ),
)
