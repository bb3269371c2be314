"""How posteriors are explored: step methods for any PyMC model, made for neural networks."""

from .cooling.early_stopping import cool
from .cooling.minimizing import Minima, minimize
from .diagnosis.diagnose import Diagnosis, diagnose
from .diagnosis.energy_bias import EnergyBias, energy_bias, measure_energy_bias
from .diagnosis.findings import Finding
from .marginal_likelihood.annealing import AnnealedEvidence, annealed_evidence
from .marginal_likelihood.bridges.bridging import bridge_evidence
from .marginal_likelihood.evidence import Evidence
from .marginal_likelihood.measuring import evidence
from .marginal_likelihood.sequential import sequential_evidence
from .precisions.conjugacy import NotConjugateError
from .recommended import recommended_method, recommended_steps
from .sampling import sample
from .step_sizes.schedules import PolynomialDecay
from .steps.annealed_hmc import AnnealedHMC
from .steps.annealed_metropolis import AnnealedMetropolis
from .steps.gibbs_hmc import GibbsHMC
from .steps.gibbs_precision import GibbsPrecision
from .steps.nuts import NUTS
from .steps.sghmc import SGHMC
from .steps.sgld import SGLD
from .steps.split_leapfrog import SplitLeapfrog
from .steps.static_hmc import StaticHMC
from .steps.xhmc import XHMC
from .tempering.replica_exchange import ReplicaExchange
from .tempering.round_trips import equal_acceptance_ladder, round_trip_ladder
from .trajectories.choice import TrajectoryChoice
from .trajectories.tuning import tune_trajectory

__all__ = [
    "NUTS",
    "SGHMC",
    "SGLD",
    "XHMC",
    "AnnealedEvidence",
    "AnnealedHMC",
    "AnnealedMetropolis",
    "Diagnosis",
    "EnergyBias",
    "Evidence",
    "Finding",
    "GibbsHMC",
    "GibbsPrecision",
    "Minima",
    "NotConjugateError",
    "PolynomialDecay",
    "ReplicaExchange",
    "SplitLeapfrog",
    "StaticHMC",
    "TrajectoryChoice",
    "annealed_evidence",
    "bridge_evidence",
    "cool",
    "diagnose",
    "energy_bias",
    "equal_acceptance_ladder",
    "evidence",
    "measure_energy_bias",
    "minimize",
    "recommended_method",
    "recommended_steps",
    "round_trip_ladder",
    "sample",
    "sequential_evidence",
    "tune_trajectory",
]
