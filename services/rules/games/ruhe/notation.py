"""The SPEC's JSON and the dataclasses (SPEC, sections 3, 4, 6, 8, 10.2 and 12).

JSON's true and false are no numbers.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from services.rules.game import Unreadable
from services.rules.games.ruhe import cards, events, table
from services.rules.games.ruhe.constructed import construct
from services.rules.games.ruhe.creation import chance, is_below, options, script, settings
from services.rules.games.ruhe.events import Cards, Event
from services.rules.games.ruhe.model import ActiveStorm, Departure, Kind, LyingCard, Result, State
from services.rules.games.ruhe.moves import Action
from services.rules.games.ruhe.table import Position

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


_ACTIONS: Mapping[str, type[Any]] = {_upper(cls.__name__): cls for cls in get_args(Action)}
_TEXTS, _NUMBERS, _LISTS = {"card", "storm"}, {"cell", "row", "n", "blind"}, {"cards", "pay"}


def seat(value: Any) -> int:
    """The seat, -1 for what is no seat of any match."""
    return value if is_below(value, 5) else -1


def seat_name(value: int) -> Any:
    """Seats are called by their numbers."""
    return value


def action(value: Any) -> Action | Unreadable:
    """SPEC 8: UNKNOWN_ACTION or MALFORMED for what is none."""
    kind = value.get("type") if isinstance(value, dict) else None
    cls = _ACTIONS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        return Unreadable("UNKNOWN_ACTION")
    names = [f.name for f in fields(cls)]
    if set(value) != {"type", *names} or not all(_is_readable(name, value[name]) for name in names):
        return Unreadable("MALFORMED")
    made: Action = cls(*(tuple(value[name]) if name in _LISTS else value[name] for name in names))
    return made


def _is_readable(name: str, value: Any) -> bool:
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(card, str) for card in value)
    return type(value) is int if name in _NUMBERS else isinstance(value, str)


def action_json(value: Action) -> Any:
    """The action as in SPEC 8."""
    return {"type": _upper(type(value).__name__), **{f.name: _plain(getattr(value, f.name)) for f in fields(value)}}


def event_json(event: Event) -> Any:
    """The event as in SPEC 12, with who may see its hidden fields in `_only`."""
    told = {_field(f.name): _plain(getattr(event, f.name)) for f in fields(event)}
    if isinstance(event, events.GameStarted):
        told |= {"options": options(event.settings, event.seats)}
        del told["settings"], told["seats"]
    return {"type": _upper(type(event).__name__), **told, "_only": _only(event)}


def _field(name: str) -> str:
    return name.removeprefix("is_")


def _only(event: Event) -> Any:
    match event:
        case events.GameStarted():
            return {"piles": [], "removed": []}
        case events.CardDrawn(seat=who):
            return {"card": [who]}
        case events.Discarded(seat=who):
            return {"cards": [who]}
        case events.BlindDiscarded():
            return {"cards": []}
    return {}


def _plain(value: Any) -> Any:
    if isinstance(value, Cards):
        return list(value.cards)
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def state_json(state: State) -> Any:
    """The snapshot (SPEC 6)."""
    return {
        **_public(state, options(state.settings, state.seats)),
        "hands": _plain(state.hands),
        "piles": _plain(state.piles),
        "discards": _plain(state.discards),
        "removed": _plain(state.removed),
        "pending": _pending(state),
    }


def _public(shown: State | Position, chosen: Any) -> dict[str, Any]:
    """What snapshot and view have in common."""
    return {
        "options": chosen,
        "turn": shown.turn,
        "active": shown.active,
        "start_seat": shown.start_seat,
        "grid": [cards.island(n) if n else None for n in shown.grid],
        "start": _lying(shown.start),
        "finish": _lying(shown.finish),
        "rock": shown.rock,
        "compasses": shown.compasses,
        "compasses_earned": shown.compasses_earned,
        "storms": [_storm(storm) for storm in shown.storms],
        "gone": list(shown.gone),
        "result": _result(shown.result),
    }


def _lying(lying: LyingCard | None) -> Any:
    return {"seat": lying.seat, "card": lying.card} if lying else None


def _storm(storm: ActiveStorm) -> Any:
    return {"storm": storm.storm, "colour": storm.colour.value, "seat": storm.seat, "row": storm.row}


def _result(result: Result | None) -> Any:
    if result is None:
        return None
    return {"outcome": result.outcome.value, "reason": result.reason.value, "seat": result.seat}


def _pending(state: State) -> Any:
    pending, departure = state.pending, state.departure
    if pending is None:
        return None
    kind = {"kind": pending.kind.value}
    match pending.kind:
        case Kind.TURN | Kind.ROCK:
            return {**kind, "seat": pending.seat}
        case Kind.STORM_WINDOW:
            return {**kind, "storm": pending.storm, "seat": pending.seat, "waiting": list(pending.waiting)}
        case Kind.STORM_ROW:
            return {**kind, "storm": pending.storm, "seat": pending.seat}
        case Kind.STORM_DISCARD:
            return {**kind, "storm": pending.storm, "seat": pending.seat, "count": pending.count}
    return {**kind, **_departure(pending.kind, departure)} if departure else None


def _departure(kind: Kind, departure: Departure) -> dict[str, Any]:
    names = ("split", "blind", "waiting") if kind is Kind.PICK else _TALK
    return {name: _plain(getattr(departure, name)) for name in names}


_TALK = ("round", "required", "offers", "previous", "caps", "blind")


def view_json(position: Position, viewer: int | None) -> Any:
    """The view (SPEC 10.2) from the position as redacted for the viewer."""
    own = position.seats[viewer].hand if viewer is not None else None
    return {
        **_public(position, options(position.settings, len(position.seats))),
        "you": viewer,
        "hand": _plain(own),
        "seats": [
            {"hand": s.hand_size, "pile": s.pile_size, "discard": s.discard_size, "limit": s.limit}
            for s in position.seats
        ],
        "pending": _decision(position.pending, viewer),
        "finish_blocked": position.is_finish_blocked,
        "reveal": _reveal(position.reveal),
    }


def _reveal(reveal: table.Reveal | None) -> Any:
    if reveal is None:
        return None
    return {name: _plain(getattr(reveal, name)) for name in ("hands", "piles", "discards", "removed")}


_KINDS = {
    table.TurnDecision: Kind.TURN,
    table.RockDecision: Kind.ROCK,
    table.OfferDecision: Kind.OFFER,
    table.PickDecision: Kind.PICK,
    table.WindowDecision: Kind.STORM_WINDOW,
    table.RowDecision: Kind.STORM_ROW,
    table.CutDecision: Kind.STORM_DISCARD,
}


def _decision(pending: table.Pending | None, viewer: int | None) -> Any:
    if pending is None:
        return None
    kind = {"kind": _KINDS[type(pending)].value}
    if isinstance(pending, table.OfferDecision):
        return {**kind, **_talk(pending, viewer)}
    return {**kind, **{f.name: _plain(getattr(pending, f.name)) for f in fields(pending)}}


def _talk(talk: table.OfferDecision, viewer: int | None) -> dict[str, Any]:
    return {
        "round": talk.round,
        "required": talk.required,
        "offers": [seat.n for seat in talk.seats],
        "previous": [seat.previous for seat in talk.seats] if talk.round > 1 else None,
        "blind": [seat.blind for seat in talk.seats],
        "cap": None if viewer is None else talk.seats[viewer].cap,
    }


def result_json(state: State) -> Any:
    """The result (SPEC 11)."""
    return _result(state.result)
