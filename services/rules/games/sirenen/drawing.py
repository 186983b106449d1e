"""The table as text of at most 80 columns: the viewer's side below, the other above, the ships between them.

A legend below the ships says what the marks mean.
"""

import textwrap
from collections.abc import Iterator, Mapping

from services.rules.games.sirenen.labels import name_card, name_crew, name_end, speak
from services.rules.games.sirenen.model import Phase, PlayerView, Position, ShipView

_WIDTH = 79
_LABEL = 9
_CELL = 14

_TEXT: Mapping[str, Mapping[str, str]] = {
    "en": {
        "BASE": "base game",
        "OWN_DECKS": "more tactics from bow to rear",
        "seat": "Seat",
        "you": " (you)",
        "side": "side {}",
        "ship": "ship",
        "28": "28 bow",
        "36": "36 rear",
        "needs": "needs",
        "rum": "rum",
        "crew": "crew",
        "waits": "The cards are not dealt yet.",
        "select": "Both seats keep four cards each; still to choose: {}.",
        "main": "Seat {} must play a card or use the octopus.",
        "after": "Seat {} may use the rum or end the turn.",
        "move": "Seat {} must move the {} from {} to {} or {}.",
        "won": "The end ({}): {}:{}, seat {} wins.",
        "drawn": "The end ({}): {}:{}, nobody wins.",
        "points": "points {}",
        "cards": "cards {}",
        "mug": "mug held",
        "no_mug": "mug used",
        "octopus": "octopus held",
        "octopus_on": "octopus on {}",
        "hand": "  hand: ",
        "pool": "  left in the set: ",
        "scored": "scored {}",
        "pile": "Draw pile: {}",
        "piles": "Draw piles: {} and {}",
        "removed": "out of the game: ",
        "nothing": "none",
        "legend": "* moves the crew   ~ under an octopus   = total of the side",
    },
    "de": {
        "BASE": "Grundspiel",
        "OWN_DECKS": "Mehr Taktik von Bug bis Heck",
        "seat": "Platz",
        "you": " (du)",
        "side": "Seite {}",
        "ship": "Schiff",
        "28": "28 Bug",
        "36": "36 Heck",
        "needs": "braucht",
        "rum": "Rum",
        "crew": "an Bord",
        "waits": "Die Karten sind noch nicht gegeben.",
        "select": "Beide behalten je vier Karten; noch zu wählen: {}.",
        "main": "Platz {} muss eine Karte spielen oder die Krake einsetzen.",
        "after": "Platz {} kann Rum ausschenken oder den Zug beenden.",
        "move": "Platz {} muss den {} von {} nach {} oder {} schicken.",
        "won": "Ende ({}): {}:{}, Platz {} gewinnt.",
        "drawn": "Ende ({}): {}:{}, niemand gewinnt.",
        "points": "Punkte {}",
        "cards": "Karten {}",
        "mug": "Krug da",
        "no_mug": "Krug weg",
        "octopus": "Krake da",
        "octopus_on": "Krake auf {}",
        "hand": "  Hand: ",
        "pool": "  noch im Satz: ",
        "scored": "gewonnen {}",
        "pile": "Stapel: {}",
        "piles": "Stapel: {} und {}",
        "removed": "aus dem Spiel: ",
        "nothing": "keine",
        "legend": "* bewegt die Mannschaft   ~ unter einer Krake   = Summe der Seite",
    },
}


def draw(position: Position, viewer: int | None, language: str) -> str:
    """The redacted position as text, lines without trailing spaces. Languages "en" and "de", others as "en"."""
    language = speak(language)
    near = 0 if viewer is None else viewer
    lines = [
        f"Sirenen in Sicht · {_TEXT[language][position.variant.value]}",
        *_wrap("", _situation(position, language)),
    ]
    if position.ships:
        lines += ["", *_draw_side(position, 1 - near, language, is_far=True), *_draw_ships(position, language)]
        lines += _draw_side(position, near, language, is_far=False)
        lines.append(_TEXT[language]["legend"])
    lines.append("")
    for seat in (1 - near, near):
        lines += _draw_player(position, position.players[seat], language, is_viewer=seat == viewer)
    lines += _draw_rest(position, language)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrap(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=label, subsequent_indent=" " * len(label)) or [label]


