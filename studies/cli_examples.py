"""Examples of the command line, as ``--help`` shows them."""

COMPARE_EXAMPLES = """
Examples:

pymc-bnn compare data.csv --target price

pymc-bnn compare data.csv --target price --variants ard,gaussian --hidden 16 --draws 500

pymc-bnn compare sales.xlsx --target price --period sold=year --mark-missing

pymc-bnn compare data.csv --target price --minutes 5

pymc-bnn compare accidents.csv --target deaths --task counts --likelihood auto --out accidents
"""
STUDY_EXAMPLES = """
Examples:

pymc-bnn study neal1992 --budget smoke

pymc-bnn study choo2000 --out results --docs docs
"""
PREDICT_EXAMPLES = """
Examples:

pymc-bnn predict report/fits/ard.zarr new.csv

pymc-bnn predict report/fits/ard.zarr new.csv --interval 0.9 --out prices.csv
"""
