"""The cases of ``make same``: every command on the bundled sets, on small files made for it, and on the public data.

Cases run one after the other in one folder, where ``made/`` holds the files of :mod:`tools.same_made` and ``data/`` is
the public data. A case may read what an earlier one wrote.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tools.same_calls import CALLS

__all__ = ["Case", "all_cases"]

MOST_BYTES = 4_000_000
"""Public files beyond this take too long."""


CHANGING = ("time", "seconds", "load", "worker", "arena", "hash", "head", "key", "sha256")
"""What arenas write down of the moment: when, how long, by which process; a random name of the arena, and hashes of
that and of the file that holds it."""


@dataclass(frozen=True)
class Case:
    """A command, or a call of the library (without ``argv``): what it is called, and what kind of text it prints.

    ``first``: run it whatever is chosen, for others read what it writes. ``changing``: keys and columns that are
    others each time, and are left out.
    """

    name: str
    argv: list[str] | None
    kind: str = "text"
    stdin: str | None = None
    quick: bool = True
    first: bool = False
    changing: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The command that it is about, or ``library``."""
        return self.name.split()[0].rstrip(",")


# What follows the name of a command. Every line is run twice: as a table for a terminal of 80 columns, and as JSON
# together with a page.
BOTH_WAYS = """
choose classifiers --rule borda --bootstrap 20
choose alphago --rule schulze --show all
metagame alphago --show deviation
rank alphago
rank alphago --method melo
rank alphago --scale logit --anchor Zen --offset 100
rank made/votes.csv
rank made/votes.csv --method melo --k auto
rank made/votes.csv --side --group voter
rank made/votes.csv --ties davidson --all
rank made/votes.csv --ties rao-kupper --side
rank made/votes.csv --method elo --k 24 --time time
rank made/votes.csv --method melo --bootstrap 5
rank made/votes.csv --bootstrap 20 --seed 3
rank made/votes.csv --prior 1 --level 0.9
rank made/votes.csv --pairing adaptive
rank made/votes.csv --time time
rank made/votes.csv --control length,bold --group prompt
rank made/votes.csv --control length --control-prior 0.5
rank made/votes.csv --versus ant,bee --group voter
rank made/votes.csv --by language --group voter
rank made/votes.csv --by language --tau 0.2
rank made/votes.csv --clean anonymous,no-both-bad,most-per-voter:10 --sensitivity
rank made/votes.csv --clean once-per-prompt --where 'language == "English" and turn <= 3'
rank made/votes.csv --since 2024-02 --until 2024-04 --time time --min-games 20
rank made/votes.csv --reference ant,bee --duplicates drop --verbose
rank made/against.csv --length-controlled --group voter
rank made/against.csv --length-controlled --difficulty estimated --baseline dog --group prompt
rank made/islands.csv --islands largest
rank made/islands.csv --islands separate
rank made/newcomers.csv --hold board.json
rank made/newcomers.csv --hold board.json --least-p 0 --side
rank made/more.csv --since-board board.json
rank made/more.csv --since-board made/votes.csv --shared none
rank made/broken.csv --on-error skip
tasks classifiers
tasks classifiers --bootstrap 20 --resample task --first tasks
tasks classifiers --no-aggregates --units z --similarity 0.9
tasks classifiers --units rank --bootstrap 10 --first aggregates --aggregates
tasks digits --bootstrap 10 --units none
tasks lsat --bootstrap 5 --min-games 5
tasks made/training.csv --agent algo --task env --score return --trial seed --step frames
tasks made/training.csv --agent algo --task env --score return --trial seed --step frames --normalise made/human.csv
tasks made/gaps.csv --missing auto
tasks made/gaps.csv --missing auto --lower-is-better all
tasks made/answers.csv --missing complete --bootstrap 5
tasks made/answers.csv --missing drop-agents --not-tasks i0,i1 --bootstrap 5
gate classifiers --base forest --new boosting
gate classifiers --base forest --new boosting --margin 0.05 --strict
gate classifiers --base forest --direction better --new boosting --level 0.9
irt lsat
irt lsat --model rasch
irt lsat --model 1pl --estimator wle
irt lsat --model 2pl --estimator mle --starts 2
irt lsat --model 3pl --prior weak
irt lsat --method jml --model rasch
irt digits
irt digits --model 2pl --prior weak --indicators 3
irt classifiers --threshold 0.8 --duplicates keep
irt made/answers.csv --calibration bank.json --estimator map
predict made/answers.csv
predict made/answers.csv --calibration bank.json --folds 5
predict digits --reference made/answers.csv
luck hands
luck hands --control honest
luck hands --control honest --coefficient cross-fitted --by pair
luck hands --method duplicate --by pair --permutations full
luck hands --method plain --independent
luck hands --control honest --by team --team uniform=one --team caller=one --team maniac=two --half-width 0.1
luck hands-kuhn2
luck hands-kuhn2 --control honest --coefficient -1 --mean estimate
luck hands-kuhn3 --control honest
luck hands-kuhn3 --zero-sum --method duplicate --permutations any
metagame alphago
metagame alphago --show graph
metagame alphago --show sweep
metagame alphago --alpha 2 --m 20 --top 3
metagame made/game.json
metagame made/game.json --show graph
metagame made/game.json --show bounds --width 0.05
metagame made/game.json --show sweep
metagame made/game.json --show next --budget 30 --range 0 5
plan made/votes.csv --budget 50
plan made/votes.csv --budget 500 --goal response-graph --margin 0.05 --all
plan made/islands.csv --islands largest
judges made/votes.csv --judge voter --item prompt
judges made/votes.csv --judge voter --group prompt --distance ordinal
"""

