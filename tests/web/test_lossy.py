"""Over a network that loses, delays and doubles, every result counts once and no game is handed to nobody."""

from concurrent.futures import ThreadPoolExecutor

from equipoise.arena.remote.arena import RemoteArena
from tests.web.lossy import LossyProxy
from tests.web.served import scores_of


def play(url, token, games):
    acknowledged = []
    with RemoteArena(url, token) as arena:
        while len(acknowledged) < games:
            for lease in arena.ask(3):
                receipt = arena.tell(lease, scores_of(list(lease.trial.players)))
                assert receipt.counted
                acknowledged.append(lease.trial.number)
    return acknowledged


def test_results_count_once_whatever_the_network_does(server):
    proxy = LossyProxy(server.port, seed=3)
    url = f"http://127.0.0.1:{proxy.port}/arenas/ladder"
    try:
        tokens = [server.token("worker", f"worker {number}") for number in range(3)]
        with ThreadPoolExecutor(3) as pool:
            acknowledged = [number for some in pool.map(play, [url] * 3, tokens, [40] * 3) for number in some]
    finally:
        proxy.close()
    assert min(proxy.counts.values()) > 3
    results = [event.content()["trial"] for event in server.arena.events(kinds=["result"])]
    assert sorted(results) == sorted(acknowledged)
    assert len(set(results)) == len(results)
    # Nothing that a worker was given ran out or was given to another: questions that came twice were answered the same.
    kinds = {event.kind for event in server.arena.events()}
    assert kinds.isdisjoint({"expired", "failed", "late"})
    leases = [event.content()["trial"] for event in server.arena.events(kinds=["lease"])]
    assert len(leases) == len(set(leases))
    assert server.arena.verify().ok
