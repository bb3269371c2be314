"""What the page says of chapter 2: functions from priors, and their limits."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from .judgements import largest_of, within

NORMAL = 2.0  # the index of the normal distribution


def functions(tables: Tables) -> str:
    """Judge covariances, and how far from normal outputs are."""
    table = tables["functions"]
    shallow = table[table["layers"] == 1]
    gap = shallow["excess kurtosis"] - shallow["closed form"]
    error = shallow["± excess kurtosis"]
    largest, count = float(table["largest z"].max()), int(table["covariances"].sum())
    claims = [
        Claim(
            "Covariances of networks of all widths and depths: no difference to the limit is seen",
            within(largest, count),
            largest_of(largest, count),
            "within",
        )
    ]
    if len(shallow):
        worst = float((gap / error).abs().max())
        claims.append(
            Claim(
                "The kurtosis of outputs of one layer: no difference to the closed form is seen",
                within(worst, len(shallow)),
                largest_of(worst, len(shallow)),
                "within",
            )
        )
    return write(claims)


def stable(tables: Tables) -> str:
    """Judge functions of stable weights, and whether few units keep large parts."""
    table = tables["stable"]
    largest, count = float(table["largest z"].max()), int(table["numbers"].sum())
    claims = [
        Claim(
            "Functions of stable weights and steps: no difference to the closed form is seen",
            within(largest, count),
            largest_of(largest, count),
            "within",
        )
    ]
    return write([*claims, *_shares(table)])


def _shares(table: pd.DataFrame) -> list[Claim]:
    """Judge squared shares of the widest layers, where the index has a limit that is not zero."""
    heavy = table[(table["index"] < NORMAL) & (table["units"] == table["units"].max())]
    if heavy.empty:
        return []
    gap = (heavy["squared shares"] - heavy["limit"]) / heavy["± squared shares"]
    largest = float(np.abs(gap).max())
    said = zip(heavy["index"], heavy["squared shares"], heavy["limit"], strict=True)
    each = "; ".join(f"index {i:g}: {found:.3f} for {limit:g}" for i, found, limit in said)
    units = f"{int(heavy['units'].iloc[0]):,} units"
    return [
        Claim(
            "Few units keep large parts in the widest layers too: of their squared shares no "
            "difference to the limit is seen",
            within(largest, len(heavy)),
            f"{units}: {each}; {largest_of(largest, len(heavy))}",
            "within",
        )
    ]
