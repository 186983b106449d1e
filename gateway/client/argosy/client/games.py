"""A game as its server describes it: message classes made from its descriptors, packing, audiences."""

import importlib
import re
from collections.abc import Iterable
from typing import cast

from argosy.v1 import audience_pb2, game_service_pb2
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

_GENERATED = re.compile(r"argosy/games/[a-z0-9_]+/v[0-9]+/[a-z0-9_]+\.proto")


class Game:
    """The four messages of a game; `about` is everything else that GetGame tells.

    The classes are the generated ones where they can be imported and know the same fields, else made on the spot.
    """

    def __init__(self, about: game_service_pb2.Game) -> None:
        self.about = about
        self._pool = descriptor_pool.DescriptorPool()
        for file in about.descriptors.file:
            self._pool.Add(file)
        self.Settings = self._class(about.settings_type)
        self.Action = self._class(about.action_type)
        self.Event = self._class(about.event_type)
        self.Position = self._class(about.position_type)
        self._checked_event = self._dynamic(about.event_type)
        self._hidden = _hidden_fields(about.descriptors)

    @property
    def id(self) -> str:
        """The game's id, without `games/`."""
        return self.about.name.removeprefix("games/")

    def pack(self, message: Message) -> Any:
        """The message in an Any."""
        packed = Any()
        packed.Pack(message)
        return packed

    def unpack(self, packed: Any) -> Message:
        """One of the four messages out of an Any. Raises ValueError for another type."""
        name = packed.type_url.rpartition("/")[2]
        for known in (self.Position, self.Action, self.Settings, self.Event):
            if known.DESCRIPTOR.full_name == name:
                return known.FromString(packed.value)
        raise ValueError(f"{name!r} is no message of {self.id}")

    def explain(self, rule: str) -> str:
        """The sentence that goes with a refusal code; "" for one that the game does not name."""
        return next((c.explanation for c in self.about.refusal_codes if c.code == rule), "")

    def is_same_for_everybody(self, own: bytes, public: bytes) -> bool:
        """Whether an event as a seat received it, without its fields of audience SEATS, is the public one."""
        seen = self._checked_event.FromString(own)
        self._drop(seen)
        return seen == self._checked_event.FromString(public)

    def _drop(self, message: Message) -> None:
        name = message.DESCRIPTOR.full_name
        for field, value in message.ListFields():
            if (name, field.number) in self._hidden:
                message.ClearField(field.name)
            elif field.message_type is not None:
                for inner in value if field.is_repeated else (value,):
                    self._drop(inner)

    def _class(self, full_name: str) -> type[Message]:
        described = self._dynamic(full_name)
        file = described.DESCRIPTOR.file
        if not _GENERATED.fullmatch(file.name):
            return described
        try:
            module = importlib.import_module(file.name.removesuffix(".proto").replace("/", ".") + "_pb2")
        except ImportError:
            return described
        generated = getattr(module, described.DESCRIPTOR.name, None)
        if generated is None or module.DESCRIPTOR.serialized_pb != file.serialized_pb:
            return described
        return cast("type[Message]", generated)

    def _dynamic(self, full_name: str) -> type[Message]:
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(full_name))


def _hidden_fields(files: descriptor_pb2.FileDescriptorSet) -> frozenset[tuple[str, int]]:
    """Message and number of every field of audience SEATS; the nearest statement wins (audience.proto)."""
    found = set()
    for file in files.file:
        outer = file.options.Extensions[audience_pb2.file_audience]
        for prefix, message in _messages(file.package, file.message_type):
            middle = message.options.Extensions[audience_pb2.message_audience] or outer
            for field in message.field:
                if (field.options.Extensions[audience_pb2.audience] or middle) == audience_pb2.AUDIENCE_SEATS:
                    found.add((prefix, field.number))
    return frozenset(found)


def _messages(
    prefix: str, messages: Iterable[descriptor_pb2.DescriptorProto]
) -> list[tuple[str, descriptor_pb2.DescriptorProto]]:
    found = []
    for message in messages:
        name = f"{prefix}.{message.name}" if prefix else message.name
        found += [(name, message), *_messages(name, message.nested_type)]
    return found
