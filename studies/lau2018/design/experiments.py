"""The tables of Lau (2018, chapter 4) as declarations, one for each row."""

from collections.abc import Callable, Mapping, Sequence

from ....models import (
    ARD,
    Gaussian,
    Horseshoe,
    NormalInverseGamma,
    Prior,
    RegularizedHorseshoe,
    Scaled,
)
from .declarations import Experiment, Network, Sampler

NORMAL = Gaussian()
NIG = NormalInverseGamma()
NUTPIE_OPTIONS = {"target_accept": 0.9}
DYNAMIC = Sampler("nuts", {"target_accept": 0.9})
EXHAUSTIVE = 450.0  # leapfrog steps of a trajectory of XHMC, measured
AS_STAN = 680.0  # of one by Stan's form of the criterion
WIDTHS = (35, 50, 75, 90)
ON_OUTPUT: dict[str, Prior] = {
    "normal": NORMAL,
    "normal_inverse_gamma": NIG,
    "normal_ard": ARD(by="source"),
    "regularized_horseshoe": RegularizedHorseshoe(),
    "regularized_horseshoe_ard": RegularizedHorseshoe(ard=True, by="source"),
    "horseshoe": Horseshoe(),
    "horseshoe_ard": Horseshoe(ard=True, by="source"),
}
ON_ALL: dict[str, Prior] = {
    "normal": NORMAL,
    "normal_inverse_gamma": NIG,
    "normal_ard": ARD(by="target"),
}


def termination() -> list[Experiment]:
    """XHMC thresholds beside the criterion of NUTS, Table 4.2, as printed and as Stan has it."""
    rows = [
        Experiment(
            "termination",
            f"{form}-{delta}",
            sampler=Sampler("xhmc", {"delta": delta, "target_accept": 0.9, **options}),
            steps_per_draw=steps,
            at={"sampler": "xhmc", "delta": delta},
        )
        for form, options, steps in (
            ("xhmc", {}, EXHAUSTIVE),
            ("stan", {"per_point": False}, AS_STAN),
        )
        for delta in (0.01, 0.05, 0.1, 0.2)
    ]
    return [*rows, Experiment("termination", "nuts", sampler=DYNAMIC, at={"sampler": "nuts"})]


def hyperparameter() -> list[Experiment]:
    """Gibbs against joint sampling of the variance of the input weights, Table 4.3.

    The thesis's Gibbs sampler moves weights by NUTS with a step size of 0.01 and a unit metric.
    Others have curvature-based steps, without and with interweaving; nutpie's NUTS is another joint
    sampler.
    """
    network = Network((NIG, NORMAL))
    noncentered = Network((NIG, NORMAL), parametrization="noncentered")
    table = "hyperparameter"
    fixed = {"step_scale": 0.01, "metric": "unit"}  # without warm-up nothing is learnt
    neal = {"n_leapfrog": 100, "target_accept": 0.8, "jitter": "uniform"}
    return [
        Experiment(
            table,
            "gibbs-fixed-step",
            network,
            Sampler("gibbs_nuts", fixed),
            tune=0,
            at={"method": "gibbs"},
        ),
        *(
            Experiment(
                table,
                name,
                network,
                Sampler("gibbs_hmc", {**neal, "interweave": interweave}),
                steps_per_draw=100,
            )
            for name, interweave in (("gibbs-curvature", False), ("gibbs-interweaved", True))
        ),
        Experiment(table, "nutpie-noncentered", noncentered, Sampler("nutpie", NUTPIE_OPTIONS)),
        Experiment(table, "joint-centered", network, DYNAMIC, at={"method": "centered"}),
        Experiment(table, "joint-noncentered", noncentered, DYNAMIC, at={"method": "noncentered"}),
    ]


def priors() -> list[Experiment]:
    """Priors of the output weights, Table 4.4; all in the non-centred parametrization."""
    return [
        Experiment(
            "priors",
            name,
            Network((NORMAL, prior), parametrization="noncentered"),
            DYNAMIC,
            at={"prior": name},
        )
        for name, prior in ON_OUTPUT.items()
    ]


def stochastic_gradients() -> list[Experiment]:
    """Stochastic gradients over the thesis's grid, Tables 4.5-4.8."""
    return _stochastic("stochastic_gradients", as_printed=False)


def noise_as_printed() -> list[Experiment]:
    """The same with the noise that Algorithm 16 prints, of a temperature of 1 / eta."""
    return _stochastic("noise_as_printed", as_printed=True)


