"""Networks with their defaults beside other regressions, on tables of people who brought them."""
