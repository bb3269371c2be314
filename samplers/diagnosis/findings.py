"""Findings about draws, and the one place that says where they begin.

Whether draws can be used is decided here alone: :func:`.diagnose`,
:func:`pymc_bnn.studies.check_convergence` and the reports take their thresholds and words from
the findings.

=================  ==============================  =====================================
what               warning                         error: do not use the draws
=================  ==============================  =====================================
values                                             any draw that is not finite
moves                                              a chain that never moves
chains             fewer than 100 draws of each    one chain; too few draws for ESS
R-hat              above 1.01                      above 1.05, or unknown
bulk, tail ESS     below 400 in all                below 100 in all
divergences        1 in 10 000 transitions         more than 1% of the transitions
E-BFMI                                             below 0.3; with Gibbs draws see below
tree depth         more than 5% of the trees
acceptance         below 0.4
bias                                               a step without an accept test
ladder             a pair swaps below 0.05, or
                   a chain has no round trip
=================  ==============================  =====================================

R-hat below 1.01 and 400 effective draws in all chains together are what Vehtari et al. (2021) ask
for: with 400 the Monte Carlo error of a mean is a twentieth of the posterior's standard deviation.
With 100 it is a tenth, and an R-hat of 1.05 leaves means about as uncertain; draws worse than that
say too little. Any divergence is named, since even a few can be a sign of a region that is missed;
more than one in a hundred are. Fewer than one in 10 000 transitions are a note: in funnels such
shares hardly moved a 5% tail beside the error of 400 effective draws
(``tests/benchmarks/divergent_shares.py``). They are counted among all transitions, also those of
draws that thinning leaves out. E-BFMI is twice one less the autocorrelation of the energy from
draw to draw. By itself it says how much of the energy momenta move. Where precisions are drawn
from their conditionals in between, or many trajectories lie between two draws, that is not so, and
below 0.3 the energy is judged by its effective draws, as all else
(``tests/benchmarks/energies_under_gibbs.py``). Draws without a warning are healthy, or converged;
those with warnings alone are usable, and less exact than they should be.
"""

from dataclasses import dataclass

# Vehtari et al. (2021) for R-hat and ESS; Betancourt (2016) for E-BFMI; Lau (2018, 2.6)
RHAT, ESS, BFMI = 1.01, 400.0, 0.3
# from here on the draws should not be used at all
WORST_RHAT, WORST_ESS, WORST_DIVERGENT = 1.05, 100.0, 0.01
DIVERGENT = 1e-4  # of all transitions; with fewer, 5% tails were off by less than 400 draws err by
LEAST_DRAWS = 100  # of each chain
SATURATED = 0.05
LEAST_ACCEPTANCE, MOST_ACCEPTANCE = 0.4, 0.99  # best between 0.6 and 0.9 (Betancourt et al. 2014)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with draws.

    Parameters
    ----------
    name : str
        What was looked at.
    severity : {"error", "warning", "note"}
        Whether the draws should not be used, are less exact than they should be, or cost more
        time than they need.
    value, threshold : float
        What was found, and where the finding begins.
    quantity : str
        Variable or chain it is about; empty for all.
    problem, remedy : str
        A sentence each.
    """

    name: str
    severity: str
    value: float
    threshold: float
    quantity: str
    problem: str
    remedy: str