def _stochastic(table: str, as_printed: bool) -> list[Experiment]:
    return [
        Experiment(
            table,
            f"{epsilon}-{eta}-{steps}",
            sampler=Sampler(
                "sghmc",
                {"learning_rate": eta, "n_leapfrog": steps, "velocity_sd": epsilon}
                | ({"temperature": 1 / eta} if as_printed else {}),
            ),
            steps_per_draw=0.14 * steps,  # of a minibatch, measured
            at={"epsilon": epsilon, "eta": eta, "n_leapfrog": steps},
        )
        for epsilon in (0.1, 0.01, 0.001, 0.0001)
        for eta in (0.1, 0.01, 0.001, 0.0001)
        for steps in (10, 50, 100, 200)
    ]


def scaled_priors() -> list[Experiment]:
    """Output weights of variance 1 and 1 / hidden units, Table 4.9."""
    return [
        Experiment(
            "scaled_priors",
            f"{name}-{width}",
            Network((NORMAL, prior), (width,)),
            DYNAMIC,
            at={"prior": name, "hidden_units": width},
        )
        for name, prior in {"normal": NORMAL, "scaled": Scaled()}.items()
        for width in (35, 50, 65)
    ]


def metrics() -> list[Experiment]:
    """Dense, diagonal and unit metric, with the priors on all weights, Table 4.10."""
    return [
        Experiment(
            "metrics",
            f"{name}-{metric}",
            Network((prior,), parametrization="noncentered"),
            Sampler("xhmc", {"metric": metric, "target_accept": 0.9}),
            steps_per_draw=EXHAUSTIVE,
            at={"prior": name, "metric": metric},
        )
        for name, prior in ON_ALL.items()
        for metric in ("dense", "diag", "unit")
    ]


def layers() -> list[Experiment]:
    """Two to four hidden layers, Table 4.11."""
    return [
        Experiment(
            "layers", str(count), Network(hidden=(35,) * count), DYNAMIC, at={"layers": count}
        )
        for count in (2, 3, 4)
    ]


def precision() -> list[Experiment]:
    """Single against double precision, Table 4.12."""
    static = {"n_leapfrog": 100, "target_accept": 0.9, "jitter": "uniform"}
    return [
        Experiment(
            "precision",
            f"{name}-{digits}",
            Network((NORMAL, prior)),
            Sampler("gibbs_hmc", {**static, "precision": digits}),
            steps_per_draw=100,
            at={"prior": name, "precision": digits},
        )
        for name, prior in {"normal": NORMAL, "normal_inverse_gamma": NIG}.items()
        for digits in ("float32", "float64")
    ]


def trajectories() -> list[Experiment]:
    """Static trajectories, without and with windows, against dynamic ones, Table 4.13.

    A window of all states is what Algorithm 3 is after (:mod:`..runs.windows`).
    """
    rows = []
    for method in ("static", "windowed", "whole"):
        for steps in (10, 50, 100, 200, 500):
            options = {"n_leapfrog": steps, "step_sizes": "adapt", "target_accept": 0.9}
            if method != "static":
                options["window"] = steps + 1 if method == "whole" else max(2, steps // 10)
            rows.append(
                Experiment(
                    "trajectories",
                    f"{method}-{steps}",
                    sampler=Sampler("static", options),
                    steps_per_draw=steps,
                    at={"method": method.replace("whole", "windowed"), "n_leapfrog": steps},
                )
            )
    dynamic = Experiment("trajectories", "dynamic", sampler=DYNAMIC, at={"method": "dynamic"})
    return [*rows, dynamic]


def information_criterion() -> list[Experiment]:
    """Widths, by information criteria and by test error, Table 4.14."""
    return [
        Experiment(
            "information_criterion",
            str(width),
            Network(hidden=(width,)),
            DYNAMIC,
            at={"hidden_units": width},
        )
        for width in WIDTHS
    ]


THESIS: Mapping[str, Callable[[], Sequence[Experiment]]] = {
    "termination": termination,
    "hyperparameter": hyperparameter,
    "priors": priors,
    "stochastic_gradients": stochastic_gradients,
    "noise_as_printed": noise_as_printed,
    "scaled_priors": scaled_priors,
    "metrics": metrics,
    "layers": layers,
    "precision": precision,
    "trajectories": trajectories,
    "information_criterion": information_criterion,
}
