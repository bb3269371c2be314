"""Sections of a page: what is shown, what the numbers say, the table and the pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from .kept_tables import Tables
from .markdown import markdown

NOTHING = "*No results yet.*"


@dataclass(frozen=True)
class Picture:
    """An image of a page.

    Parameters
    ----------
    name : str
        Of its file.
    caption : str
        What it shows.
    draw : callable
        Draws it, from the study's results or from a section's table; None if there is nothing to
        draw.
    """

    name: str
    caption: str
    draw: Callable[[Any], Figure | None]


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Parameters
    ----------
    title : str
        Its heading.
    text : str
        What is shown.
    table : str, optional
        Name of the table.
    words : callable, optional
        Says, from all tables of the page, what to conclude; called if the section's table is there.
    pictures : tuple of Picture
        Drawn from results; they stay as they are when a page is written anew.
    plots : tuple of Picture
        Drawn from the table.
    folded : bool
        Whether the table is long and shows only if asked for.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.pages.sections import Section
    >>> section = Section("Speed", "By width.", "speed", lambda tables: "It is fast.")
    >>> print(section.write({"speed": pd.DataFrame({"units": [8], "ms": [0.5]})}, {}))
    ### Speed
    <BLANKLINE>
    By width.
    <BLANKLINE>
    It is fast.
    <BLANKLINE>
    | units | ms |
    |---:|---:|
    | 8 | 0.5 |
    <BLANKLINE>
    """

    title: str
    text: str
    table: str | None = None
    words: Callable[[Tables], str] | None = None
    pictures: tuple[Picture, ...] = ()
    plots: tuple[Picture, ...] = ()
    folded: bool = False

    def conclude(self, tables: Tables) -> str:
        """Say what to conclude; empty if there are no words, or nothing to say them from."""
        there = self.table is not None and not tables.get(self.table, pd.DataFrame()).empty
        return self.words(tables) if self.words and there else ""

    def write(self, tables: Tables, images: dict[str, Path]) -> str:
        """Write the section, from the tables and the images, by name, that are there.

        Parameters
        ----------
        tables : mapping of str to DataFrame
            All tables of the page.
        images : dict of str to Path
            Files of pictures, as seen from the page.

        Returns
        -------
        str
            Empty if there is nothing to show.
        """
        shown = [picture for picture in (*self.pictures, *self.plots) if picture.name in images]
        table = tables.get(self.table, pd.DataFrame()) if self.table else pd.DataFrame()
        if table.empty and not shown:
            return ""
        parts = [f"### {self.title}", self.text]
        if not table.empty:
            parts += [self.words(tables)] if self.words else []
            parts.append(_folded(markdown(table)) if self.folded else markdown(table))
        elif self.table is not None:
            parts.append(NOTHING)
        parts += [figure_of(images[picture.name], picture.caption) for picture in shown]
        return "\n\n".join(parts) + "\n"


def _folded(text: str) -> str:
    return f"<details><summary>All numbers</summary>\n\n{text}\n\n</details>"


def figure_of(image: Path, caption: str) -> str:
    """Show an image, whose caption is its text alternative too."""
    return f"```{{figure}} {image.as_posix()}\n:alt: {caption}\n\n{caption}\n```"
