"""Conditions on rows, such as ``language == "English" and turn <= 3``: a small language, and nothing is executed.

::

    condition   = both ("or" both)*
    both        = negated ("and" negated)*
    negated     = "not" negated | comparison
    comparison  = operand (("==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") operand)+
                | operand ["not"] "in" "(" operand ("," operand)* ")" | operand "is" ["not"] "null"
                | operand ["not"] "contains" text | "(" condition ")" | column
    operand     = column | `column` | number | "text" | 'text' | true | false

An empty cell meets no condition but ``is null``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import polars as pl

from equipoise.core.errors import ColumnError, ParameterError, did_you_mean, some_of
from equipoise.core.wording import Option
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import plain

TOKEN = re.compile(
    r"""\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<text>"(?:[^"]|"")*"|'(?:[^']|'')*')"""
    r"""|(?P<quoted>`[^`]+`)|(?P<sign>==|!=|<>|<=|>=|[=<>(),])|(?P<word>[^\W\d][\w.]*))"""
)
SIGNS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "==": pl.Expr.eq, "=": pl.Expr.eq, "!=": pl.Expr.ne, "<>": pl.Expr.ne, "<": pl.Expr.lt, "<=": pl.Expr.le,
    ">": pl.Expr.gt, ">=": pl.Expr.ge,
}  # fmt: skip
WORDS = {"and", "or", "not", "in", "is", "null", "none", "contains", "true", "false"}
DEEPEST = 50
"""Brackets and negations inside each other; nobody writes more."""


def condition(table: Table, text: str) -> tuple[pl.Expr, set[str]]:
    """Give what a condition says of each row, and the columns that it looks at.

    Fails when
        it is no condition, a column is not there (the error names the nearest), or numbers are asked of a column
        without any.
    """
    parser = _Parser(table, text, _tokens(text))
    met = parser.either()
    if parser.at < len(parser.tokens):
        parser.refuse(f"unexpected {parser.shown()}")
    return met, parser.used


@dataclass(frozen=True, slots=True)
class _Operand:
    """A column, or a text, number or truth value."""

    column: str | None = None
    value: str | float | bool | None = None


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ParameterError(Option("where"), f": cannot be read from {text[at:].strip()[:30]!r} on")
        kind, word = match.lastgroup, match[match.lastgroup]
        if kind == "word" and word.lower() in WORDS:
            kind, word = "keyword", word.lower()
        tokens.append((kind, word))
        at = match.end()
    return tokens


