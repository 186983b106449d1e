"""A family evening: four seats, one of them a hosted bot, and a creator whose client is closed and opened again."""

import asyncio
from pathlib import Path

from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.client.follow import Following
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.faults.oracles import audited, check_view
from tests.integration.players import play
from tests.platform import run_platform


async def test_the_creator_comes_back_in_the_middle(tmp_path: Path) -> None:
    account = tmp_path / "creator"
    async with run_platform(["ruhe"]) as platform:
        bots = await platform.start_bots()
        uncle, aunt = (Client.connect(platform.address, guest=name) for name in ("Uncle", "Aunt"))
        async with uncle, aunt:
            async with Client.connect(platform.address, guest="Creator", credentials=account) as creator:
                match = await invite(creator, [uncle, aunt])
                others = asyncio.gather(play(uncle, match, 1), play(aunt, match, 2))
                before = await play_a_while(creator, match, until=6)
            async with Client.connect(platform.address, credentials=account) as creator:
                after = await play_on(creator, match, before[-1])
                histories = await audited(platform, "ruhe", [match])
                length = len(histories[match])
                await check_view(creator, match, 0, before + after, length)
                for seat, (client, live) in enumerate(zip((uncle, aunt), await others, strict=True), 1):
                    await check_view(client, match, seat, live, length)
        assert await bots.end() == 0
    assert after[-1].end is not None
    assert after[-1].end.outcome == entry_pb2.End.OUTCOME_RESULT
    acted = {u.part.seat for u in before + after if u.part is not None and u.part.HasField("seat")}
    assert 3 in acted, "the bot never played"


async def invite(creator: Client, others: list[Client]) -> str:
    """A match with the creator, these, and a bot."""
    seats = [pb.SeatRequest(seat=0), pb.SeatRequest(seat=3, bot_policy="sensible")]
    options = entry_pb2.MatchOptions(min_seats=4, max_seats=4)
    match = await creator.create("ruhe", seats=seats, options=options)
    for seat, client in enumerate(others, 1):
        await client.join(match.name, seat)
    return match.name


async def play_a_while(client: Client, match: str, until: int) -> list[Update]:
    """Plays from the beginning, and goes away after the first entry from this version on."""
    seen = list[Update]()
    async with client.follow(match, seat=0, actions=True) as following:
        async for update in following:
            seen.append(update)
            if update.version >= until:
                break
            await act(following, update)
    return seen


async def play_on(client: Client, match: str, last: Update) -> list[Update]:
    """Plays to the end from the version and digest seen last; first it looks whether it is waited for."""
    seen = list[Update]()
    standing = client.follow(match, seat=0, actions=True, from_start=False)
    async with standing:
        async for update in standing:
            await act(standing, update)
            break
    following = client.follow(match, seat=0, actions=True, after=last.head)
    async for update in following:
        if update.snapshot is None:  # else where the match stands, told to who resumes at the head: no entry
            seen.append(update)
        await act(following, update)
    return seen


async def act(following: Following, update: Update) -> None:
    """Does the first thing that can be done, if anything, unless the match went on."""
    if update.actions:
        try:
            await following.play(update.actions[0].action, at=update)
        except ArgosyError as error:
            if error.name not in ("STALE_VERSION", "MATCH_ENDED"):
                raise
