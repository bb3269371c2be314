"""Options of the command line that go with what is wrong with draws.

Diagnoses say what may help in words that suit Python too. Here stands what to give to
``pymc-bnn compare`` for it; that it does help is promised of none.
"""

from collections.abc import Iterable, Sequence

from ...samplers.diagnosis.findings import LEAST_DRAWS, Finding
from ..chains.convergence import of_mixing
from .model_results import ModelResult
from .request import Request

TIMES = 4  # as long as chains were; patience made draws of a table usable with that
ENOUGH = Request()  # draws, warm-up and chains of which a first run has enough
SAFER = 0.98  # acceptance to learn step sizes for
FEW_UNITS = 8  # chains of which nearly agreed where those of 32 did not
ELSEWHERE = (
    'Other settings go to another folder, by --out; the page "If chains disagree" of the '
    "documentation says what was measured of them."
)


def options_of(request: Request, results: Iterable[ModelResult]) -> tuple[str, ...]:
    """Name options that go with what is wrong with the draws of some models.

    Parameters
    ----------
    request : Request
        What the user asked for.
    results : iterable of ModelResult
        The models.

    Returns
    -------
    tuple of str
        Sentences; none if nothing is wrong for which there is an option.

    Examples
    --------
    >>> from pymc_bnn.studies.comparison.options import options_of
    >>> from pymc_bnn.studies.comparison.request import Request
    >>> options_of(Request(), [])
    ()
    """
    results = list(results)
    every = (f for result in results for f in result.convergence.diagnosis.findings)
    found = [finding for finding in every if finding.severity != "note"]
    said = [*_lengths(request, found), *_steps(request, found)]
    if any(f.name == "R-hat" and f.severity == "error" and of_mixing(f) for f in found):
        said += _other_models(results)
    elsewhere = [ELSEWHERE] if said else []
    return (*said, *elsewhere, *_leave_one_out(request, results))


def _lengths(request: Request, found: Sequence[Finding]) -> list[str]:
    """Number and length of chains."""
    names = {finding.name for finding in found}
    said = [f"For chains that can be compared: --chains {ENOUGH.chains}."] * ("chains" in names)
    if "draws" in names and request.draws < LEAST_DRAWS:
        return [*said, f"For chains that can be judged: --draws {ENOUGH.draws}."]
    longer = f"--draws {TIMES * request.draws} --tune {TIMES * request.tune}"
    if "E-BFMI" in names or any(map(of_mixing, found)):
        if request.minutes is None:
            said.append(f"For chains that are {TIMES} times as long: {longer}.")
        else:
            said.append(f"For longer chains: more --minutes, or {longer} without them.")
    return said


def _steps(request: Request, found: Sequence[Finding]) -> list[str]:
    """Sizes of steps, and the warm-up that learns them."""
    names = {finding.name for finding in found}
    said = []
    if "divergences" in names:
        given = request.target_accept or 0.0
        safer = SAFER if given < SAFER else 1 - (1 - given) / 2
        said.append(f"For smaller steps: --target-accept {safer:g}.")
    if "acceptance" in names:
        said.append(f"For a longer warm-up: --tune {TIMES * request.tune}.")
    return said


def _other_models(results: Sequence[ModelResult]) -> list[str]:
    """Models that are no better, but whose chains agreed on some table where others did not."""
    options = []
    if all(result.name != "scaled" for result in results):
        options.append("--variants scaled (fixed scales)")
    if any(sum(result.model.hidden) > FEW_UNITS for result in results):
        options.append(f"--hidden {FEW_UNITS} (fewer units)")
    by_row = {result.model.likelihood.noise_by_row for result in results}
    if len(by_row) == 1 and None not in by_row:
        options.append(f"--likelihood {by_row.pop()} (noise by row)")
    if not options:
        return []
    return [
        "Where longer chains stay apart too, those of another model may agree, which may predict "
        f"worse: {', '.join(options)}."
    ]


def _leave_one_out(request: Request, results: Sequence[ModelResult]) -> list[str]:
    """Repairs of leave-one-out, for which fits can stay, but for those of a limit of time."""
    given = {"--moment-match": request.moment_match, "--refit": request.refit}
    left = [option for option, asked in given.items() if not asked]
    judged = [result for result in results if result.standing.obstacle is None]
    if not left or not any(result.bad_cases for result in judged):
        return []
    said = f"For a repair of leave-one-out: {', then '.join(left)}"
    if request.minutes is None:
        return [f"{said}."]
    # repairs are refused with minutes, and fits of other minutes by the folder
    anew = "fits are made anew for that, in another folder, by --out"
    return [f"{said}, without --minutes; {anew}."]
