"""The sensible policy: merchants make for their goal by the wind, warships hunt and escort, and all fire and repair.

It looks one move ahead and compares what a ship would have gained; it plays by what lies on the table only.
"""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from services.rules.game import Draws
from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht.board import Places, load_board
from services.rules.games.seeschlacht.model import (
    COLOURS,
    FLEETS,
    LIMITS,
    NOWHERE,
    NUMBER,
    OPEN,
    Edition,
    Phase,
    State,
    Wind,
    is_merchant,
    seat_of,
)
from services.rules.games.seeschlacht.movement import Spot, take_step
from services.rules.games.seeschlacht.positions import Position
from services.rules.games.seeschlacht.wind import allowances

_ESCORTS = 2  # warships that keep to the merchants, the first of the fleet
_FAR = 99  # steps to what cannot be reached


def choose(position: Position, seat: int, actions: Sequence[a.Action], _draws: Draws) -> a.Action:
    """The best of the legal actions by this policy's measure; it needs no chance."""
    state = _read(position)
    chooser = _CHOOSERS.get(state.phase)
    return chooser(state, seat, actions) if chooser else actions[0]


def _read(position: Position) -> State:
    """The state, which a position of this game shows whole."""
    board, ships = load_board(), position.ships
    return State(
        settings=position.settings,
        phase=position.phase,
        turn=position.turn,
        seat=position.seat,
        wind=position.wind,
        places=tuple(board.number[s.field.q, s.field.r] if s.field else NOWHERE for s in ships),
        facings=tuple(s.direction or OPEN for s in ships),
        hits=tuple(s.hits for s in ships),
        cargo=tuple(s.has_cargo for s in ships),
        moved=_numbers(position.moved),
        loaded=_numbers(position.loaded),
        repaired=_numbers(position.repaired),
        shelled=_numbers(position.shelled),
        fired=_numbers(position.fired),
        arrivals=_numbers(position.arrivals),
        result=position.result,
    )


