"""Two hundred people vote over HTTP while the server dies again and again: nothing is lost or counts twice."""

import contextlib
import http.client
import random
import threading

import pytest

import equipoise as eq
from equipoise.arena.engine import voting
from tests.arena.stores import server_of_session
from tests.arena.voting import write_answers
from tests.web.killing import Lives
from tests.web.test_voting import Browser

VOTERS, TOGETHER = 200, 8


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    yield from server_of_session(tmp_path_factory)


class Crowd:
    """Threads that are many voters, one after the other; each says a vote again until it is answered."""

    def __init__(self, port):
        self.port, self.acknowledged, self.faults = port, {}, []
        self._left = list(range(VOTERS))
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run) for _ in range(TOGETHER)]
        for one in self._threads:
            one.start()

    def _run(self):
        while True:
            with self._lock:
                if not self._left:
                    return
                number = self._left.pop()
            try:
                self._vote(number)
            except Exception as error:
                self.faults.append(error)
                return

    def _vote(self, number):
        rng, browser = random.Random(number), Browser(self)
        for _ in range(3):
            status, page = self._again(lambda: browser.ask("GET", "/vote"))
            assert status == 200, page
            if 'name="trial"' not in page:
                return
            choice = rng.choice(["a", "b", "tie"])
            trial = page.partition('name="trial" value="')[2].partition('"')[0]
            status, text = self._again(lambda page=page, choice=choice: browser.send(page, vote=choice))
            assert status == 303, text
            with self._lock:
                self.acknowledged[int(trial)] = choice

    def _again(self, ask):
        for _ in range(3_000):
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, text = ask()
                if status != 503:
                    return status, text
            threading.Event().wait(0.02)
        raise AssertionError("the server did not come back")

    def more(self, votes):
        """Wait until so many more votes are acknowledged."""
        before = len(self.acknowledged)
        while self.voting and len(self.acknowledged) < before + votes and not self.faults:
            threading.Event().wait(0.005)

    @property
    def voting(self):
        return any(one.is_alive() for one in self._threads)


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_two_hundred_voters_lose_nothing_when_the_server_is_killed(tmp_path, request, store):
    place = str(tmp_path / "votes.db") if store == "sqlite" else request.getfixturevalue("postgres").fresh()
    answers = write_answers(tmp_path / "answers.csv")
    spec = {"name": "v", "game": "votes", "answers": str(answers), "goal": "budget", "budget": 5_000, "voters": "link",
            "undo": 0.0, "policy": "uniform"}  # fmt: skip
    eq.Arena.create(place, spec).close()
    lives, rng, kills = Lives(place), random.Random(5), 0
    try:
        lives.begin()
        lives.wait()
        crowd = Crowd(lives.port)
        while crowd.voting and not crowd.faults:
            crowd.more(rng.randint(1, 40))
            lives.obey("kill")
            kills += 1
            lives.begin()
        lives.obey("kill")
    finally:
        lives.close()
    assert crowd.faults == []
    assert kills >= 5
    with eq.Arena.open(place) as arena:
        arena.commits.run(voting.settle_all)
        results = [event.content() for event in arena.events(kinds=["result"])]
        said = {body["trial"]: body["choice"] for body in results}
        assert len(said) == len(results)
        assert crowd.acknowledged.items() <= said.items()
        voters = [(body["worker"], frozenset(body["players"])) for body in results]
        assert len(set(voters)) == len(voters)
        assert arena.verify().ok
    assert len(crowd.acknowledged) >= 2 * VOTERS
