"""The Play stream: several matches followed, actions carried up, on one stream."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from gateway.gate import Allowance
from gateway.matches.acting import answer, record_action
from gateway.matches.desk import Desk
from gateway.matches.followed import Followed
from gateway.matches.sinks import Sink
from services.kit import wire
from services.kit.errors import Refused, internal, invalid

if TYPE_CHECKING:
    from google.rpc import status_pb2

MOST_ACTIONS = 64
"""Actions of one stream that are decided at once; the stream is read no further meanwhile."""
Item = match_pb.PlayResponse
_FOLLOWED, _ACCEPTED = Item.FOLLOWED_FIELD_NUMBER, Item.ACCEPTED_FIELD_NUMBER


class Play:
    """One Play stream. Failures of one item become items; the stream goes on."""

    def __init__(self, desk: Desk, allowance: Allowance, caller: Caller, sink: Sink[bytes]) -> None:
        self._desk, self._allowance, self._caller, self._sink = desk, allowance, caller, sink
        self._asked: set[tuple[str, str]] = set()  # match name and request id of actions not yet answered
        self._room = asyncio.Semaphore(MOST_ACTIONS)

    async def run(self, requests: AsyncIterator[match_pb.PlayRequest]) -> None:
        """Serves what the client sends; returns when it has sent its last item and every match it follows is over."""
        async with asyncio.TaskGroup() as group:
            followed = self._followed_by(group)
            async for request in requests:
                match request.WhichOneof("item"):
                    case "action":
                        await self._room.acquire()
                        group.create_task(self._act(request.action))
                    case "follow":
                        followed.follow(request.follow.watch)
                    case "unfollow":
                        followed.unfollow(request.unfollow.name)
                    case "follow_mine":
                        followed.follow_mine(request.follow_mine)
                    case _:
                        raise invalid("item", "is not set, or of a kind that this platform does not know")
                await self._sink.room()  # who does not read the answers is not listened to

    def _followed_by(self, group: asyncio.TaskGroup) -> Followed:
        return Followed(
            group,
            self._desk,
            self._caller,
            sink=self._sink,
            emit=self._emit,
            fail=lambda name, refused: self._fail(name, "", refused),
        )

    def _emit(self, name: str, watched: bytes, request_id: str) -> None:
        """Sends something of a followed match; where it is the entry of an own action, that is the answer."""
        answers = (name, request_id) in self._asked
        self._asked.discard((name, request_id))
        followed = wire.delimited(1, name.encode()) + wire.delimited(2, watched)
        if answers:
            followed += wire.delimited(3, request_id.encode())
        self._sink.put(wire.delimited(_FOLLOWED, followed))

    async def _act(self, request: match_pb.PlayActionRequest) -> None:
        key = (request.name, request.request_id)
        if not request.want_receipt:  # a followed entry bears none: then the answer comes beside it
            self._asked.add(key)
        try:
            self._allowance.take(self._caller)
            recorded, seat = await record_action(self._desk, request, self._caller)
            if key in self._asked or request.want_receipt:  # else its entry, on a followed match, was the answer
                self._accept(request, await answer(self._desk, recorded, seat, request))
        except Refused as refused:
            self._asked.discard(key)
            self._fail(request.name, request.request_id, refused)
        except Exception as error:  # noqa: BLE001 - as above
            self._asked.discard(key)
            self._fail(request.name, request.request_id, internal(error, method="Play"))
        else:
            self._asked.discard(key)
        finally:
            self._room.release()

    def _accept(self, request: match_pb.PlayActionRequest, response: bytes) -> None:
        """Answers, unless the entry was told meanwhile."""
        if request.want_receipt or (request.name, request.request_id) in self._asked:
            accepted = wire.delimited(1, request.request_id.encode()) + wire.delimited(2, request.name.encode())
            self._sink.put(wire.delimited(_ACCEPTED, accepted + wire.delimited(3, response)))

    def _fail(self, name: str, request_id: str, refused: Refused) -> None:
        status: status_pb2.Status = refused.to_proto()
        failed = Item.Failed(name=name, request_id=request_id, status=status)
        self._sink.put(Item(failed=failed).SerializeToString())