def _numbers(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(NUMBER[name] for name in names)


def _choose_facings(_state: State, _seat: int, actions: Sequence[a.Action]) -> a.Action:
    return actions[-1]


def _choose_wind(state: State, seat: int, actions: Sequence[a.Action]) -> a.Action:
    """Compares the wind there is with what the dice would give in the mean."""
    winds = [Wind(strength, d) for strength in COLOURS for d in range(1, 7)]
    worth = {wind: _weigh_wind(state, seat, wind) for wind in winds}
    now = worth[state.wind]
    stronger = sum(worth[Wind(strength, state.wind.from_direction)] for strength in COLOURS) / len(COLOURS)
    other = (now + sum(worth.values()) / len(worth)) / 2
    gains = (0.0, other - now, stronger - now)
    return actions[gains.index(max(gains))]


def _weigh_wind(state: State, seat: int, wind: Wind) -> float:
    """What the wind gives the own merchants under way, and half of what it gives the enemy's."""
    worth = 0.0
    for ship in _under_way(state, 0) + _under_way(state, 1):
        steps, place = _steps(ship, _goal(state, ship)), state.places[ship]
        rose = allowances(_with_wind(state, wind), ship)
        ways = [
            rose[d] for d, there in enumerate(load_board().passable[ship][place]) if _is_nearer(steps, place, there)
        ]
        worth += max(ways, default=0) * (1.0 if seat_of(ship) == seat else -0.5)
    return worth


def _with_wind(state: State, wind: Wind) -> State:
    return State(
        state.settings, state.phase, state.turn, state.seat, wind, state.places, state.facings, state.hits, state.cargo
    )


def _is_nearer(steps: Sequence[int], place: int, there: int) -> bool:
    return there != NOWHERE and steps[there] < steps[place]


def _choose_move(state: State, seat: int, actions: Sequence[a.Action]) -> a.Action:
    """The best move of the first ship that gains by one; of a ship that must move if none does."""
    best: tuple[float, a.Action] | None = None
    must_move = not isinstance(actions[-1], a.EndMovement)
    ship, found = "", (0.0, actions[-1])
    for move in actions:
        if not isinstance(move, a.MoveShip):
            break
        if move.ship != ship:
            if found[0] > 0:
                return found[1]
            ship, found = move.ship, (float("-inf"), move)
        found = max(found, (_gain(state, seat, move), move), key=lambda pair: pair[0])
        best = found if best is None or found[0] > best[0] else best
    if found[0] > 0:
        return found[1]
    return best[1] if best and must_move else actions[-1]


def _gain(state: State, seat: int, move: a.MoveShip) -> float:
    ship = NUMBER[move.ship]
    before = Spot(state.places[ship], state.facings[ship])
    after = functools.reduce(lambda spot, letter: take_step(ship, spot, letter), move.path, before)
    cost = 3.0 * (after.entered + move.path.endswith("X"))
    weigh = _weigh_warship if _hunts(state, seat, ship) else _weigh_merchant
    return weigh(state, seat, ship, after) - weigh(state, seat, ship, before) - cost


def _hunts(state: State, seat: int, ship: int) -> bool:
    """Warships hunt; once they are all sunk, merchants that have their points do, lest the match goes on for ever."""
    if not is_merchant(ship):
        return True
    is_last_hope = all(state.places[s] == NOWHERE for s in FLEETS[seat] if not is_merchant(s))
    return is_last_hope and ship in state.arrivals and bool(_under_way(state, 1 - seat))


def _weigh_merchant(state: State, seat: int, ship: int, spot: Spot) -> float:
    """Nearer to the goal is better, and a bow that points there; enemies and their batteries are to be shunned."""
    board, goal = load_board(), _goal(state, ship)
    if state.hits[ship] and state.places[ship] in board.repair[ship]:
        return float(spot.place == state.places[ship] and spot.facing == state.facings[ship])  # stay for the repair
    steps = _steps(ship, goal)
    return 5.0 * (spot.place in goal) - _away(state, ship, spot, steps) - _danger(state, seat, spot.place)


def _weigh_warship(state: State, seat: int, ship: int, spot: Spot) -> float:
    """A good target in the arc is best, the way to the prey next; a ship about to sink seeks its harbour."""
    board = load_board()
    if state.hits[ship] == LIMITS[ship] - 1:
        free = board.repair[ship] - (set(state.places) - {state.places[ship]})
        return -_away(state, ship, spot, _steps(ship, free)) - _danger(state, seat, spot.place)
    ways = [_steps(ship, frozenset((state.places[p],))) for p in _prey(state, seat, ship)]
    nearest = min((_away(state, ship, spot, steps) for steps in ways), default=0)
    return 2.0 * _best_shot(state, seat, ship, spot) - 0.5 * nearest - _danger(state, seat, spot.place) / 2


def _away(state: State, ship: int, spot: Spot, steps: Sequence[int]) -> float:
    """The steps still to go, a little more for a bow that points elsewhere and less for wind in the sails."""
    ways = [
        d for d, there in enumerate(load_board().passable[ship][spot.place]) if _is_nearer(steps, spot.place, there)
    ]
    turns = min((min((d - spot.facing) % 6, (spot.facing - d) % 6) for d in ways), default=0)
    wind = allowances(state, ship)[spot.facing] if spot.facing in ways else 0
    return steps[spot.place] + 0.3 * turns - 0.2 * wind


def _best_shot(state: State, seat: int, ship: int, spot: Spot) -> float:
    arc = load_board().arcs[spot.place][(spot.facing - 1) % 3]
    others = set(state.places) - {state.places[ship]}
    worth = 0.0
    for target in FLEETS[1 - seat]:
        seen = arc.get(state.places[target])
        is_hidden = not seen or seen.is_blocked or not others.isdisjoint(seen.between)
        if not is_hidden and state.places[target] not in load_board().neutral:
            worth = max(worth, _weigh_target(state, target))
    return worth


def _weigh_target(state: State, target: int) -> float:
    """What a hit on the ship is worth: merchants under way most, and ships that it would sink."""
    sinks = state.hits[target] == LIMITS[target] - 1
    if is_merchant(target):
        return (3.0 if sinks else 2.0) + state.cargo[target] if target not in state.arrivals else 0.5
    return 1.5 if sinks else 0.5 + 0.25 * state.hits[target]


def _prey(state: State, seat: int, ship: int) -> list[int]:
    """What a warship makes for: the enemy's merchants; an escort, or when there are none, the nearest threat."""
    merchants = _under_way(state, 1 - seat)
    own = _under_way(state, seat)
    if merchants and (ship not in FLEETS[seat][3 : 3 + _ESCORTS] or not own):
        return merchants
    enemies = [s for s in FLEETS[1 - seat] if state.places[s] != NOWHERE and s not in state.arrivals]
    guarded = own or [ship]
    return sorted(enemies, key=lambda s: min(_apart(state.places[s], state.places[m]) for m in guarded))[:1]


def _under_way(state: State, seat: int) -> list[int]:
    """The merchants of the seat that still have something to reach."""
    afloat = [s for s in FLEETS[seat] if is_merchant(s) and state.places[s] != NOWHERE]
    return [s for s in afloat if s not in state.arrivals]


def _danger(state: State, seat: int, place: int) -> float:
    """How much the enemy could do to a ship there."""
    board = load_board()
    if place in board.neutral:
        return 0.0
    worth, near = 1.0 * (place in board.batteries[1 - seat]), board.reach[min(4, len(board.reach) - 1)][place]
    for enemy in FLEETS[1 - seat]:
        where = state.places[enemy]
        if where != NOWHERE and near >> where & 1:
            worth += 0.3
    return worth


def _goal(state: State, ship: int) -> Places:
    """The anchor places the merchant makes for, as far as no other ship lies there."""
    board, seat = load_board(), seat_of(ship)
    is_outbound = state.settings.edition is Edition.SHORT or not state.cargo[ship]
    goal = board.destination[seat] if is_outbound else board.home[seat]
    return (goal - (set(state.places) - {state.places[ship]})) or goal


def _apart(one: int, other: int) -> int:
    """The distance of two fields over anything."""
    (q, r), (s, t) = load_board().fields[one], load_board().fields[other]
    return (abs(q - s) + abs(r - t) + abs(q + r - s - t)) // 2


def _steps(ship: int, goals: Places) -> tuple[int, ...]:
    return _measure(seat_of(ship), goals, is_merchant=is_merchant(ship))


@functools.lru_cache(maxsize=1024)
def _measure(seat: int, goals: Places, *, is_merchant: bool) -> tuple[int, ...]:
    """By field: the steps to a goal for such a ship without entering enemy anchor places."""
    board = load_board()
    ship = FLEETS[seat][0 if is_merchant else -1]
    steps, queue = [_FAR] * len(board.fields), deque(goals)
    for goal in goals:
        steps[goal] = 0
    while queue:
        here = queue.popleft()
        for there in board.ahead[here][1:]:
            if there == NOWHERE or steps[there] < _FAR or there in board.hostile[ship]:
                continue
            if is_merchant or there not in board.neutral:
                steps[there] = steps[here] + 1
                queue.append(there)
    return tuple(steps)


def _choose_shot(state: State, _seat: int, actions: Sequence[a.Action]) -> a.Action:
    """The most valuable target that somebody can fire at; firing costs nothing."""
    return max(actions, key=lambda shot: _weigh_shot(state, shot))


def _weigh_shot(state: State, shot: a.Action) -> float:
    return _weigh_target(state, NUMBER[shot.target]) if isinstance(shot, a.Fire | a.FireBattery) else 0.0


_CHOOSERS: Mapping[Phase, Callable[[State, int, Sequence[a.Action]], a.Action]] = {
    Phase.SETUP: _choose_facings,
    Phase.WIND: _choose_wind,
    Phase.MOVE: _choose_move,
    Phase.BATTERY: _choose_shot,
    Phase.FIRE: _choose_shot,
}
