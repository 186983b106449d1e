"""The redactor copies what is allowed, and nothing else."""

from typing import Any

import pytest
from argosy.v1 import audience_pb2
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message_factory import GetMessageClass

from services.kit.redaction import Redactor

FIELD = descriptor_pb2.FieldDescriptorProto
PUBLIC, SEATS, SERVER = audience_pb2.AUDIENCE_PUBLIC, audience_pb2.AUDIENCE_SEATS, audience_pb2.AUDIENCE_SERVER


def _field(message: Any, name: str, number: int, kind: int, audience: int | None, **more: Any) -> Any:
    f = message.field.add(name=name, number=number, type=kind, label=more.pop("label", FIELD.LABEL_OPTIONAL), **more)
    if audience is not None:
        f.options.Extensions[audience_pb2.audience] = audience
    return f


def _says_who(f: Any) -> None:
    f.options.Extensions[audience_pb2.seen_by] = True


def _game(*, default: int | None = PUBLIC) -> Any:
    """Event { seat (seen_by), hand (Cards, SEATS), order (SERVER), note, inner (Inner) }, Inner { card (SEATS) … }."""
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto2")
    file.dependency.append("argosy/v1/audience.proto")
    if default is not None:
        file.options.Extensions[audience_pb2.file_audience] = default  # type: ignore[misc]  # as above
    cards = file.message_type.add(name="Cards")
    _field(cards, "cards", 1, FIELD.TYPE_INT32, None, label=FIELD.LABEL_REPEATED)
    inner = file.message_type.add(name="Inner")
    _says_who(_field(inner, "seats", 1, FIELD.TYPE_INT32, None, label=FIELD.LABEL_REPEATED))
    _field(inner, "card", 2, FIELD.TYPE_STRING, SEATS)
    _field(inner, "shown", 3, FIELD.TYPE_STRING, None)
    event = file.message_type.add(name="Event")
    _says_who(_field(event, "seat", 1, FIELD.TYPE_INT32, None))
    _field(event, "hand", 2, FIELD.TYPE_MESSAGE, SEATS, type_name=".t.Cards")
    _field(event, "order", 3, FIELD.TYPE_MESSAGE, SERVER, type_name=".t.Cards")
    _field(event, "note", 4, FIELD.TYPE_STRING, None)
    _field(event, "inner", 5, FIELD.TYPE_MESSAGE, None, type_name=".t.Inner", label=FIELD.LABEL_REPEATED)
    pool = descriptor_pool.DescriptorPool()
    for needed in (descriptor_pb2.DESCRIPTOR, audience_pb2.DESCRIPTOR):
        pool.AddSerializedFile(needed.serialized_pb)
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName("t.Event"))


def _event(cls: Any) -> Any:
    event = cls(seat=1, note="n")
    event.hand.cards.extend([7, 8])
    event.order.cards.extend([9])
    event.inner.add(seats=[0, 2], card="CANARY", shown="s")
    return event


def test_everybody_sees_public_fields_only() -> None:
    cls = _game()
    seen = cls.FromString(Redactor(cls).view(_event(cls).SerializeToString()))
    assert not seen.HasField("hand")
    assert not seen.HasField("order")
    assert (seen.note, seen.inner[0].shown, seen.inner[0].card) == ("n", "s", "")


@pytest.mark.parametrize(("seat", "hand", "card"), [(0, [], "CANARY"), (1, [7, 8], ""), (2, [], "CANARY"), (3, [], "")])
def test_a_seat_sees_what_names_it(seat: int, hand: list[int], card: str) -> None:
    cls = _game()
    seen = cls.FromString(Redactor(cls).view(_event(cls).SerializeToString(), frozenset((seat,))))
    assert (list(seen.hand.cards), seen.inner[0].card) == (hand, card)
    assert not seen.HasField("order")


def test_split_names_the_seats_that_see_more() -> None:
    cls = _game()
    redactor = Redactor(cls)
    data = _event(cls).SerializeToString()
    public, more = redactor.split(data, 3)
    assert public == redactor.view(data)
    assert {seat: part == redactor.view(data, frozenset((seat,))) for seat, part in more.items()} == {
        0: True,
        1: True,
        2: True,
    }


def test_seat_zero_is_not_everybody_when_nobody_is_named() -> None:
    cls = _game()
    event = _event(cls)
    event.ClearField("seat")
    seen = cls.FromString(Redactor(cls).view(event.SerializeToString(), frozenset((0,))))
    assert not seen.HasField("hand")


def test_unknown_fields_are_not_copied_at_any_depth() -> None:
    cls = _game()
    unknown = bytes([15 << 3 | 2, 6]) + b"CANARY"
    clear = cls(note="n")
    clear.inner.add(shown="s").MergeFromString(unknown)
    data = clear.SerializeToString() + unknown
    assert b"CANARY" in data
    assert b"CANARY" not in Redactor(cls).view(data, frozenset((0, 1, 2)))


def test_what_states_no_audience_is_reported_and_dropped() -> None:
    cls = _game(default=None)
    redactor = Redactor(cls)
    assert "t.Event.note" in redactor.unstated
    assert "t.Event.hand" not in redactor.unstated
    assert not cls.FromString(redactor.view(cls(note="n").SerializeToString())).note
