"""The games that can be played now, and the rules services that decide them.

Every process that decides or shows matches holds one RulesDirectory. It asks each rules service at start and every
10 s what games it knows; a game that a service stops answering for is away until it answers again. What was described
once stays readable, so that a history can be shown while its rules service is away.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc
import structlog
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.rules.v1 import rules_service_pb2_grpc as rules_grpc

from services.kit.channels import open_channel
from services.kit.errors import Reason, Refused, not_found
from services.kit.settings import setting
from services.kit.startup import CannotStart
from services.kit.waiting import is_set_within
from services.match.games import GameEntry, make_entry
from services.match.lines import readable

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

__all__ = ["DirectorySettings", "GameEntry", "RulesDirectory", "check_address", "parse_addresses"]
_log = structlog.get_logger()
_ADDRESS = re.compile(r"(unix:/?\S+|\S+:\d{1,5})")
_LISTS = ("unix:", "ipv4:", "ipv6:")
_GAME = re.compile(r"[a-z][a-z0-9_]{1,30}")
_REFRESH_S, _REFRESH_AWAY_S, _DESCRIBE_S = 10.0, 0.5, 5.0
_KEPT_MISSES = 3  # a rolling upgrade: replicas answer in turn, and not all know both versions yet


@dataclass(frozen=True, slots=True)
class DirectorySettings:
    """Where the rules services are."""

    rules: tuple[str, ...] = setting(
        (), "The games and their rules services: sirenen=HOST:PORT,ruhe=ipv4:IP:PORT,IP:PORT"
    )


@dataclass(slots=True)
class _Served:
    """What is known of one configured game: entries by version, and how often in a row each was not described."""

    address: str
    versions: dict[str, GameEntry] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)
    problem: str = "not asked"

    @property
    def is_here(self) -> bool:
        return not self.problem


class RulesDirectory:
    """The configured games. Register `keep_fresh` as a task of the process, call `refresh` before serving."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._games = {game: _Served(address) for game, address in addresses.items()}
        self._channels = {a: open_channel(a) for a in set(addresses.values())}
        self._stubs: dict[str, RulesServiceAsyncStub] = {
            address: rules_grpc.RulesServiceStub(channel) for address, channel in self._channels.items()
        }

    def game(self, game: str) -> GameEntry:
        """The game under the newest rules, for a new match. Refuses NOT_FOUND and RULES_UNAVAILABLE."""
        served = self._served(game)
        if not served.is_here:
            raise _unavailable(game)
        offered = [version for version, misses in served.misses.items() if misses < _KEPT_MISSES]
        return served.versions[max(offered, key=_ordered)]

    def entry(self, game: str, rules_version: str) -> GameEntry:
        """The game under the rules a match began with, also while its rules service is away.

        Refuses NOT_FOUND for a game that is not configured, RULES_UNAVAILABLE for a version nobody described yet.
        """
        entry = self._served(game).versions.get(rules_version)
        if entry is None:
            raise _unavailable(game, rules_version)
        return entry

    def playable(self) -> list[GameEntry]:
        """The games that can be started now, by id."""
        return [self.game(game) for game, served in sorted(self._games.items()) if served.is_here]

    def known(self) -> Iterator[GameEntry]:
        """Every game and version described so far; the newest of a game first."""
        for _, served in sorted(self._games.items()):
            for version in sorted(served.versions, key=_ordered, reverse=True):
                yield served.versions[version]

    async def refresh(self, *, only_away: bool = False) -> None:
        """Asks every rules service once, all at the same time; failures are logged and make games be away."""
        away = {served.address for served in self._games.values() if not served.is_here}
        async with asyncio.TaskGroup() as group:
            for address in away if only_away else set(self._stubs):
                group.create_task(self._ask(address))

    async def keep_fresh(self, draining: asyncio.Event) -> None:
        """Refreshes every 10 s until the process drains; twice a second where a game is away."""
        loop = asyncio.get_running_loop()
        due = loop.time() + _REFRESH_S
        while not await is_set_within(draining, _REFRESH_AWAY_S):
            is_due = loop.time() >= due
            await self.refresh(only_away=not is_due)
            due = loop.time() + _REFRESH_S if is_due else due

    async def close(self) -> None:
        """Closes the channels."""
        for channel in self._channels.values():
            await channel.close()

    def _served(self, game: str) -> _Served:
        served = self._games.get(game)
        if served is None:
            raise not_found(f"games/{game}")
        return served

    async def _ask(self, address: str) -> None:
        stub = self._stubs[address]
        try:
            response = readable(await stub.DescribeGames(rules_v1.DescribeGamesRequest(), timeout=_DESCRIBE_S))
            described, problem = list(response.games), "not described"
        except grpc.aio.AioRpcError as error:
            described, problem = [], error.code().name
        for game, served in self._games.items():
            if served.address == address:
                _update(game, served, [d for d in described if d.id == game], stub, problem)


