"""Legal actions and events in a few words."""

from dataclasses import fields
from typing import Any

from services.rules.games.ruhe import cards, components, events, moves
from services.rules.games.ruhe.components import card_name, list_names
from services.rules.games.ruhe.events import Event
from services.rules.games.ruhe.moves import Action
from services.rules.games.ruhe.table import Position
from services.rules.games.ruhe.words import say


def label(position: Position, _seat: int, action: Action, language: str) -> str:
    """One legal action, by what is on the table."""
    name, values = type(action).__name__, _values(action, language)
    if isinstance(action, moves.Place) and action.pay:
        name = "Place_pay"
    elif isinstance(action, moves.DepartDiscard) and action.blind:
        name = "DepartDiscard_blind"
    elif isinstance(action, moves.PlayMonster):
        values["island"] = position.grid[action.cell]
    elif isinstance(action, moves.UseCompass):
        values |= {"storm": action.storm, "name": components.kind_name(action.storm[0], language)}
    return say(language, name, **values)


def tell(event: Event, language: str) -> str:
    """The redacted event as one sentence."""
    values = _values(event, language)
    if isinstance(event, events.GameStarted):
        values["seat"] = event.start_seat
    elif isinstance(event, events.CompassEarned):
        values["n"] = event.compasses
    return say(language, _sentence(event), **values)


def _sentence(event: Event) -> str:  # noqa: PLR0911 - one return per kind that has several sentences
    name = type(event).__name__
    match event:
        case events.CompassEarned() as earned:
            return f"{name}_{earned.reason}"
        case events.SplitSettled() as settled:
            return f"{name}_{settled.how}"
        case events.GameWon() | events.GameLost() as ended:
            return ended.reason
        case events.CardDrawn(card=str()):
            return f"{name}_seen"
        case events.Discarded(cards=events.Cards()):
            return f"{name}_seen"
        case events.StormTookEffect(row=int()):
            return f"{name}_row"
        case _:
            return name


def _values(record: Action | Event, language: str) -> dict[str, object]:
    """The record's fields by name, cards by their names, numbers by seat one after another."""
    return {f.name: _value(getattr(record, f.name), language) for f in fields(record)}


def _value(value: Any, language: str) -> object:
    if isinstance(value, events.Cards):
        return list_names(value.cards, language)
    if isinstance(value, tuple):
        texts = all(isinstance(v, str) for v in value)
        return list_names(value, language) if texts else ", ".join(map(str, value))
    return card_name(value, language) if isinstance(value, str) and value in cards.ALL else value
