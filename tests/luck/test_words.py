"""What the results on luck say of themselves."""

import numpy as np

import equipoise as eq
from equipoise.core.wording import digits_for

Y = np.random.default_rng(0).normal(size=400)
X = 1.0 + 2.0 * Y + np.random.default_rng(1).normal(size=400)


def hands(agents: tuple[str, str] = ("x", "y")) -> eq.Episodes:
    rng = np.random.default_rng(2)
    luck = rng.normal(size=40)
    won = luck + 0.3 * rng.normal(size=40)
    return eq.Episodes.from_columns(
        [agents[turn] for deal in range(40) for turn in ((0, 1) if deal % 2 else (1, 0))],
        np.repeat(np.arange(40), 2),
        np.stack([won, -won], axis=1).ravel(),
        seat=[0, 1] * 40,
        controls={"bot": np.stack([luck, -luck], axis=1).ravel()},
    )


def test_a_luck_table_says_who_wins_most_and_what_removing_luck_is_worth() -> None:
    table = eq.baseline(hands(), control="bot")
    best, sentence = table.answer
    first = int(np.argmax(table.estimate))
    assert best.startswith(f"{table.agents[first]} wins most: {table.estimate[first]:+.2f} per hand (95% ")
    ends = f"{table.multiplier.min():.2g} to {table.multiplier.max():.2g}"
    assert sentence == f"Removing luck is worth {ends} times the hands."


def test_a_leader_is_significantly_ahead_where_no_interval_overlaps_with_its_own() -> None:
    rng = np.random.default_rng(5)
    won = 5.0 + rng.normal(size=40)
    apart = eq.Episodes.from_columns(["x", "y"] * 40, np.repeat(np.arange(40), 2), np.stack([won, -won], 1).ravel())
    assert eq.methods.plain_mean(apart).answer[0].endswith(f", significantly more than y ({-won.mean():+.2f}).")
    near = rng.normal(size=40)
    close = eq.Episodes.from_columns(["x", "y"] * 40, np.repeat(np.arange(40), 2), np.stack([near, -near], 1).ravel())
    assert eq.methods.plain_mean(close).answer[0].endswith(" cannot be ruled out as best.")


def test_an_adjustment_that_adds_noise_is_not_recommended() -> None:
    rng = np.random.default_rng(6)
    noise, won = rng.normal(size=(2, 40))
    data = eq.Episodes.from_columns(
        ["x", "y", "y", "x"] * 20, np.repeat(np.arange(40), 2), np.stack([won, -won], 1).ravel(), seat=[0, 1] * 40,
        controls={"bot": 5.0 * np.stack([noise, -noise], 1).ravel()},
    )  # fmt: skip
    said = eq.baseline(data, control="bot", coefficient=1.0).answer[1]
    assert said == "The adjustment does not reduce the error here; quote the unadjusted mean."


def test_a_table_of_one_row_needs_no_range() -> None:
    teams = eq.baseline(hands(), control="bot", by="team", teams={"x": "all"})
    won, worth = teams.answer
    assert won.startswith(f"all wins {teams.estimate[0]:+.{digits_for(teams.stderr)}f} per hand (95% ")
    assert worth == f"Removing luck is worth {teams.multiplier[0]:.2g} times the hands."


def test_a_table_without_variance_says_so_without_a_number() -> None:
    flat = eq.Episodes.from_columns(["x"] * 6, [1, 1, 2, 2, 3, 3], [1, -1] * 3, seat=[0, 1] * 3)
    won, worth = eq.duplicate(flat).answer
    assert won.startswith("x wins +0.0 per hand (95% ")
    assert worth == "Removing luck leaves no error in some rows: their hands are worth any number without adjustment."


def test_means_say_their_interval_and_what_samples_are_worth() -> None:
    result = eq.control_variates(X, Y)
    mean, worth = result.answer
    assert mean == f"The mean is {result.estimate:.3g}, 95% t interval {result.low:.3g} to {result.high:.3g}."
    assert worth.startswith("These 400 samples are worth ")
    assert "400 groups" in eq.methods.antithetic(X, 2.0 - X).answer[1]


def test_a_learnt_value_names_its_largest_weight() -> None:
    learnt = eq.methods.learn_value(np.column_stack([Y, 0.1 * np.sin(np.arange(400))]), X, names=["card", "sine"])
    first = learnt.answer[0]
    assert first.startswith("2 features of luck cut the standard error by ")
    assert first.endswith(f"{learnt.weights[np.argmax(np.abs(learnt.weights))]:.3g}, is that of card.")
    assert learnt.answer[1:] == learnt.estimate.answer


def test_a_plan_says_the_hands_with_the_control_and_without() -> None:
    plan = eq.methods.plan_hands(X, Y, half_width=0.05)
    saved, needed = plan.answer
    assert f"by {plan.reduction:.0f}%" in saved
    assert f"plus or minus 0.05 takes {plan.hands:,} hands" in needed
    assert f"{plan.plain_hands:,} without" in needed


def test_a_split_says_how_often_to_repeat_or_to_do_without() -> None:
    noisy = Y[:, None] + np.random.default_rng(3).normal(size=(400, 3))
    split = eq.methods.split_budget(X, noisy, hand_cost=50, control_cost=1, budget=1000)
    assert split.answer[0].startswith(f"Give each hand {split.repeats} self-plays of the control: ")
    useless = np.random.default_rng(4).normal(size=(400, 2))
    dear = eq.methods.split_budget(X, useless, hand_cost=1, control_cost=10, budget=100)
    assert dear.answer[0].startswith("Play without the control: the budget pays for 100 hands")
