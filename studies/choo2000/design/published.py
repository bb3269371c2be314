"""The numbers that the thesis printed, to set beside one's own."""

import numpy as np
import pandas as pd

from ...pages.published import published_table

TABLES = (
    "leapfrog_steps",
    "master_runs",
    "network_passes",
    "optimal_settings",
    "performance",
    "prior_settings",
    "region_shares",
    "start_states",
    "verification_runs",
)

COMBINED = ["delta", "u", "v", "a"]  # Eq. 5.8: b controls a single weight


def published(name: str) -> pd.DataFrame:
    r"""Load a table of Choo (2000, chapter 5).

    Parameters
    ----------
    name : str
        ``verification_runs`` (Table 5.3), ``network_passes`` per leapfrog step (5.5),
        ``prior_settings``: typical standard deviation ``sd``, :math:`\omega^{-1/2}`, and
        ``alpha`` of Eq. 3.7 (5.6), ``master_runs`` (5.7), ``start_states`` (5.8),
        ``region_shares``: fraction of the posterior where :math:`\log\sigma_u > 4` or
        :math:`\log\sigma_a > 4` (5.9), ``leapfrog_steps`` per chain (5.10), ``optimal_settings``
        (5.11), or ``performance``: variance of means ``rho``, its ``error`` and the geometric
        mean ``g`` (5.12).

    Returns
    -------
    DataFrame
        Its column ``table`` says which table of the thesis a row is from. Methods are ``gibbs``,
        ``dynamical_a`` and ``dynamical_b``, hyperparameters ``delta``, ``u``, ``v``, ``a`` and
        ``b``; rates and shares are fractions.

    Raises
    ------
    ValueError
        If there is no such table.

    Notes
    -----
    In Table 5.12 ``g`` is not the geometric mean of the variances in its row for Dynamical A with
    8 hidden units (they give 0.1028, it prints 0.1039), Dynamical B with 8 (0.1063, 0.0683) and
    Dynamical B with 16 (0.0744, 0.0731). They are kept as printed; :func:`recomputed_performance`
    has both.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.published import published
    >>> published("region_shares")["share"].tolist()
    [0.0498, 0.0529, 0.0705, 0.0491]
    """
    return published_table(__package__, name, TABLES)


def recomputed_performance() -> pd.DataFrame:
    """Geometric means of the variances that Table 5.12 prints, beside those that it prints.

    Returns
    -------
    DataFrame
        By ``method`` and ``hidden_units``: ``printed``, ``recomputed`` and ``log_error``, the
        standard error of the latter's logarithm as if its four variances were independent, and
        ``most_log_error``, as if they were the same number.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.published import recomputed_performance
    >>> row = recomputed_performance().set_index(["method", "hidden_units"]).loc["dynamical_b", 8]
    >>> float(row["printed"]), round(float(row["recomputed"]), 4)
    (0.0683, 0.1063)
    """
    table = published("performance")
    parts = table[table["hyperparameter"].isin(COMBINED)]
    parts = parts.assign(log=np.log(parts["rho"]), part=parts["error"] / parts["rho"])
    rows = parts.groupby(["method", "hidden_units"], as_index=False)
    found = rows.agg(
        printed=("g", "first"),
        recomputed=("log", "mean"),
        log_error=("part", np.linalg.norm),
        most_log_error=("part", "sum"),
    )
    found["recomputed"] = np.exp(found["recomputed"])
    found[["log_error", "most_log_error"]] /= len(COMBINED)
    return found
