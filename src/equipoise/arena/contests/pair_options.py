"""What a contest of pairs is made with."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from equipoise.arena.contests.pair_policies import PairPolicy

__all__ = ["PairOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """Options of a contest of pairs; :func:`~equipoise.arena.contests.make.make_contest` checks them."""

    goal: str = "order"
    policy: PairPolicy = "ranking"
    level: float = 0.95
    margin: float | None = None
    check: int = 20
    seed: int = 0
    tasks: tuple[str, ...] = ()
    trials_per_block: int = 1
    seats: int = 2
    budget: int | None = None
    open_: bool = False

    @property
    def alpha(self) -> float:
        """Probability of a wrong answer."""
        return 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self) | {"tasks": list(self.tasks)}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**saved, "tasks": tuple(saved["tasks"])})