@dataclass(slots=True)
class _Parser:
    """Goes through the tokens from left to right."""

    table: Table
    text: str
    tokens: list[tuple[str, str]]
    at: int = 0
    depth: int = 0
    used: set[str] = field(default_factory=set)

    def refuse(self, why: str) -> NoReturn:
        raise ParameterError(
            Option("where"), f" {self.text!r}: {why}; write for example ", 'language == "English" and turn <= 3'
        )

    def shown(self) -> str:
        return f'"{self.tokens[self.at][1]}"' if self.at < len(self.tokens) else "end"

    def next_is(self, *words: str) -> bool:
        """Go past a keyword or sign if it comes next."""
        kind, word = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        there = kind in ("keyword", "sign") and word in words
        self.at += there
        return there

    def need(self, word: str) -> None:
        if not self.next_is(word):
            self.refuse(f'"{word}" expected before {self.shown()}')

    def either(self) -> pl.Expr:
        met = self.both()
        while self.next_is("or"):
            met = met | self.both()
        return met

    def both(self) -> pl.Expr:
        met = self.negated()
        while self.next_is("and"):
            met = met & self.negated()
        return met

    def negated(self) -> pl.Expr:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse("too many brackets inside each other")
        met = ~self.negated() if self.next_is("not") else self.comparison()
        self.depth -= 1
        return met

    def comparison(self) -> pl.Expr:
        if self.next_is("("):
            met = self.either()
            self.need(")")
            return met
        left = self.operand()
        if self.next_is("is"):
            negated = self.next_is("not")
            if not self.next_is("null", "none"):
                self.refuse(f"null expected before {self.shown()}")
            empty = self.as_text(self.of_column(left)).is_null()
            return ~empty if negated else empty
        negated = self.next_is("not")
        if self.next_is("in"):
            met = self.among(left)
        elif self.next_is("contains"):
            met = self.as_text(self.of_column(left)).str.contains(str(self.operand().value), literal=True)
        elif negated:
            self.refuse(f"in or contains expected before {self.shown()}")
        else:
            return self.chain(left)
        return ~met if negated else met

    def chain(self, left: _Operand) -> pl.Expr:
        """Compare two operands, or several as in 1 <= turn <= 3; a bare column is true or false."""
        met: pl.Expr | None = None
        while self.at < len(self.tokens) and self.tokens[self.at][1] in SIGNS and self.tokens[self.at][0] == "sign":
            sign = self.tokens[self.at][1]
            self.at += 1
            right = self.operand()
            this = self.compared(left, sign, right)
            met = this if met is None else met & this
            left = right
        if met is not None:
            return met
        if left.column is None:
            self.refuse(f"a comparison expected before {self.shown()}")
        return self.truth(left)

    def among(self, left: _Operand) -> pl.Expr:
        self.need("(")
        met = self.compared(left, "==", self.operand())
        while self.next_is(","):
            met = met | self.compared(left, "==", self.operand())
        self.need(")")
        return met

    def compared(self, left: _Operand, sign: str, right: _Operand) -> pl.Expr:
        """Compare as numbers where a number is given, or order of two columns is asked; else as texts."""
        left, right = self.sided(left, right)
        for one, other in ((left, right), (right, left)):
            if isinstance(one.value, bool):
                truth = self.truth(self.of_column(other))
                if sign not in ("==", "=", "!=", "<>"):
                    self.refuse("true and false are equal or not, nothing else")
                return truth if one.value == (sign in ("==", "=")) else ~truth
        ordered = sign not in ("==", "=", "!=", "<>") and left.column is not None and right.column is not None
        if ordered or any(isinstance(each.value, float) for each in (left, right)):
            return SIGNS[sign](self.as_number(left), self.as_number(right))
        return SIGNS[sign](self.as_text(left), self.as_text(right))

    def sided(self, left: _Operand, right: _Operand) -> tuple[_Operand, _Operand]:
        """Take a quoted name for a column where no other operand is one, as SQL does."""
        if left.column is None and right.column is None:
            for each in (left, right):
                if isinstance(each.value, str) and each.value in self.table.columns:
                    self.used.add(each.value)
                    named = _Operand(each.value)
                    return (named, right) if each is left else (left, named)
            self.refuse("a comparison needs a column")
        return left, right

    def operand(self) -> _Operand:
        if self.at >= len(self.tokens):
            self.refuse("it ends too early")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return _Operand(value=float(word))
        if kind == "text":
            return _Operand(value=word[1:-1].replace(word[0] * 2, word[0]))
        if kind == "keyword" and word in ("true", "false"):
            return _Operand(value=word == "true")
        if kind not in ("word", "quoted"):
            self.at -= 1
            self.refuse(f"a column or a value expected before {self.shown()}")
        return _Operand(self.column(word.strip("`")))

    def column(self, name: str) -> str:
        there = self.table.columns
        alike = [column for column in there if plain(column) == plain(name)]
        found = name if name in there else alike[0] if len(alike) == 1 else None
        if found is None:
            raise ColumnError(
                Option("where"), f': no column "{name}"{did_you_mean(name, there)}; found: {some_of(there, 12)}',
                " (texts stand in quotes)",
            )  # fmt: skip
        self.used.add(found)
        return found

    def of_column(self, operand: _Operand) -> _Operand:
        if operand.column is None:
            if not isinstance(operand.value, str) or operand.value not in self.table.columns:
                self.refuse("a comparison needs a column")
            return _Operand(self.column(operand.value))
        return operand

    def truth(self, operand: _Operand) -> pl.Expr:
        word = self.as_text(operand).str.to_lowercase()
        return pl.when(word.is_in(["true", "1"])).then(True).when(word.is_in(["false", "0"])).then(False)

    def as_text(self, operand: _Operand) -> pl.Expr:
        return self.table.text(operand.column) if operand.column is not None else pl.lit(str(operand.value).strip())

    def as_number(self, operand: _Operand) -> pl.Expr:
        if operand.column is None:
            if not isinstance(operand.value, float):
                self.refuse(f'"{operand.value}" is no number')
            return pl.lit(operand.value)
        number = self.table.number(operand.column).fill_nan(None)
        if not collect(self.table.rows.select(number.is_not_null().any()), self.table.name).item():
            raise ColumnError(
                Option("where"), f': column "{operand.column}" holds no numbers; texts stand in quotes'
            )  # fmt: skip
        return number
