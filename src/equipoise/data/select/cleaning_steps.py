"""Steps of cleaning as data: what each leaves out, which columns it looks at, and the order in which all are taken.

A step is written ``name``, ``name:amount`` or ``name:word+word``, and may name its columns:
``most-per-voter:100@rater``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.wording import Option

Role = Literal["anonymous", "revealed", "texts", "voter", "prompt"]


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step.

    Attributes
    ----------
    name
        As users write it.
    reason
        Why rows are left out, for the account of rows; ``{}`` is the amount.
    needs
        What columns it looks at, beside the two sides and the outcome.
    takes
        What may follow the name: an amount (which must), words, or nothing.
    """

    name: str
    reason: str
    needs: tuple[Role, ...] = ()
    takes: Literal["amount", "words", None] = None


STEPS: Mapping[str, StepKind] = {
    kind.name: kind
    for kind in (
        StepKind("anonymous", "that are not anonymous", ("anonymous",)),
        StepKind("no-reveal", "in which a name was revealed", ("revealed",)),
        StepKind("no-leaks", "whose text holds a name or a leak word", ("texts",), "words"),
        StepKind("no-both-bad", "that call both bad"),
        StepKind("once-per-vote", "of a voter who had voted on the prompt and pair", ("voter", "prompt")),
        StepKind("once-per-prompt", "on a prompt and pair that had a vote", ("prompt",)),
        StepKind("most-per-voter", "beyond the first {} of a voter", ("voter",), "amount"),
        StepKind("most-per-prompt", "beyond the first {} on a prompt", ("prompt",), "amount"),
    )
}
"""All steps, in the order in which they are taken whatever the order in which they are asked for."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was asked for.

    Attributes
    ----------
    kind
        Which.
    amount
        Most rows that are kept, where the kind takes an amount; 1 where it keeps one.
    words
        Leak words beside the agents' names.
    columns
        Columns that the user named, in the order of what the kind needs; empty for those with usual names.
    """

    kind: StepKind
    amount: int = 1
    words: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        given = f":{self.amount}" if self.kind.takes == "amount" else ":" + "+".join(self.words) if self.words else ""
        return self.kind.name + given + ("@" + "+".join(self.columns) if self.columns else "")

    @property
    def reason(self) -> str:
        """Why rows are left out, in words."""
        return self.kind.reason.format(f"{self.amount:,}")


def cleaning_steps(given: str | Sequence[str] | None) -> tuple[Step, ...]:
    """Read steps as users write them, and put them into their order.

    >>> [str(step) for step in cleaning_steps("most-per-voter:100, anonymous")]
    ['anonymous', 'most-per-voter:100']

    Fails when
        a step is unknown, comes twice, or lacks its amount.
    """
    if given is None:
        return ()
    if not isinstance(given, str | Iterable):
        raise ParameterError(Option("clean"), f" is a list of steps, not {given!r}")
    entries = given.split(",") if isinstance(given, str) else list(given)
    if not entries or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise ParameterError(Option("clean"), f" is a list of steps, such as anonymous,no-both-bad, not {given!r}")
    steps = [_step(entry.strip()) for entry in entries]
    for step in steps:
        if sum(other.kind.name == step.kind.name for other in steps) > 1:
            raise ParameterError(Option("clean"), f" names {step.kind.name} twice")
    order = list(STEPS)
    return tuple(sorted(steps, key=lambda step: order.index(step.kind.name)))


def _step(entry: str) -> Step:
    rest, _, named = entry.partition("@")
    name, colon, value = (part.strip() for part in rest.partition(":"))
    kind = STEPS.get(name)
    if kind is None:
        known = ", ".join(STEPS)
        raise ParameterError(Option("clean"), f' "{name}" is no step{did_you_mean(name, list(STEPS))}; steps: {known}')
    columns = tuple(part.strip() for part in named.split("+")) if named else ()
    if "@" in entry and not all(columns or ("",)):
        raise ParameterError(Option("clean"), f' "{entry}" names no column after @')
    if columns and kind.needs != ("texts",) and len(columns) != len(kind.needs):
        wants = " and ".join(f"a column of {role}s" for role in kind.needs) or "no column"
        raise ParameterError(Option("clean"), f' "{entry}": {name} looks at {wants}')
    if kind.takes == "amount":
        if not (value.isascii() and value.isdigit() and int(value) >= 1):
            raise ParameterError(Option("clean"), f' "{entry}": write how many are kept, such as {name}:100')
        return Step(kind, int(value), columns=columns)
    if colon and (kind.takes is None or not value):
        wanted = (
            "takes nothing after the colon" if kind.takes is None else "takes words, such as no-leaks:openai+claude"
        )
        raise ParameterError(Option("clean"), f' "{entry}": {name} {wanted}')
    words = tuple(word.strip() for word in value.split("+")) if value else ()
    if not all(words or ("x",)):
        raise ParameterError(Option("clean"), f' "{entry}" has an empty word')
    return Step(kind, words=words, columns=columns)
