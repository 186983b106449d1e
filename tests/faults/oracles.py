"""What must hold whatever happened: histories dense, chained and decided by the rules, views as they were received."""

from collections.abc import Iterable, Mapping, Sequence

from argosy.client import Client, Update

from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.entries import Entry
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from services.match.audit import audit
from services.match.rules import RulesDirectory
from tests.platform import Platform


async def audited(platform: Platform, game: str, matches: Iterable[str]) -> dict[str, list[Entry]]:
    """The histories, each of them audited, with no request applied twice."""
    (host,) = (process for process in platform.rules if process.name == f"rules-{game}")
    directory = RulesDirectory({game: host.address})
    await directory.refresh()
    histories = {}
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        for match in matches:
            entries = histories[match] = await read_all(log, match)
            found = await audit(ids.from_text(match.removeprefix("matches/")), entries, directory.game(game))
            assert found.problem is None, f"{match}: {found.problem}"
            requests = [e.stored_request_id for e in entries if e.stored_request_id != ids.ZERO]
            assert len(set(requests)) == len(requests), f"{match}: a request was applied twice"
    await directory.close()
    return histories


async def read_all(log: EventLog, match: str) -> list[Entry]:
    """The whole history of a match."""
    found = list[Entry]()
    while page := await log.read(ids.from_text(match.removeprefix("matches/")), len(found)):
        found += page
    return found


async def check_feeds(
    platform: Platform, histories: Mapping[str, Sequence[Entry]], *, is_trimmed: bool = False
) -> None:
    """The feeds point to every entry of every history, once and in order; trimmed ones to the last of them."""
    pointers = dict[str, list[int]]()
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        for home in range(partitions.COUNT):
            items = await ask(log.servers, home, "XRANGE", partitions.feed_key(home), "-", "+")
            for _, (_, pointer) in items:
                match, version = pointer.decode().split(":")
                pointers.setdefault(f"matches/{match}", []).append(int(version))
    assert pointers.keys() <= histories.keys()
    for match, entries in histories.items():
        whole, found = list(range(1, len(entries) + 1)), pointers.get(match, [])
        wanted = whole[len(whole) - len(found) :] if is_trimmed else whole
        assert found == wanted, f"{match}: the feed has {found} of {len(whole)} entries"


async def check_view(client: Client, match: str, seat: int | None, live: Sequence[Update], length: int) -> None:
    """What a viewer received of an ended match has no gap and nothing twice, and is what it receives now, in bytes."""
    assert [u.version for u in live] == list(range(1, length + 1)), f"{match}: seat {seat} has gaps or repetitions"
    replayed = [update async for update in client.follow(match, seat=seat)]
    assert as_bytes(replayed) == as_bytes(live), f"{match}: seat {seat} is shown something else afterwards"


def as_bytes(updates: Sequence[Update]) -> list[bytes]:
    """The entries as they came."""
    return [u.entry.SerializeToString(deterministic=True) for u in updates if u.entry is not None]
