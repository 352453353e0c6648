"""RaiSim's messages: three severities, which go to the log of tribo."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from tribo.raisimpy.spelling import Dialects

logger = logging.getLogger("tribo")


class RaiSimMsg(Dialects):
    """The action at a fatal error of a program's own; tribo itself raises exceptions.

    Example:
        >>> def refuse():
        ...     raise RuntimeError("stop")
        >>> RaiSimMsg.setFatalCallback(refuse)
        >>> try:
        ...     RSFATAL("no such robot")
        ... except RuntimeError as error:
        ...     print(error)
        stop
        >>> RaiSimMsg.setFatalCallback(None)
    """

    _fatal: Callable[[], Any] | None = None

    @classmethod
    def setFatalCallback(cls, call: Callable[[], Any] | None) -> None:
        """``except Exception``: errors are exceptions"""
        cls._fatal = staticmethod(call) if call is not None else None


def RSINFO(text: Any) -> None:
    """``logging.getLogger("tribo").info(text)``"""
    logger.info("%s", text)


def RSWARN(text: Any) -> None:
    """``logging.getLogger("tribo").warning(text)``"""
    logger.warning("%s", text)


def RSFATAL(text: Any) -> None:
    """``logging.getLogger("tribo").critical(text)``, then the callback, or the end of the program"""
    logger.critical("%s", text)
    if RaiSimMsg._fatal is None:
        sys.exit(1)
    RaiSimMsg._fatal()


def RSINFO_IF(condition: Any, text: Any) -> None:
    """``logging.getLogger("tribo").info(text)``, if the condition holds"""
    if condition:
        RSINFO(text)


def RSWARN_IF(condition: Any, text: Any) -> None:
    """``logging.getLogger("tribo").warning(text)``, if the condition holds"""
    if condition:
        RSWARN(text)


def RSFATAL_IF(condition: Any, text: Any) -> None:
    """``logging.getLogger("tribo").critical(text)``, then as RSFATAL, if the condition holds"""
    if condition:
        RSFATAL(text)


RSDINFO, RSDWARN, RSDFATAL = RSINFO, RSWARN, RSFATAL  # "D" of a release build and of ours alike
