"""Tasks on which less is better: losses, errors, perplexities. Everywhere else more is, so they are turned round.

A table of losses read as it stands ranks the worst agent first. Names of tasks, and of the column of scores, say what
they measure; where they speak of losses the user is asked once.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from equipoise.core.diagnostics import info
from equipoise.core.errors import ColumnError, did_you_mean, some_of
from equipoise.core.results import frozen
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import NONE, plain
from equipoise.data.types.scores import Scores

ALL = "all"
"""What a user says where less is better on every task."""
LESS = re.compile(
    r"(\w+_)?(loss|nll|log_loss|cross_entropy|perplexity|ppl|error|errors|error_rate|err|rmse|mse|mae|mape|smape|wer"
    r"|cer|fid|lpips|regret|brier|brier_score|ece|bpb|bpc|bits_per_byte|bits_per_char|bits_per_dim|hallucination_rate"
    r"|toxicity|failure_rate|latency|response_time|runtime|wall_time|duration)"
    r"(_(val|valid|validation|test|eval|train|mean|avg|average|score|ms|s|sec|seconds))?"
    r"|((mean|avg|average|median|total)_)?((inference|training|train|run|cpu|gpu|execution|solve|solving|elapsed)_)?time"
    r"(_(ms|s|sec|secs|seconds|min|minutes|h|hours))?|(\w+_)?(g|t)?flops(_[gtm])?|energy(_\w+)?|co2(_\w+)?"
    r"|((mean|avg|average|median|final)_)?(rank|ranking|place|placement|position)"
    r"|((n|num|number_of|total)_)?(losses|lost|defeats|fails|failures|failed|mistakes|violations|crashes|timeouts)"
)
"""Names, in their plainest form, of what is better the less there is of it."""


def refuse_unsaid(names: Sequence[str], lower: tuple[str, ...] | None, name: str) -> None:
    """Ask where names speak of losses and nobody said whether less is better."""
    found = [] if lower is not None else [one for one in names if LESS.fullmatch(plain(one))]
    if found:
        raise ColumnError(
            f"{name}: less may be better on {some_of(found)}, and scores are read as the more the better",
            advice=[
                Advice("say so with ", Option("lower_is_better", ",".join(found[:8]))),
                Advice("or that it is not with ", Option("lower_is_better", NONE)),
                Advice("or leave it out with ", Option("not_tasks", ",".join(found[:8]))),
            ],
        )


def turned_round(scores: Scores, lower: tuple[str, ...] | None, column: str | None, name: str) -> Scores:
    """Turn scores round on tasks on which less is better: x is -x then, and 1 - x where all are 0 or 1.

    ``column`` is that of the scores of a long table.

    Fails when
        names speak of losses and nobody said what is better, or a task that was named is not there.
    """
    refuse_unsaid([*scores.tasks, *([] if column is None else [column])], lower, name)
    if lower is None or (lower == (NONE,) and NONE not in scores.tasks):
        return scores
    everything = lower == (ALL,) or (column is not None and lower == (column,))
    for task in () if everything else lower:
        if task not in scores.tasks:
            raise ColumnError(Option("lower_is_better"), f': no task "{task}"{did_you_mean(task, scores.tasks)}')
    chosen = np.array([everything or task in lower for task in scores.tasks])
    answers = np.array([bool(np.isin(column[~np.isnan(column)], (0, 1)).all()) for column in scores.values.T])
    sign, start = np.where(chosen, -1.0, 1.0), np.where(chosen & answers, 1.0, 0.0)
    shown = some_of(task for task, turned in zip(scores.tasks, chosen, strict=True) if turned)
    note = info("less-is-better", f"Less is better on {shown}: scores there count from the other end.")
    return replace(
        scores,
        values=frozen(start + sign * scores.values),
        repeats=None if scores.repeats is None else frozen(start[:, None] + sign[:, None] * scores.repeats),
        diagnostics=(*scores.diagnostics, note),
    )
