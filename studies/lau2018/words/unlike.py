"""What the study does in another way than the thesis, and why."""

from ..design.budgets import Budget
from ..design.experiments import THESIS

LEFT_OUT = {
    "stochastic_gradients": "of Tables 4.5-4.8, at other scales of velocity than 0.01, which the "
    "table with the noise as printed has",
    "metrics": "of Table 4.10, by the dense metric with other priors than the normal one, since it "
    "is too slow here for draws that decide anything",
}


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.lau2018.words.unlike import what_differs
    >>> "grey levels" in what_differs(BUDGETS["paper"])
    True
    """
    return f"""- The thesis does not say how it scales inputs. Its tables are run on the grey levels
  that scikit-learn has, 0 to 16.
- It does not say what *dynamic HMC* is where it is not being compared; here it is NUTS with a
  target acceptance of 0.9.
- The network of Table 4.1 is sampled by XHMC with threshold 0.1 in the thesis, and by NUTS here,
  on unit inputs by static trajectories.
- Which weights have the prior in Table 4.10 is not said, nor by which sampler; here all have it,
  and XHMC samples.
- In Table 4.12 static trajectories of 100 leapfrog steps are run (`GibbsHMC`), and single precision
  is that of the pass through the network alone; positions, momenta, sums and the accept test stay
  in double precision. The thesis casts all of a trajectory to single precision, and does not say
  which sampler it runs in it.
- Dual averaging forgets with an exponent of 0.75, that of Hoffman & Gelman (2014) and Stan; the
  thesis prints 0.8 (Algorithm 8).
- The energy Bayesian fraction of missing information is called low below 0.3 in this package; the
  thesis says that Stan's threshold is 0.7 (2.6). No verdict here depends on it.
- The size of SGHMC's minibatches is not said; here it is 32. Its updates are those of Chen et al.
  (2014), learning rates multiply the gradient of the whole log posterior, and on raw inputs only
  the smallest one of the grid, 0.0001, is a stable step. As Algorithm 16 is printed, a hundredth
  of the old velocity would be left after an update, turned round, and the noise would lack the
  learning rate. A table of its own has that noise, and keeps the velocity; how it was run, and what
  its learning rates multiply, the thesis does not say.
- Chains start from dispersed points of fan-in scaled normal weights.
- Rows of the thesis that budget `{budget.name}` leaves out: {_left_out(budget)}.
- Random numbers and the arithmetic are others.
"""


def _left_out(budget: Budget) -> str:
    """Count the rows that a budget leaves out, and say which and why where it runs others."""
    counts = {name: len(make()) - len(budget.table(name)) for name, make in THESIS.items()}
    why = [
        f"{counts[name]} {text}"
        for name, text in LEFT_OUT.items()
        if counts[name] and budget.table(name)
    ]
    every = sum(counts.values())
    return f"{every}, among them {'; '.join(why)}" if why else str(every)
