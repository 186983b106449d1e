"""Loading and repairs (SPEC 7.5)."""

from services.rules.game import Illegal
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import FLEETS, NOWHERE, State, is_merchant


def list_loads(state: State) -> list[int]:
    """The ships of the seat that can load, in fleet order (R-SEE-24)."""
    return [s for s in FLEETS[state.seat] if state.places[s] != NOWHERE and not _refuse_load(state, s)]


def list_repairs(state: State) -> list[int]:
    """The ships of the seat that can be repaired, in fleet order (R-SEE-25)."""
    return [s for s in FLEETS[state.seat] if state.places[s] != NOWHERE and not _refuse_repair(state, s)]


def check_load(state: State, ship: int) -> None:
    """Raises Illegal unless the ship can load."""
    if code := _refuse_load(state, ship):
        raise Illegal(code)


def check_repair(state: State, ship: int) -> None:
    """Raises Illegal unless the ship can be repaired."""
    if code := _refuse_repair(state, ship):
        raise Illegal(code)


def _refuse_load(state: State, ship: int) -> str:
    if not is_merchant(ship):
        return "NOT_A_MERCHANT"
    if state.cargo[ship]:
        return "CARGO_ALREADY_ABOARD"
    if ship in state.moved:
        return "MOVED_THIS_TURN"
    if state.places[ship] not in load_board().destination[state.seat]:
        return "NOT_AT_DESTINATION_ANCHOR"
    return "MUST_REPAIR_FIRST" if state.hits[ship] else ""


def _refuse_repair(state: State, ship: int) -> str:
    if ship in state.repaired:
        return "ALREADY_REPAIRED"
    if not state.hits[ship]:
        return "NOT_DAMAGED"
    if ship in state.moved:
        return "MOVED_THIS_TURN"
    return "" if state.places[ship] in load_board().repair[ship] else "NOT_AT_REPAIR_ANCHOR"
