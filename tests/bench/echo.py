"""The least that a stream server in Python can do: gives each message to both streams of a pair. `python -m`.

It runs as the platform's processes do, on the same engine of gRPC and the same event loop.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import sys
from collections import defaultdict
from typing import Any

import grpc
import uvloop

METHOD = "/bench.Echo/Relay"


class Relay(grpc.GenericRpcHandler):
    """Serves METHOD with bytes as they are; streams with the same `pair` in their metadata hear one another."""

    def __init__(self) -> None:
        self._pairs: dict[Any, list[Any]] = defaultdict(list)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """The handler."""
        return grpc.stream_stream_rpc_method_handler(self._relay) if handler_call_details.method == METHOD else None

    async def _relay(self, _: Any, context: Any) -> None:
        pair = self._pairs[dict(context.invocation_metadata())["pair"]]
        pair.append(context)
        try:
            while (message := await context.read()) is not grpc.aio.EOF:
                for both in pair:
                    await both.write(message)
        finally:  # a round ends by cancelling its streams; the next one uses the same names
            pair.remove(context)


async def main() -> None:
    """Serves until killed; says its port on stdout."""
    server = grpc.aio.server(handlers=[Relay()], options=(("grpc.so_reuseport", 0),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.run(main())
