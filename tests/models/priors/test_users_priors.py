"""Priors that users write have a density, and come back as what they were."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partialmethod
from types import ModuleType
from typing import Any

import cloudpickle
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.class_digest import class_digest
from pymc_bnn.models.priors.base import Group
from xarray import DataTree

X = np.random.default_rng(6).normal(size=(8, 2))


@dataclass(frozen=True)
class OfGroup(models.Prior):
    """Whatever a function of the group returns."""

    number: float = 1.0

    def scale(self, group: Group) -> Any:
        return SCALES[self.number](group)

    def words(self) -> str:
        return "normal, of some scale"


SCALES: dict[float, Callable[[Group], Any]] = {
    1.0: lambda group: np.float64(1.0 - group.fan_in),
    2.0: lambda group: np.linspace(1.0, -0.5, group.shape[-1]),
    3.0: lambda group: np.float64(np.nan),
    4.0: lambda group: np.ones(5),
    5.0: lambda group: np.ones((1, 1, 1)),
}


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1.0, "OfGroup.scale returned -1.0 for w0; return a standard deviation"),
        (2.0, "for w0; return a standard deviation, which is a positive number"),
        (3.0, "OfGroup.scale returned nan for w0"),
        (4.0, r"OfGroup.scale returned shape \(5,\) for w0, whose weights have \(2, 3\)"),
        (5.0, r"OfGroup.scale returned shape \(1, 1, 1\) for w0"),
    ],
)
def test_scales_without_a_density_of_the_weights_are_refused(number: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        models.BNN(X, X[:, 0], hidden=(3,), prior=OfGroup(number))


def drawn(model: models.BNN) -> DataTree:
    with model:
        idata = pm.sample_prior_predictive(draws=2, random_seed=1)
    idata["posterior"] = idata["prior"]
    return idata


def made(sd: float) -> models.Prior:
    @dataclass(frozen=True)
    class Local(models.Prior):
        """A class whose code names a number of where it was made."""

        def scale(self, group: Group) -> np.float64:
            return np.float64(sd)

        def words(self) -> str:
            return "local"

    return Local()


def size(group: Group) -> float:
    return 2.0 / group.fan_in


@dataclass(frozen=True)
class Named(models.Prior):
    """A class whose scale is computed by a function of its module."""

    def scale(self, group: Group) -> np.float64:
        return np.float64(size(group))

    def words(self) -> str:
        return "named"


def test_draws_have_the_prior_of_when_the_model_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its graph has the numbers of then, whatever they are when draws are there."""
    model = models.BNN(X, X[:, 0], hidden=(), prior=Named())
    assert models.load(drawn(model)).priors["w0"] == Named()
    monkeypatch.setitem(globals(), "size", lambda group: 3.0 / group.fan_in)
    with pytest.raises(ValueError, match="Named has other code"):
        models.load(drawn(model))
    with pytest.raises(ValueError, match="Named, the prior of w0, has other code or numbers"):
        model.reparametrized("noncentered")


def test_functions_that_a_class_names_are_of_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    described = Named().to_dict()
    assert models.Prior.from_dict(described) == Named()
    monkeypatch.setitem(globals(), "size", lambda group: 3.0 / group.fan_in)
    with pytest.raises(ValueError, match="Named has other code"):
        models.Prior.from_dict(described)


name = "a global that no prior reads"


@dataclass(frozen=True)
class Counting(models.Prior):
    """Reads an attribute called as a global is, and writes a global number."""

    def scale(self, group: Group) -> np.float64:
        global calls
        calls += 1
        return np.float64(len(group.name))

    def words(self) -> str:
        return "counting"


calls = 0


def test_what_a_class_does_not_read_is_not_of_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    idata = drawn(models.BNN(X, X[:, 0], hidden=(), prior=Counting()))
    monkeypatch.setitem(globals(), "name", "another")
    assert float(models.load(idata).scales["w0"]) == 2.0


def with_keyword(number: float) -> type[models.Prior]:
    class Kind(models.Prior):
        def scale(self, group: Group, *, size: float = number) -> np.float64:
            return np.float64(size)

        def words(self) -> str:
            return "kind"

    return Kind


def with_helper(number: float) -> type[models.Prior]:
    def helper() -> float:
        return number

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(helper())

        def words(self) -> str:
            return "kind"

    return Kind


def with_property(number: float) -> type[models.Prior]:
    class Kind(models.Prior):
        size = cached_property(lambda self: number)

        def scale(self, group: Group) -> np.float64:
            return np.float64(self.size)

        def words(self) -> str:
            return "kind"

    return Kind


def with_cache(number: float) -> type[models.Prior]:
    remembered = cache(lambda: number)

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(remembered())

        def words(self) -> str:
            return "kind"

    return Kind


