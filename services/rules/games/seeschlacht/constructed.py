"""Constructed positions: a `setup` of the worked examples (SPEC 13) as a state."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.evolution import evolve
from services.rules.games.seeschlacht.model import (
    COLOURS,
    LIMITS,
    NOWHERE,
    NUMBER,
    OPEN,
    SEATS,
    SHIPS,
    Colour,
    Edition,
    Phase,
    Settings,
    State,
)
from services.rules.games.seeschlacht.rules import initial, start
from services.rules.scripted_draws import ScriptedDraws


def construct(setup: Any) -> State:
    """The state that `setup` describes: the first wind, and unless `start` is set a line-up with changes.

    Left out: the large game, white first, medium wind from 5, phase MOVE, every ship as it starts.
    """
    first = SEATS.index(setup.get("seat", "white"))
    state = initial(Settings(Edition(setup.get("version", "large")), first, setup.get("turn_cap", 300)), len(SEATS))
    strength, direction = setup.get("wind", ["blue", 5])
    rolls = {"colour": [(COLOURS.index(Colour(strength)),)], "number": [(direction - 1,)]}
    for event in start(state, ScriptedDraws(lambda: rolls)):
        state = evolve(state, event)
    return state if setup.get("start") else _line_up(state, setup)


def _line_up(state: State, setup: Any) -> State:
    board = load_board()
    places, facings, hits, cargo = (
        list(state.places),
        [b.default for b in board.berths],
        list(state.hits),
        list(state.cargo),
    )
    for name, ship in setup.get("ships", {}).items():
        n = NUMBER[name]
        q, r = ship["at"]
        places[n], facings[n] = board.number[q, r], ship["dir"]
        hits[n], cargo[n] = ship.get("hits", 0), ship.get("cargo", False)
    for name in setup.get("sunk", []):
        n = NUMBER[name]
        places[n], facings[n], hits[n], cargo[n] = NOWHERE, OPEN, LIMITS[n], False
    assert len(set(places) - {NOWHERE}) == len(SHIPS) - places.count(NOWHERE), "two ships on one field"
    return replace(
        state,
        phase=Phase(setup.get("phase", "MOVE")),
        turn=1,
        places=tuple(places),
        facings=tuple(facings),
        hits=tuple(hits),
        cargo=tuple(cargo),
        moved=_numbers(setup.get("moved", [])),
        arrivals=_numbers(setup.get("arrivals", [])),
    )


def _numbers(names: Sequence[str]) -> tuple[int, ...]:
    return tuple(NUMBER[name] for name in names)
