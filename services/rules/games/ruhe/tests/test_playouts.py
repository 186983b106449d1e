"""Invariants along matches played at random, for every sample."""

import itertools

import msgspec
import pytest
from argosy.games.ruhe.v1 import ruhe_pb2

from services.kit.codec import Codec
from services.rules.games import ruhe
from services.rules.games.ruhe import cards
from services.rules.games.ruhe.events import GameStarted
from services.rules.games.ruhe.legal import actors
from services.rules.games.ruhe.model import Settings, State
from services.rules.games.ruhe.table import position
from services.rules.games.ruhe.tests.playing import playout
from services.rules.games.ruhe.tests.tables import refusal

CODECS = {
    name: Codec(getattr(ruhe, name), getattr(ruhe_pb2, name)) for name in ("Settings", "Action", "Event", "Position")
}
EVERY = [
    (Settings(ruhe.DEFAULTS.difficulty, rocks, monsters, storms), seats)
    for seats, rocks, monsters, storms in itertools.product(range(1, 6), (False, True), (0, 3, 5), (False, True))
]


def name(sample: tuple[Settings, int]) -> str:
    settings, seats = sample
    return f"{seats}-{settings.difficulty}-r{settings.rocks:d}m{settings.monsters}s{settings.storms:d}"


def round_trips(kind: str, value: object) -> bool:
    return bool(CODECS[kind].from_bytes(CODECS[kind].to_bytes(value)) == value)


def all_cards(state: State) -> list[str]:
    """Every card of the match, wherever it is."""
    storm = state.pending.storm if state.pending and state.pending.kind in ("STORM_WINDOW", "STORM_ROW") else ""
    places = [*state.hands, *state.piles, *state.discards, state.gone, state.removed]
    return sorted(
        [
            *itertools.chain.from_iterable(places),
            *(cards.island(n) for n in state.grid if n),
            *(lying.card for lying in (state.start, state.finish) if lying),
            *(active.storm for active in state.storms),
            *([storm] if storm else []),
        ]
    )


@pytest.mark.parametrize("sample", EVERY, ids=name)
def test_a_match_ends_and_keeps_all_cards(sample: tuple[Settings, int]) -> None:
    settings, seats = sample
    deck = sorted([*cards.main_deck((), settings.monsters, storms=settings.storms), *cards.STARTS[:seats]])
    entries = list(playout(settings, seats, 1))
    assert all(all_cards(entry.state) == deck for entry in entries)
    assert ruhe.status(entries[-1].state).reason in ("ARRIVED", "NO_ACTION", "NO_FINISH_LEFT")
    assert ruhe.status(entries[-1].state).scores in ((0.0,) * seats, (1.0,) * seats)


@pytest.mark.parametrize("sample", ruhe.SAMPLES, ids=name)
def test_everything_survives_its_bytes(sample: tuple[Settings, int]) -> None:
    assert round_trips("Settings", sample[0])
    for entry in playout(*sample, 2):
        assert all(round_trips("Event", event) for event in entry.events)
        assert entry.action is None or round_trips("Action", entry.action)
        assert round_trips("Position", position(entry.state))
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(entry.state), type=State) == entry.state


@pytest.mark.parametrize("sample", ruhe.SAMPLES, ids=name)
def test_status_and_lists_agree(sample: tuple[Settings, int]) -> None:
    for entry in playout(*sample, 3):
        status = ruhe.status(entry.state)
        able = tuple(seat for seat in range(sample[1]) if any(True for _ in ruhe.actions(entry.state, seat)))
        assert able == status.may_act
        assert set(status.turn) <= set(status.may_act)
        assert status.turn == actors(entry.state)


@pytest.mark.parametrize("sample", ruhe.SAMPLES, ids=name)
def test_listed_actions_are_accepted_and_distinct(sample: tuple[Settings, int]) -> None:
    seen = [entry.state for entry in playout(*sample, 4)]
    for state in seen[:: max(1, len(seen) // 12)]:
        for seat in range(sample[1]):
            listed = list(ruhe.actions(state, seat))
            assert len(set(listed)) == len(listed)
            assert not [action for action in listed if refusal(state, seat, action)]


@pytest.mark.parametrize("sample", ruhe.SAMPLES, ids=name)
def test_drawing_fits_and_labels_differ(sample: tuple[Settings, int]) -> None:
    for entry in itertools.islice(playout(*sample, 5), None, None, 3):
        shown = position(entry.state)
        for language, viewer in (("en", 0), ("de", sample[1] - 1), ("en", None)):
            drawn = ruhe.draw(shown, viewer, language)
            assert max(map(len, drawn.splitlines())) <= 80
            labels = [ruhe.label(shown, viewer or 0, a, language) for a in ruhe.actions(entry.state, viewer or 0)]
            assert len(set(labels)) == len(labels)
            assert all(ruhe.tell(event, language) for event in entry.events)


def test_the_first_event_shows_the_deal() -> None:
    first = next(playout(*ruhe.SAMPLES[0], 6)).events[0]
    assert isinstance(first, GameStarted)
    assert sum(len(pile.cards) for pile in first.piles) == 85 + 3