def with_part(number: float) -> type[models.Prior]:
    class Kind(models.Prior):
        size = partialmethod(lambda self, number: number, number)

        def scale(self, group: Group) -> np.float64:
            return np.float64(self.size())

        def words(self) -> str:
            return "kind"

    return Kind


def with_object(number: float) -> type[models.Prior]:
    class Inner:
        def size(self) -> float:
            return number

    class Kind(models.Prior):
        inner = Inner()

        def scale(self, group: Group) -> np.float64:
            return np.float64(self.inner.size())

        def words(self) -> str:
            return "kind"

    return Kind


def with_module(number: float) -> type[models.Prior]:
    module: Any = ModuleType("settings")
    module.size = number

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(module.size)

        def words(self) -> str:
            return "kind"

    return Kind


def with_setter(number: float) -> type[models.Prior]:
    class Kind(models.Prior):
        def get(self) -> float:
            return 1.0

        def put(self, value: float) -> None:
            self.__dict__["kept"] = value * number

        size = property(get, put)

        def scale(self, group: Group) -> np.float64:
            return np.float64(self.size)

        def words(self) -> str:
            return "kind"

    del Kind.get, Kind.put
    return Kind


def with_bound_method(number: float) -> type[models.Prior]:
    class Inner:
        def __init__(self, number: float) -> None:
            self.number = number

        def size(self) -> float:
            return self.number

    size = Inner(number).size

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(size())

        def words(self) -> str:
            return "kind"

    return Kind


def with_slots(number: float) -> type[models.Prior]:
    class Inner:
        __slots__ = "__number", "later"

        def __init__(self, number: float) -> None:
            self.__number = number

        def size(self) -> float:
            return self.__number

    inner = Inner(number)

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(inner.size())

        def words(self) -> str:
            return "kind"

    return Kind


def with_default_module(number: float) -> type[models.Prior]:
    module: Any = ModuleType("settings")
    module.size = number

    class Kind(models.Prior):
        def scale(self, group: Group, settings: Any = module) -> np.float64:
            return np.float64(settings.size)

        def words(self) -> str:
            return "kind"

    return Kind


WITH = (
    with_keyword,
    with_helper,
    with_property,
    with_cache,
    with_part,
    with_object,
    with_module,
    with_setter,
    with_bound_method,
    with_slots,
    with_default_module,
)


@pytest.mark.parametrize("make", WITH)
def test_numbers_are_told_apart_wherever_they_stand(
    make: Callable[[float], type[models.Prior]],
) -> None:
    first, again, other = (class_digest(make(size)) for size in (1.0, 1.0, 50.0))
    assert first == again != other


def reading(value: Any) -> type[models.Prior]:
    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(bool(value))

        def words(self) -> str:
            return "kind"

    return Kind


@pytest.mark.parametrize(
    "make",
    [
        range,
        Fraction,
        Decimal,
        lambda n: slice(0, n),
        lambda n: timedelta(days=n),
        lambda n: np.array([n, None], dtype=object),
        lambda n: frozenset({np.exp, len, lambda x: n * x}),
        lambda n: frozenset({("a", n), ("b", 2), ("c", 3)}),
    ],
)
def test_values_that_cannot_change_are_of_the_code(make: Callable[[int], Any]) -> None:
    first, again, other = (class_digest(reading(make(n))) for n in (3, 3, 5))
    assert first == again != other


def test_objects_that_answer_every_question_are_followed() -> None:
    class Settings(dict):
        def __getattr__(self, name: str) -> Any:
            return self[name]

    assert class_digest(reading(Settings(a=1)))


SAYS_WHAT_IT_RETURNS = """
class Kind(models.Prior):
    def scale(self, group):
        return np.float64(1.0)

    def words(self):
        "kind"
        return "kind"
"""


def test_a_text_counts_where_it_is_returned_though_it_is_a_docstring_too() -> None:
    def digest(change: tuple[str, str]) -> str:
        written: dict[str, Any] = {"__name__": "a_script", "models": models, "np": np}
        exec(SAYS_WHAT_IT_RETURNS.replace(*change), written)
        return class_digest(written["Kind"])

    of_all = digest(("kind", "kind"))
    assert digest(('"kind"', '"sort"')) != of_all
    changes_of_the_docstring = [
        (f'"kind"\n{8 * " "}return', f'"{other}"\n{8 * " "}return') for other in ("sort", "type")
    ]
    assert len({digest(change) for change in changes_of_the_docstring}) == 1


def swapped(number: float) -> type[models.Prior]:
    def one() -> float:
        return 1.0

    def two() -> float:
        return 2.0

    first, second, third = one, two, one if number == 1.0 else two

    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(first() + second() + third())

        def words(self) -> str:
            return "kind"

    return Kind


