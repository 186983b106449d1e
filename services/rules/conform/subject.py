"""A game under examination, known only by what its rules service says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from argosy.rules.v1 import rules_service_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from services.kit.redaction import Redactor

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

DEADLINE_S = 20.0
PAGE = 1_000


@dataclass(frozen=True)
class Subject:
    """The game, its messages in a descriptor pool of their own, and calls about it. Deadlines are set."""

    stub: "RulesServiceAsyncStub"
    game: pb.Game
    action: type[Message] = field(init=False)
    event: Redactor = field(init=False)
    position: Redactor = field(init=False)

    def __post_init__(self) -> None:
        """Raises TypeError or KeyError for descriptors that do not hold the messages or cannot be redacted."""
        pool = DescriptorPool()
        for file in self.game.descriptors.file:
            pool.Add(file)
        made = {name: _message(pool, getattr(self.game, f"{name}_type")) for name in ("action", "event", "position")}
        _message(pool, self.game.settings_type)
        object.__setattr__(self, "action", made["action"])
        object.__setattr__(self, "event", Redactor(made["event"]))
        object.__setattr__(self, "position", Redactor(made["position"]))

    def on(self, state: bytes, events: Sequence[bytes] = ()) -> pb.Basis:
        """A basis of a state and the events since."""
        return pb.Basis(state=state, events=events, game=self.game.id, rules_version=self.game.rules_version)

    def since(self, settings: bytes, seats: int, events: Sequence[bytes]) -> pb.Basis:
        """A basis of a match's beginning and all its events."""
        return pb.Basis(
            setup=pb.Basis.Setup(settings=settings, seats=seats),
            events=events,
            game=self.game.id,
            rules_version=self.game.rules_version,
        )

    def kind_of(self, action: bytes) -> str:
        """The kind of an action: the name of the one field that is set."""
        return member(self.action.FromString(action))

    async def start(self, settings: bytes | None, seats: int, entropy: bytes) -> pb.StartMatchResponse:
        """A match begun."""
        request = pb.StartMatchRequest(
            settings=settings, seats=seats, entropy=entropy, game=self.game.id, rules_version=self.game.rules_version
        )
        return await self.stub.StartMatch(request, timeout=DEADLINE_S)

    async def decide(self, questions: Sequence[pb.Question]) -> Sequence[pb.Answer]:
        """The answers to a batch."""
        request = pb.DecideActionsRequest(questions=questions)
        return (await self.stub.DecideActions(request, timeout=DEADLINE_S)).answers

    async def fold(self, basis: pb.Basis, *, with_position: bool = False) -> pb.FoldEventsResponse:
        """A fold."""
        request = pb.FoldEventsRequest(basis=basis, wanted=pb.Wanted(position=with_position))
        return await self.stub.FoldEvents(request, timeout=DEADLINE_S)

    async def get_position(self, state: bytes) -> bytes:
        """The whole position."""
        request = pb.GetPositionRequest(basis=self.on(state))
        return (await self.stub.GetPosition(request, timeout=DEADLINE_S)).position

    async def list_page(self, state: bytes, seat: int, **given: Any) -> pb.ListActionsResponse:
        """One page of a seat's actions."""
        request = pb.ListActionsRequest(basis=self.on(state), seat=seat, **given)
        return await self.stub.ListActions(request, timeout=DEADLINE_S)

    async def list_all(self, state: bytes, seat: int, **given: Any) -> list[pb.SeatActions.Item]:
        """All pages of a seat's actions."""
        given = {"page_size": PAGE, **given}
        found, token = list[pb.SeatActions.Item](), ""
        while True:
            page = await self.list_page(state, seat, page_token=token, **given)
            found += page.actions.actions
            token = page.next_page_token
            if not token:
                return found

    async def draw(
        self, position: bytes, viewer: int | None, events: Sequence[bytes], language: str
    ) -> pb.DrawPositionResponse:
        """A view as text."""
        request = pb.DrawPositionRequest(
            position=position,
            viewer=viewer,
            events=events,
            language=language,
            game=self.game.id,
            rules_version=self.game.rules_version,
        )
        return await self.stub.DrawPosition(request, timeout=DEADLINE_S)

    async def audit(
        self, settings: bytes, seats: int, decisions: Sequence[pb.RecordedDecision]
    ) -> pb.AuditHistoryResponse:
        """A history decided again."""
        request = pb.AuditHistoryRequest(
            settings=settings,
            seats=seats,
            decisions=decisions,
            game=self.game.id,
            rules_version=self.game.rules_version,
        )
        return await self.stub.AuditHistory(request, timeout=DEADLINE_S)

    async def read_asset(self, name: str) -> pb.ReadAssetResponse:
        """An asset."""
        return await self.stub.ReadAsset(
            pb.ReadAssetRequest(name=name, game=self.game.id, rules_version=self.game.rules_version), timeout=DEADLINE_S
        )


def _message(pool: DescriptorPool, full_name: str) -> type[Message]:
    return GetMessageClass(pool.FindMessageTypeByName(full_name))


def member(action: Message) -> str:
    """The name of the one field of the oneof that is set."""
    (oneof,) = action.DESCRIPTOR.oneofs
    return action.WhichOneof(oneof.name) or ""
