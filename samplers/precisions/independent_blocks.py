"""Blocks of precisions that are independent given all else.

Precisions that scale the same variable, as the global and local ones of a horseshoe, or of which
one sets the rate of another, depend on each other: they are drawn one after the other.
"""

from collections.abc import Sequence

from .conjugacy import ConjugatePrecision


def independent_blocks(precisions: Sequence[ConjugatePrecision]) -> list[list[ConjugatePrecision]]:
    """Split precisions into blocks within which they are independent given all else.

    Parameters
    ----------
    precisions : sequence of ConjugatePrecision
        The precisions.

    Returns
    -------
    list of list of ConjugatePrecision
        Each in the first block that has nothing it depends on; one block if nothing is shared.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
    >>> from pymc_bnn.samplers.precisions.independent_blocks import independent_blocks
    >>> with pm.Model() as model:
    ...     a, b = pm.Gamma("a", 2, 2), pm.Gamma("b", 2, 2)
    ...     noise = pm.Gamma("noise", 2, 2)
    ...     x = pm.Normal("x", 0, tau=a * b)
    ...     y = pm.Normal("y", x, tau=noise, observed=[1.0, 2.0])
    >>> blocks = independent_blocks(conjugate_precisions(model))
    >>> [[precision.variable.name for precision in block] for block in blocks]
    [['a', 'noise'], ['b']]
    """
    blocks: list[list[ConjugatePrecision]] = []
    for precision in precisions:
        free = (b for b in blocks if not any(_linked(precision, other) for other in b))
        block = next(free, None)
        if block is None:
            blocks.append([precision])
        else:
            block.append(precision)
    return blocks


def _linked(one: ConjugatePrecision, other: ConjugatePrecision) -> bool:
    """Whether two precisions share a child, or one is the other's child."""
    first = {one.variable, *(child.variable for child in one.children)}
    return not first.isdisjoint({other.variable, *(child.variable for child in other.children)})
