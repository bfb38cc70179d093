"""Which workers are wanted: how many, of which kind, with what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from equipoise.arena.spec.spec import ArenaSpec
from equipoise.core.errors import ParameterError
from equipoise.core.options import check, choice, switch, whole
from equipoise.core.wording import Option
from equipoise.runners.messages import Setup, Team
from equipoise.runners.processes import ProcessTeam, usable_cores
from equipoise.runners.threads import ThreadTeam

__all__ = ["Crew", "Engine"]

Engine = Literal["processes", "threads", "ray"]
PULSE, PULSES = 0.25, 10.0
"""Seconds between signs of progress, and how many there must fit into a lease."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers as they are asked for; the attributes are the options of :func:`equipoise.play`."""

    workers: int | None
    engine: Engine
    at_once: int
    warm: int
    pin: bool
    crowded: bool
    address: str | None
    resources: Mapping[str, float] | None

    def __post_init__(self) -> None:
        check(whole(1, none=True), "workers", self.workers)
        check(choice("processes", "threads", "ray"), "engine", self.engine)
        check(whole(1), "at_once", self.at_once)
        check(whole(1), "warm", self.warm)
        check(switch(), "pin", self.pin)
        check(switch(), "crowded", self.crowded)
        if self.engine == "threads" and self.at_once != 1:
            raise ParameterError(Option("at_once"), " is for processes: give more ", Option("workers"), " instead")
        for name, value in (("address", self.address), ("resources", self.resources)):
            if value is not None and self.engine != "ray":
                raise ParameterError(Option(name), " is for ", Option("engine", "ray"))

    @property
    def places(self) -> int:
        """How many processes or threads there will be."""
        cores = len(usable_cores())
        wanted = self.workers or cores
        return wanted if self.crowded or self.engine == "threads" else min(wanted, cores)

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about it."""
        if self.engine == "processes" and self.workers is not None and self.places < self.workers:
            few = f"{self.places} workers play, not {self.workers}: there are no more cores (crowded lets them share)."
            return (few,)
        return ()

    def team(self, spec: ArenaSpec) -> Team:
        """Get the workers ready to start."""
        pulse = min(PULSE, min(spec.lease, spec.stall_after) / PULSES)
        setup = Setup(spec.game, dict(spec.options), self.warm, self.at_once, pulse)
        if self.engine == "ray":
            from equipoise.runners.cluster import RayTeam

            return RayTeam(setup, self.workers, address=self.address, resources=self.resources)
        if self.engine == "threads":
            return ThreadTeam(setup, self.places)
        cores = usable_cores()
        return ProcessTeam(setup, self.places, cores if self.pin and self.places <= len(cores) else ())
