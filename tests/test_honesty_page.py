"""The page about calibrated uncertainty is complete, and the tests it names exist."""

import dataclasses
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import equipoise
from equipoise.core.results import Result
from tools.honesty import simulations

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "honesty.md").read_text(encoding="utf-8")
UNCERTAIN = re.compile(r"(^|_)(low|p_value|stderr|se)$|^negative_p$|^verdict$")
"""What a result's field is called where it says how certain something is; a ``high`` goes with its ``low``."""


def results(base: type[Result] = Result) -> Iterator[type[Result]]:
    for module in pkgutil.walk_packages(equipoise.__path__, "equipoise."):
        if not module.name.startswith("equipoise.cli"):
            import_module(module.name)
    for one in base.__subclasses__():
        if one.__module__.startswith("equipoise."):  # tests make some, too
            yield one
        yield from results(one)


def test_every_uncertain_field_of_every_result_is_on_the_page():
    fields = [f"{one.__name__}.{field.name}" for one in set(results()) for field in dataclasses.fields(one)]
    uncertain = [name for name in fields if UNCERTAIN.search(name.split(".")[1])]
    assert len(uncertain) > 40
    missing = [name for name in uncertain if f"`{name}`" not in PAGE]
    assert missing == []


def test_the_page_names_the_simulations_there_are_and_all_of_them():
    named = set(re.findall(r"`(test_\w+\.py::test_\w+)`", PAGE))
    assert named == set(simulations())


def test_the_fields_that_the_page_names_exist():
    # What is worked out when it is asked for is a property.
    have = {one.__name__: {field.name for field in dataclasses.fields(one)} | {*dir(one)} for one in set(results())}
    named = re.findall(r"`([A-Z]\w+)\.(\w+)`", PAGE)
    assert [f"{one}.{field}" for one, field in named if field not in have.get(one, set())] == []
