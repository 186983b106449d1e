"""Logs: events with constant snake_case names and keys, on stderr; for people on a terminal, JSON otherwise.

They carry ids and versions, never actions, hands or seeds. The text of an exception may quote any of these, so of an
exception only its type and where it was raised are written.
"""

import enum
import json
import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TextIO

import structlog

from services.kit.settings import setting, shown

_OUTCOME = re.compile(r" (exception|result)=.*", re.DOTALL)
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
    line = _Line(process, _renderer(settings.log_form, stream))
    structlog.configure(
        processors=[line],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    _adopt_library_logs(line, stream, level)
    sys.excepthook = _log_crash


def log_settings(settings: Any) -> None:
    """One line with the effective value of every setting, secrets as ***."""
    structlog.get_logger().info("settings", **shown(settings))


class _Line:
    """Completes an event and renders it, in one step: every call that is served writes a line."""

    def __init__(self, process: str, render: structlog.typing.Processor) -> None:
        self._process, self._render = process, render
        self._fail = structlog.processors.ExceptionRenderer(_frames)
        self._second, self._date = -1, ""

    def __call__(self, logger: Any, name: str, event: structlog.typing.EventDict) -> Any:
        """The line, from what was said at this level."""
        event["process"] = self._process
        structlog.processors.add_log_level(logger, name, event)
        event["timestamp"] = self._now()
        if "exc_info" in event:
            event = self._fail(logger, name, event)
        return self._render(logger, name, event)

    def _now(self) -> str:
        """The time in ISO 8601; its date and time of day are put into words once a second."""
        microseconds = time.time_ns() // 1000
        second, rest = divmod(microseconds, 1_000_000)
        if second != self._second:
            self._second, self._date = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._date}.{rest:06}Z"


def _renderer(form: Form, stream: TextIO) -> structlog.typing.Processor:
    if form is Form.PRETTY or (form is Form.AUTO and stream.isatty()):
        colors = stream.isatty() and not os.environ.get("NO_COLOR")
        return structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=structlog.dev.plain_traceback)
    encode = json.JSONEncoder(default=repr).encode
    return lambda _logger, _name, event: encode(event)


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


def _adopt_library_logs(line: _Line, stream: TextIO, level: int) -> None:
    handler = logging.StreamHandler(stream)
    clean = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    processors: list[structlog.typing.Processor] = [clean, _without_outcome, line]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=processors))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))


def _without_outcome(_logger: Any, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """What a library says, up to where asyncio shows what came of a task: the text of its exception, or its result."""
    event["event"] = _OUTCOME.sub(" …", str(event["event"]))
    return event


def _log_crash(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    structlog.get_logger().error("crashed", exc_info=(kind, error, where))
