"""The page of the documentation that shows the study beside the thesis."""

from rich.table import Table

from ...pages.page import Page
from ...reproduction.results import Results
from ..design.budgets import Budget

PAGE = Page(name="neal1995", head=lambda b: "# x", there=lambda r, b: "", sources={}, parts={})


def summary(results: Results[Budget]) -> Table:
    """Table."""
    return Table("x")
