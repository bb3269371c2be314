"""How posteriors are explored: step methods for any PyMC model, made for neural networks."""

from .conjugacy import NotConjugateError
from .diagnosis import Diagnosis, diagnose
from .energy_bias import EnergyBias, energy_bias, measure_energy_bias
from .findings import Finding
from .gibbs_hmc import GibbsHMC
from .gibbs_precision import GibbsPrecision
from .nuts import NUTS
from .sampling import recommended_method, recommended_steps, sample
from .sghmc import SGHMC
from .sgld import SGLD
from .split_leapfrog import SplitLeapfrog
from .static_hmc import StaticHMC
from .step_size_schedules import PolynomialDecay
from .xhmc import XHMC

__all__ = [
    "NUTS",
    "SGHMC",
    "SGLD",
    "XHMC",
    "Diagnosis",
    "EnergyBias",
    "Finding",
    "GibbsHMC",
    "GibbsPrecision",
    "NotConjugateError",
    "PolynomialDecay",
    "SplitLeapfrog",
    "StaticHMC",
    "diagnose",
    "energy_bias",
    "measure_energy_bias",
    "recommended_method",
    "recommended_steps",
    "sample",
]
