"""Who can fire at whom: coastal batteries and broadsides (SPEC 7.6)."""

from services.rules.game import Illegal
from services.rules.games.seeschlacht.board import Sight, load_board, mask_of
from services.rules.games.seeschlacht.model import FLEETS, NOWHERE, State


def list_shelled(state: State) -> list[int]:
    """The targets of the seat's batteries, in fleet order (R-SEE-27)."""
    covered = load_board().batteries[state.seat]
    return [ship for ship in FLEETS[1 - state.seat] if state.places[ship] in covered and ship not in state.shelled]


def list_shots(state: State) -> list[tuple[int, int]]:
    """Ship and target of every legal shot of the seat, in canonical order."""
    board, targets = load_board(), FLEETS[1 - state.seat]
    exposed = mask_of(state.places[t] for t in targets if state.places[t] not in board.neutral)
    shots: list[tuple[int, int]] = []
    for ship in FLEETS[state.seat]:
        place = state.places[ship]
        if place == NOWHERE or ship in state.fired:
            continue
        if board.arc_masks[place][(state.facings[ship] - 1) % 3] & exposed:
            shots += [(ship, target) for target in targets if not refuse_shot(state, ship, target)]
    return shots


def sight(state: State, ship: int, target: int) -> Sight | None:
    """How the target lies in the ship's arc, None outside it (R-SEE-28)."""
    return load_board().arcs[state.places[ship]][(state.facings[ship] - 1) % 3].get(state.places[target])


def refuse_shot(state: State, ship: int, target: int) -> str:
    """Why the ship, which has not fired, cannot fire at the target; "" if it can."""
    if state.places[target] in load_board().neutral:
        return "TARGET_IN_NEUTRAL_HARBOUR"
    seen = sight(state, ship, target)
    if not seen:
        return "OUT_OF_ARC"
    if seen.is_blocked:
        return "LAND_IN_THE_WAY"
    return "TARGET_COVERED" if any(place in state.places for place in seen.between) else ""


def check_shelling(state: State, target: int) -> None:
    """Raises Illegal unless a battery of the seat can fire at the target."""
    if target in state.shelled:
        raise Illegal("ALREADY_SHELLED")
    if state.places[target] not in load_board().batteries[state.seat]:
        raise Illegal("NOT_ON_BATTERY_FIELD")


def check_shot(state: State, ship: int, target: int) -> None:
    """Raises Illegal unless the ship can fire at the target."""
    if ship in state.fired:
        raise Illegal("ALREADY_FIRED")
    if code := refuse_shot(state, ship, target):
        raise Illegal(code)
