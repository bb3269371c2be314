"""What was chosen beside other classifiers, on digits that no choice of a network has used."""

import numpy as np
import pandas as pd
import xarray as xr

from ..design.confirming import BLOCKS, INPUTS, SHUFFLED, confirmed, peer_key
from ..design.digits import digits
from ..runs.confirming import PEERS
from ..runs.scores import score_error, score_probabilities
from .results import Results

PERCENT = 100.0
BETWEEN, LAST = "error % of the 797", "error % of the 500"
CASES, CHAINS = "± cases", "± chains"
DIFFERENCE, ERROR, PAIRED = "network less it, points", "± difference", "paired"


def confirmation(results: Results) -> pd.DataFrame:
    """Errors of the network that was chosen, and of peers whose settings blocks chose as its."""
    row = confirmed()
    fit = results.load(row.key)
    if fit is None:
        return pd.DataFrame()
    truth, between = _cases()
    network = {
        "classifier": f"network {row.row}",
        "inputs": row.network.inputs,
        **_scores(fit, truth, between),
        CHAINS: PERCENT * _of_chains(fit, truth, between),
        "max R-hat of outputs": float(fit["outputs_max_rhat"]),
        "min ESS of outputs": float(fit["outputs_min_ess"]),
    }
    return pd.DataFrame([network, *_peers(results, fit, BLOCKS)])


def confirmation_shuffled(results: Results) -> pd.DataFrame:
    """The peers with settings that shuffled folds choose, which have the same writers in both."""
    fit = results.load(confirmed().key)
    return pd.DataFrame() if fit is None else pd.DataFrame(_peers(results, fit, SHUFFLED))


def unpaired_where_missing(table: pd.DataFrame) -> pd.DataFrame:
    """Give peers without a difference that of the counts, which needs no single cases.

    Its error is that of two independent shares and of the chains, an upper bound as long as cases
    that are hard for the one are hard for the other.

    Parameters
    ----------
    table : DataFrame
        Of :func:`confirmation`, with the network first.
    """
    missing = table[DIFFERENCE].isna() & (np.arange(len(table)) > 0)
    if not missing.any():
        return table
    network, peers = table.iloc[0], table[missing]
    table = table.copy()
    table.loc[missing, DIFFERENCE] = network[BETWEEN] - peers[BETWEEN]
    own = np.hypot(network[CASES], np.nan_to_num(network[CHAINS]))
    table.loc[missing, ERROR] = np.hypot(own, peers[CASES])
    table.loc[missing, PAIRED] = "no"
    return table


def _peers(results: Results, fit: xr.Dataset, folds: str) -> list[dict[str, object]]:
    """Errors of the peers, and the network's less theirs, case by case.

    The error of a difference has two parts: the spread of the 797 differences over the root of
    their number, and the spread of the chains' own errors over the root of theirs.
    """
    truth, between = _cases()
    network = fit["predicted"].values != truth
    chains = np.nan_to_num(_of_chains(fit, truth, between))
    rows: list[dict[str, object]] = []
    for name in PEERS:
        for inputs in INPUTS:
            found = results.load(peer_key(name, inputs, folds))
            if found is not None:
                wrong = found["predicted"].values != truth
                less = (network.astype(float) - wrong)[between]
                error = np.hypot(less.std(ddof=1) / np.sqrt(less.size), chains)
                rows.append(
                    {
                        "classifier": name,
                        "inputs": inputs,
                        **_scores(found, truth, between),
                        DIFFERENCE: PERCENT * less.mean(),
                        ERROR: PERCENT * error,
                        PAIRED: "yes",
                    }
                )
    return rows


def _cases() -> tuple[np.ndarray, np.ndarray]:
    """Digits of all cases that are not trained on, and which of them lie between the sets."""
    data = digits("raw")
    truth = np.concatenate([data.y_between, data.y_test])
    return truth, np.arange(len(truth)) < len(data.y_between)


def _of_chains(fit: xr.Dataset, truth: np.ndarray, between: np.ndarray) -> float:
    return score_error(fit["probability"].values[:, between], truth[between]).monte_carlo


def _scores(fit: xr.Dataset, truth: np.ndarray, between: np.ndarray) -> dict[str, float]:
    wrong = fit["predicted"].values != truth
    share = wrong[between].mean()
    found = {
        BETWEEN: PERCENT * float(share),
        CASES: PERCENT * float(np.sqrt(share * (1 - share) / between.sum())),
        LAST: PERCENT * float(wrong[~between].mean()),
        "seconds": float(fit["seconds"]),
    }
    if "probability" in fit:
        mean = fit["probability"].values.mean(axis=0)
        scores = score_probabilities(mean[between], truth[between])
        found |= {
            "log score": scores["log_score"],
            "calibration error": scores["calibration_error"],
        }
    return found
