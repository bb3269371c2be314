"""What the page of the study shows, section by section."""

from collections.abc import Callable, Mapping

import pandas as pd

from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Section
from ..design.candidates import NOISE
from ..numbers import agreed, algorithms, beyond, choice, confirming, criteria, limits, tables
from ..numbers.differences import differences
from ..numbers.explanation import SAID, drawn_against_printed, spread
from ..numbers.stacking import LEAST_WEIGHT
from ..rules.mixing import LEAST as LEAST_DRAWS
from ..runs.scores import LEAST
from . import goals
from . import limits as limiting
from .agreed import ways
from .conclusions import judged, misleading
from .short import PRINTED

# what is made of results, by the name of its file
SOURCES: Mapping[str, Source] = {
    **{name: Source(measure) for name, measure in tables.TABLES.items()},
    "committees": Source(tables.committees),
    "arithmetic": Source(tables.arithmetic, tables.beside_thesis),
    "windows": Source(algorithms.windows),
    "first_steps": Source(algorithms.first_steps),
    "factors": Source(beyond.factors),
    "effects": Source(beyond.effects),
    "scales": Source(beyond.scales),
    "moment_matching": Source(beyond.moment_matching),
    "efficiency": Source(beyond.efficiency),
    "single_weights": Source(beyond.single_weights),
    "baselines": Source(choice.baselines),
    "chosen": Source(choice.chosen),
    "confirmation": Source(confirming.confirmation, confirming.unpaired_where_missing),
    "confirmation_shuffled": Source(confirming.confirmation_shuffled),
    "limits": Source(limits.limits),
    "candidates": Source(criteria.candidates),
    "correlations": Source(criteria.correlations),
    "differences": Source(differences),
    "ways": Source(agreed.ways),
    "agreed": Source(agreed.agreed),
    "agreed_differences": Source(agreed.agreed_differences),
}
# what is made of those
DERIVED: Mapping[str, Callable[[Tables], pd.DataFrame]] = {"drawn_classes": drawn_against_printed}