def check_address(variable: str, address: str) -> str:
    """The address of a service. Raises CannotStart for what is none, naming the variable."""
    if not _ADDRESS.fullmatch(address):
        raise CannotStart(f"{variable} must be HOST:PORT, not {address!r}")
    return address


def parse_addresses(items: Sequence[str]) -> dict[str, str]:
    """`NAME=HOST:PORT` items by name. Raises CannotStart for one that is not so, or a name given twice.

    Several replicas are one gRPC target, `NAME=unix:PATH,PATH` or `NAME=ipv4:HOST:PORT,HOST:PORT`: an item without a
    name belongs to the one before.
    """
    addresses: dict[str, str] = {}
    game = ""
    for item in items:
        if "=" not in item and addresses.get(game, "").startswith(_LISTS):
            addresses[game] += f",{item}"
            continue
        game, _, address = item.partition("=")
        if not _GAME.fullmatch(game) or not _ADDRESS.fullmatch(address):
            raise CannotStart(f"ARGOSY_RULES must be a list like sirenen=HOST:PORT, and {item!r} is not so")
        if game in addresses:
            raise CannotStart(f"ARGOSY_RULES names {game} twice")
        addresses[game] = address
    return addresses


def _update(
    game: str, served: _Served, described: Sequence[rules_v1.Game], stub: "RulesServiceAsyncStub", problem: str
) -> None:
    """Takes over what the service says of one game now; a description that does not fit counts as none."""
    fresh = {d.rules_version: entry for d in described if (entry := _entry(served, d, stub)) is not None}
    served.versions |= fresh
    if fresh:
        served.misses = {v: 0 if v in fresh else served.misses.get(v, 0) + 1 for v in served.versions}
    was, served.problem = served.problem, "" if fresh else problem
    if was == served.problem:
        return
    if fresh:
        _log.info("game_here", game=game, rules_versions=sorted(fresh))
    else:
        _log.warning("game_away", game=game, address=served.address, problem=problem)


def _entry(served: _Served, description: rules_v1.Game, stub: "RulesServiceAsyncStub") -> GameEntry | None:
    """The known entry where nothing has changed, else a new one; None when the description does not fit."""
    known = served.versions.get(description.rules_version)
    if known is not None and known.description == description:
        return known
    facts = {"game": description.id, "rules_version": description.rules_version}
    if known is not None:
        _log.warning("game_changed_under_one_version", **facts)
    try:
        return make_entry(description, stub)
    except ValueError as error:
        _log.error("game_refused", **facts, problem=str(error))
        return None


def _ordered(version: str) -> tuple[tuple[int, ...], str]:
    """The order of rules versions: by their numbers."""
    return tuple(int(number) for number in re.findall(r"\d+", version)), version


def _unavailable(game: str, rules_version: str = "") -> Refused:
    text = f"no rules service answers for {game} {rules_version}".rstrip()
    facts = {"game": game, "rules_version": rules_version} if rules_version else {"game": game}
    return Refused(Reason.ERROR_REASON_RULES_UNAVAILABLE, text, retry_s=1.0, **facts)
