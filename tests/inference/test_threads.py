"""Small linear algebra runs on one thread, and what there was before comes back."""

import threadpoolctl

from equipoise.inference.threads import SMALL, one_thread


def threads():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]


def test_held_and_given_back():
    with one_thread(SMALL):
        pass  # libraries are there from now on
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread(SMALL):
            assert set(threads()) == {1}
            with one_thread(2):
                assert set(threads()) == {1}
            assert set(threads()) == {1}
        assert threads() == before
        with one_thread(SMALL + 1):
            assert threads() == before


def test_given_back_after_an_error():
    before = threads()
    try:
        with one_thread(3):
            raise ValueError
    except ValueError:
        pass
    assert threads() == before
