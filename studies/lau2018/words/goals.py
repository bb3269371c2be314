"""What became of the targets: how well what K-fold chooses predicts the test cases."""

import pandas as pd

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate, summed
from ...reproduction.verdicts import Verdict
from ..design.digits import CASES
from ..rules.judgements import below

MOST_WRONG = {"one layer": 7.5, "any network": 6.0}  # in percent of the test cases
MOST_MISCALIBRATED = 0.02
PEER = "calibrated SVM"
SEEN_BEFORE = (
    "That regressions on codes are among the candidates was decided after test errors of Gaussian "
    "processes on codes had been seen; their scales, and the choice among all candidates, come "
    "from the training cases alone. Whether it errs less than others on digits that no choice of a "
    "network has used is judged in [Tried on other digits](#tried-on-other-digits). The targets "
    "are this study's own: the thesis has none."
)


def reached(tables: Tables) -> str:
    """Say whether the networks that K-fold chooses reach the targets.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        What is there: ``chosen``, ``baselines`` and ``candidates`` are read.

    Returns
    -------
    str
        A list in Markdown; empty unless K-fold and the peer are there.
    """
    found, peers = tables.get("chosen"), tables.get("baselines")
    if found is None or peers is None or "K-fold" not in set(found["chosen by"]):
        return ""
    rhats = tables["candidates"].set_index("network")["max R-hat of outputs"]
    best_peer = float(peers[peers["classifier"] == PEER]["log score"].max())
    plain = found[(found["chosen by"] == "K-fold") & (found["exponent"] == 1.0)]
    lines = [
        _line(row, float(rhats[row["network"]]), best_peer)
        for _, row in plain[plain["among"].isin(list(MOST_WRONG))].iterrows()
    ]
    return "\n".join([*lines, "", SEEN_BEFORE])


def _line(row: pd.Series, rhat: float, best_peer: float) -> str:
    """Say what a network reaches: its error by an interval, the others by their values alone."""
    agree, most = rhat <= WORST_RHAT, MOST_WRONG[row["among"]]
    error, score, off = _error(row), row["log score"], row["calibration error"]
    low, high = error.interval()
    return (
        f"- {str(row['among']).capitalize()}: K-fold chooses {row['network']}. Test error "
        f"{error.value:.1f} ± {error.error:.1f} ({low:.1f} to {high:.1f}) percent, at most "
        f"{most}%: {_met(below(error, most), agree)} ([below](#how-claims-are-judged)). By point "
        f"values, whose errors are not known: log score {score:.3f}, above the {PEER}'s better "
        f"one, {best_peer:.3f}: {_met(_point(score > best_peer), agree)}; calibration error "
        f"{off:.4f}, at most {MOST_MISCALIBRATED}: "
        f"{_met(_point(off <= MOST_MISCALIBRATED), agree)}. The largest R-hat of its outputs is "
        f"{rhat:.2f}{'' if agree else f', above {WORST_RHAT:g}, so that nothing is decided'}."
    )


def _error(row: pd.Series) -> Estimate:
    """Test error with those of the cases and of the chains, as if of two: there may be more."""
    cases = (float(row["± cases"]) ** 2, CASES - 1.0)
    chains = (float(row["± chains"]) ** 2, 1.0)
    return summed(float(row["error %"]), [cases, chains], paired=False)


def _point(it_is: bool) -> Verdict:
    return Verdict.STANDS if it_is else Verdict.FAILS


MET = {Verdict.STANDS: "met", Verdict.FAILS: "missed", Verdict.UNDECIDED: "undecided"}


def _met(verdict: Verdict, agree: bool) -> str:
    """Say what became of a target; draws of chains that do not agree decide nothing."""
    return MET[verdict if agree else Verdict.UNDECIDED]
