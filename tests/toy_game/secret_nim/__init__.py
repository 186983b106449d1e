"""Nim with secret limits: a whole game in one file, for tests of what must work for every game.

Each of 2 to 4 seats holds a limit card (1 to 4), seen by itself only. In turn a seat takes 1 to its limit stones, or,
once a match, draws another limit instead. Who takes the last stone wins.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from services.rules.game import Description, Draws, Illegal
from services.rules.game import Status as GameStatus

CARDS = (1, 1, 2, 2, 3, 3, 4, 4)

DESCRIPTION = Description(
    id="secret_nim",
    title={"en": "Secret Nim", "de": "Geheimes Nim"},
    rules_version="1.0.0",
    min_seats=2,
    max_seats=4,
    default_seats=2,
    is_cooperative=False,
    has_hidden_information=True,
    assets={"cards.json": "application/json"},
    refusals={
        "BAD_SETTINGS": "The heap has 1 to 60 stones.",
        "BAD_SEATS": "2 to 4 seats play.",
        "GAME_OVER": "The last stone is gone.",
        "NOT_YOUR_TURN": "It is another seat's turn.",
        "BAD_COUNT": "1 to your limit, and no more than are left.",
        "ALREADY_SWAPPED": "A limit is exchanged once a match.",
    },
)


@dataclass(frozen=True, slots=True)
class Settings:
    stones: int


@dataclass(frozen=True, slots=True)
class Take:
    count: int


@dataclass(frozen=True, slots=True)
class Swap:
    pass


@dataclass(frozen=True, slots=True)
class Begun:
    first: int


@dataclass(frozen=True, slots=True)
class Dealt:
    seat: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class Taken:
    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class Swapped:
    seat: int
    limit: int | None
    place: int | None


@dataclass(frozen=True, slots=True)
class Ended:
    winner: int


@dataclass(frozen=True, slots=True)
class Player:
    seat: int
    limit: int | None
    has_swapped: bool
    most: int


@dataclass(frozen=True, slots=True)
class Position:
    heap: int
    turn: int | None
    players: tuple[Player, ...]
    winner: int | None


@dataclass(frozen=True, slots=True)
class State:
    heap: int
    turn: int
    players: tuple[Player, ...]
    pile: tuple[int, ...]  # the cards nobody holds, ascending
    winner: int | None = None


Action = Take | Swap
Event = Begun | Dealt | Taken | Swapped | Ended

DEFAULTS = Settings(stones=17)
SAMPLES = ((DEFAULTS, 2), (Settings(stones=30), 4))
TELLS: Mapping[str, Any] = {}


def initial(settings: Settings, seats: int) -> State:
    if not 1 <= settings.stones <= 60:
        raise Illegal("BAD_SETTINGS")
    if not 2 <= seats <= 4:
        raise Illegal("BAD_SEATS")
    return State(settings.stones, 0, tuple(Player(i, None, has_swapped=False, most=0) for i in range(seats)), CARDS)


def start(state: State, draws: Draws) -> tuple[Event, ...]:
    seats = len(state.players)
    dealt = draws.sample("limits", CARDS, seats)
    first = draws.below("first", seats)
    return (Begun(first), *(Dealt(i, card) for i, card in enumerate(dealt)))


def decide(state: State, seat: int, action: Action, draws: Draws) -> tuple[Event, ...]:
    if state.winner is not None:
        raise Illegal("GAME_OVER")
    if seat != state.turn:
        raise Illegal("NOT_YOUR_TURN")
    player = state.players[seat]
    if isinstance(action, Take):
        if not 1 <= action.count <= min(player.limit or 0, state.heap):
            raise Illegal("BAD_COUNT")
        taken = Taken(seat, action.count)
        return (taken, Ended(seat)) if action.count == state.heap else (taken,)
    if player.has_swapped:
        raise Illegal("ALREADY_SWAPPED")
    place = draws.below("card", len(state.pile))
    return (Swapped(seat, state.pile[place], place),)


def evolve(state: State, event: Event) -> State:
    if isinstance(event, Begun):
        return replace(state, turn=event.first)
    if isinstance(event, Ended):
        return replace(state, winner=event.winner)
    if isinstance(event, Dealt):
        pile = list(state.pile)
        pile.remove(event.limit or 0)
        return _with(replace(state, pile=tuple(pile)), replace(state.players[event.seat], limit=event.limit))
    player, after = state.players[event.seat], replace(state, turn=(event.seat + 1) % len(state.players))
    if isinstance(event, Taken):
        return replace(_with(after, replace(player, most=max(player.most, event.count))), heap=state.heap - event.count)
    pile = list(state.pile)
    pile.remove(event.limit or 0)
    pile = sorted([*pile, player.limit or 0])
    return _with(replace(after, pile=tuple(pile)), Player(event.seat, event.limit, has_swapped=True, most=0))


def _with(state: State, player: Player) -> State:
    return replace(state, players=(*state.players[: player.seat], player, *state.players[player.seat + 1 :]))


def status(state: State) -> GameStatus:
    if state.winner is None:
        return GameStatus(turn=(state.turn,), may_act=(state.turn,))
    scores = tuple(float(p.seat == state.winner) for p in state.players)
    return GameStatus(scores=scores, reason="LAST_STONE")


def actions(state: State, seat: int) -> Iterable[Action]:
    if state.winner is not None or seat != state.turn:
        return
    player = state.players[seat]
    yield from (Take(n) for n in range(1, min(player.limit or 0, state.heap) + 1))
    if not player.has_swapped:
        yield Swap()


def position(state: State) -> Position:
    turn = state.turn if state.winner is None else None
    return Position(state.heap, turn, state.players, state.winner)


def draw(position: Position, viewer: int | None, language: str) -> str:
    heap = {"de": "Haufen"}.get(language, "Heap")
    lines = [f"{heap}: {position.heap}"]
    lines += [
        f"{'>' if p.seat == position.turn else ' '} {p.seat}{'*' if p.seat == viewer else ''}: {p.limit or '?'}"
        for p in position.players
    ]
    return "\n".join(lines)


def label(position: Position, seat: int, action: Action, language: str) -> str:
    if isinstance(action, Take):
        return f"{'nimm' if language == 'de' else 'take'} {action.count}"
    limit = position.players[seat].limit
    return f"tausche die {limit}" if language == "de" else f"swap the {limit}"


def tell(event: Event, language: str) -> str:
    del language
    match event:
        case Taken(seat, count):
            return f"Seat {seat} takes {count}."
        case Swapped(seat):
            return f"Seat {seat} draws another limit."
        case Ended(winner):
            return f"Seat {winner} wins."
    return ""


def worlds(state: State, seat: int | None, draws: Draws) -> Iterator[State]:
    """Deals what the seat does not see anew, limits never below what their holder was seen to take."""
    while True:
        hidden = [p for p in state.players if p.seat != seat]
        cards = draws.shuffle("world", (*(p.limit or 0 for p in hidden), *state.pile))
        if all(card >= p.most for card, p in zip(cards, hidden, strict=False)):
            world = replace(state, pile=tuple(sorted(cards[len(hidden) :])))
            for card, p in zip(cards, hidden, strict=False):
                world = _with(world, replace(p, limit=card))
            yield world