# Written first, whatever is chosen, for others read it.
FIRST = """
rank made/votes.csv --format json -o board.json
irt made/answers.csv --save bank.json
"""

# Run once, as they stand.
AS_THEY_ARE = """
rank alphago --format csv
rank made/votes.csv --format csv --by language
rank made/votes.csv --format csv --control length
rank made/votes.csv --format csv --versus ant,bee
rank made/votes.csv --jobs 2 --bootstrap 20 --format json
tasks classifiers --format csv --bootstrap 10
tasks classifiers --format csv --first tasks --bootstrap 10
tasks classifiers --format csv --first aggregates --bootstrap 10
irt lsat --format csv
irt digits --format csv
predict made/answers.csv --format csv
luck hands --format csv
metagame alphago --format csv
metagame made/game.json --format csv
plan made/votes.csv --format csv
judges made/votes.csv --judge voter --format csv
import made/votes.csv -o imported/votes.jsonl
import made/votes.csv -o imported/votes.parquet
import made/answers.csv -o imported/training.csv
report alphago -o report/alphago.html
report lsat -o report/lsat.html
report classifiers -o report/classifiers.html
report digits -o report/digits.html
report hands -o report/hands.html
report hands-kuhn2 -o report/hands-kuhn2.html
report hands-kuhn3 -o report/hands-kuhn3.html
report made/votes.csv made/training.csv made/game.json -o report/several.html
report made/votes.csv --clean anonymous -o report/votes.html
chart forest alphago -o chart/forest.svg
chart forest made/votes.csv -o chart/forest-votes.json
chart head-to-head alphago -o chart/head-to-head.svg
chart ranks made/votes.csv -o chart/ranks.svg
chart split alphago -o chart/split.svg
chart disc alphago -o chart/disc.svg
chart response-graph alphago -o chart/response-graph.svg
chart alpha-sweep alphago -o chart/alpha-sweep.svg
chart nash-agents classifiers -o chart/nash-agents.svg
chart nash-tasks classifiers -o chart/nash-tasks.svg
chart latent-skills classifiers -o chart/latent-skills.svg
chart aggregates classifiers -o chart/aggregates.svg
chart performance-profile classifiers -o chart/performance-profile.svg
chart improvement classifiers -o chart/improvement.svg
chart learning-curves made/training.csv --step frames -o chart/learning-curves.svg
chart item-curves lsat -o chart/item-curves.svg
chart agent-curves digits -o chart/agent-curves.svg
chart item-map digits -o chart/item-map.svg
chart generality-map digits -o chart/generality-map.svg
chart variance-reduction hands -o chart/variance-reduction.svg
chart forest alphago -o chart/forest.png
data
data --format json
data --format csv --all
data alphago --format json
data alphago -o exported/alphago.csv
data lsat -o exported/lsat.csv
data classifiers -o exported/classifiers.csv
data digits -o exported/digits.csv
data hands -o exported/hands.csv
data hands-kuhn2 -o exported/hands-kuhn2.csv
data hands-kuhn3 --format csv
methods
methods --format json
methods --format csv
reproduce baseline --format json
reproduce incomplete --format csv
reproduce literature
demo -o demo.html
"""

