"""Actions in a few words and events in one sentence, in English and German."""

from collections.abc import Callable, Mapping
from typing import Any

from services.rules.games.sirenen import events as e
from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.model import (
    Action,
    Crew,
    EndReason,
    EndTurn,
    KeepStartCard,
    MoveCrew,
    PlayCard,
    Position,
    ScoringReason,
    UseOctopus,
    UseRum,
)

_ENDS = {
    "en": {
        EndReason.FOUR_POINTS: "four points",
        EndReason.ALL_SHIPS: "no ship is left",
        EndReason.NO_ACTIONS: "nobody can act",
    },
    "de": {
        EndReason.FOUR_POINTS: "vier Punkte",
        EndReason.ALL_SHIPS: "kein Schiff ist mehr da",
        EndReason.NO_ACTIONS: "niemand kann etwas tun",
    },
}


def speak(language: str) -> str:
    """The language to speak where this one is asked for: English for those the game does not know."""
    return language if language in _ENDS else "en"


def name_card(card: int, language: str) -> str:
    """The card by suit and value, with "*" behind it when it moves the crew: "starfish 0*"."""
    deck = load_deck()
    return deck.names[language][card] + ("*" if deck.icons[card] else "")


def name_crew(crew: Crew, language: str) -> str:
    """The crew token's name."""
    return load_deck().crew[language][crew]


def name_end(reason: EndReason, language: str) -> str:
    """Why a match ended, in a few words."""
    return _ENDS[language][reason]


def label(position: Position, seat: int, action: Action, language: str) -> str:
    """The action in a few words; sides are "own" and "other" for the seat."""
    language = speak(language)
    is_german = language == "de"
    match action:
        case KeepStartCard(card):
            return f"{name_card(card, language)} behalten" if is_german else f"keep {name_card(card, language)}"
        case PlayCard(card, ship, side):
            return f"{name_card(card, language)} → {ship} {_side(side, seat, language)}"
        case UseOctopus(card, ship, side):
            octopus = "Krake" if is_german else "octopus"
            start = _whereabouts(position, card, seat, language)
            return f"{octopus}: {name_card(card, language)} {start} → {ship} {_side(side, seat, language)}"
        case UseRum(ship):
            return f"Rum auf {ship}" if is_german else f"rum on {ship}"
        case MoveCrew(ship):
            return f"Mannschaft nach {ship}" if is_german else f"crew to {ship}"
        case EndTurn():
            return "Zug beenden" if is_german else "end the turn"


def _whereabouts(position: Position, card: int, seat: int, language: str) -> str:
    places = [(s.ship, x) for s in position.ships for x, side in enumerate(s.sides) if card in side.cards]
    return " ".join(f"({ship} {_side(x, seat, language)})" for ship, x in places)


def _side(side: int, seat: int, language: str) -> str:
    if language == "de":
        return "eigene Seite" if side == seat else "Gegenseite"
    return "own side" if side == seat else "other side"


def tell(event: e.Event, language: str) -> str:
    """The event in one sentence; what a viewer may not know is left out. "" for the end of a turn."""
    write = (_DE if language == "de" else _EN).get(type(event))
    return write(event) if write else ""


def _card(card: int | None, language: str) -> str:
    hidden = "eine Karte" if language == "de" else "a card"
    return hidden if card is None else name_card(card, language)


def _cards(cards: tuple[int, ...], language: str) -> str:
    return ", ".join(name_card(c, language) for c in cards)


def _dealt(event: e.HandDealt, language: str) -> str:
    which = "" if event.cards is None else f": {_cards(event.cards.cards, language)}"
    verb = "erhält {} Karten" if language == "de" else "is dealt {} cards"
    return f"{_seat(event.seat, language)} {verb.format(event.count)}{which}."


def _seat(seat: int, language: str) -> str:
    return f"{'Platz' if language == 'de' else 'Seat'} {seat}"


def _crew(event: Any, language: str) -> str:
    name = name_crew(event.crew, language)
    return f"Der {name}" if language == "de" else f"The {name}"


def _scored(event: e.ShipScored, language: str) -> str:
    own, other = event.totals[event.seat], event.totals[1 - event.seat]
    is_strong = event.reason is ScoringReason.RESISTANCE
    if language == "de":
        why = f"{own} erreicht {event.resistance}" if is_strong else f"{own} zu {other} bei vollen Seiten"
        return f"Platz {event.seat} gewinnt Schiff {event.ship} ({why})."
    why = f"{own} reaches {event.resistance}" if is_strong else f"{own} to {other}, both sides full"
    return f"Seat {event.seat} takes ship {event.ship} ({why})."


def _ended(event: e.GameEnded, language: str) -> str:
    points, why = f"{event.points[0]}:{event.points[1]}", _ENDS[language][event.reason]
    if event.winner is None:
        return (
            f"Ende ({why}): {points}, niemand gewinnt." if language == "de" else f"The end ({why}): {points}, a draw."
        )
    verb = "gewinnt" if language == "de" else "wins"
    return f"{'Ende' if language == 'de' else 'The end'} ({why}): {points}, {_seat(event.winner, language)} {verb}."


_Tellers = Mapping[type, Callable[[Any], str]]

