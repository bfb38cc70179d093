"""The catalogue: what methods there are, what each answers, where it comes from."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = ["CATALOGUE", "Method", "method_named"]

DataKind = Literal["matches", "pairs", "scores", "metagame", "episodes", "array"]


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the package.

    Attributes
    ----------
    name
        The function's name in ``equipoise``.
    room
        The module that holds it.
    takes
        Kinds of data it accepts.
    answers
        The question it answers, in plain words.
    reference
        Where the method comes from.
    order_matters
        Whether the order of the matches decides the answer.
    """

    name: str
    room: str
    takes: tuple[DataKind, ...]
    answers: str
    reference: str
    order_matters: bool = False

    def function(self) -> Any:
        """Load the function."""
        return getattr(import_module(self.room), self.name)


CATALOGUE: tuple[Method, ...] = (
    Method(
        "bradley_terry",
        "equipoise.ratings.bradley_terry",
        ("matches", "pairs"),
        "Who is better, how sure are we, and how large is the side advantage?",
        "Bradley and Terry (1952); Davidson (1970); Rao and Kupper (1967)",
    ),
    Method(
        "transitivity",
        "equipoise.ratings.transitivity",
        ("matches", "pairs"),
        "Is one number per agent honest, or do the games go round in cycles?",
        "Balduzzi et al. (2018); Davison and Hinkley (1997)",
    ),
    Method(
        "hodge",
        "equipoise.flows.hodge",
        ("matches", "pairs", "metagame", "array"),
        "How much of the games does a rating explain, and what goes round in cycles?",
        "Jiang et al. (2011); Balduzzi et al. (2018)",
    ),
    Method(
        "schur",
        "equipoise.flows.schur",
        ("matches", "pairs", "metagame", "array"),
        "On which discs do agents chase each other, and how strongly?",
        "Balduzzi et al. (2018)",
    ),
    Method(
        "melo",
        "equipoise.ratings.melo",
        ("matches", "pairs"),
        "Who beats whom, when one number per agent cannot say it?",
        "Balduzzi et al. (2018)",
    ),
    Method(
        "melo_online",
        "equipoise.ratings.melo_online",
        ("matches",),
        "What would an online leaderboard with discs show after the last match?",
        "Balduzzi et al. (2018), appendix E",
        order_matters=True,
    ),
    Method(
        "averages",
        "equipoise.flows.averages",
        ("scores",),
        "Do averages explain the scores, or do agents have talents that averages hide?",
        "Balduzzi et al. (2018), section 3.3",
    ),
    Method(
        "elo",
        "equipoise.ratings.elo",
        ("matches",),
        "What would an online leaderboard show after the last match?",
        "Elo (1978)",
        order_matters=True,
    ),
    Method(
        "nash_average",
        "equipoise.nash.average",
        ("matches", "pairs", "scores", "metagame"),
        "Who is better, so that copies, weak agents and easy tasks cannot bend the answer? Which tasks count?",
        "Balduzzi, Tuyls, Perolat and Graepel (2018)",
    ),
    Method(
        "maxent_nash",
        "equipoise.nash.maxent",
        ("array",),
        "Which team of agents cannot be beaten on average, and is the most even of all such teams?",
        "Balduzzi, Tuyls, Perolat and Graepel (2018), proposition 4",
    ),
    Method(
        "audit",
        "equipoise.nash.audit",
        ("scores",),
        "Which tasks carry a benchmark, which repeat each other, and how firmly does its top stand?",
        "Balduzzi, Tuyls, Perolat and Graepel (2018)",
    ),
    Method(
        "aggregate",
        "equipoise.aggregates.aggregate",
        ("scores",),
        "How good is each agent over all tasks, and how much of that is the luck of a few runs?",
        "Agarwal et al. (2021)",
    ),
    Method(
        "performance_profile",
        "equipoise.aggregates.profiles",
        ("scores",),
        "What share of an agent's runs is better than a threshold, for all thresholds?",
        "Dolan and More (2002); Agarwal et al. (2021)",
    ),
    Method(
        "compare",
        "equipoise.aggregates.compare",
        ("scores",),
        "Which agents differ on these tasks, and which are statistically tied?",
        "Agarwal et al. (2021); Piepho (2004)",
    ),
    Method(
        "irt",
        "equipoise.items.fit",
        ("scores",),
        "How hard is each item, how well does it tell agents apart, and how able is each agent?",
        "Birnbaum (1968); Bock and Aitkin (1981); Martinez-Plumed and Hernandez-Orallo (2018)",
    ),
    Method(
        "generality",
        "equipoise.items.generality",
        ("scores",),
        "Does an agent fail on hard tasks only, or in pockets of easy ones too?",
        "Martinez-Plumed and Hernandez-Orallo (2018)",
    ),
    Method(
        "duality",
        "equipoise.items.duality",
        ("scores",),
        "What do difficulty, discrimination, ability and generality say side by side, and how sure is each?",
        "Martinez-Plumed and Hernandez-Orallo (2018)",
    ),
    Method(
        "predict_score",
        "equipoise.items.partial",
        ("scores",),
        "What would an agent score on the whole benchmark, given its answers to a random part?",
        "Cochran (1977), difference estimation; Wager et al. (2016), cross-fitting",
    ),
    Method(
        "equate",
        "equipoise.items.equating",
        ("array",),
        "How do two editions of a benchmark compare, through the items they share?",
        "Haebara (1980); Kolen and Brennan (2014)",
    ),
    Method(
        "bootstrap",
        "equipoise.inference.bootstrap",
        ("matches", "pairs", "scores"),
        "How much would the answer of any method move with other data like these?",
        "Efron and Tibshirani (1993)",
    ),
    Method(
        "control_variates",
        "equipoise.luck.control_variates",
        ("array",),
        "What is the mean, with the noise that known quantities explain taken out?",
        "Nelson (1990); Davidson, Archibald and Bowling (2013)",
    ),
    Method(
        "baseline",
        "equipoise.luck.baseline",
        ("episodes",),
        "What do agents win, compared with a control agent's self-play on the same deals and seats?",
        "Davidson, Archibald and Bowling (2013)",
    ),
    Method(
        "duplicate",
        "equipoise.luck.duplicate",
        ("episodes",),
        "What do agents win on deals that were played in every seat?",
        "Davidson, Archibald and Bowling (2013)",
    ),
    Method(
        "antithetic",
        "equipoise.luck.antithetic",
        ("array",),
        "What is the mean, from samples whose errors pull against each other?",
        "Davidson, Archibald and Bowling (2013)",
    ),
    Method(
        "advantage_sum",
        "equipoise.luck.advantage_sum",
        ("array",),
        "What is won by skill and position, without the luck that chance dealt?",
        "Zinkevich, Bowling and Bard (2006); Burch et al. (2018)",
    ),
    Method(
        "learn_value",
        "equipoise.luck.learn_value",
        ("array",),
        "Which features of luck explain most of what was won?",
        "White and Bowling (2009)",
    ),
    Method(
        "plan_hands",
        "equipoise.luck.planning",
        ("array",),
        "How much will a control save, and how many hands does an interval of a given width take?",
        "Lavenberg and Welch (1981)",
    ),
    Method(
        "split_budget",
        "equipoise.luck.planning",
        ("array",),
        "How many self-plays of a control should each real hand get?",
        "Davidson, Archibald and Bowling (2013), eq. 14",
    ),
    Method(
        "alpha_rank",
        "equipoise.alpharank.alpha_rank",
        ("matches", "pairs", "metagame"),
        "Which strategies survive evolution, cycles included, and how sure is that?",
        "Omidshafiei et al. (2019); Rowland et al. (2019)",
    ),
    Method(
        "alpha_rank_bounds",
        "equipoise.alpharank.bounds",
        ("array",),
        "How large and how small can each mass be when payoffs are only known up to intervals?",
        "Rowland et al. (2019), section 5",
    ),
    Method(
        "response_graph",
        "equipoise.alpharank.response_graph",
        ("pairs", "metagame"),
        "Which single deviations pay, and where do they lead?",
        "Omidshafiei et al. (2019); Rowland et al. (2019)",
    ),
    Method(
        "complete",
        "equipoise.inference.completion",
        ("pairs",),
        "What would pairs that never met have scored, if the table has low rank?",
        "Jain, Netrapalli and Sanghavi (2013); Rowland et al. (2019), appendix H.5",
    ),
    Method(
        "kendall_distance",
        "equipoise.inference.kendall",
        ("array",),
        "How far apart are two rankings that may contain ties?",
        "Fagin et al. (2006)",
    ),
    Method(
        "ResponseGraphUCB",
        "equipoise.schedule.response_graph_ucb",
        ("array",),
        "Which game to play next to learn who beats whom with the fewest games?",
        "Rowland et al. (2019), section 4",
    ),
    Method(
        "plan",
        "equipoise.schedule.plan",
        ("pairs",),
        "Given what was played, how many games are still needed, and which next?",
        "Rowland et al. (2019); Waudby-Smith and Ramdas (2024)",
    ),
)


def method_named(name: str) -> Method:
    """Find a method of the catalogue by its name."""
    return next(method for method in CATALOGUE if method.name == name)
