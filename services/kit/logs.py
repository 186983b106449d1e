"""Logs: events with constant snake_case names and keys, on stderr; for people on a terminal, JSON otherwise.

They carry ids and versions, never actions, hands or seeds. The text of an exception may quote any of these, so of an
exception only its type and where it was raised are written.
"""

import contextlib
import enum
import logging
import os
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TextIO

import structlog

from services.kit.settings import setting, shown

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class Form(enum.StrEnum):
    """How log lines look."""

    AUTO = "auto"
    PRETTY = "pretty"
    JSON = "json"


class Level(enum.StrEnum):
    """The least important lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What every process lets one say about its log."""

    log_form: Form = setting(Form.AUTO, "How log lines look: auto is pretty on a terminal and JSON otherwise.")
    log_level: Level = setting(Level.INFO, "The least important lines that are written.")


def configure(settings: LogSettings, process: str, *, stream: TextIO | None = None) -> None:
    """Sends the log of this process, libraries' included, to `stream` (stderr). Call it once, first of all."""
    stream = stream or sys.stderr
    level = getattr(logging, settings.log_level.name)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(_frames),
    ]
    final = _renderer(settings.log_form, stream)
    structlog.configure(
        processors=[*shared, final],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    _adopt_library_logs(shared, final, stream, level)
    sys.excepthook = _log_crash


def log_settings(settings: Any) -> None:
    """One line with the effective value of every setting, secrets as ***."""
    structlog.get_logger().info("settings", **shown(settings))


@contextlib.contextmanager
def canonical_line(method: str, **facts: Any) -> Iterator[dict[str, Any]]:
    """Logs one line for a call, however it ends: `method`, the facts, what the body adds to them, and `ms`.

    The body sets `code` when it is not OK; an exception that leaves the body without one is logged as INTERNAL.
    """
    begun = time.perf_counter()
    line: dict[str, Any] = {"method": method, **facts}
    try:
        yield line
        line.setdefault("code", "OK")
    finally:
        line.setdefault("code", "INTERNAL")
        line["ms"] = round((time.perf_counter() - begun) * 1000, 2)
        structlog.get_logger().info("call", **line)


def _renderer(form: Form, stream: TextIO) -> structlog.typing.Processor:
    if form is Form.PRETTY or (form is Form.AUTO and stream.isatty()):
        colors = stream.isatty() and not os.environ.get("NO_COLOR")
        return structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=structlog.dev.plain_traceback)
    return structlog.processors.JSONRenderer()


def _frames(exc_info: ExcInfo) -> str:
    """The chain of exceptions, each with its type and frames, without its text."""
    return "\n".join(_told(error) for error in _chain(exc_info[1]))


def _told(error: BaseException) -> str:
    lines = [f"  {f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
    inner = [_told(e) for e in error.exceptions] if isinstance(error, BaseExceptionGroup) else []
    return "\n".join([type(error).__qualname__, *lines, *inner])


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _adopt_library_logs(
    shared: list[structlog.typing.Processor], final: structlog.typing.Processor, stream: TextIO, level: int
) -> None:
    handler = logging.StreamHandler(stream)
    processors = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, final]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=processors, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))


def _log_crash(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    structlog.get_logger().error("crashed", exc_info=(kind, error, where))
