"""What numbers and words in a column of outcomes mean: as a user said, as a header settles; or a question back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from equipoise.core.errors import ColumnError, ParameterError, some_of
from equipoise.core.wording import Option
from equipoise.data.encode.answers import word_scores
from equipoise.data.encode.outcomes import as_number, coded_score, preference_scale
from equipoise.data.readers.columns import WHO_WON, OnError, OutcomeMeans, plain
from equipoise.data.readers.match_layouts import OutcomeLayout

CODED: Mapping[tuple[str, ...], OutcomeMeans] = {("generator_1", "generator_2", "preference"): "index-from-1"}
"""Headers whose numbers have a known meaning: those of AlpacaEval."""


@dataclass(frozen=True, slots=True)
class OutcomeQuestion:
    """What numbers in the outcome column mean: known, or to be asked."""

    name: str
    layout: OutcomeLayout
    means: OutcomeMeans | None
    words: Mapping[str, float]
    on_error: OnError

    @classmethod
    def of(
        cls, name: str, layout: OutcomeLayout, means: OutcomeMeans | str | None, on_error: OnError
    ) -> "OutcomeQuestion":
        """Take what a user said of numbers, or of words.

        Fails when
            a word counts more than a win or less than a loss.
        """
        words = word_scores(means)
        for word, score in words.items():
            if not 0 <= score <= 1:
                raise ParameterError(
                    Option("score_means"), f": {word}={score:g} is no score of the first side, from 0 to 1"
                )
        known = next((known for known in get_args(OutcomeMeans) if known == means), None)
        return cls(name, layout, known, words, on_error)

    @property
    def about_winner(self) -> bool:
        """Whether the column says who won, and nobody said what its numbers mean."""
        return self.means is None and self.layout.column is not None and plain(self.layout.column) in WHO_WON

    def settled(self, words: list[str]) -> OutcomeMeans | None:
        """Give what the numbers among the outcomes mean: as the user said, or as a header settles; or ask.

        None: they are scores of the first side.
        """
        column = self.layout.column
        if self.means is not None or column is None:
            return self.means
        header = tuple(map(plain, (*self.layout.pair, column)))
        if header in CODED:
            return CODED[header]
        numbers = {as_number(word) for word in words}
        codes = bool(numbers & {-1, 0, 1, 2}) and numbers <= {-1, 0, 0.5, 1, 1.5, 2}
        if len(numbers) > 2 and self.layout.weight is None and preference_scale(numbers - {None}):  # type: ignore[arg-type]
            raise self._asked_of_scale(column, words)
        if codes and (self.about_winner or (self.on_error == "skip" and bool(numbers & {-1, 2}))):
            raise self._asked(column, words)
        return None

    def _asked_of_scale(self, column: str, words: list[str]) -> ColumnError:
        first, second = self.layout.pair
        low, high = preference_scale({as_number(word) or 0.0 for word in words}) or (1, 5)
        return ColumnError(
            f'{self.name}: column "{column}" holds {some_of(sorted(words), 7)}, which may be preferences from {low:g}'
            f" to {high:g} with a tie in the middle; say ",
            Option("score_means", "graded"),
            f' ({low:g} is a clear win of "{first}") or ',
            Option("score_means", "graded-reversed"),
            f' ({high:g} is; {low:g} is one of "{second}")',
        )

    def _asked(self, column: str, words: list[str]) -> ColumnError:
        numbers = {as_number(word) or 0.0 for word in words}
        fitting = [
            means
            for means in get_args(OutcomeMeans)
            if all(coded_score(word, means) is not None for word in words)
            and not (means == "sign" and -1 not in numbers)
            and not (means == "index-from-1" and max(numbers) < 1.5)
        ]
        first, second = self.layout.pair
        said = {
            "first-score": f' (1 is a win of "{first}")', "second-score": f' (1 is a win of "{second}")',
            "index": f' (0 is "{first}", 1 is "{second}")', "index-from-1": f' (1 is "{first}", 2 is "{second}")',
            "sign": f' (1 is "{first}", -1 is "{second}")',
        }  # fmt: skip
        answers = [part for means in fitting for part in (" or ", Option("score_means", means), said[means])][1:]
        return ColumnError(
            f'{self.name}: column "{column}" holds {some_of(sorted(words))}, which may be a code or a score; say ',
            *answers,
        )
