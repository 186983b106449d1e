"""What holds along any match (SPEC section 11), by seeded random playouts."""

from typing import get_args

import pytest

from services.kit.draws import SeededDraws
from services.rules.game import Game, Illegal
from services.rules.games import sirenen
from services.rules.games.sirenen.model import (
    SHIPS,
    Action,
    EndTurn,
    KeepStartCard,
    MoveCrew,
    Phase,
    PlayCard,
    Settings,
    State,
    UseOctopus,
    UseRum,
    Variant,
)
from services.rules.games.sirenen.table import resistance, totals
from services.rules.games.sirenen.tests.playing import GAME, RULES, begin, play
from services.rules.views import redactor_of, view

SEEDS = range(12)
VARIANTS = [Settings(v) for v in Variant]
EVERY_ACTION: list[Action] = [
    *(KeepStartCard(c) for c in range(52)),
    *(PlayCard(c, s, x) for c in range(52) for s in SHIPS for x in (0, 1)),
    *(UseOctopus(c, s, x) for c in range(52) for s in SHIPS for x in (0, 1)),
    *map(UseRum, SHIPS),
    *map(MoveCrew, SHIPS),
    EndTurn(),
]
CHANCE = SeededDraws(bytes(32))


def test_the_package_is_a_game() -> None:
    game: Game[sirenen.Settings, sirenen.State, sirenen.Action, sirenen.Event, sirenen.Position] = sirenen
    assert game.DESCRIPTION.id == "sirenen"
    assert game.SAMPLES[0] == (game.DEFAULTS, game.DESCRIPTION.default_seats)


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: s.variant)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_match_ends_and_keeps_the_invariants(settings: Settings, seed: int) -> None:
    mains, state = 0, begin(settings, seed)[2]
    for _, _, action, events, after in play(settings, seed):
        assert events
        mains += isinstance(action, PlayCard | UseOctopus)
        state = after
        _check(state)
    assert state.result is not None
    assert mains <= 60  # I-10
    assert RULES.status(state).reason == state.result.reason


def _check(state: State) -> None:
    on_sides = [c for s in state.ships for side in s.sides for c in side]
    hands = [c for p in state.players for c in p.hand]
    piles = [c for pile in state.piles for c in pile]
    assert sorted([*on_sides, *hands, *piles, *state.removed.cards]) == list(range(52))  # I-1
    assert all(len(side) <= 5 for s in state.ships for side in s.sides)  # I-2
    if state.phase is Phase.PLAY and state.pending is None:  # I-3
        assert all(max(totals(s)) < resistance(s) and min(map(len, s.sides)) < 5 for s in state.ships)
    crew = [place for place in (state.captain, state.mate) if place is not None]
    assert len(set(crew)) == len(crew)  # I-6
    assert set(crew) <= {s.ship for s in state.ships}
    points = sum(p.points for p in state.players)
    assert points + len(crew) + len(state.ships) + len(state.removed.ships) + len(state.removed.crew) == 7
    if state.pending:  # I-8
        assert len(state.pending.options) == 2
        assert state.pending.from_ship not in state.pending.options
    held = [p.octopus_on for p in state.players if p.octopus_on is not None]
    assert set(held) <= set(on_sides)  # I-11
    assert len(set(held)) == len(held)
    for seat, player in enumerate(state.players):  # a mug is held, on one ship, or out of the game
        places = [player.mug_held, *(seat in s.mugs for s in state.ships), seat in state.removed.mugs]
        assert sum(places) == 1


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: s.variant)
def test_listed_actions_are_the_accepted_ones(settings: Settings) -> None:
    reached = set[str]()
    tables = [
        after for seed in (1, 2) for n, (*_, after) in enumerate(play(settings, seed)) if n % 9 < 3 or after.result
    ]
    for table in (begin(settings, 1)[2], *tables):
        for seat in (0, 1):
            accepted = [a for a in EVERY_ACTION if _code(table, seat, a, reached) is None]
            assert list(RULES.actions(table, seat)) == accepted
    assert reached <= RULES.DESCRIPTION.refusals.keys()
    assert {"GAME_OVER", "NOT_YOUR_TURN", "CARD_NOT_IN_HAND", "SELECTION_CLOSED"} <= reached


def _code(state: State, seat: int, action: Action, reached: set[str]) -> str | None:
    try:
        RULES.decide(state, seat, action, CHANCE)
    except Illegal as refusal:
        reached.add(refusal.code)
        return refusal.code
    return None


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: s.variant)
def test_every_value_survives_its_bytes(settings: Settings) -> None:
    empty, events, state = begin(settings, 5)
    assert GAME.settings.from_bytes(GAME.settings.to_bytes(settings)) == settings
    values = [(GAME.event, e) for e in events] + [(GAME.position, RULES.position(s)) for s in (empty, state)]
    states, kinds = [empty, state], set[type]()
    for _, _, action, told, after in [s for seed in range(4) for s in play(settings, seed)]:
        values += [(GAME.action, action), (GAME.position, RULES.position(after)), *((GAME.event, e) for e in told)]
        states.append(after)
        kinds |= {type(action)}
    for codec, value in values:
        assert codec.from_bytes(codec.to_bytes(value)) == value
    for whole in states:
        assert GAME.decode_state(GAME.encode_state(whole)) == whole
    expected = set(get_args(Action)) - ({KeepStartCard} if settings.variant is Variant.BASE else set())
    assert kinds == expected


def test_every_field_states_who_may_see_it() -> None:
    assert redactor_of(GAME.event.message).unstated == redactor_of(GAME.position.message).unstated == []


@pytest.mark.parametrize("settings", VARIANTS, ids=lambda s: s.variant)
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_worlds_look_alike_and_differ_in_what_is_hidden(settings: Settings, viewer: int | None) -> None:
    hands = set[tuple[tuple[int, ...], ...]]()
    for number, (state, *_) in enumerate(play(settings, 9)):
        if number % 5:
            continue
        seen = view(GAME.position, RULES.position(state), viewer)
        source = RULES.worlds(state, viewer, SeededDraws(bytes([number]) * 32))
        for world, _ in zip(source, range(5), strict=False):
            assert view(GAME.position, RULES.position(world), viewer) == seen
            assert sorted(_hidden(world)) == sorted(_hidden(state))
            hands.add(tuple(p.hand for p in world.players))
            if viewer is not None:
                assert list(RULES.actions(world, viewer)) == list(RULES.actions(state, viewer))
    assert len(hands) > 20


def _hidden(state: State) -> list[int]:
    """The cards in hands and piles."""
    return [c for group in (*(p.hand for p in state.players), *state.piles) for c in group]
