"""A history that was played passes the audit; one that was changed fails it at the version that was changed."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.v1 import entry_pb2

from services.kit import chain, parts
from services.kit.log import ids
from services.kit.log.entries import Entry
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.match.audit import audit
from services.match.games import GameEntry
from services.match.rules import RulesDirectory
from tests.integration.players import play_all, seated_match
from tests.platform import run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Played = tuple[bytes, tuple[Entry, ...], GameEntry]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[Played]:
    async with run_platform() as platform:
        async with Client.connect(platform.address, guest="A") as a, Client.connect(platform.address, guest="B") as b:
            name = await seated_match([a, b])
            await play_all([a, b], name)
        match = ids.from_text(name.removeprefix("matches/"))
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
            entries = await log.read(match, 0)
        directory = RulesDirectory({"sirenen": platform.rules[0].address})
        await directory.refresh()
        yield match, entries, directory.game("sirenen")
        await directory.close()


async def test_what_was_played_holds(played: Played) -> None:
    match, entries, game = played
    result = await audit(match, entries, game)
    assert result.problem is None
    assert result.counts["entries"] == len(entries)
    assert result.counts["decisions"] > 10
    assert result.counts["draws"] == 2


def _forged(
    entries: Sequence[Entry], match: bytes, at: int, change: Callable[[entry_pb2.EntryPart], None]
) -> list[Entry]:
    """The history with the whole part of one entry changed, then sealed and chained anew by who has the seed."""
    forged, previous = list[Entry](), chain.first_digest(match)
    seed = parts.server_part(parts.opened(1, entries[0].digest, entries[0].body)).server.seed
    for entry in entries:
        sealed = list(parts.opened(entry.version, entry.digest, entry.body).sealed_parts)
        public = parts.opened(entry.version, entry.digest, entry.body).public_part
        if entry.version == at:
            whole = entry_pb2.EntryPart.FromString(sealed[-1])
            change(whole)
            sealed[-1] = whole.SerializeToString(deterministic=True)
        previous = chain.next_digest(previous, entry.version, public, chain.commitments(seed, entry.version, sealed))
        body = entry_pb2.StoredEntry(public_part=public, sealed_parts=sealed).SerializeToString(deterministic=True)
        forged.append(Entry(entry.version, previous + entry.head[32:], body))
    return forged


async def test_a_flipped_byte_breaks_the_chain_where_it_is(played: Played) -> None:
    match, entries, game = played
    for at in (0, 5, len(entries) - 1):
        body = bytearray(entries[at].body)
        body[len(body) // 2] ^= 1
        changed = [*entries[:at], replace(entries[at], body=bytes(body)), *entries[at + 1 :]]
        problem = (await audit(match, changed, game)).problem
        assert problem is not None
        assert problem.version == at + 1


async def test_an_entry_left_out_or_swapped_is_found(played: Played) -> None:
    match, entries, game = played
    for changed in ([*entries[:4], *entries[5:]], [*entries[:4], entries[5], entries[4], *entries[6:]]):
        problem = (await audit(match, changed, game)).problem
        assert problem is not None
        assert (problem.version, problem.check) == (5, "dense versions")


async def test_a_steered_draw_is_found_by_its_entropy(played: Played) -> None:
    match, entries, game = played
    start = next(e.version for e in entries if parts.server_part(parts.opened(1, b"", e.body)).HasField("start"))

    def steer(whole: entry_pb2.EntryPart) -> None:
        order = list(whole.server.draws[0].result)
        order[0], order[1] = order[1], order[0]
        whole.server.draws[0].result[:] = order

    problem = (await audit(match, _forged(entries, match, start, steer), game)).problem
    assert problem is not None
    assert (problem.version, problem.check) == (start, "draws")


async def test_an_action_that_was_not_asked_for_is_found_by_the_rules(played: Played) -> None:
    match, entries, game = played
    wholes = [parts.server_part(parts.opened(1, b"", e.body)) for e in entries]
    first, second = [w for w in wholes if w.server.HasField("decision")][:2]

    def exchange(whole: entry_pb2.EntryPart) -> None:
        whole.server.action = second.server.action

    problem = (await audit(match, _forged(entries, match, first.version, exchange), game)).problem
    assert problem is not None
    assert (problem.version, problem.check) == (first.version, "decision")
