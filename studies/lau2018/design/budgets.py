"""How much the study samples: a minute's worth, an hour's, or what the thesis did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..runs.steps import is_available
from .agreed import LAYERS, agreed, ways
from .candidates import candidates, factors
from .declarations import Experiment
from .experiments import ON_OUTPUT, THESIS


@dataclass(frozen=True)
class Length:
    """Chains, and warm-up and recorded draws of each, at most."""

    chains: int
    tune: int
    draws: int


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    thesis, beyond : Length
        Of chains for the thesis's tables, and for those beyond it.
    members : int
        Networks of the largest committee.
    folds : int
        Blocks of training cases that are left out in turn; 0 for none.
    seeds : int
        Runs of every candidate.
    rows : mapping of str to sequence of str
        Rows of the tables that are not run in full.
    lengths : mapping of str to Length
        Of tables, or of rows by their keys, that get another one.
    matched : sequence of str
        Candidates whose PSIS-LOO is repaired by moment matching.
    confirmed : Length, optional
        Of the network that is confirmed on other digits; none if it is not.
    on_codes : Length, optional
        Of candidates on codes that are fitted to all cases: their chains take longer to agree.
    """

    name: str
    thesis: Length
    beyond: Length
    members: int
    folds: int
    seeds: int
    rows: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lengths: Mapping[str, Length] = field(default_factory=dict)
    matched: Sequence[str] = ()
    confirmed: Length | None = None
    on_codes: Length | None = None

    def table(self, name: str) -> list[Experiment]:
        """Experiments of a table of the thesis, as long as the budget allows.

        Rows whose step methods the package lacks are left out.

        Examples
        --------
        >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
        >>> [row.draws for row in BUDGETS["paper"].table("layers")]
        [1000, 1000, 1000]
        """
        rows = [row for row in THESIS[name]() if is_available(row.sampler)]
        return [self._shortened(row, self.thesis) for row in self._kept(name, rows)]

    def factors(self) -> list[Experiment]:
        """What the thesis's network lacks, one by one."""
        return [self._shortened(row, self.beyond) for row in self._kept("factors", factors())]

    def ways(self) -> list[Experiment]:
        """Ways of sampling each prior."""
        return [self._shortened(row, self.thesis) for row in self._kept("ways", ways())]

    def agreed(self) -> list[Experiment]:
        """Networks whose chains are to agree."""
        return [self._shortened(row, self.thesis) for row in self._kept("agreed", agreed())]

    def candidates(self) -> list[Experiment]:
        """Networks to choose from, each with as many seeds as the budget has."""
        rows = [self._shortened(row, self.beyond) for row in self._kept("candidates", candidates())]
        more = [row.reseeded(seed) for seed in range(1, self.seeds) for row in rows]
        return [*rows, *more]

    def in_full(self, row: Experiment) -> Experiment:
        """A candidate as it is fitted to all training cases.

        Examples
        --------
        >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
        >>> desk = BUDGETS["desk"]
        >>> {desk.in_full(row).draws for row in desk.candidates()} == {150, 500}
        True
        """
        if self.on_codes is None or row.network.noise is None:
            return row
        return replace(row, **vars(self.on_codes))

    def _kept(self, table: str, rows: list[Experiment]) -> list[Experiment]:
        kept = self.rows.get(table)
        return rows if kept is None else [row for row in rows if row.row in kept]

    def _shortened(self, row: Experiment, usual: Length) -> Experiment:
        length = self.lengths.get(row.key, self.lengths.get(row.table, usual))
        return row.shortened(length.chains, length.tune, length.draws)


WIDE = 100  # units from which a softmax network takes long for the desk, and is no better there
_DESK_ROWS: dict[str, Sequence[str]] = {
    "candidates": tuple(
        row.row
        for row in candidates()
        if (max(row.network.hidden, default=0) < WIDE or row.network.noise is not None)
        and not row.row.endswith(("15-unit", "15-ard", "70-unit", "70-ard"))
    ),
    "termination": (
        *(f"{form}-{delta}" for form in ("xhmc", "stan") for delta in (0.01, 0.05, 0.1, 0.2)),
        "nuts",
    ),
    "stochastic_gradients": tuple(
        f"0.01-{eta}-{steps}" for eta in (0.1, 0.01, 0.001, 0.0001) for steps in (10, 50, 100, 200)
    ),
    "metrics": (
        "normal-dense",
        *(f"{prior}-diag" for prior in ("normal", "normal_inverse_gamma", "normal_ard")),
        *(f"{prior}-unit" for prior in ("normal", "normal_inverse_gamma", "normal_ard")),
    ),
    "agreed": tuple(row.row for row in agreed() if row.row != "3"),
}
# priors whose chains agree late or never
_SLOW = [prior for prior in ON_OUTPUT if prior not in ("normal", "normal_inverse_gamma")]
_NO_TABLE: dict[str, Sequence[str]] = dict.fromkeys((*THESIS, "ways", "agreed"), ())

BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            Length(2, 10, 20),  # PSIS needs 25 draws
            Length(2, 20, 20),
            members=10,
            folds=0,
            seeds=1,
            rows={
                **_NO_TABLE,
                "precision": ("normal-float32",),
                "trajectories": ("static-10",),
                "factors": ("raw-unit-plain", "unit-gentle-biases"),
                "candidates": ("edges-15-gentle", "edges-15-sharp"),
            },
        ),
        Budget(
            "desk",
            Length(4, 60, 60),
            Length(2, 150, 150),
            members=1000,
            folds=5,
            seeds=1,
            rows=_DESK_ROWS,
            lengths={
                "metrics-normal-dense": Length(2, 30, 20),
                "stochastic_gradients": Length(4, 200, 200),
                "noise_as_printed": Length(4, 200, 200),
                "hyperparameter": Length(4, 200, 200),
                "factors": Length(4, 150, 150),
                "agreed": Length(4, 200, 300),
                "agreed-normal_inverse_gamma": Length(4, 500, 1000),
                **dict.fromkeys((f"agreed-{prior}" for prior in _SLOW), Length(4, 300, 300)),
                **dict.fromkeys((f"agreed-{count}" for count in LAYERS), Length(4, 500, 1000)),
                "ways": Length(4, 100, 150),
            },
            matched=("pixels-35-gentle",),
            confirmed=Length(4, 300, 1200),
            on_codes=Length(2, 500, 500),
        ),
        Budget(
            "paper",
            Length(4, 1000, 1000),
            Length(4, 1000, 1000),
            members=1000,
            folds=10,
            seeds=2,
            matched=("pixels-35-gentle", "edges-35-gentle", "thesis-35"),
            confirmed=Length(4, 500, 1000),
        ),
    )
}
