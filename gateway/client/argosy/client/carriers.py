"""Which stream carries which followed match, and the tasks that keep the streams open."""

import asyncio

from argosy.client.calls import Calls
from argosy.client.stream import Follower, Own, PlayStream
from argosy.client.watch import Watch


class Carriers:
    """The streams of one caller: one `Play` per connection, as long as no match is followed twice on it."""

    def __init__(self, calls: Calls, tasks: asyncio.TaskGroup) -> None:
        self._calls, self._tasks = calls, tasks
        self._streams: list[PlayStream] = []
        self._places: dict[Follower, PlayStream | Watch] = {}
        self._running: set[asyncio.Task[None]] = set()

    def carry(self, follower: Follower, *, by_stream: bool) -> PlayStream | Watch:
        """A carrier that carries the follower from now on."""
        carrier = self._stream_for(follower) if by_stream else Watch(self._calls, self._calls.links.lease())
        self._places[follower] = carrier
        carrier.follow(follower)
        if isinstance(carrier, Watch):
            self._start(carrier)
        return carrier

    def carry_own(self, own: Own) -> PlayStream:
        """A stream of its own for all of the caller's matches; it counts as one followed match."""
        stream = PlayStream(self._calls, self._calls.links.lease(), own)
        self._start(stream)
        return stream

    def drop(self, stream: PlayStream) -> None:
        """Ends such a stream."""
        stream.link.watches -= 1
        for task in self._running:
            if task.get_name() == _name(stream):
                task.cancel()

    def release(self, follower: Follower) -> None:
        """Gives the follower's place on its connection back."""
        carrier = self._places.pop(follower, None)
        if carrier is not None:
            carrier.followers.pop(follower.name, None)
            carrier.link.watches -= 1

    async def stop(self) -> None:
        """Ends all streams; whoever still waits for something gets an error."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _stream_for(self, follower: Follower) -> PlayStream:
        free = [s for s in self._streams if follower.name not in s.followers]
        link = self._calls.links.lease(s.link for s in free)
        stream = next((s for s in free if s.link is link), None)
        if stream is None:
            stream = PlayStream(self._calls, link)
            self._streams.append(stream)
            self._start(stream)
        return stream

    def _start(self, carrier: PlayStream | Watch) -> None:
        task = self._tasks.create_task(carrier.run(), name=_name(carrier))
        self._running.add(task)
        task.add_done_callback(self._running.discard)


def _name(carrier: PlayStream | Watch) -> str:
    return f"carrier {id(carrier)}"
