"""The SPEC's JSON to the dataclasses and back (`Notation`). Dice are the results 1 to 6, in the order drawn."""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from services.kit.draws import Draw
from services.rules.game import Illegal, Unreadable
from services.rules.games.piraten import constructed
from services.rules.games.piraten.events import Event
from services.rules.games.piraten.model import (
    Colour,
    EmptyPirateSpace,
    Outcome,
    Pirate,
    Position,
    Settings,
    State,
    Variant,
)
from services.rules.games.piraten.moves import Action
from services.rules.games.piraten.setup import completed
from services.rules.games.piraten.table import position
from services.rules.scripted_draws import ScriptError

_NAMES: Mapping[str, str] = {f"{way}_{kind}": way for way in ("from", "to") for kind in ("place", "space", "seat")}
_NO_SEAT = -1
_STATE_FIELDS = (
    *("phase", "turn", "seat", "dice", "dice_left", "boat_done", "pirate_done", "seat_colours"),
    *("pirates", "provisions", "provisions_removed", "provisions_in_box", "pending", "outcome", "reason", "actors"),
)


def settings(options: Any) -> tuple[Settings | Unreadable, int]:
    """Settings and the number of seats; -1 seats where the options name none that can be read."""
    options = {} if options is None else options
    if not isinstance(options, dict) or options.keys() - {"players", *_READERS}:
        return Unreadable("UNKNOWN_OPTION"), _NO_SEAT
    seats = seat(options.get("players"))
    read = Settings()
    for name, (reader, code) in _READERS.items():
        if name not in options:
            continue
        try:
            read = dataclasses.replace(read, **{name: reader(options[name], read)})
        except ValueError:
            return Unreadable(_earlier_refusal(name, read, seats) or code), seats
    return read, seats


def _earlier_refusal(name: str, read: Settings, seats: int) -> str:
    """The code of what is checked before the option `name` and wrong already."""
    try:
        if name != "variant":
            completed(read, seats)
    except Illegal as refusal:
        return refusal.code
    return ""


def _read_variant(value: Any, _read: Settings) -> Variant:
    return Variant(value)


def _read_int(value: Any, _read: Settings) -> int:
    if not _is_int(value):
        raise ValueError(f"{value!r} is no integer")
    return int(value)


def _read_empty(value: Any, read: Settings) -> EmptyPirateSpace | None:
    if value is None and read.variant is Variant.BIG:
        return None
    return EmptyPirateSpace(value)


def _read_colours(value: Any, _read: Settings) -> tuple[Colour, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{value!r} is no list of colours")
    return tuple(map(Colour, value))


_READERS: Mapping[str, tuple[Callable[[Any, Settings], Any], str]] = {
    "variant": (_read_variant, "BAD_VARIANT"),
    "boats_per_player": (_read_int, "BAD_BOATS_PER_PLAYER"),
    "empty_pirate_space": (_read_empty, "BAD_EMPTY_PIRATE_SPACE"),
    "first_seat": (_read_int, "BAD_FIRST_SEAT"),
    "colours": (_read_colours, "BAD_COLOURS"),
}


def options(settings: Settings, seats: int) -> Any:
    """The options object, defaults filled in (section 5)."""
    full = completed(settings, seats)
    return {
        "variant": str(full.variant),
        "players": seats,
        "boats_per_player": full.boats_per_player,
        "empty_pirate_space": full.empty_pirate_space and str(full.empty_pirate_space),
        "first_seat": full.first_seat,
        "colours": [str(c) for c in full.colours],
    }


def construct(setup: Any) -> State:
    """A constructed position: {"options": ..., "boats": {...}, ...}, see `constructed.construct`."""
    return constructed.construct(*settings(setup["options"]), setup)


def script(_state: State, chance: Any) -> Mapping[str, Sequence[tuple[int, ...]]]:
    """Die results as the draws labelled "die". Raises ScriptError for anything else: the SPEC has no code for it."""
    rolls = [] if chance is None else chance
    if not isinstance(rolls, list) or not all(_is_int(r) and 1 <= r <= 6 for r in rolls):
        raise ScriptError(f"not die results from 1 to 6: {chance!r}")
    return {"die": [(r - 1,) for r in rolls]}


def chance(_state: State, draws: Sequence[Draw]) -> Any:
    """The die results consumed, in order; None where none was."""
    return [draw.result[0] + 1 for draw in draws] or None


def seat(value: Any) -> int:
    """The seat: the SPEC's numbers are the platform's."""
    return value if _is_int(value) and value >= 0 else _NO_SEAT


def seat_name(seat: int) -> Any:
    """The number of the seat."""
    return seat


def action(value: Any) -> Action | Unreadable:
    """The action; UNKNOWN_ACTION or MALFORMED_ACTION where it cannot be read (section 7)."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _ACTIONS:
        return Unreadable("UNKNOWN_ACTION")
    cls = _ACTIONS[kind]
    fields = {f.name: f.type for f in dataclasses.fields(cls)}
    if value.keys() != {"type", *fields} or not all(_FORMS[t](value[n]) for n, t in fields.items()):
        return Unreadable("MALFORMED_ACTION")
    made: Action = cls(*(tuple(value[n]) if isinstance(value[n], list) else value[n] for n in fields))
    return made


def action_json(action: Action) -> Any:
    """The action as the SPEC writes it."""
    return {"type": _snake(type(action)), **_fields(action)}


def event_json(event: Event) -> Any:
    """The event as the SPEC writes it."""
    return {"event": _snake(type(event)), **_fields(event)}


def state_json(state: State) -> Any:
    """The state of section 5; all of it is public, so it is made from the position."""
    view = view_json(position(state), None)
    return {name: value for name, value in view.items() if name not in ("viewer", "actors", "counts")}


def view_json(position: Position, viewer: int | None) -> Any:
    """The view of section 5."""
    table = _fields(position)
    return {
        "viewer": viewer,
        "options": options(position.settings, position.players),
        **{name: table[name] for name in _STATE_FIELDS},
        "owner": {str(o.colour): o.seat for o in position.owners},
        "boats": {boat.id: boat.place for boat in position.boats},
        "seat_colours": [_plain(c.colours) for c in position.seat_colours],
        "pending": position.pending and _fields(position.pending),
        "counts": _fields(position.counts),
    }


def result_json(state: State) -> Any:
    """The result of section 10, None while the match goes on."""
    if state.outcome is None:
        return None
    table = position(state)
    return {
        "outcome": str(state.outcome),
        "reason": str(state.reason),
        "turns": state.turn,
        "home": table.counts.home,
        "captive": table.counts.captive,
        "winners": list(range(state.seats)) if state.outcome is Outcome.WON else [],
    }


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_path(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(space, str) for space in value)


def _snake(cls: type) -> str:
    return re.sub(r"(?<=.)(?=[A-Z])", "_", cls.__name__).lower()


def _fields(value: Any) -> dict[str, Any]:
    names = [f.name for f in dataclasses.fields(value)]
    return {_NAMES.get(name, name.removeprefix("is_")): _plain(getattr(value, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        if value and isinstance(value[0], Pirate):
            return {pirate.id: pirate.space for pirate in value}
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


_FORMS: Mapping[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    int: _is_int,
    tuple[str, ...]: _is_path,
}
_ACTIONS: Mapping[str, Any] = {_snake(cls): cls for cls in get_args(Action)}
