"""Claims of the thesis on Gibbs sampling of a variance (4.4), judged by the page's tables."""

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ..numbers.estimates import Compared
from ..rules.judgements import Found, all_as_large, more, says, size_words
from ..rules.mixing import JOINT, MENDED, PLAIN, cause, gibbs_fails, more_efficient, moves
from .rates import rates
from .thesis_words import ESS, MUCH, efficiency, find, rows_of, sizes

VARIANCE = "ESS of variance"
CENTRED = "joint-centered"
MOVED = {
    VARIANCE: "the variance",
    "median ESS": "the median weight",
    "median ESS of outputs": "the median output",
}


def hyperparameter(tables: Tables) -> list[Claim]:
    """Gibbs against joint sampling, 4.4."""
    table = rows_of(tables, "hyperparameter")
    if not {*PLAIN, JOINT, CENTRED} <= set(table.index) or "differences" not in tables:
        return []
    ess = dict(table[VARIANCE].items())
    rows = [(JOINT, name) for name in PLAIN]
    steps = find(tables, "hyperparameter", {name: (name, JOINT) for name in PLAIN})
    # the thesis's sampler, and steps from the curvature beside what it has for its own
    ours = {name: Compared(steps[name].ours, steps[PLAIN[0]].theirs) for name in PLAIN}
    plain = f"ESS of the variance: {sizes(table.loc[[*PLAIN, JOINT]], VARIANCE)}"
    return [
        Claim(
            "Plain Gibbs sampling does not move the variance, joint sampling of non-centred "
            "weights does",
            gibbs_fails({str(name): value for name, value in ess.items()}),
            plain,
            "moves",
        ),
        Claim(
            "Joint sampling of centred weights does not move it",
            moves(ess[CENTRED]).turned(),
            f"ESS of the variance: {sizes(table.loc[[CENTRED]], VARIANCE)}",
            "moves",
        ),
        Claim(
            "Draw for draw, joint sampling moves the weights much better than plain Gibbs sampling",
            more_efficient(efficiency(table, rows)),
            f"{ESS}: {sizes(table.loc[[*PLAIN, JOINT]])}",
            MUCH,
        ),
        Claim(
            "Whatever its steps, Gibbs sampling errs more than joint sampling, by as much as the "
            "thesis says",
            all_as_large(ours),
            f"{says(ours)}. {_for_its_own(ours)}",
            "as much",
        ),
    ]


def _for_its_own(ours: Found) -> str:
    """Write the one difference that the thesis has, and whether each of ours is as large."""
    theirs = ours[PLAIN[0]].theirs
    each = "; ".join(f"{name}: {word}" for name, word in size_words(ours).items())
    return "" if theirs is None else f"The thesis has {theirs.value:+.1f} for its own steps: {each}"


def what_failed(tables: Tables) -> str:
    """Say what keeps Gibbs sampling from succeeding, and at what rate each row moves."""
    table = rows_of(tables, "hyperparameter")
    if not {*PLAIN, MENDED} <= set(table.index):
        return ""
    ess = {str(name): float(value) for name, value in table[VARIANCE].items()}
    steps = find(tables, "hyperparameter", {"the fixed step": PLAIN})
    predictions = {
        "Stands": "The fixed step costs predictions",
        "Does not stand": "In these runs the fixed step did not cost predictions",
        "Undecided": "Whether the fixed step costs predictions is undecided",
    }[more(steps)]
    per_second = " ".join(rates(table, column, title) for column, title in MOVED.items())
    return (
        f"{cause(ess)} ESS of the variance: {sizes(table, VARIANCE)}. {predictions}; "
        f"against steps from the curvature {says(steps)} ([more](#how-claims-are-judged)). "
        f"{per_second}"
    )
