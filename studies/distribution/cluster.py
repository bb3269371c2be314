"""The workers of a Dask scheduler, in the place of processes of this machine."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from importlib.metadata import version
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..errors import InputError
from ..reproduction.code_digest import code_digest

if TYPE_CHECKING:
    from distributed import Client

SECONDS_TO_CONNECT = 10.0
SECONDS_BETWEEN_LOOKS = 10.0
LIBRARIES = ("pymc", "pytensor", "numba", "numpy", "scipy")  # of which draws are made


class Cluster:
    """The workers of a scheduler of Dask; leaving it by an error takes back what is not done.

    Results come back to this process, so workers need no folder of its machine.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Address of the scheduler, or a client of it, which stays open.

    Raises
    ------
    InputError
        If Dask is not installed, nothing answers at the address, there are no workers, or a worker
        has several threads: what compiles and samples is made for one in each process.

    Examples
    --------
    >>> from pymc_bnn.studies.distribution.cluster import Cluster
    >>> Cluster("nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pymc_bnn.studies.errors.InputError: scheduler='nowhere': give an address such as tcp://...
    """

    def __init__(self, scheduler: "str | Client"):
        self._own = isinstance(scheduler, str)
        self._looked, self._waits = monotonic(), False
        self.client: Client = _connected(scheduler) if isinstance(scheduler, str) else scheduler
        try:
            self.cores = _count(self.client)
        except InputError:
            self._leave()
            raise

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Have a worker call a function; another one begins anew if the first is lost."""
        return self._executor.submit(function, *arguments)

    def lost(self, error: BaseException) -> bool:
        """Whether an error says that workers died, one after the other, of what they were at."""
        from distributed import KilledWorker

        return isinstance(error, KilledWorker)

    def waiting(self) -> str | None:
        """Say, once, that all workers have gone; to be asked while nothing gets done."""
        if monotonic() - self._looked < SECONDS_BETWEEN_LOOKS:
            return None
        self._looked = monotonic()
        try:
            waits = not self.client.nthreads()
        except Exception:  # futures tell of a scheduler that has gone
            return None
        waited, self._waits = self._waits, waits
        if waited or not waits:
            return None
        return "Waiting: the scheduler has no workers left; start some with `dask worker ADDRESS`."

    def __enter__(self) -> Self:
        self._executor = self.client.get_executor(pure=False)  # a later try is another task
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(Exception) if error is not None else nullcontext():  # it may have gone
            self._executor.shutdown(wait=error is None)
        self._leave()

    def _leave(self) -> None:
        if self._own:
            self.client.close()


def count_workers(scheduler: "str | Client", functions: Sequence[Callable[..., Any]]) -> int:
    """Count the workers of a scheduler, and refuse them if they would run other code.

    Parameters
    ----------
    scheduler : str or distributed.Client
        See :class:`Cluster`.
    functions : sequence of callable
        What they will call.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If they cannot be used, or the package, or a library that makes draws, is not the same on
        all of them and here.
    """
    with Cluster(scheduler) as cluster:
        try:
            there: Mapping[str, Code] = cluster.client.run(_code, functions)
        except Exception as error:  # whatever a machine without the package says
            raise InputError(
                f"a worker cannot import what it has to run ({type(error).__name__}: {error}); "
                "install the same pymc-bnn there."
            ) from error
        here = _code(functions)
        for address, code in there.items():
            _check(address, code, here)
        return cluster.cores


class Code(NamedTuple):
    """What a process runs: digests of functions' code, and versions of libraries."""

    digests: list[str]
    versions: dict[str, str]


def _check(address: str, there: Code, here: Code) -> None:
    """Refuse a worker that would not do the same as this process."""
    if there.digests != here.digests:
        raise InputError(f"{address} has other code; install the same pymc-bnn there.")
    for name, mine in here.versions.items():
        if (other := there.versions[name]) != mine:  # draws may differ, and fits name versions here
            raise InputError(
                f"{address} has {name} {other}, and this machine {mine}; install the same there."
            )


def _connected(address: str) -> "Client":
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a scheduler needs Dask; install it with `uv add 'pymc-bnn[dask]'`."
        ) from None
    try:
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"scheduler={address!r}: give an address such as tcp://127.0.0.1:8786, where "
            f"`dask scheduler` is running ({type(error).__name__}: {error})."
        ) from error


def _count(client: "Client") -> int:
    """Number of workers, if they can be used."""
    threads = client.nthreads()
    if not threads:
        raise InputError(
            "the scheduler has no workers; start some with `dask worker ADDRESS --nthreads 1`."
        )
    if crowded := [address for address, number in threads.items() if number > 1]:
        raise InputError(
            f"worker {crowded[0]} has {threads[crowded[0]]} threads; start it with `--nthreads 1`, "
            "and `--nworkers` for more than one process."
        )
    return len(threads)


def _code(functions: Sequence[Callable[..., Any]]) -> Code:
    digests = [code_digest(function) for function in dict.fromkeys(functions)]
    return Code(digests, {name: version(name) for name in LIBRARIES})
