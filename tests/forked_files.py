"""Run the tests of each file in a process of its own, forked from one that has imported everything.

What numba compiles is never freed: in one process, all tests together take more than 4 GB. It is
not compiled anew in the next process either, which loads it from disk.
"""

import gc
import os
import signal
import warnings
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from _pytest.warnings import catch_warnings_for_item


class Child:
    """A forked process that runs tests, one at a time, as it is told."""

    def __init__(self, session: pytest.Session):
        gc.collect()
        gc.freeze()  # nobody looks for garbage in all that was imported, or copies it
        self.connection, theirs = Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads only wait
            self.pid = os.fork()
        if self.pid == 0:
            self.connection.close()
            _serve(theirs, session)
        theirs.close()

    def run(self, item: int, following: int | None) -> list[dict[str, Any]]:
        """Run a test; ``following`` is the next one of its file."""
        self.connection.send((item, following))
        return self.connection.recv()

    def end(self) -> int:
        """Wait for the end of the process; return its exit status."""
        self.connection.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def _serve(connection: Connection, session: pytest.Session) -> None:
    """Run tests until there are no more, then end without a word to pytest."""
    status = 1
    try:
        config = session.config
        while True:
            try:
                item, following = connection.recv()
            except EOFError:
                status = 0
                break
            after = None if following is None else session.items[following]
            test = session.items[item]
            # what the process was forked with are the filters of the first test of the file
            with catch_warnings_for_item(config, test.ihook, "runtest", test, record=False):
                reports = runtestprotocol(test, log=False, nextitem=after)
            ready = config.hook.pytest_report_to_serializable
            connection.send([ready(config=config, report=report) for report in reports])
    finally:
        os._exit(status)


class ForkedFiles:
    """Plugin of a worker that has another process for each file."""

    def __init__(self) -> None:
        self.child: Child | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test in the process of its file."""
        items, hook, config = item.session.items, item.ihook, item.config
        if self.child is None:
            self.child = Child(item.session)
        same_file = nextitem is not None and nextitem.path == item.path
        following = items.index(nextitem) if same_file else None
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        try:
            given = self.child.run(items.index(item), following)
            read = config.hook.pytest_report_from_serializable
            reports = [read(config=config, data=data) for data in given]
        except (EOFError, BrokenPipeError, ConnectionResetError):
            reports, following = [_report_of_death(item, self.child.end())], None
            self.child = None
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if following is None and self.child is not None:
            self.child.end()
            self.child = None
        return True


def _report_of_death(item: pytest.Item, status: int) -> pytest.TestReport:
    cause = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="failed",
        longrepr=f"the process of this file ended with {cause}",
        when="call",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Fork where workers of pytest-xdist run the tests; ``-n 0`` leaves debuggers alone."""
    if hasattr(config, "workerinput") and hasattr(os, "fork"):
        config.pluginmanager.register(ForkedFiles())
