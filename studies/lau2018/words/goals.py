"""What became of the targets: how well what K-fold chooses predicts the test cases."""

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables

MOST_WRONG = {"one layer": 7.5, "any network": 6.0}  # in percent of the test cases
MOST_MISCALIBRATED = 0.02
PEER = "calibrated SVM"
SEEN_BEFORE = (
    "That regressions on codes are among the candidates was decided after test errors of Gaussian "
    "processes on codes had been seen; their scales, and the choice among all candidates, come "
    "from the training cases alone. Whether it holds on digits that nobody had looked at is judged "
    "in the next section."
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
    lines = []
    for _, row in plain[plain["among"].isin(list(MOST_WRONG))].iterrows():
        most, rhat = MOST_WRONG[row["among"]], float(rhats[row["network"]])
        agree = rhat <= WORST_RHAT
        error, score, off = row["error %"], row["log score"], row["calibration error"]
        lines.append(
            f"- {str(row['among']).capitalize()}: K-fold chooses {row['network']}. Test error "
            f"{error:.1f}%, at most {most}%: {_met(error <= most, agree)}. Log score {score:.3f}, "
            f"above the {PEER}'s better one, {best_peer:.3f}: {_met(score > best_peer, agree)}. "
            f"Calibration error {off:.4f}, at most {MOST_MISCALIBRATED}: "
            f"{_met(off <= MOST_MISCALIBRATED, agree)}. The largest R-hat of its outputs is "
            f"{rhat:.2f}{'' if agree else ', so that nothing is decided'}."
        )
    return "\n".join([*lines, "", SEEN_BEFORE])


def _met(it_is: bool, agree: bool) -> str:
    """Say what the draws of chains that agree say."""
    if not agree:
        return "undecided"
    return "met" if it_is else "missed"
