"""Draw pictures off screen and save them, in one style."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

WIDTH, DPI = 8.2, 100
STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "font.size": 9.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
}
_DRAWING = RLock()  # style and backend are those of all threads


@contextmanager
def drawing() -> Iterator[None]:
    """Draw off screen, in the style of the pages.

    Examples
    --------
    >>> from pymc_bnn.studies.pages.drawing import drawing
    >>> with drawing():
    ...     plt.rcParams["axes.spines.top"]
    False
    """
    with off_screen(), plt.rc_context(STYLE):
        yield


@contextmanager
def off_screen() -> Iterator[None]:
    """Draw off screen, one thread at a time, and close what was drawn, but no other figures.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from pymc_bnn.studies.pages.drawing import off_screen
    >>> others = plt.get_fignums()
    >>> with off_screen():
    ...     _ = plt.figure()
    ...     print(plt.get_backend())
    agg
    >>> plt.get_fignums() == others
    True
    """
    with _DRAWING:
        backend, others = plt.get_backend(), set(plt.get_fignums())
        plt.switch_backend("agg")
        try:
            yield
        finally:
            for number in set(plt.get_fignums()) - others:
                plt.close(number)
            plt.switch_backend(backend)


def save(figure: Figure, path: Path) -> None:
    """Write an image."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)
