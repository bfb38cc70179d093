"""Names that say by themselves whether they are tasks or agents: environments, data sets, algorithms, language models.

A table does not always say which side its agents stand on; "Pong" and "gpt-4o" do. Names are compared without case,
versions and signs, so ``PongNoFrameskip-v4``, ``ALE/Pong-v5`` and ``pong`` are one entry.
"""

import re
from collections.abc import Iterable

from equipoise.data.readers.columns import AGENTS, TASKS

_ATARI = """
adventure airraid alien amidar assault asterix asteroids atlantis bankheist battlezone beamrider berzerk bowling boxing
breakout carnival centipede choppercommand crazyclimber defender demonattack doubledunk elevatoraction enduro
fishingderby freeway frostbite gopher gravitar hero icehockey jamesbond jamesbond007 journeyescape kaboom kangaroo
krull kungfumaster kungfu montezumarevenge montezuma mspacman namethisgame phoenix pitfall pong pooyan privateeye qbert
riverraid roadrunner robotank robottank seaquest skiing solaris spaceinvaders stargunner surround tennis timepilot
tutankham upndown venture videopinball wizardofwor yarsrevenge zaxxon
"""
_CONTROL = """
acrobot ant antmaze bipedalwalker bipedalwalkerhardcore blackjack carracing cartpole cheetah cliffwalking fetchpush
fetchpickandplace fetchreach fetchslide frozenlake halfcheetah hopper humanoid humanoidstandup inverteddoublependulum
invertedpendulum lunarlander lunarlandercontinuous maze2d mountaincar mountaincarcontinuous pendulum pusher quadruped
reacher swimmer taxi walker walker2d
"""
_DOMAINS = """
acrobot ball cartpole cheetah cup dog finger fish hopper humanoid manipulator pendulum point quadruped reacher stacker
swimmer walker
"""
_MOVES = """
balance swingup sparse run walk trot fetch stand hop spin turn easy hard upright swim catch bring lift escape mass
swimmer6 swimmer15 twopoles
"""
_PROCGEN = """
bigfish bossfight caveflyer chaser climber coinrun dodgeball fruitbot heist jumper leaper maze miner ninja plunder
starpilot
"""
_LANGUAGE = """
agieval aime aime24 aime25 aime2024 aime2025 alpacaeval alpacaeval2 anli arc arcagi arcc arcchallenge arce arceasy
arenahard asdiv bbh bigbench bigbenchhard bigcodebench boolq browsecomp ceval chartqa cmath cmmlu cnndailymail
codeforces cola commonsenseqa coqa csqa cruxeval docvqa drop flores gaia gaokao gpqa gpqadiamond gsm8k gsmhard
hellaswag hle hotpotqa humaneval humanevalplus humaneval+ ifeval infovqa lambada livebench livecodebench logiqa
longbench lsat math math500 mathqa mathvista mbpp mbppplus mgsm mmbench mmlu mmlupro mmluredux mmmu mmmupro mnli mrpc
msmarco mtbench multirc musr narrativeqa naturalquestions nq ocrbench openbookqa obqa osworld piqa pubmedqa qasper qnli
qqp quac quality race record rte ruler scienceqa sciq simpleqa siqa socialiqa squad squadv2 sst sst2 stsb superglue
glue svamp swebench swebenchlite swebenchpro swebenchverified taubench terminalbench textvqa toxigen triviaqa
truthfulqa truthfulqamc2 vqav2 webarena webqs wic wikitext wikitext2 winogrande winogender wmdp wmt14 wmt16 wnli wsc
xcopa xnli xquad xstorycloze xsum zebralogic
"""
_EMBEDDING = """
amazoncounterfactualclassification arguana arxivclusteringp2p askubuntudupquestions banking77classification biosses
climatefever cqadupstackretrieval dbpedia emotionclassification fever fiqa2018 imdbclassification mindsmallreranking
nfcorpus quoraretrieval scidocs scifact sickr stsbenchmark sts12 sts13 sts14 sts15 sts16 sts17 sts22 summeval
touche2020 treccovid twittersemeval2015 twitterurlcorpus sprintduplicatequestions
"""
_SUBJECTS = """
abstractalgebra anatomy astronomy businessethics clinicalknowledge collegebiology collegechemistry
collegecomputerscience collegemathematics collegemedicine collegephysics computersecurity conceptualphysics
econometrics electricalengineering elementarymathematics formallogic globalfacts highschoolbiology highschoolchemistry
highschoolcomputerscience highschooleuropeanhistory highschoolgeography highschoolgovernmentandpolitics
highschoolmacroeconomics highschoolmathematics highschoolmicroeconomics highschoolphysics highschoolpsychology
highschoolstatistics highschoolushistory highschoolworldhistory humanaging humansexuality internationallaw
jurisprudence logicalfallacies machinelearning management marketing medicalgenetics miscellaneous moraldisputes
moralscenarios nutrition philosophy prehistory professionalaccounting professionallaw professionalmedicine
professionalpsychology publicrelations securitystudies sociology usforeignpolicy virology worldreligions
booleanexpressions causaljudgement dateunderstanding disambiguationqa dycklanguages formalfallacies geometricshapes
hyperbaton movierecommendation multisteparithmetictwo navigate objectcounting penguinsinatable
reasoningaboutcoloredobjects ruinnames snarks sportsunderstanding temporalsequences weboflies wordsorting
"""
_TABLES = """
abalone adult australian balancescale bostonhousing breastcancer californiahousing cifar cifar10 cifar100 coco
covertype covtype creditg cub200 digits eurosat fashionmnist food101 imagenet imagenet1k imagenet21k imageneta
imagenetr ionosphere iris kmnist letterrecognition mnist mushroom oxfordpets pascalvoc segment sonar spambase splice
stl10 svhn tinyimagenet titanic vehicle vowel wine winequality yeast
"""
KNOWN_TASKS = frozenset(" ".join((_ATARI, _CONTROL, _PROCGEN, _LANGUAGE, _EMBEDDING, _SUBJECTS, _TABLES)).split())
"""Environments, benchmarks and data sets, without case and signs."""
ENVIRONMENT_ID = re.compile(
    r"(ALE/|[A-Za-z]\w*/)?[A-Za-z][\w.+()-]*-v\d+|(MiniGrid|MiniHack|BabyAI|minigrid|minihack)-.+"
    r"|(procgen|dm_control|dmc|atari|mujoco|metaworld|d4rl|bsuite)[/:_].+|(hendrycksTest|mmlu|bbh|leaderboard)[-_].+"
)
"""How ids of environments and of parts of benchmarks are formed."""
_VERSION = re.compile(r"(NoFrameskip|Deterministic|-ram)?(-v\d+)?$|BulletEnv.*$")
_NUMBERED = re.compile(r"\s*([^\W\d_][\w\s.-]*?)(?:[\s_.#-]*(?:\d+|[A-Z])|[\s_.#-]+[a-z])\s*")
_NUMBERED_TASKS = frozenset({*TASKS, "i", "q", "qn", "prob", "lvl"} - {"id"})
_NUMBERED_AGENTS = frozenset({*AGENTS, "human", "rater", "worker", "engine"} - {"name", "subject"})

