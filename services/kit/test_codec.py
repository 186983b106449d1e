"""The codec against messages made here, so that each kind of field is met."""

import enum
from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from services.kit.codec import Codec, Malformed

Type = descriptor_pb2.FieldDescriptorProto


class Suit(enum.StrEnum):
    SHELL = "shell"
    STAR = "star"


@dataclass(frozen=True, slots=True)
class Card:
    number: int


@dataclass(frozen=True, slots=True)
class Hand:
    seat: int
    suit: Suit
    hint: str | None
    top: Card | None
    first: Card
    cards: tuple[Card, ...]
    numbers: tuple[int, ...]
    suits: tuple[Suit, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    pass


FULL = Hand(0, Suit.STAR, "", Card(0), Card(7), (Card(1), Card(2)), (0, 5), (Suit.SHELL, Suit.STAR))
BARE = Hand(3, Suit.SHELL, None, None, Card(0), (), (), ())


def make_classes(**changes: Any) -> dict[str, type[Message]]:
    """The classes of a file with Suit, Card, Hand, Pass and the union Action; `changes` to the field `seat`."""
    file = descriptor_pb2.FileDescriptorProto(name="cards.proto", package="cards", syntax="proto3")
    suit = file.enum_type.add(name="Suit")
    for number, name in enumerate(("SUIT_UNSPECIFIED", "SUIT_SHELL", "SUIT_STAR")):
        suit.value.add(name=name, number=number)
    one, many = Type.LABEL_OPTIONAL, Type.LABEL_REPEATED
    _add(file.message_type.add(name="Card"), [("number", Type.TYPE_INT32, one, "")])
    fields = [
        ("seat", Type.TYPE_INT32, one, ""),
        ("suit", Type.TYPE_ENUM, one, ".cards.Suit"),
        ("hint", Type.TYPE_STRING, one, ""),
        ("top", Type.TYPE_MESSAGE, one, ".cards.Card"),
        ("first", Type.TYPE_MESSAGE, one, ".cards.Card"),
        ("cards", Type.TYPE_MESSAGE, many, ".cards.Card"),
        ("numbers", Type.TYPE_INT32, many, ""),
        ("suits", Type.TYPE_ENUM, many, ".cards.Suit"),
    ]
    hand = file.message_type.add(name="Hand")
    _add(hand, fields)
    for name, value in changes.items():
        setattr(hand.field[0], name, value)
    file.message_type.add(name="Pass")
    action = file.message_type.add(name="Action")
    action.oneof_decl.add(name="kind")
    for number, name in enumerate(("Hand", "Pass"), start=1):
        kind = {"type": Type.TYPE_MESSAGE, "label": one, "type_name": f".cards.{name}", "oneof_index": 0}
        action.field.add(name=name.lower(), number=number, **kind)
    pool = DescriptorPool()
    pool.Add(file)
    names = ("Card", "Hand", "Pass", "Action")
    return {name: GetMessageClass(pool.FindMessageTypeByName(f"cards.{name}")) for name in names}


def _add(message: descriptor_pb2.DescriptorProto, fields: list[tuple[str, Any, Any, str]]) -> None:
    for number, (name, kind, label, type_name) in enumerate(fields, start=1):
        field = message.field.add(name=name, number=number, type=kind, label=label, type_name=type_name or None)
        if label == Type.LABEL_OPTIONAL and kind != Type.TYPE_MESSAGE:
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{name}")


@pytest.fixture(scope="module")
def classes() -> dict[str, type[Message]]:
    return make_classes()


@pytest.mark.parametrize("hand", [FULL, BARE])
def test_round_trips(classes: dict[str, type[Message]], hand: Hand) -> None:
    codec = Codec(Hand, classes["Hand"])
    data = codec.to_bytes(hand)
    assert codec.from_bytes(data) == hand
    assert classes["Hand"].FromString(data).SerializeToString(deterministic=True) == data
    assert codec.encode(hand).SerializeToString(deterministic=True) == data


@pytest.mark.parametrize("action", [FULL, Pass()])
def test_a_union_is_a_oneof(classes: dict[str, type[Message]], action: Hand | Pass) -> None:
    codec = Codec(Hand | Pass, classes["Action"])
    assert codec.from_bytes(codec.to_bytes(action)) == action
    assert codec.encode(action).WhichOneof("kind") == type(action).__name__.lower()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seat": None}, "seat"),
        ({"suit": None}, "suit"),
        ({"suit": 7}, "suit"),
        ({"suits": [1, 9]}, "suits"),
        ({"first": None}, "first"),
        ({"first": {}}, "number"),
        ({"cards": [{"number": 1}, {}]}, "number"),
    ],
)
def test_a_field_that_is_wrong_is_named(classes: dict[str, type[Message]], change: Any, field: str) -> None:
    good = {"seat": 1, "suit": 1, "first": {"number": 1}}
    message: Any = classes["Hand"]
    with pytest.raises(Malformed) as malformed:
        Codec(Hand, classes["Hand"]).from_bytes(message(**{**good, **change}).SerializeToString())
    assert malformed.value.field == field


def test_unknown_fields_are_named_at_any_depth(classes: dict[str, type[Message]]) -> None:
    codec, unknown = Codec(Hand | Pass, classes["Action"]), b"\x98\x06\x01"  # field 99
    top = codec.to_bytes(FULL) + unknown
    card = Codec(Card, classes["Card"]).to_bytes(Card(1)) + unknown
    hand = Codec(Hand, classes["Hand"]).to_bytes(BARE) + b"\x32" + bytes([len(card)]) + card
    deep = b"\x0a" + bytes([len(hand)]) + hand
    for data in (top, deep):
        with pytest.raises(Malformed) as malformed:
            codec.from_bytes(data)
        assert malformed.value.field == "99"


def test_what_is_no_message_or_no_kind_is_malformed(classes: dict[str, type[Message]]) -> None:
    codec = Codec(Hand | Pass, classes["Action"])
    for data, field in ((b"\xff", ""), (b"", "kind")):
        with pytest.raises(Malformed) as malformed:
            codec.from_bytes(data)
        assert malformed.value.field == field


@pytest.mark.parametrize(
    "change",
    [{"name": "place"}, {"type": Type.TYPE_INT64}, {"type": Type.TYPE_FLOAT}, {"type": Type.TYPE_STRING}],
)
def test_messages_and_classes_that_differ_are_refused_at_once(change: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Codec(Hand, make_classes(**change)["Hand"])
