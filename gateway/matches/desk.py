"""What the calls of MatchService share: finding the table, showing the match, seating people."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import match_service_pb2

from gateway.accesses import Accesses
from gateway.accounts.players import Players
from gateway.archivist import Archivist
from gateway.authorization import Caller
from gateway.matches import shapes
from gateway.matches.notary import Notary
from gateway.matches.requests import rules_wanted
from services.kit.errors import Reason, Refused, not_found
from services.kit.names import match_id
from services.match import late
from services.match.matches import Matches
from services.match.recording import Recorded
from services.match.table import ENDED, Table, Update
from services.match.viewers import Options, Viewer, viewer_of

MOST_WATCHES = 64
"""Watches of one connection; the next one is refused."""


@dataclass
class Desk:
    """The calls' common ground. `watches` counts open watches by connection."""

    matches: Matches
    players: Players
    build: str
    notary: Notary
    archivist: Archivist
    accesses: Accesses
    watches: dict[str, int] = field(default_factory=dict)

    async def fresh(self, name: str) -> Table:
        """The table of `matches/{match}` as the history stands now."""
        return await self.matches.tables.fresh(match_id(name))

    async def show(self, table: Table, caller: Caller, seat: int | None = None) -> match_service_pb2.Match:
        """The match as the caller may see it, in this seat."""
        viewer = viewer_of(table, caller.player, seat)
        return await self.shown_to(table, viewer, caller, match_service_pb2.Wanted())

    async def shown_to(
        self, table: Table, viewer: Viewer, caller: Caller, wanted: match_service_pb2.Wanted
    ) -> match_service_pb2.Match:
        """The match as this viewer may see it, with position and names, and its seat's actions where wanted."""
        asked = rules_wanted(wanted, viewer.seat)
        asked.position = True
        await self._learn_disclosure(table)
        names = await self.players.display_names(self._people(table))
        if viewer.is_delayed:
            version = await late.newest(self.matches.tables, table, viewer, 0)
            stand = await late.stand_at(self.matches.tables, table, version)
            past = await self.matches.learn_late(table, stand) if stand.seats else None
            return shapes.late_match_for(table, viewer, names, stand, past)
        while True:
            version = table.version
            said = await self.matches.learn(table, asked) if table.seats else None
            if table.version == version:
                return shapes.match_for(table, viewer, table.seats_of(caller.player), names, said)

    async def update(self, recorded: Recorded, seat: int, wanted: match_service_pb2.Wanted) -> bytes:
        """The entry that an action became, as its seat receives it, with what was wanted beside; an EntryUpdate."""
        table, update = recorded.table, recorded.update
        if update.decision is None and (wanted.position or wanted.actions) and table.version == recorded.entry.version:
            folded = await self.matches.learn(table, rules_wanted(wanted, seat))
            said = rules_v1.Decision(status=folded.status, actions=folded.actions, position=folded.position)
            update = Update(update.entry, update.part, said)
        return shapes.update_for(table, Viewer((seat,), seat), shapes.wanted_by(wanted), update)

    async def check_owned(self, caller: Caller, players: Iterable[bytes]) -> None:
        """Refuses players that are neither the caller nor belong to its key (which needs scope host)."""
        others = set(players) - {caller.player}
        if not others:
            return
        if "host" not in caller.scopes or caller.key is None:
            text = "only a key with scope host seats others"
            raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, text, scope="host")
        if not await self.players.are_owned(caller.key, others):
            raise not_found("players/…")

    def enter_watch(self, connection: str) -> None:
        """Counts a watch of this connection. Refuses TOO_MANY_WATCHES."""
        if self.watches.get(connection, 0) >= MOST_WATCHES:
            text = f"a connection carries {MOST_WATCHES} watches at most; use Play or another connection"
            raise Refused(Reason.ERROR_REASON_TOO_MANY_WATCHES, text, limit=MOST_WATCHES)
        self.watches[connection] = self.watches.get(connection, 0) + 1

    def leave_watch(self, connection: str) -> None:
        """Counts a watch less."""
        left = self.watches.get(connection, 1) - 1
        if left:
            self.watches[connection] = left
        else:
            self.watches.pop(connection, None)

    async def _learn_disclosure(self, table: Table) -> None:
        """Asks whether a host has disclosed a match that is over, where that is the host's to do: until it has."""
        by_host = table.options.disclosure == Options.DISCLOSURE_BY_HOST
        if by_host and table.phase in ENDED and not table.is_disclosed:
            table.is_disclosed = await self.archivist.is_disclosed(table.match)

    def _people(self, table: Table) -> set[bytes]:
        return {held.player for held in table.held if held is not None and not held.bot_policy}
