import asyncio
import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from services.kit import logs

CANARY = "seven of shells"


@pytest.fixture(params=[logs.Form.AUTO])
def written(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    stream, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    logs.configure(logs.LogSettings(log_form=request.param), "test", stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def line(stream: io.StringIO) -> dict[str, object]:
    parsed: dict[str, object] = json.loads(stream.getvalue().splitlines()[-1])
    return parsed


def fail() -> None:
    try:
        int(CANARY)
    except ValueError as first:
        raise RuntimeError(CANARY) from first


def test_lines_are_json_when_not_on_a_terminal(written: io.StringIO) -> None:
    structlog.get_logger().info("serving", port=7)
    assert line(written)["event"] == "serving"
    assert line(written)["process"] == "test"
    assert line(written)["port"] == 7


def test_the_text_of_an_exception_is_not_written(written: io.StringIO) -> None:
    try:
        fail()
    except RuntimeError:
        structlog.get_logger().exception("call_failed")
    assert CANARY not in written.getvalue()
    assert "RuntimeError" in str(line(written)["exception"])
    assert "ValueError" in str(line(written)["exception"])
    assert "test_logs.py" in str(line(written)["exception"])


def test_library_logs_look_the_same_and_hide_the_text_too(written: io.StringIO) -> None:
    try:
        fail()
    except RuntimeError:
        logging.getLogger("asyncio").exception("task_failed")
    assert line(written)["event"] == "task_failed"
    assert CANARY not in written.getvalue()


@pytest.mark.parametrize("written", list(logs.Form), indirect=True)
async def test_what_came_of_a_task_is_not_written(written: io.StringIO) -> None:
    failed, succeeded = asyncio.ensure_future(asyncio.to_thread(fail)), asyncio.ensure_future(asyncio.sleep(0, CANARY))
    await asyncio.wait([failed, succeeded])
    for task in (failed, succeeded):
        told = {"message": "Task has ended", "exception": task.exception(), "future": task}
        asyncio.get_running_loop().call_exception_handler(told)
    assert written.getvalue().count("Task has ended") == 2
    assert "sleep" in written.getvalue()
    assert CANARY not in written.getvalue()


def test_a_line_says_when_and_how_important(written: io.StringIO) -> None:
    before = datetime.now(UTC)
    structlog.get_logger().warning("slow")
    said = line(written)
    assert before <= datetime.fromisoformat(str(said["timestamp"])) <= datetime.now(UTC)
    assert said["level"] == "warning"


def test_what_json_does_not_know_is_written_all_the_same(written: io.StringIO) -> None:
    structlog.get_logger().info("odd", path=Path("/tmp"), name="\udcff", form=logs.Form.JSON)
    assert line(written)["path"] == repr(Path("/tmp"))
    assert line(written)["name"] == "\udcff"
    assert line(written)["form"] == "json"


@pytest.mark.parametrize("written", [logs.Form.PRETTY], indirect=True)
def test_lines_for_people_hide_the_text_of_exceptions_too(written: io.StringIO) -> None:
    try:
        fail()
    except RuntimeError:
        structlog.get_logger().exception("call_failed", match="m1")
        logging.getLogger("asyncio").exception("task_failed")
    told = written.getvalue()
    assert CANARY not in told
    assert "call_failed" in told
    assert "match=m1" in told
    assert told.count("RuntimeError") == 2
    assert "\x1b" not in told  # colours are for terminals
