"""SPEC JSON to the dataclasses and back (SPEC 3, 6, 7, 8.4 and 10)."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from services.kit.draws import Draw
from services.rules.game import Unreadable
from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht import constructed
from services.rules.games.seeschlacht import event as e
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import (
    COLOURS,
    NOWHERE,
    OPEN,
    SEATS,
    SHIPS,
    Edition,
    Result,
    Settings,
    State,
    Wind,
)
from services.rules.games.seeschlacht.positions import Position, Ship
from services.rules.scripted_draws import ScriptError

_SPEC_NAMES = {
    "edition": "version",
    "first_seat": "first",
    "direction": "dir",
    "from_direction": "from",
    "from_field": "from",
    "to_field": "to",
    "is_changed": "changed",
}
_ACTIONS: Mapping[str, Any] = {cls.__name__: cls for cls in get_args(a.Action)}
_DICE = (["colour"], ["number"], ["colour", "number"], ["number", "colour", "number"])


def settings(options: Any) -> tuple[Settings | Unreadable, int]:
    """Settings from the SPEC's options object, which null is none; always two seats."""
    if not isinstance(options, dict) or not options.keys() <= {"version", "first", "turn_cap"}:
        return Unreadable("BAD_OPTIONS"), len(SEATS)
    version, first, cap = options.get("version", "short"), options.get("first", "white"), options.get("turn_cap", 300)
    if version not in tuple(Edition) or first not in SEATS or type(cap) is not int or cap < 1:
        return Unreadable("BAD_OPTIONS"), len(SEATS)
    return Settings(Edition(version), SEATS.index(first), cap), len(SEATS)


def construct(setup: Any) -> State:
    """The state of a worked example's `setup` (SPEC 13)."""
    return constructed.construct(setup)


def options(settings: Settings, _seats: int = len(SEATS)) -> Any:
    """The options object with all three keys."""
    first = SEATS[settings.first_seat]
    return {"version": settings.edition.value, "first": first, "turn_cap": settings.turn_cap}


def script(_state: State, chance: Any) -> Mapping[str, Sequence[tuple[int, ...]]]:
    """Rolls in the order of SPEC 8.3 by the die they belong to. Raises ScriptError for what no action rolls."""
    rolls = [] if chance is None else chance
    if not isinstance(rolls, list) or (rolls and [_die(roll) for roll in rolls] not in _DICE):
        raise ScriptError(f"not the rolls of an action: {chance!r}")
    dice: dict[str, list[tuple[int, ...]]] = {"colour": [], "number": []}
    for roll in rolls:
        dice[_die(roll)].append((COLOURS.index(roll) if isinstance(roll, str) else roll - 1,))
    return dice


def _die(roll: Any) -> str:
    if isinstance(roll, str) and roll in COLOURS:
        return "colour"
    return "number" if type(roll) is int and 1 <= roll <= 6 else ""


def chance(_state: State, draws: Sequence[Draw]) -> Any:
    """The rolls as the SPEC writes them; None where nothing was rolled."""
    rolls = [COLOURS[d.result[0]].value if d.label == "colour" else d.result[0] + 1 for d in draws]
    return rolls or None


def seat(value: Any) -> int:
    """0 for "white", 1 for "yellow", else -1."""
    return SEATS.index(value) if isinstance(value, str) and value in SEATS else -1


def seat_name(seat: int) -> Any:
    """The SPEC's name of the seat."""
    return SEATS[seat]


