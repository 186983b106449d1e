"""Maps a game's dataclasses to its protobuf messages, by name.

    PlayCard(card=3, side=None)  <->  Action(play_card=PlayCard(card=3))

A dataclass maps to the message with its fields' names, a union of dataclasses to a message with one oneof whose
members are messages with the dataclasses' names, a tuple to a repeated field, None to an absent one, a `StrEnum` to an
enum whose values are the members' names behind the enum's own (`Suit.SHELL` <-> `SUIT_SHELL`). `Codec` checks all of it
when it is made, so the two cannot drift apart; it also refuses maps, floats, `Any`, groups, extensions and scalars
without presence.
"""

import dataclasses
import enum
import re
import types
import typing
from collections.abc import Callable, Mapping

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

Decode = Callable[[typing.Any], typing.Any]  # of a message, or of a field's value
Fill = Callable[[typing.Any, typing.Any], None]  # a message, or the message that a field is in, from a value
Pair = tuple[Decode, Fill]

_SCALARS: Mapping[int, type] = {
    FieldDescriptor.TYPE_INT32: int,
    FieldDescriptor.TYPE_BOOL: bool,
    FieldDescriptor.TYPE_STRING: str,
    FieldDescriptor.TYPE_BYTES: bytes,
}


class Malformed(ValueError):
    """Bytes that are not the message asked for. `field` is the name, or number, of the field at fault ("" if none)."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field or 'message'}: {problem}")
        self.field, self.problem = field, problem


class Codec:
    """Encodes and decodes one dataclass, or a union of them, as one message type.

    Raises TypeError when the two do not correspond.
    """

    def __init__(self, cls: typing.Any, message: type[Message]) -> None:
        self.message = message
        descriptor = typing.cast("Descriptor", message.DESCRIPTOR)
        self.decode, self._fill = _pair(cls, descriptor)

    def from_bytes(self, data: bytes) -> typing.Any:
        """The value. Raises Malformed for a missing or unknown field or value, naming it."""
        message = self.message()
        try:
            message.ParseFromString(data)
        except DecodeError:
            raise Malformed("", "is not a message of this type") from None
        return self.decode(message)

    def to_bytes(self, value: typing.Any) -> bytes:
        """The bytes, the same for equal values."""
        return self.encode(value).SerializeToString(deterministic=True)

    def encode(self, value: typing.Any) -> Message:
        """The message. It is filled in place: a message given to a constructor would be copied."""
        message = self.message()
        self._fill(message, value)
        return message


def _pair(cls: typing.Any, desc: Descriptor) -> Pair:
    if desc.extension_ranges or desc.GetOptions().map_entry or desc.full_name == "google.protobuf.Any":
        raise TypeError(f"{desc.full_name}: maps, extensions and Any have no place in a game's messages")
    return _record(cls, desc) if dataclasses.is_dataclass(cls) else _union(typing.get_args(cls), desc)


def _union(classes: tuple[typing.Any, ...], desc: Descriptor) -> Pair:
    (oneof,) = desc.oneofs
    fields = {f.message_type.name: f for f in oneof.fields if f.message_type}
    if fields.keys() != {c.__name__ for c in classes} or len(desc.fields) != len(fields):
        raise TypeError(f"{desc.full_name} is not the union of {[c.__name__ for c in classes]}")
    name = oneof.name
    members = {c: fields[c.__name__] for c in classes}
    pairs = {c: (f.name, *_record(c, _message(f))) for c, f in members.items()}
    decoders = {field: decode for field, decode, _ in pairs.values()}

    def decode(m: typing.Any) -> typing.Any:
        _refuse_unknown(m)
        field = m.WhichOneof(name)
        if field is None:
            raise Malformed(name, "is not set")
        return decoders[field](getattr(m, field))

    def fill(m: typing.Any, v: typing.Any) -> None:
        field, _, fill_member = pairs[type(v)]
        inner = getattr(m, field)
        inner.SetInParent()
        fill_member(inner, v)

    return decode, fill


def _message(f: FieldDescriptor) -> Descriptor:
    if f.message_type is None:
        raise TypeError(f"{f.full_name} is no message")
    return f.message_type


def _record(cls: typing.Any, desc: Descriptor) -> Pair:
    hints = typing.get_type_hints(cls)
    names = [f.name for f in dataclasses.fields(cls)]
    if set(names) != set(desc.fields_by_name):
        raise TypeError(f"{cls.__name__} has {names}, {desc.full_name} has {list(desc.fields_by_name)}")
    pairs = {n: _field(hints[n], desc.fields_by_name[n]) for n in names}
    decoders = [dec for dec, _ in pairs.values()]
    plain = [n for n, (_, fill) in pairs.items() if fill is _set]
    others = [(n, fill) for n, (_, fill) in pairs.items() if fill is not _set]

    def decode(m: typing.Any) -> typing.Any:
        _refuse_unknown(m)
        return cls(*[dec(m) for dec in decoders])

    def fill(m: typing.Any, v: typing.Any) -> None:
        for n in plain:
            x = getattr(v, n)
            if x is not None:
                setattr(m, n, x)
        for n, fill_field in others:
            x = getattr(v, n)
            if x is not None:
                fill_field(m, x)

    return decode, fill


def _field(hint: typing.Any, f: FieldDescriptor) -> Pair:
    is_optional = typing.get_origin(hint) in (types.UnionType, typing.Union) and type(None) in typing.get_args(hint)
    if is_optional:
        rest = [a for a in typing.get_args(hint) if a is not type(None)]
        hint = rest[0] if len(rest) == 1 else typing.Union[tuple(rest)]  # noqa: UP007 - made from a list
    is_many = typing.get_origin(hint) is tuple
    if is_many:
        hint = typing.get_args(hint)[0]
    if is_many != f.is_repeated or (is_many and is_optional):
        raise TypeError(f"{f.full_name}: {hint} does not fit; a list that can be absent needs a message of its own")
    if f.message_type is None and not is_many and not f.has_presence:
        raise TypeError(f"{f.full_name}: scalars must be optional, so that 0 and absent differ")
    dec, enc = _value(hint, f)
    return (_many(f.name, dec) if is_many else _one(f.name, dec, is_optional=is_optional)), _filler(f, enc)


def _value(hint: typing.Any, f: FieldDescriptor) -> tuple[Decode, typing.Any]:
    """Of one value in the field: how it is decoded, and how a message is filled from it or a scalar encoded."""
    if f.message_type is not None:
        return _pair(hint, f.message_type)
    if f.enum_type is not None:
        return _choice(hint, f.enum_type, f.name)
    if _SCALARS.get(f.type) is not hint:
        raise TypeError(f"{f.full_name}: {hint} does not fit; use int32, bool, string or bytes")
    return _same, _same


def _filler(f: FieldDescriptor, enc: typing.Any) -> Fill:
    """How the field is filled; `_set` where a value is set as it is."""
    name = f.name

    def fill_message(m: typing.Any, value: typing.Any) -> None:
        inner = getattr(m, name)
        inner.SetInParent()
        enc(inner, value)

    def fill_messages(m: typing.Any, values: typing.Any) -> None:
        add = getattr(m, name).add
        for value in values:
            enc(add(), value)

    if f.message_type is not None:
        return fill_messages if f.is_repeated else fill_message
    if f.is_repeated:
        return lambda m, values: getattr(m, name).extend(map(enc, values))
    return _set if enc is _same else lambda m, value: setattr(m, name, enc(value))


def _choice(cls: typing.Any, desc: EnumDescriptor, field: str) -> tuple[Decode, typing.Any]:
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", desc.name).upper() + "_"
    numbers = {v.name.removeprefix(prefix): v.number for v in desc.values if v.number != 0}
    if not issubclass(cls, enum.Enum) or numbers.keys() != cls.__members__.keys():
        raise TypeError(f"{desc.full_name} has {list(numbers)}, {cls.__name__} does not")
    of_number = {numbers[m.name]: m for m in cls}
    of_member = {m: n for n, m in of_number.items()}

    def decode(number: int) -> typing.Any:
        if number not in of_number:
            raise Malformed(field, "has no such value")
        return of_number[number]

    return decode, of_member.__getitem__


def _many(name: str, dec: Decode) -> Decode:
    if dec is _same:
        return lambda m: tuple(getattr(m, name))
    return lambda m: tuple(map(dec, getattr(m, name)))


def _one(name: str, dec: Decode, *, is_optional: bool) -> Decode:
    def decode_optional(m: typing.Any) -> typing.Any:
        return dec(getattr(m, name)) if m.HasField(name) else None

    def decode(m: typing.Any) -> typing.Any:
        if not m.HasField(name):
            raise Malformed(name, "is missing")
        return dec(getattr(m, name))

    return decode_optional if is_optional else decode


def _set(_message: typing.Any, _value: typing.Any) -> None:
    """Stands for `setattr`, with which a record fills such fields itself."""
    raise AssertionError


def _same(value: typing.Any) -> typing.Any:
    return value


def _refuse_unknown(m: Message) -> None:
    unknown = UnknownFieldSet(m)
    if len(unknown):
        raise Malformed(str(unknown[0].field_number), "is unknown")
