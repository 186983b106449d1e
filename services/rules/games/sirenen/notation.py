"""The SPEC's JSON and the dataclasses of Sirenen in Sicht (SPEC sections 2 to 6 and 8).

An action becomes its dataclass or Unreadable("MALFORMED_ACTION"). JSON's true and false are never numbers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from services.kit.draws import Draw
from services.rules.game import Illegal, Unreadable
from services.rules.games.sirenen import events as e
from services.rules.games.sirenen.constructed import construct
from services.rules.games.sirenen.model import (
    CARDS,
    SHIPS,
    Action,
    Cards,
    Crew,
    Pending,
    Player,
    PlayerView,
    Position,
    Removed,
    Result,
    Settings,
    ShipView,
    State,
    Variant,
)

__all__ = [
    "action",
    "action_json",
    "chance",
    "construct",
    "event_json",
    "options",
    "result_json",
    "script",
    "seat",
    "seat_name",
    "settings",
    "state_json",
    "view_json",
]


def _upper(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


_ACTIONS = {_upper(cls.__name__): cls for cls in get_args(Action)}
_RANGES = {"card": range(CARDS), "ship": SHIPS, "side": (0, 1)}
_CREW_FIELDS = {"from_ship": "from", "to_ship": "to"}


def settings(options: Any) -> tuple[Settings | Unreadable, int]:
    """SPEC 2: exactly the options there are; `{}` means the defaults, null is no options object."""
    is_fine = isinstance(options, dict) and set(options) <= {"variant"}
    variant = options.get("variant", "BASE") if is_fine else None
    if not isinstance(variant, str) or variant not in Variant.__members__:
        return Unreadable("BAD_OPTIONS"), 2
    return Settings(Variant(variant)), 2


def options(value: Settings, _seats: int) -> Any:
    """The options object, complete."""
    return {"variant": value.variant.value}


def script(_state: State, chance: Any) -> Mapping[str, Sequence[tuple[int, ...]]]:
    """SPEC 3.1: the deal. Raises Illegal(BAD_DEAL) for any other form."""
    if not isinstance(chance, dict) or set(chance) != {"order", "start_player"}:
        raise Illegal("BAD_DEAL")
    order, first = chance["order"], chance["start_player"]
    if not isinstance(order, list) or not all(type(c) is int for c in [*order, first]):
        raise Illegal("BAD_DEAL")
    if sorted(order) != list(range(CARDS)) or first not in (0, 1):
        raise Illegal("BAD_DEAL")
    return {"order": [tuple(order)], "start_player": [(first,)]}


def chance(_state: State, draws: Sequence[Draw]) -> Any:
    """The deal, where one was made."""
    made = {d.label: d.result for d in draws}
    return {"order": list(made["order"]), "start_player": made["start_player"][0]} if made else None


def seat(value: Any) -> int:
    """The seat, -1 for what is neither 0 nor 1."""
    return value if type(value) is int and value in (0, 1) else -1


def seat_name(value: int) -> Any:
    """Seats are called by their numbers."""
    return value


def action(value: Any) -> Action | Unreadable:
    """SPEC 6.1: exactly these keys, integers in their ranges."""
    kind = value.get("type") if isinstance(value, dict) else None
    cls = _ACTIONS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        return Unreadable("MALFORMED_ACTION")
    names = [f.name for f in fields(cls)]
    if set(value) != {"type", *names} or not all(type(value[n]) is int and value[n] in _RANGES[n] for n in names):
        return Unreadable("MALFORMED_ACTION")
    made: Action = cls(*[value[n] for n in names])
    return made


def action_json(value: Action) -> Any:
    """The action as in SPEC 6.1."""
    return {"type": _upper(type(value).__name__), **{f.name: getattr(value, f.name) for f in fields(value)}}


def event_json(event: e.Event) -> Any:
    """The event as in SPEC 8."""
    name = {"event": _upper(type(event).__name__)}
    if isinstance(event, e.GameCreated):
        crew = {"CAPTAIN": event.captain, "MATE": event.mate}
        return {**name, "variant": event.variant.value, "ships": list(event.ships), "crew": crew}
    renamed = _CREW_FIELDS if isinstance(event, e.CrewMoveRequested | e.CrewMoved) else {}
    return {**name, **{renamed.get(f.name, f.name): _plain(getattr(event, f.name)) for f in fields(event)}}


def _plain(value: Any) -> Any:
    if isinstance(value, Cards):
        return list(value.cards)
    return list(value) if isinstance(value, tuple) else value


def state_json(state: State) -> Any:
    """The canonical state (SPEC 5.1)."""
    return {
        "variant": state.variant.value,
        "phase": state.phase.value,
        "start_player": state.start_player,
        "turn": state.turn,
        "main_done": state.main_done,
        "pending": _pending(state.pending),
        "ships": [{"ship": s.ship, "sides": [list(c) for c in s.sides], "mugs": list(s.mugs)} for s in state.ships],
        "crew": {"CAPTAIN": state.captain, "MATE": state.mate},
        "players": [{"hand": list(p.hand), **_belongings(p)} for p in state.players],
        "piles": [list(p) for p in state.piles],
        "removed": _removed(state.removed),
        "result": _result(state.result),
    }


def _belongings(player: Player | PlayerView) -> dict[str, Any]:
    return {
        "mug_held": player.mug_held,
        "octopus_on": player.octopus_on,
        "ships": list(player.ships),
        "crew": _names(player.crew),
    }


def _names(crew: tuple[Crew, ...]) -> list[str]:
    return [c.value for c in crew]


def _pending(pending: Pending | None) -> Any:
    if pending is None:
        return None
    return {
        "seat": pending.seat,
        "crew": pending.crew.value,
        "from": pending.from_ship,
        "options": list(pending.options),
        "action": pending.action.value,
    }


def _removed(removed: Removed) -> Any:
    return {
        "cards": list(removed.cards),
        "ships": list(removed.ships),
        "crew": _names(removed.crew),
        "mugs": list(removed.mugs),
    }


def _result(result: Result | None) -> Any:
    if result is None:
        return None
    return {"reason": result.reason.value, "winner": result.winner, "points": list(result.points)}


def view_json(position: Position, viewer: int | None) -> Any:
    """The view (SPEC 4.1) from the position as redacted for the viewer."""
    return {
        "viewer": viewer,
        "variant": position.variant.value,
        "phase": position.phase.value,
        "start_player": position.start_player,
        "turn": position.turn,
        "main_done": position.main_done,
        "actors": list(position.actors),
        "pending": _pending(position.pending),
        "ships": [_ship(s) for s in position.ships],
        "players": [_player(p) for p in position.players],
        "pile_counts": list(position.pile_counts),
        "removed": _removed(position.removed),
        "result": _result(position.result),
    }


def _ship(ship: ShipView) -> Any:
    return {
        "ship": ship.ship,
        "resistance": ship.resistance,
        "crew": ship.crew.value if ship.crew else None,
        "mugs": list(ship.mugs),
        "sides": [list(side.cards) for side in ship.sides],
        "totals": list(ship.totals),
    }


def _player(player: PlayerView) -> Any:
    return {
        "hand": _plain(player.hand),
        "hand_count": player.hand_count,
        "pool": _plain(player.pool),
        **_belongings(player),
        "points": player.points,
    }


def result_json(state: State) -> Any:
    """The result (SPEC 9)."""
    return _result(state.result)
