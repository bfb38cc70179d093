"""Headers that real logs of games have, and words in them that only the header explains."""

import pytest

import equipoise as eq

SIDES = [("x", "y"), ("y", "x"), ("y", "z")]
HEADERS = {
    "left_model,right_model,winner": ("left", "tie", "right"),
    "left_model,right_model,vote": ("left_model", "tie", "right_model"),
    "left,right,winner": ("L", "T", "R"),
    "response_1_model,response_2_model,preference": ("response_1", "tie", "response_2"),
    "model_a,model_b,human_preference": ("model_a", "tie", "model_b"),
    "player1,player2,winner": ("player1", "draw", "player2"),
    "player_1_name,player_2_name,winner": ("player_1", "draw", "player_2"),
    "model_1,model_2,winner_model": ("x", "tie", "z"),
    "HomeTeam,AwayTeam,FTR": ("H", "D", "A"),
    "Home,Away,Res": ("H", "D", "A"),
    "home_team,visitor_team,winner": ("home", "draw", "visitor"),
    "white_id,black_id,winner": ("white", "draw", "black"),
    "model_a,model_b,score_a,score_b": ("7,3", "5,5", "0,2"),
    "player1,player2,player1_score,player2_score": ("7,3", "5,5", "0,2"),
    "home,away,home_goals,away_goals": ("7,3", "5,5", "0,2"),
    "HomeTeam,AwayTeam,FTHG,FTAG": ("7,3", "5,5", "0,2"),
    "team_1,team_2,team_1_score,team_2_score": ("7,3", "5,5", "0,2"),
    "agent_0,agent_1,reward_0,reward_1": ("7,3", "5,5", "0,2"),
    "first,second,first_score,second_score": ("7,3", "5,5", "0,2"),
    "Player A,Player B,Sets A,Sets B": ("3,1", "2,2", "0,3"),
    "blue,red,winner": ("blue", "draw", "red"),
}


@pytest.mark.parametrize("header", HEADERS)
def test_the_header_is_known(tmp_path, header):
    path = tmp_path / "games.csv"
    rows = [",".join((*side, cell)) for side, cell in zip(SIDES, HEADERS[header], strict=True)]
    if "T" in HEADERS[header]:
        rows[1] = rows[1].replace(",T", ",tie")
    path.write_text("\n".join([header, *rows]) + "\n")
    games = eq.read_matches(path)
    assert games.agents == ("x", "y", "z")
    assert games.outcome.tolist() == [1.0, 0.5, 0.0]
    assert eq.read(path).games.sum() == 3


def test_a_is_away_only_beside_home(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("home,away,result\nx,y,a\ny,x,b\n")
    assert eq.read_matches(path).outcome.tolist() == [1.0, 0.0]
    path.write_text("HomeTeam,AwayTeam,FTR,FTHG,FTAG\nx,y,A,0,1\ny,x,A,2,3\n")
    assert eq.read_matches(path).outcome.tolist() == [0.0, 0.0]


def test_chosen_and_rejected_models_are_winner_and_loser(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("prompt,chosen_model,rejected_model\np,x,y\nq,y,z\n")
    assert eq.read_matches(path).outcome.tolist() == [1.0, 1.0]


FREE_FOR_ALLS = {
    "places": ("game,player,place\n" + "".join(f"{g},{p},{k}\n" for g in "12" for k, p in enumerate("xyz", 1))),
    "positions": ("race,driver,position\n" + "".join(f"{g},{p},{k}\n" for g in "12" for k, p in enumerate("xyz", 1))),
    "ranks": ("event,team,rank\n" + "".join(f"{g},{p},{k}\n" for g in "12" for k, p in enumerate("xyz", 1))),
    "sides": "player1,player2,player3,winner\nx,y,z,x\ny,x,z,z\n",
}
BALLOTS = {
    "long": ("voter,candidate,rank\n" + "".join(f"{g},{p},{k}\n" for g in "12" for k, p in enumerate("xyz", 1))),
    "wide": "voter,rank_1,rank_2,rank_3\n1,x,y,z\n2,y,x,z\n",
}


@pytest.mark.parametrize(
    ("name", "read"),
    [(name, read) for name in (*FREE_FOR_ALLS, *BALLOTS) for read in (eq.read_scores, eq.read_pairs)
     if not (name == "sides" and read is eq.read_scores)],
)  # fmt: skip
def test_what_is_no_game_of_two_is_refused_in_one_line_that_says_who_takes_it(tmp_path, name, read):
    path = tmp_path / "table.csv"
    path.write_text({**FREE_FOR_ALLS, **BALLOTS}[name])
    said = "`equipoise choose` and read_ballots take" if name in BALLOTS else "read_rankings take|give a row for each"
    with pytest.raises(eq.DataError, match=said) as refused:
        read(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("ending", ["soc", "soi", "toc", "toi"])
def test_files_of_ballots_are_told_by_name(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    path.write_text("# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n2: 1,2\n")
    assert eq.read(path).named(0) == (("x",), ("y",))
    with pytest.raises(eq.ReadError, match=r"ranked ballots \(PrefLib\) are no table"):
        eq.read_scores(path)


def test_a_rank_beside_scores_is_no_free_for_all(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("rank,model,math,code\n1,x,0.9,0.8\n2,y,0.5,0.6\n3,z,0.1,0.2\n")
    scores = eq.read(path)
    assert (scores.agents, set(scores.tasks) >= {"math", "code"}) == (("x", "y", "z"), True)
