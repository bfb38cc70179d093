"""Faults to plant: each breaks one promise of the engine, or of a client, and nothing else."""

from collections.abc import Callable

import pytest

from equipoise.arena.engine import leasing, reported_results
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.clock import Clock
from equipoise.arena.engine.commits import Commits
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.spec.trial import Receipt
from tests.arena.simulation.clients import Client

__all__ = ["FAULTS"]

Patch = pytest.MonkeyPatch


def sweep_ignores_renewals(patch: Patch) -> None:
    patch.setattr(leasing, "_ran_out", lambda b: (n for n, held in b.state.held.items() if held.until <= b.now))


def a_renewal_holds_for_the_next_attempt_too(patch: Patch) -> None:
    def lease_of(batch, trial, attempt):
        return batch._leases.get(trial) or batch._transaction.lease(trial)

    patch.setattr(Batch, "lease_of", lease_of)


def renewing_needs_no_progress(patch: Patch) -> None:
    renew = leasing.LeaseIssuer.renew
    patch.setattr(leasing.LeaseIssuer, "renew", lambda self, b, lease, _progress: renew(self, b, lease, b.now))


def the_failure_of_a_stale_worker_takes_back_anothers_lease(patch: Patch) -> None:
    fail = reported_results.fail

    def patched(batch, lease, fault, seat, message, result):
        held = batch.state.held.get(lease.trial.number)
        if held is None or fault == "player":
            return fail(batch, lease, fault, seat, message, result)
        body = {"trial": lease.trial.number, "attempt": held.attempt, "worker": held.worker, "message": message}
        if held.attempt != lease.attempt:
            body |= {"attempt": lease.attempt, "worker": lease.worker}
        event, _ = batch.emit("failed", {**body, "stopped": True} if fault == "operator" else body)
        leasing.void_if_tried(batch, lease.trial.number, message)
        return Receipt(counted=False, duplicate=False, seq=event.seq)

    patch.setattr(reported_results, "fail", patched)


def one_attempt_more(patch: Patch) -> None:
    void = leasing.void_if_tried
    for module in (leasing, reported_results):
        patch.setattr(
            module, "void_if_tried",
            lambda b, trial, cause: b.state.attempts.get(trial, 0) > b.state.spec.attempts and void(b, trial, cause),
        )  # fmt: skip


def a_stop_costs_an_attempt(patch: Patch) -> None:
    patch.setattr(ArenaState, "_on_failed", ArenaState._on_expired)


def the_clock_follows_the_wall(patch: Patch) -> None:
    patch.setattr(Clock, "time", lambda _self, wall, journal: max(wall, journal))


def the_time_may_go_back(patch: Patch) -> None:
    patch.setattr(Clock, "time", lambda _self, wall, _journal: wall)


def answered_before_it_is_on_disk(patch: Patch) -> None:
    def written(self, requests):
        with self._store.write() as transaction:
            state = self._catch_up(transaction)
            batch = Batch(state, transaction, self._clock.time(transaction.lock(), state.time))
            answers = [self._answered(request, batch) for request in requests]
            batch.write()
            self._answer([(request, *answer) for request, answer in zip(requests, answers, strict=True)])
        for request in requests:
            request.then = lambda *_: None
        return answers

    patch.setattr(Commits, "_written", written)


def memory_is_kept_after_a_crash(patch: Patch) -> None:
    kept = {}

    def remembered(self):
        return kept.get(self._store.id) if self.__dict__.get("now") is None else self.__dict__["now"]

    def remember(self, state):
        if state is not None:
            self.__dict__["now"] = kept[self._store.id] = state

    patch.setattr(Commits, "_state", property(remembered, remember), raising=False)


def memory_is_kept_after_a_failed_write(patch: Patch) -> None:
    def remember(self, state):
        if state is not None:
            self.__dict__["now"] = state

    patch.setattr(Commits, "_state", property(lambda self: self.__dict__.get("now"), remember), raising=False)


def asked_anew_without_its_request_id(patch: Patch) -> None:
    patch.setattr(Client, "new_request_each_time", True)


def a_repeated_result_is_only_late(patch: Patch) -> None:
    finished = reported_results._finished_before

    def patched(batch, result):
        judged = finished(batch, result)
        return Receipt(counted=False, duplicate=True, seq=judged.seq) if isinstance(judged, Receipt) else judged

    patch.setattr(reported_results, "_finished_before", patched)


def a_late_result_is_said_to_count(patch: Patch) -> None:
    take = reported_results._take

    def patched(batch, result, judged):
        return Receipt(counted=True, duplicate=False, seq=take(batch, result, judged).seq)

    patch.setattr(reported_results, "_take", patched)


def void_results_count_against_the_budget(patch: Patch) -> None:
    void = ArenaState._on_void

    def patched(self, body):
        before, decided = self.counted, void(self, body)
        self.counted = before
        return decided

    patch.setattr(ArenaState, "_on_void", patched)


def a_snapshot_forgets_attempts(patch: Patch) -> None:
    snapshot = ArenaState.snapshot
    patch.setattr(ArenaState, "snapshot", lambda self: snapshot(self) | {"attempts": []})


def a_snapshot_forgets_who_plays(patch: Patch) -> None:
    snapshot = ArenaState.snapshot
    patch.setattr(ArenaState, "snapshot", lambda self: snapshot(self) | {"held": []})


def more_is_opened_than_the_budget_has_room_for(patch: Patch) -> None:
    patch.setattr(ArenaState, "outstanding", property(lambda self: max(self._outstanding - 2, 0)))


FAULTS: tuple[Callable[[Patch], None], ...] = (
    sweep_ignores_renewals,
    a_renewal_holds_for_the_next_attempt_too,
    renewing_needs_no_progress,
    the_failure_of_a_stale_worker_takes_back_anothers_lease,
    one_attempt_more,
    a_stop_costs_an_attempt,
    the_clock_follows_the_wall,
    the_time_may_go_back,
    answered_before_it_is_on_disk,
    memory_is_kept_after_a_crash,
    memory_is_kept_after_a_failed_write,
    asked_anew_without_its_request_id,
    a_repeated_result_is_only_late,
    a_late_result_is_said_to_count,
    void_results_count_against_the_budget,
    a_snapshot_forgets_attempts,
    a_snapshot_forgets_who_plays,
    more_is_opened_than_the_budget_has_room_for,
)
