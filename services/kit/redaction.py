"""The one redactor: copies of messages with what a viewer may see, driven by descriptors.

It copies what is allowed into a new message and never clears. Unknown fields are not copied, nor are fields for which
neither field, message nor file states an audience; `Redactor.unstated` names those.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from argosy.v1 import audience_pb2
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

_UNSTATED = audience_pb2.AUDIENCE_UNSPECIFIED
_PUBLIC = audience_pb2.AUDIENCE_PUBLIC
_SEATS = audience_pb2.AUDIENCE_SEATS
_SERVER = audience_pb2.AUDIENCE_SERVER
Seats = frozenset[int]
NOBODY: Seats = frozenset()
_KNOWN, _SMALL = 16_384, 64  # splits remembered by one redactor, and bytes of a message that is worth it


@dataclass
class _Plan:
    """How one message type is copied. `is_clear`: everything in it, at any depth, is for everybody."""

    seen_by: FieldDescriptor | None
    audience: Mapping[int, int]  # by field number
    inner: dict[int, "_Plan"]  # plans of message fields, by number
    is_clear: bool = False
    has_seats: bool = False  # some field, at any depth, has audience SEATS


class Redactor:
    """Redacts messages of one type (and what is in them).

    Raises TypeError at once for maps, extensions, two `seen_by` fields, or an AUDIENCE_SEATS field without one.
    """

    def __init__(self, message: type[Message]) -> None:
        self.message: type[Any] = message
        self.unstated: list[str] = []
        self._plans: dict[str, _Plan] = {}
        self._plan = self._compile(cast("Descriptor", message.DESCRIPTOR))
        # Most events of a match occur in many: what was split once is remembered, the small ones only.
        self._split_known = lru_cache(_KNOWN)(self._split)
        for plan in self._plans.values():
            plan.is_clear = not _reaches(plan, _hides)
            plan.has_seats = _reaches(plan, _shows_seats)

    @property
    def has_seats(self) -> bool:
        """Whether some field is for certain seats only."""
        return self._plan.has_seats

    def view(self, data: bytes, seats: Seats = NOBODY) -> bytes:
        """The message as the holder of these seats may see it; without seats, as everybody may."""
        message = self.message.FromString(data)
        return self._copy(message, seats)

    def split(self, data: bytes, seats: int) -> tuple[bytes, Mapping[int, bytes]]:
        """The message for everybody, and for each of the seats 0 … `seats` - 1 that sees more, as it sees it."""
        return self._split_known(data, seats) if len(data) <= _SMALL else self._split(data, seats)

    def _split(self, data: bytes, seats: int) -> tuple[bytes, Mapping[int, bytes]]:
        message = self.message.FromString(data)
        public = self._copy(message, NOBODY)
        if len(public) == len(data) or not self._plan.has_seats:
            return public, {}
        more = {}
        for seat in sorted(_named(self._plan, message)):
            own = self._copy(message, frozenset((seat,)))
            if own != public and 0 <= seat < seats:
                more[seat] = own
        return public, more

    def _compile(self, desc: Descriptor) -> _Plan:
        if desc.full_name in self._plans:
            return self._plans[desc.full_name]
        if desc.extension_ranges:
            raise TypeError(f"{desc.full_name}: extensions cannot be redacted")
        plan = _Plan(_seen_by(desc), {}, {})
        self._plans[desc.full_name] = plan
        audience = {f.number: audience_of(f) for f in desc.fields}
        plan.audience = audience
        self.unstated += [f.full_name for f in desc.fields if audience[f.number] == _UNSTATED]
        if plan.seen_by is None and _SEATS in audience.values():
            raise TypeError(f"{desc.full_name} has a field for seats but none that says which (argosy.v1.seen_by)")
        for f in desc.fields:
            if f.message_type is not None:
                if f.message_type.GetOptions().map_entry:
                    raise TypeError(f"{f.full_name}: maps cannot be redacted")
                plan.inner[f.number] = self._compile(f.message_type)
        return plan

    def _copy(self, message: Any, seats: Seats) -> bytes:
        """The message with what these seats may see, serialized."""
        copy = self.message()
        if self._plan.is_clear:
            copy.CopyFrom(message)
        else:
            _fill(self._plan, copy, message, seats)
        copy.DiscardUnknownFields()  # of what was copied whole
        return cast("bytes", copy.SerializeToString(deterministic=True))


def _fill(plan: _Plan, copy: Any, source: Any, seats: Seats) -> None:
    """Copies into the empty message what is allowed; parts without anything hidden in one step."""
    shown = bool(seats) and plan.seen_by is not None and not seats.isdisjoint(_seen(plan.seen_by, source))
    for f, value in source.ListFields():
        number = f.number
        audience = plan.audience[number]
        if audience == _PUBLIC or (audience == _SEATS and shown):
            inner, name = plan.inner.get(number), f.name
            if inner is not None and not inner.is_clear:
                _fill_inner(inner, getattr(copy, name), value, seats, is_many=f.is_repeated)
            elif f.is_repeated:
                getattr(copy, name).extend(value)
            elif inner is not None:
                getattr(copy, name).CopyFrom(value)
            else:
                setattr(copy, name, value)


def _fill_inner(plan: _Plan, target: Any, value: Any, seats: Seats, *, is_many: bool) -> None:
    if is_many:
        for item in value:
            _fill(plan, target.add(), item, seats)
    else:
        target.SetInParent()
        _fill(plan, target, value, seats)


def _hides(plan: _Plan) -> bool:
    return any(a != audience_pb2.AUDIENCE_PUBLIC for a in plan.audience.values())


def _shows_seats(plan: _Plan) -> bool:
    return _SEATS in plan.audience.values()


def _reaches(plan: _Plan, wanted: Callable[[_Plan], bool]) -> bool:
    seen, todo = set[int](), [plan]
    while todo:
        at = todo.pop()
        if wanted(at):
            return True
        if id(at) not in seen:
            seen.add(id(at))
            todo += at.inner.values()
    return False


def _seen(f: FieldDescriptor, message: Any) -> Iterable[int]:
    if f.is_repeated:
        return cast("Iterable[int]", getattr(message, f.name))
    return (getattr(message, f.name),) if message.HasField(f.name) else ()


def _named(plan: _Plan, message: Any) -> set[int]:
    """The seats that some `seen_by` field in the message names."""
    if not plan.has_seats:
        return set()
    seats = set(_seen(plan.seen_by, message)) if plan.seen_by is not None else set()
    for f, value in message.ListFields():
        if f.number in plan.inner and plan.inner[f.number].has_seats:
            for item in value if f.is_repeated else (value,):
                seats |= _named(plan.inner[f.number], item)
    return seats


def audience_of(f: FieldDescriptor) -> int:
    """Who sees a field, as Audience: the nearest statement, on the field, its message, or its file."""
    on_field = _field_options(f).Extensions[audience_pb2.audience]
    if on_field != _UNSTATED:
        return int(on_field)
    owner = cast("Descriptor", f.containing_type)
    on_message = descriptor_pb2.MessageOptions.FromString(owner.GetOptions().SerializeToString())
    if (stated := on_message.Extensions[audience_pb2.message_audience]) != _UNSTATED:
        return int(stated)
    on_file = descriptor_pb2.FileOptions.FromString(owner.file.GetOptions().SerializeToString())
    return int(on_file.Extensions[audience_pb2.file_audience])


def _seen_by(desc: Descriptor) -> FieldDescriptor | None:
    marked = [f for f in desc.fields if _field_options(f).Extensions[audience_pb2.seen_by]]
    if len(marked) > 1 or any(f.type != FieldDescriptor.TYPE_INT32 for f in marked):
        raise TypeError(f"{desc.full_name}: one int32 field at most may say who sees")
    if marked and not marked[0].is_repeated and not marked[0].has_presence:
        raise TypeError(f"{marked[0].full_name}: must be optional, so that seat 0 and nobody differ")
    if marked and audience_of(marked[0]) not in (_UNSTATED, audience_pb2.AUDIENCE_PUBLIC):
        raise TypeError(f"{marked[0].full_name}: the field that says who sees must be public")
    return marked[0] if marked else None


def _field_options(f: FieldDescriptor) -> descriptor_pb2.FieldOptions:
    """The options, parsed where our extensions are known: the descriptor may be of another pool."""
    return descriptor_pb2.FieldOptions.FromString(f.GetOptions().SerializeToString())
