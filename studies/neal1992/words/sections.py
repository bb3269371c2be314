"""What the page of the study shows, section by section."""

from collections.abc import Callable, Mapping

import pandas as pd

from ...pages.in_short import Answer, InShort
from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Section
from ..numbers import approximated, beside, derived, evidence, tables
from ..numbers import bounds as bound_numbers
from . import (
    approximations,
    beliefs,
    bounds,
    experiment_1,
    experiment_2,
    off_the_data,
    others,
    pictures,
    recommended,
)
from .judgements import RARE

SOURCES = {
    "runs": Source(tables.runs),
    "cooled": Source(tables.cooled),
    "hyperparameters": Source(tables.hyperparameters),
    "starts": Source(tables.starts),
    "sets": Source(tables.sets),
    "metropolis": Source(tables.metropolis),
    "integrators": Source(tables.integrators),
    "approximations": Source(approximated.approximations),
    "modes": Source(approximated.modes),
    "priors": Source(tables.priors),
    "bridged": Source(evidence.bridges),
}
DERIVED: Mapping[str, Callable[[Tables], pd.DataFrame]] = {
    "cells": derived.cells,
    "rates_by_way": derived.rates_by_way,
    "runs_by_way": derived.runs_by_way,
    "metropolis_cells": derived.metropolis_cells,
    "ways": derived.ways,
    "differences": derived.differences_to_ours,
    "of_priors": beside.of_priors,
    "small": derived.small,
    "bounds": bound_numbers.bounds,
    "integrators_by_target": beside.integrators_by_target,
}
REPORT = (
    Section(
        "Failures of experiment 1 (Figure 1)",
        "Eight units, 100 cases. *Failed* runs have an error of a test case, both outputs, that is "
        "not below 0.0075; the truth has 0.005. *Far off* are those with the same excess on cases "
        "without noise. *Rejected* is over the last quarter, of runs that are not stuck.",
        "rates_by_way",
        experiment_1.conclude,
    ),
    Section(
        "Cells of experiment 1",
        "What the figure shows: medians and spreads of step sizes, with and without annealing. "
        "*From* and *to* are by data set.",
        "cells",
        plots=(pictures.FIGURE_1_PICTURE,),
        folded=True,
    ),
    Section(
        "Rejections, and runs that are stuck (Figure 2)",
        "*Stuck* runs reject over 95% of the last quarter; those that do so over any quarter were "
        "stuck at some time. That most failures were stuck is our reading: the report says what "
        "holds runs that are. The largest stable step is along the tightest coordinate of the last "
        "state, with the curvature of Gauss and Newton.",
        "runs_by_way",
        experiment_1.conclude_stuck,
        pictures=(pictures.FIGURE_2_PICTURE,),
    ),
    Section(
        "Metropolis",
        "200 000 iterations, which are as many evaluations as those of experiment 1.",
        "metropolis_cells",
        others.metropolis,
        folded=True,
    ),
    Section(
        "Experiment 2 (Figures 3, 4 and 5)",
        "Nineteen units, 200 cases, cooled slowly from a temperature of 40. Errors are on MacKay's "
        "scale, where the truth has 400; *excess* is over the truth, on 1000 cases without noise. "
        "*Covered* is the share of true positions in 95% intervals of the outputs, on a grid "
        "inside of where training cases are and outside; *normalised* errors there are in units of "
        "the spread of the draws, root mean square. Errors *of one* are of a network of the draws, "
        "before averaging. *Coldest* is the lowest temperature "
        "before the energy falls, *rise* by how much it rises from there.",
        "cooled",
        experiment_2.cooled,
        pictures=(
            pictures.FIGURE_3_PICTURE,
            off_the_data.FIGURE_4_PICTURE,
            off_the_data.FIGURE_5_PICTURE,
        ),
        folded=True,
    ),
    Section(
        "An integrator of fourth order, and masses",
        "Experiment 1's model from states of its posterior, 300 gradients a trajectory; step sizes "
        "are learnt for a target acceptance. They are the same for all components, or in "
        "proportion to the standard deviations that warm-up finds, which is what masses do. *ESS "
        "per million* are effective draws per million gradients; chains that stand still have one.",
        "integrators_by_target",
        others.integrators,
    ),
)
BEYOND = (
    Section(
        "Nineteen units by other means",
        "Means over data sets with their standard errors; gradients and seconds of a chain, "
        "median; errors of single chains. The recommended sampler is `samplers.sample` on "
        "`models.normal_inverse_gamma`, with default settings of everything but length. With eight "
        "units the report's runs are those of the cells that it calls the best, beside single "
        "chains of the recommended sampler on its own model at default length, which take more "
        "gradients.",
        "ways",
        recommended.beside,
        plots=(pictures.EXCESS_PICTURE,),
    ),
    Section(
        "Failures of single chains",
        "By the report's threshold. Chains start at dispersed points; *far off* counts them by "
        "excess, without the noise of test cases. The report's model is sampled by its weights and "
        "scales, not in reflected coordinates, where NUTS stays where it began more often. *From* "
        "and *to* are of the share of data sets with a failure.",
        "small",
        experiment_2.starts,
    ),
    Section(
        "What normal approximations lose",
        "Differences by data set. The Gaussian approximation is MacKay's, at the precisions of "
        "most evidence, for the recommended network; of some starts the one of most evidence "
        "counts. The variational ones are those of `pm.fit` on that network, and Laplace's are "
        "those of `fit_laplace` of pymc-extras: normal distributions of weights and logarithms of "
        "precisions around their common mode, of some random starts the highest one. Outputs of "
        "MacKay's and of Laplace's are linear in the weights, so that their mean is the network at "
        "the mode; the variational ones are networks that are drawn. *Draws* are networks with "
        "weights drawn from the same distributions, as `fit_laplace` returns them.",
        "differences",
        approximations.conclude,
    ),
    Section(
        "Variational bounds on the evidence",
        "Eight units and 100 cases, as priors are compared. A mean field starts at the Gaussian "
        "approximation of most evidence, and full rank where the mean field ends; learning rates "
        "fall when the mean bound of 2000 steps does not exceed that of the 2000 before by two "
        "standard errors. An ascent has *converged* where that happens at the smallest rate, "
        "before 40 000 steps at it. The bound is a mean over draws of the approximation where it "
        "ends. It has one mode: *all copies* adds the logarithm of the number of modes that only "
        "rename units or change their signs, and is a bound no more.",
        "bounds",
        bounds.conclude,
    ),
    Section(
        "Priors: evidence and test log score",
        "Eight units and 100 cases, the same likelihood for all. Evidence is by *ladders*, replica "
        "exchange from the posterior to the prior, and less ours by *bridges*, which weigh draws "
        "of the posteriors under our prior and under another one by the ratio of these priors, "
        "scales integrated out (Bennett 1976); a normal prior of a fixed scale is too far from "
        "ours for that. Scores are of chains at temperature 1, those of the report's logistic "
        "prior of chains of the recommended sampler. *Annealed runs* of the "
        "report's sampler are cooled and heated, and lag behind their temperature; what they "
        "integrate to and what they score has a row of its own, and *lag* is half of what heated "
        "ones have more. *Ours* is a normal prior whose scale is learnt for each group; a t prior "
        "of 4 degrees of freedom has heavy tails.",
        "of_priors",
        beliefs.conclude,
    ),
    Section(
        "Priors with nineteen units",
        "Annealed runs have 100 draws of one chain, so that their lower score and coverage are of "
        "the sampler and of the logistic prior together; that prior by the recommended sampler is "
        "beside them for eight units, and with nineteen for a tenth of the gradients.",
        "differences",
        beliefs.larger,
        folded=True,
    ),
)
SHORT = InShort(
    (
        Answer(
            "Does annealing make failures fewer?",
            "Failures of experiment 1 (Figure 1)",
            "Annealing makes failures fewer",
        ),
        Answer(
            "Were most failures without it stuck at some time, rejecting over 95%, as we read it?",
            "Rejections, and runs that are stuck (Figure 2)",
            "Most failures without annealing",
        ),
        Answer(
            "Has Hamiltonian Monte Carlo less error than Metropolis?",
            "Metropolis",
            "Hamiltonian Monte Carlo has less error",
        ),
        Answer(
            "Is a Gaussian approximation worse than sampling?",
            "What normal approximations lose",
            "The Gaussian approximation has a larger excess",
        ),
        Answer(
            "Does the recommended sampler reach the annealed runs' error with a tenth of their "
            "gradients?",
            "Nineteen units by other means",
            "It does so with a tenth",
        ),
        Answer(
            "Is the excess of the recommended sampler at most 40?",
            "Nineteen units by other means",
            "The excess of the recommended sampler",
        ),
        Answer(
            "Does it reach the annealed runs' error with a tenth on the report's own model?",
            "Nineteen units by other means",
            "So it does on the report's own model",
        ),
        Answer(
            "Does NUTS on that model err less than annealed runs, with as many gradients?",
            "Nineteen units by other means",
            "NUTS on the report's own model has less",
        ),
        Answer(
            f"With nineteen units and a tenth of the gradients, do starts of the recommended "
            f"sampler fail on fewer than {RARE:.0%} of data sets, and none of those that were run?",
            "Failures of single chains",
            "No start of it that was run fails: nineteen units",
        ),
        Answer(
            "And with eight units, at default length?",
            "Failures of single chains",
            "No start of the recommended sampler that was run fails: eight units",
        ),
        Answer(
            "And on the report's own model, with nineteen units and a tenth of the gradients?",
            "Failures of single chains",
            "No start of it that was run fails on the report's model with nineteen units",
        ),
        Answer(
            "And on the report's own model with eight units?",
            "Failures of single chains",
            "No start of it that was run fails on the report's model, eight units",
        ),
    ),
    pictures.FIGURE_1_PICTURE.name,
)
