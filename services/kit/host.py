"""Runs a gRPC server until told to stop, then lets it finish what it has begun (STYLE.md, "Async")."""

import asyncio
import errno
import gc
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
import structlog
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from services.kit.interceptor import CatchAll
from services.kit.startup import CannotStart

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
    on_bound: Callable[[int], None] | None = None


async def serve(address: str, service: Service) -> None:
    """Serves until SIGTERM or SIGINT, or until a task fails, whose exception is raised.

    `service.draining` is set first: streams must end and tasks return soon after. Calls in progress then have
    `grace_s` seconds. Raises CannotStart when the address is taken.
    """
    loop = asyncio.get_running_loop()
    for sig in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sig, service.draining.set)
    options = service.limits.options(is_shared=service.is_shared)
    server = grpc.aio.server(interceptors=[CatchAll(), *service.interceptors], options=options, compression=None)
    status = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    for add in service.register:
        add(server)
    if service.reflected:
        reflection.enable_server_reflection([*service.reflected, reflection.SERVICE_NAME], server)
    port = _bind(server, address, service.credentials, is_shared=service.is_shared)
    if service.inside:
        _bind(server, service.inside)
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
        await server.stop(service.grace_s)
        _log.info("stopped")


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Runs a process's main coroutine; an interrupt from the keyboard exits with code 130 and no traceback."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_alone(main))
    except KeyboardInterrupt:
        sys.exit(130)


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


def _bind(
    server: grpc.aio.Server,
    address: str,
    credentials: grpc.ServerCredentials | None = None,
    *,
    is_shared: bool = False,
) -> int:
    if not address.startswith("unix:"):
        _try_binding(address, is_shared=is_shared)
    try:
        return server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    except RuntimeError:
        raise CannotStart(
            f"cannot listen on {address}: the port is taken or the address is not this machine's"
        ) from None


def _try_binding(address: str, *, is_shared: bool) -> None:
    """Raises CannotStart with the system's reason, where gRPC would write its own to stderr and not tell us.

    A name may stand for addresses of which this machine has only some; a port must be free at all that it has.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65535:
        raise CannotStart(f"cannot listen on {address!r}: it is no HOST:PORT")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        tries = (_bind_error(family, target, is_shared=is_shared) for family, _, _, _, target in found)
        failures = [error for error in tries if error is not None]
        if len(failures) == len(found) or any(error.errno == errno.EADDRINUSE for error in failures):
            raise failures[-1]
    except OSError as error:
        raise CannotStart(f"cannot listen on {address}: {error.strerror}") from None


def _bind_error(family: int, target: Any, *, is_shared: bool) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if is_shared:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            probe.bind(target)
            if not is_shared:  # else it would be dealt connections, and lose them
                probe.listen(1)
    except OSError as error:
        return error
    return None
