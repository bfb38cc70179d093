"""Whole arenas in one thread, on a heap of what happens next: the same seed, the same journal, whatever went wrong.

``simulate(seed)`` plays one schedule: an owner, workers and an operator, joined by a network that loses, doubles and
delays, over a disk that is slow, fails, and survives the owner's deaths, by a clock that is set forwards and back. All
of them are the engine's own but for the seams that it has for that: its time, its failpoints, its database and
``Commits.submit``. It stands beside the tests and not in the package: it plants faults and asserts, users have no use
for it, and the tests of a server import it from here.
"""
