"""In aller Ruhe with five clients that act at the same moment, without saying which version they stand on."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.games.ruhe.v1 import ruhe_pb2 as ruhe
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb
from google.protobuf.message import Message

from tests.faults.oracles import audited, check_view
from tests.platform import Platform, run_platform

SEATS = 5
SETTINGS = ruhe.Settings(difficulty=ruhe.Settings.DIFFICULTY_NONE, rocks=False, monsters=0, storms=True)
# What an action may meet that another seat has overtaken (SPEC, 12.1, and the general codes of section 8).
OVERTAKEN = {"WRONG_PHASE", "NOT_WAITING_FOR_YOU", "WRONG_COUNT", "NO_COMPASS", "STORM_NOT_ACTIVE"}
# The same where it was under way for a whole round of turns, until its seat is asked again.
OVERTAKEN |= {"NOT_IN_HAND", "CELL_OCCUPIED", "NOT_ASCENDING", "CANNOT_AFFORD", "HAND_TOO_SMALL", "MUST_PLAY_START"}
OVERTAKEN |= {"ROW_BLOCKED_BY_STORM", "ROW_HAS_NO_GAP", "OFFER_OUT_OF_RANGE", "ORANGE_NEEDS_NEIGHBOUR"}
pytestmark = pytest.mark.timeout(300)


class Seated:
    """A seat that acts on whatever it hears, as fast as it can; several of its actions may be under way at once."""

    def __init__(self, client: Client, match: str, seat: int, done: Counter[str]) -> None:
        self.client, self.match, self.seat, self._done = client, match, seat, done
        self.updates: list[Update] = []
        self._chance = random.Random(f"{match} {seat}")

    async def play(self) -> None:
        async with asyncio.TaskGroup() as group:
            async for update in self.client.follow(self.match, seat=self.seat, actions=True):
                self.updates.append(update)
                if update.actions:
                    group.create_task(self._act(self._choose([legal.action for legal in update.actions])))

    def _choose(self, actions: list[Message]) -> Message:
        """At random; but start cards come early, and compasses are mostly kept, so that storms meet them."""
        kinds = {kind: [a for a in actions if _kind(a) == kind] for kind in map(_kind, actions)}
        if "play_start" in kinds:
            return kinds["play_start"][0]
        if len(kinds) > 1 and self._chance.random() < 0.9:
            kinds.pop("use_compass", None)
        return self._chance.choice([action for found in kinds.values() for action in found])

    async def _act(self, action: Message) -> None:
        try:
            await self.client.play(self.match, action, seat=self.seat)
        except ArgosyError as error:
            rule = error.metadata.get("rule", error.name)
            if rule not in OVERTAKEN | {"MATCH_ENDED"}:
                raise
            self._done[f"refused {rule}"] += 1
        else:
            self._done[_kind(action)] += 1


def _kind(action: Message) -> str:
    return str(action.WhichOneof("action"))


@contextlib.asynccontextmanager
async def clients_of(platform: Platform) -> AsyncIterator[list[Client]]:
    """Five guests, at the gateways in turn."""
    async with contextlib.AsyncExitStack() as stack:
        places = [gateway.address for gateway in platform.gateways]
        yield [
            await stack.enter_async_context(Client.connect(places[i % len(places)], guest=f"R{i}"))
            for i in range(SEATS)
        ]


async def seated(clients: list[Client]) -> str:
    options = entry_pb2.MatchOptions(min_seats=SEATS, max_seats=SEATS)
    match = await clients[0].create("ruhe", SETTINGS, seats=[pb.SeatRequest(seat=0)], options=options)
    for client in clients[1:]:
        await client.join(match.name)
    return match.name


async def test_five_seats_depart_and_weather_storms_at_once() -> None:
    done = Counter[str]()
    async with run_platform(["ruhe"], gateways=2) as platform, clients_of(platform) as clients:
        matches = dict[str, list[Seated]]()
        while len(matches) < 4 or (done["storm_pass"] < SEATS and len(matches) < 24):
            new = [await seated(clients) for _ in range(4)]
            matches |= {match: [Seated(c, match, seat, done) for seat, c in enumerate(clients)] for match in new}
            async with asyncio.timeout(120):
                await asyncio.gather(*(seat.play() for match in new for seat in matches[match]))
        histories = await audited(platform, "ruhe", matches)
        for match, entries in histories.items():
            for seat in matches[match]:
                await check_view(seat.client, match, seat.seat, seat.updates, len(entries))
    print(dict(done))
    assert done["offer"] >= 4 * SEATS
    assert done["depart_discard"]
    assert done["storm_pass"] >= SEATS
    assert sum(count for kind, count in done.items() if kind.startswith("refused")), "nobody was ever overtaken"
