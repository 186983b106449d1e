"""Matches through real processes, by the public API alone."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from argosy.client.errors import ArgosyError, IllegalAction, NotSeated
from argosy.client.ids import new_request_id
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from services.kit.log import ids
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.integration.players import guests, play, play_all, seated_match
from tests.platform import Platform, run_platform


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(gateways=2) as running:
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("stream", [True, False])
async def test_two_clients_at_two_gateways_play_to_the_end(platform: Platform, stream: bool) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        first, second = await play_all(clients, match, stream=stream)
    assert [u.version for u in first] == list(range(1, len(first) + 1))
    assert [u.digest for u in first] == [u.digest for u in second]
    assert first[-1].end is not None
    assert list(first[-1].end.scores) in ([1, 0], [0, 1], [0.5, 0.5])


async def test_what_is_replayed_is_what_was_received(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        live = await play_all(clients, match, seed=1)
        for seat, client in enumerate(clients):
            replay = [update async for update in client.follow(match, seat=seat)]
            received = [u.entry.SerializeToString(deterministic=True) for u in live[seat] if u.entry]
            again = [u.entry.SerializeToString(deterministic=True) for u in replay if u.entry]
            assert received == again


async def test_a_request_sent_fifty_times_at_once_is_applied_once(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        status = (await clients[0].get(match)).status
        actor = clients[status.turn[0]]
        (action, *_) = await actor.list_actions(match)
        request_id = ids.to_text(b"0123456789abcdef")
        answers = await asyncio.gather(*(actor.play(match, action.action, request_id=request_id) for _ in range(50)))
        assert len({a.update.entry.SerializeToString(deterministic=True) for a in answers}) == 1
        assert (await actor.get(match)).head.version == answers[0].update.entry.version


async def test_a_request_id_with_another_body_is_refused(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        actor = clients[(await clients[0].get(match)).status.turn[0]]
        first, second, *_ = await actor.list_actions(match)
        await actor.play(match, first.action, request_id="the-same-for-both")
        with pytest.raises(ArgosyError) as refused:
            await actor.play(match, second.action, request_id="the-same-for-both")
        assert refused.value.name == "REQUEST_ID_REUSED"


@pytest.mark.parametrize(("offset", "name"), [(-1, "STALE_VERSION"), (7, "STALE_VERSION")])
async def test_a_version_that_is_not_the_head_is_stale(platform: Platform, offset: int, name: str) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        shown = await clients[0].get(match)
        actor = clients[shown.status.turn[0]]
        (action, *_) = await actor.list_actions(match)
        at = pb.Head(version=shown.head.version + offset)
        with pytest.raises(ArgosyError) as refused:
            await actor.play(match, action.action, at=at)
        assert refused.value.name == name
        assert refused.value.metadata["version"] == str(shown.head.version)
        assert (await actor.get(match)).head == shown.head


async def test_another_history_is_diverged_and_freezes_nothing(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        shown = await clients[0].get(match)
        actor = clients[shown.status.turn[0]]
        (action, *_) = await actor.list_actions(match)
        with pytest.raises(ArgosyError) as refused:
            await actor.play(match, action.action, at=pb.Head(version=shown.head.version, digest=bytes(32)))
        assert refused.value.name == "HISTORY_DIVERGED"
        await actor.play(match, action.action, at=shown.head)


@pytest.mark.parametrize("expected", [{"expected_digest": bytes(32)}, {"expected_version": 2, "expected_digest": b"x"}])
async def test_a_digest_that_is_of_no_version_is_refused(platform: Platform, expected: dict[str, Any]) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        turn = (await clients[0].get(match)).status.turn[0]
        (action, *_) = await clients[turn].list_actions(match)
        request = pb.PlayActionRequest(name=match, request_id=new_request_id(), **expected)
        request.action.Pack(action.action)
        calls = clients[turn]._calls
        with pytest.raises(ArgosyError) as refused:
            await calls.send(calls.matches.PlayAction, request)
        assert (refused.value.name, refused.value.metadata["field"]) == ("INVALID_REQUEST", "expected_digest")


@pytest.mark.parametrize("stream", [True, False])
async def test_watching_after_no_version_is_refused(platform: Platform, stream: bool) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        with pytest.raises(ArgosyError) as refused:
            async for _ in clients[0].follow(match, after=pb.Head(version=-1), stream=stream):
                pass
        assert (refused.value.name, refused.value.metadata["field"]) == ("INVALID_REQUEST", "after.version")


async def test_refusals_record_nothing(platform: Platform) -> None:
    async with guests(platform, 3) as clients:
        match = await seated_match(clients[:2])
        shown = await clients[0].get(match)
        turn = shown.status.turn[0]
        (action, *_) = await clients[turn].list_actions(match)
        kinds = []
        for client, seat in ((clients[1 - turn], None), (clients[2], None), (clients[2], turn)):
            with pytest.raises(ArgosyError) as refused:
                await client.play(match, action.action, seat=seat)
            kinds.append(type(refused.value))
        assert kinds == [IllegalAction, NotSeated, NotSeated]
        assert (await clients[0].get(match)).head == shown.head


@pytest.mark.parametrize("token", ["x", "2", "2.", "-1.1", "\u00b2.1", "9" * 5000 + ".1"])
async def test_a_page_token_that_nobody_gave_is_refused(platform: Platform, token: str) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        calls = clients[0]._calls
        with pytest.raises(ArgosyError) as refused:
            await calls.send(calls.matches.ListActions, pb.ListActionsRequest(name=match, page_token=token))
        assert refused.value.name == "INVALID_REQUEST"


async def test_a_private_match_is_not_there_for_others(platform: Platform) -> None:
    async with guests(platform, 3) as clients:
        options = entry_pb2.MatchOptions(invitation=True)
        match = await clients[0].create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
        await clients[1].join(match.name)
        with pytest.raises(ArgosyError) as hidden:
            await clients[2].get(match.name)
        with pytest.raises(ArgosyError) as missing:
            await clients[2].get("matches/" + "0" * 26)
        assert hidden.value.name == missing.value.name == "NOT_FOUND"


async def test_resigning_ends_the_match(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        ended = await clients[0].resign(match)
        assert (list(ended.end.scores), ended.end.outcome) == ([0, 1], entry_pb2.End.OUTCOME_RESIGNED)
        with pytest.raises(ArgosyError) as over:
            await clients[1].resign(match)
        assert over.value.name == "MATCH_ENDED"


async def test_leaving_frees_the_seat_and_creating_again_finds_the_match(platform: Platform) -> None:
    async with guests(platform) as clients:
        made = await clients[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], request_id="created-only-once")
        again = await clients[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], request_id="created-only-once")
        assert made == again
        left = await clients[0].leave(made.name)
        assert not left.seats[0].player
        joined = await clients[1].join(made.name)
        assert joined.seat == 0


async def test_a_match_takes_at_most_450_bytes_an_entry(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        updates = (await play_all(clients, match, seed=3))[0]
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        from services.kit.log.partitions import keys_of

        key = keys_of(ids.from_text(match.removeprefix("matches/"))).history
        used = await log.servers.all[0].client.memory_usage(key, samples=0)
    assert used is not None
    assert used / len(updates) < 450


async def test_a_late_watcher_gets_everything(platform: Platform) -> None:
    async with guests(platform) as clients:
        match = await seated_match(clients)
        playing = asyncio.gather(*(play(client, match, seat) for seat, client in enumerate(clients)))
        await asyncio.sleep(0.05)
        seen = [update.version async for update in clients[1].follow(match)]
        updates = (await playing)[0]
        assert seen == [u.version for u in updates]
