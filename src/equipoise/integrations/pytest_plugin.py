"""The pytest plugin: tests of agents whose scores vary, with as many repeats as it takes and stated error rates.

Pytest loads this module wherever the package is installed, so it imports nothing heavy: what compares loads when the
first test asks for it. The probability that an unchanged agent fails anywhere in a session is shared by all tests that
take the fixture ``equipoise``.
"""

import inspect
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from equipoise.core.errors import EquipoiseError
from equipoise.integrations.baselines import UPDATE, read_baselines, rows_of, write_baseline

if TYPE_CHECKING:
    from equipoise.analyses.gate.repeated import Over
    from equipoise.analyses.gate.result import Direction, GateResult

MARKER = "equipoise(tasks, margin, ...): the test returns the score of one run of `equipoise.task`, and is repeated"
VERDICT, SAID, RECORDED = "equipoise-verdict", "equipoise", "equipoise-recorded"
"""Properties of a test's report: they come from the workers of xdist, too, and JUnit XML shows the first two."""
TESTS = pytest.StashKey[int]()
"""How many tests of a session share its level."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("equipoise", "agents whose scores vary")
    group.addoption(UPDATE, action="store_true", help="Record baselines instead of comparing with them.")
    group.addoption(
        "--equipoise-level", type=float, default=0.95, metavar="LEVEL",
        help="Level that all tests of a session share: of an unchanged agent (1 - LEVEL) / 2 of sessions fail at most.",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; what collects results runs where no worker does."""
    config.addinivalue_line("markers", MARKER)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SessionDecisions(), "equipoise-decisions")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the tests that share the level."""
    session.config.stash[TESTS] = sum("equipoise" in getattr(item, "fixturenames", ()) for item in session.items)


@pytest.fixture
def equipoise(request: pytest.FixtureRequest) -> "AgentTest":
    """Compare an agent whose scores vary with a recorded baseline: ``equipoise.compare(run, tasks, margin=...)``."""
    return AgentTest(request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Repeat a marked test instead of calling it once: what it returns is a score."""
    marker = pyfuncitem.get_closest_marker("equipoise")
    if marker is None:
        return None
    test = pyfuncitem.funcargs.get("equipoise")
    if not isinstance(test, AgentTest):
        pytest.fail("a test marked `equipoise` takes the fixture `equipoise`: its task and seed say what to run", False)
    wanted = inspect.signature(pyfuncitem.obj).parameters
    given = {name: value for name, value in pyfuncitem.funcargs.items() if name in wanted}

    def run(task: Any, seed: int) -> float:
        test.task, test.seed = task, seed
        score: float = pyfuncitem.obj(**given)
        return score

    test.compare(run, *marker.args, **marker.kwargs)
    return True


