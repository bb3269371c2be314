"""A study's page of the documentation: tables from results are kept, and words said from these."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from .drawing import drawing, save
from .in_short import InShort
from .kept_tables import Format, Tables
from .sections import NOTHING, Picture, Section, figure_of

RUN = "run"


@dataclass(frozen=True)
class Source:
    """Where a table of a page comes from.

    Parameters
    ----------
    measure : callable
        Makes the table from the study's results; empty if there are none.
    judge : callable, optional
        Adds the columns that follow from others: published numbers, differences, verdicts. It is
        applied again when a page is written anew.
    """

    measure: Callable[[Any], pd.DataFrame]
    judge: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table


@dataclass(frozen=True)
class Page:
    """What the page of a study shows.

    Parameters
    ----------
    name : str
        Of its file, and of the folders of its tables and images.
    head : callable
        From the budget to the page's heading and what it is about.
    there : callable
        From the row of the table ``run`` and the budget to a sentence on how much was run.
    sources : mapping of str to Source
        Tables that are made from results, by the names of their files.
    parts : mapping of str to sequence of Section
        The page's sections, by the headings that they stand under.
    differs : callable, optional
        From the budget to what the study does in another way than what it reproduces.
    derived : mapping of str to callable
        Tables that are made from those that are kept, all of which they get.
    in_short : InShort, optional
        What stands at the head.
    preface : callable
        From all tables to paragraphs that stand before the sections.
    counts : callable
        From the study's results to more columns of the table ``run``.
    alone : tuple of str
        Names of budgets that have a page of their own, with the budget's name in its name.
    format : Format
        How tables are kept.

    Raises
    ------
    ValueError
        If a section names a table that there is not, a picture has the name of another one, a
        table is called ``run``, or what stands at the head names no section or picture.

    Examples
    --------
    >>> from collections import namedtuple
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pymc_bnn.studies.pages.page import Page, Source, write_page
    >>> from pymc_bnn.studies.pages.sections import Section
    >>> from pymc_bnn.studies.reproduction.results import Results
    >>> page = Page(
    ...     name="widths",
    ...     head=lambda budget: "# Widths",
    ...     there=lambda run, budget: f"{run['results']} results.",
    ...     sources={"widths": Source(lambda results: pd.DataFrame({"units": [8, 16]}))},
    ...     parts={"Results": [Section("Units", "All that there are.", "widths")]},
    ... )
    >>> desk = namedtuple("Budget", "name")("desk")
    >>> written = write_page(page, Results(Path("nothing"), desk), "docs")
    >>> [path.name for path in written]
    ['widths.md', 'run.csv', 'widths.csv']
    """

    name: str
    head: Callable[[Any], str]
    there: Callable[[pd.Series, Any], str]
    sources: Mapping[str, Source]
    parts: Mapping[str, Sequence[Section]]
    differs: Callable[[Any], str] | None = None
    derived: Mapping[str, Callable[[Tables], pd.DataFrame]] = field(default_factory=dict)
    in_short: InShort | None = None
    preface: Callable[[Tables], Sequence[str]] = lambda tables: ()
    counts: Callable[[Any], Mapping[str, Any]] = lambda results: {}
    alone: tuple[str, ...] = ()
    format: Format = field(default_factory=Format)

    def __post_init__(self) -> None:
        """Check names, which a page that is written would only leave out or mix up."""
        if RUN in self.sources:
            raise ValueError(f"sources={RUN!r}: the page makes this table; name yours else.")
        pictures = Counter(p.name for s in self.sections for p in (*s.pictures, *s.plots))
        if twice := [name for name, count in pictures.items() if count > 1]:
            raise ValueError(f"parts: pictures share the names {', '.join(twice)}; rename them.")
        known = {*self.sources, *self.derived, None}
        if self.in_short is not None:
            self.in_short.check(self.sections)
        for section in self.sections:
            if section.table not in known:
                raise ValueError(
                    f"parts: section {section.title!r} shows table={section.table!r}; name one of "
                    "sources or derived."
                )

    @property
    def sections(self) -> Iterator[Section]:
        """All sections."""
        return (section for sections in self.parts.values() for section in sections)

    def name_of(self, budget: Any) -> str:
        """Name of the page of a budget."""
        return f"{self.name}_{budget.name}" if budget.name in self.alone else self.name


def write_page(page: Page, results: Any, docs: str | Path) -> list[Path]:
    """Write a page, its tables and its images, from all results that are there.

    Parameters
    ----------
    page : Page
        What the page shows.
    results : Results
        Results of the study; see :class:`pymc_bnn.studies.reproduction.results.Results`.
    docs : str or Path
        Folder of the documentation.

    Returns
    -------
    list of Path
        The page in ``studies``, tables in ``studies/<name>`` and images in ``_static/<name>``.
        Sections without results are only named.
    """
    docs, name = Path(docs), page.name_of(results.budget)
    tables = {RUN: _run(page, results)}
    for title, source in page.sources.items():
        table = source.measure(results)
        if not table.empty:
            tables[title] = source.judge(table)
    files = page.format.keep(tables, docs / "studies" / name)
    images: dict[str, Path] = {}
    with drawing():
        for section in page.sections:
            images |= _draw(section.pictures, results, docs / "_static" / name)
    return _write(page, results.budget, docs, files, images)


def rewrite_page(page: Page, budget: Any, docs: str | Path) -> list[Path]:
    """Write a page anew from the tables beside it: what follows from their numbers, and words.

    Parameters
    ----------
    page : Page
        What the page shows.
    budget : Budget
        What the study was to sample.
    docs : str or Path
        Folder of the documentation, with the tables that :func:`write_page` kept.

    Returns
    -------
    list of Path
        As of :func:`write_page`. Pictures stay as they are, but for those drawn from tables.
    """
    docs, name = Path(docs), page.name_of(budget)
    folder, found = docs / "studies" / name, page.format
    files = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    judged = {n: page.sources[n].judge(found.read(files[n])) for n in page.sources if n in files}
    found.keep(judged, folder)
    pictures = [picture for section in page.sections for picture in section.pictures]
    paths = {picture.name: docs / "_static" / name / f"{picture.name}.png" for picture in pictures}
    there = {title: path for title, path in paths.items() if path.is_file()}
    return _write(page, budget, docs, files, there)


def _run(page: Page, results: Any) -> pd.DataFrame:
    """How much there is: the budget, how many results, and what the study counts besides."""
    row = {"budget": results.budget.name, "results": results.count()}
    return pd.DataFrame([row | dict(page.counts(results))])


def _draw(pictures: Sequence[Picture], of: Any, folder: Path) -> dict[str, Path]:
    """Draw and save pictures, and return their files by their names."""
    images = {}
    for picture in pictures:
        figure = picture.draw(of)
        if figure is not None:
            images[picture.name] = folder / f"{picture.name}.png"
            save(figure, images[picture.name])
    return images


def _write(
    page: Page, budget: Any, docs: Path, files: Mapping[str, Path], pictures: Mapping[str, Path]
) -> list[Path]:
    """Write the page from what is kept beside it: what it says follows from the files alone."""
    name = page.name_of(budget)
    tables = {title: page.format.read(path) for title, path in files.items()}
    tables |= {title: derive(tables) for title, derive in page.derived.items()}
    images = dict(pictures)
    with drawing():
        for section in page.sections:
            if section.table in tables:
                images |= _draw(section.plots, tables[section.table], docs / "_static" / name)
    path = docs / "studies" / f"{name}.md"
    seen = {title: Path("../_static", name, f"{title}.png") for title in images}
    kept = {title: Path(name, file.name) for title, file in files.items()}
    path.write_text(_text(page, budget, tables, seen, kept), encoding="utf-8")
    return [path, *files.values(), *images.values()]


def _text(
    page: Page,
    budget: Any,
    tables: Tables,
    seen: Mapping[str, Path],
    kept: Mapping[str, Path],
) -> str:
    parts = [page.head(budget)]
    if page.in_short is not None:
        captions = {p.name: p.caption for s in page.sections for p in (*s.pictures, *s.plots)}
        figures = {name: figure_of(path, captions[name]) for name, path in seen.items()}
        parts.append(page.in_short.write(page.sections, tables, figures))
    parts += [f"{page.there(tables[RUN].iloc[0], budget)}\n", *page.preface(tables)]
    missing = []
    for title, sections in page.parts.items():
        texts = {section.title: section.write(tables, seen, kept) for section in sections}
        missing += [heading for heading, text in texts.items() if not text]
        written = [text for text in texts.values() if text]
        parts += [f"## {title}\n", *written] if written else []
    if missing:
        parts.append(f"## Not run yet\n\n{NOTHING} {'; '.join(missing)}.\n")
    if page.differs is not None:
        parts.append(f"## What differs, and why\n\n{page.differs(budget)}")
    return "\n".join(parts).rstrip() + "\n"
