"""The table in words, for ``docs/trust.md``; run as a module, this file renews it there."""

from pathlib import Path

from tests.samplers.table.declaration import (
    CELLS,
    LIKELIHOODS,
    PRIORS,
    STEPS,
    STRUCTURES,
    Cell,
    Refused,
    Same,
    Sampled,
    features,
    kind,
)

PAGE = Path(__file__).parents[3] / "docs" / "trust.md"
BEGIN, END = "<!-- the table begins -->\n", "<!-- the table ends -->\n"


def letter(cell: Cell) -> str:
    """What is known of a cell, as one letter."""
    found = kind(cell)
    if isinstance(found, Sampled):
        return "T"
    return "R" if isinstance(found, Refused) else "s"


def table() -> str:
    """All cells: a row for each step and prior, a column for each likelihood."""
    kinds = [type(kind(cell)) for cell in CELLS]
    head = ["step", "prior", *LIKELIHOODS]
    lines = [
        f"{len(CELLS)} cells: {kinds.count(Sampled)} tested, {kinds.count(Same)} of the same "
        f"kernel as tested ones, {kinds.count(Refused)} refused.",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for step in STEPS:
        for i, prior in enumerate(PRIORS):
            known = [
                "".join(letter(Cell(step, prior, likelihood, s)) for s in STRUCTURES)
                for likelihood in LIKELIHOODS
            ]
            cells = [step if i == 0 else "", prior, *(f"`{letters}`" for letters in known)]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *refusals(), *equalities()])


def refusals() -> list[str]:
    """Which words each step refuses with."""
    lines = ["Words of the refusals:", ""]
    for step in STEPS:
        words: dict[str, int] = {}
        for cell in CELLS:
            found = kind(cell)
            if cell.step == step and isinstance(found, Refused):
                words[found.words] = words.get(found.words, 0) + 1
        said = "; ".join(f'"{w}" ({count} cells)' for w, count in words.items())
        if said:
            lines.append(f"- {step}: {said}")
    return [*lines, ""]


def equalities() -> list[str]:
    """Which tested cells have the functions of the others, by what the others are made of."""
    found: dict[tuple[str, str, str], int] = {}
    for cell in CELLS:
        same = kind(cell)
        if isinstance(same, Same):
            made_of = ", ".join(sorted(features(cell) - {cell.step}))
            known = "; ".join(" / ".join(other[other.step == cell.step :]) for other in same.tested)
            key = cell.step, made_of.replace(f"{cell.step}, ", "split: "), known
            found[key] = found.get(key, 0) + 1
    head = ["step", "made of", "cells", "tested in"]
    rows = [(step, made_of, str(count), known) for (step, made_of, known), count in found.items()]
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]


def renewed(page: str) -> str:
    """Return the page with the table as it is declared."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
