"""Runs a gRPC server until told to stop, then lets it finish what it has begun (STYLE.md, "Async")."""

import asyncio
import gc
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
import structlog
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from services.kit.interceptor import CatchAll
from services.kit.ports import can_share, listen

Register = Callable[[grpc.aio.Server], None]
Task = Callable[[asyncio.Event], Awaitable[None]]
_log = structlog.get_logger()
_MIB = 1024 * 1024
_GOODBYES, _GOODBYE_S = 5, 1.0  # how often, and for how long each time, tasks that were left are cancelled
_IDLE = ("grpc.max_connection_idle_ms", 300_000)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server accepts. `public` limits are for strangers, `internal` ones are wide."""

    message_bytes: int
    streams: int
    max_age_s: int | None

    def options(self, *, is_shared: bool = False) -> list[tuple[str, Any]]:
        """The limits as channel arguments; another server at the same port is refused unless it `is_shared`."""
        age = [] if self.max_age_s is None else [("grpc.max_connection_age_ms", self.max_age_s * 1000), _IDLE]
        return [
            ("grpc.so_reuseport", int(is_shared)),
            ("grpc.max_receive_message_length", self.message_bytes),
            ("grpc.max_send_message_length", 64 * _MIB),
            ("grpc.max_metadata_size", 8192),
            ("grpc.max_concurrent_streams", self.streams),
            ("grpc.server_handshake_timeout_ms", 5000),
            ("grpc.http2.min_ping_interval_without_data_ms", 20_000),
            ("grpc.keepalive_permit_without_calls", 1),
            *age,
        ]


PUBLIC = Limits(message_bytes=64 * 1024, streams=100, max_age_s=600)
INTERNAL = Limits(message_bytes=64 * _MIB, streams=10_000, max_age_s=None)


@dataclass
class Service:
    """What a process serves: registrations, background tasks, names for reflection."""

    register: Sequence[Register]
    tasks: Sequence[Task] = ()
    reflected: Sequence[str] = ()
    interceptors: Sequence[grpc.aio.ServerInterceptor] = ()
    limits: Limits = INTERNAL
    grace_s: float = 10.0
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    inside: str | None = None
    """A second address, `unix:PATH` or HOST:PORT, for this machine's own processes: without TLS."""
    credentials: grpc.ServerCredentials | None = None
    """With these the first address speaks TLS."""
    is_shared: bool = False
    """Whether other processes listen at the same port; the system then deals connections out (Linux)."""
    doors: int = 1
    """Servers at the first address, among which the system deals connections out; one where it cannot (not Linux).

    A server of grpc.aio lets in one call at a time, and takes several turns of the event loop over each. What comes by
    several doors goes on together: its questions to the rules, and its appends, travel in one batch.
    """
    on_bound: Callable[[int], None] | None = None


async def serve(address: str, service: Service) -> None:
    """Serves until SIGTERM or SIGINT, or until a task fails, whose exception is raised.

    `service.draining` is set first: streams must end and tasks return soon after. Calls in progress then have
    `grace_s` seconds. Raises CannotStart when the address is taken.
    """
    loop = asyncio.get_running_loop()
    for sig in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sig, service.draining.set)
    status = health.aio.HealthServicer()
    servers = _servers(address, service)
    _register(servers, service, status)
    port = listen(servers, address, service.credentials, is_shared=service.is_shared)
    if service.inside:
        listen(servers[:1], service.inside)
    for server in servers:
        await server.start()
    _spare_collections()
    await status.set("", health_pb2.HealthCheckResponse.SERVING)
    _log.info("serving", address=address, port=port)
    if service.on_bound is not None:
        service.on_bound(port)
    try:
        await _run(service)
    finally:
        service.draining.set()
        _log.info("draining", grace_s=service.grace_s)
        await status.enter_graceful_shutdown()
        await asyncio.gather(*(server.stop(service.grace_s) for server in servers))
        _log.info("stopped")


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Runs a process's main coroutine; an interrupt from the keyboard exits with code 130 and no traceback."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_alone(main))
    except KeyboardInterrupt:
        sys.exit(130)


def _servers(address: str, service: Service) -> list[grpc.aio.Server]:
    count = service.doors if can_share(address) else 1
    options = service.limits.options(is_shared=service.is_shared or count > 1)
    interceptors = [CatchAll(), *service.interceptors]
    return [grpc.aio.server(interceptors=interceptors, options=options, compression=None) for _ in range(count)]


def _register(servers: Sequence[grpc.aio.Server], service: Service, status: health.aio.HealthServicer) -> None:
    everywhere = cast("grpc.aio.Server", _Everywhere(servers))
    health_pb2_grpc.add_HealthServicer_to_server(status, everywhere)
    for add in service.register:
        add(everywhere)
    if service.reflected:
        reflection.enable_server_reflection([*service.reflected, reflection.SERVICE_NAME], everywhere)


class _Everywhere:
    """Takes the handlers of services for several servers.

    Generated code registers each method by itself as well. For each of those grpc.aio has a future that waits for the
    next call, and every call makes it look at all of them; a service's generic handler needs one for all methods.
    """

    def __init__(self, servers: Sequence[grpc.aio.Server]) -> None:
        self._servers = servers

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        for server in self._servers:
            server.add_generic_rpc_handlers(handlers)

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """Leaves them to the generic handler, which has them too."""


async def _alone(main: Callable[[], Awaitable[None]]) -> None:
    """Runs it, and leaves no task behind: one that has missed its cancellation would keep the process for ever."""
    try:
        await main()
    finally:
        for _ in range(_GOODBYES):
            left = asyncio.all_tasks() - {asyncio.current_task()}
            if not left:
                break
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=_GOODBYE_S)
        else:
            _log.warning("tasks_left", names=sorted(task.get_name() for task in asyncio.all_tasks())[:5])


def _spare_collections() -> None:
    """Lets the garbage collector leave alone what the start has made, and look less often at what comes.

    A call makes hundreds of objects and next to no cycles; collections at Python's own pace took a tenth of its time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


async def _run(service: Service) -> None:
    """Waits for the end; a task that fails ends the service at once."""
    async with asyncio.TaskGroup() as group:
        for task in service.tasks:
            group.create_task(_told(task, service.draining))
        await service.draining.wait()


async def _told(task: Task, draining: asyncio.Event) -> None:
    await task(draining)
    if not draining.is_set():
        raise RuntimeError(f"{getattr(task, '__qualname__', task)} returned before the end")
