"""What all tests share: shapes are checked at every call, and `require` says how to get what a test lacks."""

import contextlib
import importlib.abc
import importlib.machinery
import inspect
import os
import re
import sys
import tempfile
import uuid

import pytest
from tools import processes, run_tests
from xdist.scheduler import LoadFileScheduling

readers = tempfile.TemporaryDirectory()  # no test reads or writes what the person at this machine has answered
os.environ["CLOCKWORK_ANSWERS"] = os.path.join(readers.name, "answers.json")


def require(found: object, how_to_get_it: str) -> None:
    """Skip the test with one line unless `found` is true; fail instead where CI promises that everything is there."""
    if found:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI must not skip: {how_to_get_it}", pytrace=False)
    pytest.skip(how_to_get_it)


class LongestFirst(LoadFileScheduling):
    """Give each process whole files in the collection's order, and the lessons, which share nothing, one by one.

    One process grades, with two sandboxes at a time; it looks for what they leave running on the whole machine.
    """

    def _split_scope(self, nodeid):
        if "grading/" in nodeid:
            return "grading/"
        return nodeid if "::test_lesson_runs" in nodeid else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False  # a file of many tests is not one that takes long
    return LongestFirst(config, log)


def pytest_addoption(parser):
    parser.addoption("--part", choices=["quick", "rest"], help="what `course.py test` runs, or what it leaves out")


def takes_long(item):
    return bool(item.get_closest_marker("browser") or item.get_closest_marker("slow"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Choose the part; bring the files that take minutes to the front, so that no process is left alone with one."""
    if part := config.getoption("part"):
        lost = [begin for begin in run_tests.SMOKE if not any(item.nodeid.startswith(begin) for item in items)]
        if lost and not config.getoption("lf"):
            raise pytest.UsageError(f"SMOKE in tools/run_tests.py names tests that are not there: {lost}")
        chosen = {item: run_tests.is_quick(item.nodeid, takes_long(item)) == (part == "quick") for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not chosen[item]])
        items[:] = [item for item in items if chosen[item]]
    long = {item.path for item in items if takes_long(item)}
    items.sort(key=lambda item: (item.path not in long, item.path.name != "test_site.py"))


@pytest.fixture(scope="session", autouse=True)
def nothing_stays_behind():
    """Fail when a server, a kernel or a browser that a test started is still there when all tests are done."""
    mark = uuid.uuid4().hex
    os.environ[processes.MARK] = f"{os.environ.get(processes.MARK, '')} {mark}".strip()
    yield
    left = {process.pid: " ".join(process.cmdline()) for process in processes.marked(mark)}
    left = {pid: command for pid, command in left.items() if re.search(r"ipykernel|jupyter|lab\.py|chrom", command)}
    processes.end([processes.psutil.Process(pid) for pid in left])
    assert not left, "a test left these running; start them with tools.processes.running"


@pytest.fixture(scope="module")
def browser():
    """Start a headless Chromium for the tests of one file."""
    from driving import chromium

    with chromium() as started:
        yield started


@contextlib.contextmanager
def without_checks():
    """Switch the shape checks off, to see a function as a reader meets it: its own errors, compiled and vmapped."""
    import jaxtyping

    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def unchecked():
    """Run a test without the shape checks."""
    with without_checks():
        yield


ANNOTATED = re.compile(rb"from typing import Annotated as (\w+)\n")


def names_shapes(source):
    """Return whether the arguments and results of a module have shapes to be checked."""
    return b"jaxtyping" in source or ANNOTATED.search(source)


class CheckedLoader(importlib.machinery.SourceFileLoader):
    """Load a module with its type-checking imports made real and every function's shapes checked at each call.

    The modules name their shapes as strings behind `if TYPE_CHECKING:`, so that a reader needs torch alone. Those that
    are taken home say `Float[Tensor, "..."]` with `Annotated as Float`, a plain Tensor; here it is jaxtyping's.
    """

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if names_shapes(source):
            source = source.replace(b"if TYPE_CHECKING:", b"if True:", 1)  # the first: of imports
            source = ANNOTATED.sub(rb"from jaxtyping import \1\n", source)
        return compile(source, path, "exec", dont_inherit=True)

    def exec_module(self, module):
        super().exec_module(module)
        if not names_shapes(self.get_data(self.path)):
            return
        import beartype
        import jaxtyping

        checker = beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))  # an int is a float
        for home in [module, *(c for c in vars(module).values() if isinstance(c, type))]:
            for name, function in list(vars(home).items()):
                if inspect.isfunction(function) and function.__module__ == module.__name__:
                    setattr(home, name, jaxtyping.jaxtyped(typechecker=checker)(function))


class CheckedFinder(importlib.abc.MetaPathFinder):
    """Send every module of pe_helpers and of the course through `CheckedLoader`."""

    def find_spec(self, fullname, path=None, target=None):
        spec = None
        if fullname.startswith(("pe_helpers.", "clockwork.")):
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = CheckedLoader(spec.loader.name, spec.loader.path)
            return spec
        return None


sys.meta_path.insert(0, CheckedFinder())
