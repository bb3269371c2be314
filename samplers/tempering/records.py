"""Log likelihoods recorded at several temperatures: checked, and put in order."""

import numpy as np


def ordered(
    log_likelihood: np.ndarray, inverse_temperatures: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Check records, and sort them from hot to cold.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures).
    inverse_temperatures : ndarray
        Powers of the likelihood that the draws are of, shape (temperatures,), in any order.

    Returns
    -------
    tuple of ndarray
        Both arrays as floats, in order of rising inverse temperature.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.records import ordered
    >>> ordered(np.array([[[-1.0, -9.0]]]), np.array([1.0, 0.0]))
    (array([[[-9., -1.]]]), array([0., 1.]))
    """
    values = np.asarray(log_likelihood, float)
    powers = np.asarray(inverse_temperatures, float)
    if values.ndim != 3 or powers.shape != values.shape[2:]:
        raise ValueError(
            f"log_likelihood has shape {values.shape} and inverse_temperatures {powers.shape}: "
            "give (chains, draws, temperatures) and (temperatures,)."
        )
    if 0 in values.shape:
        raise ValueError(f"log_likelihood has shape {values.shape}: give at least one draw.")
    _check_powers(powers)
    order = np.argsort(powers)
    values, powers = values[:, :, order], powers[order]
    _check_values(values, powers)
    return values, powers


def from_prior_to_posterior(
    log_likelihood: np.ndarray, inverse_temperatures: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Check records that an evidence is to come of, and sort them from hot to cold.

    Returns
    -------
    tuple of ndarray
        Log likelihoods, shape (chains * draws, temperatures), and rising inverse temperatures,
        with 0 and 1 among them.
    """
    values, powers = ordered(log_likelihood, inverse_temperatures)
    for needed, name in ((0.0, "the prior"), (1.0, "the posterior")):
        if needed not in powers:
            raise ValueError(
                f"inverse_temperatures lacks {needed:g}, {name}: record draws there too."
            )
    return values.reshape(-1, powers.size), powers


def _check_powers(powers: np.ndarray) -> None:
    if not np.all(np.isfinite(powers) & (powers >= 0)):
        raise ValueError("inverse_temperatures has entries that are no numbers from 0: mend them.")
    if np.unique(powers).size < powers.size:
        raise ValueError("inverse_temperatures has an entry twice: give each temperature once.")


def _check_values(values: np.ndarray, powers: np.ndarray) -> None:
    if np.any(np.isnan(values) | (values == np.inf)):
        raise ValueError("log_likelihood has nan or +inf: mend the likelihood of these draws.")
    impossible = np.any(values == -np.inf, axis=(0, 1)) & (powers > 0)
    if impossible.any():
        raise ValueError(
            f"log_likelihood is -inf at inverse temperature {powers[impossible][0]:g}, where only "
            "draws of the prior may be: leave out draws from before the chains arrived."
        )