_EN: _Tellers = {
    e.GameCreated: lambda _: "Five ships are laid out from bow to rear.",
    e.HandDealt: lambda v: _dealt(v, "en"),
    e.SetTaken: lambda v: f"Seat {v.seat} takes the set {v.suit.value}.",
    e.StartCardKept: lambda v: f"Seat {v.seat} keeps {_card(v.card, 'en')} ({v.kept} of 4).",
    e.HandCompleted: lambda v: f"Seat {v.seat} has its first hand; {v.pile_count} cards are left in its pile.",
    e.StartPlayer: lambda v: f"Seat {v.seat} begins.",
    e.TurnStarted: lambda v: f"Seat {v.seat} is on turn.",
    e.TurnSkipped: lambda v: f"Seat {v.seat} can do nothing and is passed over.",
    e.CardPlayed: lambda v: f"Seat {v.seat} plays {_card(v.card, 'en')} to ship {v.ship}, side {v.side}.",
    e.OctopusUsed: lambda v: (
        f"Seat {v.seat}'s octopus moves {_card(v.card, 'en')} from ship {v.from_ship}, side {v.from_side}, "
        f"to ship {v.ship}, side {v.side}."
    ),
    e.CrewStayed: lambda v: f"{_crew(v, 'en')} stays on ship {v.ship}.",
    e.CrewMoveRequested: lambda v: f"Seat {v.seat} must move {_crew(v, 'en').lower()} from ship {v.from_ship}.",
    e.CrewMoved: lambda v: f"{_crew(v, 'en')} moves from ship {v.from_ship} to ship {v.to_ship}.",
    e.ShipScored: lambda v: _scored(v, "en"),
    e.ShipTied: lambda v: f"Ship {v.ship} is tied at {v.totals[0]} and goes to nobody.",
    e.CrewScored: lambda v: f"{_crew(v, 'en')} goes to seat {v.seat}.",
    e.CrewRemoved: lambda v: f"{_crew(v, 'en')} leaves the game.",
    e.MugRemoved: lambda v: f"Seat {v.seat}'s mug leaves the game.",
    e.CardsRemoved: lambda v: f"The {len(v.cards)} cards at ship {v.ship} leave the game.",
    e.OctopusReturned: lambda v: f"Seat {v.seat}'s octopus comes home.",
    e.CardDrawn: lambda v: f"Seat {v.seat} draws {_card(v.card, 'en')}; {v.pile_count} left.",
    e.DrawSkipped: lambda v: f"Seat {v.seat} has no pile to draw from.",
    e.RumPlayed: lambda v: f"Seat {v.seat} puts its rum on ship {v.ship}, whose resistance is {v.resistance} now.",
    e.GameEnded: lambda v: _ended(v, "en"),
}

_DE: _Tellers = {
    e.GameCreated: lambda _: "Fünf Schiffskarten liegen aus, vom Bug zum Heck.",
    e.HandDealt: lambda v: _dealt(v, "de"),
    e.SetTaken: lambda v: f"Platz {v.seat} nimmt den Satz {v.suit.value}.",
    e.StartCardKept: lambda v: f"Platz {v.seat} behält {_card(v.card, 'de')} ({v.kept} von 4).",
    e.HandCompleted: lambda v: f"Platz {v.seat} hat seine erste Hand; {v.pile_count} Karten bleiben im Stapel.",
    e.StartPlayer: lambda v: f"Platz {v.seat} beginnt.",
    e.TurnStarted: lambda v: f"Platz {v.seat} ist am Zug.",
    e.TurnSkipped: lambda v: f"Platz {v.seat} kann nichts tun und wird übergangen.",
    e.CardPlayed: lambda v: f"Platz {v.seat} spielt {_card(v.card, 'de')} an Schiff {v.ship}, Seite {v.side}.",
    e.OctopusUsed: lambda v: (
        f"Die Krake von Platz {v.seat} trägt {_card(v.card, 'de')} von Schiff {v.from_ship}, Seite {v.from_side}, "
        f"an Schiff {v.ship}, Seite {v.side}."
    ),
    e.CrewStayed: lambda v: f"{_crew(v, 'de')} bleibt auf Schiff {v.ship}.",
    e.CrewMoveRequested: lambda v: f"{_crew(v, 'de')} muss von Schiff {v.from_ship} weg; Platz {v.seat} entscheidet.",
    e.CrewMoved: lambda v: f"{_crew(v, 'de')} geht von Schiff {v.from_ship} nach Schiff {v.to_ship}.",
    e.ShipScored: lambda v: _scored(v, "de"),
    e.ShipTied: lambda v: f"Schiff {v.ship} steht {v.totals[0]} zu {v.totals[1]} und geht an niemanden.",
    e.CrewScored: lambda v: f"{_crew(v, 'de')} geht an Platz {v.seat}.",
    e.CrewRemoved: lambda v: f"{_crew(v, 'de')} ist aus dem Spiel.",
    e.MugRemoved: lambda v: f"Der Krug von Platz {v.seat} ist aus dem Spiel.",
    e.CardsRemoved: lambda v: f"Die {len(v.cards)} Karten an Schiff {v.ship} sind aus dem Spiel.",
    e.OctopusReturned: lambda v: f"Die Krake von Platz {v.seat} kehrt zurück.",
    e.CardDrawn: lambda v: f"Platz {v.seat} zieht {_card(v.card, 'de')}; {v.pile_count} bleiben.",
    e.DrawSkipped: lambda v: f"Platz {v.seat} hat keinen Stapel mehr.",
    e.RumPlayed: lambda v: f"Platz {v.seat} stellt den Rum auf Schiff {v.ship}: Widerstand {v.resistance}.",
    e.GameEnded: lambda v: _ended(v, "de"),
}
