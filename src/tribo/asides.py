"""Work that lasts and changes nothing runs in a thread: the calling thread hears Ctrl-C meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Answer = TypeVar("Answer")


def aside(job: Callable[[], Answer], *, lasts: bool = True) -> Answer:
    """Return the answer of a job that runs in a thread if it lasts, or raise what it raises.

    Python runs handlers of signals between two instructions of the main thread, never within a call of a
    compiled library. A job that is interrupted ends on its own and its answer is dropped: it must change
    nothing that others see. Other threads hear no signals, and do the job themselves.
    """
    if not lasts or threading.current_thread() is not threading.main_thread():
        return job()
    answer: Future[Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(job())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True, name="tribo aside").start()
    return answer.result()