def action(value: Any) -> a.Action | Unreadable:
    """The action; checks 2 and 3 of SPEC 7.1."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _ACTIONS:
        return Unreadable("UNKNOWN_ACTION")
    cls = _ACTIONS[kind]
    wanted = {_SPEC_NAMES.get(f.name, f.name): int if f.name == "direction" else str for f in fields(cls)}
    given = {key: argument for key, argument in value.items() if key != "type"}
    if given.keys() != wanted.keys() or any(type(given[key]) is not wanted[key] for key in wanted):
        return Unreadable("BAD_ARGUMENTS")
    read: a.Action = cls(*(given[key] for key in wanted))
    return read


def action_json(action: a.Action) -> Any:
    """The action as an object with `type`."""
    return {"type": type(action).__name__, **_fields(action)}


def event_json(event: e.Event) -> Any:
    """The event as an object with `event`."""
    if isinstance(event, e.DieRolled):
        value = event.colour.value if event.colour else event.number
        seat, purpose = SEATS[event.seat], event.purpose.value
        return {"event": "DieRolled", "seat": seat, "die": event.die.value, "value": value, "purpose": purpose}
    result = _result(Result(event.winner, event.reason, event.points)) if isinstance(event, e.GameEnded) else {}
    return {"event": type(event).__name__, **_fields(event), **result}


def state_json(state: State) -> Any:
    """The SPEC's state (SPEC 6)."""
    return {
        "options": options(state.settings),
        "phase": state.phase.value,
        "turn": state.turn,
        "seat": SEATS[state.seat],
        "wind": _wind(state.wind),
        "ships": {SHIPS[ship]: _ship_of(state, ship) for ship in range(len(SHIPS))},
        "moved": _names(state.moved),
        "loaded": _names(state.loaded),
        "repaired": _names(state.repaired),
        "shelled": _names(state.shelled),
        "fired": _names(state.fired),
        "arrivals": _names(state.arrivals),
        "result": result_json(state),
    }


def view_json(position: Position, viewer: int | None) -> Any:
    """The view: the state's keys, `viewer`, `to_act` and `score` (SPEC 10)."""
    return {
        "options": options(position.settings),
        "phase": position.phase.value,
        "turn": position.turn,
        "seat": SEATS[position.seat],
        "wind": _wind(position.wind),
        "ships": {ship.id: _ship_seen(ship) for ship in position.ships},
        "moved": list(position.moved),
        "loaded": list(position.loaded),
        "repaired": list(position.repaired),
        "shelled": list(position.shelled),
        "fired": list(position.fired),
        "arrivals": list(position.arrivals),
        "result": _result(position.result) if position.result else None,
        "viewer": None if viewer is None else SEATS[viewer],
        "to_act": [SEATS[seat] for seat in position.to_act],
        "score": dict(zip(SEATS, position.score, strict=True)),
    }


def result_json(state: State) -> Any:
    """The result, None while the match goes on."""
    return _result(state.result) if state.result else None


def _fields(value: Any) -> dict[str, Any]:
    return {_SPEC_NAMES.get(f.name, f.name): _plain(f.name, getattr(value, f.name)) for f in fields(value)}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, e.Field):
        return [value.q, value.r]
    if name in {"seat", "first_seat"}:
        return SEATS[value]
    return value.value if isinstance(value, str) and hasattr(value, "value") else value


def _result(result: Result) -> dict[str, Any]:
    winner = None if result.winner is None else SEATS[result.winner]
    points = dict(zip(SEATS, result.points, strict=True))
    return {"winner": winner, "reason": result.reason.value, "points": points}


def _wind(wind: Wind) -> Any:
    return {"strength": wind.strength.value, "from": wind.from_direction}


def _names(ships: tuple[int, ...]) -> list[str]:
    return [SHIPS[ship] for ship in ships]


def _ship_of(state: State, ship: int) -> Any:
    place, facing = state.places[ship], state.facings[ship]
    return {
        "pos": None if place == NOWHERE else list(load_board().fields[place]),
        "dir": None if facing == OPEN else facing,
        "hits": state.hits[ship],
        "cargo": state.cargo[ship],
        "sunk": place == NOWHERE,
    }


def _ship_seen(ship: Ship) -> Any:
    return {
        "pos": [ship.field.q, ship.field.r] if ship.field else None,
        "dir": ship.direction,
        "hits": ship.hits,
        "cargo": ship.has_cargo,
        "sunk": ship.is_sunk,
    }
