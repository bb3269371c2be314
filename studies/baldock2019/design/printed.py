"""What the paper printed."""

import numpy as np

LOG_INTEGRAL = {"M3": (26_480.0, 170.0), "M1": (19_790.0, 10.0)}  # 4.4, with standard deviations
LOG_VOLUME = {"M3": 28_960.0, "M1": 19_946.0}  # sums of log sigma, 4.4
CALCULATIONS = 28  # of each integral, 4.4
LOG_RATIO = -2332.0  # of the evidence of M(3) to that of M(1), Eq. 29
UNINFORMED = float(np.log(10))  # error of a case, where all digits are equally probable
ACCEPTED = (0.6, 0.7)  # share of trajectories, by the step size, 3.3.2
LARGEST = {"M3": 30.0, "M3star": 890.0}  # weights of minima, in units of 1 / sqrt(k), 3.2
