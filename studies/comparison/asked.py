"""What a request asks for: models, settings, and the table, checked."""

from ...models import VARIANTS
from ...models.data.choices import choose
from ..errors import InputError
from ..fits.settings import Settings
from ..fits.time_limit import LEAST_OF_ALL, check_minutes
from ..structure.choosing import named
from ..structure.pilots import CANDIDATES
from ..tables.datasets import load_dataset
from ..tables.dates import named_periods
from ..tables.reading import read_table
from ..tables.table import Prepared, prepare
from ..tables.target_likelihood import AUTO as BY_PILOTS
from ..tables.target_likelihood import named_likelihood, task_for
from .request import AUTO, Request

# of the two ways to declare a horseshoe the one whose chains mix better, and no walls
NOT_BY_DEFAULT = ("horseshoe", "logistic", "student_t")
DEFAULT_VARIANTS = tuple(name for name in VARIANTS if name not in NOT_BY_DEFAULT)


def variants_of(request: Request) -> list[str]:
    """Names of the models, as ``--variants`` gives them.

    Raises
    ------
    InputError
        If there are none.
    ValueError
        If one is unknown.

    Examples
    --------
    >>> from pymc_bnn.studies.comparison.asked import variants_of
    >>> from pymc_bnn.studies.comparison.request import Request
    >>> variants_of(Request(variants="ard, gaussian"))
    ['ard', 'gaussian']
    """
    text = request.variants
    if text is None:
        return list(DEFAULT_VARIANTS)
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"--variants is empty; choose from {', '.join(VARIANTS)}.")
    return list(dict.fromkeys(choose("variant", name, VARIANTS) for name in names))


def settings_of(request: Request) -> Settings:
    """Settings of the request, with the simplest hidden layers where they are to be chosen.

    Raises
    ------
    InputError
        If one cannot be used.
    """
    given = named(CANDIDATES[0]) if request.hidden == AUTO else request.hidden
    words = [word.strip() for word in given.split(",")]
    likelihood = request.likelihood and named_likelihood(request.likelihood)
    try:
        sizes = tuple(int(word) for word in words)
    except ValueError:
        raise InputError(
            f"--hidden {request.hidden!r}: give whole numbers separated by commas, as in 16,16, "
            "or auto."
        ) from None
    if (accept := request.target_accept) is not None and not 0 < accept < 1:
        raise InputError(f"--target-accept {accept:g}: give a number between 0 and 1, as in 0.95.")
    if request.cores is not None and request.scheduler is not None:
        raise InputError("give --cores or --scheduler, not both: its workers say how many.")
    if request.chains * request.draws < LEAST_OF_ALL:
        raise InputError(
            f"--draws {request.draws} of --chains {request.chains}: leave-one-out needs at least "
            f"{LEAST_OF_ALL} draws of all chains; give more of either."
        )
    return Settings(
        hidden=() if sizes == (0,) else sizes,
        activation=request.activation,
        draws=request.draws,
        tune=request.tune,
        chains=request.chains,
        cores=request.cores,
        seed=request.seed,
        likelihood=None if likelihood == BY_PILOTS else likelihood,
        target_accept=accept,
        minutes=_minutes(request),
    )


def _minutes(request: Request) -> float | None:
    if request.minutes is None:
        return None
    if request.scheduler is not None:
        raise InputError(
            "--minutes is of this machine and --scheduler of others; leave one of both out."
        )
    for name in ("moment_match", "refit", "evidence"):
        if getattr(request, name):
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"--minutes does not count what {option} takes; leave one of both out."
            )
    return check_minutes(request.minutes)


def table_of(request: Request) -> Prepared:
    """Read, check and encode the table of a request.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    if request.table is not None and request.data is not None:
        raise InputError("give a table or --data, not both.")
    if request.table is None:
        data = load_dataset(request.data or "autompg")
        name = data.name
    else:
        data, name = read_table(request.table), request.table.stem
    return prepare(
        data,
        request.target,
        task_for(request.likelihood and named_likelihood(request.likelihood), request.task),
        name=name,
        ignore=request.ignore,
        drop_missing=request.drop_missing,
        mark_missing=request.mark_missing,
        periods=named_periods(request.periods),
        test_fraction=request.test_fraction,
        seed=request.seed,
    )
