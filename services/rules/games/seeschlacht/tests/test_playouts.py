"""What holds along random matches of every sample."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from argosy.games.seeschlacht.v1 import seeschlacht_pb2 as pb

from services.kit.codec import Codec
from services.kit.draws import SeededDraws
from services.rules.game import Illegal
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht import notation
from services.rules.games.seeschlacht.model import LIMITS, NOWHERE, OPEN, Edition, Phase, Settings, State

CODECS = {
    name: Codec(getattr(seeschlacht, name), getattr(pb, name)) for name in ("Settings", "Action", "Event", "Position")
}
SAMPLES = pytest.mark.parametrize("settings", [s for s, _ in seeschlacht.SAMPLES], ids=str)


class NoDraws(SeededDraws):
    """Chance that must not be asked for."""

    def below(self, label: str, n: int) -> int:
        raise AssertionError(f"drew {label} below {n}")


def draws(*key: object) -> SeededDraws:
    return SeededDraws(hashlib.sha256(repr(key).encode()).digest())


def playout(settings: Settings, seed: int) -> Iterator[tuple[State, a.Action | None, tuple[Any, ...], State]]:
    """Each step of a random match: the state before, the action (None: the start), its events, the state after."""
    choose, state = random.Random(seed), seeschlacht.initial(settings, 2)
    action: a.Action | None = None
    for step in range(100_000):
        chance = draws(seed, step)
        events = seeschlacht.decide(state, state.seat, action, chance) if action else seeschlacht.start(state, chance)
        before = state
        for event in events:
            state = seeschlacht.evolve(state, event)
        yield before, action, events, state
        if state.phase is Phase.OVER:
            return
        action = choose.choice(seeschlacht.actions(state, state.seat))
    raise AssertionError("the match does not end")


@SAMPLES
def test_a_match_ends_within_its_turn_cap(settings: Settings) -> None:
    *_, (_, _, events, state) = playout(replace(settings, turn_cap=60), seed=1)
    assert state.turn <= 60
    assert notation.event_json(events[-1])["event"] == "GameEnded"
    status = seeschlacht.status(state)
    assert sum(status.scores) == 1
    assert not status.turn
    assert not list(seeschlacht.actions(state, state.seat))
    with pytest.raises(Illegal, match="GAME_OVER"):
        seeschlacht.decide(state, state.seat, a.KeepWind(), NoDraws(bytes(32)))


@SAMPLES
def test_what_is_told_is_all_that_happened(settings: Settings) -> None:
    """Every message says all of its dataclass, and equal states have equal bytes, along a whole match."""
    for before, action, events, state in playout(replace(settings, turn_cap=40), seed=2):
        assert state != before
        data = msgspec.msgpack.encode(state)
        again = msgspec.msgpack.decode(data, type=State)
        assert again == state
        assert msgspec.msgpack.encode(again) == data
        for name, value in [("Position", seeschlacht.position(state)), *(("Event", event) for event in events)]:
            assert CODECS[name].from_bytes(CODECS[name].to_bytes(value)) == value
        if action:
            assert CODECS["Action"].from_bytes(CODECS["Action"].to_bytes(action)) == action
    assert CODECS["Settings"].from_bytes(CODECS["Settings"].to_bytes(settings)) == settings


@SAMPLES
def test_the_fleets_stay_sound(settings: Settings) -> None:
    for _, _, _, state in playout(replace(settings, turn_cap=80), seed=3):
        afloat = [place for place in state.places if place != NOWHERE]
        assert len(set(afloat)) == len(afloat), "two ships on one field"
        for ship, place in enumerate(state.places):
            assert (place == NOWHERE) == (state.hits[ship] == LIMITS[ship])
            if place == NOWHERE:
                assert (state.facings[ship], state.cargo[ship]) == (OPEN, False)


@SAMPLES
def test_every_listed_action_is_accepted_and_only_by_the_seat_on_turn(settings: Settings) -> None:
    steps = [after for _, _, _, after in playout(replace(settings, turn_cap=30), seed=4)][:-1]
    for n, state in enumerate(random.Random(4).sample(steps, 40)):
        listed = list(seeschlacht.actions(state, state.seat))
        assert len(set(listed)) == len(listed)
        assert not list(seeschlacht.actions(state, 1 - state.seat))
        for action in listed:
            assert seeschlacht.decide(state, state.seat, action, draws(4, n))
            with pytest.raises(Illegal, match="NOT_YOUR_TURN"):
                seeschlacht.decide(state, 1 - state.seat, action, NoDraws(bytes(32)))


@SAMPLES
def test_an_end_action_is_never_the_only_one(settings: Settings) -> None:
    """A phase is left by itself when nothing but its End action would be open (R-SEE-07)."""
    for _, _, _, state in playout(replace(settings, turn_cap=60), seed=5):
        if state.phase is not Phase.OVER:
            first, *_ = seeschlacht.actions(state, state.seat)
            assert not type(first).__name__.startswith("End")


@SAMPLES
def test_views_are_the_state_for_everybody(settings: Settings) -> None:
    for _, _, _, state in playout(replace(settings, turn_cap=6), seed=6):
        view = notation.view_json(seeschlacht.position(state), 1)
        assert view.pop("viewer") == "yellow"
        assert view.pop("to_act") == ([] if state.result else [notation.seat_name(state.seat)])
        assert view.pop("score").keys() == {"white", "yellow"}
        assert view == notation.state_json(state)


def test_settings_are_read_or_refused() -> None:
    assert notation.settings({}) == (Settings(), 2)
    large = {"version": "large", "first": "yellow", "turn_cap": 7}
    assert notation.settings(large) == (Settings(Edition.LARGE, 1, 7), 2)
    assert notation.options(Settings(Edition.LARGE, 1, 7)) == large
    wrong_caps: list[Any] = [{"turn_cap": cap} for cap in (0, 2**31, True, 2.0, "9", None)]
    for bad in (None, [], "short", {"version": "long"}, {"version": []}, {"first": 0}, {"x": 1}, *wrong_caps):
        with pytest.raises(Illegal, match="BAD_OPTIONS"):
            seeschlacht.initial(*notation.settings(bad))
    for wrong, seats in ((Settings(first_seat=2), 2), (Settings(turn_cap=0), 2), (Settings(), 3)):
        with pytest.raises(Illegal, match="BAD_OPTIONS"):
            seeschlacht.initial(wrong, seats)


@pytest.mark.parametrize("seed", range(3))
def test_rolls_are_written_and_read_alike(seed: int) -> None:
    for before, action, _, _ in playout(Settings(turn_cap=30), seed):
        chance = draws(seed, "again")
        if action:
            seeschlacht.decide(before, before.seat, action, chance)
            written = notation.chance(before, chance.made)
            scripted = notation.script(before, written)
            for label in ("colour", "number"):
                assert list(scripted[label]) == [d.result for d in chance.made if d.label == label]


def test_rolls_that_no_action_makes_cannot_be_read() -> None:
    state = seeschlacht.initial(Settings(), 2)
    wrong: list[Any] = [{}, ["green"], [7], [0], [True], ["red", "red"], [1, 2, 3]]
    for bad in wrong:
        with pytest.raises(ValueError, match="rolls"):
            notation.script(state, bad)
