"""Which hidden layers a table needs, chosen by what its training cases say."""
