"""A tape as a function that compiled code calls by its address.

What PyTensor would have numba compile, one function for each operation with its own array, is one
function here, in parts, which reads and writes one memory at places that are known. Numba is not
asked what it means, and the optimiser not to write loops out, for which it took most of the time.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Sequence
from itertools import batched, groupby
from typing import Any

from llvmlite import ir
from numba import types

from ....models.simd.lanes import cgutils, instruction, signature
from ...compiled import engine
from ...compiled.entries import REALS, WORDS, Entry, emit_call
from ..rest import HEAD
from .instructions import ADDED, CALL, CUMULATED, DOUBLE, EMIT, GATHERED, PASS, PUT, REDUCTIONS

MEMORY, NETWORK, ENTRY, CALLED = range(HEAD, HEAD + 4)  # words of a tape; the last are several
UNROLLED = 4  # numbers that need no loop
# instructions of one function: the optimiser takes longer for each the more there are
TOGETHER = 32
LONG = 64  # numbers that several at a time are computed of

type Row = tuple[str, int, int, tuple[tuple[int, int, int], ...]]

program = engine.bound_later


def run(q, gradient, extra, words):
    """Entry of a tape: the energy of a position, whose slopes it writes if there are any."""
    return program(q, gradient, words)


class _Writer:
    """Writes the code of rows, one after the other, on a memory."""

    def __init__(self, builder: Any, memory: Any):
        self.builder, self.memory = builder, memory

    def at(self, place: int, steps: Sequence[tuple[Any, int]] = ()) -> Any:
        """Pointer to a place of the memory, some strides further."""
        index: Any = ir.IntType(64)(place)
        for count, stride in steps:
            if stride:
                far = self.builder.mul(count, ir.IntType(64)(stride))
                index = self.builder.add(index, far)
        return self.builder.gep(self.memory, [index])

    def write(self, row: Row) -> None:
        """Write the code of one instruction."""
        kind, rows, columns, operands = row
        if kind in REDUCTIONS:
            self.over(rows, lambda i: self._reduce(kind, columns, operands, i))
        elif kind == CUMULATED:
            self.over(rows, lambda i: self._cumulate(columns, operands, i))
        elif kind in (GATHERED, PUT, ADDED):
            self.over(rows, lambda i: self._move(kind, columns, operands, i))
        else:
            emit = EMIT[kind]
            self.over(rows, lambda i: self.over(columns, lambda j: self._one(emit, operands, i, j)))

    def over(self, count: int, body: Callable[[Any], None]) -> None:
        """Repeat code, with a loop where that is shorter."""
        if count <= UNROLLED:
            for k in range(count):
                body(ir.IntType(64)(k))
            return
        with cgutils.for_range(self.builder, ir.IntType(64)(count)) as loop:
            body(loop.index)

    def _one(
        self, emit: Callable, operands: Sequence[tuple[int, int, int]], i: Any, j: Any
    ) -> None:
        to, *given = (
            self.at(place, ((i, by_row), (j, by_column))) for place, by_row, by_column in operands
        )
        numbers = [self.builder.load(pointer) for pointer in given]
        self.builder.store(emit(self.builder, *numbers), to)

    def _reduce(
        self, kind: str, columns: int, operands: Sequence[tuple[int, int, int]], i: Any
    ) -> None:
        (out, by_out, _), *given = operands
        start, combine = REDUCTIONS[kind]
        total = self._variable(start)

        def add(j: Any) -> None:
            numbers = [self.load(place, (i, by_row), (j, by)) for place, by_row, by in given]
            x = numbers[0] if len(numbers) == 1 else self.builder.fmul(*numbers)
            self.builder.store(combine(self.builder, self.builder.load(total), x), total)

        self.over(columns, add)
        self.builder.store(self.builder.load(total), self.at(out, ((i, by_out),)))

    def _cumulate(self, columns: int, operands: Sequence[tuple[int, int, int]], i: Any) -> None:
        (out, by_out, by_next), (place, by_row, by_column) = operands
        total = self._variable(0.0)

        def add(j: Any) -> None:
            x = self.load(place, (i, by_row), (j, by_column))
            found = self.builder.fadd(self.builder.load(total), x)
            self.builder.store(found, total)
            self.builder.store(found, self.at(out, ((i, by_out), (j, by_next))))

        self.over(columns, add)

    def _move(
        self, kind: str, columns: int, operands: Sequence[tuple[int, int, int]], i: Any
    ) -> None:
        """Copy or add a row from a place that an array says, or to one."""
        to, (places, by_place, _), source = operands
        found = self.load(places, (i, by_place))
        far = self.builder.fptosi(found, ir.IntType(64))

        def one(j: Any) -> None:
            out, by_out, by_next = to
            place, by_row, by_column = source
            if kind == GATHERED:
                x = self.load(place, (far, 1), (j, by_column))
                self.builder.store(x, self.at(out, ((i, by_out), (j, by_next))))
                return
            x = self.load(place, (i, by_row), (j, by_column))
            pointer = self.at(out, ((far, 1), (j, by_next)))
            if kind == ADDED:
                x = self.builder.fadd(self.builder.load(pointer), x)
            self.builder.store(x, pointer)

        self.over(columns, one)

    def _variable(self, start: float) -> Any:
        """Make a variable that begins with a number each time."""
        pointer = cgutils.alloca_once_value(self.builder, DOUBLE(start))
        self.builder.store(DOUBLE(start), pointer)
        return pointer

    def load(self, place: int, *steps: tuple[Any, int]) -> Any:
        """Read a number some strides after a place."""
        return self.builder.load(self.at(place, steps))


class _Program:
    """The function of a tape: parts of it, and between them passes and calls of other functions."""

    def __init__(self, context: Any, builder: Any, words: Any):
        self.context, self.builder, self.words = context, builder, words
        self.memory = self.pointer(MEMORY, DOUBLE)
        self.writer, self.parts = _Writer(builder, self.memory), 0

    def pointer(self, word: int, kind: Any) -> Any:
        """Read a word as an address."""
        return self.builder.inttoptr(self.word(word), kind.as_pointer())

    def word(self, word: int) -> Any:
        """Read a word."""
        return self.builder.load(self.builder.gep(self.words, [ir.IntType(64)(word)]))

    def write(self, rows: Sequence[Row]) -> None:
        """Write the code of all instructions."""
        for kind, some in groupby(rows, lambda row: row[0] if row[0] in (PASS, CALL) else None):
            if kind == PASS:
                for _, outputs, size, operands in some:
                    self._pass(outputs, size, [place for place, *_ in operands])
            elif kind == CALL:
                for _, which, _, operands in some:
                    self._called(which, operands)
            else:
                for part in batched(some, TOGETHER):
                    self._call(part)

    def _call(self, rows: Sequence[Row]) -> None:
        """Write some instructions as a function of their own, and its call."""
        name = f"{self.builder.function.name}.part{self.parts}"
        self.parts += 1
        kind = ir.FunctionType(ir.VoidType(), [DOUBLE.as_pointer()])
        function = ir.Function(self.builder.module, kind, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        if max(columns for _, _, columns, _ in rows) < LONG:
            function.attributes.add("optsize")  # loops written out several times gain nothing
        builder = ir.IRBuilder(function.append_basic_block())
        writer = _Writer(builder, function.args[0])
        for row in rows:
            writer.write(row)
        builder.ret_void()
        self.builder.call(function, [self.memory])

    def _called(self, which: int, operands: Sequence[tuple[int, int, int]]) -> None:
        """Call a function of the memory; its words say where operands lie, and their shapes."""
        whole = ir.IntType(64)
        numbers = [whole(number) for operand in operands for number in operand]
        words = cgutils.alloca_once(self.builder, whole, size=len(numbers))
        for i, number in enumerate(numbers):
            self.builder.store(number, self.builder.gep(words, [whole(i)]))
        given = [self.memory, self.memory, self.memory, words]
        emit_call(self.context, self.builder, self.word(CALLED + which), given)

    def _pass(self, outputs: int, size: int, places: Sequence[int]) -> None:
        """Call the pass through a network: weights, their slopes, precisions and theirs."""
        energy, weights, slopes, noise = places
        writer, zero = self.writer, DOUBLE(0.0)
        writer.over(size, lambda i: self.builder.store(zero, writer.at(slopes, ((i, 1),))))
        second = noise + outputs
        writer.over(outputs, lambda i: self.builder.store(zero, writer.at(second, ((i, 1),))))
        given = [writer.at(place) for place in (weights, slopes, noise)]
        network = self.pointer(NETWORK, ir.IntType(64))
        found = emit_call(self.context, self.builder, self.word(ENTRY), [*given, network])
        self.builder.store(found, writer.at(energy))


def tape_entry(rows: tuple[Row, ...], ends: tuple[int, int, int, int]) -> Entry:
    """Compile a tape when it is first asked for.

    Parameters
    ----------
    rows : tuple
        Of each instruction its kind, how many rows and columns it goes through, and of each
        operand where it begins and how far its rows and columns lie apart.
    ends : tuple of int
        Numbers of the block and of the slopes, where the energy lies, and where the slopes.

    Returns
    -------
    Entry
        It reads the words at :data:`MEMORY`, :data:`NETWORK` and :data:`ENTRY`, and from
        :data:`CALLED` on the addresses of the functions that its calls name by their numbers.
    """

    @instruction
    def compute(typing_context, q, gradient, words):
        def codegen(context, builder, found, values):
            given, size, energy, slopes = ends
            program = _Program(context, builder, values[2])
            at = program.writer.at
            cgutils.raw_memcpy(builder, program.memory, values[0], ir.IntType(64)(given), 8)
            program.write(rows)
            cgutils.raw_memcpy(builder, values[1], at(slopes), ir.IntType(64)(size), 8)
            return builder.load(at(energy))

        return signature(types.float64, REALS, REALS, WORDS), codegen

    return engine.entry(run, program=compute)