ARENA = """
arena new made/kuhn.toml -d kuhn.db
arena status -d kuhn.db --once
arena run -d kuhn.db --threads --workers 1
arena status -d kuhn.db --once
arena status -d kuhn.db --once --format json
arena status -d kuhn.db --format csv
arena status kuhn.db --once --show crosstable,ratings
arena show kuhn.db 3
arena show kuhn.db honest
arena show kuhn.db honest caller
arena export -d kuhn.db -o arena/kuhn.csv
arena export -d kuhn.db -o arena/kuhn.jsonl
arena pause -d kuhn.db
arena resume -d kuhn.db
arena void 3 -d kuhn.db --reason "the clock was wrong"
arena status -d kuhn.db --once --format json
arena new made/open.toml -d open.db
arena run -d open.db --threads --workers 1
arena add rock -d open.db
arena stop -d open.db
arena status -d open.db --once --all
arena export -d open.db -o arena/open.csv
arena export -d open.db --what journal -o unread/open.jsonl
arena restore unread/open.jsonl -d again.db
arena status -d again.db --once --format json
rank kuhn.db
report open.db -o report/arena.html
chart progress open.db -o chart/progress.svg
"""

# Wrong use: one line on stderr, and the exit code.
WRONG = """
rank nowhere.csv
rank made/empty.csv
rank made/broken.csv
rank made/votes.csv --grup voter
rank made/votes.csv --ties davidsons
rank made/votes.csv --group nobody
rank made/votes.csv --a player --b other
rank made/votes.csv --control colour
rank made/votes.csv --by nothing
rank made/votes.csv --versus ant,wasp
rank made/votes.csv --anchor wasp
rank made/votes.csv --where 'languge == "English"'
rank made/votes.csv --clean anonymus
rank made/votes.csv --level 2
rank made/votes.csv --method bradley
rank made/islands.csv
rank made/votes.csv -o board.xyz
rank made/votes.csv --hold nowhere.json
rank
rank alphago --versus rvp,vp
rank made/votes.csv made/more.csv
rank made/newcomers.csv --hold board.json --anchor ant
tasks made/votes.csv
tasks made/gaps.csv
tasks classifiers --units metres
tasks classifiers --tasks nothing
irt classifiers
irt lsat --model 5pl
irt lsat --calibration nowhere.json
predict lsat
luck hands --control nobody
luck alphago
metagame classifiers
metagame made/game.json --show everything
plan alphago
plan made/votes.csv --goal first
plan made/votes.csv --budget -3
judges alphago
judges made/votes.csv --judge nobody
import nowhere -o x.csv
import made/empty.csv -o x.csv
report nowhere.csv -o x.html
chart pie alphago -o x.svg
chart forest alphago -o x.doc
chart forest hands -o x.svg
data alphgo
reproduce nothing
arena new nowhere.toml -d x.db
arena status -d nowhere.db
arena void 9999 -d kuhn.db
ranks alphago
--version
--help
rank --help
tasks --help
irt --help
predict --help
luck --help
metagame --help
plan --help
judges --help
import --help
report --help
chart --help
reproduce --help
data --help
methods --help
arena --help
arena run --help
arena status --help
"""

