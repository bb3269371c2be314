"""Log evidence from the prior by a ladder of temperatures, and by the paper's bridge."""

import numpy as np
import pandas as pd

from ....samplers.marginal_likelihood.estimators import thermodynamic_integration
from ....samplers.marginal_likelihood.jackknife import consecutive_blocks, jackknife
from ...reproduction.results import Results
from ..design.budgets import Budget, Sweep
from ..design.printed import LOG_INTEGRAL, LOG_VOLUME
from ..runs.bridging import CASES
from ..runs.stages import bridge_key
from .tables import chains_of


def evidence(results: Results[Budget]) -> pd.DataFrame:
    """Log evidence of the networks, by each way of getting it, beside what the paper printed.

    A chain's ladder is integrated alone, so that chains that begin at the prior and at a minimum
    say by how much they differ; its error is by the jackknife over blocks of its draws.

    Returns
    -------
    DataFrame
        In nats, of the box prior that is normalised: the paper's log integral less the log of the
        box's volume.
    """
    rows = []
    for network in results.budget.evidence_of:
        printed, error = LOG_INTEGRAL[network]
        rows.append(_row(network, "the paper", -1, printed - LOG_VOLUME[network], error))
        bridged = results.load(bridge_key(network))
        if bridged is not None:
            value, error = float(bridged["log_evidence"]), float(bridged["error"])
            rows.append(_row(network, "bridge", -1, value, error))
        for sweep in results.budget.sweeps:
            if (sweep.network, sweep.cases, sweep.walls) == (network, CASES, "reflect"):
                rows += _ladders(results, sweep)
    return pd.DataFrame(rows) if len(rows) > len(results.budget.evidence_of) else pd.DataFrame()


def _ladders(results: Results[Budget], sweep: Sweep) -> list[dict]:
    rows = []
    for direction in sweep.directions:
        for chain, found in chains_of(results, sweep, direction):
            values = -found["energy"].transpose("draw", "temperature").to_numpy()[None]
            powers = 1 / found["temperature"].to_numpy()
            blocks = consecutive_blocks(1, values.shape[1])
            value = thermodynamic_integration(values, powers)
            _, error = jackknife(thermodynamic_integration, values, powers, blocks)
            rows.append(_row(sweep.network, direction, chain, value, error))
    return rows


def _row(network: str, by: str, chain: int, value: float, error: float) -> dict:
    return {"network": network, "by": by, "chain": chain, "log evidence": value, "±": error}


def bridges(results: Results[Budget]) -> pd.DataFrame:
    """What the bridge warned of."""
    found = {name: results.load(bridge_key(name)) for name in results.budget.evidence_of}
    rows = [
        {"network": name, "cautions": str(one["cautions"].item()) or "none"}
        for name, one in found.items()
        if one is not None
    ]
    return pd.DataFrame(rows)


def mean_over_chains(table: pd.DataFrame, network: str, by: tuple[str, ...]) -> tuple[float, float]:
    """Mean log evidence of a network's chains, and its standard error.

    The error is the larger of the chains' own and of what their spread says.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.evidence import mean_over_chains
    >>> rows = [("M1", "cooling", 0, -10.0, 0.3), ("M1", "heating", 0, -14.0, 0.4)]
    >>> table = pd.DataFrame(rows, columns=["network", "by", "chain", "log evidence", "±"])
    >>> mean_over_chains(table, "M1", ("cooling", "heating"))
    (-12.0, 2.0)
    """
    rows = table[(table["network"] == network) & table["by"].isin(by)]
    count = len(rows)
    if count == 0:
        return np.nan, np.nan
    own = float(np.sqrt((rows["±"] ** 2).sum())) / count
    spread = float(rows["log evidence"].std(ddof=1)) / np.sqrt(count) if count > 1 else 0.0
    return float(rows["log evidence"].mean()), float(max(own, spread))