_ALGORITHMS = """
a2c a3c acer acktr acme adaboost agent57 alphazero apex ars awac awr baseline bc bcq bootdqn c51 catboost cql ddpg ddqn
decisiontree der dqn dreamer dreamerv2 dreamerv3 drq drqv2 duelingdqn edac efficientzero gail gbm gradientboosting
human impala iql iqn knn laser lda lightgbm logisticregression logreg mcts minimax mlp moco mppi muzero naivebayes ngu
noisydqn pets ppg ppo ppo2 prioritizeddqn qrdqn quantile r2d2 rainbow random randomforest reinforce ridge rnd sac sarsa
spr svm svc td3 td3bc tdmpc tdmpc2 tqc trpo vpg xgboost
"""
_FAMILIES = """
alpaca baichuan bard bert bloom bloomz chatglm chatgpt claude codellama codestral command cohere dbrx deepseek dolly
electra ernie falcon flan galactica gemini gemma glm gpt gptj gptneox granite grok guanaco hunyuan internlm jamba
jurassic kimi koala lamda llama llava minimax mistral mixtral mpt nemotron nova olmo openchat opt orca palm phi
platypus pythia qwen qwq roberta solar stablelm starcoder tulu vicuna wizardlm xlnet yi zephyr
"""
ALGORITHMS, FAMILIES = frozenset(_ALGORITHMS.split()), frozenset(_FAMILIES.split())
"""Algorithms and baselines by their whole name or a word of it; families of language models by the first word."""
_WORDS = re.compile(r"[A-Za-z]+\d*")
_METRIC = re.compile(
    r"(\w+_)?(acc(uracy)?|f1|precision|recall|auc|auroc|score|rating|elo|win_?rate|winrate|reward|return|loss|error|rmse"
    r"|mae|bleu|rouge\w*|perplexity|ppl|std|sd|se|stderr|ci|mean|median|avg|average|rank|games|votes|wins|losses|draws"
    r"|difficulty|discrimination|guessing|ability|params|size|date|license|organi[sz]ation|latency|cost|price)"
    r"(_\w+)?"
)