# Public data: the file stands first after the command, below data/. A line is run as JSON with a page.
PUBLIC = """
rank llmfao/llmfao.csv --a left --b right --group worker
rank llmfao/llmfao.csv --a left --b right --side --ties davidson
rank arena_style/battles.csv.gz --control len,header,list,bold --group question
rank arena_style/battles.csv.gz --length-controlled --length len --outcome p_a --group question
rank arena_style/battles.csv.gz --by category
rank bradley_terry/baseball.csv --side
rank bradley_terry/icehockey.csv --a visitor --b opponent --outcome result
rank bradley_terry/CEMS_preferences.csv --a school1 --b school2 --wins win1 --losses win2
rank bradley_terry/citations.csv
rank alphago/alphago7_plus_zen_winprob_8x8.csv
rank alphago/ext_data_table9_long.csv
rank go_bots/cross_results_long.csv.gz --islands largest
rank metagames/soccer_winprob_10x10.csv
rank logs/battles/arena_hard_battles.jsonl
rank logs/battles/genai_arena_clean_battle_a.json
rank logs/battles/kaggle_onehot_a.csv
rank logs/battles/mt_bench_gpt-4_pair_a.jsonl
rank logs/battles/alpaca_eval_annotations_text_davinci_001.json
rank logs/battles/evalica_food.csv
rank logs/pgn/TCEC_Tournament_4.pgn --side
rank logs/pgn/fastchess_gauntlet_games.pgn
rank logs/kaggle_env
rank more_logs/openfootball/2019-20/fr.1.json --side
rank more_logs/free_for_all/f1_2020_places.csv
rank more_logs/ranked_ballots/00006-00000003.soc
judges llmfao/llmfao.csv --judge worker --item prompt --a left --b right
judges logs/battles/mt_bench_gpt-4_pair_a.jsonl
plan llmfao/llmfao.csv --a left --b right --budget 200
tasks ale/ale_scores_games_x_techniques.csv --transpose --missing auto --bootstrap 10
tasks ale/ale_norm_techniques_x_games.csv --missing auto --bootstrap 10
tasks atari/rainbow_hessel2018_8agents_54games.csv --transpose --bootstrap 20
tasks atari/endtoend_noop_starts_agents_x_games.csv --missing drop-tasks --bootstrap 10
tasks atari/dopamine_final_runs.csv --where 'network == "nature_default"' --trial run --score value --bootstrap 10
tasks gvgai/gvgai_binary_agents_x_levels.csv --bootstrap 5
tasks logs/inspect/popularity_gpt-5_5epochs.eval logs/inspect/popularity_claude-sonnet-4_5epochs.eval
tasks logs/lm_eval/meta-llama__Meta-Llama-3-8B logs/lm_eval/meraGPT__mera-mix-4x7B --metric acc
tasks logs/helm
tasks logs/leaderboards/livebench_table_2024_11_25.csv --bootstrap 10 --missing auto
tasks logs/rl/openrlbenchmark_cleanrl_vs_baselines.csv --missing auto
tasks logs/rl/sb3 --missing auto
tasks more_logs/mteb/results --missing auto
tasks more_logs/terminal_bench --missing auto --bootstrap 10
tasks more_logs/tau_bench --missing auto
tasks more_logs/swebench_pro/traj --missing auto
tasks pokemon/type_effectiveness_attack_x_defend.csv --bootstrap 10
irt irt/ltm_LSAT.csv --model 2pl
irt irt/ltm_WIRS.csv --model rasch
irt irt/ltm_Abortion.csv
irt ale/ale_binary_techniques_x_games.csv
irt gvgai/gvgai_wins_of_5_agents_x_levels.csv --trials 5
irt ale/ale_norm_techniques_x_games.csv --threshold 100 --model 2pl --prior weak
irt logs/openai_evals
luck logs/poker/acpc_2p.limit.h1000.r0.log
luck logs/poker/acpc_3p.nolimit.h1000.r0.log
luck logs/poker/pluribus_30
luck more_logs/poker_phhs/abs_100NL_325.phhs
luck poker/pluribus_hands_net.csv.gz
metagame metagames/kuhn_poker_2p_metagame.json
metagame metagames/kuhn_poker_3p_metagame.json
metagame metagames/kuhn_poker_4p_metagame.json --top 5
metagame metagames/kuhn_poker_2p_metagame.json --show sweep
metagame metagames/soccer_winprob_10x10.csv
metagame metagames/soccer_winprob_10x10.csv --show bounds --width 0.02
metagame pokemon/type_effectiveness_attack_x_defend.csv
"""

