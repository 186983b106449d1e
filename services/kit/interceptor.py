"""Turns whatever a handler raises into a status, on every kind of call, and writes one canonical log line per call.

A message that cannot be parsed is refused with INVALID_REQUEST and without the parser's text. An unexpected exception
reaches the client as an error id and nothing else.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from services.kit.errors import Refused, internal, invalid

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]  # generic in the stubs only

Context = grpc.aio.ServicerContext[Any, Any]
_RULES = "/argosy.rules.v1.RulesService/"
_INTERNAL = frozenset(f"{_RULES}{method}" for method in ("DecideActions", "StreamDecisions", "FoldEvents"))
"""Calls between our own processes, one or more for each move, of which the gateway's line tells all there is."""
_QUIET = ("/grpc.health.v1.Health/", "/grpc.reflection.")
_Take = Callable[[Any, Context], Any]
_Tell = Callable[..., None]
_log = structlog.get_logger()


class _Unparsed:
    """Stands for a request that is no message of its type."""


class CatchAll(grpc.aio.ServerInterceptor):
    """Wraps every handler once, and keeps the wrapped ones."""

    def __init__(self) -> None:
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler of the method, wrapped; None for a method that is not served."""
        method = handler_call_details.method
        if method not in self._wrapped:
            handler = await continuation(handler_call_details)
            if handler is None:
                return handler
            self._wrapped[method] = _wrap(method, handler)
        return self._wrapped[method]


def _wrap(method: str, handler: Any) -> "Handler":
    makers = {
        (False, False): (grpc.unary_unary_rpc_method_handler, _answering, handler.unary_unary),
        (False, True): (grpc.unary_stream_rpc_method_handler, _streaming, handler.unary_stream),
        (True, False): (grpc.stream_unary_rpc_method_handler, _answering, handler.stream_unary),
        (True, True): (grpc.stream_stream_rpc_method_handler, _streaming, handler.stream_stream),
    }
    make, guard, behavior = makers[handler.request_streaming, handler.response_streaming]
    taken = _Requests if handler.request_streaming else _checked
    wrapped: Handler = make(
        guard(method, taken, behavior),
        request_deserializer=_lenient(handler.request_deserializer),
        response_serializer=_passing(handler.response_serializer),
    )
    return wrapped


def _passing(serialize: Callable[[Any], bytes] | None) -> Callable[[Any], bytes] | None:
    """Lets a handler answer with bytes that are its response already."""
    if serialize is None:
        return None
    return lambda response: response if isinstance(response, bytes) else serialize(response)


def _lenient(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    if deserialize is None:
        return None

    def parse(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return _Unparsed

    return parse


def _answering(method: str, taken: _Take, behavior: Any) -> Any:
    tell = _teller(method)

    async def answer(request: Any, context: Context) -> Any:
        started = time.monotonic()
        try:
            response = await behavior(taken(request, context), context)
        except Exception as error:
            await _fail(method, tell, error, context, started)
            raise  # not reached: aborting raises
        tell("OK", started)
        return response

    return answer


def _streaming(method: str, taken: _Take, behavior: Any) -> Any:
    tell = _teller(method)

    async def stream(request: Any, context: Context) -> None:
        started = time.monotonic()
        try:
            await write_all(behavior(taken(request, context), context), context)
        except _NotWritten as failure:
            raise failure.error from None  # the library's own, which knows whether the client is gone
        except Exception as error:
            await _fail(method, tell, error, context, started)
            raise  # not reached: aborting raises
        tell("OK", started)

    return stream


async def write_all(responses: Any, context: Context) -> None:
    """Writes what a streaming handler gives, or waits for one that writes by itself (health's Watch).

    Each generator around a stream costs every message a few microseconds; so those who wrap one write instead.
    """
    if inspect.iscoroutine(responses):
        await responses
        return
    async with aclosing(responses):
        async for response in responses:
            try:
                await context.write(response)
            except grpc.aio.BaseError as error:
                raise _NotWritten(error) from None


class _NotWritten(Exception):
    """A response could not be written, mostly because its client is gone."""

    def __init__(self, error: grpc.aio.BaseError) -> None:
        super().__init__(str(error))
        self.error = error


class _Requests:
    """What the client sends, read from the context itself."""

    def __init__(self, _: Any, context: Context) -> None:
        self._read = context.read

    def __aiter__(self) -> "_Requests":
        return self

    async def __anext__(self) -> Any:
        request = await self._read()
        if request is grpc.aio.EOF:
            raise StopAsyncIteration
        return _checked(request)


def _checked(request: Any, _: Context | None = None) -> Any:
    if request is _Unparsed:
        raise invalid("message", "cannot be parsed")
    return request


async def _fail(method: str, tell: _Tell, error: Exception, context: Context, started: float) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    cause = _first(error)
    if isinstance(cause, asyncio.CancelledError):
        raise cause
    refused = cause if isinstance(cause, Refused) else internal(cause, method=method)
    tell(refused.name, started, **refused.facts)
    await context.abort_with_status(refused.to_status())


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = next((e for e in error.exceptions if isinstance(e, Refused)), error.exceptions[0])
    return error


def _teller(method: str) -> _Tell:
    """Writes the canonical line of each call of the method."""
    if method.startswith(_QUIET):
        return _say_nothing
    log = _log.bind(method=method)

    def tell(code: str, started: float, **facts: object) -> None:
        say = log.debug if code == "OK" and method in _INTERNAL else log.info
        say("call", code=code, ms=round((time.monotonic() - started) * 1e3, 2), **facts)

    return tell


def _say_nothing(code: str, started: float, **facts: object) -> None:
    """Health and reflection are asked by machines, all the time."""
