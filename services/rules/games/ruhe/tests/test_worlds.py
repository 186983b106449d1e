"""Nobody learns more than its view.

States that a seat cannot tell apart give it the same bytes.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from services.rules.games import ruhe
from services.rules.games.ruhe import cards
from services.rules.games.ruhe.events import CardDrawn, Event
from services.rules.games.ruhe.model import Difficulty, Settings, State
from services.rules.games.ruhe.moves import DepartDiscard, DiscardTwo, Offer, Place, PlayStart
from services.rules.games.ruhe.setup import initial
from services.rules.games.ruhe.tests.playing import playout, seeded
from services.rules.games.ruhe.tests.tables import FULL, play, refusal, storm, table, told, window
from services.rules.loading import load
from services.rules.views import redactor_of

GAME = load("ruhe")
EVERY = [
    (Settings(difficulty, rocks, monsters, storms), seats)
    for seats, rocks, monsters, storms in itertools.product(range(1, 6), (False, True), (0, 4), (False, True))
    for difficulty in [Difficulty.NONE if rocks else Difficulty.TRITON]
]


def shown(codec: Any, value: Any, viewer: int | None) -> bytes:
    seats = frozenset[int]() if viewer is None else frozenset((viewer,))
    return redactor_of(codec.message).view(codec.to_bytes(value), seats)


def tells(state: State) -> dict[str, Any]:
    return {name: tell(state) for name, tell in ruhe.TELLS.items()}


def received(state: State, viewer: int | None) -> tuple[Any, ...]:
    """All that a viewer can ask for."""
    own = () if viewer is None else tuple(GAME.action.to_bytes(a) for a in ruhe.actions(state, viewer))
    return shown(GAME.position, ruhe.position(state), viewer), ruhe.status(state), own


def shown_events(events: tuple[Event, ...], viewer: int | None) -> list[bytes]:
    """What the viewer sees of them, its own draws aside: a world has other cards in its pile."""
    blank = (replace(e, card="I01") if isinstance(e, CardDrawn) and e.seat == viewer else e for e in events)
    return [shown(GAME.event, event, viewer) for event in blank]


def outcome(state: State, seat: int, action: Any) -> tuple[str, tuple[Event, ...], State]:
    code = refusal(state, seat, action)
    if code:
        return code, (), state
    after, events = told(state, seat, action)
    return "", events, after


def viewers(seats: int) -> Iterator[int | None]:
    yield None
    yield from range(seats)


def alike(world: State, seat: int, action: Any) -> Any:
    """The seat's action in the world that looks like this one to the others: its hand may be another."""
    listed = tuple(ruhe.actions(world, seat))
    same = (other for other in listed if _public(other) == _public(action))
    return action if action in listed else next(same, action)


def _public(action: Any) -> tuple[Any, ...]:
    hidden = ("cards", "pay") if isinstance(action, Place) else ("cards", "pay", "card")
    return (type(action), *(getattr(action, f.name) for f in fields(action) if f.name not in hidden))


