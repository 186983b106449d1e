import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from argosy.client import HistoryDiverged, IllegalAction, TooManyWatches, UnknownEvent, chain, ids
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.any_pb2 import Any as Packed
from google.rpc import error_details_pb2, status_pb2

MATCH = "matches/0123456789abcdefghjkmnpqrs"


def followed(entry: Any, request_id: Any = "") -> Any:
    watch = match_pb2.WatchMatchResponse(update=match_pb2.EntryUpdate(entry=entry))
    item = match_pb2.PlayResponse.Followed(name=MATCH, watch=watch, request_id=request_id)
    return match_pb2.PlayResponse(followed=item)


async def next_of(requests: Any, kind: Any) -> Any:
    async for request in requests:
        if request.WhichOneof("item") == kind:
            return getattr(request, kind)
    raise AssertionError(f"no {kind}")


def refused(request_id: Any, reason: Any) -> Any:
    info, packed = error_details_pb2.ErrorInfo(reason=reason, domain="argosy", metadata={"rule": "NO_SHIP"}), Packed()
    packed.Pack(info)
    status = status_pb2.Status(code=9, message="no", details=[packed])
    failed = match_pb2.PlayResponse.Failed(name=MATCH, request_id=request_id, status=status)
    return match_pb2.PlayResponse(failed=failed)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN])
async def test_a_broken_stream_is_resumed_by_version_and_digest(
    code: grpc.StatusCode, server: Any, client: Any, history: Any
) -> None:
    asked = []

    async def breaks(requests: Any, context: Any) -> AsyncIterator[Any]:
        asked.append((await next_of(requests, "follow")).watch)
        for entry in history.entries[:3]:
            yield followed(entry)
        await context.abort(code, "gone")

    async def goes_on(requests: Any, context: Any) -> AsyncIterator[Any]:
        asked.append((await next_of(requests, "follow")).watch)
        for entry in history.entries[1:]:  # some twice: they are not told twice
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [breaks, goes_on]
    updates = [u async for u in client.follow(MATCH, seat=0)]
    assert [u.version for u in updates] == [1, 2, 3, 4, 5, 6]
    assert asked[0].after.version == 0
    assert (asked[1].after.version, asked[1].after.digest) == (3, history.entries[2].digest)
    assert updates[2].events[0].dealt.hand.cards == [3]
    assert updates[-1].end is not None


async def test_an_action_is_sent_again_with_the_same_bytes_until_it_is_answered(
    server: Any, client: Any, history: Any
) -> None:
    sent = []

    async def loses_the_answer(requests: Any, context: Any) -> AsyncIterator[Any]:
        sent.append(await next_of(requests, "action"))
        await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
        yield  # makes it a stream

    async def answers(requests: Any, context: Any) -> AsyncIterator[Any]:
        for entry in history.entries[:2]:
            yield followed(entry)
        sent.append(await next_of(requests, "action"))
        yield followed(history.entries[2], sent[-1].request_id)
        await next_of(requests, "never")

    server.scripts = [loses_the_answer, answers]
    async with client.follow(MATCH, seat=0) as table:
        game = await client.game("toy")
        update = await table.play(game.Action(said="hi"))
    assert update.version == 3
    assert sent[0].SerializeToString() == sent[1].SerializeToString()
    assert sent[0].request_id


async def test_a_refusal_is_typed_and_does_not_end_the_stream(server: Any, client: Any, history: Any) -> None:
    async def refuses(requests: Any, context: Any) -> AsyncIterator[Any]:
        action = await next_of(requests, "action")
        yield refused(action.request_id, "ILLEGAL_ACTION")
        for entry in history.entries:
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [refuses]
    table = client.follow(MATCH, seat=0)
    game = await client.game("toy")
    with pytest.raises(IllegalAction) as caught:
        await table.play(game.Action(said="hi"))
    assert caught.value.rule == "NO_SHIP"
    assert len([u async for u in table]) == 6


async def test_an_answer_that_comes_after_one_has_stopped_following_is_asked_for_again(
    server: Any, client: Any, history: Any
) -> None:
    heard = asyncio.Event()

    async def answers_late(requests: Any, context: Any) -> AsyncIterator[Any]:
        action = await next_of(requests, "action")
        heard.set()
        await next_of(requests, "unfollow")
        yield followed(history.entries[0], action.request_id)
        again = await next_of(requests, "action")
        assert again == action
        response = match_pb2.PlayActionResponse(update=match_pb2.EntryUpdate(entry=history.entries[0]))
        accepted = match_pb2.PlayResponse.Accepted(request_id=again.request_id, name=MATCH, response=response)
        yield match_pb2.PlayResponse(accepted=accepted)
        await next_of(requests, "never")

    server.scripts = [answers_late]
    table, game = client.follow(MATCH, seat=0), await client.game("toy")
    playing = asyncio.create_task(table.play(game.Action(said="hi")))
    await asyncio.wait_for(heard.wait(), 60)
    table.close()
    update = await asyncio.wait_for(playing, 60)
    assert update.version == 1


