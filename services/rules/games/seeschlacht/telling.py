"""Actions in a few words, and events in a sentence."""

from dataclasses import fields

from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht import event as e
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.drawing import name_field
from services.rules.games.seeschlacht.model import COLOURS, LIMITS, NUMBER, SEATS, turned
from services.rules.games.seeschlacht.movement import Spot, take_step
from services.rules.games.seeschlacht.phrases import ARROWS, say
from services.rules.games.seeschlacht.positions import Position, Ship


def label(position: Position, _seat: int, action: a.Action, language: str) -> str:
    """One legal action: a move by where it ends, a shot by what hits."""
    match action:
        case a.MoveShip():
            return _label_move(position, action, language)
        case a.SetFacing(ship, direction):
            return say("SetFacing", language, ship=ship, direction=direction, arrow=ARROWS[direction])
        case a.FireBattery(target):
            return say("FireBattery", language, target=target, place=_place_of(position, target))
        case a.Fire(ship, target):
            colour, place = _colour_that_hits(position, ship, target, language), _place_of(position, target)
            return say("Fire", language, ship=ship, target=target, place=place, colour=colour)
        case _:
            return say(type(action).__name__, language, **{f.name: getattr(action, f.name) for f in fields(action)})


def _label_move(position: Position, move: a.MoveShip, language: str) -> str:
    board, number, ship = load_board(), NUMBER[move.ship], _ship(position, move.ship)
    assert ship.field, "a ship that can move is afloat"
    spot = Spot(board.number[ship.field.q, ship.field.r], ship.direction or 0)
    for letter in move.path:
        spot = take_step(number, spot, letter)
    place, arrow = name_field(e.Field(*board.fields[spot.place])), ARROWS[spot.facing]
    text = say("MoveShip", language, ship=move.ship, path=move.path, place=place, arrow=arrow)
    if spot.place in board.usable[number]:
        text += say("at_anchor", language, anchor=board.anchor[spot.place])
    if spot.entered:
        text += say("entering", language, count=spot.entered)
    if move.path.endswith("X"):
        ahead = e.Field(*board.fields[board.ahead[spot.place][spot.facing]])
        text += say("rams", language, target=next(s.id for s in position.ships if s.field == ahead))
    return text


def _ship(position: Position, name: str) -> Ship:
    return position.ships[NUMBER[name]]


def _place_of(position: Position, name: str) -> str:
    field = _ship(position, name).field
    return name_field(field) if field else ""


def _colour_that_hits(position: Position, name: str, target: str, language: str) -> str:
    board, ship, goal = load_board(), _ship(position, name), _ship(position, target)
    assert ship.field, "a ship that can fire is afloat"
    assert goal.field, "a ship that can be fired at is afloat"
    arc = board.arcs[board.number[ship.field.q, ship.field.r]][((ship.direction or 0) - 1) % 3]
    return say(f"die_{COLOURS[arc[board.number[goal.field.q, goal.field.r]].line - 1].value}", language)


def tell(event: e.Event, language: str) -> str:
    """The event in one sentence."""
    match event:
        case e.GameStarted(edition, first, _):
            text = say("GameStarted", language, edition=say(edition.value, language), seat=say(SEATS[first], language))
            return text[0].upper() + text[1:]
        case e.DieRolled(colour=colour):
            value = say(f"die_{colour.value}", language) if colour else event.number
            return say("DieRolled", language, seat=say(SEATS[event.seat], language), value=value)
        case e.WindSet(strength, origin, is_changed):
            strength_name, arrow = say(f"wind_{strength.value}", language), ARROWS[turned(origin, 3)]
            phrase = "WindSet" if is_changed else "WindSame"
            return say(phrase, language, strength=strength_name, origin=origin, arrow=arrow)
        case e.WindChangeAnnounced(seat, what):
            return say(what.value, language, seat=say(SEATS[seat], language))
        case e.GameEnded():
            return _tell_end(event, language)
        case _:
            return say(type(event).__name__, language, **_name_values(event, language))


def _tell_end(event: e.GameEnded, language: str) -> str:
    reason = say(event.reason.value, language)
    if any(event.points):
        reason = say("points", language, *event.points, reason=reason)
    if event.winner is None:
        return say("GameDrawn", language, reason=reason)
    return say("GameEnded", language, winner=say(SEATS[event.winner], language), reason=reason)


def _name_values(event: e.Event, language: str) -> dict[str, object]:
    """The event's fields, and beside them what a phrase may call them."""
    values: dict[str, object] = {f.name: getattr(event, f.name) for f in fields(event)}
    match event:
        case e.FacingSet(_, direction):
            values["arrow"] = ARROWS[direction]
        case e.PhaseStarted(phase):
            values["phase"] = say(phase.value, language)
        case e.ShipMoved(_, _, start, end, direction):
            values |= {"start": name_field(start), "place": name_field(end), "arrow": ARROWS[direction]}
        case e.ShipHit(ship):
            values["limit"] = LIMITS[NUMBER[ship]]
        case e.ShotFired(line=line):
            values["colour"] = say(f"die_{line.value}", language)
        case e.FleetReady(seat) | e.TurnStarted(seat=seat) | e.TurnEnded(seat=seat) | e.WindKept(seat):
            values["seat"] = say(SEATS[seat], language)
        case _:
            pass
    return values
