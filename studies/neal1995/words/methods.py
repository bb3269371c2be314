"""What the page says of the methods of chapter 3, at equal gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rules import about, at_most, less, says
from ...reproduction.verdicts import Verdict, together
from ..design.settings import ETA, ETAS, LONG, SETTINGS, TIME, UNCORRECTED, Setting
from ..numbers.derived import BASE, of_settings, paired, ratio
from .judgements import as_ratios, near_the_best

GAIN = 1.5
NEAR = 0.05  # half of the standard deviation of that logarithm
NAMES = {"partial": "Partial gradients"}
PER = {"per million": "gradient", "per second": "second"}
WALKS = "Metropolis", "Langevin"
VARIANTS = UNCORRECTED, "persistence", "windows", "partial", "interweaving"


def methods(tables: Tables) -> str:
    """Judge methods against each other, each at its best setting."""
    table = tables["methods"]
    claims = []
    for method in WALKS:
        found = ratio(table, method, "per million")
        text = f"{method} gives fewer effective draws per gradient than Hamiltonian Monte Carlo"
        claims.append(Claim(text, less({"": found}), as_ratios({"ratio": found}), "less"))
    for method in VARIANTS:
        called = NAMES.get(method, method.capitalize())
        claims += [_gain(called, ratio(table, method, name), words) for name, words in PER.items()]
    claims += [*_lengths(table), _factors(table), *_bias(table)]
    if "long_chains" not in tables:
        claims += _left_open()
    return write(claims, f"{edges(table, SETTINGS)}\n{_without_the_last(table)}")


def _without_the_last(table: pd.DataFrame) -> str:
    """Say what gains are without a setting that was added when all others had been seen."""
    last = SETTINGS[BASE][-1].words
    left = table[(table["method"] != BASE) | (table["setting"] != last)]
    found = {one: ratio(left, one, "per million") for one in VARIANTS if one in set(left["method"])}
    alone = "; ".join(as_ratios({name: one}) for name, one in found.items())
    return f"Without {BASE} at {last}, which was added last, ratios per gradient are: {alone}."


def long_chains(tables: Tables) -> str:
    """Judge persistence and partial gradients by long chains, at their best settings."""
    table = tables["long_chains"]
    claims = [
        _gain(long_of(method), ratio(table, method, name), per)
        for method in LONG
        if method != BASE
        for name, per in PER.items()
    ]
    found = {
        one.words: of_settings(table, (BASE, fresh.words), ("persistence", one.words))
        for one in LONG["persistence"]
        if (fresh := replace(one, method=BASE, more=0.0)) in LONG[BASE]
    }
    called = "Long chains, fewer effective draws per gradient without persistence at equal lengths"
    claims.append(Claim(called, less(found), f"without over with: {as_ratios(found)}", "less"))
    return write(claims, edges(table, LONG))


def _left_open() -> list[Claim]:
    """Claims that only long chains judge, where there are none."""
    why = "there are no long chains here, which are what it is judged by"
    return [
        Claim(of_gain(long_of(method), words), Verdict.UNDECIDED, why, "at most")
        for method in LONG
        if method != BASE
        for words in PER.values()
    ]


def long_of(method: str) -> str:
    """Name long chains of a method."""
    return f"Long chains, {NAMES.get(method, method).lower()}"


def of_gain(called: str, words: str) -> str:
    """Say what is claimed of a method, for a gradient or a second."""
    return f"{called}: at least {GAIN:g} times the effective draws per {words}"


def _gain(called: str, found: Estimate, words: str) -> Claim:
    return Claim(
        of_gain(called, words),
        at_most(found, float(np.log(GAIN))).turned(),
        as_ratios({"ratio": found}),
        "at most",
    )


def edges(table: pd.DataFrame, settings: Mapping[str, Sequence[Setting]]) -> str:
    """Say which methods give most where a number of theirs is the least or most that was tried."""
    means = np.log(table["per million"]).groupby([table["method"], table["setting"]]).mean()
    said: dict[bool, list[str]] = {True: [], False: []}
    for method in (one for one in (BASE, *WALKS, *VARIANTS) if one in settings):
        if method in means:
            best = str(means[method].idxmax())
            called = NAMES[method].lower() if method in NAMES else method
            said[at_an_edge(settings[method], best)].append(f"{called} ({best})")
    return (
        "Settings that give most on all data sets together, and beside which a smaller or a larger "
        "number was not tried with the others equal, so that such may give more: "
        f"{'; '.join(said[True]) or 'none'}. Settings that give most and lie inside: "
        f"{'; '.join(said[False]) or 'none'}."
    )


def at_an_edge(settings: Sequence[Setting], words: str) -> bool:
    """Whether a number of a setting has no smaller or no larger one beside it, others equal.

    Of numbers that differ among the settings.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.design.settings import SETTINGS, Setting
    >>> from pymc_bnn.studies.neal1995.words.methods import at_an_edge
    >>> some = SETTINGS["HMC"]
    >>> [at_an_edge(some, f"L {n}, eta 0.3") for n in (4000, 16_000)]
    [True, True]
    >>> at_an_edge([Setting("HMC", 10, eta) for eta in (0.1, 0.2, 0.3)], "L 10, eta 0.2")
    False
    """
    numbers = np.array([(one.leapfrogs, one.eta, one.more) for one in settings])
    one = numbers[[one.words for one in settings].index(words)]
    for k in np.flatnonzero(np.ptp(numbers, axis=0)):
        beside = numbers[np.all(np.delete(numbers, k, 1) == np.delete(one, k), axis=1), k]
        if not beside.min() < one[k] < beside.max():
            return True
    return False


def _bias(table: pd.DataFrame) -> list[Claim]:
    """Judge means of the noise without a test of ends, beside those with one."""
    length = round(TIME / ETA)
    base = (table["method"] == "HMC") & (table["setting"] == f"L {length}, eta {ETA:g}")
    found = {}
    for setting in (one for one in SETTINGS[UNCORRECTED] if one.leapfrogs == length):
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
    text = (
        "With interweaving, trajectories of 100 leapfrogs are near the best without, at a factor "
    )
    text += f"of {ETA:g}"
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
    """Logarithm of the effective draws per gradient of a setting over those of HMC at its best.

    Of settings with the factor of the thesis.
    """
    method, words = setting
    one = table[(table["method"] == method) & (table["setting"] == words)]
    alike = table["setting"].str.endswith(f"eta {ETA:g}")
    both = pd.concat([table[(table["method"] == "HMC") & alike], one])
    return ratio(both, method, "per million")


def _factors(table: pd.DataFrame) -> Claim:
    same = {s.eta: ("HMC", s.words) for s in SETTINGS["HMC"][: len(ETAS)]}
    found = {
        f"{eta:g}": of_settings(table, name, same[ETA]) for eta, name in same.items() if eta != ETA
    }
    verdict: Verdict = near_the_best(found)
    text = f"Of trajectories as long in time, those with a factor of {ETA:g} are near the best"
    return Claim(text, verdict, f"others over it: {as_ratios(found)}", "near the best")
