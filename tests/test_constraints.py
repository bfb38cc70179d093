"""What the suite runs with is pinned: names and versions, of everything that it asks for itself."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.constraints import main, pins_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIN = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)==([0-9][0-9a-z.]*)(?:; [^:@]+)?")
FILES = {
    "constraints.txt": ("dev", "ray", "mutants"),
    "constraints-real-logs.txt": ("report", "frames", "poker", "games", "real-logs"),
}


def asked_for(extras):
    """Give the requirements that extras name, those of the extras that they name in turn, and the package's own."""
    named = [Requirement(text) for extra in extras for text in PROJECT["optional-dependencies"][extra]]
    further = [requirement for requirement in named if requirement.name == PROJECT["name"]]
    direct = [requirement for requirement in named if requirement.name != PROJECT["name"]]
    if further:
        return direct + asked_for([extra for requirement in further for extra in requirement.extras])
    return direct + [Requirement(text) for text in PROJECT["dependencies"]]


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_a_name_and_a_version_and_no_address(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line) or "://" in line or "@" in line] == []
    assert lines == sorted(set(lines))


@pytest.mark.parametrize(("file", "extras"), FILES.items())
def test_everything_that_the_suite_asks_for_is_pinned_at_a_version_that_will_do(file, extras):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pins = dict(PIN.fullmatch(line).groups() for line in lines)
    for requirement in asked_for(extras):
        assert canonicalize_name(requirement.name) in pins, f"{requirement.name} is not pinned: make constraints"
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_pins_leave_out_what_comes_from_a_folder():
    def entry(name, version, is_direct):
        return {"is_direct": is_direct, "metadata": {"name": name, "version": version}}

    report = {"install": [entry("zipp", "4.1", False), entry("equipoise", "0.2", True), entry("Jinja2", "3.1", False)]}
    assert pins_of(report) == ["jinja2==3.1", "zipp==4.1"]


def test_writing_pins_says_what_changed(tmp_path, monkeypatch, capsys):
    file = tmp_path / "pins.txt"
    file.write_text("zipp==4.0\n")
    report = tmp_path / "report.json"
    report.write_text('{"install": [{"is_direct": false, "metadata": {"name": "zipp", "version": "4.1"}}]}')
    with report.open() as given:
        monkeypatch.setattr("sys.stdin", given)
        main([str(file)])
    assert file.read_text() == "zipp==4.1\n"
    assert capsys.readouterr().out == f"{file}, new: zipp==4.1\n{file}, gone: zipp==4.0\n"
