"""Networks whose chains agree: errors on all digits that are not trained on, and differences."""

from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from ....samplers.diagnosis.findings import WORST_RHAT
from ..design.agreed import PLACES, compared_pairs
from ..design.declarations import Experiment
from ..design.digits import digits
from ..design.published import printed
from ..runs.scores import drawn_errors, score_error, score_probabilities
from .differences import COLUMNS, difference, paired_difference, unpaired
from .results import Results, observed
from .tables import PERCENT

ALL, LAST = "error % of the 1297", "error % of the 500"
RATE = "median output ESS/s"
RHAT, COUNTS = "max R-hat of outputs", "counts"


def ways(results: Results) -> pd.DataFrame:
    """How well each prior is sampled in each way; *nuts* is the row of Table 4.4."""
    tried = results.fits(results.budget.ways())
    usual = [(replace(row, row=f"{row.row}-nuts"), fit) for row, fit in results.table("priors")]
    rows = []
    for row, fit in [*tried, *usual]:
        prior, way = row.row.rsplit("-", 1)
        ess, seconds = float(fit["outputs_median_ess"]), float(fit["seconds"])
        rows.append(
            {
                "prior": prior,
                "way": way,
                **_lengths(row),
                RHAT: float(fit["outputs_max_rhat"]),
                "median ESS of outputs": ess,
                "seconds": seconds,
                RATE: ess / seconds,
            }
        )
    return pd.DataFrame(rows).sort_values("prior", kind="stable") if tried else pd.DataFrame()


def agreed(results: Results) -> pd.DataFrame:
    """Networks on the 1297 digits and on the thesis's 500 of them, and whether they count.

    A row counts where the largest R-hat of its class probabilities is at most 1.05.
    """
    rows = []
    for row, fit in results.fits(results.budget.agreed()):
        probability, truth = _unseen(fit)
        error = score_error(probability, truth)
        scores = score_probabilities(probability.mean(axis=0), truth)
        drawn = float(drawn_errors(probability, truth).mean())
        rhat = float(fit["outputs_max_rhat"])
        rows.append(
            {
                "row": row.row,
                **_lengths(row),
                ALL: PERCENT * error.value,
                "± chains": PERCENT * error.monte_carlo,
                "± cases": PERCENT * error.binomial,
                LAST: PERCENT * score_error(fit["probability"].values, observed()).value,
                "error % of drawn classes": PERCENT * drawn,
                "log score": scores["log_score"],
                "WAIC": float(fit["waic"].sum()),
                RHAT: rhat,
                "min ESS of outputs": float(fit["outputs_min_ess"]),
                "median ESS of outputs": float(fit["outputs_median_ess"]),
                "seconds": float(fit["seconds"]),
                COUNTS: "yes" if rhat <= WORST_RHAT else "no",
            }
        )
    return pd.DataFrame(rows)


def agreed_differences(results: Results) -> pd.DataFrame:
    """Differences of errors on the 1297 digits, with those on the 500 and the thesis's."""
    fits = {row.row: fit for row, fit in results.fits(results.budget.agreed())}
    rows = []
    for table, first, second in compared_pairs():
        if {first, second} <= set(fits):
            pair = fits[first], fits[second]
            (one, truth), (other, _) = (_unseen(fit) for fit in pair)
            ours, last = paired_difference(one, other, truth), difference(*pair)
            theirs = unpaired(_printed(table, first), _printed(table, second))
            known = (theirs.value, theirs.error) if np.isfinite(theirs.value) else (np.nan,) * 2
            numbers = (ours.value, ours.error, ours.freedom, "yes", *known)
            rows.append(
                {
                    "table": table,
                    "row": first,
                    "against": second,
                    **dict(zip(COLUMNS, numbers, strict=True)),
                    "on the 500": last.value,
                    "± on the 500": last.error,
                }
            )
    return pd.DataFrame(rows)


def _lengths(row: Experiment) -> dict[str, int]:
    return {"chains": row.chains, "warm-up": row.tune, "draws": row.draws}


def _unseen(fit: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Class probabilities of all digits that are not trained on, by chain, and what they are."""
    data = digits("raw")
    probability = np.concatenate([fit["between"].values, fit["probability"].values], axis=1)
    return probability, np.concatenate([data.y_between, data.y_test])


def _printed(table: str, row: str) -> float:
    return float(printed(table, **PLACES[table][row])["test_error"])
