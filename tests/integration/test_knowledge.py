"""Who could know what, compared with all that each viewer of a live match really was sent."""

import asyncio
import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.v1 import audience_pb2, entry_pb2
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from services.rules.loading import list_games
from tests.integration.players import play, seated_match
from tests.platform import run_platform

SEATS = {"ruhe": 3}
LAST = 30
"""From this version on a match is given up, that it ends in time."""
Fact = tuple[tuple[str, ...], str]
"""A path without indices, and a value."""
Seen = dict[Fact, int]
"""By fact the first version at which it was sent."""


@pytest.mark.parametrize("game", list_games())
async def test_first_sights_are_those_of_the_bytes_that_were_sent(game: str) -> None:
    async with run_platform([game], replay=1) as platform, contextlib.AsyncExitStack() as stack:
        *clients, eve = [
            await stack.enter_async_context(Client.connect(platform.address, guest=f"K{i}"))
            for i in range(SEATS.get(game, 2) + 1)
        ]
        asker = await stack.enter_async_context(Client.connect(platform.address, key=platform.key("audit")))
        match = await seated_match(clients, game)
        players = [play(client, match, seat, seed=3) for seat, client in enumerate(clients)]
        received = list(await asyncio.wait_for(asyncio.gather(*players, given_up(eve, clients[0], match)), 120))
        viewers: list[tuple[int | None, Client]] = [*enumerate(clients), (None, eve)]
        sent = {
            seat: [*await sent_to(client, match, updates)]
            for (seat, client), updates in zip(viewers, received, strict=True)
        }
        seen = {seat: first_of(messages) for seat, messages in sent.items()}
        fields = await asker.auditing.fields(match)
        is_hiding = any(field.audience == audience_pb2.AUDIENCE_SEATS for field in fields)
        await compare_first_sights(asker, match, seen, is_hiding=is_hiding)
        await compare_entries(asker, match, sent)
        listed = {field.path for field in fields}
        assert {".".join(path) for facts in seen.values() for path, _ in facts} <= listed


async def given_up(eve: Client, first: Client, match: str) -> list[Update]:
    """What a spectator receives; the match is resigned when it has gone on for long enough."""
    updates, is_resigned = list[Update](), False
    async for update in eve.follow(match, position=True):
        updates.append(update)
        if update.version >= LAST and not is_resigned:
            is_resigned = True
            with contextlib.suppress(ArgosyError):  # it may have ended by itself
                await first.resign(match)
    return updates


async def sent_to(client: Client, match: str, updates: Sequence[Update]) -> Iterator[tuple[int, str, Message]]:
    """Every event and position that a viewer was sent, by version; what was left out of the stream it asks for."""
    game = await client.game((await client.get(match)).game)
    found, with_position = list[tuple[int, str, Message]](), 0
    for update in updates:
        assert update.entry is not None
        own = next((own.part for own in update.entry.own if own.part), update.entry.public_part)
        for event in entry_pb2.EntryPart.FromString(own).game_events:
            found.append((update.version, "Event", game.Event.FromString(event)))
        position = update.position or (await client.position(match, update.version)).position
        with_position += update.position is not None
        if position is not None:
            found.append((update.version, "Position", position))
    assert with_position  # each is sent one at least where it stands last
    return iter(found)


def first_of(messages: Sequence[tuple[int, str, Message]]) -> Seen:
    seen: Seen = {}
    for version, kind, message in messages:
        for fact in facts(kind, message):
            seen.setdefault(fact, version)
    return seen


def facts(kind: str, message: Message) -> Iterator[Fact]:
    return scanned(MessageToDict(message, preserving_proto_field_name=True), (kind,))


