"""Claims of the thesis on priors, networks and ways of sampling, judged by the page's tables."""

from itertools import combinations

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ..numbers.differences import compared
from ..rules.judgements import Found, all_as_large, equal, more, not_best, says, says_size
from ..rules.mixing import Run, as_efficient, more_efficient

ARD_PAIRS = {
    "normal_ard": "normal_inverse_gamma",
    "regularized_horseshoe_ard": "regularized_horseshoe",
    "horseshoe_ard": "horseshoe",
}
ESS = "Median ESS of weights"
MUCH = "much more efficient"


def rows_of(tables: Tables, name: str) -> pd.DataFrame:
    """A table by its rows, empty if it is not there."""
    table = tables.get(name)
    return pd.DataFrame() if table is None else table.set_index("row")


def find(tables: Tables, name: str, wanted: dict[str, tuple[str, str]]) -> Found:
    """Look up differences of a table by what they are to be called."""
    table = tables.get("differences", pd.DataFrame())
    found = {title: compared(table, name, *pair) for title, pair in wanted.items()}
    return {title: one for title, one in found.items() if one is not None}


def against(tables: Tables, name: str, second: str) -> Found:
    """All differences of a table to one row."""
    others = [row for row in rows_of(tables, name).index if row != second]
    return find(tables, name, {row: (row, second) for row in others})


def efficiency(table: pd.DataFrame, wanted: list[tuple[str, str]]) -> list[tuple[Run, Run]]:
    """Pairs of runs, as far as they are there."""
    return [
        (Run.of(table.loc[one]), Run.of(table.loc[two]))
        for one, two in wanted
        if {one, two} <= set(table.index)
    ]


def sizes(table: pd.DataFrame, column: str = "median ESS") -> str:
    """Write how many effective draws each row has."""
    return ", ".join(f"{row} {value:.3g}" for row, value in table[column].items())


def worse(found: Found, text: str) -> list[Claim]:
    """Two claims, that rows err more than others, and by as much as the thesis says."""
    if not found:
        return []
    return [
        Claim(text, more(found), says(found), "more"),
        Claim(
            "They do by as much as the thesis says",
            all_as_large(found),
            says_size(found),
            "as much",
        ),
    ]


def efficient(table: pd.DataFrame, wanted: list[tuple[str, str]], text: str) -> list[Claim]:
    """Make a claim that rows move the weights as efficiently as others, draw for draw."""
    there = efficiency(table, wanted)
    if not there:
        return []
    names = list(dict.fromkeys([*(one for one, _ in wanted), *(two for _, two in wanted)]))
    shown = sizes(table.loc[[name for name in names if name in table.index]])
    draws = f"{text}, draw for draw"
    return [Claim(draws, as_efficient(there), f"{ESS}: {shown}", "as efficient")]


def committees(tables: Tables) -> list[Claim]:
    """Committees, 4.2."""
    table = tables.get("committees", pd.DataFrame())
    if table.empty:
        return []
    last = table["members"].max()
    small, large = (
        find(
            tables,
            "committees",
            {f"{size} on {name} inputs": (f"{name}-{size}", "network") for name in ("raw", "unit")},
        )
        for size in (2, last)
    )
    text = "Committees of two early-stopped networks err more than a Bayesian network"
    matched = Claim(
        f"Committees of {last} err as often as the network", equal(large), says(large), "equal"
    )
    return [*worse(small, text), matched] if large else []


FORMS = {"xhmc": "As printed", "stan": "As Stan has it"}


def termination(tables: Tables) -> list[Claim]:
    """XHMC against GNUTS, 4.3, by either form of its criterion."""
    table, found = rows_of(tables, "termination"), against(tables, "termination", "nuts")
    claims = []
    for form, title in FORMS.items():
        rows = {row: gap for row, gap in found.items() if str(row).startswith(form)}
        if not rows:
            continue
        thresholds = list(combinations(rows, 2))
        claims += [
            Claim(f"{title}, XHMC errs as often as NUTS", equal(rows), says(rows), "equal"),
            *efficient(
                table,
                [(row, "nuts") for row in rows],
                f"{title}, it moves the weights as efficiently",
            ),
            *efficient(table, thresholds, f"{title}, its threshold does not matter for that"),
        ]
    return claims


