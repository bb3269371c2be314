"""What the page says of the recommended sampler beside those of the report."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ..design.fits import EQUAL_LOGISTIC, SHORT, SHORT_LOGISTIC
from ..design.printed import METROPOLIS_CELL
from ..numbers.beside import without_sampling_error
from ..numbers.derived import SCALES, at_cell, of_ways
from ..numbers.rates import by_set
from . import judgements as rules
from .annealed import medians, of_failures, without_failures
from .experiment_2 import BEYOND, beyond, difference, less_claim, level

TARGET = 40.0  # excess on MacKay's scale


def beside(tables: Tables) -> str:
    """Conclude on the recommended sampler."""
    ours = {"excess": level(tables, "large")}
    text = f"The excess of the recommended sampler is at most {TARGET:g}"
    verdict = rules.at_most(ours["excess"], TARGET)
    claims = [Claim(text, verdict, says(ours), "at most")] if known(ours) else []
    claims += _reached(tables, "large", "The recommended sampler reaches the annealed one's error")
    claims += _reached(tables, SHORT, "It does so with a tenth of the gradients")
    claims += _reached(tables, SHORT_LOGISTIC, "So it does on the report's own model")
    same = {"ours less the annealed": difference(tables, EQUAL_LOGISTIC, "annealed", "excess")}
    text = "NUTS on the report's own model has less excess than annealed runs, at equal gradients"
    more = medians(tables, EQUAL_LOGISTIC, "annealed", "excess")
    claims += less_claim(text, same, more=more)
    endless = {"excess": without_sampling_error(tables)}
    text = f"With endless chains it would be at most {TARGET:g}"
    verdict = rules.at_most(endless["excess"], TARGET)
    claims += [Claim(text, verdict, says(endless), "at most")] if known(endless) else []
    return write([*claims, *_in_time(tables), *_of_few_units(tables)], _besides(tables))


def _of_few_units(tables: Tables) -> list[Claim]:
    """Judge the report's other samplers, in the cells that it calls the best, by powers of ten."""
    if not {"runs", "metropolis", "starts"} <= set(tables):
        return []
    ours, runs = tables["starts"].query("fit == 'small'"), tables["runs"]
    annealed = tables["metropolis"].query("way == 'annealed'")
    others = {
        "plain runs": runs[at_cell(runs) & (runs["way"] == "plain")],
        "annealed runs": runs[at_cell(runs) & (runs["way"] == "annealed")],
        "runs of annealed Metropolis": annealed[at_cell(annealed, METROPOLIS_CELL)],
    }
    claims = []
    for name, rows in others.items():
        size, its = (
            by_set(one.assign(size=np.log10(one["excess"])), "size") for one in (ours, rows)
        )
        less = {"ours less its": mean_of((size - its).dropna())}
        text = f"With eight units {name} have a larger excess than the recommended sampler"
        claims += less_claim(text, less, "powers of ten")
    return claims


def _besides(tables: Tables) -> str:
    """Say what gradients are of, and how much of a difference is of annealed runs that failed."""
    words = {"large": "recommended less annealed", SHORT: "a tenth less annealed"}
    more = {SHORT_LOGISTIC: "a tenth on the report's model less annealed"}
    more |= {EQUAL_LOGISTIC: "as many on it less annealed"}
    words |= {way: text for way, text in more.items() if way in of_ways(tables)}
    pairs = {text: (way, "annealed") for way, text in words.items()}
    said = _gradients(tables), of_failures(tables, pairs, "excess")
    return "\n".join(text for text in said if text)


def _in_time(tables: Tables) -> list[Claim]:
    """Judge the recommended sampler by seconds of the processor, on its model and the report's."""
    found = of_ways(tables)
    if not {"large", "annealed"} <= set(found) or "effective draws" not in found["large"]:
        return []
    sizes = {name: np.log10(found[name]["seconds"]) for name in ("large", "annealed")}
    less = {"seconds, powers of ten": mean_of(sizes["large"] - sizes["annealed"])}
    less |= {"excess": difference(tables, "large", "annealed", "excess")}
    faster = "Its default run takes fewer seconds than an annealed one, and errs less"
    more = medians(tables, "large", "annealed", "excess")
    claims = less_claim(faster, less, more=more)
    for way, where in {
        "large": "",
        EQUAL_LOGISTIC: " than NUTS on the report's own model",
    }.items():
        for what, words in (("outputs", "the outputs"), (SCALES, "the hyperparameters")):
            slower = {"annealed less ours": _slower(found, way, what)}
            text = f"Annealed runs have fewer effective draws of {words} per second{where}"
            claims += less_claim(text, slower, "powers of ten")
    return claims


def _slower(found: dict[str, pd.DataFrame], way: str, what: str) -> Estimate:
    """Effective draws of a second of annealed runs, by those of another way."""
    rates = []
    for rows in (found["annealed"], found.get(way, pd.DataFrame())):
        if rows.empty or (what == SCALES and SCALES not in rows):
            return Estimate(np.nan, np.inf)
        rates.append(rows[SCALES] if what == SCALES else rows["effective draws"] / rows["seconds"])
    return mean_of(np.log10(rates[0] / rates[1]).dropna())


def _reached(tables: Tables, way: str, text: str) -> list[Claim]:
    found = {"difference of excess": difference(tables, way, "annealed", "excess")}
    judged = {BEYOND: beyond(tables, way, "annealed")}
    verdict = rules.no_worse(judged[BEYOND])
    shown = f"{says(found)}; {says(judged)}; {medians(tables, way, 'annealed', 'excess')}"
    alone = difference(without_failures(tables), way, "annealed", "excess")
    if known({"": alone}):
        shown += f"; {says({'without annealed runs that failed': alone})}"
    return [Claim(text, verdict, shown, "no worse")] if known(found) else []


def _gradients(tables: Tables) -> str:
    found = of_ways(tables)
    if not {"annealed", SHORT} <= set(found):
        return ""
    of_run = found["annealed"]["gradients"].median()
    text = (
        f"Each of its short chains uses {found[SHORT]['gradients'].median() / of_run:.3g} of the "
        "gradients of an annealed run, and is judged alone. They are fits of another model, with a "
        "normal-inverse-gamma prior."
    )
    if SHORT_LOGISTIC in found:
        text += (
            " Those of the report's model are by NUTS, have "
            f"{found[SHORT_LOGISTIC]['gradients'].max() / of_run:.3g} of these gradients at most, "
            "and are judged alone too."
        )
    return f"{text}\n"
