"""A server that is killed sixty times under workers, and ten thousand requests that it must answer politely."""

from tests.web.conftest import ROLES
from tests.web.generated import send_generated
from tests.web.killing import kill_again_and_again
from tests.web.served import served
from tests.web.test_interface import fuzz


def test_nothing_is_lost_or_counted_twice_in_sixty_kills(tmp_path):
    counts = kill_again_and_again(tmp_path, 60, seed=7, workers=4)
    assert counts["acknowledged"] > 120


def test_ten_thousand_odd_requests_are_answered_politely(tmp_path):
    with served(tmp_path) as server:
        tokens = {role: server.token(role, f"the {role}") for role in ROLES}
        server.play(tokens["worker"], 6)
        counts = fuzz(server, tokens, 10_000, seed=11)
        assert sum(counts.values()) == 10_000
        assert counts[200] > 500
        assert server.arena.verify().ok


def test_ten_thousand_requests_that_the_document_suggests_or_forbids_are_answered_politely(tmp_path):
    with served(tmp_path) as server:
        tokens = {role: server.token(role, f"the {role}") for role in ROLES}
        server.play(tokens["worker"], 6)
        counts = send_generated(server, tokens, each=190, start=12)
        print(f"{sum(counts.values()):,} requests: {dict(counts)}")
        assert sum(counts.values()) >= 10_000
        assert counts[200] > 1_000
        assert server.arena.verify().ok
