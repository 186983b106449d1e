"""The Position: what is on the table (SPEC, 10.2). Hidden values stand beside the seat that sees them."""

from dataclasses import dataclass

from services.rules.games.ruhe import grid
from services.rules.games.ruhe.events import Cards
from services.rules.games.ruhe.model import ActiveStorm, Departure, Kind, LyingCard, Result, Settings, State


@dataclass(frozen=True, slots=True)
class Seat:
    """Only the seat itself sees its hand."""

    seat: int
    hand: Cards | None
    hand_size: int
    pile_size: int
    discard_size: int
    limit: int


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """The seat owes a turn action."""

    seat: int


@dataclass(frozen=True, slots=True)
class RockDecision:
    """The seat moves the rock or pays."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """Only the seat itself sees its cap."""

    seat: int
    n: int | None
    previous: int | None
    cap: int | None
    blind: int


@dataclass(frozen=True, slots=True)
class OfferDecision:
    """Every seat without an `n` owes one."""

    round: int
    required: int
    seats: tuple[SeatOffer, ...]


@dataclass(frozen=True, slots=True)
class PickDecision:
    """`split` and `blind` by seat; `waiting` seats owe their discards."""

    split: tuple[int, ...]
    blind: tuple[int, ...]
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowDecision:
    """`seat` drew the storm; `waiting` seats may pass."""

    storm: str
    seat: int
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowDecision:
    """`seat` chooses the row of its violet storm."""

    storm: str
    seat: int


@dataclass(frozen=True, slots=True)
class CutDecision:
    """`seat` discards `count` cards for its yellow storm."""

    storm: str
    seat: int
    count: int


Pending = TurnDecision | RockDecision | OfferDecision | PickDecision | WindowDecision | RowDecision | CutDecision


@dataclass(frozen=True, slots=True)
class Reveal:
    """Everything that was hidden, by seat (R-RUH-38)."""

    hands: tuple[Cards, ...]
    piles: tuple[Cards, ...]
    discards: tuple[Cards, ...]
    removed: Cards


@dataclass(frozen=True, slots=True)
class Position:
    """`grid` holds 36 numbers, 0 = empty; `reveal` and `result` come with the end."""

    settings: Settings
    turn: int
    active: int
    start_seat: int
    grid: tuple[int, ...]
    start: LyingCard | None
    finish: LyingCard | None
    rock: int | None
    compasses: int
    compasses_earned: int
    storms: tuple[ActiveStorm, ...]
    gone: tuple[str, ...]
    seats: tuple[Seat, ...]
    pending: Pending | None
    is_finish_blocked: bool
    reveal: Reveal | None
    result: Result | None


def position(state: State) -> Position:
    """What is on the table, for no viewer in particular."""
    return Position(
        settings=state.settings,
        turn=state.turn,
        active=state.active,
        start_seat=state.start_seat,
        grid=state.grid,
        start=state.start,
        finish=state.finish,
        rock=state.rock,
        compasses=state.compasses,
        compasses_earned=state.compasses_earned,
        storms=state.storms,
        gone=state.gone,
        seats=tuple(_seat(state, seat) for seat in range(len(state.hands))),
        pending=_decision(state),
        is_finish_blocked=grid.is_finish_blocked(state),
        reveal=_reveal(state) if state.result else None,
        result=state.result,
    )


def _seat(state: State, seat: int) -> Seat:
    hand = state.hands[seat]
    sizes = (len(hand), len(state.piles[seat]), len(state.discards[seat]))
    return Seat(seat, Cards(hand), *sizes, grid.limit(state, seat))


def _decision(state: State) -> Pending | None:  # noqa: PLR0911 - one return per kind
    pending, departure = state.pending, state.departure
    if pending is None:
        return None
    match pending.kind:
        case Kind.TURN:
            return TurnDecision(pending.seat)
        case Kind.ROCK:
            return RockDecision(pending.seat)
        case Kind.STORM_WINDOW:
            return WindowDecision(pending.storm, pending.seat, pending.waiting)
        case Kind.STORM_ROW:
            return RowDecision(pending.storm, pending.seat)
        case Kind.STORM_DISCARD:
            return CutDecision(pending.storm, pending.seat, pending.count)
        case Kind.OFFER if departure:
            return OfferDecision(departure.round, departure.required, _offers(departure))
        case Kind.PICK if departure:
            return PickDecision(departure.split, departure.blind, departure.waiting)
    raise ValueError("no departure is open")


def _offers(departure: Departure) -> tuple[SeatOffer, ...]:
    previous = departure.previous or (None,) * len(departure.caps)
    rows = zip(departure.offers, previous, departure.caps, departure.blind, strict=True)
    return tuple(SeatOffer(seat, *row) for seat, row in enumerate(rows))


def _reveal(state: State) -> Reveal:
    hands, piles, discards = (tuple(map(Cards, each)) for each in (state.hands, state.piles, state.discards))
    return Reveal(hands, piles, discards, Cards(state.removed))
