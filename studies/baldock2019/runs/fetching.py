"""Images that do not ship with the package's dependencies, before anything is sampled."""

import xarray as xr

from ..design.images import cases


def fetch(size: int) -> xr.Dataset:
    """Fetch the images of a training set, which stay in scikit-learn's folder of data.

    With ``--scheduler`` one worker fetches them, and workers of other machines when they first need
    them.

    Parameters
    ----------
    size : int
        Training cases.

    Returns
    -------
    Dataset
        How many there are to train on and to test on.
    """
    found = cases(size)
    return xr.Dataset({"training": len(found.y), "testing": len(found.y_test)})
