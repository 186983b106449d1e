"""Lines of fire against the geometry that R-SEE-28 to R-SEE-31 describe in words, and the mirror of R-SEE-02."""

import itertools
from dataclasses import replace

from services.kit.draws import SeededDraws
from services.rules.game import Illegal
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht.action import EndFiring, Fire
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.chart import STEPS, Point
from services.rules.games.seeschlacht.gunnery import list_shots
from services.rules.games.seeschlacht.model import FLEETS, SHIPS, Phase, State, Wind, turned
from services.rules.games.seeschlacht.movement import list_paths
from services.rules.games.seeschlacht.tests.test_movement import crowd

MIRROR = (0, 1, 6, 5, 4, 3, 2)


def is_over_land(start: Point, u: Point, v: Point, goal: Point) -> bool:
    """Whether the line passes a land point or crosses an edge between two; `goal` counts steps along u and v."""
    near = list(itertools.product(range(-1, 5), repeat=2))
    land = {(i, j) for i, j in near if (start[0] + i * u[0] + j * v[0], start[1] + i * u[1] + j * v[1]) not in WATER}
    inner = {p for p in land if not side(goal, p) and 0 <= p[0] <= goal[0] and 0 <= p[1] <= goal[1] and any(p)}
    edges = [(p, (p[0] + i, p[1] + j)) for p in land for i, j in ((1, 0), (0, 1), (1, -1))]
    return bool(inner) or any(crosses(goal, *edge) for edge in edges if edge[1] in land)


def side(goal: Point, p: Point) -> int:
    return goal[0] * p[1] - goal[1] * p[0]


def crosses(goal: Point, one: Point, other: Point) -> bool:
    """Whether the line from (0, 0) to `goal` crosses the edge between its ends."""
    along = other[0] - one[0], other[1] - one[1]
    ends = [along[0] * (p[1] - one[1]) - along[1] * (p[0] - one[0]) for p in ((0, 0), goal)]
    return side(goal, one) * side(goal, other) < 0 and ends[0] * ends[1] < 0


WATER = set(load_board().fields)


def test_arcs_are_broadsides_of_nine_fields_without_land_in_the_way() -> None:
    board, blocked = load_board(), 0
    for place in range(0, len(board.fields), 3):
        start = board.fields[place]
        for facing in range(1, 7):
            arc, found = board.arcs[place][(facing - 1) % 3], 0
            for first, second in ((1, 2), (-1, -2)):
                u, v = STEPS[turned(facing, first)], STEPS[turned(facing, second)]
                for a, b in itertools.product(range(4), repeat=2):
                    target = board.number.get((start[0] + a * u[0] + b * v[0], start[1] + a * u[1] + b * v[1]))
                    if target is None or not 1 <= a + b <= 3:
                        continue
                    found += 1
                    assert arc[target].line == a + b
                    assert arc[target].is_blocked == is_over_land(start, u, v, (a, b))
                    between = range(1, a + b) if not a or not b else range(0)
                    assert len(arc[target].between) == len(between)
                    blocked += arc[target].is_blocked
            assert found == len(arc)
    assert blocked > 100


def mirrored(state: State) -> State:
    """The same position seen in the mirror, the colours exchanged."""
    board = load_board()
    places = [board.number[-q, q + r] for q, r in (board.fields[place] for place in state.places)]
    order = [*FLEETS[1], *FLEETS[0]]
    return replace(
        state,
        seat=1 - state.seat,
        wind=Wind(state.wind.strength, MIRROR[state.wind.from_direction]),
        places=tuple(places[ship] for ship in order),
        facings=tuple(MIRROR[state.facings[ship]] for ship in order),
        hits=tuple(state.hits[ship] for ship in order),
    )


def test_the_game_is_the_same_in_the_mirror() -> None:
    swap, shots = str.maketrans("LR", "RL"), 0
    for seed in range(100):
        state = crowd(seed)
        other = mirrored(state)
        for ship in FLEETS[state.seat]:
            twin = (ship + 10) % 20
            paths = {path.translate(swap) for path in list_paths(state, ship).paths}
            assert paths == set(list_paths(other, twin).paths)
        fire = [((ship + 10) % 20, (target + 10) % 20) for ship, target in list_shots(state)]
        assert fire == list_shots(other)
        shots += len(fire)
    assert shots > 500


def is_accepted(state: State, action: Fire, seed: int) -> bool:
    try:
        return bool(seeschlacht.decide(state, state.seat, action, SeededDraws(bytes([seed]) * 32)))
    except Illegal as refused:
        return refused.code not in {"OUT_OF_ARC", "TARGET_IN_NEUTRAL_HARBOUR", "LAND_IN_THE_WAY", "TARGET_COVERED"}


def test_what_is_listed_in_firing_is_what_is_accepted() -> None:
    for seed in range(10):
        state = replace(crowd(seed), phase=Phase.FIRE)
        pairs = itertools.product(FLEETS[state.seat], FLEETS[1 - state.seat])
        shots = [Fire(SHIPS[ship], SHIPS[target]) for ship, target in pairs]
        accepted = [shot for shot in shots if is_accepted(state, shot, seed)]
        assert list(seeschlacht.actions(state, state.seat)) == [*accepted, EndFiring()]
