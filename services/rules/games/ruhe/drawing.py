"""A redacted position as text: the grid, the seats, the storms, the own hand with its costs, the open decision."""

from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from services.rules.games.ruhe import cards, components, grid, table
from services.rules.games.ruhe.components import card_name, list_names
from services.rules.games.ruhe.model import CELLS, ROWS, WIDTH, ActiveStorm, Colour
from services.rules.games.ruhe.table import Position
from services.rules.games.ruhe.words import say

_COLUMNS = 80


def draw(position: Position, viewer: int | None, language: str) -> str:
    """At most 80 columns. `(20)` is the empty cell 20, a number without brackets an island."""
    lines = [
        *_head(position, language),
        *(_row(position, row, language) for row in reversed(range(ROWS))),
        *_seats(position, language),
        *_public(position, language),
        *(_hand(position, viewer, language) if viewer is not None and not position.reveal else ()),
        *_decision(position, viewer, language),
        *_end(position, language),
    ]
    return "\n".join(short for line in lines for short in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    return [line] if len(line) <= _COLUMNS else wrap(line, _COLUMNS, subsequent_indent="    ")


def _head(position: Position, language: str) -> Iterator[str]:
    settings = position.settings
    name = "head_over" if position.result else "head"
    yield say(language, name, title=components.title(language), turn=position.turn, active=position.active)
    chosen = [say(language, "options", difficulty=components.difficulty_name(settings.difficulty, language))]
    chosen += [say(language, "rocks")] if settings.rocks else []
    chosen += [say(language, "monsters", n=settings.monsters)] if settings.monsters else []
    chosen += [say(language, "storms")] if settings.storms else []
    yield ", ".join(chosen)


def _row(position: Position, row: int, language: str) -> str:
    cells = range(row * WIDTH, row * WIDTH + WIDTH)
    drawn = "".join(f"{n:^6}" if (n := position.grid[cell]) else f"{f'({cell})':^6}" for cell in cells)
    marks = [say(language, "rock_here")] if position.rock == row else []
    marks += [say(language, "violet_here", storm=s.storm) for s in position.storms if s.row == row]
    marks += [say(language, "full")] if grid.is_full_row(position.grid, row) else []
    return f"{say(language, 'row'):>6} {row} |{drawn}| {', '.join(marks)}".rstrip()


def _seats(position: Position, language: str) -> Iterator[str]:
    heads = say(language, "seats")
    yield heads
    widths = [len(part) for part in heads.split()]
    for seat in position.seats:
        values = (seat.seat, seat.hand_size, seat.limit, seat.pile_size, seat.discard_size)
        yield "  ".join(f"{value:>{width}}" for value, width in zip(values, widths, strict=True))


def _public(position: Position, language: str) -> Iterator[str]:
    for card, name in ((position.start, "lying_start"), (position.finish, "lying_finish")):
        if card is not None:
            yield say(language, name, card=card.card, seat=card.seat)
    if position.start is None:
        yield say(language, "no_start")
    if position.settings.storms:
        yield say(language, "compasses", n=position.compasses, earned=position.compasses_earned)
    if position.storms:
        yield say(language, "active_storms", storms="; ".join(_storm(s, language) for s in position.storms))
    if position.gone:
        yield say(language, "gone", cards=list_names(position.gone, language))
    if position.is_finish_blocked:
        yield say(language, "blocked")


def _storm(storm: ActiveStorm, language: str) -> str:
    name = components.kind_name(storm.storm[0], language)
    if storm.row is None:
        return say(language, "holder", storm=storm.storm, name=name, seat=storm.seat)
    return say(language, "closer", storm=storm.storm, name=name, row=storm.row)


def _hand(position: Position, viewer: int, language: str) -> Iterator[str]:
    hand = position.seats[viewer].hand if viewer < len(position.seats) else None
    if hand is not None:
        yield say(language, "hand", seat=viewer, cards=list_names(hand.cards, language))
        numbers = [cards.number(card) for card in hand.cards if card[0] == "I"]
        is_bound = any(storm.colour is Colour.ORANGE and storm.seat == viewer for storm in position.storms)
        yield from (_costs(position.grid, n, language, is_bound=is_bound) for n in numbers)


def _costs(held: tuple[int, ...], n: int, language: str, *, is_bound: bool) -> str:
    """Where the number may lie and what it costs beside its neighbours, rows closed or not.

    Who is bound by an orange storm may place beside neighbours only (R-RUH-32).
    """
    first = max((i for i, other in enumerate(held) if 0 < other < n), default=-1) + 1
    last = min((i for i, other in enumerate(held) if other > n), default=CELLS) - 1
    ends = dict.fromkeys(cell for cell in (first, last) if first <= last and grid.neighbours(held, cell))
    if first > last or (is_bound and not ends):
        return say(language, "nowhere", n=n)
    prices = ", ".join(say(language, "price", cell=cell, cost=grid.cost(held, cell, n)) for cell in ends)
    if is_bound:
        return say(language, "bound", n=n, prices=prices)
    beside = say(language, "beside", prices=prices) if prices else ""
    beside += say(language, "free") if len(ends) <= last - first else ""
    return say(language, "costs" if first < last else "cost", n=n, first=first, last=last, beside=beside)


def _decision(position: Position, viewer: int | None, language: str) -> Iterator[str]:
    if position.pending is not None:
        yield from _DECISIONS[type(position.pending)](position.pending, viewer, language)


def _turn(decision: table.TurnDecision, _viewer: int | None, language: str) -> Iterator[str]:
    yield say(language, "turn_decision", seat=decision.seat)


def _rock(decision: table.RockDecision, _viewer: int | None, language: str) -> Iterator[str]:
    yield say(language, "rock_decision", seat=decision.seat)


def _offer(decision: table.OfferDecision, viewer: int | None, language: str) -> Iterator[str]:
    yield say(language, "offer_decision", round=decision.round, required=decision.required)
    yield say(language, "offers", offers=_numbers({s.seat: s.n for s in decision.seats}, language))
    if decision.round > 1:
        yield say(language, "previous", offers=_numbers({s.seat: s.previous for s in decision.seats}, language))
    for seat in decision.seats:
        if seat.seat == viewer and seat.cap is not None:
            yield say(language, "cap_blind" if seat.blind else "cap", cap=seat.cap, blind=seat.blind)


def _numbers(values: Mapping[int, int | None], language: str) -> str:
    said = (say(language, "offer", seat=seat, n="?" if n is None else n) for seat, n in values.items())
    return ", ".join(said)


def _pick(decision: table.PickDecision, _viewer: int | None, language: str) -> Iterator[str]:
    split = _listed(decision.split)
    yield say(language, "pick_decision", split=split, waiting=_listed(decision.waiting))
    if any(decision.blind):
        yield say(language, "pick_blind", blind=_listed(decision.blind))


def _listed(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))


