"""Which temperatures a network is sampled at, one after another or all together."""

from dataclasses import dataclass

import numpy as np

HOTTER = (10**2.5, 1e3, 10**3.5, 1e4, np.inf)  # of the ladder from the prior, for the evidence
RANGES = {"M3star": (-1.5, 1.5)}  # decades; Table 1
USUAL = (-2.0, 2.0)
FROM_POSTERIOR = (0.0, 2.0)  # of networks that are there for their evidence alone
OTHER_WIDTHS = ("M3narrow", "M1narrow", "M3wide", "M1wide")
RANGES |= dict.fromkeys(OTHER_WIDTHS, FROM_POSTERIOR)


@dataclass(frozen=True)
class Ladder:
    """Replicas at all temperatures of a sweep, moved together.

    Parameters
    ----------
    tune, draws : int
        Attempts to swap, before those that count and of these.
    trajectories : int
        Of each replica between two attempts.
    per_decade_above : float
        Temperatures in each factor of ten above the paper's.
    """

    tune: int
    draws: int
    trajectories: int = 10
    per_decade_above: float = 14


@dataclass(frozen=True)
class Sweep:
    """Chains of a network that go through all temperatures.

    Parameters
    ----------
    network : str
        Of :data:`.networks.NETWORKS`.
    cases : int
        Training cases.
    walls : str
        Of the box.
    directions : tuple of str
        ``"cooling"``, from the prior, and ``"heating"``, from a minimum.
    per_decade : float
        Temperatures in each factor of ten.
    chains : int
        Of each direction.
    ladder : Ladder, optional
        Has a replica at every temperature, which change places; by default one chain goes from
        temperature to temperature.
    """

    network: str
    cases: int
    walls: str = "reflect"
    directions: tuple[str, ...] = ("cooling", "heating")
    per_decade: float = 4
    chains: int = 2
    ladder: Ladder | None = None

    def temperatures(self) -> tuple[float, ...]:
        """Temperatures, rising.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.design.sweeps import Sweep
        >>> found = Sweep("M3star", 50, per_decade=1).temperatures()
        >>> [round(temperature, 3) for temperature in found]
        [0.032, 0.316, 3.162, 31.623, 316.228, 1000.0, 3162.278, 10000.0, inf]
        """
        low, high = RANGES.get(self.network, USUAL)
        ladder = 10 ** np.linspace(low, high, round((high - low) * self.per_decade) + 1)
        if self.ladder is None:
            return (*map(float, ladder), *HOTTER)
        more = round((np.log10(HOTTER[-2]) - high) * self.ladder.per_decade_above)
        above = 10 ** np.linspace(high, np.log10(HOTTER[-2]), more + 1)[1:]
        # 10 ** 0 is 1 to the last bit, as a ladder has to have it
        return (*map(float, ladder), *map(float, above), np.inf)
