"""What the page of the study shows, section by section."""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Section
from ..design.networks import NETWORKS
from ..design.printed import CALCULATIONS, LARGEST
from ..numbers import derived, evidence, tables
from ..numbers.cold import cold
from ..numbers.heat import heat
from ..numbers.modes import modes
from ..numbers.ordinary import ordinary
from . import conclusions, pictures, sharp, transitions
from .cold import cold as of_cold
from .cold import summed
from .modes import modes as of_modes
from .ordinary import by_network
from .ordinary import ordinary as of_ordinary

SOURCES = {
    "temperatures": Source(tables.temperatures),
    "minimised": Source(tables.minimised),
    "exchanges": Source(tables.exchanges),
    "evidence": Source(evidence.evidence),
    "bridges": Source(evidence.bridges),
    "modes": Source(modes),
    "cold": Source(cold),
    "ordinary": Source(ordinary),
}
DERIVED: Mapping[str, Callable[[Tables], pd.DataFrame]] = {
    "curves_M3": partial(derived.curves_of, "M3", "reflect"),
    "curves_M3star": partial(derived.curves_of, "M3star", "reflect"),
    "rejecting": partial(derived.curves_of, "M3", "reject"),
    "heat": partial(heat, sharp.OF_PAPER),
    "heat_of_others": partial(heat, sharp.OTHERS),
    "stopping": derived.stopping,
    "evidence_by_way": derived.evidence_by_way,
    "widths": derived.widths,
    "cold_by_temperature": summed,
    "ordinary_by_network": by_network,
}
PAPER = (
    Section(
        "Errors of M(3) against temperature (Fig. 3)",
        "Means over draws of the energy of a case, in nats, as in the paper; *predictive* is the "
        "error where probabilities are averaged over draws first, *wrong* the share of cases that "
        "these put into another class; heat capacities are left out of chains whose energies are "
        "worth fewer than five draws. Solid lines are chains that are cooled from the prior, "
        "dashed ones chains that are heated from a minimum.",
        "curves_M3",
        conclusions.figure_3,
        plots=(pictures.FIGURE_3,),
        folded=True,
    ),
    Section(
        "Minimised networks (3.4)",
        "By Algorithm 3 from starts within $1 / \\sqrt{k}$. *Largest weight* is in units of "
        "$1 / \\sqrt{k}$, mean over networks; of M(3) the paper finds "
        f"{LARGEST['M3']:g}, and puts the walls at {NETWORKS['M3'].factor:g}, of M(3*) "
        f"{LARGEST['M3star']:g} and {NETWORKS['M3star'].factor:,g}.",
        "minimised",
        conclusions.minima,
    ),
    Section(
        "Errors of M(3*) against temperature (Fig. 4)",
        "Its outputs go through logistic functions before the softmax, so that no case can have an "
        "error below 1.46.",
        "curves_M3star",
        conclusions.figure_4,
        plots=(pictures.FIGURE_4,),
        folded=True,
    ),
    Section(
        "No sharp jump (3.4)",
        "The paper sees no first-order transition of M(3) between networks that fit and networks "
        "that do not. At one the mean energy jumps, or its variance over the square of the "
        "temperature, the heat capacity, has a narrow peak. *Up to the next* is the mean heat "
        "capacity up to the next temperature, by the change of the mean energy.",
        "heat",
        partial(sharp.no_jump, sharp.OF_PAPER),
        folded=True,
    ),
    Section(
        "Early stopping (3.4)",
        "Chains that are cooled from the prior, from the paper's hottest temperature on: where "
        "they stop if they stop where the test error rises by more than twice the standard error "
        "of the difference, by their own errors, and where it is least. Errors that are shown have "
        "the factors of the rules. Test cases stand for validation cases.",
        "stopping",
        conclusions.early,
    ),
    Section(
        "Replicas that change places (Fig. 2)",
        "Replicas at all temperatures, from a minimum unless another start is named. Each second "
        "pair of neighbours tries to change places between the moves of all replicas.",
        "exchanges",
        transitions.ladder,
        (pictures.WALK,),
        folded=True,
    ),
    Section(
        "Evidence of M(3) and M(1) (4.4)",
        "Log evidence in nats under the prior that is normalised. The paper prints integrals over "
        "the box, from which the logarithm of its volume is taken here; its errors are standard "
        f"deviations of its {CALCULATIONS} calculations. *cooling* and *heating* integrate "
        "the mean energies of the chains above over the inverse temperature, from the prior, each "
        "chain alone; their errors have the factors of the rules.",
        "evidence_by_way",
        transitions.evidence,
    ),
    Section("What the bridge warns of", "From its own draws.", "bridges"),
)
BEYOND = (
    Section(
        "Cooled and heated chains",
        "The paper's chains begin at minima, for all temperatures, and it sees no sharp "
        "transition: no special temperature schedule should be needed. Then it must not matter "
        "which way a chain came. The integral of energies over inverse temperatures, the log "
        "evidence, is one number that says by how much it does, in the mean over temperatures; the "
        "test error at T = 1 another.",
        "curves_M3",
        transitions.both_ways,
        plots=(pictures.AVERAGED,),
        folded=True,
    ),
    Section(
        "Sharp jumps of other networks",
        "As above of M(3), whose heat capacity the figure before shows.",
        "heat_of_others",
        partial(sharp.no_jump, sharp.OTHERS),
        folded=True,
    ),
    Section(
        "Walls",
        "The paper rejects trajectories that end outside of the box. Here they are rejected as "
        "soon as they leave it, or are reflected by the walls. *Filled* is the root mean square of "
        "weights, as a share of that of the uniform prior. At T = ∞ the prior itself is sampled, "
        "whose weights fill the box: chains that do not fill it there have not come far from where "
        "they began, and say nothing of what the posterior fills.",
        "rejecting",
        transitions.walls,
        folded=True,
    ),
    Section(
        "The width of the box",
        "Walls stand at a factor times $1 / \\sqrt{k}$; the paper's is 50. Errors have the factors "
        "of the rules.",
        "widths",
        transitions.of_widths,
    ),
    Section(
        "Separate modes",
        "Chains alone beside ladders. One input, 100 cases of $0.3 + 0.4 x + 0.5 \\sin 2.7 x + "
        "1.1 / (1 + x^2)$ with noise of 0.1 that is learnt, tanh units, weights with a standard "
        "deviation of 5. With few units networks fit some waves and miss others. Chains alone "
        "start at dispersed points; ladders have temperatures from 1 to 1000. Seconds are with "
        "what compiles. *Low* is the share of draws below 80 nats. Where cases are mirrored both "
        "halves are as probable to be fitted better, by symmetry.",
        "modes",
        of_modes,
    ),
    Section(
        "Cold posteriors on ordinary tables",
        "Is 1 the best temperature where the noise is learnt? Networks with a normal-inverse-gamma "
        "prior; errors are minus the mean log predictive density of a test case, in nats, of the "
        "draws of all chains together. Differences are over splits of the table, which share "
        "cases, so that their spread is somewhat too small.",
        "cold_by_temperature",
        of_cold,
    ),
    Section(
        "Exchange on ordinary tables",
        "Four chains alone, and four ladders of eight temperatures from 1 to 30, by the "
        "recommended steps, in seconds of sampling that were to be the same: training cases of "
        "Auto MPG, diabetes and wine, 1000 rows of Friedman's first function with noise 1, and "
        "Choo's eight cases. R-hat is that of the network's worst output, *R-hat hyper* that "
        "of its worst hyperparameter, effective draws are "
        "those of the worst output or hyperparameter. Differences are in powers of ten. Networks "
        "of one table are alike, so that tables are what errors and intervals count, each with the "
        "mean of its networks; where there is one table, priors are. Each claim is judged by "
        "itself.",
        "ordinary_by_network",
        of_ordinary,
        folded=True,
    ),
)