def _window(decision: table.WindowDecision, _viewer: int | None, language: str) -> Iterator[str]:
    storm = card_name(decision.storm, language)
    yield say(language, "window_decision", seat=decision.seat, storm=storm, waiting=_listed(decision.waiting))


def _closing(decision: table.RowDecision, _viewer: int | None, language: str) -> Iterator[str]:
    yield say(language, "row_decision", seat=decision.seat, storm=card_name(decision.storm, language))


def _cut(decision: table.CutDecision, _viewer: int | None, language: str) -> Iterator[str]:
    storm = card_name(decision.storm, language)
    yield say(language, "cut_decision", seat=decision.seat, storm=storm, count=decision.count)


_DECISIONS: Mapping[type, Callable[[Any, int | None, str], Iterator[str]]] = {
    table.TurnDecision: _turn,
    table.RockDecision: _rock,
    table.OfferDecision: _offer,
    table.PickDecision: _pick,
    table.WindowDecision: _window,
    table.RowDecision: _closing,
    table.CutDecision: _cut,
}


def _end(position: Position, language: str) -> Iterator[str]:
    if position.result is not None:
        yield say(language, position.result.reason, seat=position.result.seat)
    if position.reveal is not None:
        for seat, hand in enumerate(position.reveal.hands):
            yield say(language, "reveal_hand", seat=seat, cards=list_names(hand.cards, language))
        if position.reveal.removed.cards:
            yield say(language, "reveal_removed", cards=list_names(position.reveal.removed.cards, language))
