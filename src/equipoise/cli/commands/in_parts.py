"""The command ``eval-in-parts``: documents of lm-eval in random order and in chunks."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.commands.gate import EXIT_CODES
from equipoise.cli.options.choices import Direction
from equipoise.cli.options.generated import Intervals, OutputOptions
from equipoise.cli.output.output import say_written, source_of, write_view
from equipoise.cli.output.waiting import working


def eval_in_parts(
    task: Annotated[list[str], typer.Argument(help="Tasks or groups of lm-eval.")],
    *,
    intervals: Intervals,
    to: OutputOptions,
    model: Annotated[str, typer.Option(help="Kind of model, as lm-eval names it: hf, local-completions ...")],
    model_args: Annotated[str, typer.Option(help="Arguments of the model, such as pretrained=gpt2.")] = "",
    include_path: Annotated[str | None, typer.Option(help="A folder with tasks of your own.")] = None,
    num_fewshot: Annotated[
        int | None, typer.Option(help="Examples before each document [default: what the task says].")
    ] = None,
    metric_name: Annotated[str | None, typer.Option(help="Which of several metrics counts.")] = None,
    base: Annotated[
        str | None, typer.Option(help="Scores or logs of the base: stop when it is decided, as in `gate`.")
    ] = None,
    margin: Annotated[float, typer.Option(help="The largest loss of mean score that does not matter.")] = 0.0,
    direction: Annotated[Direction, typer.Option(help="What has to be shown.")] = "not-worse",
    calibration: Annotated[
        str | None, typer.Option(help="Items calibrated on other models, which predict the whole, too.")
    ] = None,
    documents: Annotated[int | None, typer.Option(help="How many to run at most [default: all].")] = None,
    chunk: Annotated[int, typer.Option(help="How many at a time.", hidden=True)] = 50,
    logs: Annotated[Path | None, typer.Option(help="Write samples to this folder, as lm-eval writes them.")] = None,
) -> None:
    """Run documents of lm-eval in random order and in chunks until it is decided, and predict the whole.

    lm-eval runs a task to its end. Here it is asked for chunks of chosen documents, with the model and the task loaded
    once. With `--base` it stops when it is known whether the model is not worse (exit codes as in `gate`); otherwise
    after `--documents`. Needs lm-eval; examples in prompts must be none or the first ones.

    In Python: `equipoise.methods.eval_in_parts(TasksInParts("gsm8k", "hf"), documents=200)`

    Examples
    --------
    - `equipoise eval-in-parts arc_easy --model hf --model-args pretrained=gpt2 --num-fewshot 0 --documents 300`

    - `equipoise eval-in-parts arc_easy --model hf --model-args pretrained=mine --base logs/main --margin 0.03`
    """
    with working(f"Running {', '.join(task)}"):
        from equipoise.integrations.lm_eval import TasksInParts, eval_in_parts
        from equipoise.report.views.registry import view_of

        tasks = TasksInParts(
            task, model, model_args=model_args, include_path=include_path, num_fewshot=num_fewshot,
            metric_name=metric_name, seed=intervals.seed,
        )  # fmt: skip
        found = eval_in_parts(
            tasks, base=None if base is None else source_of(base), margin=margin, direction=direction,
            calibration=calibration, documents=documents, chunk=chunk, logs=logs, level=intervals.level,
            rng=intervals.seed,
        )  # fmt: skip
    if logs is not None:
        say_written(logs, f"{len(found.tasks):,} samples")
    write_view(view_of(found), to)
    raise typer.Exit(EXIT_CODES[found.verdict])