def priors(tables: Tables) -> list[Claim]:
    """Priors, 4.5."""
    table, found = rows_of(tables, "priors"), against(tables, "priors", "normal")
    text = "All hierarchical priors err more than the normal one"
    ard = find(tables, "priors", {one: (other, one) for one, other in ARD_PAIRS.items()})
    rows = efficiency(table, list(ARD_PAIRS.items()))
    shoe = find(tables, "priors", {"horseshoe": ("horseshoe", "regularized_horseshoe")})
    claims = worse(found, text)
    if ard:
        title = "Hierarchical priors err more without scales by unit (ARD)"
        shown = f"{ESS}: {sizes(table.loc[[*ARD_PAIRS.values(), *ARD_PAIRS]])}"
        claims += [
            Claim(title, more(ard), f"Errors without, less those with: {says(ard)}", "more"),
            Claim("With these scales they mix much better", more_efficient(rows), shown, MUCH),
        ]
    if shoe:
        title = "The horseshoe errs more than the regularized one"
        claims += [Claim(title, more(shoe), says(shoe), "more")]
    return claims


def scaled_priors(tables: Tables) -> list[Claim]:
    """Scaled priors, 4.7."""
    table = rows_of(tables, "scaled_priors")
    widths = [str(row).split("-")[1] for row in table.index if str(row).startswith("scaled")]
    wanted = {w: (f"scaled-{w}", f"normal-{w}") for w in widths}
    found = find(tables, "scaled_priors", {f"{w} units": pair for w, pair in wanted.items()})
    return [
        *worse(found, "Scaled priors err more than unscaled ones"),
        *efficient(table, list(wanted.values()), "Both are sampled as efficiently"),
    ]


def metrics(tables: Tables) -> list[Claim]:
    """Metrics, 4.8."""
    table = rows_of(tables, "metrics")
    dense = efficiency(table, [("normal-diag", "normal-dense")])
    if not dense:
        return []
    rows = table.loc[["normal-dense", "normal-diag"]]
    iterations = rows["chains"] * (rows["warm-up"] + rows["draws"])
    lengths = ", ".join(
        f"{name} {row['chains']:.0f} chains of {row['warm-up']:.0f} and {row['draws']:.0f}"
        for name, row in rows.iterrows()
    )
    seconds = ", ".join(f"{n} {x:.2g}" for n, x in (rows["seconds"] / iterations).items())
    evidence = f"{ESS}: {sizes(rows)}; but lengths are: {lengths}"
    if dense[0][0][1:] == dense[0][1][1:]:
        evidence = evidence.split("; but")[0]
    priors = sorted({str(row).rsplit("-", 1)[0] for row in table.index})
    alike = [(f"{prior}-unit", f"{prior}-diag") for prior in priors]
    text = "A diagonal metric mixes much better than a dense one, which costs more"
    return [
        Claim(text, more_efficient(dense), f"{evidence}; seconds an iteration: {seconds}", MUCH),
        *efficient(table, alike, "A unit metric mixes as well as a diagonal one"),
    ]


def layers(tables: Tables) -> list[Claim]:
    """Layers, 4.9."""
    table = rows_of(tables, "layers")
    found = find(tables, "layers", {"4 against 2 layers": ("4", "2")})
    return [
        *worse(found, "Four hidden layers err more than two"),
        *efficient(
            table, [("3", "2"), ("4", "2")], "Networks of more layers are sampled as efficiently"
        ),
    ]


def precision(tables: Tables) -> list[Claim]:
    """Single precision, 4.10."""
    names = ("normal", "normal_inverse_gamma")
    wanted = {name: (f"{name}-float32", f"{name}-float64") for name in names}
    found = find(tables, "precision", wanted)
    text = "Single precision errs as often as double"
    return [Claim(text, equal(found), says(found), "equal")] if found else []


def trajectories(tables: Tables) -> list[Claim]:
    """Static against dynamic, 4.11."""
    table, found = rows_of(tables, "trajectories"), against(tables, "trajectories", "dynamic")
    if not found:
        return []
    text = "Static trajectories, without and with windows, err as often as dynamic ones"
    return [
        Claim(text, equal(found), says(found), "equal"),
        *efficient(
            table, [(row, "dynamic") for row in found], "They move the weights as efficiently"
        ),
    ]


def information_criterion(tables: Tables) -> list[Claim]:
    """WAIC, 4.12."""
    table = rows_of(tables, "information_criterion")
    if len(table) < 2:
        return []
    chosen = str(table["WAIC"].idxmax())
    found = against(tables, "information_criterion", chosen)
    shown = f"It chooses {chosen}; the others' errors less its: {says(found)}"
    text = "WAIC does not choose the width that errs least"
    return [Claim(text, not_best(found), shown, "not best")]