class AgentTest:
    """The fixture ``equipoise`` of one test.

    Attributes
    ----------
    task, seed
        In a marked test: what to run now. The k-th run of a task has the same seed in every session.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._compared = False
        self.task: Any = None
        self.seed = 0

    def compare(
        self,
        run: Callable[..., float],
        tasks: "Sequence[str] | Mapping[str, Any]",
        *,
        margin: float | None = None,
        direction: "Direction" = "not-worse",
        baseline: str | Path | None = None,
        max_runs: int = 5,
        over: "Over" = "runs",
    ) -> "tuple[GateResult, ...]":
        """Run the agent until it is known to be not worse than its baseline and the anchor, or ``max_runs`` is over.

        Parameters
        ----------
        run
            Called with a task, and with ``seed`` where it takes one; gives a score.
        tasks
            Their names, or a mapping from names to what ``run`` is called with.
        margin, direction, max_runs, over
            As in ``compare_repeatedly``; without a margin the difference is only reported.
        baseline
            A file beside the test; any table or log of one agent will do. Without one it is named after the test.

        Returns
        -------
        The comparison with the baseline, and with the anchor where there is one; nothing where it is recorded.

        Fails when
            the agent is worse by more than the margin, there is no baseline, or a score is no number.
        """
        if self._compared:
            pytest.fail("a test compares once: what it may err by is shared by the tests of a session", False)
        self._compared = True
        refused = ""
        try:
            return self._compared_with(
                run, tasks, Path(baseline or self._default), margin=margin, direction=direction, max_runs=max_runs,
                over=over,
            )  # fmt: skip
        except EquipoiseError as error:
            refused = str(error)
        pytest.fail(refused, False)

    def _compared_with(
        self, run: Callable[..., float], tasks: "Sequence[str] | Mapping[str, Any]", baseline: Path, max_runs: int,
        **asked: Any,
    ) -> "tuple[GateResult, ...]":  # fmt: skip
        from equipoise.analyses.gate.repeated import compare_repeatedly, record, together

        names = [str(task) for task in tasks]
        things = dict(zip(names, tasks.values() if isinstance(tasks, Mapping) else tasks, strict=True))
        seeded = takes_seed(run)

        def one(name: str, seed: int) -> float:
            return run(things[name], seed=seed) if seeded else run(things[name])

        path = self._item.path.parent / baseline
        config = self._item.config
        if config.getoption(UPDATE):
            rows = rows_of(record(one, names, max_runs))
            self._say(RECORDED, json.dumps({"path": str(path), "rows": rows}))
            return ()
        level = 1.0 - (1.0 - config.getoption("--equipoise-level")) / max(config.stash.get(TESTS, 1), 1)
        results = compare_repeatedly(one, names, read_baselines(path), max_runs=max_runs, level=level, **asked)
        verdict = together(results)
        said = " ".join(result.answer[0] for result in results)
        self._say(VERDICT, verdict if results[0].verdict else "difference")
        self._say(SAID, said)
        if verdict == "fail":
            pytest.fail("\n".join(sentence for result in results for sentence in result.answer), False)
        return results

    def _say(self, name: str, value: str) -> None:
        self._item.user_properties.append((name, value))

    @property
    def _default(self) -> str:
        name = re.sub(r"[^\w.-]+", "-", self._item.nodeid.rpartition("/")[2]).strip("-")
        return f"baselines/{name}.jsonl"


def takes_seed(run: Callable[..., float]) -> bool:
    """Whether a function can be called with ``seed``."""
    try:
        parameters = inspect.signature(run).parameters.values()
    except ValueError:  # some that are written in C say nothing
        return False
    return any(one.name == "seed" or one.kind is one.VAR_KEYWORD for one in parameters)


class SessionDecisions:
    """What the tests of a session found, in the process that reports it; it alone writes baselines."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {"undecided": [], "difference": [], "fail": [], "pass": []}
        self._recorded: dict[str, dict[str, list[Mapping[str, Any]]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test says, before it is written elsewhere: recorded scores are no property to show."""
        properties = dict(report.user_properties)
        report.user_properties[:] = [(name, value) for name, value in report.user_properties if name != RECORDED]
        if report.when != "call":
            return
        if verdict := properties.get(VERDICT):
            self._said[str(verdict)].append(f"{report.nodeid}: {properties[SAID]}")
        if (text := properties.get(RECORDED)) and report.passed:
            given = json.loads(str(text))
            self._recorded.setdefault(given["path"], {})[report.nodeid] = given["rows"]

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Write the baselines of tests that passed; two tests cannot have one file."""
        for path, by_test in self._recorded.items():
            if len(by_test) == 1:
                write_baseline(Path(path), next(iter(by_test.values())))
            elif session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what was undecided, as a warning, what was only reported, and what was recorded."""
        undecided, differences = self._said["undecided"], self._said["difference"]
        lines = [(line, {"yellow": True}) for line in undecided] + [(line, {}) for line in differences]
        for path, by_test in self._recorded.items():
            if len(by_test) == 1:
                lines.append((f"recorded {path}", {"green": True}))
            else:
                said = f"{path} was not written, for {len(by_test):,} tests record it: {', '.join(by_test)}"
                lines.append((said, {"red": True}))
        if lines:
            counts = ", ".join(f"{len(said):,} {name}" for name, said in self._said.items() if said)
            terminalreporter.section(f"equipoise{f': {counts}' if counts else ''}", yellow=bool(undecided))
        for line, markup in lines:
            terminalreporter.line(line, **markup)