REPORTED = """
logs/battles/kaggle_onehot_a.csv
logs/battles/arena_bench_v1_single_score.jsonl
logs/pgn/TCEC_Cup_6_Bronze.pgn
logs/inspect/bash_1_four_scorers.eval
logs/leaderboards/livebench_table_2024_11_25.csv
logs/poker/acpc_2p.limit.h1000.r0.log
more_logs/r_csv/MASS__bacteria.csv
more_logs/tau_bench
metagames/soccer_winprob_10x10.csv
"""
"""Public data that get a page of everything that fits."""


SLOW = ("report classifiers", "report digits", "report hands", "report made", "reproduce", "demo", "tasks")
SLOW_CALLS = {
    "library generality",
    "library duality",
    "library fit_items",
    "library weigh_tasks",
    "library nash_average tasks",
}
"""What a quick run leaves out, besides most pages and most of the public data."""


def all_cases(data: Path | None, *, quick: bool = False) -> list[Case]:
    """Give the cases in the order in which they run; without the public data where it is not there."""
    cases = [*_bundled(), *(_public(data) if data else ())]
    return [case for case in cases if case.quick or not quick]


def _bundled() -> Iterator[Case]:
    for line in _lines(FIRST):
        yield replace(_case(line), first=True)
    for number, line in enumerate(_lines(BOTH_WAYS)):
        yield _case(line, quick=number % 2 == 0)
        yield _with_page(line, f"{number:03d}", quick=number % 4 == 1)
    for line in _lines(AS_THEY_ARE):
        yield _case(line, quick=not line.startswith(SLOW))
    for line in _lines(ARENA):
        name = line if line.startswith("arena") else f"arena, {line}"
        yield replace(_case(line, name=name), changing=CHANGING)
    yield Case("rank from standard input", ["rank", "-", "--format", "json"], "json", stdin="made/votes.csv")
    for line in _lines(WRONG):
        yield _case(line, name=f"{line} (wrong use)" if "--help" not in line else line)
    for name in CALLS:
        yield Case(name, None, "json", quick="irt" not in name and name not in SLOW_CALLS)


def _public(data: Path) -> Iterator[Case]:
    for number, line in enumerate(_lines(PUBLIC)):
        command, *words = shlex.split(line)
        words = [f"data/{word}" if (data / word).exists() else word for word in words]
        yield _with_page(shlex.join([command, *words]), f"public-{number:03d}", quick=number % 8 == 5)
    for number, name in enumerate(_lines(REPORTED)):
        yield _case(f"report data/{name} -o report/public-{number}.html", quick=False)
    for number, path in enumerate(_logs(data)):
        yield _case(shlex.join(["import", f"data/{path}", "-o", f"imported/{number:03d}.csv"]), quick=number % 8 == 0)


def _logs(data: Path) -> Iterator[str]:
    """Give the logs of other tools, file by file."""
    for folder in ("logs", "more_logs"):
        for path in sorted((data / folder).rglob("*")):
            if path.is_file() and path.stat().st_size < MOST_BYTES:
                yield path.relative_to(data).as_posix()


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def _case(line: str, *, name: str | None = None, quick: bool = True) -> Case:
    words = shlex.split(line)
    form = words[words.index("--format") + 1] if "--format" in words and "-o" not in words else "text"
    return Case(name or line, words, form if form in {"json", "csv"} else "text", quick=quick)


def _with_page(line: str, number: str, *, quick: bool = True) -> Case:
    words = [*shlex.split(line), "--format", "json", "-o", f"json/{number}.json", "--report", f"pages/{number}.html"]
    return Case(f"{line} (JSON and page)", words, quick=quick)
