"""What cannot be used is refused in one line that names it, before anything is compiled."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor
import pytest
from pymc_bnn import models, samplers, studies
from pymc_bnn.studies.cli import main

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(12, 2)), RNG.normal(size=12)
FRAME = pd.DataFrame(X, columns=["a", "b"])
DAYS = pd.date_range("2024-01-01", periods=12)
TABLE = pd.DataFrame(
    {
        "size": RNG.normal(size=40),
        "kind": ["flat", "house"] * 20,
        "price": RNG.normal(size=40),
    }
)


def network(**changes: Any) -> models.BNN:
    return models.BNN(**{"X": X, "y": Y, "hidden": (2,), **changes})


def sample(**options: Any) -> Any:
    return samplers.sample(network(), **options)


def integrated() -> models.BNN:
    return network(likelihood=models.GaussianNoise(integrate=True))


def with_coordinates() -> pm.Model:
    with pm.Model(coords={"c": [1, 2]}) as model:
        x = pm.Normal("x", dims="c")
        pm.Deterministic("d", 2.0 * x)
    return model


def in_single_precision() -> models.BNN:
    with pytensor.config.change_flags(floatX="float32"):
        return network()


@pytest.mark.parametrize(
    "ask",
    [
        samplers.NUTS,
        samplers.StaticHMC,
        samplers.XHMC,
        samplers.AnnealedHMC,
        samplers.AnnealedMetropolis,
        samplers.GibbsPrecision,
        lambda model: samplers.ReplicaExchange([1.0, 2.0], model=model),
        samplers.minimize,
        samplers.annealed_evidence,
        samplers.bridge_evidence,
        samplers.recommended_steps,
        samplers.sample,
    ],
)
def test_models_in_single_precision_are_refused(ask: Callable[..., Any]) -> None:
    with pytensor.config.change_flags(floatX="float32"):
        with pm.Model() as model:
            tau = pm.Gamma("tau", 2.0, 2.0)
            pm.Normal("y", pm.Normal("x", shape=2), tau=tau, observed=np.ones(2, "float32"))
        with pytest.raises(ValueError, match="floatX is float32, and models are sampled in"):
            ask(model=model)


def of_one_name() -> pm.Model:
    with pm.Model() as model:
        scale = pm.HalfNormal("s")
        pm.Normal("y", pm.Normal("s_log__"), scale, observed=np.ones(3))
    return model


def of_minibatches() -> pm.Model:
    with pm.Model() as model:
        inputs, targets = pm.Minibatch(X, Y, batch_size=5)
        f = models.network(inputs, hidden=(2,), name="f")
        pm.Normal("y", f, 1.0, observed=targets, total_size=len(Y))
    return model


def named_around_network() -> None:
    with pm.Model(name="outer"):
        network()


def prepare(**changes: Any) -> Any:
    return studies.prepare(**{"data": TABLE, "target": "price", **changes})


def changed(**columns: Any) -> pd.DataFrame:
    return TABLE.assign(**columns)


class Tied(models.Prior):
    """Weights that are not one variable of the shape of their group."""

    def __init__(self, shape: Callable[[Any], dict[str, Any]], suffix: str = "") -> None:
        self.shape, self.suffix = shape, suffix

    def scale(self, group: Any) -> np.float64:
        return np.float64(1.0)

    def declare(self, group: Any, scale: Any, parametrization: str) -> Any:
        return pm.Normal(group.name + self.suffix, 0.0, scale, **self.shape(group))

    def words(self) -> str:
        return "tied"

    def to_dict(self) -> dict[str, Any]:
        return {"name": "Tied"}


ARRAYS = {
    "text": (lambda: network(X=X.astype(str)), "X is not numeric, it has texts"),
    "text column": (lambda: network(X=FRAME.assign(b="x")), "in column(s) 'b'; encode them"),
    "vector": (lambda: network(X=Y), "X must be a matrix of shape (cases, inputs)"),
    "cube": (lambda: network(X=np.ones((2, 2, 2))), "got shape (2, 2, 2)"),
    "no rows": (lambda: network(X=X[:0]), "X is empty: its shape is (0, 2)"),
    "no columns": (lambda: network(X=X[:, :0]), "X is empty: its shape is (12, 0)"),
    "missing": (lambda: network(X=FRAME.assign(a=np.nan)), "12 missing or infinite value(s) in"),
    "infinite": (lambda: network(y=Y * np.inf), "y has 12 missing or infinite value(s); drop or"),
    "masked": (lambda: network(X=np.ma.array(X, mask=X > 1)), "masked value(s); drop or fill"),
    "dates": (lambda: network(X=FRAME.assign(day=DAYS)), "dates in column(s) 'day'; turn them"),
    "durations": (lambda: network(y=DAYS - DAYS[0]), "y is not numeric, it has durations"),
    "complex": (lambda: network(X=X + 1j), "complex numbers; give their real and imaginary parts"),
    "ragged": (lambda: network(X=[[1.0], [1.0, 2.0]]), "X is no matrix: its rows differ in length"),
    "nothing": (lambda: network(X=None), "X is of type NoneType; give an array or a DataFrame"),
    "other lengths": (lambda: network(y=Y[:5]), "X has 12 cases and y has 5; they must match"),
    "other index": (lambda: network(X=FRAME, y=pd.Series(Y)[3:]), "X has 12 cases and y has 9"),
    "other order": (lambda: network(X=FRAME, y=pd.Series(Y)[::-1]), "align them, as by y.loc[X.in"),
    "same names": (lambda: network(X=FRAME.set_axis(["a", "a"], axis=1)), "'a' more than once"),
    "same outputs": (
        lambda: network(y=FRAME.set_axis(["a", "a"], axis=1)),
        "y has the column(s) 'a' more than once; rename them",
    ),
    "levels of names": (
        lambda: network(X=pd.concat({"u": FRAME}, axis=1)),
        "X has column names that are no texts or numbers, such as ('u', 'a'); rename them",
    ),
    "cube of targets": (lambda: network(y=np.ones((12, 1, 1))), "y must have shape (cases,) or"),
    "one class": (
        lambda: network(y=["u"] * 12, likelihood="bernoulli"),
        "y has one class only, 'u'; two are needed",
    ),
    "three classes": (
        lambda: network(y=list("abc" * 4), likelihood="bernoulli"),
        "Bernoulli() needs 2; use likelihood='categorical'",
    ),
    "missing class": (
        lambda: network(y=["u", None] * 6, likelihood="bernoulli"),
        "y has 6 missing value(s); drop or fill them",
    ),
    "dates as classes": (
        lambda: network(y=DAYS, likelihood="categorical"),
        "y has classes of type datetime64, such as 2024-01-01",
    ),
    "new columns": (lambda: network().with_data(X[:, :1], Y), "X has 1 columns, the model has 2"),
    "lacking column": (lambda: network(X=FRAME).with_data(FRAME[["a"]], Y), "X lacks the column"),
    "new lengths": (lambda: network().with_data(X, Y[1:]), "X has 12 cases and y has 11"),
    "data set to other columns": (
        lambda: pm.set_data({"X": X[:, :1]}, model=network()),
        "X has 1 columns, the model has 2 inputs",
    ),
    "code of no class": (
        lambda: pm.set_data(
            {"y": [0, 2] * 6}, model=network(y=["u", "v"] * 6, likelihood="bernoulli")
        ),
        "y holds the code 2, no class of the model; give the codes 0 to 1",
    ),
}

MODELS = {
    "in a named model": (
        named_around_network,
        "a BNN cannot be a part of the model named 'outer'; build it outside",
    ),
    "no units": (lambda: network(hidden=(0,)), "hidden=(0,): give the units of each hidden layer"),
    "half a unit": (lambda: network(hidden=(2.5,)), "hidden=(2.5,): give the units"),
    "units as text": (lambda: network(hidden="8"), "hidden='8': give the units"),
    "activation": (lambda: network(activation="tahn"), "unknown activation 'tahn'; did you mean"),
    "likelihood": (lambda: network(likelihood="cauchy"), "unknown likelihood 'cauchy'"),
    "description of a likelihood": (
        lambda: network(likelihood={"sd": 0.1}),
        "likelihood={'sd': 0.1}: give its name too",
    ),
    "settings of a likelihood": (
        lambda: network(likelihood={"name": "gaussian_noise", "scale": 1.0}),
        "unknown setting of GaussianNoise 'scale'",
    ),
    "parametrization": (lambda: network(parametrization="non"), "unknown parametrization 'non'"),
    "prior as text": (lambda: network(prior="ard"), "prior='ard': give a prior such as"),
    "prior of one weight": (
        lambda: network(prior=Tied(lambda group: {})),
        "Tied.declare: weights w0 have shape () where the network needs (2, 2)",
    ),
    "prior of repeated weights": (
        lambda: network(prior=Tied(lambda group: {"shape": group.shape}, "one")),
        "Tied.declare returns something else than the model's variable w0",
    ),
    "prior of no group": (lambda: network(prior={"w7": models.Gaussian()}), "group in prior 'w7'"),
    "groups without prior": (lambda: network(prior={"w0": models.ARD()}), "no prior for the group"),
    "scale of zero": (lambda: models.Gaussian(sd=0), "Gaussian(sd=0): sd must be a positive num"),
    "scale as text": (lambda: models.ARD(sd="1"), "sd must be a positive number"),
    "noise of no size": (lambda: models.GaussianNoise(sd=-1), "sd must be a positive number"),
    "draws of no model": (
        lambda: models.load(studies_tree()),
        "idata holds no pymc_bnn model",
    ),
}


def studies_tree() -> Any:
    from xarray import DataTree

    return DataTree()


OPTIONS = {
    "no model": (lambda: samplers.sample(), "model=None: give a pm.Model, or call this in the"),
    "text for a model": (lambda: samplers.sample("m"), "model='m': give a pm.Model"),
    "no draws": (lambda: sample(draws=0), "draws=0: give a whole number of at least 1"),
    "draws as text": (lambda: sample(draws="many"), "draws='many': give a whole number"),
    "half a chain": (lambda: sample(chains=1.5), "chains=1.5: give a whole number of at least 1"),
    "warm-up below zero": (lambda: sample(tune=-5), "tune=-5: give a whole number of at least 0"),
    "no cores": (lambda: sample(cores=0), "cores=0: give a whole number of at least 1"),
    "method": (lambda: sample(method="hmc"), "unknown method 'hmc'"),
    "seed as text": (lambda: sample(seed="one"), "seed='one': give a whole number of at least 0"),
    "seed that cannot be split": (
        lambda: sample(seed=np.random.RandomState(1)),
        "seed is a RandomState, which chains cannot share; give a Generator",
    ),
    "start as text": (lambda: sample(initvals="prior"), "initvals='prior': give values by the"),
    "start of a wrong sign": (
        lambda: sample(initvals={"noise_precision": -1.0}),
        "initvals: noise_precision cannot have the value -1.0.",
    ),
    "start without a value": (
        lambda: sample(initvals=[{}, {"w0": np.nan}]),
        "initvals: w0 cannot have the value nan.",
    ),
    "start of another shape": (
        lambda: sample(initvals={"noise_precision": [1.0, 2.0]}),
        "initvals: noise_precision has shape (2,), and () in the model.",
    ),
    "method beside a step": (
        lambda: sample(method="nuts", step=object()),
        "method='nuts' and step: the steps are the method; give one of them.",
    ),
    "cases at random": (
        lambda: samplers.sample(of_minibatches()),
        "the density of y is drawn anew at each call, as with pm.Minibatch or pm.Simulator; give",
    ),
    "two values of one name": (
        lambda: samplers.sample(of_one_name()),
        "2 variables have values called 's_log__', as those of a transformed variable are; rename",
    ),
    "records as text": (lambda: sample(var_names="w0"), "var_names='w0': give a list of names"),
    "no records": (lambda: sample(var_names=[]), "var_names=[]: give a list of names"),
    "records unknown": (lambda: sample(var_names=["w9"]), "unknown variable in var_names 'w9'"),
    "no tree": (
        lambda: sample(return_inferencedata=False),
        "return_inferencedata=False: samplers.sample returns a DataTree",
    ),
    "two seeds": (lambda: sample(seed=1, random_seed=2), "the same; give one of them"),
    "unknown option": (lambda: sample(traget_accept=0.9), "did you mean 'target_accept'? Valid:"),
    "acceptance above one": (lambda: sample(target_accept=1.5), "a number between 0 and 1"),
    "acceptance as text": (lambda: sample(target_accept="0.9"), "target_accept='0.9': give a numb"),
    "no leapfrog step": (lambda: sample(n_leapfrog=0), "n_leapfrog=0: give a positive whole numb"),
    "leapfrog steps as text": (lambda: sample(n_leapfrog="9"), "n_leapfrog='9': give a positive"),
    "jitter": (lambda: sample(jitter="gauss"), "unknown jitter 'gauss'"),
    "precision": (lambda: sample(precision="float16"), "unknown precision 'float16'"),
    "thin under NUTS": (
        lambda: sample(thin=3, method="nuts"),
        "NUTS samples this model; leave thi",
    ),
    "option beside a step": (lambda: sample(thin=3, step=[]), "thin: give them to the step, or"),
    "depth": (lambda: samplers.NUTS(max_treedepth=99, model=network()), "max_treedepth=99: give a"),
    "named step": (
        lambda: samplers.sample(network(), step="SGHMC"),
        "step='SGHMC': give a step method, such as",
    ),
    "criterion": (lambda: samplers.XHMC(per_point=1, model=network()), "per_point=1: give True or"),
    "threshold": (lambda: samplers.XHMC(delta=0, model=network()), "delta=0: give a positive num"),
    "metric": (lambda: samplers.NUTS(metric="full", model=network()), "unknown metric 'full'"),
    "step size": (
        lambda: samplers.StaticHMC(step_scale=-1, model=network()),
        "step_scale=-1: give",
    ),
    "window": (lambda: samplers.StaticHMC(None, 5, window=9, model=network()), "window=9: give a"),
    "variable": (lambda: samplers.StaticHMC(["w9"], model=network()), "'w9'"),
    "no step": (lambda: samplers.sample(network(), step=[]), "step=[]: give a step method, such"),
    "window as text": (
        lambda: samplers.StaticHMC(window="a", model=network()),
        "window='a': give a whole number from 1 to",
    ),
    "persistence as text": (
        lambda: samplers.StaticHMC(persistence="a", model=network()),
        "persistence='a': give a number from 0",
    ),
    "spread as text": (
        lambda: samplers.StaticHMC(jitter="uniform", jitter_spread="a", model=network()),
        "jitter_spread='a': give a number of at least 0",
    ),
    "depth as text": (
        lambda: samplers.NUTS(max_treedepth="a", model=network()),
        "max_treedepth='a': give a whole number from 1 to 20",
    ),
    "friction as text": (
        lambda: samplers.SGHMC(1e-3, friction="a", model=network()),
        "friction='a': give a number above 0",
    ),
    "velocity as text": (
        lambda: samplers.SGHMC(1e-3, velocity_sd="a", model=network()),
        "velocity_sd='a': give a positive number",
    ),
    "batch as text": (
        lambda: samplers.SGLD(1e-3, batch_size="a", model=network()),
        "batch_size='a': give a whole number of at least 1",
    ),
    "phases": (
        lambda: samplers.AnnealedHMC(phases=3, model=network()),
        "phases=3: give a list of them",
    ),
    "step of replicas": (
        lambda: samplers.ReplicaExchange([1, 2], steps="NUTS", model=network()),
        "step='NUTS': give a step method",
    ),
    "no function": (lambda: sample(callback=3), "callback=3: give a function of a trace and a dr"),
    "no trace": (lambda: sample(trace="zarr"), "trace='zarr': give a ZarrTrace of PyMC, or leave"),
    "start of a minimum": (
        lambda: samplers.minimize(network(), start=3),
        "start=3: give values by the names of variables",
    ),
    "starts as numbers": (lambda: sample(initvals=[1, 2]), "initvals=[1, 2]: give values by the"),
    "unknown result": (
        lambda: sample(idata_kwargs={"dim": {}}),
        "unknown idata_kwargs 'dim'; did you mean 'dims'?",
    ),
    "result that cannot be": (
        lambda: sample(idata_kwargs={"coords": {"input": [1, 2, 3, 4, 5, 6, 7, 8, 9]}}),
        "no result can be made so (CoordinateValidationError: conflicting sizes for dimension",
    ),
    "wrong length of a coordinate": (
        lambda: samplers.sample(with_coordinates(), idata_kwargs={"coords": {"c": [1, 2, 3]}}),
        "no result can be made so (CoordinateValidationError",
    ),
    "too many dimensions": (
        lambda: samplers.sample(with_coordinates(), idata_kwargs={"dims": {"d": ["p", "q"]}}),
        "no result can be made so (",
    ),
    "unknown priors": (
        lambda: sample(idata_kwargs={"log_prior": ["nope"]}),
        "unknown variable in idata_kwargs['log_prior'] 'nope'. Valid: w0, b0, w1, b1, noise_prec",
    ),
    "unknown densities": (
        lambda: sample(idata_kwargs={"log_likelihood": ["y"]}),
        "unknown variable in idata_kwargs['log_likelihood'] 'y'. Valid: y_obs.",
    ),
    "densities of no case": (
        lambda: samplers.sample(integrated(), idata_kwargs={"log_likelihood": True}),
        "the cases of this likelihood depend on each other; leave it out, and take log_likel",
    ),
    "single precision": (in_single_precision, "PyTensor's floatX is float32, and models are"),
    "large batch": (
        lambda: samplers.SGLD(1e-3, batch_size=99, model=network()),
        "batch_size=99: the model has 12 cases; give no more",
    ),
}

TABLES = {
    "no file": (lambda: studies.read_table("nowhere.csv"), "there is no file 'nowhere.csv'"),
    "no target": (lambda: prepare(target=None), "which column is the target?"),
    "unknown target": (lambda: prepare(target="prize"), "did you mean 'price'?"),
    "one row": (lambda: prepare(data=TABLE[:1]), "the table has 1 row(s); training and"),
    "few rows": (lambda: prepare(data=TABLE[:3], task="regression"), "3 rows are too few"),
    "no table": (lambda: prepare(data=TABLE.to_dict()), "data is of type dict; give a DataFrame"),
    "empty column": (lambda: prepare(data=changed(size=np.nan)), "missing values in size (40)"),
    "infinite value": (lambda: prepare(data=changed(size=np.inf)), "infinite values in size (40)"),
    "constant column": (lambda: prepare(data=changed(size=1.0)), "'size' are constant; leave them"),
    "constant target": (
        lambda: prepare(data=changed(price=1.0)),
        "'price' has one class only, '1.0'",
    ),
    "dates as the target": (
        lambda: prepare(data=changed(price=pd.date_range("2024", periods=40))),
        "column(s) 'price' hold dates; turn them into numbers first",
    ),
    "period of a number": (
        lambda: prepare(periods={"size": "year"}),
        "--period size=year: column 'size' holds no dates",
    ),
    "durations in a column": (
        lambda: prepare(data=changed(wait=pd.to_timedelta(range(40), unit="h"))),
        "column(s) 'wait' hold durations; turn them into numbers first",
    ),
    "complex column": (
        lambda: prepare(data=changed(size=np.arange(40) + 1j)),
        "column(s) 'size' hold complex numbers; turn them into numbers first",
    ),
    "dates as target": (
        lambda: prepare(data=changed(price=pd.date_range("2024", periods=40))),
        "column(s) 'price' hold dates; turn them into numbers first",
    ),
    "identifiers": (
        lambda: prepare(data=pd.concat([TABLE] * 2).assign(id=[f"n{i}" for i in range(80)])),
        "which looks like an identifier; leave it out with --ignore id",
    ),
    "many measures": (
        lambda: prepare(data=pd.concat([TABLE] * 2).assign(mass=[f"{i} kg" for i in range(80)])),
        "holds '0 kg', which looks like a number or a date with marks; write numbers as 10.5",
    ),
    "text as regression": (lambda: prepare(target="kind", task="regression"), "is not numeric"),
    "task": (lambda: prepare(task="clustering"), "unknown task 'clustering'"),
    "column to ignore": (lambda: prepare(ignore=["sise"]), "did you mean 'size'?"),
    "share of test cases": (lambda: prepare(test_fraction=2), "give a number between 0 and 1"),
    "seed of the split": (lambda: prepare(seed=-1), "seed=-1: give a whole number of at least 0"),
    "data set": (lambda: studies.load_dataset("iris"), "unknown data set 'iris'"),
    "nothing to compare": (lambda: studies.compare({}), "there is no fit to compare"),
    "fits in a list": (lambda: studies.compare([None]), "fits: give draws by the names of model"),
    "no draws": (lambda: studies.compare({"a": None}), "fit 'a' is no DataTree with a posterior"),
    "no fit": (lambda: studies.load_fit("nowhere.zarr"), "there is no fit 'nowhere.zarr'"),
}

ALL = {
    f"{kind}: {name}": case
    for kind, cases in {
        "array": ARRAYS,
        "model": MODELS,
        "option": OPTIONS,
        "table": TABLES,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("give", "message"), ALL.values(), ids=ALL)
def test_a_bad_input_is_one_line_that_names_it(
    give: Callable[[], Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in (samplers.GibbsHMC, samplers.NUTS, samplers.StaticHMC, samplers.SGLD):
        monkeypatch.setattr(step, "_compile", lambda step: pytest.fail("it was compiled"))
    with pytest.raises((ValueError, TypeError), match=re.escape(message)) as error:
        give()
    assert "\n" not in str(error.value)


COMMANDS = {
    "no such table": (["compare", "nowhere.csv"], "there is no file 'nowhere.csv'"),
    "empty table": (["compare", "empty.csv", "--target", "price"], "cannot read"),
    "no target": (["compare", "table.csv"], "which column is the target?"),
    "unknown variant": (["compare", "--variants", "gaus"], "unknown variant 'gaus'"),
    "units": (["compare", "--hidden", "x"], "--hidden 'x': give whole numbers"),
    "few draws": (["compare", "--draws", "1"], "'--draws'"),
    "unknown option": (["compare", "--drows", "100"], "--drows"),
    "unknown command": (["conpare"], "conpare"),
    "unknown study": (["study", "neal1931"], "unknown study 'neal1931'"),
    "unknown budget": (["study", "choo2000", "--budget", "free"], "unknown budget 'free'"),
    "no such fit": (["predict", "nowhere.zarr", "table.csv"], "there is no fit 'nowhere.zarr'"),
}


@pytest.mark.parametrize(("arguments", "message"), COMMANDS.values(), ids=COMMANDS)
def test_a_bad_command_is_one_line_and_leaves_nothing(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.csv").touch()
    TABLE.to_csv("table.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert message in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.csv", "table.csv"]
