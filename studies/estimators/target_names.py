"""Names of targets, which predictions of them carry."""

from typing import Any

import numpy as np
import pandas as pd

from ...models.data.numbers import labelled, scalar


def names_of_targets(y: Any) -> tuple:
    """Columns of a table of targets, or the name of a Series.

    Parameters
    ----------
    y : object
        Targets, as a user gave them.

    Returns
    -------
    tuple of str or number
        Empty if there are none, or such as cannot name outputs: one twice, or pairs.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.target_names import names_of_targets
    >>> names_of_targets(pd.DataFrame({"speed": [1.0], "height": [2.0]}))
    ('speed', 'height')
    >>> names_of_targets(pd.Series([1.0], name="speed")), names_of_targets([1.0])
    (('speed',), ())
    """
    y = labelled(y)
    if isinstance(y, pd.Series):
        given = [] if y.name is None else [y.name]
    else:
        given = list(y.columns) if isinstance(y, pd.DataFrame) else []
    names = tuple(map(scalar, given))
    known = all(isinstance(name, str | int | float) for name in names)
    return names if known and len(set(names)) == len(names) else ()


def named_targets(y: np.ndarray, names: tuple) -> np.ndarray | pd.DataFrame:
    """Give targets their names, if these are texts: numbers are taken for places of columns.

    Parameters
    ----------
    y : ndarray, shape (cases,) or (cases, outputs)
        Targets.
    names : tuple
        As of :func:`names_of_targets`.

    Returns
    -------
    ndarray or DataFrame

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.estimators.target_names import named_targets
    >>> named_targets(np.zeros(2), ("speed",)).columns.tolist()
    ['speed']
    """
    if not names or not all(isinstance(name, str) for name in names):
        return y
    return pd.DataFrame(y.reshape(len(y), -1), columns=list(names))
