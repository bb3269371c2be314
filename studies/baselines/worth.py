"""Is a network worth it? A verdict by held-out cases, which can also be no and undecided.

The network is the first one by leave-one-out whose draws can be used, so that the held-out cases
have not chosen it. It is worth it if its log score is clearly better than that of every simpler
model, and not if one of them is clearly better than it: by more standard errors of the paired
difference than comparing with several explains (:func:`.paired_scores.critical`), and by more than
4 nats over all of these cases, as between networks.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...samplers.diagnosis.rounding import beside
from ..scores.evaluation import summarize_scores
from ..scores.paired_scores import LEAST_HELD_OUT, NOTICEABLE, Difference, difference
from .baseline import Baseline

SHOWN = ("rmse", "crps", "error_rate", "log_score", "coverage_90", "calibration_error")


def state_worth(
    name: str, log_score: np.ndarray, baselines: Mapping[str, Baseline], mcse: float = np.nan
) -> str:
    """Say whether a network predicts better than simpler models.

    Parameters
    ----------
    name : str
        What the network is called.
    log_score : ndarray, shape (cases,)
        Its log scores of held-out cases.
    baselines : mapping of str to Baseline
        The simpler models.
    mcse : float
        Monte Carlo error of the network's summed log scores, where it is known.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.baselines.baseline import Baseline
    >>> from pymc_bnn.studies.baselines.worth import state_worth
    >>> scores = np.random.default_rng(1).normal(size=50)
    >>> made = xr.Dataset({"log_score": ("obs", scores - 0.1 - 0.01 * np.arange(50))})
    >>> print(state_worth("ard", scores, {"linear": Baseline("linear", made, 0.1)}))
    A network is worth it: on the 50 held-out cases ard predicts better than linear (+0.345 ± 0.021) (log score per case).
    """  # noqa: E501
    cases = len(log_score)
    if cases < LEAST_HELD_OUT:
        return (
            f"{cases} held-out cases are too few to say whether a network is worth it "
            f"({LEAST_HELD_OUT} are needed)."
        )
    others = {name: baseline.scores["log_score"].values for name, baseline in baselines.items()}
    gaps = {other: difference(log_score, scores, mcse) for other, scores in others.items()}
    models = len(gaps) + 1
    better = [n for n, gap in gaps.items() if _certain(gap, models)]
    worse = [n for n, gap in gaps.items() if _certain(gap.turned, models)]
    open_ones = [n for n in gaps if n not in (*better, *worse)]
    small = [n for n in open_ones if gaps[n].clear(models) or gaps[n].turned.clear(models)]
    said = []
    for names, words in (
        (worse, f"{name} predicts worse than"),
        (better, f"{name} predicts better than"),
        ([n for n in open_ones if n not in small], "it is open against"),
        (small, f"it differs too little ({NOTICEABLE:g} nats or less in all) from"),
    ):
        if names:
            said.append(f"{words} {', '.join(f'{n} ({_margin(gaps[n])})' for n in names)}")
    verdict = "A network is not worth it" if worse else "A network is worth it"
    if open_ones and not worse:
        verdict = "Undecided whether a network is worth it"
    return f"{verdict}: on the {cases} held-out cases {'; '.join(said)} (log score per case)."


def _margin(gap: Difference) -> str:
    """Mean and standard error, with digits enough that neither looks like zero."""
    mean = beside(gap.mean, 0.0, digits=3, kind="+f")
    return f"{mean} ± {beside(gap.se, 0.0, digits=3)}"


def _certain(gap: Difference, models: int) -> bool:
    """Whether a difference is large, and beyond chance."""
    return gap.total > NOTICEABLE and gap.clear(models)


def baseline_table(baselines: Mapping[str, Baseline], sd: float) -> pd.DataFrame:
    """Scores of simpler models, in the unit of the targets.

    Parameters
    ----------
    baselines : mapping of str to Baseline
        The models.
    sd : float
        Standard deviation by which the targets were divided.

    Returns
    -------
    DataFrame
        A row for each, with ``seconds``.
    """
    rows = {}
    for name, baseline in baselines.items():
        found = summarize_scores(baseline.scores, sd)
        rows[name] = {key: found[key] for key in SHOWN if key in found}
        rows[name]["seconds"] = baseline.seconds
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
