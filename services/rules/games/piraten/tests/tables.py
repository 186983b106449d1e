"""Tables in the notation of the SPEC's worked examples (section 12), and short ways to play on them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.rules.game import Illegal
from services.rules.games.piraten import notation
from services.rules.games.piraten.events import Event
from services.rules.games.piraten.fleet import fleet_of
from services.rules.games.piraten.fold import fold
from services.rules.games.piraten.legality import actions
from services.rules.games.piraten.model import EmptyPirateSpace, Phase, Settings, State, Variant
from services.rules.games.piraten.moves import Action, HoldBoat, MoveBoat, MovePirate, Roll
from services.rules.games.piraten.rules import decide
from services.rules.games.piraten.setup import initial, start

_SHORT = {"y": "yellow", "p": "purple", "g": "green", "r": "red"}


class Dice:
    """Draws whose dice are given."""

    def __init__(self, *results: int) -> None:
        self.left = list(results)

    def below(self, label: str, n: int, /) -> int:
        """The next die."""
        assert (label, n) == ("die", 6)
        return self.left.pop(0) - 1

    def shuffle(self, label: str, items: Sequence[Any], /) -> tuple[Any, ...]:
        """Never asked for."""
        raise AssertionError(f"{label}: {items} shuffled")

    def sample(self, label: str, items: Sequence[Any], k: int, /) -> tuple[Any, ...]:
        """Never asked for."""
        raise AssertionError(f"{label}: {k} of {items}")


def base(variant: str, players: int, **settings: Any) -> State:
    """*Base*: as after set-up with the empty pirate space P3, seat 0 to roll."""
    empty = None if variant == "big" else EmptyPirateSpace.P3
    state = initial(replace(Settings(Variant(variant), empty_pirate_space=empty), **settings), players)
    return fold(state, start(state, Dice()))


def table(
    variant: str,
    players: int,
    *dice: int,
    pirates: Sequence[str] = (),
    cards: Sequence[int] = (),
    settings: Mapping[str, Any] | None = None,
    seat: int = 0,
    turn: int = 1,
    **boats: str,
) -> State:
    """A base table with the differences named; `y1="S20"` and so on, `yellow="HOME"` for all boats of a colour."""
    state = base(variant, players, **(settings or {}))
    places = list(state.boats)
    named = {name(short): place for short, place in boats.items()}
    for i, boat in enumerate(fleet_of(state).boats):
        places[i] = named.get(boat, named.get(boat[:-1], places[i]))
    return replace(
        state,
        boats=tuple(places),
        pirates=tuple(pirates) or state.pirates,
        provisions=tuple(cards) or state.provisions,
        removed=sum(state.provisions) - sum(cards) if cards else 0,
        seat=seat,
        turn=turn,
        dice=dice,
        dice_left=dice,
        phase=Phase.MOVE if dice else Phase.ROLL,
    )


def name(short: str) -> str:
    """The id that `y1` stands for; other ids as they are."""
    return _SHORT[short[0]] + short[1:] if short[1:] in ("1", "2", "3") else short


def boat(short: str, points: int, path: str) -> MoveBoat:
    """A boat move along `path`, space by space."""
    return MoveBoat(name(short), points, tuple(path.split()))


def pirate(number: int, points: int) -> MovePirate:
    """A move of a pirate ship."""
    return MovePirate(f"pirate{number}", points)


def do(state: State, *steps: Action, dice: Sequence[int] = ()) -> tuple[State, list[Any]]:
    """The state after the mover's actions, and the events of the last one as the SPEC writes them."""
    chance, events = Dice(*dice), tuple[Event, ...]()
    for step in steps:
        events = decide(state, state.seat, step, chance)
        state = fold(state, events)
    return state, [notation.event_json(e) for e in events]


def roll(state: State, *dice: int) -> State:
    """The state after the mover rolled these dice."""
    return do(state, Roll(), dice=dice)[0]


def at(state: State, short: str) -> str:
    """Where the boat is."""
    return state.boats[fleet_of(state).index[name(short)]]


def refusal(state: State, step: Any, seat: int | None = None) -> str:
    """The code that refuses the action (of the mover unless `seat` says otherwise); "" where none does."""
    action = notation.action(step) if isinstance(step, dict | str | int | list | None) else step
    try:
        decide(state, state.seat if seat is None else seat, action, Dice())
    except Illegal as illegal:
        return illegal.code
    return ""


def legal(state: State, seat: int | None = None) -> list[Action]:
    """The legal actions in canonical order."""
    return list(actions(state, state.seat if seat is None else seat))


def boat_actions(state: State) -> list[MoveBoat | HoldBoat]:
    """The legal boat moves and holds of the mover."""
    return [a for a in legal(state) if isinstance(a, MoveBoat | HoldBoat)]


def movers(state: State) -> list[str]:
    """The boats that legal actions move, each once, in boat order."""
    return list(dict.fromkeys(a.boat for a in legal(state) if isinstance(a, MoveBoat)))
