"""Points and ends: chapter 9."""

from typing import Any

from services.rules.games.seeschlacht.tests.reading.waters import ANCHOR, DOTTED, FLEET, SHIPS, is_merchant, seat_of


def score(state: Any) -> dict[str, int]:
    """The points of 9.2."""
    ranks = {ship: rank for rank, ship in enumerate(state["arrivals"], 1)}
    return {seat: sum(11 - rank for ship, rank in ranks.items() if seat_of(ship) == seat) for seat in FLEET}


def judge(state: Any, reason: str) -> Any:
    """The result by points; a draw in the large game, which has none."""
    points = score(state)
    winner = None if points["white"] == points["yellow"] else max(points, key=lambda seat: points[seat])
    return {"winner": winner, "reason": reason, "points": points}


def find_end(state: Any) -> Any:
    """The result of 9.1 or 9.2, None while neither holds."""
    places = {ship: (*state["ships"][ship]["pos"],) for ship in SHIPS if not state["ships"][ship]["sunk"]}
    merchants = [ship for ship in places if is_merchant(ship)]
    if state["options"]["version"] == "large":
        for ship in merchants:
            is_home = places[ship] in DOTTED and ANCHOR[places[ship]] == f"{seat_of(ship)}_home"
            if is_home and state["ships"][ship]["cargo"]:
                return {**judge(state, "CARGO_HOME"), "winner": seat_of(ship)}
        return None if merchants else judge(state, "NO_MERCHANTS")
    if all(ANCHOR.get(places[ship]) == f"{seat_of(ship)}_dest" for ship in merchants):
        return judge(state, "ALL_ARRIVED" if merchants else "NO_MERCHANTS")
    return None
