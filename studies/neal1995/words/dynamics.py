"""What the page says of chapter 3: phases, step sizes and trajectories."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import about, at_most, less, says
from ...reproduction.verdicts import Verdict, together
from ..design.budgets import BUDGETS
from ..design.networks import MAGNITUDES
from ..design.settings import BEST_INITIAL, BEST_LENGTH, ETA, INITIAL, LENGTHS, SUPER
from ..numbers.derived import PERCENT, moved, paired
from ..numbers.tables import MILLION, SETTLED
from .judgements import as_ratios, near_the_best

STABLE = 0.5  # above which the thesis calls factors unstable
NEAR_STABLE = 0.3  # the middle of a bin
DECORRELATED = 0.2
LATE = [2000, 3000]  # leapfrogs after which outputs are taken to have forgotten where they began
REACHED = {125: 50.0, 2000: 25.0, 32_000: 25.0}  # super-transitions, by the thesis
HALF = 0.5  # by which a number may be off to be about another one


def initial(tables: Tables) -> str:
    """Judge which trajectories reach the posterior first."""
    table = tables["initial"]
    best, name = table["L"] == BEST_INITIAL, "log10 error, mean"
    found = {
        f"{BEST_INITIAL} less {n}": paired(table, name, best, table["L"] == n, "run")
        for n in table["L"].unique()
        if n != BEST_INITIAL
    }
    factors = "; ".join(f"{k}: a factor of {10**one.value:.3g}" for k, one in found.items())
    verdict, shown = less(found), f"log10 of the error: {says(found)}"
    others = " and ".join(f"{n}" for n in sorted(INITIAL) if n != BEST_INITIAL)
    text = (
        f"Trajectories of {BEST_INITIAL} leapfrogs err less in the initial phase than of {others}"
    )
    return write(
        [Claim(text, verdict, shown, "less")], f"Errors, mean over super-transitions: {factors}."
    )


def errors(tables: Tables) -> str:
    """Judge which step sizes are stable, and which are worth most."""
    table = tables["errors"]
    high = mean_of(table[table["eta"] > STABLE].groupby("set")["large"].mean() * PERCENT)
    between = (table["eta"] < STABLE) & (table["eta"] >= NEAR_STABLE)
    low = mean_of(table[between].groupby("set")["large"].mean() * PERCENT)
    verdict = together([at_most(low, PERCENT / 2, 2), at_most(high, PERCENT / 2, 2).turned()])
    logs = np.log(moved(table).pivot_table(index="set", columns="eta", values="moved").clip(1e-6))
    found = {f"{eta:g}": mean_of(logs[eta] - logs[ETA]) for eta in logs if eta != ETA}
    best = max(found, key=lambda eta: found[eta].value)
    text = f"What a gradient moves, the factor times the acceptance, is near the best at {ETA:g}"
    return write(
        [
            Claim(
                f"Factors above {STABLE:g} are unstable, those of {NEAR_STABLE:g} to {STABLE:g} "
                "are not: most errors are above 10, or are not",
                verdict,
                says({"above": high, "below": low}, "%"),
                "at most",
            ),
            Claim(
                text,
                near_the_best(found),
                f"most, of {len(found)} others, at {as_ratios({best: found[best]}, len(found))}",
                "near the best",
            ),
        ]
    )


def along(tables: Tables) -> str:
    """Judge how far correlations reach along a trajectory."""
    table = tables["along"]
    output, around = mended(table, "output", 500), table[table["leapfrogs"] == 500]["output"].mean()
    magnitudes = table[table["leapfrogs"] == 1000].set_index("set")[list(MAGNITUDES)]
    size = mean_of(magnitudes.mean(axis=1))
    return write(
        [
            Claim(
                f"An output has an autocorrelation of at most {DECORRELATED:g} after 500 leapfrogs",
                at_most(output, DECORRELATED),
                f"{says({'output': output})}; around the mean of the trajectory {around:.3g}",
                "at most",
            ),
            Claim(
                f"Magnitudes still have more than {DECORRELATED:g} after 1000, mean over groups",
                at_most(size, DECORRELATED).turned(),
                says({"magnitudes": size}),
                "at most",
            ),
        ]
    )


def mended(table: pd.DataFrame, name: str, leapfrogs: int) -> Estimate:
    """Autocorrelation without most of what estimates around the mean of a trajectory take off.

    That mean follows the trajectory. If it has a share m of the variance, an autocorrelation rho
    is estimated as about (rho - m) / (1 - m), and none as -m / (1 - m), which is what is left late.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1995.words.dynamics import mended
    >>> each = {500: 0.1, 2000: -0.2, 3000: -0.3}
    >>> rows = [{"set": 0, "leapfrogs": n, "output": found} for n, found in each.items()]
    >>> round(mended(pd.DataFrame(rows), "output", 500).value, 2)
    0.28
    """
    found = table.pivot_table(index="set", columns="leapfrogs", values=name)
    late = found[LATE].mean(axis=1)
    return mean_of((found[leapfrogs] - late) / (1.0 - late.mean()))


def sampling(tables: Tables) -> str:
    """Judge the sampling phase."""
    table = tables["sampling"]
    plain, woven = (table[table["way"] == way] for way in ("plain", "interweaving"))
    claims = [_equilibrium(plain, length, count) for length, count in REACHED.items()]
    logs, others = _by_length(plain), _by_length(woven)
    gaps = {f"{n} over {BEST_LENGTH}": mean_of(logs[n] - logs[BEST_LENGTH]) for n in _others(logs)}
    text = f"Trajectories of {BEST_LENGTH} leapfrogs give the most effective draws"
    claims.append(Claim(text, less(gaps), as_ratios(gaps), "less"))
    both = [n for n in others if n in logs]
    if both:
        gain = {f"{n}": mean_of(logs[n] - others[n]) for n in both}
        shown = as_ratios({n: -one for n, one in gain.items()})
        text = "Interweaving and collapse give more effective draws at equal gradients"
        claims.append(Claim(text, less(gain), f"with over without: {shown}", "less"))
        shortest = min(others)
        beside = {f"{n}": mean_of(logs[n] - others[shortest]) for n in logs}
        text = (
            f"With interweaving and collapse {shortest} leapfrogs are near the best length without"
        )
        shown = f"plain over it: {as_ratios(beside)}"
        claims.append(Claim(text, near_the_best(beside), shown, "near the best"))
    return write(claims, _lengths_of_chains(tables))


def _equilibrium(plain: pd.DataFrame, length: int, count: float) -> Claim:
    """Judge when chains reach equilibrium; those that do not would be missing in a mean."""
    reached = plain[plain["L"] == length]["reached"]
    found, never = mean_of(reached), int(np.isinf(reached).sum())
    low, high = (1 - HALF) * count, (1 + HALF) * count
    return Claim(
        f"With {length} leapfrogs equilibrium is reached after about {count:g}, that is "
        f"{low:g} to {high:g}",
        Verdict.UNDECIDED if never else about(found, low, high),
        f"{never} of {len(reached)} chains never do"
        if never
        else says({"super-transitions": found}),
        "about",
    )


def _lengths_of_chains(tables: Tables) -> str:
    """Say how long chains are, and what an effective draw of them is."""
    if "run" not in tables:
        return ""
    budget = BUDGETS[str(tables["run"]["budget"].iloc[0])]
    plain, woven = (
        MILLION / ((1 - SETTLED) * count * SUPER * budget.leapfrogs)
        for count in (budget.later, budget.woven)
    )
    return (
        f"Plain chains have {budget.later} super-transitions and interweaved ones {budget.woven}, "
        "so that the least that a chain can show differs: one effective draw is "
        f"{plain:.3g} per million gradients without interweaving and {woven:.3g} with it."
    )


def _by_length(table: pd.DataFrame) -> pd.DataFrame:
    values = table.pivot_table(index="set", columns="L", values="effective per million")
    return np.log(values)


def _others(logs: pd.DataFrame) -> list[int]:
    return [n for n in LENGTHS if n in logs and n != BEST_LENGTH]
