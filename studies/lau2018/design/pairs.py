"""Which rows of the thesis's tables are compared with which."""

from collections.abc import Sequence
from itertools import combinations

EXACT = "exact"  # the sampler that stochastic gradients are compared with
NETWORK = "network"  # what committees are compared with
BESIDE = {
    "termination": "nuts",
    "priors": "normal",
    "trajectories": "dynamic",
    "layers": "2",
    "stochastic_gradients": EXACT,
    "noise_as_printed": EXACT,
}
BETWEEN = {
    "hyperparameter": (
        ("gibbs-fixed-step", "gibbs-curvature"),
        ("gibbs-fixed-step", "joint-noncentered"),
        ("gibbs-curvature", "joint-noncentered"),
    ),
    "priors": (
        ("normal_ard", "normal_inverse_gamma"),
        ("regularized_horseshoe_ard", "regularized_horseshoe"),
        ("horseshoe_ard", "horseshoe"),
        ("regularized_horseshoe", "horseshoe"),
    ),
    "scaled_priors": tuple((f"scaled-{width}", f"normal-{width}") for width in (35, 50, 65)),
    "precision": tuple(
        (f"{name}-float32", f"{name}-float64") for name in ("normal", "normal_inverse_gamma")
    ),
}


def pairs(table: str, rows: Sequence[str]) -> list[tuple[str, str]]:
    """Rows of a table that are compared, as first and second ones.

    Parameters
    ----------
    table : str
        The table.
    rows : sequence of str
        Rows that are there.

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.pairs import pairs
    >>> pairs("layers", ["2", "3", "4"])
    [('3', '2'), ('4', '2')]
    """
    if table == "information_criterion":
        return [(second, first) for first, second in combinations(rows, 2)]
    second = BESIDE.get(table)
    found = [(row, second) for row in rows if second in rows and row != second]
    return [
        *((row, second) for row, second in found if second is not None),
        *((one, other) for one, other in BETWEEN.get(table, ()) if {one, other} <= set(rows)),
    ]
