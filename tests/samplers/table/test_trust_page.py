"""``docs/trust.md`` shows the table that is declared."""

from tests.samplers.table.page import PAGE, renewed


def test_the_page_shows_the_declared_table() -> None:
    page = PAGE.read_text()
    assert renewed(page) == page, "renew it: python -m tests.samplers.table.page"
