"""What the page says of chapter 2: functions from priors, and their limits."""

import numpy as np

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from .judgements import within

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
            "Covariances of networks of all widths and depths are those of the limit",
            within(largest),
            f"the largest of {count} differences is {largest:.3g} standard errors",
            "within",
        )
    ]
    if len(shallow):
        worst = float((gap / error).abs().max())
        claims.append(
            Claim(
                "The kurtosis of outputs of one layer is that in closed form",
                within(worst),
                f"the largest of {len(shallow)} differences of kurtosis is {worst:.3g} standard "
                "errors",
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
            "Functions of stable weights and steps have the distribution in closed form",
            within(largest),
            f"the largest of {count} differences is {largest:.3g} standard errors",
            "within",
        )
    ]
    heavy = table[(table["index"] < NORMAL) & (table["units"] == table["units"].max())]
    if len(heavy):
        gap = (heavy["squared shares"] - heavy["limit"]) / heavy["± squared shares"]
        said = zip(heavy["index"], heavy["squared shares"], heavy["limit"], strict=True)
        claims.append(
            Claim(
                "However wide a layer is, few units keep large parts: their squared shares are "
                "those of the limit",
                within(float(np.abs(gap).max())),
                f"{int(heavy['units'].iloc[0]):,} units: "
                + "; ".join(f"index {i:g}: {found:.3f} for {limit:g}" for i, found, limit in said),
                "within",
            )
        )
    return write(claims)
