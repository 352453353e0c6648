"""Work that lasts runs in a thread: its answers, its errors, and an interrupt that ends the wait for it."""

import os
import signal
import threading

import pytest

from tribo.asides import aside


def test_answers_and_errors_come_back():
    places = [aside(threading.current_thread), aside(threading.current_thread, lasts=False)]
    assert places[0] is not threading.main_thread()
    assert places[1] is threading.main_thread()
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 / 0)


def test_jobs_of_other_threads_stay_there():
    found = []
    thread = threading.Thread(target=lambda: found.append(aside(threading.current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_the_wait_and_the_job_ends_on_its_own():
    go, ended = threading.Event(), threading.Event()

    def job():
        os.kill(os.getpid(), signal.SIGINT)
        go.wait(60.0)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        aside(job)
    assert not ended.is_set()
    go.set()
    assert ended.wait(60.0)
