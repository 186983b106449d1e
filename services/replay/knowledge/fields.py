"""Fields of a game's events and positions by path, and the values in them, by descriptors alone.

A path is `Event` or `Position`, then the names of fields, as `Event.hand_dealt.cards.cards`; behind a repeated field
its index may stand, as `Position.players[0].hand`. Any tail of a path names all the paths that end so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from argosy.v1 import audience_pb2
from argosy.v1 import knowledge_pb2 as pb
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from services.kit.errors import invalid
from services.kit.redaction import audience_of
from services.match.games import GameEntry

EVENT, POSITION = "Event", "Position"
_STEP: Final = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(?:\[([0-9]{1,6})\])?")
_DEEPEST: Final = 20
Step = tuple[str, int | None]
"""The name of a field and the index in it, if that is repeated, or matters."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a message: its path with indices, itself as text, and the messages around it, innermost last."""

    path: tuple[Step, ...]
    text: str
    around: tuple[Message, ...]

    @property
    def name(self) -> str:
        """The path as text."""
        return ".".join(name if index is None else f"{name}[{index}]" for name, index in self.path)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Values asked for: in these fields, with this text, and with fields around them as `where` says."""

    fields: tuple[tuple[Step, ...], ...]
    text: str
    where: tuple[tuple[str, str], ...] = ()

    def is_met(self, value: Value) -> bool:
        """Whether this is such a value."""
        return (
            value.text == self.text
            and any(ends_with(value.path, field) for field in self.fields)
            and all(_nearest(value.around, name) == text for name, text in self.where)
        )


def wanted_of(game: GameEntry, request: pb.FindFirstSightRequest) -> Wanted:
    """What is asked for. Refuses INVALID_REQUEST for a field that no event or position of the game has."""
    fields = tuple(_steps(text) for text in request.fields)
    if not fields:
        raise invalid("fields", "must name one at least")
    known = list(knowable(game))
    for text, field in zip(request.fields, fields, strict=True):
        if not any(ends_with(_plain(each.path), _without_indices(field)) for each in known):
            raise invalid(
                "fields", f"{text[:80]}: no event or position has it; ListKnowableFields tells which there are"
            )
    return Wanted(fields, request.value, tuple(_condition(text) for text in request.where))


def knowable(game: GameEntry) -> Iterator[pb.KnowableField]:
    """Every field with a value that an event or position of the game may have."""
    for root, message in ((EVENT, game.event_class), (POSITION, game.position_class)):
        yield from _fields(cast("Descriptor", message.DESCRIPTOR), root, audience_pb2.AUDIENCE_PUBLIC, 0)


def is_in(wanted: Wanted, game: GameEntry, root: str) -> bool:
    """Whether messages of this kind can have what is wanted."""
    paths = [_plain(field.path) for field in knowable(game) if field.path.startswith(f"{root}.")]
    return any(ends_with(path, _without_indices(field)) for path in paths for field in wanted.fields)


def values(message: Message, root: str) -> Iterator[Value]:
    """Every value in the message."""
    return _values(message, ((root, None),), ())


def ends_with(path: Sequence[Step], tail: Sequence[Step]) -> bool:
    """Whether the path ends so; an index that the tail leaves out may be any."""
    if len(tail) > len(path):
        return False
    pairs = zip(path[len(path) - len(tail) :], tail, strict=True)
    return all(name == wanted and index in (at, None) for (name, at), (wanted, index) in pairs)


def _values(message: Message, path: tuple[Step, ...], around: tuple[Message, ...]) -> Iterator[Value]:
    inside = (*around, message)
    for field, value in message.ListFields():
        for index, item in enumerate(value) if field.is_repeated else [(None, value)]:
            at = (*path, (field.name, index))
            if field.message_type is not None:
                yield from _values(item, at, inside)
            else:
                yield Value(at, _text(field, item), inside)


def _text(field: FieldDescriptor, value: Any) -> str:
    """A value as one types it: enums by name, bytes in hexadecimal."""
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return str(value) if known is None else str(known.name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.hex() if isinstance(value, bytes) else str(value)


def _nearest(around: Sequence[Message], name: str) -> str | None:
    """The value of this field in the innermost message that has it."""
    for message in reversed(around):
        for field, value in message.ListFields():
            if field.name == name and field.message_type is None and not field.is_repeated:
                return _text(field, value)
    return None


def _fields(desc: Descriptor, path: str, audience: int, depth: int) -> Iterator[pb.KnowableField]:
    """Audiences as they rule: a field's rules all beneath it, what is narrower inside counts."""
    for field in desc.fields:
        at, own = f"{path}.{field.name}", max(audience, audience_of(field))
        if field.message_type is not None:
            if depth < _DEEPEST:
                yield from _fields(field.message_type, at, own, depth + 1)
            continue
        kind = field.enum_type.full_name if field.enum_type is not None else _KINDS[field.type]
        choices = [value.name for value in field.enum_type.values if value.number] if field.enum_type else ()
        told = audience_pb2.Audience.ValueType(own)
        yield pb.KnowableField(path=at, type=kind, values=choices, repeated=field.is_repeated, audience=told)


_KINDS: Final = {
    getattr(FieldDescriptor, f"TYPE_{name.upper()}"): name
    for name in ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "string", "bytes")
}


def _steps(text: str) -> tuple[Step, ...]:
    steps = [_STEP.fullmatch(part) for part in text.split(".")]
    if len(steps) > _DEEPEST + 2 or any(step is None for step in steps):
        raise invalid("fields", f"{text[:80]!r} is no path like Event.card_drawn.card or hand.cards")
    return tuple((step[1], None if step[2] is None else int(step[2])) for step in steps if step)


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _STEP.fullmatch(name) or "[" in name:
        raise invalid("where", f"{text[:80]!r} is no condition like seat=0")
    return name, value


def _plain(path: str) -> tuple[Step, ...]:
    return tuple((name, None) for name in path.split("."))


def _without_indices(field: Sequence[Step]) -> tuple[Step, ...]:
    return tuple((name, None) for name, _ in field)
