"""How fast the samplers are on this machine, beside other programs and the arithmetic limit.

Run it from a terminal: ``python -m pymc_bnn.studies.benchmark --help``.
"""
