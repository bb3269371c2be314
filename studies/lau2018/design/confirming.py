"""What is confirmed on the digits between the two sets, which no choice of a network has used.

That classes as codes are among the candidates was decided after test errors had been seen. So the
network that was chosen is declared here, as it is, with chains long enough to agree, and beside it
classifiers of other kinds, each at its best settings by the training cases. These were first chosen
by folds that mix writers, and by blocks, as the network was, only after the results had been seen:
both are kept.
"""

from dataclasses import replace

from .candidates import candidates
from .declarations import Experiment

NETWORK = "edges-140-codes"
INPUTS = ("centred", "edges")
BLOCKS, SHUFFLED = "blocks", "shuffled"  # folds of the peers' settings
LEAPFROGS = 200  # of draws this far apart half are effective, for the median output


def confirmed() -> Experiment:
    """The network on codes that K-fold chose.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.confirming import confirmed
    >>> confirmed().network.hidden, confirmed().network.inputs
    ((140,), 'edges')
    """
    (row,) = (row for row in candidates() if row.row == NETWORK)
    options = {**row.sampler.options, "n_leapfrog": LEAPFROGS}
    sampler = replace(row.sampler, options=options)
    return replace(row, table="confirmation", sampler=sampler, steps_per_draw=LEAPFROGS)


def peer_key(name: str, inputs: str, folds: str = BLOCKS) -> str:
    """Key of another classifier's result, with settings chosen by such folds.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.confirming import peer_key
    >>> peer_key("Gaussian process", "edges")
    'confirmation-Gaussian_process-edges'
    >>> peer_key("SVM", "edges", "shuffled")
    'confirmation-SVM-edges-shuffled'
    """
    end = "" if folds == BLOCKS else f"-{folds}"
    return f"confirmation-{name.replace(' ', '_')}-{inputs}{end}"
