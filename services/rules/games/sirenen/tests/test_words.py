"""Drawings, labels and sentences: wide enough for a terminal, in both languages, and never more than the view."""

import pytest

from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.events import CardDrawn, HandDealt
from services.rules.games.sirenen.model import Action, KeepStartCard, PlayCard, Settings, State, UseOctopus, Variant
from services.rules.games.sirenen.tests.playing import GAME, RULES, begin, play
from services.rules.views import view


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("variant", list(Variant))
def test_drawings_fit_a_terminal(variant: Variant, language: str) -> None:
    empty, _, state = begin(Settings(variant), 3)
    states = [empty, state, *(after for seed in (3, 4, 5) for *_, after in play(Settings(variant), seed))]
    for table in states:
        for viewer in (0, 1, None):
            text = RULES.draw(view(GAME.position, RULES.position(table), viewer), viewer, language)
            assert max(map(len, text.splitlines())) <= 80
            assert text.endswith("\n")
            assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("language", ["en", "de"])
def test_actions_of_different_effect_have_different_labels(language: str) -> None:
    for state, seat, *_ in play(Settings(), 6):
        position = view(GAME.position, RULES.position(state), seat)
        actions = list(RULES.actions(state, seat))
        labels = {RULES.label(position, seat, a, language) for a in actions}
        assert all(0 < len(text) <= 70 for text in labels)
        assert len(labels) == len({_effect(state, a) for a in actions})


def _effect(state: State, action: Action) -> tuple[object, ...]:
    """The action with its card by suit, value and place: equal cards at one place are alike."""
    if not isinstance(action, KeepStartCard | PlayCard | UseOctopus):
        return (action,)
    deck = load_deck()
    place = next(((s.ship, x) for s in state.ships for x in (0, 1) if action.card in s.sides[x]), None)
    kind = deck.suits[action.card], deck.values[action.card], place
    return (kind, type(action), getattr(action, "ship", None), getattr(action, "side", None))


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_hidden_card_is_not_told(language: str) -> None:
    _, events, _ = begin(Settings(), 8)
    told = [*events, *(e for *_, events_, _ in play(Settings(), 8) for e in events_)]
    names = {type(e).__name__ for e in told}
    assert {"HandDealt", "CardDrawn", "CardPlayed"} <= names
    for event in told:
        seen = [RULES.tell(view(GAME.event, event, viewer), language) for viewer in (0, 1, None)]
        if isinstance(event, HandDealt | CardDrawn):
            assert seen[event.seat] != seen[1 - event.seat] == seen[2]
        else:
            assert len(set(seen)) == 1
