"""What became of the targets: how well what K-fold chooses predicts the test cases."""

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
        lines.append(
            f"- {str(row['among']).capitalize()}: K-fold chooses {row['network']}. Test error "
            f"{row['error %']:.1f}%, at most {most}%: {_met(row['error %'] <= most)}. Log score "
            f"{row['log score']:.3f}, above the {PEER}'s better one, {best_peer:.3f}: "
            f"{_met(row['log score'] > best_peer)}. Calibration error "
            f"{row['calibration error']:.4f}, at most {MOST_MISCALIBRATED}: "
            f"{_met(row['calibration error'] <= MOST_MISCALIBRATED)}. The largest R-hat of its "
            f"outputs is {rhat:.2f}."
        )
    return "\n".join([*lines, "", SEEN_BEFORE])


def _met(it_is: bool) -> str:
    return "met" if it_is else "missed"