def scanned(value: Any, path: tuple[str, ...]) -> Iterator[Fact]:
    """Every value in the JSON form of a message."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from scanned(item, (*path, name))
    elif isinstance(value, list):
        for item in value:
            yield from scanned(item, path)
    else:
        yield path, str(value).lower() if isinstance(value, bool) else str(value)


async def compare_first_sights(asker: Client, match: str, seen: Mapping[int | None, Seen], *, is_hiding: bool) -> None:
    """Facts that viewers learnt at different times, or that only some did; and some others."""
    chance, known = random.Random(7), {fact for facts_ in seen.values() for fact in facts_}
    telling = sorted(fact for fact in known if len({facts_.get(fact) for facts_ in seen.values()}) > 1)
    assert telling or not is_hiding
    asked = [
        *chance.sample(telling, min(16, len(telling))),
        *chance.sample(sorted(known), min(12, len(known))),
        (chance.choice(sorted(known))[0], "no such value"),
    ]
    for seat, facts_ in seen.items():
        for path, value in asked:
            expected = facts_.get((path, value))
            found = await asker.auditing.first_sight(match, [".".join(path)], value, seat=seat)
            assert (found.version if found.HasField("version") else None) == expected, (seat, path, value)
        path, value = chance.choice(asked)
        tail = path[-2:] if len(path) > 2 else path[-1:]
        times = [at for (known_path, text), at in facts_.items() if text == value and known_path[-len(tail) :] == tail]
        found = await asker.auditing.first_sight(match, [".".join(tail)], value, seat=seat)
        assert (found.version if found.HasField("version") else None) == min(times, default=None), (seat, tail, value)


async def compare_entries(
    asker: Client, match: str, sent: Mapping[int | None, Sequence[tuple[int, str, Message]]]
) -> None:
    """For some entries: to whom each value in them was sent."""
    versions = sorted({version for version, kind, _ in sent[None] if kind == "Event"})
    for version in random.Random(8).sample(versions, min(6, len(versions))):
        sights = await asker.auditing.sights(match, version)
        for seat, messages in sent.items():
            expected = [
                fact for at, kind, event in messages if (at, kind) == (version, "Event") for fact in facts(kind, event)
            ]
            told = [
                (tuple(name.partition("[")[0] for name in sight.path.split(".")), sight.value)
                for sight in sights
                if (sight.everybody if seat is None else seat in sight.seats)
            ]
            assert sorted(told) == sorted(expected), (seat, version)


async def test_what_others_knew_is_told_of_open_matches_only() -> None:
    async with run_platform(replay=1) as platform, contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client.connect(platform.address, guest=f"K{i}")) for i in range(2)]
        auditor = await stack.enter_async_context(Client.connect(platform.address, key=platform.key("audit")))
        match = await seated_match(clients)
        start = (await clients[0].get(match)).head.version

        async def refusal(client: Client, **given: Any) -> str:
            asked: dict[str, Any] = {"fields": ["cards"], "value": "1", "seat": 0} | given
            with pytest.raises(ArgosyError) as refused:
                await client.auditing.first_sight(match, **asked)
            return refused.value.name

        assert await refusal(clients[0]) == "NOT_DISCLOSED"
        assert await refusal(auditor) == "REASON_MISSING"
        assert await refusal(auditor, reason="a test", fields=["no_such_field"]) == "INVALID_REQUEST"
        assert await refusal(auditor, reason="a test", fields=["1 2"]) == "INVALID_REQUEST"
        assert await refusal(auditor, reason="a test", fields=[]) == "INVALID_REQUEST"
        assert await refusal(auditor, reason="a test", where=["seat"]) == "INVALID_REQUEST"
        assert await refusal(auditor, reason="a test", seat=2) == "INVALID_REQUEST"
        sights = await auditor.auditing.sights(match, start, reason="a test")
        dealt = [sight for sight in sights if sight.path.startswith("Event.hand_dealt.cards")]
        assert dealt
        assert not any(sight.everybody for sight in dealt)
        assert {tuple(sight.seats) for sight in dealt} == {(0,), (1,)}
        (one, *_) = (sight for sight in dealt if tuple(sight.seats) == (0,))
        for seat, where, version in ((0, ["seat=0"], start), (0, ["seat=1"], None), (1, ["seat=0"], None)):
            found = await auditor.auditing.first_sight(
                match, ["hand_dealt.cards.cards"], one.value, seat=seat, where=where, reason="a test"
            )
            assert (found.version if found.HasField("version") else None) == version
        await clients[0].resign(match)
        told = [access async for access in clients[1].auditing.accesses(match)]
        assert {(access.method, access.reason) for access in told} == {
            ("FindFirstSight", "a test"),
            ("ListSights", "a test"),
        }
