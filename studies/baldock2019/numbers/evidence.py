"""Log evidence from the prior by a ladder of temperatures, and by the paper's bridge."""

import pandas as pd

from ....samplers.marginal_likelihood.estimators import thermodynamic_integration
from ....samplers.marginal_likelihood.jackknife import consecutive_blocks, jackknife
from ...pages.kept_tables import Tables
from ...reproduction.results import Results
from ..design.budgets import BUDGETS, Budget
from ..design.printed import LOG_INTEGRAL, LOG_VOLUME
from ..design.sweeps import Sweep
from ..runs.bridging import CASES
from ..runs.stages import bridge_key
from .tables import chains_of

PAPER, BRIDGE = "the paper", "bridge"
LADDERS = ("cooling", "heating")
NONE = "none"  # where there are no cautions


def evidence(results: Results[Budget]) -> pd.DataFrame:
    """Log evidence of the networks, by each way of getting it, beside what the paper printed.

    A chain's ladder is integrated alone, so that chains that begin at the prior and at a minimum
    say by how much they differ; its error is by the jackknife over blocks of its draws.

    Returns
    -------
    DataFrame
        ``log evidence`` in nats, by network and training cases, of the box prior that is
        normalised: the paper's log integral less the log of the box's volume.
    """
    rows = []
    for network in results.budget.evidence_of:
        printed, error = LOG_INTEGRAL[network]
        rows.append(_row(network, CASES, PAPER, -1, printed - LOG_VOLUME[network], error))
        bridged = results.load(bridge_key(network))
        if bridged is not None:
            value, error = float(bridged["log_evidence"]), float(bridged["error"])
            rows.append(_row(network, CASES, BRIDGE, -1, value, error))
    ladders = [
        row
        for sweep in results.budget.sweeps
        if sweep.walls == "reflect"
        for row in _ladders(results, sweep)
    ]
    return pd.DataFrame(rows + ladders) if ladders else pd.DataFrame()


def _ladders(results: Results[Budget], sweep: Sweep) -> list[dict]:
    rows = []
    for direction in sweep.directions:
        for chain, found in chains_of(results, sweep, direction):
            values = -found["energy"].transpose("draw", "temperature").to_numpy()[None]
            powers = 1 / found["temperature"].to_numpy()
            blocks = consecutive_blocks(1, values.shape[1])
            value = thermodynamic_integration(values, powers)
            _, error = jackknife(thermodynamic_integration, values, powers, blocks)
            rows.append(_row(sweep.network, sweep.cases, direction, chain, value, error))
    return rows


def _row(network: str, cases: int, by: str, chain: int, value: float, error: float) -> dict:
    named = {"network": network, "cases": cases, "by": by, "chain": chain}
    return named | {"log evidence": value, "±": error}


def bridges(results: Results[Budget]) -> pd.DataFrame:
    """What the bridge warned of."""
    found = {name: results.load(bridge_key(name)) for name in results.budget.evidence_of}
    rows = [
        {"network": name, "cautions": str(one["cautions"].item()) or NONE}
        for name, one in found.items()
        if one is not None
    ]
    return pd.DataFrame(rows)


def bridged_chains(tables: Tables) -> int:
    """Chains that a bridge is the mean of, by the budget that was run; 0 if it has none.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.evidence import bridged_chains
    >>> bridged_chains({"run": pd.DataFrame({"budget": ["desk"]})})
    2
    """
    declared = BUDGETS[tables["run"]["budget"].iloc[0]].bridges
    return declared.chains if declared is not None else 0
