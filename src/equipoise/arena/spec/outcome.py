"""What a trial brings: a score for each seat, and what helps to take luck out of it."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np

from equipoise.arena.spec.names import checked_name, checked_text
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import shown
from equipoise.core.results import FrozenMap

NOTHING: FrozenMap[Any] = FrozenMap({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one trial.

    Attributes
    ----------
    scores
        One number for each seat, higher is better; right or wrong is 1 or 0.
    controls
        Quantities with a known mean that went with the luck of this trial, by name, one number for each seat: the
        value of a control agent on the same deal (``baseline``), the luck terms of AIVAT (``aivat``).
    transcript
        What was played, as text: a PGN, a hand history.
    costs
        Numbers kept beside the trial, by name: seconds, tokens, money.
    """

    scores: tuple[float, ...]
    controls: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: NOTHING)
    transcript: str | None = None
    costs: Mapping[str, float] = field(default_factory=lambda: NOTHING)

    @classmethod
    def checked(
        cls,
        scores: Sequence[float],
        seats: int,
        *,
        controls: Mapping[str, Sequence[float]] | None = None,
        transcript: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Self:
        """Take what a worker says, or refuse it in one line."""
        named: Mapping[str, tuple[float, ...]] = NOTHING
        if controls is not None:
            pairs = _items(controls)
            named = FrozenMap(
                {_name(at, "control"): _numbers(values, seats, f'control "{at}"') for at, values in pairs}
            )
        spent: Mapping[str, float] = NOTHING
        if costs is not None:
            spent = FrozenMap({_name(at, "cost"): _number(value, f'cost "{at}"') for at, value in _items(costs)})
        if transcript is not None and transcript != "":
            checked_text(transcript, "a transcript")
        return cls(_numbers(_right_or_wrong(scores), seats, "scores"), named, transcript, spent)

    def body(self) -> dict[str, Any]:
        """Give the outcome as JSON with the transcript as its hash, so that the text can be purged."""
        return {
            "scores": list(self.scores),
            **(
                {"controls": {name: list(self.controls[name]) for name in sorted(self.controls)}}
                if self.controls
                else {}
            ),
            **({"costs": {name: self.costs[name] for name in sorted(self.costs)}} if self.costs else {}),
            **({} if self.transcript is None else {"transcript": digest(self.transcript)}),
        }

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Read what :meth:`body` wrote; the transcript is kept elsewhere."""
        controls = {name: tuple(values) for name, values in body.get("controls", {}).items()}
        return cls(tuple(body["scores"]), FrozenMap(controls), None, FrozenMap(body.get("costs", {})))


ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
"""Made once: one for each event would take as long as its work."""


def digest(text: str) -> str:
    """Give the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical(body: Mapping[str, Any]) -> str:
    """Write JSON the one way that hashes are taken of."""
    return ENCODER.encode(body) if _IN_C is None else "".join(_IN_C(body, 0))


def _encoder_in_c() -> Callable[[Any, int], Iterable[str]] | None:
    """Give what an encoder makes anew for each text, which takes it half its time; None in a Python without it."""
    make = getattr(json.encoder, "c_make_encoder", None)
    quoted = getattr(json.encoder, "c_encode_basestring", None)
    if make is None or quoted is None:
        return None
    made: Callable[[Any, int], Iterable[str]] = make(None, ENCODER.default, quoted, None, ":", ",", True, False, False)
    return made


_IN_C = _encoder_in_c()


def _items(given: Mapping[str, Any]) -> list[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        raise DataError(f"controls and costs are mappings from names to numbers, not {shown(given)}")
    return list(given.items())


def _name(name: object, kind: str) -> str:
    return checked_name(name, kind)


def _right_or_wrong(scores: object) -> object:
    """Take right or wrong as 1 or 0, also NumPy's own; everything else as it is."""
    if isinstance(scores, str | bytes | Mapping) or not hasattr(scores, "__iter__"):
        return scores
    return [float(one) if isinstance(one, bool | np.bool_) else one for one in scores]


def _numbers(values: object, seats: int, what: str) -> tuple[float, ...]:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise DataError(f"{what}: one number for each of {seats} seats, not {shown(values)}")
    numbers = tuple(_number(value, what) for value in values)
    if len(numbers) != seats:
        raise DataError(f"{what}: one number for each of {seats} seats, not {len(numbers)} ({some_of(numbers)})")
    return numbers


def _number(value: object, what: str) -> float:
    if type(value) is float and math.isfinite(value):  # most are: asking whether it is any kind of number takes long
        return value
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:  # a whole number beyond every float
            number = math.inf
        if math.isfinite(number):
            return number
    raise DataError(f"{what}: {shown(value)} is no finite number")
