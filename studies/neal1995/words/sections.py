"""The page of the study, section by section."""

from collections.abc import Callable, Mapping

import pandas as pd

from ...pages.in_short import Answer, InShort
from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Section
from ..numbers import derived, tables
from . import dynamics, functions, methods, networks, pictures, prior_pictures

SOURCES = {
    "initial": Source(tables.initial),
    "errors": Source(tables.errors),
    "along": Source(tables.along),
    "sampling": Source(tables.sampling),
    "methods": Source(tables.methods),
    "long_chains": Source(tables.long_chains),
    "functions": Source(tables.functions),
    "stable": Source(tables.stable),
    "widths": Source(tables.widths),
    "relevance": Source(tables.relevance),
    "boston": Source(tables.boston),
}
DERIVED: Mapping[str, Callable[[Tables], pd.DataFrame]] = {
    "initial_means": derived.initial_means,
    "error_means": derived.error_means,
    "along_means": derived.along_means,
    "sampling_means": derived.sampling_means,
    "method_means": derived.method_means,
    "long_means": derived.long_means,
    "width_means": derived.width_means,
    "relevance_means": derived.relevance_means,
    "boston_means": derived.boston_means,
}
METHODS = "Methods at equal gradients (3.4 and 3.5)"
LONG_CHAINS = "Long chains of persistence and partial gradients (3.5)"
CHAPTER_3 = (
    Section(
        "The initial phase (Figure 3.2)",
        "Each run is on a data set of its own, with one start for all lengths. *Reached* is the "
        "first super-transition whose training error is at most twice the variance of the noise.",
        "initial_means",
        dynamics.initial,
        pictures=(pictures.PROGRESS,),
    ),
    Section(
        "Step sizes (Figure 3.3)",
        "Trajectories of 100 leapfrogs with factors from a log-uniform distribution. *Large* are "
        "errors above 10, *median* is of their size, up to 10. *Moved* is the factor times the "
        "acceptance. Factors are in bins and *eta* is the middle of one: that of 0.3 has those "
        "from 0.275 to 0.325.",
        "error_means",
        dynamics.errors,
        pictures=(pictures.ERRORS,),
    ),
    Section(
        "One trajectory (Figure 3.4)",
        "Autocorrelations over 10 000 leapfrogs, around the mean of the trajectory, which makes "
        "them too small; the claim on outputs takes off what is left at 2000 and 3000 leapfrogs, "
        "where outputs are taken to have forgotten how they began, and gives back most of what is "
        "missing. That on magnitudes needs no such thing, as it is of more than a number.",
        "along_means",
        dynamics.along,
        pictures=(pictures.ALONG,),
    ),
    Section(
        "The sampling phase (Figures 3.5 and 3.6)",
        "Super-transitions of 32 000 leapfrogs. A chain has *reached* equilibrium at the first "
        "one where all three magnitudes are in the range of 90% of the later halves of the data "
        f"set's plain chains of {' and '.join(map(str, tables.TOLD))} leapfrogs, if they are there "
        f"at half of the next {tables.AHEAD}. Effective draws are those of the slowest magnitude, "
        "per million gradients, without the first quarter: the table has their arithmetic means "
        "over data sets, where ratios in claims are of geometric ones. *Lag 1* is the "
        "autocorrelation of a magnitude at one super-transition, around the mean of the chain. "
        "Processors had other work beside these chains, so that microseconds are too many.",
        "sampling_means",
        dynamics.sampling,
        pictures=(pictures.PHASES, pictures.CORRELATIONS),
    ),
    Section(
        METHODS,
        "Eight units and 100 cases, from states of the posterior; precisions are drawn before "
        "each trajectory. Effective draws are of the slowest of five quantities: three "
        "magnitudes, the noise and an output; geometric means over data sets. A chain that hardly "
        "moves counts as one or two draws, so that numbers of slow methods are upper bounds, and "
        "do not tell which of their settings gives most. Metropolis counts energies, and steps of "
        "partial gradients count by their share of the cases; seconds are of the processor, and "
        "windows, partial gradients, Metropolis and stochastic dynamics call Python for every "
        "draw. *Noise* is the logarithm of its precision, mean over the later halves of chains.",
        "method_means",
        methods.methods,
        plots=(pictures.COMPARED,),
    ),
    Section(
        LONG_CHAINS,
        "Both on data sets on which no settings of methods had been compared, with four times the "
        "gradients of the other chains, at settings that had given most there or lie next to "
        "those. A trajectory "
        "that goes on with a part of its momentum is like a longer one: what persistence gains at "
        "a length, longer trajectories may gain without it. Partial gradients need smaller steps "
        "the more batches there are.",
        "long_means",
        methods.long_chains,
    ),
)
CHAPTER_2 = (
    Section(
        "Functions from priors",
        "Networks of one input, whose weights shrink with width^(-1/2). *Largest z* is of the "
        "covariances at seven inputs, from draws, less those of `models.limiting_covariance`. "
        "*Direct* are connections from the input to the output. The kurtosis is of the output in "
        "the middle; its *closed form* is for one layer, "
        "3 Var(h^2) / (H (E h^2 + 1/4)^2) for H units of value h.",
        "functions",
        functions.functions,
        pictures=(prior_pictures.FUNCTIONS, prior_pictures.COVARIANCES, prior_pictures.LAYERS),
    ),
    Section(
        "Stable priors",
        "Networks of one input and one layer of steps from -1 to 1, whose output weights have a "
        "symmetric stable distribution of an index and shrink with width^(-1/index); index 2 is "
        "the normal distribution. *Largest z* is of the characteristic functions, at four "
        "frequencies, of the output at a point and of its change to another one, from draws, less "
        "those in closed form for the width. *Squared shares* are those of units in the sum of "
        "squared output weights, squared and summed: 1 if one unit is all, 1 / width if all are "
        "alike. Their limit is 1 - index / 2.",
        "stable",
        functions.stable,
        pictures=(prior_pictures.STABLE_FUNCTIONS,),
    ),
)
CHAPTER_4 = (
    Section(
        "Width",
        "The robot arm with 100 cases. *Scaled* and *unscaled*: normal weights of known standard "
        "deviations, those of output weights 4 width^(-1/2) where the prior is scaled, and 1 where "
        "it is not, which is the same at 16 units; 1 for all others. *Learnt*: the scaled one "
        "times a precision for each of three groups, as in the thesis. *Limit*: the Gaussian "
        "process that outputs are with ever more units, or of the unscaled prior with the "
        "covariance of the widest, fitted exactly but for one to four precisions, which are drawn "
        "by importance sampling (*k* is Pareto's). *Excess* is over the error of the truth, on "
        "MacKay's scale; "
        "*halves* is the difference of predictions of both halves of the draws, in standard "
        "deviations of the noise. Chains have 1500 trajectories of 300 leapfrogs up to 16 units, "
        "and 800, 180 and 60 for wider ones, times the share of the budget.",
        "width_means",
        networks.widths,
        plots=(pictures.WIDTHS,),
    ),
    Section(
        "Automatic relevance determination",
        "Inputs 1 and 2 are the angles, 3 and 4 copies of them with noise of 0.02, 5 and 6 noise. "
        "Sizes are root mean squares of the weights of an input. They are judged times the "
        "standard deviation of the input, each angle beside its own copy and both inputs that are "
        "noise.",
        "relevance_means",
        networks.relevance,
    ),
    Section(
        "Boston housing",
        "Networks of eight units with ARD, by folds of ten; inputs and targets are standardised. "
        "Everything else is by scikit-learn. Folds share training cases, so that intervals over "
        "them may be too short. There is one chain a fold, and no check of whether it has come to "
        "rest.",
        "boston_means",
        networks.boston,
    ),
)
OF_GAIN = "at least 1.5 times the effective draws per gradient"


