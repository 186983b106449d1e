"""Constructed positions: the SPEC's `setup` (section 12.1) as a state of phase PLAY."""

from typing import Any

from services.rules.games.sirenen.model import CARDS, SHIPS, Crew, Phase, Player, Removed, ShipCard, State, Variant


def construct(setup: Any) -> State:
    """The state that `setup` describes; what it leaves out is at its default."""
    crew = setup.get("crew", {"CAPTAIN": 30, "MATE": 34})
    scored, mugs = setup.get("scored", [[], []]), setup.get("mugs", ["HELD", "HELD"])
    gone = {s for s in SHIPS if s in (*scored[0], *scored[1], *setup.get("lost", []))}
    sides = setup.get("sides", {})
    ships = tuple(_ship(s, sides.get(str(s), [[], []]), mugs) for s in SHIPS if s not in gone)
    players = tuple(_player(setup, seat, scored[seat], mugs[seat]) for seat in (0, 1))
    piles = tuple(map(tuple, setup.get("piles", [setup.get("pile", [])])))
    named = {c for group in (*piles, *(p.hand for p in players), *(x for s in ships for x in s.sides)) for c in group}
    lost_crew = tuple(c for c in Crew if c not in crew and not any(c in p.crew for p in players))
    return State(
        variant=Variant(setup.get("variant", "BASE")),
        phase=Phase.PLAY,
        start_player=0,
        turn=setup.get("turn", 0),
        ships=ships,
        captain=crew.get("CAPTAIN"),
        mate=crew.get("MATE"),
        players=players,
        piles=piles,
        removed=Removed(
            cards=tuple(c for c in range(CARDS) if c not in named),
            ships=tuple(setup.get("lost", [])),
            crew=lost_crew,
            mugs=tuple(s for s in (0, 1) if mugs[s] == "GONE"),
        ),
    )


def _ship(ship: int, sides: list[list[int]], mugs: list[Any]) -> ShipCard:
    return ShipCard(ship, tuple(map(tuple, sides)), tuple(s for s in (0, 1) if mugs[s] == ship))


def _player(setup: Any, seat: int, scored: list[Any], mug: Any) -> Player:
    return Player(
        hand=tuple(sorted(setup.get("hands", [[], []])[seat])),
        mug_held=mug == "HELD",
        octopus_on=setup.get("octopus", [None, None])[seat],
        ships=tuple(sorted(s for s in scored if s in SHIPS)),
        crew=tuple(c for c in Crew if c in scored),
    )
