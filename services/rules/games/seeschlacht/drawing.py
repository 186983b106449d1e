"""The position as text: the chart with the ships on it, the wind, and a list of both fleets.

A field is named by its row, a letter, and its column, a number, as the rims of the drawing show. Two lines of text make
a row: neighbouring columns lie half a field apart.
"""

import functools

from services.rules.games.seeschlacht.board import Board, load_board
from services.rules.games.seeschlacht.chart import neighbours
from services.rules.games.seeschlacht.event import Field
from services.rules.games.seeschlacht.model import FLEETS, LIMITS, NUMBER, SEATS, Edition, turned
from services.rules.games.seeschlacht.phrases import ARROWS, say
from services.rules.games.seeschlacht.positions import Position, Ship
from services.rules.games.seeschlacht.wind import read_rose

_HALF = 39  # columns of a fleet's list
_CELL = 4  # columns of a field


def draw(position: Position, viewer: int | None, language: str) -> str:
    """The whole picture, at most 80 columns wide, for a chart of at most 36 columns and 26 rows."""
    lines = [
        *_draw_head(position, viewer, language),
        *_draw_chart(load_board(), position),
        *_draw_weather(position, language),
        *_draw_fleets(position, language),
        say("ships_legend", language),
        say("chart_legend", language),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def name_field(field: Field) -> str:
    """The field as the drawing names it: "K17" is row K, column 17."""
    frame = load_board().chart.frame
    return f"{_row(2 * field.r + field.q - frame.y_min)}{field.q - frame.q_min + 1}"


def _row(line: int) -> str:
    return chr(ord("A") + line // 2)


def _draw_head(position: Position, viewer: int | None, language: str) -> list[str]:
    edition, seat = say(position.settings.edition.value, language), say(SEATS[position.seat], language)
    phase = say(position.phase.value, language)
    lines = [say("head", language, edition=edition, turn=position.turn, seat=seat, phase=phase)]
    if position.result:
        lines.append(say_result(position, language))
    if viewer is not None:
        lines[0] += f". {say('you', language, seat=say(SEATS[viewer], language))}"
    return lines


def _draw_weather(position: Position, language: str) -> list[str]:
    """Wind and points, below the chart: on a low terminal they stay in sight, beside the actions."""
    wind, rose = position.wind, read_rose(position.wind, is_heavily_damaged=False)
    lines = [
        say(
            "wind",
            language,
            strength=say(f"wind_{wind.strength.value}", language),
            colour=say(f"die_{wind.strength.value}", language),
            origin=wind.from_direction,
            arrow=ARROWS[turned(wind.from_direction, 3)],
            rose=" ".join(f"{ARROWS[d]}{rose[d]}" for d in range(1, 7)),
        )
    ]
    if position.settings.edition is Edition.SHORT:
        arrived = " ".join(position.arrivals) or say("nobody", language)
        lines.append(say("score", language, *position.score, arrived=arrived))
    return lines


def say_result(position: Position, language: str) -> str:
    """How the match ended, "" while it goes on."""
    result = position.result
    if not result:
        return ""
    reason = say(result.reason.value, language)
    if position.settings.edition is Edition.SHORT:
        reason = say("points", language, *result.points, reason=reason)
    if result.winner is None:
        return say("GameDrawn", language, reason=reason)
    return say("GameEnded", language, winner=say(SEATS[result.winner], language), reason=reason)


def _draw_chart(board: Board, position: Position) -> list[str]:
    frame = board.chart.frame
    ships = {(s.field.q, s.field.r): s.id + ARROWS[s.direction or 0] for s in position.ships if s.field}
    cells = _draw_disc(board, position) | _draw_waters() | ships
    columns = range(frame.q_min, frame.q_max + 1)
    width = 2 * len(columns) + 2
    rims = [["  "] * (len(columns) + 1) for _ in range(2)]
    for q in columns:
        rims[(q - frame.y_min) % 2][q - frame.q_min] = f"{q - frame.q_min + 1:2}"
    lines = ["  " + "".join(rim) for rim in rims]
    for line in range(frame.y_max - frame.y_min + 1):
        text = ["#"] * width
        for q in columns:
            y = line + frame.y_min
            if (y - q) % 2 == 0:
                x = 2 * (q - frame.q_min)
                text[x : x + _CELL] = cells.get((q, (y - q) // 2), "####")
        letter = _row(line) if line % 2 == 0 else " "
        lines.append(f"{letter} {''.join(text)} {letter}")
    return lines


@functools.cache
def _draw_waters() -> dict[tuple[int, int], str]:
    """All fields without ships."""
    board = load_board()
    return {point: _draw_water(board, place) for place, point in enumerate(board.fields)}


def _draw_water(board: Board, place: int) -> str:
    """The field without a ship."""
    harbour = board.harbour[place]
    if harbour:
        anchor = ("@" if any(place in dotted for dotted in board.repair) else "o") if place in board.anchor else " "
        return f" {harbour[0]}{anchor} "
    shelling = [seat for seat, covered in enumerate(board.batteries) if place in covered]
    return f" *{SEATS[shelling[0]][0]} " if shelling else " .  "


def _draw_disc(board: Board, position: Position) -> dict[tuple[int, int], str]:
    """The numbers of the directions around an arrow that shows where the wind blows to."""
    disc = board.chart.wind_disc
    cells = {point: f" {d}  " for d, point in enumerate(neighbours(disc.at), 1) if point in disc.points}
    return cells | {disc.at: f" {ARROWS[turned(position.wind.from_direction, 3)]}  "}


def _draw_fleets(position: Position, language: str) -> list[str]:
    left, right = ([_draw_ship(position, position.ships[n], language) for n in fleet] for fleet in FLEETS)
    return [f"{white:{_HALF}.{_HALF}} {yellow:.{_HALF}}" for white, yellow in zip(left, right, strict=True)]


def _draw_ship(position: Position, ship: Ship, language: str) -> str:
    if not ship.field:
        return f"{ship.id} {say('sunk', language)}"
    marks = {
        "laden": ship.has_cargo,
        "must": ship.must_move,
        "moved": ship.id in position.moved,
        "loaded": ship.id in position.loaded,
        "repaired": ship.id in position.repaired,
        "fired": ship.id in position.fired,
        "shelled": ship.id in position.shelled,
    }
    words = [say(word, language) for word, is_so in marks.items() if is_so]
    where = f"{name_field(ship.field)}{ARROWS[ship.direction or 0]}"
    return f"{ship.id} {where:4} {ship.hits}/{LIMITS[NUMBER[ship.id]]} {' '.join(words)}"