CODES = (
    "A network on codes is a regression with ten outputs: the target of a case is 1 for its class "
    f"and -1 for the others, with normal noise of standard deviation {NOISE}, and the probability "
    "of a class is the density of its code among those of all ten."
)
BEYOND = (
    Section(
        "Where 23% might come from",
        "The thesis's network with inputs, prior and biases changed in all combinations, with "
        f"codes of the classes instead of a softmax, and with short chains. {CODES} "
        "*Drawn classes* come from the predictive probabilities, the others are the most probable "
        "ones (see below).",
        "factors",
        spread,
    ),
    judged(
        "Drawn classes",
        f"{SAID} A class drawn from the predictive probabilities is wrong more often than the most "
        "probable one. Here both are set beside the error that the thesis prints, for all rows "
        "that have one. Errors are those of 500 cases and of the chains (the spread of the most "
        "probable class's, for both); a row fits where the printed error is in the interval. A "
        "misfit says nothing where our draws are not the thesis's: how its stochastic gradients "
        "were run it does not say, so that rows of Tables 4.5-4.8 are shown and not judged. Rows "
        "are not independent: *nuts*, *normal-35*, *dynamic* and *35* of Table 4.14 are one "
        "network with the same draws, *normal-50* and *50* are another, and each error of XHMC "
        "that the thesis prints stands beside two rows, *xhmc* and *stan*, as each of windowed HMC "
        "does, *windowed* and *whole*.",
        "drawn_classes",
        (PRINTED,),
        folded=True,
    ),
    Section(
        "What mixes best",
        "Each prior of Table 4.4 in up to three ways. *gibbs* is what `samplers.sample` takes by "
        "itself for conjugate precisions: trajectories of 200 leapfrog steps between Gibbs draws, "
        "with horseshoes declared by their conjugate form. *static* are trajectories of 200 steps "
        "that move all of a non-centred network, and *nuts* is the row of Table 4.4. A rate from "
        "few effective draws says little, so the largest R-hat stands beside it; and as seconds "
        "are of units that run beside others, neither does a factor below two.",
        "ways",
        ways,
    ),
    judged(
        "By chains that agree",
        "The networks of Tables 4.4, 4.9, 4.11 and 4.14 but for that of three layers, each sampled "
        "by the way with the largest rate there, those of other scales, widths and layers as the "
        "normal prior. They are compared on all 1297 digits that are not trained on: between rows "
        "that count an error of a difference is about 0.6 of that on the thesis's 500. A row "
        "counts where the largest R-hat of its class probabilities is at most 1.05; a claim with a "
        "row that does not count cannot stand.",
        "agreed",
    ),
    Section(
        "Differences of chains that agree",
        "Errors on the 1297 digits, first row less second one, beside those on the 500.",
        "agreed_differences",
        folded=True,
    ),
    Section(
        "The part of each",
        "Changes of the test error, averaged over pairs that differ in one factor only.",
        "effects",
    ),
    Section(
        "Other classifiers",
        "On the same split, with settings chosen by five shuffled folds of the training cases, "
        "which have the same writers on both sides; those by blocks are in *Tried on other "
        "digits*.",
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
        "Networks chosen by the training cases",
        "The candidate that each criterion prefers on the training cases. K-fold leaves out blocks "
        "of neighbouring images, which are by the same writers. Calibration error is the expected "
        "calibration error of the predicted class in ten bins of equal width, weighted by cases. "
        "An average weights networks so that the K-fold predictions are most likely; its name "
        f"counts those of a weight above {LEAST_WEIGHT:g}, and others have their part in it. "
        "Where the exponent is not 1, probabilities are raised to it and normalized; it is learnt "
        "from the K-fold predictions of the training cases. WAIC and LOO do not compare "
        "regressions on codes with the others.",
        "chosen",
        goals.reached,
    ),
    judged(
        "Tried on other digits",
        "The network on codes that K-fold chose, sampled by longer trajectories, on the 797 images "
        "between the two sets: no choice of network, prior or family has seen them. R-hat and "
        "effective sample sizes are those of every thirteenth of all 1297. Beside it "
        "other classifiers on the same 500 training cases, each with the settings of a plain grid "
        "that classify most of the left-out training cases rightly, by the five blocks that chose "
        "the network; the Gaussian process, one for each class, learns its own. Differences are "
        "paired by cases where it says so.",
        "confirmation",
    ),
    Section(
        "Other classifiers by shuffled folds",
        "The same classifiers with settings that five shuffled folds choose, by which this page "
        "judged before.",
        "confirmation_shuffled",
        folded=True,
    ),
    judged("One layer on pixels, infinitely wide", limiting.TEXT, "limits"),
    Section(
        "All candidates",
        "WAIC, LOO and K-fold are log predictive densities per training case, in nats. K-fold "
        f"takes a probability below {LEAST:g} for {LEAST:g}; log scores of test cases, here and in "
        "other tables, do not.",
        "candidates",
        folded=True,
    ),
    Section(
        "Are information criteria useful?",
        "Rank correlations over all candidates that have the criterion, with 90% intervals of a "
        "bootstrap over candidates, training cases and test cases. K-fold and, unlike that of the "
        f"tables, the test log score take a probability below {LEAST:g} for {LEAST:g}.",
        "correlations",
    ),
    Section(
        "Moment matching",
        "Of PSIS-LOO from thinned draws. First the share of all training cases where Pareto k is "
        "too large; then, of some of these cases, the share where it still is after matching, and "
        "their log predictive densities before, after, and by K-fold. That k is smaller after "
        "matching does not say that the density is nearer to the truth; with so few cases, no "
        "errors are given, and nothing is judged.",
        "moment_matching",
    ),
    Section(
        "Effective draws per second",
        "On the model of Table 4.3, chains one after the other, warm-up included and compilation "
        f"not. A rate from fewer than {LEAST_DRAWS:g} effective draws (Table 4.3) says little.",
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