async def test_an_entry_left_out_is_asked_for(server: Any, client: Any, history: Any) -> None:
    async def leaves_out(requests: Any, context: Any) -> AsyncIterator[Any]:
        await next_of(requests, "follow")
        yield followed(history.entries[0])
        yield followed(history.entries[2])
        again = (await next_of(requests, "follow")).watch
        for entry in history.entries[again.after.version :]:
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [leaves_out]
    assert [u.version async for u in client.follow(MATCH, seat=0)] == [1, 2, 3, 4, 5, 6]


async def test_another_history_is_not_shown_as_a_continuation(server: Any, client: Any, history: Any) -> None:
    other = type(history)(history.game)
    for _ in range(4):
        other.add(own=b"")

    async def switches(requests: Any, context: Any) -> AsyncIterator[Any]:
        await next_of(requests, "follow")
        for entry in (*history.entries[:2], other.entries[2]):
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [switches]
    table = client.follow(MATCH, seat=0)
    assert [(await anext(table)).version for _ in range(2)] == [1, 2]
    with pytest.raises(HistoryDiverged):
        await anext(table)


async def test_watching_without_play_resumes_too(server: Any, client: Any, history: Any) -> None:
    server.watch_entries = [history.entries[:2], history.entries[2:]]
    updates = [u async for u in client.follow(MATCH, seat=0, stream=False)]
    assert [u.version for u in updates] == [1, 2, 3, 4, 5, 6]
    assert server.watched[1].after.digest == history.entries[1].digest


def test_ids_have_one_form_only() -> None:
    assert len(ids.raw_id(MATCH)) == 16
    for wrong in ("matches/8" + "0" * 25, MATCH.upper(), MATCH[:-1], MATCH[:-1] + "u"):
        with pytest.raises(ValueError, match="does not end with an id"):
            ids.raw_id(wrong)


async def test_a_crowded_connection_is_left_for_another(server: Any, client: Any, history: Any) -> None:
    server.crowded, server.watch_entries = 2, [history.entries]
    updates = [u async for u in client.follow(MATCH, seat=0, stream=False)]
    assert [u.version for u in updates] == [1, 2, 3, 4, 5, 6]
    assert len(set(server.peers)) == 3


async def test_who_finds_every_connection_crowded_is_told(server: Any, client: Any) -> None:
    server.crowded = 9
    with pytest.raises(TooManyWatches):
        await anext(client.follow(MATCH, seat=0, stream=False))
    assert len(set(server.peers)) == 4


async def test_an_event_of_an_unknown_kind_is_an_error(server: Any, client: Any, history: Any) -> None:
    newer = b"\x7a\x02hi"  # field 15, which the game's Event does not have
    history.entries.clear()
    history.digest = chain.first_digest(ids.raw_id(MATCH))
    history.add()
    history.add(own=newer, public=newer)

    async def goes_on(requests: Any, context: Any) -> AsyncIterator[Any]:
        await next_of(requests, "follow")
        for entry in history.entries:
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [goes_on]
    updates = client.follow(MATCH, seat=0)
    async with updates as table:
        assert (await anext(aiter(table))).version == 1
        with pytest.raises(UnknownEvent, match="version 2"):
            await anext(aiter(table))


async def test_a_platform_event_of_an_unknown_kind_is_passed_on(server: Any, client: Any, history: Any) -> None:
    newer = b"\x2a\x05\x08\x01\x92\x03\x00"  # a cause of kind 50, which changes the position
    history.entries.clear()
    history.digest = chain.first_digest(ids.raw_id(MATCH))
    history.add()
    history.add(more=newer)
    history.add(end=True)

    async def goes_on(requests: Any, context: Any) -> AsyncIterator[Any]:
        await next_of(requests, "follow")
        for entry in history.entries:
            yield followed(entry)
        await next_of(requests, "never")

    server.scripts = [goes_on]
    updates = [u async for u in client.follow(MATCH, seat=0)]
    assert [u.version for u in updates] == [1, 2, 3]
    assert updates[1].part.cause.changes_position
    assert updates[1].part.cause.WhichOneof("kind") is None


async def test_a_game_is_asked_for_again_when_a_match_has_other_rules(server: Any, client: Any) -> None:
    first = await client.game("toy")
    assert await client.game("toy", "1.0.0") is first
    server.rules_version = "1.1.0"
    assert (await client.game("toy", "1.1.0")).about.rules_version == "1.1.0"
    assert await client.game("toy", "1.1.0") is not first
    assert server.described == 2
