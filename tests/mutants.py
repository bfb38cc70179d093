"""Plants small faults in chosen modules and prints those that the tests of the module's room do not notice.

    python -m tests.mutants [--limit 20] [--minutes 20] [--seed 0] [room/module ...]

cosmic-ray makes the mutants (mutmut leaves decorated functions alone, which here are the methods). They are planted in
copies of the tree, one copy a process, so that an interrupted run leaves nothing behind. Modules compiled by numba are
not for this: their callers keep the machine code of the unmutated function in a cache.
"""

import argparse
import ast
import compileall
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from queue import SimpleQueue

MODULES = (
    "inference/ranks", "inference/kendall", "inference/confidence", "aggregates/kernels", "luck/adjusted_mean",
    "luck/duplicate", "ratings/paired/ties", "ratings/paired/existence", "flows/hodge",
    "data/types/normalisation", "nash/kernels", "items/models/models", "schedule/stopping", "schedule/pair_evidence",
    "alpharank/transition",
    "arena/engine/leasing", "arena/engine/reported_results", "arena/engine/state", "arena/engine/tally",
    "arena/engine/blocks",
    "arena/engine/managing", "arena/engine/proposing",
    "arena/contests/block_queue", "arena/contests/pair_counts", "arena/contests/goals", "arena/contests/pair_standing",
    "arena/contests/pair_ledger", "arena/contests/pair_policies", "arena/contests/pair_progress",
    "arena/contests/pair_contest", "arena/contests/profile_contest", "arena/contests/ability_contest",
)  # fmt: skip
"""Small modules that compute or decide, as ``room/module`` or ``room/inner/module``; each is tested by ``tests/<room>``
and its own examples."""
LEFT_OUT = {
    "arena": "postgresql or kills or durability or migrations or process or forked or full_disk or sweepers or owner",
}
"""Tests of a room that are not run, as pytest's ``-k`` names them: slow ones of what the chosen modules have no part in
(other processes, and a second store under the same decisions)."""

COPIED = ("src", "tests", "tools", "examples")
"""Folders that the tests of the chosen modules need."""
TREE = Path(__file__).parent.parent
PACKAGE = Path("src") / "equipoise"
SENSELESS = ("_BitOr", "_BitAnd", "_BitXor", "_LShift", "_RShift")
"""Operators that no number has: a mutant from arithmetic to one of these dies in the first test that comes near it."""


@dataclass(frozen=True)
class Mutant:
    """One small fault: the operator that makes it, which of its places in the module, and where that is."""

    module: str
    operator: str
    occurrence: int
    line: int
    column: int

    @property
    def path(self) -> Path:
        """The mutated file, from the root of the tree."""
        return PACKAGE / f"{self.module}.py"


@dataclass(frozen=True)
class Outcome:
    """What the tests said about a mutant."""

    mutant: Mutant
    survived: bool
    diff: str


class FailingTestsError(Exception):
    """The tests of a module fail as it is: what they say about mutants means nothing."""


def room_of(module: str) -> str:
    """Give the room of a module, which is also the folder of its tests."""
    return module.partition("/")[0]


def missing_modules(modules: Sequence[str], tree: Path = TREE) -> list[str]:
    """List the chosen modules that are not there (renamed, or folded into another)."""
    return [module for module in modules if not (tree / PACKAGE / f"{module}.py").is_file()]


def mutants_of(module: str, tree: Path = TREE) -> list[Mutant]:
    """List all mutants of a module, apart from those where nothing is computed: in annotations, decorators, errors."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    source = (tree / PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    nodes, apart = list(ast_nodes(get_ast(source))), unmutated_places(source)
    mutants = []
    for name in cosmic_ray.plugins.operator_names():
        operator = cosmic_ray.plugins.get_operator(name)
        if not operator.arguments() and "Decorator" not in name and not _senseless(name):
            places = (place for node in nodes for place, _ in operator().mutation_positions(node))
            mutants += [Mutant(module, name, occurrence, *place) for occurrence, place in enumerate(places)]
    return [mutant for mutant in mutants if (mutant.line, mutant.column) not in apart]


def _senseless(operator: str) -> bool:
    """Tell a replacement of arithmetic by an operator on bits; those between operators on bits are fine."""
    before, _, after = operator.removeprefix("core/ReplaceBinaryOperator").rpartition("_")
    return "ReplaceBinaryOperator" in operator and f"_{after}" in SENSELESS and before not in SENSELESS


def unmutated_places(source: str) -> "Spans":
    """Give the places of a source where a mutant would say nothing about numbers."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef():
                spans += [node.returns, *node.decorator_list]
            case ast.arg() | ast.AnnAssign():
                spans.append(node.annotation)
            case ast.ClassDef():
                spans += node.decorator_list
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom() | ast.Raise():
                spans.append(node)
            case ast.Assign(value=ast.BinOp(op=ast.BitOr(), left=ast.Name() | ast.Subscript())) if node.col_offset == 0:
                spans.append(node)  # a type made of others
    return Spans([_span(node) for node in spans if node is not None])


@dataclass(frozen=True)
class Spans:
    """Stretches of a source, each from one place to another, as (line, column)."""

    ends: list[tuple[tuple[int, int], tuple[int, int]]]

    def __contains__(self, place: tuple[int, int]) -> bool:
        return any(start <= place < end for start, end in self.ends)


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def chosen(mutants: Sequence[Mutant], limit: int, seed: int) -> list[Mutant]:
    """Choose at most ``limit``: one at each place before a second at any, in an order that only the seed decides."""
    rng = random.Random(seed)
    places = defaultdict[tuple[int, int], list[Mutant]](list)
    for mutant in mutants:
        places[mutant.line, mutant.column].append(mutant)
    rows = [rng.sample(group, len(group)) for group in places.values()]
    rng.shuffle(rows)
    return [mutant for mutant in chain.from_iterable(zip_longest(*rows)) if mutant is not None][:limit]


