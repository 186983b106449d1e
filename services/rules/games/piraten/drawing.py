"""The table as text: four strips of the loop, the hide-outs and the harbour above the spaces they lie beside."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from services.rules.games.piraten import board
from services.rules.games.piraten.components import letters, names
from services.rules.games.piraten.model import HOME, ISLAND, PRISON, Outcome, Phase, Position
from services.rules.games.piraten.words import say

WIDTH = 80
_CELL = 6
_ACROSS = 12


def draw(position: Position, viewer: int | None, language: str) -> str:
    """The table in at most 80 columns. A boat is its colour's letter and number, "Y12" yellow1 and yellow2."""
    lines = [
        *_head(position, language),
        "",
        *_places(position, language),
        "",
        *_sea(position, language),
        "",
        *_seats(position, viewer, language),
        *_turn(position, language),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _head(position: Position, language: str) -> Iterator[str]:
    left = say(language, str(position.settings.variant))
    phrase = "over" if position.phase is Phase.OVER else "turn"
    right = say(language, phrase, turn=position.turn, seat=position.seat)
    yield left + right.rjust(WIDTH - len(left))
    colours = (f"{letters()[o.colour]} {names(language)[o.colour]}" for o in position.owners)
    yield from wrap(say(language, "legend", letters=", ".join(colours)), WIDTH)


def _places(position: Position, language: str) -> Iterator[str]:
    for place, phrase in ((ISLAND, "waiting"), (PRISON, "captive"), (HOME, "rescued")):
        title = f"{names(language)[place]} ({say(language, phrase)})"
        yield f"{title:<30}{' '.join(_boats_at(position, place)) or '-'}"


def _sea(position: Position, language: str) -> Iterator[str]:
    table = board.load()
    for row in range(0, len(table.loop), _ACROSS):
        strip = table.loop[row : row + _ACROSS]
        if row:
            yield ""
        for lane in table.lanes:
            if lane.beside[0] in strip:
                note = say(language, "lane", name=names(language)[lane.id], fork=lane.fork, merge=lane.merge)
                yield from _lane(position, lane.spaces, strip.index(lane.beside[0]), note)
        if table.after[table.harbour_fork][0] in strip:
            note = say(language, "harbour", fork=table.harbour_fork)
            yield from _lane(position, table.goals, strip.index(table.after[table.harbour_fork][0]), note)
        yield from _cells(position, strip, 0)


def _lane(position: Position, spaces: Sequence[str], at: int, note: str) -> Iterator[str]:
    """A side lane; what it is stands beside it where there is room."""
    first, *rest = _cells(position, spaces, at)
    room = at * _CELL
    yield f"{note + ' ->':>{room}}{first[room:]}" if room > WIDTH // 3 else f"{first}  <- {note}"
    yield from rest


def _cells(position: Position, spaces: Sequence[str], at: int) -> Iterator[str]:
    """A line of spaces from column `at` on, and below it the lines of what stands there."""
    pad = " " * (2 + at * _CELL)
    yield pad + "".join(f"{space + _mark(space):<{_CELL}}" for space in spaces).rstrip()
    stacks = [[*_pirates_at(position, space), *_boats_at(position, space)] for space in spaces]
    for n in range(max(map(len, stacks))):
        tokens = (stack[n] if n < len(stack) else "" for stack in stacks)
        yield pad + "".join(f"{token:<{_CELL}}" for token in tokens)


def _mark(space: str) -> str:
    table = board.load()
    is_fork = len(table.after[space]) > 1
    return ("o" if space in table.rings else "") + (">" if is_fork else "")


def _boats_at(position: Position, place: str) -> list[str]:
    here = [boat.id for boat in position.boats if boat.place == place]
    groups = ((owner.colour, [b[-1] for b in here if b[:-1] == owner.colour]) for owner in position.owners)
    return [letters()[colour] + "".join(numbers) for colour, numbers in groups if numbers]


def _pirates_at(position: Position, space: str) -> list[str]:
    numbers = "".join(pirate.id[-1] for pirate in position.pirates if pirate.space == space)
    return [f"#{numbers}"] if numbers else []


def _seats(position: Position, viewer: int | None, language: str) -> Iterator[str]:
    has_cards = any(position.provisions) or position.provisions_removed
    parts = []
    for seat, own in enumerate(position.seat_colours):
        you = say(language, "you") if seat == viewer else ""
        colours = ", ".join(names(language)[colour] for colour in own.colours)
        n = position.provisions[seat]
        cards = ", " + say(language, "card" if n == 1 else "cards", n=n) if has_cards else ""
        parts.append(f"{_seat(seat, language)}{you}: {colours}{cards}")
    neutral = [names(language)[owner.colour] for owner in position.owners if owner.seat is None]
    parts += [f"{say(language, 'neutral')}: {colour}" for colour in neutral]
    yield from _pairs(parts)
    if has_cards:
        yield say(language, "box", removed=position.provisions_removed, box=position.provisions_in_box)


def _pairs(parts: Sequence[str]) -> Iterator[str]:
    """Two parts a line, the second in the middle unless one of them is too long for its half."""
    for left, right in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        middle = max(len(left) + 2, min(WIDTH // 2, WIDTH - len(right)))
        yield f"{left:<{middle}}{right}"


def _seat(seat: int, language: str) -> str:
    text = say(language, "seat", seat=seat)
    return text[0].upper() + text[1:]


def _turn(position: Position, language: str) -> Iterator[str]:
    if position.outcome is not None:
        yield say(language, "won" if position.outcome is Outcome.WON else str(position.reason))
        return
    if not position.dice:
        yield say(language, "dice_open")
    else:
        left = " ".join(map(str, position.dice_left)) or say(language, "nothing")
        halves = [say(language, "done" if d else "open") for d in (position.is_boat_done, position.is_pirate_done)]
        rolled = " ".join(map(str, position.dice))
        yield from wrap(say(language, "dice", dice=rolled, left=left, boat=halves[0], pirate=halves[1]), WIDTH)
    yield from wrap(_who_may(position, language), WIDTH)


def _who_may(position: Position, language: str) -> str:
    who, pending = _seat(position.seat, language), position.pending
    if pending is not None and position.phase is Phase.EXCHANGE:
        return say(language, "may_exchange", who=who, partner=say(language, "seat", seat=pending.partners[0]))
    if pending is not None:
        boat = names(language)[pending.boat]
        return say(language, "may_free", who=who, boat=boat, space=pending.space)
    if position.phase is Phase.ROLL:
        return say(language, "may_roll", who=who)
    boats = ", ".join(names(language)[boat] for boat in position.movable)
    sails = [say(language, "may_move", who=who, boats=boats)] if boats else []
    return " ".join(sails + ([] if position.is_pirate_done else [say(language, "may_pirate", who=who)]))
