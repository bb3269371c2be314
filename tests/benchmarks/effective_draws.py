"""Effective draws per second of log sigma_u on Choo's posteriors, ours and nutpie's.

Run it from the root of the repository, on an idle machine:

    uv run python -m tests.benchmarks.effective_draws

It is the part ``--only effective-draws`` of ``python -m pymc_bnn.studies.benchmark``, whose other
options it takes too. The ratio of one run is what counts: absolute figures depend on the machine.
"""

import sys

from pymc_bnn.studies.benchmark.__main__ import main

if __name__ == "__main__":
    main(["--only", "effective-draws", *sys.argv[1:]])
