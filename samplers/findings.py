"""Findings about draws, what they are made from, and the thresholds where they begin."""

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import xarray as xr

from .energy_bias import EnergyBias

# Vehtari et al. (2021) for R-hat and ESS; Betancourt (2016) for E-BFMI; Lau (2018, 2.6)
RHAT, ESS_PER_CHAIN, BFMI = 1.01, 100.0, 0.3
# from here on the draws should not be used at all
WORST_RHAT, WORST_ESS, WORST_DIVERGENT = 1.05, 100.0, 0.01
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


class Evidence(NamedTuple):
    """What findings are made from.

    Attributes
    ----------
    table : DataFrame
        R-hat and effective sample sizes; see :func:`.identified.agreement`.
    divergences : int
        Diverging transitions.
    bfmi, saturation, acceptance : DataArray or None
        By chain: energy Bayesian fraction of missing information, share of trees of the largest
        depth, mean acceptance probability; None where the sampler reports none.
    chains, draws : int
        How many, draws of each chain.
    biased : bool
        Whether a step without an accept test made the draws.
    bias : EnergyBias or None
        By how much, if it was measured.
    """

    table: pd.DataFrame
    divergences: int
    bfmi: xr.DataArray | None
    saturation: xr.DataArray | None
    acceptance: xr.DataArray | None
    chains: int
    draws: int
    biased: bool
    bias: EnergyBias | None