def test_functions_that_are_named_twice_are_told_apart() -> None:
    assert class_digest(swapped(1.0)) == class_digest(swapped(1.0)) != class_digest(swapped(2.0))


def test_code_may_name_what_is_not_there_yet() -> None:
    class Kind(models.Prior):
        def scale(self, group: Group) -> np.float64:
            return np.float64(later)

        def words(self) -> str:
            return "kind"

    before = class_digest(Kind)
    later = 2.0
    assert class_digest(Kind) != before


MEMORY: dict[str, np.float64] = {}


@dataclass(frozen=True)
class Remembering(models.Prior):
    """Keeps what it computed in its module."""

    def scale(self, group: Group) -> np.float64:
        return MEMORY.setdefault(group.name, np.float64(1.5))

    def words(self) -> str:
        return "remembering"


def test_what_code_keeps_is_not_of_it() -> None:
    described = Remembering().to_dict()
    idata = drawn(models.BNN(X, X[:, 0], hidden=(), prior=Remembering()))
    assert float(models.load(idata).scales["w0"]) == 1.5
    assert models.Prior.from_dict(described) == Remembering()


class Undeclared(OfGroup):
    """Weights of a distribution of its own, which has no use for a scale."""

    def declare(self, group: Group, scale: Any, parametrization: str) -> Any:
        return pm.StudentT(group.name, nu=4.0, mu=0.0, sigma=1.0, dims=group.dims)


def test_a_scale_that_is_not_used_may_be_anything() -> None:
    model = models.BNN(X, X[:, 0], hidden=(), prior=Undeclared(3.0))
    assert np.isfinite(model.point_logps()["w0"])


def test_a_class_of_other_code_is_not_loaded_in_its_place() -> None:
    idata = drawn(models.BNN(X, X[:, 0], hidden=(), prior=made(1.0)))
    made(1.0)  # defined again as it was, as by a cell that runs twice
    assert float(models.load(idata).scales["w0"]) == 1.0
    made(50.0)
    with pytest.raises(ValueError, match="Local has other code than when it was described"):
        models.load(idata)


def of_a_script(sd: float) -> type[models.Prior]:
    written = {"__name__": "__main__", "models": models, "dataclass": dataclass, "sd": sd}
    exec(SCRIPT, written)
    return written["Scripted"]  # type: ignore[return-value]


SCRIPT = """
@dataclass(frozen=True)
class Scripted(models.Prior):
    def scale(self, group):
        return sd

    def words(self):
        return "scripted"
"""


def test_classes_of_scripts_have_the_same_code_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose main module may be an installed one."""
    here = class_digest(of_a_script(1.0))
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__file__", "/site-packages/worker.py", raising=False)
    assert class_digest(of_a_script(1.0)) == here
    assert class_digest(of_a_script(2.0)) != here


def test_a_class_that_was_pickled_by_value_is_loaded_again() -> None:
    """What unpickles it makes an empty class of its name first."""
    idata = drawn(models.BNN(X, X[:, 0], hidden=(), prior=of_a_script(1.5)()))
    cloudpickle.loads(cloudpickle.dumps(of_a_script(1.5)()))
    assert float(models.load(idata).scales["w0"]) == 1.5


def test_draws_of_another_python_or_an_older_version_are_loaded() -> None:
    described = OfGroup(2.0).to_dict()
    digest = described.pop("__code__")
    assert models.Prior.from_dict(described) == OfGroup(2.0)
    other = f"cpython-27:{digest.partition(':')[2][::-1]}"
    assert models.Prior.from_dict({**described, "__code__": other}) == OfGroup(2.0)


def test_priors_within_priors_are_refused() -> None:
    @dataclass(frozen=True)
    class Half(models.Prior):
        base: Any

        def scale(self, group: Group) -> Any:
            return 0.5 * self.base.scale(group)

        def words(self) -> str:
            return "half"

    with pytest.raises(TypeError, match="Half: base holds an object with fields, which no"):
        models.BNN(X, X[:, 0], hidden=(), prior=Half(models.Gaussian()))
    with pytest.raises(TypeError, match="Half: base holds an object with fields"):
        Half((models.Gaussian(), 1.0)).to_dict()


def test_a_prior_that_may_change_is_refused() -> None:
    """Compiled code would read what it is now, and the graph keeps what it was."""

    @dataclass
    class Changing(models.Prior):
        size: float = 1.0

        def scale(self, group: Group) -> Any:
            return self.size

        def words(self) -> str:
            return "changing"

    with pytest.raises(TypeError, match="Changing may change after a model was built of it"):
        models.BNN(X, X[:, 0], hidden=(), prior=Changing())
