"""What the report printed."""

FAILURE = 0.0075  # squared error of a test case, both outputs, from which a run has failed
NOISE = 0.0050  # expected squared error of the truth
BEST_CELL = (1.0e-4, 0.71)  # median step size and spread, with and without annealing
LEAST = {"annealed": 0.006502, "plain": 0.006565}  # squared errors of the best runs there
REJECTED = 70.0  # % of trajectories at the end, of runs that are not stuck
STUCK = 95.0  # % from which a run is stuck
METROPOLIS_BEST = 0.016  # squared error
METROPOLIS_CELL = (4e-4, 0.71)
TEST_ERRORS = (438.0, 454.0, 457.0, 457.0, 459.0)  # of experiment 2, on MacKay's scale
MACKAY = (446.0, 451.0, 452.0)  # his three best runs, by Gaussian approximation
MACKAY_CHOSEN = 459.0  # of the one that he selects by the training data
HOURS = 7.0  # of a run of experiment 2
LATE = (3, 5)  # runs whose energy had not fallen when the temperature was below about 10
EXCESS_FAILURE = 400.0 * (FAILURE / NOISE - 1.0)  # the same threshold, without noise of test cases
