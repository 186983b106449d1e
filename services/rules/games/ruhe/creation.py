"""The SPEC's options and injected randomness (SPEC, sections 3 and 4), there and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from services.kit.draws import Draw
from services.rules.game import Illegal, Unreadable
from services.rules.games.ruhe import cards, setup
from services.rules.games.ruhe.model import REMOVED, ROWS, Difficulty, Settings, State

_TYPES = {"players": int, "difficulty": str, "rocks": bool, "monsters": int, "storms": bool}
_CHANCE = {"removed", "deck", "start_seat", "start_pos", "rock_row"}


def settings(options: Any) -> tuple[Settings | Unreadable, int]:
    """SPEC 3: exactly these five keys and types; anything else, null too, is BAD_OPTIONS."""
    if not isinstance(options, dict) or set(options) != set(_TYPES):
        return Unreadable("BAD_OPTIONS"), 0
    if any(type(options[name]) is not wanted for name, wanted in _TYPES.items()):
        return Unreadable("BAD_OPTIONS"), 0
    if options["difficulty"] not in Difficulty.__members__:
        return Unreadable("BAD_OPTIONS"), 0
    chosen = (Difficulty[options["difficulty"]], options["rocks"], options["monsters"], options["storms"])
    return Settings(*chosen), options["players"]


def options(value: Settings, seats: int) -> Any:
    """The options object, complete."""
    return {
        "players": seats,
        "difficulty": value.difficulty.value,
        "rocks": value.rocks,
        "monsters": value.monsters,
        "storms": value.storms,
    }


def script(state: State, chance: Any) -> Mapping[str, Sequence[tuple[int, ...]]]:
    """SPEC 4: the deal. Raises Illegal(BAD_RANDOMNESS) for any other form or content."""
    _require(isinstance(chance, dict) and set(chance) == _CHANCE)
    removed, deck, rules = chance["removed"], chance["deck"], state.settings
    _require(_is_selection(removed, cards.ISLANDS, REMOVED[rules.difficulty]))
    main = cards.main_deck(removed, rules.monsters, storms=rules.storms)
    _require(_is_selection(deck, main, len(main)))
    start_seat, start_pos, row = chance["start_seat"], chance["start_pos"], chance["rock_row"]
    _require(is_below(start_seat, state.seats))
    _require(isinstance(start_pos, list) and len(start_pos) == state.seats)
    piles = setup.dealt(tuple(deck), state.seats, start_seat)
    _require(all(is_below(n, len(p) - setup.opening(p) + 1) for n, p in zip(start_pos, piles, strict=True)))
    _require(is_below(row, ROWS) if rules.rocks else row is None)
    return {
        "removed": [_indices(removed, cards.ISLANDS)] if removed else [],
        "deck": [_indices(deck, main)],
        "start_seat": [(start_seat,)],
        "start_pos": [(n,) for n in start_pos],
        "rock_row": [(row,)] if rules.rocks else [],
    }


def _require(is_met: bool) -> None:
    if not is_met:
        raise Illegal("BAD_RANDOMNESS")


def is_below(value: Any, n: int) -> bool:
    """Whether it is an integer from 0 to n - 1; true and false are none."""
    return type(value) is int and 0 <= value < n


def _is_selection(chosen: Any, of: Sequence[str], count: int) -> bool:
    if not isinstance(chosen, list) or len(chosen) != count or not all(isinstance(card, str) for card in chosen):
        return False
    return len(set(chosen)) == count and set(chosen) <= set(of)


def _indices(chosen: Sequence[str], of: Sequence[str]) -> tuple[int, ...]:
    places = {card: i for i, card in enumerate(of)}
    return tuple(places[card] for card in chosen)


def chance(state: State, draws: Sequence[Draw]) -> Any:
    """The deal, where one was made."""
    if not draws:
        return None
    made = {draw.label: draw.result for draw in draws}
    removed = [cards.ISLANDS[i] for i in made.get("removed", ())]
    main = cards.main_deck(removed, state.settings.monsters, storms=state.settings.storms)
    return {
        "removed": removed,
        "deck": [main[i] for i in made["deck"]],
        "start_seat": made["start_seat"][0],
        "start_pos": [draw.result[0] for draw in draws if draw.label == "start_pos"],
        "rock_row": made["rock_row"][0] if "rock_row" in made else None,
    }
