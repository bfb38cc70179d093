"""The words that options take, for the command line alone.

A command's options stand here and not where the methods are, because asking for help must not load the methods. The
types are checked against those of the calls in Python, and the tests compare the words of both.
"""

from typing import Literal

OnError = Literal["raise", "skip", "skip-all"]
Duplicates = Literal["keep", "drop", "error"]
OutcomeMeans = Literal["first-score", "second-score", "index", "index-from-1", "sign", "graded", "graded-reversed"]
Distance = Literal["nominal", "ordinal", "interval"]
Pairing = Literal["fixed", "adaptive"]
Period = Literal["day", "week", "month", "quarter", "year", "number"]
TieModel = Literal["half", "davidson", "rao-kupper"]
Units = Literal["none", "min-max", "z", "z-cdf", "rank"]
Gaps = Literal["error", "drop-tasks", "drop-agents", "complete", "auto"]
RunsShared = Literal["shared", "independent"]
Model = Literal["rasch", "1pl", "2pl", "3pl"]
Estimator = Literal["eap", "map", "mle", "wle"]
LuckMethod = Literal["baseline", "duplicate", "plain"]
Direction = Literal["not-worse", "better"]
GateTasks = Literal["sample", "fixed"]
Chosen = Literal["random", "stratified", "information"]
Destination = Literal["parquet", "every-eval-ever", "mlflow", "tensorboard"]
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
By = Literal["agent", "pair", "team"]
Permutations = Literal["balanced", "full", "any"]
Show = Literal["profiles", "graph", "sweep", "bounds", "next", "deviation"]
Sampling = Literal["uniform", "uniform-exhaustive", "valence-weighted", "count-weighted"]
Rule = Literal[
    "kemeny", "schulze", "ranked-pairs", "copeland", "borda", "plurality", "approval", "runoff", "maximal-lottery"
]
Margins = Literal["count", "share", "sign"]
Unnamed = Literal["apart", "last"]

CHART_NAMES = (
    "forest",
    "head-to-head",
    "crosstable",
    "rating-error",
    "ranks",
    "split",
    "disc",
    "response-graph",
    "alpha-sweep",
    "alpha-bounds",
    "dynamics",
    "logit-dynamics",
    "sample-size",
    "nash-agents",
    "nash-tasks",
    "nash-masses",
    "latent-skills",
    "aggregates",
    "performance-profile",
    "improvement",
    "learning-curves",
    "item-curves",
    "agent-curves",
    "item-map",
    "generality-map",
    "mean-variance",
    "variance-reduction",
    "progress",
)
"""Charts, in the order in which the help lists them."""
PAPER_NAMES = ("evaluation", "incomplete", "indicators", "baseline", "literature")
"""Papers that can be recomputed."""