@pytest.mark.parametrize("sample", EVERY, ids=str)
def test_worlds_look_the_same_and_go_on_the_same(sample: tuple[Settings, int]) -> None:
    entries = list(playout(*sample, 8))
    compared = skipped = 0
    for before, after in list(itertools.pairwise(entries))[:: max(1, len(entries) // 10)]:
        for viewer in viewers(sample[1]):
            world = next(ruhe.worlds(before.state, viewer, seeded(viewer, len(before.events))))
            assert received(world, viewer) == received(before.state, viewer)
            assert tells(world) == tells(before.state)
            here = outcome(before.state, after.seat or 0, after.action)
            there = outcome(world, after.seat or 0, alike(world, after.seat or 0, after.action))
            if viewer == after.seat:
                assert there[0] == here[0] == ""
            if there[0] or tells(there[2]) != tells(here[2]):
                skipped += 1
                continue
            compared += 1
            assert shown_events(there[1], viewer) == shown_events(here[1], viewer)
    assert compared * 2 > skipped  # a card placed in the open may not be in the other hand there


@pytest.mark.parametrize("sample", EVERY[::3], ids=str)
def test_refusals_depend_on_what_the_seat_may_know(sample: tuple[Settings, int]) -> None:
    entries = list(playout(*sample, 9))
    asked = [entry.action for entry in entries if entry.action is not None]
    for entry in entries[:: max(1, len(entries) // 6)]:
        for seat in range(sample[1]):
            world = next(ruhe.worlds(entry.state, seat, seeded(seat)))
            codes = [[refusal(state, seat, action) for action in asked] for state in (world, entry.state)]
            assert codes[0] == codes[1]


@pytest.mark.parametrize("sample", EVERY, ids=str)
def test_worlds_are_other_worlds_of_the_same_cards(sample: tuple[Settings, int]) -> None:
    entries = list(playout(*sample, 10))[:-1]
    same = 0
    for entry in entries:
        world = next(ruhe.worlds(entry.state, 0, seeded(len(entry.events))))
        hidden = len(multiset(entry.state)) - len(entry.state.hands[0]) - len(entry.state.discards[0])
        same += hidden > 8 and world == entry.state
        assert multiset(world) == multiset(entry.state)
        assert not any(cards.is_storm(card) for hand in world.hands for card in hand)
        for seat in range(sample[1]):
            others = [card for s in range(sample[1]) if s != seat for card in (*world.hands[s], *world.piles[s])]
            assert cards.STARTS[seat] not in others
    assert same <= len(entries) // 20


def multiset(state: State) -> list[str]:
    places = [*state.hands, *state.piles, *state.discards, state.removed]
    return sorted(card for place in places for card in place)


def opened() -> State:
    """A departure in which seat 1 holds monsters, so that fewer than eight cards can go."""
    state = table("S1 I40|I01 I02 M1 M2|I05 M3 I06", monsters=3, piles=("I70", "I71 F1", "I72 I73"), rock=1)
    return play(state, 0, PlayStart("S1"))


def talking() -> State:
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 M1|I05 I06 I07 I08 I09", monsters=3, piles=("M2 M3", "F2", "I50"))
    return play(play(play(state, 0, PlayStart("S1")), 1, Offer(4)), 2, Offer(3))


def adjusting() -> State:
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 M1|I05 I06 I07 I08 I09", monsters=3, piles=("M2 M3", "F2", "I50"))
    state = play(state, 0, PlayStart("S1"))
    for _ in range(3):
        for seat in range(3):
            state = play(state, seat, Offer(4))
    return play(state, 0, next(iter(ruhe.actions(state, 0))))


def cutting() -> State:
    state = table("I40 I41 M1 M2 I43|I01 I02", storms=(), monsters=3, piles=("M3 Y1 I50", "I51"), start=True)
    return play(state, 0, DiscardTwo(("I40", "I41")))


SPECIAL: Mapping[str, Callable[[], State]] = {
    "forced": opened,
    "talking": talking,
    "adjusted": adjusting,
    "cut": cutting,
    "window": window,
    "blocked": lambda: table("F1 I70|I60 M1|F2 I61", FULL, start=True, monsters=3, piles=("I62", "M2", "F3 M3")),
    "arriving": lambda: table("F1 I70|I60 I63|F2 I61", FULL, start=True, monsters=3, piles=("I62 M1", "M2", "F3 M3")),
    "poor": lambda: table("M1|I60 M2|I61", {9: 30}, monsters=3, piles=("I62", "I63 M3", "F3"), storms=[storm("O1", 0)]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_what_hidden_cards_decided_stays_so(name: str) -> None:
    state = SPECIAL[name]()
    assert state.pending is not None
    for viewer in viewers(state.seats):
        for world in itertools.islice(ruhe.worlds(state, viewer, seeded(name)), 10):
            assert tells(world) == tells(state)
            assert received(world, viewer) == received(state, viewer)


def test_a_start_card_is_where_it_can_be() -> None:
    state = table("I40 I41 I42|I01 I02 I03", piles=("S1 I50", "S2 I51"), fresh=(0, 0))
    for world in itertools.islice(ruhe.worlds(state, 0, seeded()), 20):
        assert "S2" in world.piles[1]
    drawn = replace(state, fresh=(0, 2))
    assert any("S2" in w.hands[1] for w in itertools.islice(ruhe.worlds(drawn, 0, seeded()), 60))


def test_the_opening_holds_no_start_card() -> None:
    settings = Settings(Difficulty.NONE, rocks=False, monsters=3, storms=True)
    for seed in range(300):
        state = next(playout(settings, 5, seed)).state
        if state.turn == 0:
            worlds = itertools.islice(ruhe.worlds(state, None, seeded(seed)), 3)
            assert all(drawn_out(world) for world in worlds)
            return
    pytest.fail("no opening draw met a storm that asks")


def drawn_out(world: State) -> bool:
    """Whether every opening hand, drawn to its end in this world, is free of start cards."""
    while world.turn == 0 and world.pending is not None:
        seat = world.pending.seat
        world = play(world, seat, next(iter(ruhe.actions(world, seat))))
    return not any(card[0] == "S" for hand in world.hands for card in hand)


def test_an_over_or_unstarted_match_has_one_world() -> None:
    over = table("|I01 I02")
    unstarted = initial(ruhe.DEFAULTS, 2)
    assert next(ruhe.worlds(over, 0, seeded())) is over
    assert next(ruhe.worlds(unstarted, None, seeded())) is unstarted


def test_unseen_discards_are_dealt_anew() -> None:
    piles = ("M1 V1 I50 I51 I52", "I60 I61 I62", "I63 I64")
    hands = "S1 I40 I41|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09"
    state = table(hands, storms=[storm("Y1", 0)], compasses_earned=6, piles=piles)
    state = play(state, 0, PlayStart("S1"))
    for seat, n in enumerate((3, 3, 2)):
        state = play(state, seat, Offer(n))
    state = play(state, 0, DepartDiscard(("I40",), 2))
    dealt = [world.discards[0] for world in itertools.islice(ruhe.worlds(state, 0, seeded()), 30)]
    assert len(set(dealt)) > 20
    assert {pile[0] for pile in dealt} == {"I40"}
