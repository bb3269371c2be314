"""Many processes that import everything once."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVE = """
import contextlib
import io
import json
import os
import sys

for request in sys.stdin:
    forked = []
    for program in json.loads(request):
        forked.append(os.fork())
        if forked[-1] == 0:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(program, globals())
            os.write(1, said.getvalue().encode())
            os._exit(0)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in forked]
    print("done", *statuses, flush=True)
"""


class Imported:
    """A process that has imported everything, and that others are forked from.

    Nothing was compiled or read from disk in it, so that they go on as from their own imports,
    which take longer than all else.
    """

    def __init__(self, setup: str, cache: Path):
        self.cache = cache
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore::DeprecationWarning", "-c", setup + SERVE],
            env={**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={cache}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *programs: str) -> list[list[str]]:
        """Run each program in a process of its own, at the same time; return what they print."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(programs) + "\n")
        self.process.stdin.flush()
        found: list[list[str]] = []
        for line in self.process.stdout:
            found.append(line.split())
            if found[-1][:1] == ["done"]:
                assert found.pop() == ["done", *("0" for _ in programs)]
                return found
        raise AssertionError("the process has ended")


@contextmanager
def imported(setup: str, cache: Path) -> Iterator[Imported]:
    """Start a process that does this and has a cache of its own; end it."""
    started = Imported(setup, cache)
    try:
        yield started
    finally:
        started.process.communicate(timeout=1800)
