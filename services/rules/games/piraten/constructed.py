"""Constructed positions: a table after set-up with the differences that `setup` names, as in the SPEC, section 12."""

from dataclasses import replace
from typing import Any

from services.rules.game import Unreadable
from services.rules.games.piraten import board
from services.rules.games.piraten.fleet import fleet_of
from services.rules.games.piraten.model import Phase, Settings, State
from services.rules.games.piraten.setup import initial


def construct(settings: Settings | Unreadable, seats: int, setup: Any) -> State:
    """The state, at the roll or, where `setup` has dice, after it.

    `setup` may name, in the words of the SPEC's state: turn, seat, dice, boats, pirates and provisions. Boats that it
    leaves out are on Adventure Island, pirates at the first pictures, cards as dealt. Raises ValueError for a table
    that no match could show.
    """
    state = initial(settings, seats)
    names = fleet_of(state).boats
    pictures = tuple(board.load().pirate_spaces.values())[: 3 if any(state.provisions) else 2]
    dice = tuple(setup.get("dice", ()))
    made = replace(
        state,
        turn=setup.get("turn", 1),
        seat=setup.get("seat", state.seat),
        phase=Phase.MOVE if dice else Phase.ROLL,
        dice=dice,
        dice_left=dice,
        boats=tuple(setup.get("boats", {}).get(name, place) for name, place in zip(names, state.boats, strict=True)),
        pirates=tuple(setup.get("pirates", dict(enumerate(pictures))).values()),
        provisions=tuple(setup.get("provisions", state.provisions)),
    )
    made = replace(made, removed=sum(state.provisions) - sum(made.provisions))
    _check(made, set(setup.get("boats", {})) - set(names))
    return made


def _check(state: State, unknown: set[str]) -> None:
    table = board.load()
    places = {"ISLAND", "PRISON", "HOME", *table.loop, *table.hideouts}
    is_possible = (
        not unknown
        and set(state.boats) <= places - set(state.pirates)
        and set(state.pirates) <= set(table.loop)
        and len(state.dice) in (0, 2)
        and len(state.provisions) == state.seats
        and min(state.removed, *state.provisions) >= 0
        and 0 <= state.seat < state.seats
    )
    if not is_possible:
        raise ValueError("no match could show this table")
