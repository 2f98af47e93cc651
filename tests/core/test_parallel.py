"""Work on threads: results in order, and an interruption that does not wait for what nobody wants any more."""

import _thread
import signal
import threading

import pytest

from cutline.core import parallel

MANY = parallel.WORTH_THREADS
HANGS = 60  # seconds after which a thread gives up, so that a failing test ends


@pytest.fixture
def interruptible():
    """A process in the background of a shell ignores interruptions; this one does not, for a test."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def own_threads():
    """A function that returns the threads of a test's pools; other packages keep pools of their own."""
    before = set(threading.enumerate())

    def begun():
        return [t for t in threading.enumerate() if t.name.startswith("ThreadPoolExecutor") and t not in before]

    return begun


@pytest.fixture
def wait_for_threads(own_threads):
    """Until no thread works any more: those that are told to stop may have begun others a moment before."""

    def wait():
        for _ in range(10):
            for thread in own_threads():
                thread.join(HANGS)

    return wait


def test_results_come_in_the_order_of_the_items_and_watchers_count_them():
    seen = []
    with parallel.report_progress_to(lambda done, of: seen.append((done, of))):
        assert parallel.map_parallel(lambda item: item * item, range(5), MANY, reports=True) == [0, 1, 4, 9, 16]
    assert seen == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_an_interruption_is_raised_at_once_and_ends_the_work_that_has_begun(interruptible, wait_for_threads):
    begun, ended, asked = threading.Event(), [], []

    def work(item):
        asked.append(item)
        try:
            for _ in range(100 * HANGS):
                parallel.stop_if_unwanted()
                if len(asked) == 2 and not begun.is_set():
                    begun.set()
                    _thread.interrupt_main()
                threading.Event().wait(0.01)
        except parallel.UnwantedError:
            ended.append(item)
            raise

    with pytest.raises(KeyboardInterrupt):
        parallel.map_parallel(work, range(50), MANY)
    wait_for_threads()

    assert sorted(ended) == [0, 1]  # both threads stopped in the middle
    assert sorted(asked) == [0, 1]  # and the other 48 items never began


def test_work_inside_of_work_stops_with_it(own_threads, wait_for_threads):
    ended = []

    def inner(item):
        try:
            for _ in range(100 * HANGS):
                parallel.stop_if_unwanted()
                threading.Event().wait(0.01)
        except parallel.UnwantedError:
            ended.append(item)
            raise

    def outer(item):
        if item:
            raise ValueError("the second item fails")
        return parallel.map_parallel(inner, range(2), MANY)

    with pytest.raises(ValueError, match="the second item fails"):
        parallel.map_parallel(outer, range(2), MANY)
    wait_for_threads()

    assert sorted(ended) in ([], [0], [0, 1])  # begun or not, none runs on
    assert not own_threads()


@pytest.mark.parametrize("rows", [0, MANY])
def test_results_come_one_after_the_other_in_the_order_of_the_items(rows):
    begun = []
    found = parallel.iterate_parallel(lambda item: begun.append(item) or item * item, range(5), rows)

    assert next(found) == 0
    assert len(begun) < 5 or rows
    assert [*found] == [1, 4, 9, 16]


def test_an_error_comes_where_its_result_would():
    found = parallel.iterate_parallel(lambda item: 1 // item, [1, 1, 0, 1], MANY)

    assert [next(found), next(found)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_work_beside_a_block_is_done_while_it_runs():
    met = threading.Barrier(2, timeout=HANGS)  # passes only if both are there at the same time

    with parallel.run_in_background(met.wait) as other:
        place = met.wait()
        assert {place, other()} == {0, 1}


def test_an_error_of_the_work_beside_a_block_is_raised_where_its_result_is_asked_for():
    with pytest.raises(ZeroDivisionError), parallel.run_in_background(lambda: 1 // 0) as other:
        other()


def test_work_beside_a_block_that_fails_ends(wait_for_threads):
    begun, ended = threading.Event(), []

    def work():
        begun.set()
        try:
            for _ in range(100 * HANGS):
                parallel.stop_if_unwanted()
                threading.Event().wait(0.01)
        except parallel.UnwantedError:
            ended.append("in the middle")
            raise

    def interrupted():
        with parallel.run_in_background(work):
            begun.wait(HANGS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    wait_for_threads()

    assert ended == ["in the middle"]
