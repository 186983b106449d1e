"""Laws of what a viewer sees of one message, whatever the game: it splits cleanly and holds nothing planted."""

from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.kit.redaction import Redactor
from services.rules.conform.moment import Moment, Run, Viewer

CANARY = 1_234_577  # in no game
_NUMBERS = (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_ENUM)


def check_views(run: Run, moment: Moment, redactor: Redactor, data: bytes) -> None:
    """Public is what a spectator sees and within what each seat sees; seeing twice changes nothing; `split` agrees."""
    name = redactor.message.DESCRIPTOR.name
    run.findings.expect("redacted", not redactor.unstated, f"no audience: {', '.join(redactor.unstated)}")
    public, more = redactor.split(data, moment.seats)
    for viewer in moment.viewers:
        seen = see(redactor, data, viewer)
        ok = seen == (public if viewer is None else more.get(viewer, public))
        ok = ok and redactor.view(seen) == public and see(redactor, seen, viewer) == seen
        run.findings.expect("redacted", ok, f"{moment.place}: {name} splits badly for viewer {viewer}")
        _check_canary(run, moment, redactor, data, viewer)


def see(redactor: Redactor, data: bytes, viewer: Viewer) -> bytes:
    """The message as the viewer sees it."""
    return redactor.view(data, frozenset() if viewer is None else frozenset((viewer,)))


def _check_canary(run: Run, moment: Moment, redactor: Redactor, data: bytes, viewer: Viewer) -> None:
    seen = see(redactor, data, viewer)
    planted = redactor.message.FromString(data)
    if not plant(planted, redactor.message.FromString(seen)):
        return
    found = see(redactor, planted.SerializeToString(deterministic=True), viewer)
    name = redactor.message.DESCRIPTOR.name
    run.findings.expect("canary", found == seen, f"{moment.place}: viewer {viewer} sees a hidden value of {name}")


def plant(whole: Message, seen: Message) -> int:
    """Puts the canary into every number that is in the whole message but not in what is seen; returns how many."""
    shown = {field.number for field, _ in seen.ListFields()}
    count = 0
    for field, value in whole.ListFields():
        if field.number not in shown:
            count += _fill(whole, field, value)
        elif field.message_type is not None:
            ours = value if field.is_repeated else [value]
            theirs = getattr(seen, field.name) if field.is_repeated else [getattr(seen, field.name)]
            count += sum(plant(a, b) for a, b in zip(ours, theirs, strict=True))
    return count


def _fill(owner: Message, field: FieldDescriptor, value: Any) -> int:
    if field.message_type is not None:
        inner = value if field.is_repeated else [value]
        return sum(_fill(item, f, v) for item in inner for f, v in item.ListFields())
    if field.type not in _NUMBERS:
        return 0
    if field.is_repeated:
        value[:] = [CANARY] * len(value)
        return len(value)
    setattr(owner, field.name, CANARY)
    return 1


def where_they_differ(one: Message, other: Message) -> str:
    """The path of the first field in which the messages differ, without its values."""
    names = sorted({f.name: f for m in (one, other) for f, _ in m.ListFields()}.values(), key=lambda f: f.number)
    for field in names:
        a, b = getattr(one, field.name), getattr(other, field.name)
        if a == b and (field.is_repeated or one.HasField(field.name) == other.HasField(field.name)):
            continue
        if field.message_type is None:
            return field.name
        if not field.is_repeated:
            return f"{field.name}.{where_they_differ(a, b)}"
        return field.name + _first_in(a, b)
    return ""


def _first_in(ours: Sequence[Message], theirs: Sequence[Message]) -> str:
    for number, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return f"[{number}].{where_they_differ(a, b)}"
    return " (length)"
