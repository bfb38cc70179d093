"""Tables of known tools that could be read to say what nobody said: asked back, or what is no score is left out."""

import io

import pytest

import equipoise as eq


def scores(text, **given):
    return eq.read_scores(io.BytesIO(text.encode()), read=eq.ReadOptions(**given))


LOSSES = "model,perplexity,MMLU\na,10,0.5\nb,8,0.6\nc,12,0.4\n"


def test_losses_are_asked_back_and_turned_round():
    with pytest.raises(eq.ColumnError, match=r'less may be better on perplexity.*lower_is_better="perplexity"'):
        scores(LOSSES)
    assert scores(LOSSES, lower_is_better="perplexity").values.tolist() == [[-10, 0.5], [-8, 0.6], [-12, 0.4]]
    assert scores(LOSSES, lower_is_better="none").values.tolist() == [[10, 0.5], [8, 0.6], [12, 0.4]]
    assert scores(LOSSES, not_tasks="perplexity").tasks == ("MMLU",)
    assert scores(LOSSES, lower_is_better="all").values[0].tolist() == [-10, -0.5]
    with pytest.raises(eq.ColumnError, match='no task "perplexit"'):
        scores(LOSSES, lower_is_better="perplexit")


def test_a_long_table_of_losses_is_one_of_tasks_on_which_less_is_better():
    text = "model,task,seed,val_loss\na,x,1,2\na,x,2,4\nb,x,1,1\nb,x,2,3\n"
    with pytest.raises(eq.ColumnError, match="less may be better on val_loss"):
        scores(text, score="val_loss")
    turned = scores(text, score="val_loss", lower_is_better="val_loss")
    assert turned.values.tolist() == [[-3], [-2]]
    assert turned.repeats[1, 0].tolist() == [-1, -3]


def test_errors_that_are_answers_become_right_answers():
    assert scores("model,x_error,y\na,1,1\nb,0,0\n", lower_is_better="x_error").values.tolist() == [[0, 1], [1, 0]]


def test_a_row_of_averages_is_nobody():
    text = "model,MMLU,GSM8K\ngpt,86,92\nclaude,87,95\nllama,79,80\nAverage,84,89\n"
    assert scores(text).agents == ("gpt", "claude", "llama")
    assert scores(text.replace("84,89", "84,90")).agents[-1] == "Average"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("score,chars\n0.8,1000\n0.7,900\n", 'column "score" holds scores and names no agents'),
        ("task_id,result,passed\nHumanEval/1,passed,true\nHumanEval/2,failed: x,false\n", "no column an agent"),
        (
            "user_input,response,faithfulness,relevancy\nq1,a,0.5,0.25\nq2,b,0.75,0.5\nq3,c,0.1,0.2\n",
            "no column an agent",
        ),
        (
            "Name,algo,env_id,lr,eval/return\nr1,ppo,A,0.1,3\nr2,ppo,B,0.1,4\nr3,sac,A,0.1,5\n",
            'column "env_id" names tasks',
        ),
    ],
)
def test_what_names_no_agents_or_tasks_is_asked_back(text, says):
    with pytest.raises(eq.ColumnError, match=says):
        scores(text)


def test_ratings_and_how_sure_they_are_are_not_two_tasks():
    assert scores("player,mu,sigma,games\na,25.1,1.2,30\nb,24.0,1.5,20\n").tasks == ("mu",)


def test_files_of_single_agents_are_named_by_their_files(tmp_path):
    for name, right in (("alpha", "true"), ("beta", "false")):
        rows = [f'{{"task_id": "HumanEval/{k}", "completion": "x", "passed": {right}}}\n' for k in range(3)]
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    joined = eq.read(tmp_path)
    assert joined.agents == ("alpha", "beta")
    assert joined.values.tolist() == [[1, 1, 1], [0, 0, 0]]


RANKS = "dataset,method,rank\n" + "".join(
    f"d{d},{m},{1 + (d + k) % 3}\n" for d in range(4) for k, m in enumerate("uvw")
)


def test_ranks_are_no_scores_until_it_is_said_that_less_is_better():
    with pytest.raises(eq.ColumnError, match='known: agent "method", task "dataset"'):
        scores(RANKS)
    with pytest.raises(eq.ColumnError, match="less may be better on rank"):
        scores(RANKS, score="rank")
    assert scores(RANKS, score="rank", lower_is_better="rank").values[0, 0] == -1


PLACED = "".join(f"m{g},{p},{k + 1},{90 - k}\n" for g in range(3) for k, p in enumerate("uvw"))


@pytest.mark.parametrize(
    "header", ["match_id,player,placement,score", "race,driver,rank,result", "game,bot,place,points"]
)
def test_places_beside_scores_are_games_of_several_players(header, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(f"{header}\n{PLACED}")
    assert isinstance(eq.read(path), eq.Rankings)


def test_ranks_beside_scores_of_agents_on_tasks_are_a_board(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("game,agent,rank,score\n" + PLACED)
    assert isinstance(eq.read(path), eq.Scores)


def test_texts_and_dates_beside_hands_are_no_controls(tmp_path):
    path = tmp_path / "hands.csv"
    path.write_text("deal,agent,utility,luck,day,who\n1,a,1,0.5,2024-01-01,x\n1,b,-1,-0.5,2024-01-01,y\n")
    assert tuple(eq.read(path).controls) == ("luck",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ppo,sac,dqn\n1.5,2.5,3\n2.5,3.5,4\n", 'column "ppo" holds numbers and names no agents'),
        ("ppo,sac,dqn\n1,2,3\n1,3,4\n2,2,2\n", r"columns are called after agents \(ppo, sac, dqn\)"),
        ("alpha,beta\n1,2.5\n2,3.5\n3,1.5\n", 'column "alpha" holds numbers and names no agents'),
        ("lr,acc\n0.1,0.5\n0.01,0.7\n", 'column "lr" holds numbers and names no agents'),
        ("model,wins,losses\na,3,4\nb,4,3\n", "less may be better on losses"),
    ],
)
def test_numbers_are_nobody_and_losses_no_gain(text, says):
    with pytest.raises(eq.EquipoiseError, match=says):
        scores(text)


def test_numbers_that_are_said_to_be_agents_are():
    assert scores("lr,acc\n0.1,0.5\n0.01,0.7\n", agents_in="rows").agents == ("0.1", "0.01")
    assert scores("id,q1,q2\n1,0,1\n2,1,1\n3,1,0\n").agents == ("1", "2", "3")


def test_a_first_column_of_frequencies_repeats_rows():
    assert scores("freq,q1,q2\n2,1,0\n1,0,1\n").values.tolist() == [[1, 0], [1, 0], [0, 1]]


def test_rows_below_a_header_of_runs_are_runs_on_one_task():
    read = scores("fold,svm,knn\n1,0.5,0.25\n2,0.75,0.5\n")
    assert (read.agents, len(read.tasks)) == (("svm", "knn"), 1)
    assert read.repeats.tolist() == [[[0.5, 0.75]], [[0.25, 0.5]]]


def test_scores_of_two_agents_are_no_sides_of_games(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("task,model_1,model_2\nu,0.5,0.25\nv,0.75,1\n")
    assert eq.read(path).agents == ("model_1", "model_2")


@pytest.mark.parametrize("cost", ["inference time (ms)", "FLOPs (G)", "energy_kwh", "training_time", "CO2"])
def test_what_a_score_costs_is_no_gain(cost):
    with pytest.raises(eq.ColumnError, match="less may be better on"):
        scores(f"model,accuracy,{cost}\na,86,3\nb,87,2\n")
