"""Settings that the thesis found best, where the grid had nothing like them (Table 5.11)."""

import numpy as np
import pandas as pd

from ..design.methods import METHODS, THESIS
from .at_once import ENDS, widened
from .beside import without
from .results import Results


def thesis_settings(results: Results) -> pd.DataFrame:
    """Performance at the thesis's best settings, and over the best other one of the grid.

    Both are trials of the grid, from the same start states. The other one is the best of several,
    so that its g is somewhat too small.
    """
    rows = []
    for method in THESIS:
        for width in results.budget.widths:
            tried = {(n, eta): key for n, eta, key in results.grid(method, width)}
            for setting in results.budget.added(method, width):
                key = tried.pop(setting, None)
                if key is None or not tried:
                    continue
                g = {s: results.performance(width, k).value for s, k in tried.items()}
                best = min(g, key=lambda s: g[s])
                ratio = results.ratio_of(width, key, tried[best])
                ours = results.performance(width, key).value
                head = [METHODS[method].title, width, *setting, ours, *best, g[best]]
                rows.append([*head, ratio.value, ratio.low, ratio.high])
    columns = ["method", "hidden units", "thesis's l", "thesis's eta", "g", "l", "eta", "g of it"]
    return pd.DataFrame(rows, columns=[*columns, "ratio", "low", "high"])


def all_at_once(table: pd.DataFrame) -> pd.DataFrame:
    """Add the ends of intervals that hold with 95% for all rows at once."""
    table = without(table, list(ENDS))
    ends = (widened(table["ratio"], table[name], len(table)) for name in ("low", "high"))
    return table.assign(**{name: np.asarray(end) for name, end in zip(ENDS, ends, strict=True)})
