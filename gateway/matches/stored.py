"""Entries read from a match's history for one viewer, the newest with what is wanted beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2

from services.kit import parts
from services.kit.log.entries import Entry
from services.match import late
from services.match.matches import Matches
from services.match.table import Table, Update
from services.match.viewers import Viewer


@dataclass(frozen=True, slots=True)
class Stored:
    """What a viewer wants of a match; `seats` are those whose actions it wants."""

    matches: Matches
    table: Table
    viewer: Viewer
    wanted: match_service_pb2.Wanted
    seats: Sequence[int]

    async def read(self, entry: Entry, *, is_newest: bool) -> Update:
        """A stored entry; the newest one with what the rules say of the match after it."""
        sealed = parts.opened(entry.version, entry.digest, entry.body)
        part = entry_pb2.EntryPart.FromString(sealed.public_part)
        update = Update(sealed, part)
        wants = self.wanted.position or self.wanted.actions
        if not wants or not is_newest or not self.table.seats:
            return update
        said = await self._said(entry.version)
        if said is None:
            return update
        decision = rules_v1.Decision(state=b"", status=said.status, actions=said.actions)
        if said.HasField("position"):
            decision.position = said.position
        return Update(sealed, part, decision)

    async def _said(self, version: int) -> rules_v1.FoldEventsResponse | None:
        """What the rules say of the match after this version, the newest; None where it is that no more."""
        if version != self.table.version:
            if not self.viewer.is_delayed:
                return None
            stand = await late.stand_at(self.matches.tables, self.table, version)
            return await self.matches.learn_late(self.table, stand) if stand.seats else None
        wanted = rules_v1.Wanted(position=self.wanted.position, actions_of=self.seats, labels=self.wanted.labels)
        said = await self.matches.learn(self.table, wanted)
        return said if version == self.table.version else None
