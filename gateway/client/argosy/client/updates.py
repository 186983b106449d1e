"""What a client receives of a match, typed."""

from dataclasses import dataclass

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.message import Message


@dataclass(frozen=True, slots=True)
class Status:
    """Who may act: `turn` owes a decision; actions of `may_act`, which includes it, can be accepted."""

    turn: tuple[int, ...] = ()
    may_act: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LegalAction:
    """A legal action: the game's Action message, and what it is in a few words, where asked for."""

    action: Message
    label: str


@dataclass(frozen=True, slots=True)
class Update:
    """One entry of a match as this viewer sees it, or where the match stands.

    `part` is the entry: the viewer's own part, or the public one where it sees no more; None where the match stands
    at a version whose entry was not sent, and then `snapshot` says the rest. `events` are the game's Event messages
    in it. `status` is None for entries of the past; `position` and `actions` come where asked for and with the newest
    entry only (`actions` None then). `entry` is what was received, for whoever keeps it.
    """

    match: str
    version: int
    digest: bytes
    part: entry_pb2.EntryPart | None
    events: tuple[Message, ...] = ()
    status: Status | None = None
    position: Message | None = None
    actions: tuple[LegalAction, ...] | None = None
    actions_truncated: bool = False
    entry: match_pb2.Entry | None = None
    snapshot: match_pb2.Match | None = None

    @property
    def end(self) -> entry_pb2.End | None:
        """How the match ended, in its last entry; None while it goes on."""
        if self.part is not None and self.part.HasField("end"):
            return self.part.end
        if self.snapshot is not None and self.snapshot.HasField("end"):
            return self.snapshot.end
        return None

    @property
    def head(self) -> match_pb2.Head:
        """Version and digest, to resume from or to act on."""
        return match_pb2.Head(version=self.version, digest=self.digest)


@dataclass(frozen=True, slots=True)
class Joined:
    """A seat taken. `secret` proves later that the contribution to the match's chance was one's own; keep it."""

    match: match_pb2.Match
    seat: int
    secret: bytes
    receipt: match_pb2.Receipt | None = None
