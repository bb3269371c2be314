"""Sections of a page: what is shown, what the numbers say, the table and the pictures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from .kept_tables import Tables
from .markdown import markdown

NOTHING = "*No results yet.*"
NO_FILES: Mapping[str, Path] = MappingProxyType({})
LONGEST = 1000  # rows of a table that a page shows; nobody reads more there


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
    judge : callable, optional
        Says, from all tables of the page, what number it stands for and how that is judged, which
        ends its caption; called if the section's table is there.
    """

    name: str
    caption: str
    draw: Callable[[Any], Figure | None]
    judge: Callable[[Tables], str] | None = None


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
        Whether the table is long and shows only if asked for. One of more than a thousand rows is
        a link to its file.

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

    def write(
        self, tables: Tables, images: Mapping[str, Path], files: Mapping[str, Path] = NO_FILES
    ) -> str:
        """Write the section, from the tables and the images, by name, that are there.

        Parameters
        ----------
        tables : mapping of str to DataFrame
            All tables of the page.
        images : mapping of str to Path
            Files of pictures, as seen from the page.
        files : mapping of str to Path
            Files of tables, likewise.

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
            parts.append(
                _folded(table, files.get(self.table or "")) if self.folded else markdown(table)
            )
        elif self.table is not None:
            parts.append(NOTHING)
        for one in shown:
            said = [one.judge(tables)] if one.judge and not table.empty else []
            parts.append(figure_of(images[one.name], " ".join([one.caption, *said])))
        return "\n\n".join(parts) + "\n"


def _folded(table: pd.DataFrame, file: Path | None) -> str:
    if file is not None and len(table) > LONGEST:
        return f"[All numbers]({file.as_posix()}): a table of {len(table):,} rows."
    return f"<details><summary>All numbers</summary>\n\n{markdown(table)}\n\n</details>"


def figure_of(image: Path, caption: str) -> str:
    """Show an image, whose caption is its text alternative too."""
    return f"```{{figure}} {image.as_posix()}\n:alt: {caption}\n\n{caption}\n```"
