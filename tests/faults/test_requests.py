"""Requests sent twice, too early or garbled, through two gateways at once: applied once, or refused and no more."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.credentials import Account
from argosy.client.errors import ArgosyError, from_call
from argosy.games.ruhe.v1 import ruhe_pb2 as ruhe
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import match_service_pb2_grpc as match_grpc

from tests.faults.oracles import audited
from tests.integration.players import seated_match
from tests.platform import Platform, run_platform

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]
SEATS = 4


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(["sirenen", "ruhe"], gateways=2) as running:
        yield running


@contextlib.asynccontextmanager
async def at_both(platform: Platform, name: str) -> AsyncIterator[list[Client]]:
    """One player, signed in at both gateways."""
    first, second = (gateway.address for gateway in platform.gateways)
    async with Client.connect(first, guest=name) as one:
        assert isinstance(one.credentials, Account)
        async with Client.connect(second, account=one.credentials) as other:
            yield [one, other]


async def test_fifty_duplicates_through_two_gateways(platform: Platform) -> None:
    async with at_both(platform, "Ann") as ann, at_both(platform, "Bob") as bob:
        match = await seated_match([ann[0], bob[1]])
        for turn in range(5):
            shown = await ann[0].get(match)
            actors = (ann, bob)[shown.status.turn[0]]
            legal = await actors[0].list_actions(match)
            request_id = f"the-same-{turn:03}-fifty-times"
            answers = await asyncio.gather(
                *(actors[i % 2].play(match, legal[0].action, request_id=request_id) for i in range(50))
            )
            assert len({a.update.entry.SerializeToString(deterministic=True) for a in answers}) == 1
            assert answers[0].update.entry.version == shown.head.version + 1
        assert len((await audited(platform, "sirenen", [match]))[match]) == shown.head.version + 1


async def test_another_body_at_the_other_gateway(platform: Platform) -> None:
    async with at_both(platform, "Ann") as ann, at_both(platform, "Bob") as bob:
        match = await seated_match([ann[0], bob[0]])
        actors = (ann, bob)[(await ann[0].get(match)).status.turn[0]]
        legal = await actors[0].list_actions(match)
        asked = [
            actor.play(match, action.action, request_id="one-id-for-two-bodies")
            for actor, action in zip(actors, legal, strict=False)
        ]
        first, second = await asyncio.gather(*asked, return_exceptions=True)
        (refused,) = (answer for answer in (first, second) if isinstance(answer, ArgosyError))
        assert refused.name == "REQUEST_ID_REUSED"
        assert len((await audited(platform, "sirenen", [match]))[match]) == (await ann[0].get(match)).head.version


async def test_seats_that_act_at_one_version(platform: Platform) -> None:
    """All four offer at once on the version that they see: one is recorded, the others are told to look again."""
    async with contextlib.AsyncExitStack() as stack:
        places = [gateway.address for gateway in platform.gateways]
        clients = [await stack.enter_async_context(Client.connect(places[i % 2], guest=f"G{i}")) for i in range(SEATS)]
        match = await seated_match(clients, "ruhe")
        await depart(clients, match)
        shown = await clients[0].get(match)
        assert len(shown.status.may_act) == SEATS
        offer = ruhe.Action(offer=ruhe.Offer(n=0))
        answers = await asyncio.gather(
            *(client.play(match, offer, at=shown.head) for client in clients), return_exceptions=True
        )
        told = Counter(answer.name if isinstance(answer, ArgosyError) else "OK" for answer in answers)
        assert told == {"OK": 1, "STALE_VERSION": SEATS - 1}
        early = pb.Head(version=shown.head.version + 2)
        with pytest.raises(ArgosyError) as refused:
            await clients[1].play(match, offer, at=early)
        assert refused.value.name == "STALE_VERSION"
        assert len((await audited(platform, "ruhe", [match]))[match]) == shown.head.version + 1


async def depart(clients: list[Client], match: str) -> None:
    """Plays until the departure is talked about."""
    for _ in range(300):
        shown = await clients[0].get(match)
        seat = shown.status.turn[0]
        legal = [item.action for item in await clients[seat].list_actions(match)]
        kinds = {action.WhichOneof("action"): action for action in legal}
        if "offer" in kinds:
            return
        assert shown.state == pb.Match.STATE_ACTIVE
        await clients[seat].play(match, kinds.get("play_start") or kinds.get("discard_two") or legal[-1])
    raise AssertionError("nobody departed")


async def test_garbled_actions_are_refused_and_not_recorded(platform: Platform) -> None:
    deep = b""
    for _ in range(200):
        deep = b"\x0a" + bytes((len(deep) & 127 | 128, len(deep) >> 7)) + deep
    bodies = [b"\xff" * 40, deep, b"\xd2\x85\x06\x02\xc3\x28", b"\x9a\xf1\x04\x00", b""]
    async with at_both(platform, "Ann") as ann, at_both(platform, "Bob") as bob:
        match = await seated_match([ann[0], bob[0]])
        shown = await ann[0].get(match)
        game = await ann[0].game("sirenen")
        legal = (await (ann, bob)[shown.status.turn[0]][0].list_actions(match))[0]
        packed = game.pack(legal.action)
        names = Counter[str]()
        async with grpc.aio.insecure_channel(platform.address) as channel:
            stub = match_grpc.MatchServiceStub(channel)
            for number, body in enumerate(bodies):
                request = pb.PlayActionRequest(name=match, request_id=f"garbled-number-{number:03}")
                request.action.type_url, request.action.value = packed.type_url, body
                names[await named(stub, request, ann[0])] += 1
            other = pb.PlayActionRequest(name=match, request_id="of-another-kind-0")
            other.action.type_url, other.action.value = "type.googleapis.com/no.such.Kind", packed.value
            names[await named(stub, other, ann[0])] += 1
        assert set(names) <= {"MALFORMED_ACTION", "INVALID_REQUEST"}, names
        assert (await ann[0].get(match)).head == shown.head


async def named(stub: "match_grpc.MatchServiceAsyncStub", request: pb.PlayActionRequest, client: Client) -> str:
    """How a raw request of this client is refused."""
    bearer = await client.credentials.bearer(client._calls)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.PlayAction(request, metadata=(("authorization", f"Bearer {bearer}"),), timeout=60)
    return from_call(refused.value).name


async def test_items_of_no_known_kind_end_their_stream_alone(platform: Platform) -> None:
    async with at_both(platform, "Ann") as ann, grpc.aio.insecure_channel(platform.address) as channel:
        bearer = await ann[0].credentials.bearer(ann[0]._calls)
        metadata = (("authorization", f"Bearer {bearer}"),)
        call = match_grpc.MatchServiceStub(channel).Play(metadata=metadata, timeout=60)
        unknown = pb.PlayRequest.FromString(b"\xa2\x06\x02hi")  # a field that nobody knows yet, and nothing else
        await call.write(unknown)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call.read()
        assert from_call(refused.value).name == "INVALID_REQUEST"
        options = entry_pb2.MatchOptions.FromString(b"\xa2\x06\x02hi")  # ignored, as by any protobuf reader
        made = await ann[0].create("sirenen", options=options)
        assert (await ann[0].get(made.name)).head.version == 1


async def test_another_seat_is_not_shown(platform: Platform) -> None:
    async with at_both(platform, "Ann") as ann, at_both(platform, "Bob") as bob, at_both(platform, "Eve") as eve:
        match = await seated_match([ann[0], bob[0]])
        for client, seat in ((eve[0], 0), (eve[1], 1), (ann[0], 1), (ann[1], 1), (ann[0], 7), (ann[1], -1)):
            asked = [client.get(match, seat), client.list_actions(match, seat)]
            asked += [anext(client.follow(match, seat=seat, stream=stream)) for stream in (True, False)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            names = {a.name if isinstance(a, ArgosyError) else type(a).__name__ for a in answers}
            assert names <= {"NOT_SEATED", "INVALID_REQUEST"}, f"seat {seat}: {names}"


async def test_guessed_matches_are_not_there(platform: Platform) -> None:
    async with at_both(platform, "Eve") as eve:
        guesses = ["matches/" + "0" * 26, "matches/" + "7" + "z" * 25]
        guesses += ["matches/", "matches/x", "matches/" + "Z" * 26, "matches/" + "0" * 25 + "é"]
        for guess in guesses:
            with pytest.raises(ArgosyError) as refused:
                await eve[0].get(guess)
            assert refused.value.name in ("NOT_FOUND", "INVALID_REQUEST"), guess
