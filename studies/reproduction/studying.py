"""Studies by name: reproductions of published work, each in a package of its own."""

import shlex
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...models.data.choices import choose
from ..errors import one_line_errors
from .changed_code import Changed

if TYPE_CHECKING:
    from .study import Study

# where a study lies; a new one needs nothing but its line
STUDIES = {
    "baldock2019": "baldock2019.study:STUDY",
    "choo2000": "choo2000.study:STUDY",
    "lau2018": "lau2018.study:STUDY",
    "neal1992": "neal1992.study:STUDY",
    "neal1995": "neal1995.study:STUDY",
    "peers": "peers.study:STUDY",
}

FIRST_TIME = "What has not run on this machine before compiles first, which may take minutes more."


@dataclass(frozen=True)
class StudyRequest:
    """What the user asked for; see the options of ``pymc-bnn study``."""

    name: str
    budget: str = "desk"
    out: Path = Path("study")
    cores: int | None = None
    docs: Path | None = None
    seed: int = 0
    changed: Changed = "ask"
    scheduler: str | None = None

    def command(self) -> str:
        """Command line that does it all again.

        Examples
        --------
        >>> from pymc_bnn.studies.reproduction.studying import StudyRequest
        >>> StudyRequest("choo2000", budget="smoke").command()
        'uv run pymc-bnn study choo2000 --budget smoke --seed 0'
        """
        options = ["--budget", self.budget, "--seed", str(self.seed)]
        return shlex.join(["uv", "run", "pymc-bnn", "study", self.name, *options])


def find_study(name: str) -> "Study[Any]":
    """Import a study.

    Parameters
    ----------
    name : str
        From ``STUDIES``.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If there is no study of this name.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.studying import find_study
    >>> find_study("choo2000").name
    'choo2000'
    """
    with one_line_errors():
        module, _, study = STUDIES[choose("study", name, STUDIES)].partition(":")
    return getattr(import_module(f"..{module}", __package__), study)
