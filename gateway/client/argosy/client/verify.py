"""Checks each entry against the one before, by what this viewer may see (CHAIN.md, "What a viewer receives")."""

from collections.abc import Sequence

from argosy.client import chain
from argosy.client.errors import diverged
from argosy.client.games import Game
from argosy.client.ids import raw_id
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.message import DecodeError


class Verifier:
    """The chain of one match as one viewer follows it, from its beginning or from a head that is trusted.

    `seats` are the viewer's: of each the sealed part and its salt have to come with every entry.
    """

    def __init__(self, match: str, game: Game, seats: Sequence[int]) -> None:
        self._match, self._game, self.seats = match, game, tuple(seats)
        self.version, self.digest = 0, chain.first_digest(raw_id(match))
        self._sealed_parts = 0
        self._awaited: dict[int, bytes] = {}

    def trust(self, head: match_pb2.Head, sealed_parts: int = 0) -> None:
        """Goes on from this head, without knowing how the match came to it; 0: the next entry says how many parts."""
        self.version, self.digest, self._sealed_parts = head.version, head.digest, sealed_parts

    def expect(self, head: match_pb2.Head) -> None:
        """Remembers a digest told beside the entries: the entry of that version has to bear it."""
        if head.version == self.version and head.digest != self.digest:
            raise diverged(self._match, head.version, "another digest than the entry received")
        if head.version > self.version and self._awaited.setdefault(head.version, head.digest) != head.digest:
            raise diverged(self._match, head.version, "two digests for one version")

    def advance(self, entry: match_pb2.Entry) -> entry_pb2.EntryPart:
        """The entry's part for this viewer, after all checks. Raises HistoryDiverged; then nothing has changed."""
        if entry.version != self.version + 1:
            raise diverged(self._match, entry.version, f"does not follow version {self.version}")
        public = self._parsed(entry, entry.public_part)
        if public.version != entry.version:
            raise diverged(self._match, entry.version, "the public part bears another version")
        sealed_parts = self._created(entry, public) if entry.version == 1 else self._sealed_parts
        commitments = self._commitments(entry, sealed_parts)
        found = chain.digest(self.digest, entry.version, entry.public_part, commitments)
        if found != entry.digest or self._awaited.get(entry.version, found) != found:
            raise diverged(self._match, entry.version, "the digest does not cover what was received")
        view = self._view(entry, public)
        self._awaited.pop(entry.version, None)
        self.version, self.digest, self._sealed_parts = entry.version, found, len(commitments)
        return view

    def _created(self, entry: match_pb2.Entry, public: entry_pb2.EntryPart) -> int:
        created = public.cause.created
        if created.match != raw_id(self._match):
            raise diverged(self._match, entry.version, "the first entry does not create this match")
        if created.sealed_parts < 1:
            raise diverged(self._match, entry.version, "the server's part is not sealed")
        return created.sealed_parts

    def _commitments(self, entry: match_pb2.Entry, sealed_parts: int) -> list[bytes]:
        found = list(entry.commitments)
        own = {p.index: p for p in entry.own}
        sealed_parts = sealed_parts or len(found)
        if not found or len(found) != sealed_parts or any(len(c) not in (0, chain.SIZE) for c in found):
            raise diverged(self._match, entry.version, f"{len(found)} commitments instead of {sealed_parts}")
        if missing := [s for s in self.seats if s < sealed_parts - 1 and s not in own]:
            raise diverged(self._match, entry.version, f"the part of seat {missing[0]} was withheld")
        for index, part in own.items():
            if not 0 <= index < sealed_parts or len(part.salt) != chain.SIZE:
                raise diverged(self._match, entry.version, f"part {index} cannot be checked")
            computed = chain.commitment(part.salt, part.part)
            if found[index] not in (b"", chain.NONE, computed):
                raise diverged(self._match, entry.version, f"part {index} is not what was committed to")
            found[index] = computed
        return found

    def _view(self, entry: match_pb2.Entry, public: entry_pb2.EntryPart) -> entry_pb2.EntryPart:
        """The part of the viewer's lowest seat that sees more than everybody; each is compared with the public one."""
        views = [self._compared(entry, public, own.part) for own in entry.own if own.part]
        return views[0] if views else public

    def _compared(self, entry: match_pb2.Entry, public: entry_pb2.EntryPart, own: bytes) -> entry_pb2.EntryPart:
        seen = self._parsed(entry, own)
        for mine, everybodys in zip(seen.game_events, public.game_events, strict=False):
            if not self._game.is_same_for_everybody(mine, everybodys):
                raise diverged(self._match, entry.version, "a seat's event contradicts the public one")
        if len(seen.game_events) != len(public.game_events) or _frame(seen) != _frame(public):
            raise diverged(self._match, entry.version, "a seat's part contradicts the public one")
        return seen

    def _parsed(self, entry: match_pb2.Entry, part: bytes) -> entry_pb2.EntryPart:
        try:
            return entry_pb2.EntryPart.FromString(part)
        except DecodeError:
            raise diverged(self._match, entry.version, "a part cannot be read") from None


def _frame(part: entry_pb2.EntryPart) -> entry_pb2.EntryPart:
    """All of the part but the game's events."""
    frame = entry_pb2.EntryPart()
    frame.CopyFrom(part)
    frame.ClearField("game_events")
    return frame
