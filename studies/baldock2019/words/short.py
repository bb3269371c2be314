"""What stands at the head of the page."""

from ...pages.in_short import Answer, InShort
from .pictures import FIGURE_3
from .transitions import MINIMA

ERRORS, MODES = "Errors of M(3) against temperature (Fig. 3)", "Separate modes"
JUMP = "No sharp jump (3.4)"
EVIDENCE = "Evidence of M(3) and M(1) (4.4)"

IN_SHORT = InShort(
    (
        Answer(
            "With every number of cases, do draws at T = 1 have less error than minimised "
            "networks, one by one, as the paper shows?",
            ERRORS,
            "Sampling the posterior predicts better than minimising, by the mean error of a draw",
        ),
        Answer(
            "With every number of cases, have averages over draws less error than averages over "
            "as many minimised networks?",
            ERRORS,
            "Sampling the posterior predicts better than minimising, both by",
        ),
        Answer(
            "With 500 cases, is the mean error of a draw least about T = 1?",
            ERRORS,
            "With 500 cases the test error of M(3) is least",
        ),
        Answer(
            "Is M(1) more probable than M(3)?",
            EVIDENCE,
            "M(1) is more probable than M(3)",
        ),
        Answer(
            "Do chains of a ladder agree on a small network (1-3-1) that fits some waves and "
            "misses others?",
            MODES,
            "Chains of a ladder agree on 1-3-1, cases as they are",
        ),
        Answer(
            "Have averages over draws less error than single minimised networks?",
            ERRORS,
            "Sampling the posterior predicts better than minimising, by the error of probabilities "
            "that are averaged over a chain's draws, as",
        ),
        Answer(
            "Does M(3) with 500 cases show no first-order transition, as the paper says?",
            JUMP,
            "M(3) with 500 cases shows no first-order transition",
        ),
        Answer(
            "Does the bridge, the paper's method, give the evidence of M(3) from a minimum for "
            "each chain?",
            EVIDENCE,
            f"{MINIMA} M(3)",
        ),
        Answer(
            "Do chains alone agree on 1-3-1?",
            MODES,
            "Chains alone agree on 1-3-1, cases as they are",
        ),
        Answer(
            "Do chains of a ladder agree on 1-3-1 where its cases are mirrored?",
            MODES,
            "Chains of a ladder agree on 1-3-1, cases mirrored",
        ),
        Answer(
            "Do chains alone already agree on more units (1-8-1)?",
            MODES,
            "Chains alone agree on 1-8-1, cases as they are",
        ),
    ),
    FIGURE_3.name,
)
