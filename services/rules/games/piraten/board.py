"""The board, read from data/board.toml and checked (SPEC, section 3)."""

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources

from services.rules.games.piraten.layout import Layout, read_layout
from services.rules.games.piraten.model import ISLAND

Path = tuple[str, ...]

_DICE = range(1, 7)
_BAY = 3  # spaces
_FAR = 7  # what `Board.distance` gives at least for spaces from which no die reaches G2


@dataclass(frozen=True, slots=True)
class Lane:
    """A hide-out: a side lane from `fork` to `merge`, safe from pirates, beside some spaces of the main lane."""

    id: str
    name: str
    fork: str
    spaces: Path
    beside: Path
    merge: str


@dataclass(frozen=True, slots=True)
class Board:
    """The spaces and what follows from them. `after` gives each space's successors, the main lane's first."""

    after: Mapping[str, Path]
    loop: Path  # the blue spaces in sailing order, from the start space on
    lanes: tuple[Lane, ...]
    harbour_fork: str
    goals: Path
    rings: frozenset[str]
    pirate_spaces: Mapping[str, str]  # P1, P2, P3 -> space
    turn_limit_per_boat: int
    hideouts: frozenset[str] = field(init=False)
    routes: Mapping[tuple[str, int], tuple[Path, ...]] = field(init=False)
    courses: Mapping[tuple[str, int], Path] = field(init=False)  # a pirate's, along the loop (R-PIR-12)
    distance: Mapping[str, int] = field(init=False)  # fewest steps to the last goal

    def __post_init__(self) -> None:
        put = functools.partial(object.__setattr__, self)
        put("hideouts", frozenset(s for lane in self.lanes for s in lane.spaces))
        put("routes", {(s, n): tuple(self._chains(s, n)) for s in self.after for n in _DICE})
        ring = self.loop * 2
        put("courses", {(s, n): ring[i + 1 : i + 1 + n] for i, s in enumerate(self.loop) for n in _DICE})
        put("distance", self._distances())

    def _chains(self, space: str, n: int) -> Iterator[Path]:
        if n == 0:
            yield ()
            return
        for step in self.after[space]:
            for rest in self._chains(step, n - 1):
                yield (step, *rest)

    def _distances(self) -> dict[str, int]:
        found = {self.goals[-1]: 0}
        reached = [self.goals[-1]]
        while reached:
            target = reached.pop(0)
            for space in (s for s, steps in self.after.items() if target in steps and s not in found):
                found[space] = found[target] + 1
                reached.append(space)
        return found


@functools.cache
def load() -> Board:
    """The board of the game. Raises ValueError with what is wrong in the file."""
    text = resources.files(__package__).joinpath("data", "board.toml").read_text(encoding="utf-8")
    return read(text)


def read(text: str) -> Board:
    """The board that a file like board.toml describes. Raises ValueError where section 3 of the SPEC is not met."""
    layout = read_layout(text)
    after = {space.id: space.next for space in layout.space}
    after[ISLAND] = (layout.start,)
    board = _build(layout, after)
    _check_lanes(board)
    _check_reach(board)
    return board


def _build(layout: Layout, after: Mapping[str, Path]) -> Board:
    return Board(
        after=after,
        loop=_loop(layout, after),
        lanes=tuple(Lane(h.id, h.name, h.fork, h.lane, h.beside, h.merge) for h in layout.hideout),
        harbour_fork=layout.harbour.fork,
        goals=_goals(layout, after),
        rings=frozenset(space.id for space in layout.space if space.ring),
        pirate_spaces={picture.id: picture.space for picture in layout.pirate_space},
        turn_limit_per_boat=layout.turn_limit_per_boat,
    )


def _loop(layout: Layout, after: Mapping[str, Path]) -> Path:
    blue = {space.id for space in layout.space if space.kind == "blue"}
    loop = [layout.start]
    while (step := after[loop[-1]][0]) != layout.start:
        _check(step in blue and step not in loop, f"the main lane leaves the loop at {step}")
        loop.append(step)
    _check(set(loop) == blue, "the loop does not pass every blue space once")
    bay = {space.id for space in layout.space if space.zone == "bay"}
    _check(bay == set(loop[:_BAY]), f"the bay is not the first {_BAY} spaces from the start space on")
    return tuple(loop)


def _goals(layout: Layout, after: Mapping[str, Path]) -> Path:
    fork, goals = layout.harbour.fork, layout.harbour.goals
    _check(len(goals) == 2 and after[goals[0]] == goals[1:] and not after[goals[1]], "the harbour is not two goals")
    _check(after[fork][1:] == goals[:1], "the harbour does not begin at its fork")
    return goals


def _check_lanes(board: Board) -> None:
    loop = board.loop
    for lane in board.lanes:
        at = loop.index(lane.fork)
        beside = (loop * 2)[at + 1 : at + 1 + len(lane.beside)]
        _check(board.after[lane.fork] == beside[:1] + lane.spaces[:1], f"{lane.id} does not begin at its fork")
        _check(lane.beside == beside, f"{lane.id} does not lie beside {lane.beside}")
        _check(board.after[beside[-1]][0] == lane.merge, f"{lane.id} does not merge at {lane.merge}")
        steps = itertools.pairwise((*lane.spaces, lane.merge))
        _check(all(board.after[a] == (b,) for a, b in steps), f"{lane.id} is not one lane")
        _check(len(lane.spaces) == len(beside) + 1, f"{lane.id} is not one space longer than the main lane")


def _check_reach(board: Board) -> None:
    loop = board.loop
    forks = [i for i, s in enumerate(loop) if len(board.after[s]) == 2]
    _check({loop[i] for i in forks} == {lane.fork for lane in board.lanes} | {board.harbour_fork}, "another fork")
    gaps = [(b - a) % len(loop) for a, b in zip(forks, forks[1:] + forks[:1], strict=True)]
    _check(min(gaps) > max(_DICE), "two forks are within one move")
    _check(-(-len(loop) // 3) > max(_DICE), "three pirate ships could block one another")
    for space in board.after.keys() - set(board.goals):
        for n in _DICE:
            _check(1 <= len(board.routes[space, n]) <= 2, f"{space} has no or too many routes of {n}")
    _check(board.rings <= set(loop) and len(board.rings) == 2, "there are not two life rings on blue spaces")
    starts = set(board.pirate_spaces.values())
    _check(tuple(board.pirate_spaces) == ("P1", "P2", "P3") and len(starts) == 3, "not three pirate pictures")
    _check(starts <= set(loop), "a pirate picture not at a blue space")
    near = loop[loop.index(board.harbour_fork) - 4 : loop.index(board.harbour_fork) + 1]
    _check([board.distance[s] for s in near] == [6, 5, 4, 3, 2], "the harbour is not two steps from its fork")
    far = board.after.keys() - set(near) - set(board.goals)
    _check(all(board.distance[s] >= _FAR for s in far), "a second way into the harbour")


def _check(is_met: bool, problem: str) -> None:
    if not is_met:
        raise ValueError(f"board.toml: {problem}")
