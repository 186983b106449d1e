"""A game as its rules service describes it, with the classes of its messages."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from services.kit import wire
from services.kit.redaction import Redactor

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub


@dataclass(frozen=True, slots=True, eq=False)
class GameEntry:
    """One game under one version of its rules: what was described, its messages, and who decides it.

    The message classes come from a descriptor pool of this game and version alone.
    """

    description: rules_v1.Game
    stub: "RulesServiceAsyncStub"
    pool: descriptor_pool.DescriptorPool
    settings_class: type[Message]
    action_class: type[Message]
    event_class: type[Message]
    position_class: type[Message]
    event_redactor: Redactor
    position_redactor: Redactor

    @property
    def id(self) -> str:
        """The game's id, the last segment of `games/{game}`."""
        return self.description.id

    @property
    def rules_version(self) -> str:
        """The version of the rules that this entry is about."""
        return self.description.rules_version


def packed(type_name: str, value: bytes) -> AnyMessage:
    """A game's message, serialized, as an Any."""
    return AnyMessage(type_url=f"type.googleapis.com/{type_name}", value=value)


def packed_bytes(type_name: str, value: bytes) -> bytes:
    """The same Any, serialized."""
    return _type_url(type_name) + wire.delimited(2, value)


@lru_cache(1024)
def _type_url(type_name: str) -> bytes:
    return wire.delimited(1, f"type.googleapis.com/{type_name}".encode())


def make_entry(description: rules_v1.Game, stub: "RulesServiceAsyncStub") -> GameEntry:
    """The entry of a description. Raises ValueError when descriptors or types do not fit together."""
    pool = descriptor_pool.DescriptorPool()
    try:
        for file in description.descriptors.file:
            pool.AddSerializedFile(file.SerializeToString())
        names = (description.settings_type, description.action_type, description.event_type, description.position_type)
        classes = [message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names]
        redactors = Redactor(classes[2]), Redactor(classes[3])
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"descriptors of {description.id} {description.rules_version} do not fit: {error}") from error
    unstated = sorted(name for redactor in redactors for name in redactor.unstated)
    if unstated:
        raise ValueError(f"no audience is stated for {', '.join(unstated[:5])}")
    settings, action, event, position = classes
    return GameEntry(description, stub, pool, settings, action, event, position, *redactors)
