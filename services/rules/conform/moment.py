"""A match under examination, at one moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from argosy.rules.v1 import rules_service_pb2 as pb

from services.rules.conform.chance import Chance
from services.rules.conform.report import Findings
from services.rules.conform.subject import Subject
from services.rules.loading import Loaded

Viewer = int | None


@dataclass
class Run:
    """The examination of one game. `pool` holds every action seen so far: most are wrong at most moments."""

    subject: Subject
    findings: Findings
    chance: Chance
    loaded: Loaded | None  # for what only code in this process can tell: `worlds`
    most_entries: int
    cut: int | None = None  # entries after which a match is left as it stands
    pool: dict[bytes, None] = field(default_factory=dict)

    @property
    def limit(self) -> int:
        """How many entries a match may get here."""
        return self.most_entries if self.cut is None else min(self.cut, self.most_entries)

    def try_some(self, listed: Sequence[bytes], most: int) -> list[bytes]:
        """Actions of the pool that are not listed."""
        known = set(listed)
        return [a for a in self.chance.some(tuple(self.pool), 3 * most) if a not in known][:most]


@dataclass
class Moment:
    """A match after some decisions: how it began, what happened, and where it stands."""

    place: str  # for people: sample and version
    settings: bytes
    seats: int
    state: bytes
    status: pb.Status
    decisions: list[pb.RecordedDecision]
    listed: dict[int, list[pb.SeatActions.Item]] = field(default_factory=dict)  # by seat, as they came beside the state

    @property
    def events(self) -> list[bytes]:
        """All events so far."""
        return [event for decision in self.decisions for event in decision.events]

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Everybody who may look: each seat, and a spectator."""
        return (*range(self.seats), None)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.status.HasField("over")


def question(run: Run, moment: Moment, seat: int, action: bytes, entropy: bytes) -> pb.Question:
    """The action on the moment's state, position and list for the seat wanted."""
    wanted = pb.Wanted(position=True, actions_of=[seat], labels=True)
    basis = run.subject.on(moment.state)
    return pb.Question(basis=basis, seat=seat, action=action, entropy=entropy, wanted=wanted)
