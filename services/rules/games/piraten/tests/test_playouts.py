"""What holds along every match: it ends, cards and boats are conserved, listed actions are the accepted ones."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from services.rules.game import Illegal
from services.rules.games import piraten
from services.rules.games.piraten import notation
from services.rules.games.piraten.events import DiceRolled, GameOver, SetupDieRolled
from services.rules.games.piraten.fleet import fleet_of, is_free
from services.rules.games.piraten.fold import fold
from services.rules.games.piraten.model import PRISON, Colour, EmptyPirateSpace, Phase, Settings, State, Variant
from services.rules.games.piraten.moves import (
    Action,
    EndFreeing,
    FreeBoat,
    GiveProvision,
    HoldBoat,
    MoveBoat,
    MovePirate,
    Roll,
    SkipExchange,
    TakeProvision,
)
from services.rules.games.piraten.tests.playouts import Step, play
from services.rules.games.piraten.tests.tables import Dice, table

SAMPLES = range(len(piraten.SAMPLES))


def steps(sample: int, seed: int) -> list[Step]:
    settings, seats = piraten.SAMPLES[sample]
    return list(play(settings, seats, seed))


def conceivable(state: State) -> list[Action]:
    """Legal and illegal actions of every kind, many of them near the legal ones."""
    names, seats = fleet_of(state).boats, range(-1, state.seats + 1)
    places = dict(zip(names, state.boats, strict=True))
    board = piraten.board.load()
    paths = [(b, n, path) for b in names for n in range(1, 7) for path in board.routes.get((places[b], n), ())]
    sails = [MoveBoat(b, n, path) for b, n, path in paths]
    odd = [
        *(MoveBoat(b, n + 1, path) for b, n, path in paths),
        *(MoveBoat(b, n, tuple(reversed(path))) for b, n, path in paths),
        MoveBoat("red4", 1, ("S01",)),
    ]
    holds: list[Action] = [HoldBoat(b, n) for b in names for n in range(1, 7)]
    raids: list[Action] = [MovePirate(f"pirate{k}", n) for k in range(5) for n in range(7)]
    cards: list[Action] = [kind(q) for q in seats for kind in (GiveProvision, TakeProvision, SkipExchange)]
    frees: list[Action] = [FreeBoat(b, q) for b in names for q in seats]
    return [Roll(), EndFreeing(), *sails, *odd, *holds, *raids, *cards, *frees]


def refusal(state: State, seat: int, action: Action) -> str:
    try:
        piraten.decide(state, seat, action, Dice(1, 1))
    except Illegal as illegal:
        return illegal.code
    return ""


def accepts(state: State, seat: int, action: Action) -> bool:
    return refusal(state, seat, action) == ""


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_random_match_ends_and_conserves(sample: int) -> None:
    for seed in range(5):
        path = steps(sample, seed)
        last = path[-1].state
        assert (last.phase, last.pending) == (Phase.OVER, None)
        assert isinstance(path[-1].events[-1], GameOver)
        for step in path:
            view = piraten.position(step.state)
            in_all = sum(view.provisions) + view.provisions_removed + view.provisions_in_box
            assert in_all == 20
            assert min(view.provisions, default=0) >= 0
            counts = view.counts
            assert counts.island + counts.captive + counts.home + counts.hideout + counts.sea == len(view.boats)
            assert not {place for place in step.state.boats if is_free(place)} & set(step.state.pirates)
            assert (step.state.pending is not None) == (step.state.phase in (Phase.EXCHANGE, Phase.FREE))
            status = piraten.status(step.state)
            assert bool(step.legal) == (status.turn == (step.state.seat,)) == (status.scores == ())


@pytest.mark.parametrize("sample", SAMPLES)
def test_listed_actions_are_the_accepted_ones(sample: int) -> None:
    for step in itertools.islice(steps(sample, 7), 0, None, 5):
        tried = [a for a in conceivable(step.state) if accepts(step.state, step.state.seat, a)]
        assert len(set(step.legal)) == len(step.legal)
        assert set(tried) == set(step.legal)
        for seat in range(step.state.seats):
            if seat != step.state.seat:
                assert list(piraten.actions(step.state, seat)) == []
                assert not accepts(step.state, seat, Roll())


def test_every_refusal_is_met_and_explained() -> None:
    met: set[str] = set()
    for sample in SAMPLES:
        for step in itertools.islice(steps(sample, 5), 0, None, 4):
            met |= {refusal(step.state, step.state.seat, action) for action in conceivable(step.state)}
            met.add(refusal(step.state, -1, Roll()))
    met.add(refusal(steps(0, 0)[-1].state, 0, Roll()))
    for cards in ((0, 1, 5, 5), (1, 0, 5, 5)):
        poor = table("big", 4, 2, 1, pirates=("S30", "S40", "S45"), cards=cards, y1="S08", p1="S09", g1="PRISON")
        state = fold(poor, piraten.decide(poor, 0, MoveBoat("yellow1", 2, ("S09", "S10")), Dice()))
        met |= {refusal(state, 0, action) for action in conceivable(state)}
        state = fold(state, piraten.decide(state, 0, SkipExchange(1), Dice()))
        met |= {refusal(state, 0, action) for action in (FreeBoat("green1", 0), FreeBoat("green1", 2))}
    poor = table("big", 4, 2, 1, pirates=("S30", "S40", "S45"), cards=(0, 5, 5, 5), y1="S08", g1="PRISON")
    state = fold(poor, piraten.decide(poor, 0, MoveBoat("yellow1", 2, ("S09", "S10")), Dice()))
    met.add(refusal(state, 0, FreeBoat("green1", 0)))
    choices = [(Settings(), 1), (Settings(boats_per_player=2), 2), (Settings(first_seat=3), 3)]
    choices += [
        (Settings(Variant.BIG, empty_pirate_space=EmptyPirateSpace.P1), 2),
        (Settings(colours=(Colour.RED,)), 2),
    ]
    for settings, seats in choices:
        with pytest.raises(Illegal) as illegal:
            piraten.initial(settings, seats)
        met.add(illegal.value.code)
    assert met - {""} == piraten.DESCRIPTION.refusals.keys()


def test_only_set_up_and_roll_draw() -> None:
    for step in steps(0, 3):
        drawing = any(isinstance(event, SetupDieRolled | DiceRolled) for event in step.events)
        legal = list(piraten.actions(step.before, step.before.seat)) if step.before.turn else []
        assert drawing == (step.before.turn == 0 or legal == [Roll()])


def told_by(log: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Positions, cards and outcome as somebody rebuilds them from the events as the SPEC writes them."""
    told: dict[str, Any] = {"provisions_removed": 0, "outcome": None, "reason": None}
    for event in log:
        match event["event"]:
            case "game_started":
                told |= {"boats": dict.fromkeys(event["boats"], "ISLAND"), "pirates": dict(event["pirates"])}
                told["provisions"] = list(event["provisions"])
            case "boat_moved" | "boat_freed":
                told["boats"][event["boat"]] = event.get("to", event.get("space"))
            case "boat_captured" | "boat_rescued":
                told["boats"][event["boat"]] = "PRISON" if "pirate" in event else "HOME"
            case "pirate_moved":
                told["pirates"][event["pirate"]] = event["to"]
            case "provision_removed":
                told["provisions"][event["seat"]] -= 1
                told["provisions_removed"] += 1
            case "provision_passed":
                told["provisions"][event["from"]] -= 1
                told["provisions"][event["to"]] += 1
            case "turn_started":
                told |= {"turn": event["turn"], "seat": event["seat"]}
            case "game_over":
                told |= {"outcome": event["outcome"], "reason": event["reason"]}
    return told


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_log_alone_tells_the_table(sample: int) -> None:
    # Section 9: positions, cards and outcome can be rebuilt from the events.
    log: list[Any] = []
    for step in steps(sample, 11):
        log += [notation.event_json(event) for event in step.events]
        told, state = told_by(log), notation.state_json(step.state)
        assert told == {name: state[name] for name in told}


def test_big_playouts_meet_every_kind_of_decision() -> None:
    seen = {step.state.phase for seed in range(6) for step in steps(len(piraten.SAMPLES) - 1, seed)}
    assert seen == set(Phase)
    settings, seats = piraten.SAMPLES[-1]
    assert settings.variant is Variant.BIG
    captives = [step.state.boats.count(PRISON) for step in play(settings, seats, 0)]
    assert max(captives) > 3


def test_worlds_are_the_state_itself() -> None:
    state = steps(0, 0)[1].state
    for seat in (None, 0, 1):
        assert list(itertools.islice(piraten.worlds(state, seat, Dice()), 3)) == [state] * 3
