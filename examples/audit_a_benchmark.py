"""Audit a benchmark: what changes when a task is copied, and which tasks have weight in the Nash mixture.

On the bundled runs of eighteen classifiers on eighteen data sets:

1. copies of a task change the mean scores, and leave the Nash averages where they were;
2. the audit, in words;
3. what five runs a cell allow to be said about single agents: interquartile means and tied groups.

Run: ``python examples/audit_a_benchmark.py`` (a few seconds).
"""

import numpy as np

import equipoise as eq

COPIES = 12


def with_copies(scores: eq.Scores, task: str, copies: int) -> eq.Scores:
    """Give the scores with further copies of one task."""
    place = scores.tasks.index(task)
    names = [*scores.tasks, *(f"{task} (copy {k + 1})" for k in range(copies))]
    values = np.hstack([scores.values, np.repeat(scores.values[:, [place]], copies, axis=1)])
    return eq.Scores.from_matrix(values, scores.agents, names)


def best(found: eq.results.TaskNash) -> tuple[str, list[str]]:
    """Give the leader by mean score, and all leaders by Nash average."""
    top = np.flatnonzero(found.skill > found.value - 1e-9)
    return found.agents[int(found.uniform_skill.argmax())], sorted(found.agents[i] for i in top)


def main() -> dict[str, tuple[str, list[str]]]:
    scores = eq.load("classifiers")
    assert isinstance(scores, eq.Scores)
    leaders = {}
    print("Leaders by mean score and by Nash average, before and after copying a task:\n")
    for title, table in (
        ("as it is", eq.Scores.from_matrix(scores.values, scores.agents, scores.tasks)),
        (f"parity, {COPIES} copies more", with_copies(scores, "parity", COPIES)),
        (f"hastie, {COPIES} copies more", with_copies(scores, "hastie", COPIES)),
    ):
        leaders[title] = best(eq.nash_average(table))
        plain, nash = leaders[title]
        print(f"  {title:26s} plain: {plain:14s} Nash: {', '.join(nash)}")
    print("\nThe audit:\n")
    for sentence in eq.audit(scores).answer:
        print(f"  {sentence}")
    print("\nInterquartile means over runs; agents that share a letter are tied:\n")
    found = eq.aggregate(scores, units="min-max", rng=0)
    group = dict(zip(scores.agents, eq.probability_of_improvement(scores, units="min-max", rng=0).group, strict=True))
    for row in found.frame().head(8).to_dicts():
        low, high = row["iqm_low"], row["iqm_high"]
        print(f"  {row['agent']:16s} {row['iqm']:.3f} ({low:.3f} to {high:.3f})  {group[row['agent']]}")
    return leaders


if __name__ == "__main__":
    main()
