"""Actions in a few words and events in a sentence."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from services.rules.games.piraten import board
from services.rules.games.piraten.components import names
from services.rules.games.piraten.events import (
    BoatCaptured,
    BoatFreed,
    BoatHeld,
    BoatMoved,
    BoatRescued,
    DiceRolled,
    Event,
    ExchangeSkipped,
    FreeingEnded,
    GameOver,
    GameStarted,
    PirateMoved,
    ProvisionPassed,
    ProvisionRemoved,
    SetupDieRolled,
    TurnStarted,
)
from services.rules.games.piraten.legality import hideout_entries
from services.rules.games.piraten.model import Outcome, Position, Variant
from services.rules.games.piraten.moves import (
    Action,
    EndFreeing,
    FreeBoat,
    GiveProvision,
    HoldBoat,
    MoveBoat,
    MovePirate,
    Roll,
    SkipExchange,
    TakeProvision,
)
from services.rules.games.piraten.words import say

_WIDTH = 74  # of a label, which stands in 80 columns beside its number


def label(position: Position, _seat: int, action: Action, language: str) -> str:
    """One legal action in a few words, with what becomes of the boats in its way."""
    return _LABELS[type(action)](position, action, language)


def tell(event: Event, language: str) -> str:
    """The event in one short sentence; "" for the end of a turn."""
    teller = _TELLERS.get(type(event))
    return teller(event, language) if teller else ""


def _label_boat(position: Position, action: MoveBoat, language: str) -> str:
    named, path = names(language), action.path
    text = say(language, "move_boat", boat=named[action.boat], points=action.points, to=path[-1])
    for lane in board.load().lanes:
        if any(a in lane.spaces and b == lane.merge for a, b in pairwise(path)):
            text += say(language, "through", lane=named[lane.id])
    pirates = {pirate.space for pirate in position.pirates}
    caught = next((space for space in path if space in pirates), None)
    start = next(boat.place for boat in position.boats if boat.id == action.boat)
    entered = path[: path.index(caught) + 1] if caught else path
    if position.settings.variant is Variant.BIG and hideout_entries(start, entered):
        text += say(language, "fee")
    if caught:
        return text + say(language, "is_caught", space=caught)
    return text + (say(language, "is_home") if path[-1] in board.load().goals else "")


def _label_hold(position: Position, action: HoldBoat, language: str) -> str:
    place = next(boat.place for boat in position.boats if boat.id == action.boat)
    return say(language, "hold_boat", boat=names(language)[action.boat], points=action.points, place=place)


def _label_pirate(position: Position, action: MovePirate, language: str) -> str:
    named = names(language)
    space = next(pirate.space for pirate in position.pirates if pirate.id == action.pirate)
    course = board.load().courses[space, action.points]
    text = say(language, "move_pirate", pirate=named[action.pirate], points=action.points, to=course[-1])
    caught = [named[boat.id] for boat in position.boats if boat.place in course]
    if not caught:
        return text
    told = text + say(language, "catches", boats=", ".join(caught))
    return told if len(told) <= _WIDTH else text + say(language, "catches_many", n=len(caught))


def _label_plain(phrase: str) -> Callable[[Position, Any, str], str]:
    def show(_position: Position, action: Any, language: str) -> str:
        return say(language, phrase, partner=getattr(action, "partner", None))

    return show


def _label_free(_position: Position, action: FreeBoat, language: str) -> str:
    return say(language, "free_boat", boat=names(language)[action.boat], payer=action.payer)


_LABELS: Mapping[type, Callable[[Position, Any, str], str]] = {
    Roll: _label_plain("roll"),
    MoveBoat: _label_boat,
    HoldBoat: _label_hold,
    MovePirate: _label_pirate,
    GiveProvision: _label_plain("give_provision"),
    TakeProvision: _label_plain("take_provision"),
    SkipExchange: _label_plain("skip_exchange"),
    FreeBoat: _label_free,
    EndFreeing: _label_plain("end_freeing"),
}


def _tell_die(event: SetupDieRolled, language: str) -> str:
    return say(language, "setup_die_rolled", die=event.die, empty=str(event.empty_pirate_space))


def _tell_start(event: GameStarted, language: str) -> str:
    return say(language, "game_started", pirates=", ".join(pirate.space for pirate in event.pirates))


def _tell_turn(event: TurnStarted, language: str) -> str:
    return say(language, "turn_started", turn=event.turn, seat=event.seat)


def _tell_dice(event: DiceRolled, language: str) -> str:
    return say(language, "dice_rolled", seat=event.seat, dice=" + ".join(map(str, event.dice)))


def _tell_boat(event: BoatMoved, language: str) -> str:
    named = names(language)
    start = named.get(event.from_place, event.from_place)
    return say(language, "boat_moved", boat=named[event.boat], points=event.points, start=start, to=event.to_place)


def _tell_hold(event: BoatHeld, language: str) -> str:
    return say(language, "boat_held", boat=names(language)[event.boat], points=event.points)


def _tell_pirate(event: PirateMoved, language: str) -> str:
    pirate = names(language)[event.pirate]
    return say(language, "pirate_moved", pirate=pirate, points=event.points, start=event.from_space, to=event.to_space)


def _tell_capture(event: BoatCaptured, language: str) -> str:
    named = names(language)
    return say(language, "boat_captured", pirate=named[event.pirate], boat=named[event.boat], space=event.space)


def _tell_rescue(event: BoatRescued, language: str) -> str:
    return say(language, "boat_rescued", boat=names(language)[event.boat])


def _tell_freed(event: BoatFreed, language: str) -> str:
    return say(language, "boat_freed", boat=names(language)[event.boat], space=event.space)


def _tell_removed(event: ProvisionRemoved, language: str) -> str:
    return say(language, f"removed_{event.purpose}", seat=event.seat)


def _tell_passed(event: ProvisionPassed, language: str) -> str:
    return say(language, "provision_passed", giver=event.from_seat, taker=event.to_seat)


def _tell_skipped(event: ExchangeSkipped, language: str) -> str:
    return say(language, "exchange_skipped", seat=event.seat, partner=event.partner)


def _tell_ended(event: FreeingEnded, language: str) -> str:
    return say(language, "freeing_ended", seat=event.seat)


def _tell_over(event: GameOver, language: str) -> str:
    return say(language, "won" if event.outcome is Outcome.WON else str(event.reason))


_TELLERS: Mapping[type, Callable[[Any, str], str]] = {
    SetupDieRolled: _tell_die,
    GameStarted: _tell_start,
    TurnStarted: _tell_turn,
    DiceRolled: _tell_dice,
    BoatMoved: _tell_boat,
    BoatHeld: _tell_hold,
    PirateMoved: _tell_pirate,
    BoatCaptured: _tell_capture,
    BoatRescued: _tell_rescue,
    BoatFreed: _tell_freed,
    ProvisionRemoved: _tell_removed,
    ProvisionPassed: _tell_passed,
    ExchangeSkipped: _tell_skipped,
    FreeingEnded: _tell_ended,
    GameOver: _tell_over,
}