def copy_tree(to: Path, tree: Path = TREE) -> Path:
    """Copy what the tests of a room need, and compile it: while mutants are tried, no byte code is written."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for folder in COPIED:
        shutil.copytree(tree / folder, to / folder, ignore=unwanted)
        compileall.compile_dir(to / folder, quiet=2)
    for file in ("pyproject.toml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(tree / file, to / file)
    return to


def command_for(module: str, tree: Path) -> str:
    """Give the command that runs the tests of the module's room on a copy of the tree, and its own examples.

    Test files that name the module come first, since most mutants die there.
    """
    room = room_of(module)
    files, name = (tree / "tests" / room).rglob("test_*.py"), module.replace("/", ".")
    near = sorted(str(file.relative_to(tree)) for file in files if name in file.read_text(encoding="utf-8"))
    kept = ["-k", f"not ({LEFT_OUT[room]})"] if room in LEFT_OUT else []
    tests = shlex.join([*kept, str(PACKAGE / f"{module}.py"), *near, f"tests/{room}"])
    python = f"PYTHONPATH=src:. OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec {shlex.quote(sys.executable)} -m pytest"
    options = "--quiet --exitfirst --no-header --tb=no -p no:cacheprovider -p no:xdist --hypothesis-profile=mutants"
    return shlex.join(["sh", "-c", f"cd {shlex.quote(str(tree))} && {python} {options} {tests}"])


def judged(mutant: Mutant, tree: Path, seconds: float) -> Outcome:
    """Plant a mutant in a copy of the tree, run the tests, take it out again."""
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_item import MutationSpec, WorkerOutcome

    place = (mutant.line, mutant.column)
    spec = MutationSpec(
        module_path=tree / mutant.path, operator_name=mutant.operator, occurrence=mutant.occurrence,
        start_pos=place, end_pos=(mutant.line, mutant.column + 1),
    )  # fmt: skip
    result = mutate_and_test([spec], command_for(mutant.module, tree), seconds)
    if result.worker_outcome is not WorkerOutcome.NORMAL:
        raise RuntimeError(f"{mutant}: {result.output}")
    return Outcome(mutant, not result.is_killed, result.diff or "")


def seconds_without(module: str, trees: Sequence[Path]) -> float:
    """Run the tests of a module's room without any mutant; give how long they may take with one."""
    from cosmic_ray.testing import run_tests
    from cosmic_ray.work_item import TestOutcome

    for tree in trees:  # the last one tells how long; numba has compiled for each by then
        start = time.monotonic()
        outcome, output = run_tests(command_for(module, tree), 600)
        if outcome is not TestOutcome.SURVIVED:
            raise FailingTestsError(f"{module}: its tests fail without any mutant:\n{output}")
    return 10 + 4 * (time.monotonic() - start)


def run_module(
    module: str, limit: int, seed: int, until: float, trees: Sequence[Path], seconds: float
) -> Iterator[Outcome]:
    """Judge the chosen mutants of a module, one in each copy of the tree at a time, until the time is up."""
    free = SimpleQueue[Path]()
    for tree in trees:
        free.put(tree)

    def judge(mutant: Mutant) -> Outcome | None:
        if time.monotonic() > until:
            return None
        tree = free.get()
        try:
            return judged(mutant, tree, seconds)
        finally:
            free.put(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        outcomes = pool.map(judge, chosen(mutants_of(module), limit, seed))
        yield from (outcome for outcome in outcomes if outcome)


def summary(module: str, outcomes: Sequence[Outcome]) -> str:
    """Say how many mutants of a module were noticed, and show those that were not."""
    survivors = [outcome for outcome in outcomes if outcome.survived]
    lines = [f"{module}: {len(outcomes) - len(survivors)} of {len(outcomes)} mutants noticed"]
    for outcome in sorted(survivors, key=lambda outcome: outcome.mutant.line):
        lines.append(f"  {outcome.mutant.path}:{outcome.mutant.line}")
        lines += [f"    {line}" for line in outcome.diff.splitlines() if re.match(r"[+-](?![+-]{2})", line)]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the survivors of the chosen modules; give 1 if tests fail without mutants, 2 if a module is not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="room/module; all chosen modules if none is named")
    parser.add_argument("--limit", type=int, default=20, help="mutants of a module")
    parser.add_argument("--minutes", type=float, default=20.0, help="for the whole run, shared out among the modules")
    parser.add_argument("--seed", type=int, default=0, help="decides which mutants are chosen")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    given = parser.parse_args(arguments)
    modules = given.modules or MODULES
    if absent := missing_modules(modules):
        print(f"no such module: {', '.join(absent)}; tests/mutants.py lists those to mutate", file=sys.stderr)
        return 2
    end, failing = time.monotonic() + 60 * given.minutes, 0
    seconds: dict[str, float] = {}  # by room: its tests are run once without any mutant
    with tempfile.TemporaryDirectory() as folder:
        trees = [copy_tree(Path(folder) / f"tree{k}") for k in range(given.jobs)]
        for k, module in enumerate(modules):
            share = (end - time.monotonic()) / (len(modules) - k)
            until, room = time.monotonic() + share, room_of(module)
            try:
                seconds[room] = seconds.get(room) or seconds_without(module, trees)
                outcomes = list(run_module(module, given.limit, given.seed, until, trees, seconds[room]))
                print(summary(module, outcomes), flush=True)
            except FailingTestsError as error:
                failing = 1
                print(error, file=sys.stderr, flush=True)
    return failing


if __name__ == "__main__":
    raise SystemExit(main())
