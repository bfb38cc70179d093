from equipoise.runners.demo import BOTS, MOST_HANDS, demo_spec, play_demo


def test_the_demonstration_finds_the_best_bot_and_says_what_it_cost():
    seen = []
    demo = play_demo(engine="threads", workers=1, on_change=seen.append)
    standings = demo.played.standings
    assert demo.played.state == "answered"
    assert standings.frame()["agent"][0] == "honest"  # the bot that wins from each of the others, by the game tree
    assert standings.counted < MOST_HANDS
    assert demo.sentences[0] == standings.progress.sentence
    assert f"It took {standings.progress.trials:,} hands; a round-robin of fixed length" in demo.sentences[1]
    assert any(sentence.startswith("Removing luck is worth ") for sentence in demo.sentences)
    assert seen[-1].standings.agents == BOTS


def test_the_true_best_is_the_one_that_wins_from_each_of_the_others():
    from equipoise.games.small_poker import house_bots
    from equipoise.luck.games import leduc
    from equipoise.luck.games.tree import expected

    rules, bots = leduc(), house_bots(leduc())

    def wins(first, second):
        return expected(rules, [bots[first], bots[second]])[0] + expected(rules, [bots[second], bots[first]])[1]

    assert all(wins("honest", other) > 0.5 for other in BOTS if other != "honest")
    assert demo_spec().goal == "best"
