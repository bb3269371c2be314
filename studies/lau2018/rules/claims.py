"""Rules that verdicts come from."""

from ..design.digits import CASES
from .judgements import KEPT, MARGIN
from .mixing import KNOWN, KNOWN_ONE, LEAST, SAME

RULES = {
    "equal": f"rows err equally often. Stands if every interval lies within {MARGIN:g} points of "
    f"zero ({MARGIN * CASES / 100:g} of {CASES} cases), fails if one lies beyond that as a whole.",
    "differ": "rows do not err equally often. The opposite of *equal*.",
    "more": "first rows err more, by however little. Stands if every interval lies above zero, "
    "fails if one lies below.",
    "as much": "first rows err more by as much as the thesis has it. Fails if one difference is "
    "clearly smaller than the thesis's, whose error is that of 500 cases, or has clearly the other "
    "sign; stands if all have clearly its sign and none is clearly smaller.",
    "not best": "a choice does not err least. Stands if another row clearly errs less, fails if "
    "all others clearly err more.",
    "below": "a number is at most a target. Stands if its interval lies below it, fails if it lies "
    "above.",
    "as efficient": "draw for draw, median effective sample sizes are within a factor of "
    f"{SAME:g}. A ratio is taken as known within {KNOWN:g}: two runs of one network by one sampler "
    f"differ by 1.21. So this stands if all ratios are within {SAME / KNOWN:g}, and fails if one "
    f"is beyond {SAME * KNOWN:g}. Only runs of as many chains and recorded draws are compared, "
    "whatever their warm-up and seconds, and none of two that both have less than "
    f"{LEAST:g}, which says how many chains there are and not how they move.",
    "much more efficient": "draw for draw, median effective sample sizes are more than "
    f"{SAME:g} times as large. Stands if all ratios are above {SAME * KNOWN:g}, fails if one is at "
    f"most {SAME / KNOWN:g}; what is compared is as above.",
    "moves": f"a sampler moves the variance: from {LEAST * KNOWN_ONE:g} effective draws on it "
    f"does, up to {LEAST / KNOWN_ONE:g} it does not. The claim stands if every row does as it "
    "says, and fails if one does the opposite.",
    "same order": "rows have the order that the thesis's have. Fails if two rows that differ "
    "clearly in both have the other order, stands if there are such rows and all have the same.",
    "explains": "what is printed is our quantity and not another one. Fails if a printed number "
    "lies outside the interval of ours, stands if none does and all lie outside that of the other, "
    "over the rows whose draws can be the thesis's.",
    "keeps": "one update leaves the variance of a standard normal as it is. An integral is known "
    f"to its difference to a coarser one. Stands if every change is below {KEPT:.4f} with that, "
    "fails if one is beyond even so.",
    "fewer": "a warm-up takes fewer leapfrog steps than another from the same starts. Stands if "
    "the interval of the mean logarithm of their ratio, of the spread over starts, lies below "
    "zero, fails if it lies above.",
    "nearer": "printed errors are nearer to those of one table than to those of another, by the "
    "mean over rows of the difference of distances. Stands if all intervals, of the spread over "
    "rows, lie below zero, fails if one lies above.",
}
# rules on what has no interval: effective sample sizes, and integrals
BY_LIMITS = ("as efficient", "much more efficient", "moves", "keeps")
HOW = (
    "A verdict follows from a rule on the numbers of these tables, and is about runs of their "
    "length. In the thesis's tables rows count whether or not their chains agree, so that a "
    "verdict there is about such short runs; one in *By chains that agree* is about the posterior, "
    "and the same sentence may have another verdict there. What a rule does not say stands or "
    "fails is **undecided**; a claim about several rows stands if it does for all, and fails if it "
    "does for one. A difference of test errors is given as value ± standard error (interval); "
    "intervals hold with 95% for all differences of a claim at once, and widen where the spread of "
    "few chains is their main part. Where the single cases of a result are not kept the error is "
    "that of *unpaired* counts, larger as a rule. The thesis gives no errors; its differences get "
    "those that 500 cases bring. The rules say that"
)


def how() -> str:
    """Say how claims are judged: what a verdict is, and each rule."""
    return "\n".join([f"{HOW}\n", *(f"- *{name}*: {text}" for name, text in RULES.items())])
