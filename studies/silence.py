"""Words of PyMC that say nothing to the reader of a report."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_pymcs_words() -> Iterator[None]:
    """Keep PyMC from listing the variables that it draws, and from saying how far it came.

    Examples
    --------
    >>> import logging
    >>> from pymc_bnn.studies.silence import without_pymcs_words
    >>> with without_pymcs_words():
    ...     logging.getLogger("pymc").isEnabledFor(logging.INFO)
    False
    """
    log = logging.getLogger("pymc")
    level = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(level)
