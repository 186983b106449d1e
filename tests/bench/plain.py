"""The relay of `echo` without gRPC: frames over bare sockets. `python -m tests.bench.plain` serves it.

What is left of a move's cost when neither HTTP/2 nor a second thread stands between socket and handler; the floor of
any server in Python, and the measure of what another transport could save.
"""

import asyncio
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING, cast

import uvloop

from tests.bench.accounting import between, spent

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE = 600  # as in `ceilings`
_HEAD = 4


class Peer(asyncio.Protocol):
    """A connection that carries frames, each behind its length; `take` gets every one."""

    def __init__(self, take: "Callable[[Peer, bytes], None]") -> None:
        self._take, self._rest = take, b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's own class

    def data_received(self, data: bytes) -> None:
        rest = self._rest + data
        while len(rest) >= _HEAD and len(rest) >= (end := _HEAD + int.from_bytes(rest[:_HEAD])):
            self._take(self, rest[_HEAD:end])
            rest = rest[end:]
        self._rest = rest

    def send(self, frame: bytes) -> None:
        assert self._transport is not None
        self._transport.write(len(frame).to_bytes(_HEAD) + frame)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


class Pairs:
    """Gives each frame to both peers of a pair; the first frame of a peer names its pair."""

    def __init__(self) -> None:
        self._pairs = defaultdict[bytes, list[Peer]](list)
        self._of = dict[Peer, list[Peer]]()

    def take(self, peer: Peer, frame: bytes) -> None:
        pair = self._of.get(peer)
        if pair is None:
            pair = self._of[peer] = self._pairs[frame]
            pair.append(peer)
            peer.send(frame)
            return
        for both in pair:
            both.send(frame)


async def relay(pid: int, port: int, pairs: int, moves: int) -> dict[str, float]:
    """As `ceilings.relay`: µs of CPU for one frame up a connection and one down each of two; `moves_per_s` beside."""
    done, left, joined = asyncio.Event(), [moves], asyncio.Semaphore(0)
    loop, own, peers = asyncio.get_running_loop(), dict[Peer, bytes](), list[Peer]()
    run = str(time.time_ns()).encode()

    def take(peer: Peer, frame: bytes) -> None:
        if frame.startswith(run):
            joined.release()
        elif frame[0] != own[peer][0]:
            left[0] -= 1
            if left[0] > 0:
                peer.send(own[peer])
            else:
                done.set()

    for number in range(2 * pairs):
        _, peer = await loop.create_connection(lambda: Peer(take), "127.0.0.1", port)
        own[peer] = bytes([number % 2]) * _SIZE
        peer.send(run + b"-%d" % (number // 2))
        await joined.acquire()
        peers.append(peer)
    before, began = spent({"plain": [pid]}), time.perf_counter()
    for peer in peers[::2]:
        peer.send(own[peer])
    await done.wait()
    seconds, costs = time.perf_counter() - began, between(before, spent({"plain": [pid]}))
    for peer in peers:
        peer.close()
    return {role: cost / moves * 1e6 for role, cost in costs.items()} | {"moves_per_s": moves / seconds}


async def main() -> None:
    """Serves until killed; says its port on stdout."""
    pairs = Pairs()
    server = await asyncio.get_running_loop().create_server(lambda: Peer(pairs.take), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
