"""Anchor items on held-back agents of real answers: intervals of chosen parts beside those of a random part."""

import numpy as np

import equipoise as eq
from equipoise.methods import anchor_items
from tests.statistical.honesty import SIGMAS, record

SIZE = 60


def test_intervals_of_anchors_on_held_back_items_beside_a_random_part():
    digits = eq.load("digits")
    agents, items = digits.values.shape
    covered = {name: [] for name in ("random", "stratified", "information")}
    widths, errors = ({name: [] for name in covered} for _ in range(2))
    for k in range(2):
        held = np.random.default_rng([41, k]).permutation(agents) < agents // 3
        bank = eq.irt(digits.take(agents=~held), rng=k).calibration().whole
        for chosen, inside in covered.items():
            for repeat in range(4):
                wanted = set(anchor_items(bank, SIZE, chosen=chosen, rng=10 * k + repeat))
                part = digits.take(agents=held, tasks=[task in wanted for task in digits.tasks])
                found = eq.predict(part, bank, chosen=chosen)
                truth = digits.values[held].mean(axis=1)
                inside.append((found.low <= truth) & (truth <= found.high))
                widths[chosen].append(found.high - found.low)
                errors[chosen].append(np.abs(found.score - truth))
    assert items > 4 * SIZE
    for chosen, inside in covered.items():
        share, width = float(np.mean(inside)), float(np.mean(widths[chosen]))
        said = f"{share:.3f} covered, {width:.3f} wide, off by {np.mean(errors[chosen]):.4f}"
        record(f"anchors, {chosen}", "95%, held-back items and agents", said)
    # Agents of one draw of items cover or miss together: a draw counts once.
    for chosen in ("random", "stratified"):
        by_draw = np.mean(covered[chosen], axis=1)
        assert by_draw.mean() >= 0.95 - SIGMAS * max(by_draw.std(ddof=1), 0.05) / len(by_draw) ** 0.5
    assert np.mean(widths["stratified"]) < 1.3 * np.mean(widths["random"])
