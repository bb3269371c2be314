"""What PyMC's progress bar shows of a Hamiltonian step method."""

from typing import Any

from rich.progress import TextColumn
from rich.table import Column


class HamiltonianProgress:
    """Columns for divergences, acceptance and gradients, as those of ``pm.NUTS``."""

    @staticmethod
    def _progressbar_config(n_chains: int = 1) -> tuple[list, dict[str, list]]:
        columns = [
            TextColumn("{task.fields[divergences]}", table_column=Column("Divergences", ratio=1)),
            TextColumn("{task.fields[acceptance_rate]:0.2f}", table_column=Column("Acceptance")),
            TextColumn("{task.fields[n_steps]}", table_column=Column("Grad evals", ratio=1)),
        ]
        return columns, {
            name: [0] * n_chains for name in ("divergences", "acceptance_rate", "n_steps")
        }

    @staticmethod
    def _make_progressbar_update_functions() -> tuple:
        def update(stats: dict[str, Any]) -> dict[str, Any]:
            shown = {name: stats[name] for name in ("divergences", "acceptance_rate", "n_steps")}
            return {**shown, "failing": stats["divergences"] > 0}

        return (update,)