def bare(name: str) -> str:
    """Give a name without case, signs, and the marks of an environment's version.

    >>> bare("ALE/Pong-v5"), bare("Bank Heist"), bare("QbertNoFrameskip-v4")
    ('pong', 'bankheist', 'qbert')
    """
    last = name.strip().removeprefix("ALE/")
    return re.sub(r"[^a-z0-9+]+", "", _VERSION.sub("", last).lower())


def is_known_task(name: str) -> bool:
    """Tell whether a name is that of an environment, a data set or a benchmark, or a task with a number.

    >>> [is_known_task(name) for name in ("Pong", "HalfCheetah-v2", "walker_run", "MMLU (5-shot)", "item 3", "gpt-4o")]
    [True, True, True, True, True, False]
    """
    stripped = name.strip()
    if bare(stripped) in KNOWN_TASKS or (ENVIRONMENT_ID.fullmatch(stripped) and not _of_family(stripped)):
        return True
    without_note = re.sub(r"\s*[(\[].*$|[-_ ]\d+[-_ ]?shot.*$", "", stripped)
    if without_note != stripped and bare(without_note) in KNOWN_TASKS:
        return True
    if re.fullmatch(r"t[0-46-9]\d*", stripped):  # t5 is a language model
        return True
    words = re.split(r"[\s_/-]+", stripped.lower())
    if len(words) > 1 and words[0] in _DOMAINS.split() and words[-1] in _MOVES.split():
        return True
    return _numbered(stripped, _NUMBERED_TASKS)


def is_known_agent(name: str) -> bool:
    """Tell whether a name is that of an algorithm or a language model, or an agent with a number.

    >>> [is_known_agent(name) for name in ("PPO (ours)", "meta-llama/Llama-3-8B", "claude-3", "player 2", "Pong")]
    [True, True, True, True, False]
    """
    stripped = name.strip()
    if bare(stripped) in ALGORITHMS or _numbered(stripped, _NUMBERED_AGENTS):
        return True
    words = _WORDS.findall(stripped.lower().rsplit("/", 1)[-1])
    return _of_family(stripped) or any(word in ALGORITHMS for word in words if len(word) > 2)


def _of_family(name: str) -> bool:
    """Tell whether a name starts as those of a family of language models do: claude-v1 is no environment."""
    words = _WORDS.findall(name.lower().rsplit("/", 1)[-1])
    return bool(words) and words[0].rstrip("0123456789") in FAMILIES


def is_metric(name: str) -> bool:
    """Tell whether a column's name is a measure or a fact about what stands in the rows, and no one's name."""
    return bool(_METRIC.fullmatch(re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")))


def _numbered(name: str, words: Iterable[str]) -> bool:
    found = _NUMBERED.fullmatch(name)
    return found is not None and re.sub(r"[\W_]+", "_", found[1].lower()).strip("_") in words