def _of_long_chains(method: str) -> tuple[Answer, ...]:
    """Ask what a method gains by long chains; where there are none, other words say so."""
    verb = "Do" if method.endswith("s") else "Does"
    question = f"{verb} {method} give 1.5 times the effective draws per gradient?"
    begins = f"Long chains, {method}: {OF_GAIN}"
    return tuple(Answer(question, section, begins) for section in (METHODS, LONG_CHAINS))


SHORT = InShort(
    (
        Answer(
            "Is a length of 64 better than 4 and than 1024 in the initial phase?",
            "The initial phase (Figure 3.2)",
            "Trajectories of 64",
        ),
        Answer("Are factors above 0.5 unstable?", "Step sizes (Figure 3.3)", "Factors above"),
        *_of_long_chains("persistence"),
        Answer(
            "Is the excess of networks without end at most 10% above that of 16 units, with scales "
            "that are learnt?",
            "Width",
            "With the learnt prior the limit",
        ),
        Answer(
            "Does ARD find the angles, each beside its own copy?",
            "Automatic relevance determination",
            "ARD gives both",
        ),
        Answer(
            "Is the excess of networks without end at most 10% above that of 16 units, with known "
            "scales?",
            "Width",
            "With the scaled prior the limit",
        ),
        *_of_long_chains("partial gradients"),
        Answer(
            "Do interweaving and collapse give 1.5 times the effective draws per gradient?",
            METHODS,
            f"Interweaving: {OF_GAIN}",
        ),
        Answer(
            "Do few units keep large weights under stable priors, in the widest layers too?",
            "Stable priors",
            "Few units keep",
        ),
    ),
    "methods",
)
