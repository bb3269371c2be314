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
    claims = [
        _claim(
            "Covariances of networks of all widths and depths: no difference to the limit is seen",
            *_covariances(table),
        )
    ]
    if (table["layers"] == 1).any():
        text = "The kurtosis of outputs of one layer: no difference to the closed form is seen"
        claims.append(_claim(text, *_kurtoses(table)))
    return write(claims)


def stable(tables: Tables) -> str:
    """Judge functions of stable weights, and whether few units keep large parts."""
    table = tables["stable"]
    text = "Functions of stable weights and steps: no difference to the closed form is seen"
    return write([_claim(text, *_characteristic(table)), *_shares(table)])


def of_covariances(tables: Tables) -> str:
    """Say the number that the picture of all covariances stands for."""
    return _judged("covariances", *_covariances(tables["functions"]))


def of_kurtosis(tables: Tables) -> str:
    """Say the number that the picture of all widths stands for."""
    return _judged("the kurtosis of outputs of one layer", *_kurtoses(tables["functions"]))


def of_layers(tables: Tables) -> str:
    """Say the number that the picture of layers stands for; it is judged among all of the table."""
    table = tables["functions"]
    deep = table[table["layers"] > 1]
    largest, count = _covariances(deep)
    _, among = _covariances(table)
    return (
        f"Number: covariances of more than one layer; the largest of {count} differences is "
        f"{largest:.3g} standard errors, judged as one of all {among}. Verdict: "
        f"{within(largest, among)}."
    )


def of_stable(tables: Tables) -> str:
    """Say the number that the picture of stable weights stands for."""
    return _judged("characteristic functions", *_characteristic(tables["stable"]))


def _claim(text: str, largest: float, count: int) -> Claim:
    return Claim(text, within(largest, count), largest_of(largest, count), "within")


def _judged(what: str, largest: float, count: int) -> str:
    return f"Number: {what}; {largest_of(largest, count)}. Verdict: {within(largest, count)}."


def _covariances(table: pd.DataFrame) -> tuple[float, int]:
    return float(table["largest z"].max()), int(table["covariances"].sum())


def _kurtoses(table: pd.DataFrame) -> tuple[float, int]:
    shallow = table[table["layers"] == 1]
    gap = shallow["excess kurtosis"] - shallow["closed form"]
    return float((gap / shallow["± excess kurtosis"]).abs().max()), len(shallow)


def _characteristic(table: pd.DataFrame) -> tuple[float, int]:
    return float(table["largest z"].max()), int(table["numbers"].sum())


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
