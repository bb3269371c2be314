"""What the page says of chapter 3: phases, trajectories and methods."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import about, at_most, less, says
from ...reproduction.verdicts import Verdict, together
from ..design.networks import MAGNITUDES
from ..design.settings import (
    BEST_INITIAL,
    BEST_LENGTH,
    ETA,
    ETAS,
    INITIAL,
    LENGTHS,
    SETTINGS,
    UNCORRECTED,
)
from ..numbers.derived import PERCENT, moved, of_settings, paired, ratio
from .judgements import as_ratios, near_the_best

STABLE = 0.5  # above which the thesis calls factors unstable
NEAR_STABLE = 0.3
DECORRELATED = 0.2
REACHED = {125: 50.0, 2000: 25.0, 32_000: 25.0}  # super-transitions, by the thesis
HALF = 0.5  # by which a number may be off to be about another one
GAIN = 1.5
NEAR = 0.05  # half of the standard deviation of that logarithm
NAMES = {"partial": "Partial gradients"}


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
    between = (table["eta"] < STABLE) & (table["eta"] > NEAR_STABLE)
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
    output = mean_of(table[table["leapfrogs"] == 500]["output"])
    magnitudes = table[table["leapfrogs"] == 1000].set_index("set")[list(MAGNITUDES)]
    size = mean_of(magnitudes.mean(axis=1))
    return write(
        [
            Claim(
                f"An output has an autocorrelation of at most {DECORRELATED:g} after 500 leapfrogs",
                at_most(output, DECORRELATED),
                says({"output": output}),
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


def sampling(tables: Tables) -> str:
    """Judge the sampling phase."""
    table = tables["sampling"]
    plain = table[table["way"] == "plain"]
    claims = []
    for length, count in REACHED.items():
        found = mean_of(plain[plain["L"] == length]["reached"])
        low, high = (1 - HALF) * count, (1 + HALF) * count
        claims.append(
            Claim(
                f"With {length} leapfrogs equilibrium is reached after about {count:g}, that is "
                f"{low:g} to {high:g}",
                about(found, low, high),
                says({"super-transitions": found}),
                "about",
            )
        )
    logs = _by_length(plain)
    gaps = {f"{n} over {BEST_LENGTH}": mean_of(logs[n] - logs[BEST_LENGTH]) for n in _others(logs)}
    text = f"Trajectories of {BEST_LENGTH} leapfrogs give the most effective draws"
    claims.append(Claim(text, less(gaps), as_ratios(gaps), "less"))
    woven = _by_length(table[table["way"] == "interweaving"])
    both = [n for n in woven if n in logs]
    if both:
        gain = {f"{n}": mean_of(logs[n] - woven[n]) for n in both}
        shown = as_ratios({n: -one for n, one in gain.items()})
        text = "Interweaving and collapse give more effective draws at equal gradients"
        claims.append(Claim(text, less(gain), f"with over without: {shown}", "less"))
    return write(claims)


def _by_length(table: pd.DataFrame) -> pd.DataFrame:
    values = table.pivot_table(index="set", columns="L", values="effective per million")
    return np.log(values)


def _others(logs: pd.DataFrame) -> list[int]:
    return [n for n in LENGTHS if n in logs and n != BEST_LENGTH]


def methods(tables: Tables) -> str:
    """Judge methods against each other, each at its best setting."""
    table = tables["methods"]
    claims = []
    for method in ("Metropolis", "Langevin"):
        found = ratio(table, method, "per million")
        text = f"{method} gives fewer effective draws per gradient than Hamiltonian Monte Carlo"
        claims.append(Claim(text, less({"": found}), as_ratios({"ratio": found}), "less"))
    for method in (UNCORRECTED, "persistence", "windows", "partial", "interweaving"):
        called = NAMES.get(method, method.capitalize())
        for name in ("per million", "per second"):
            found = ratio(table, method, name)
            words = "gradient" if name == "per million" else "second"
            claims.append(
                Claim(
                    f"{called}: at least {GAIN:g} times the effective draws per {words}",
                    at_most(found, float(np.log(GAIN))).turned(),
                    as_ratios({"ratio": found}),
                    "at most",
                )
            )
    return write([*claims, *_lengths(table), _factors(table), *_bias(table)])


def _bias(table: pd.DataFrame) -> list[Claim]:
    """Judge means of the noise without a test of ends, beside those with one."""
    base = (table["method"] == "HMC") & (table["setting"] == f"L 1000, eta {ETA:g}")
    found = {}
    for setting in SETTINGS[UNCORRECTED]:
        these = (table["method"] == UNCORRECTED) & (table["setting"] == setting.words)
        if these.any() and base.any():
            found[f"{setting.eta:g}"] = paired(table, "noise", these, base, "set")
    if not found:
        return []
    verdict: Verdict = together([about(one, -NEAR, NEAR, len(found)) for one in found.values()])
    text = (
        f"Without rejection the mean logarithm of the noise's precision is within {NEAR:g} of that "
        "with it, at all factors"
    )
    return [Claim(text, verdict, f"difference by eta: {says(found)}", "about")]


def _lengths(table: pd.DataFrame) -> list[Claim]:
    long = "HMC", "L 4000, eta 0.3"
    short = {n: of_settings(table, ("HMC", f"L {n}, eta 0.3"), long) for n in (10, 100)}
    found = {f"{n} over 4000": one for n, one in short.items()}
    woven = ratio_to_best(table, ("interweaving", "L 100, eta 0.3"))
    text = "With interweaving, trajectories of 100 leapfrogs are near the best without"
    return [
        Claim(
            "Trajectories of 10 and of 100 leapfrogs give fewer effective draws per gradient than "
            "those of 4000",
            less(found),
            as_ratios(found),
            "less",
        ),
        Claim(
            text,
            near_the_best({"": -woven}),
            as_ratios({"interweaving over the best without": woven}),
            "near the best",
        ),
    ]


def ratio_to_best(table: pd.DataFrame, setting: tuple[str, str]) -> Estimate:
    """Logarithm of the effective draws per gradient of a setting over those of HMC at its best."""
    method, words = setting
    one = table[(table["method"] == method) & (table["setting"] == words)]
    both = pd.concat([table[table["method"] == "HMC"], one])
    return ratio(both, method, "per million")


def _factors(table: pd.DataFrame) -> Claim:
    same = {s.eta: ("HMC", s.words) for s in SETTINGS["HMC"][: len(ETAS)]}
    found = {
        f"{eta:g}": of_settings(table, name, same[ETA]) for eta, name in same.items() if eta != ETA
    }
    verdict: Verdict = near_the_best(found)
    text = f"Of trajectories as long in time, those with a factor of {ETA:g} are near the best"
    return Claim(text, verdict, f"others over it: {as_ratios(found)}", "near the best")
