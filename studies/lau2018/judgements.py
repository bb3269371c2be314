"""What differences of test errors say about a claim."""

from collections.abc import Mapping

from scipy.stats import norm

CHANCE = 0.05  # of calling a difference clear that is none
Gaps = Mapping[str, tuple[float, float] | None]


def says(gap: tuple[float, float]) -> str:
    """Write a difference.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.judgements import says
    >>> says((1.234, 0.5))
    '+1.2 ± 0.5 points'
    """
    return f"{gap[0]:+.1f} ± {gap[1]:.1f} points"


def sign(gap: tuple[float, float], among: int = 1) -> int:
    """Whether a difference is clear, and which way: 1, -1 or 0.

    Parameters
    ----------
    gap : tuple of float
        Difference and its standard error.
    among : int
        How many differences are looked at for a clear one, by which chance gets as many tries.

    Returns
    -------
    int

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.judgements import sign
    >>> sign((3.0, 1.0)), sign((-3.0, 1.0)), sign((1.0, 1.0)), sign((0.0, 0.0))
    (1, -1, 0, 0)
    """
    if abs(gap[0]) <= norm.isf(CHANCE / 2 / among) * gap[1]:
        return 0
    return 1 if gap[0] > 0 else -1


def verdict(stands: bool | None) -> str:
    """Say whether a conclusion stands."""
    return {True: "**Stands.**", False: "**Does not stand.**", None: "**Undecided.**"}[stands]


def no_difference(gaps: Gaps) -> tuple[bool | None, str]:
    """Judge a claim that rows do not differ; one difference that is clear among all refutes it."""
    known = {name: gap for name, gap in gaps.items() if gap is not None}
    text = "; ".join(f"{name}: {says(gap)}" for name, gap in known.items())
    stands = all(sign(gap, len(known)) == 0 for gap in known.values()) if known else None
    return stands, text


def worse(gaps: Gaps) -> tuple[bool | None, str]:
    """Judge a claim that all first rows err more than the second ones."""
    known = {name: gap for name, gap in gaps.items() if gap is not None}
    text = "; ".join(f"{name}: {says(gap)}" for name, gap in known.items())
    signs = [sign(gap) for gap in known.values()]
    if not signs or (0 in signs and -1 not in signs):
        return None, text
    return all(s == 1 for s in signs), text
