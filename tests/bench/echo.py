"""The least that a gRPC server in Python can do for a move: gives each message to both players of a pair. `python -m`.

It runs as a gateway does: on the same engine of gRPC and the same event loop, by as many servers at its port.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import asyncio
import sys
from collections import defaultdict
from typing import Any

import grpc
import uvloop

from services.kit.ports import listen

RELAY, WATCH, ACT = "/bench.Echo/Relay", "/bench.Echo/Watch", "/bench.Echo/Act"
"""A stream that speaks and hears; one that only hears; a call that speaks."""
_DOORS = 8
"""Servers at the port, as many as a gateway has."""


class Relay(grpc.GenericRpcHandler):
    """Serves bytes as they are; those with the same `pair` in their metadata hear one another."""

    def __init__(self) -> None:
        self._pairs: dict[Any, list[Any]] = defaultdict(list)
        self._handlers: dict[Any, Any] = {
            RELAY: grpc.stream_stream_rpc_method_handler(self._relay),
            WATCH: grpc.unary_stream_rpc_method_handler(self._watch),
            ACT: grpc.unary_unary_rpc_method_handler(self._act),
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """The handler."""
        return self._handlers.get(handler_call_details.method)

    async def _relay(self, _: Any, context: Any) -> None:
        pair = self._pair(context)
        pair.append(context)
        try:
            while (message := await context.read()) is not grpc.aio.EOF:
                for both in pair:
                    await both.write(message)
        finally:  # a round ends by cancelling its streams; the next one uses the same names
            pair.remove(context)

    async def _watch(self, _: Any, context: Any) -> None:
        pair = self._pair(context)
        pair.append(context)
        try:
            await context.send_initial_metadata(())  # says that it hears from now on
            await asyncio.Event().wait()
        finally:
            pair.remove(context)

    async def _act(self, message: Any, context: Any) -> Any:
        for both in self._pair(context):
            await both.write(message)
        return message

    def _pair(self, context: Any) -> list[Any]:
        return self._pairs[dict(context.invocation_metadata())["pair"]]


async def main() -> None:
    """Serves until killed, on Linux; says its port on stdout."""
    relay = Relay()
    servers = [grpc.aio.server(handlers=[relay], options=(("grpc.so_reuseport", 1),)) for _ in range(_DOORS)]
    port = listen(servers, "127.0.0.1:0", is_shared=True)
    for server in servers:
        await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await servers[0].wait_for_termination()


if __name__ == "__main__":
    uvloop.run(main())