def _situation(position: Position, language: str) -> str:
    text, pending, result = _TEXT[language], position.pending, position.result
    if result is not None:
        reason = name_end(result.reason, language)
        if result.winner is None:
            return text["drawn"].format(reason, *result.points)
        return text["won"].format(reason, *result.points, result.winner)
    if pending is not None:
        crew = name_crew(pending.crew, language)
        return text["move"].format(pending.seat, crew, pending.from_ship, *pending.options)
    if not position.actors:
        return text["waits"]
    if position.phase is Phase.SELECT:
        return text["select"].format(", ".join(f"{text['seat']} {s}" for s in position.actors))
    return text["after" if position.main_done else "main"].format(position.turn)


def _row(label: str, cells: Iterator[str]) -> str:
    return label.ljust(_LABEL) + "".join(c.ljust(_CELL) for c in cells)


def _held(position: Position) -> set[int | None]:
    return {p.octopus_on for p in position.players}


def _draw_side(position: Position, seat: int, language: str, *, is_far: bool) -> list[str]:
    """The cards of one side, the first to arrive nearest to its ship."""
    ships, held = position.ships, _held(position)
    depth = max([len(s.sides[seat].cards) for s in ships], default=0)

    def cell(ship: ShipView, row: int) -> str:
        cards = ship.sides[seat].cards
        if row >= len(cards):
            return ""
        return name_card(cards[row], language) + ("~" if cards[row] in held else "")

    sums = _row(_TEXT[language]["side"].format(seat), (f"={s.totals[seat]}" for s in ships))
    rows = [_row("", (cell(s, row) for s in ships)) for row in range(depth)]
    return [*reversed(rows), sums] if is_far else [sums, *rows]


def _draw_ships(position: Position, language: str) -> list[str]:
    text, ships = _TEXT[language], position.ships

    def needs(ship: ShipView) -> str:
        mugs = ",".join(map(str, ship.mugs))
        return f"{ship.resistance} {text['rum']} {mugs}" if mugs else str(ship.resistance)

    rule = "-" * (_LABEL + _CELL * len(ships) - 1)
    return [
        rule,
        _row(text["ship"], (text.get(str(s.ship), str(s.ship)) for s in ships)),
        _row(text["needs"], (needs(s) for s in ships)),
        _row(text["crew"], (name_crew(s.crew, language) if s.crew else "" for s in ships)),
        rule,
    ]


def _draw_player(position: Position, player: PlayerView, language: str, *, is_viewer: bool) -> list[str]:
    text = _TEXT[language]
    scored = [*map(str, player.ships), *(name_crew(c, language) for c in player.crew)]
    parts = [
        text["points"].format(player.points),
        text["scored"].format(", ".join(scored)) if scored else "",
        text["cards"].format(player.hand_count),
        text["mug" if player.mug_held else "no_mug"],
        _octopus(position, player, language),
    ]
    head = f"{text['seat']} {player.seat}{text['you'] if is_viewer else ''}: "
    lines = _wrap(head, " · ".join(filter(None, parts)))
    for key, cards in (("hand", player.hand), ("pool", player.pool)):
        if cards is not None:
            lines += _wrap(text[key], _list_cards(cards.cards, language) or text["nothing"])
    return lines


def _octopus(position: Position, player: PlayerView, language: str) -> str:
    card = player.octopus_on
    if card is None:
        return _TEXT[language]["octopus"]
    place = next((s.ship for s in position.ships for side in s.sides if card in side.cards), "")
    return _TEXT[language]["octopus_on"].format(f"{name_card(card, language)} ({place})")


def _draw_rest(position: Position, language: str) -> list[str]:
    text, removed = _TEXT[language], position.removed
    counts = position.pile_counts
    lines = [text["pile" if len(counts) == 1 else "piles"].format(*counts)] if counts else []
    gone = [*(f"{text['ship']} {s}" for s in removed.ships), *(name_crew(c, language) for c in removed.crew)]
    gone += filter(None, [_list_cards(removed.cards, language)])
    return lines + (_wrap(text["removed"], ", ".join(gone)) if gone else [])


def _list_cards(cards: tuple[int, ...], language: str) -> str:
    """The cards by suit: "starfish -4* 3 10, shell 2"."""
    groups: dict[str, list[str]] = {}
    for card in cards:
        suit, value = name_card(card, language).split()
        groups.setdefault(suit, [suit]).append(value)
    return ", ".join(" ".join(group) for group in groups.values())
