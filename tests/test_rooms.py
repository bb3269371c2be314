"""The rooms: dependencies point one way, nothing imports itself, no folder is crowded.

And what the design notes say of the lines that an addition to them takes is so.
"""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

import pytest
from pymc_bnn.models.likelihoods import LIKELIHOODS

ROOT = Path(__file__).parents[1]
ROOMS = ("models", "samplers", "studies")  # each imports those before it
MOST_FILES = 15
ROLES = re.compile(r":(mod|func|class|data):`(?:[^`<]+<)?(\.+)([\w.]+)>?`")
CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
CELLS = {
    "prior": "class Laplace",
    "likelihood": "class Waiting",
    "step": "class RandomWalk",
    "study": "STUDY = Study",
}


def modules() -> dict[str, Path]:
    """Files of all modules, by name."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    return {f"pymc_bnn.{n.removesuffix('.__init__')}": p for n, p in zip(names, files, strict=True)}


def statements(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Imports of a module, also in functions, but not those for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            yield node
        yield from statements(node)


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Modules of ours that a module imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in statements(ast.parse(path.read_text())):
        target = "." * node.level + (node.module or "")
        source = resolve_name(target, package) if node.level else target
        for alias in node.names:
            inner = f"{source}.{alias.name}"
            found.add(inner if inner in known else source)
    return found & set(known) - {name}


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imports(name, path, known) for name, path in known.items()}


def test_all_rooms_were_read(graph: dict[str, set[str]]) -> None:
    assert "pymc_bnn.models.bnn" in graph["pymc_bnn.samplers.potential.conditional"]
    assert sum(map(len, graph.values())) > len(graph) > 250


def test_no_module_imports_itself_by_others(graph: dict[str, set[str]]) -> None:
    TopologicalSorter(graph).prepare()
    with pytest.raises(CycleError):  # as it would be if a model knew the command line
        TopologicalSorter(graph | {"pymc_bnn.models.bnn": {"pymc_bnn.studies.cli"}}).prepare()


def test_rooms_import_only_those_before_them(graph: dict[str, set[str]]) -> None:
    def room(name: str) -> int:
        return ROOMS.index(name.split(".")[1])

    assert [(n, i) for n, found in graph.items() for i in found if room(i) > room(n)] == []


def test_no_folder_of_samplers_imports_itself_by_others(graph: dict[str, set[str]]) -> None:
    def folder(name: str) -> str:
        return ".".join(name.split(".")[:3])

    folders: dict[str, set[str]] = {}
    for name, found in graph.items():
        if name.startswith("pymc_bnn.samplers."):
            folders.setdefault(folder(name), set()).update(map(folder, found))
    TopologicalSorter({name: found - {name} for name, found in folders.items()}).prepare()


def test_no_folder_has_more_files_than_a_reader_keeps_in_mind() -> None:
    folders = {p.parent for room in (*ROOMS, "tests") for p in (ROOT / room).rglob("*.py")}
    crowded = {f: n for f in folders if (n := len(list(f.glob("*.py")))) > MOST_FILES}
    assert crowded == {}


def test_every_folder_is_a_package_which_setup_finds() -> None:
    found = modules().values()
    assert {p.parent for p in found} == {p.parent for p in found if p.name == "__init__.py"}


def test_modules_that_docstrings_point_to_are_there() -> None:
    known, lost = modules(), []
    for name, path in known.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for role, dots, target in ROLES.findall(path.read_text(encoding="utf-8")):
            module = target if role == "mod" else target.rpartition(".")[0]
            if len(dots) > 1:  # as in an import
                there = resolve_name(dots + module, package) in known
            else:  # by the end of its name, which is another one than where it stands
                itself = role == "mod" and name.endswith(f".{module}")
                there = not itself and any(other.endswith(f".{module}") for other in known)
            if module and not there:
                lost.append(f"{name}: {dots}{target}")
    assert lost == []


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_are_in_the_reference(room: str) -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (\w+)$|`\w+\.(\w+)`", text, re.MULTILINE))
    public = import_module(f"pymc_bnn.{room}").__all__
    assert public
    assert set(public) <= {name for pair in listed for name in pair}


def test_arviz_is_loaded_where_its_accessor_is_used() -> None:
    """Many modules go without it, as it takes nearly half of the time of imports."""
    used = {path: path.read_text() for path in modules().values()}
    used = {path: text for path, text in used.items() if ".azstats" in text}
    assert len(used) > 2
    assert [path for path, text in used.items() if "import arviz" not in text] == []


def said(pattern: str) -> list[int]:
    """Numbers that the design notes say."""
    text = " ".join((ROOT / "docs" / "design_notes.md").read_text(encoding="utf-8").split())
    found = re.search(pattern, text)
    assert found, pattern
    return [int(number) for number in found.groups()]


def naming(path: Path, name: str) -> int:
    """How many lines of a file import or list something."""
    line = rf'^from .* import {name}\b.*$|^ +"?{name}"?,?$'
    return len(re.findall(line, path.read_text(encoding="utf-8"), re.MULTILINE))


def test_cells_of_additions_have_as_many_lines_as_is_said() -> None:
    found = CELL.findall((ROOT / "docs" / "extending.md").read_text(encoding="utf-8"))
    cells = {name: [c for c in found if words in c] for name, words in CELLS.items()}
    assert [len(one) for one in cells.values()] == [1] * len(CELLS)
    assert [len(cell.splitlines()) for [cell] in cells.values()] == said(
        r"of a prior has (\d+) lines, that of a likelihood with a fit (\d+), of a step (\d+), and "
        r"of a study with two tables (\d+)\."
    )


def test_most_lines_of_a_study_of_few_tables_are_its_words() -> None:
    folder = ROOT / "studies" / "peers"
    lines = {path.stem: len(path.read_text().splitlines()) for path in folder.glob("*.py")}
    words = sum(lines[name] for name in ("page", "judgements", "words"))
    round_numbers = said(r"has some (\d+) lines for three tables, of which some (\d+)")
    assert [sum(lines.values()), words] == pytest.approx(round_numbers, abs=50)


@pytest.mark.parametrize("name", [kind.__name__ for kind in LIKELIHOODS.values()])
def test_a_likelihood_is_named_in_four_files_beside_its_own(name: str) -> None:
    files = (ROOT / "models" / "__init__.py", ROOT / "models" / "likelihoods" / "finding.py")
    assert [naming(path, name) for path in (*files, ROOT / "docs" / "api.md")] == [2, 2, 1]


def test_a_step_is_named_in_two_files_beside_its_own() -> None:
    for path in (ROOT / "samplers" / "steps").glob("[!_]*.py"):
        [name] = re.findall(
            r"^class ([A-Z]\w+)\(\w*(?:Step|HMC|Metropolis)\w*\):", path.read_text(), re.M
        )
        files = ROOT / "samplers" / "__init__.py", ROOT / "docs" / "api.md"
        assert [naming(path, name) for path in files] == [2, 1], name
