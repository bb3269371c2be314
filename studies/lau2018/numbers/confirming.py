"""What was chosen beside other classifiers, on digits that no choice has used."""

import numpy as np
import pandas as pd
import xarray as xr

from ..design.confirming import INPUTS, confirmed, peer_key
from ..design.digits import digits
from ..runs.confirming import PEERS
from ..runs.scores import score_error, score_probabilities
from .results import Results

PERCENT = 100.0
BETWEEN, LAST = "error % of the 797", "error % of the 500"
DIFFERENCE, ERROR = "network less it, points", "± difference"


def confirmation(results: Results) -> pd.DataFrame:
    """Errors of the network that was chosen and of its peers, case by case.

    The error of a difference has two parts: the spread of the 797 differences over the root of
    their number, and the spread of the chains' own errors over the root of theirs.
    """
    row = confirmed()
    fit = results.load(row.key)
    if fit is None:
        return pd.DataFrame()
    data = digits("raw")
    truth = np.concatenate([data.y_between, data.y_test])
    between = np.arange(len(truth)) < len(data.y_between)
    network = fit["predicted"].values != truth
    chains = score_error(fit["probability"].values[:, between], truth[between]).monte_carlo
    rows = [
        {
            "classifier": f"network {row.row}",
            "inputs": row.network.inputs,
            **_scores(fit, truth, between),
            "± chains": PERCENT * chains,
            "max R-hat of outputs": float(fit["outputs_max_rhat"]),
            "min ESS of outputs": float(fit["outputs_min_ess"]),
        }
    ]
    for name in PEERS:
        for inputs in INPUTS:
            found = results.load(peer_key(name, inputs))
            if found is not None:
                wrong = found["predicted"].values != truth
                less = (network.astype(float) - wrong)[between]
                error = np.hypot(less.std(ddof=1) / np.sqrt(less.size), np.nan_to_num(chains))
                rows.append(
                    {
                        "classifier": name,
                        "inputs": inputs,
                        **_scores(found, truth, between),
                        DIFFERENCE: PERCENT * less.mean(),
                        ERROR: PERCENT * error,
                    }
                )
    return pd.DataFrame(rows)


def _scores(fit: xr.Dataset, truth: np.ndarray, between: np.ndarray) -> dict[str, float]:
    wrong = fit["predicted"].values != truth
    share = wrong[between].mean()
    found = {
        BETWEEN: PERCENT * float(share),
        "± cases": PERCENT * float(np.sqrt(share * (1 - share) / between.sum())),
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
