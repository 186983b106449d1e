"""The worked examples E41 to E60 of the SPEC, section 12: the Big Adventure and the options."""

import pytest

from services.rules.game import Illegal
from services.rules.games.piraten import notation
from services.rules.games.piraten.model import Pending, Phase, State
from services.rules.games.piraten.moves import (
    Action,
    EndFreeing,
    FreeBoat,
    GiveProvision,
    MovePirate,
    SkipExchange,
    TakeProvision,
)
from services.rules.games.piraten.setup import initial
from services.rules.games.piraten.tests.tables import at, base, boat, do, legal, movers, pirate, refusal, table

FAR = ("S30", "S40", "S45")


def pirate_moves(state: State) -> list[Action]:
    return [a for a in legal(state) if isinstance(a, MovePirate)]


@pytest.mark.parametrize(
    ("players", "cards", "box", "colours", "red"),
    [
        (4, [5, 5, 5, 5], 0, [["yellow"], ["purple"], ["green"], ["red"]], 3),
        (3, [5, 5, 5], 5, [["yellow"], ["purple"], ["green"]], None),
        (2, [10, 10], 0, [["yellow", "green"], ["purple", "red"]], 1),
    ],
)
def test_e41_set_up(players: int, cards: list[int], box: int, colours: list[list[str]], red: int | None) -> None:
    shown = notation.state_json(base("big", players))
    assert len(shown["boats"]) == 12
    assert list(shown["pirates"].values()) == ["S06", "S34", "S46"]
    assert (shown["provisions"], shown["provisions_in_box"]) == (cards, box)
    assert (shown["seat_colours"], shown["owner"]["red"]) == (colours, red)


def test_e42_pirates_block_one_another() -> None:
    state = table("big", 4, 3, 2, pirates=("S06", "S09", "S46"))
    assert pirate_moves(state) == [pirate(1, 2), pirate(2, 2), pirate(2, 3), pirate(3, 2), pirate(3, 3)]
    assert refusal(state, pirate(1, 3)) == "PIRATE_BLOCKED"
    state = table("big", 4, 5, 6, pirates=("S06", "S09", "S46"))
    assert refusal(state, pirate(1, 5)) == "PIRATE_BLOCKED"
    assert do(state, pirate(3, 6))[0].pirates[2] == "S04"
    assert refusal(table("big", 4, 5, 6, pirates=("S03", "S09", "S46")), pirate(3, 6)) == "PIRATE_BLOCKED"


def test_e43_the_hideout_fee() -> None:
    state, events = do(table("big", 4, 3, 1, pirates=FAR, y1="S11"), boat("y1", 3, "S12 HA1 HA2"))
    assert [e["event"] for e in events] == ["boat_moved", "provision_removed"]
    assert events[1] == {"event": "provision_removed", "seat": 0, "purpose": "hideout"}
    assert state.provisions == (4, 5, 5, 5)


def test_e44_no_card_no_hideout() -> None:
    state = table("big", 4, 3, 1, pirates=FAR, cards=(0, 5, 5, 5), y1="S11")
    assert refusal(state, boat("y1", 3, "S12 HA1 HA2")) == "NO_PROVISION_FOR_HIDEOUT"
    inside = table("big", 4, 3, 1, pirates=FAR, cards=(0, 5, 5, 5), y1="HA1")
    state, events = do(inside, boat("y1", 3, "HA2 HA3 HA4"))
    assert ([e["event"] for e in events], state.provisions) == (["boat_moved"], (0, 5, 5, 5))


def test_e45_sailing_through_costs_one_card() -> None:
    state, _ = do(table("big", 4, 5, 1, pirates=("S40", "S42", "S45"), y1="S28"), boat("y1", 5, "S29 HB1 HB2 HB3 S32"))
    assert (state.provisions, state.removed) == ((4, 5, 5, 5), 1)


def test_e46_caught_before_the_entrance() -> None:
    step = boat("y1", 3, "S12 HA1 HA2")
    state, events = do(table("big", 4, 3, 1, pirates=("S12", "S40", "S45"), y1="S11"), step)
    assert [e["event"] for e in events] == ["boat_moved", "boat_captured"]
    assert state.provisions == (5, 5, 5, 5)
    poor = table("big", 4, 3, 1, pirates=("S12", "S40", "S45"), cards=(0, 5, 5, 5), y1="S11")
    assert refusal(poor, step) == "NO_PROVISION_FOR_HIDEOUT"


def test_e47_exchanges_along_the_way() -> None:
    start = table("big", 4, 3, 1, pirates=FAR, y1="S20", g1="S21", purple2="S21", yellow2="S22", p1="S23")
    state, _ = do(start, boat("y1", 3, "S21 S22 S23"))
    assert state.pending == Pending("yellow1", None, (1, 2))
    assert legal(state) == [GiveProvision(1), TakeProvision(1), SkipExchange(1)]
    assert refusal(state, TakeProvision(2)) == "WRONG_PARTNER"
    state, events = do(state, TakeProvision(1), GiveProvision(2))
    assert events == [{"event": "provision_passed", "seat": 0, "from": 0, "to": 2}]
    assert (state.provisions, state.phase) == ((5, 4, 6, 5), Phase.MOVE)


def test_e48_clockwise_on_one_space() -> None:
    state = table("big", 4, 1, 2, seat=2, pirates=FAR, g1="S20", y1="S21", p1="S21", r1="S21")
    state, _ = do(state, boat("g1", 1, "S21"))
    assert state.pending == Pending("green1", None, (3, 0, 1))


@pytest.mark.parametrize(
    ("cards", "expected", "refused", "code"),
    [
        ((0, 0, 5, 5), None, SkipExchange(1), "WRONG_PHASE"),
        ((0, 1, 5, 5), [TakeProvision(1), SkipExchange(1)], GiveProvision(1), "NO_PROVISION_TO_GIVE"),
        ((1, 0, 5, 5), [GiveProvision(1), SkipExchange(1)], TakeProvision(1), "PARTNER_HAS_NO_PROVISION"),
    ],
)
def test_e49_empty_hands(cards: tuple[int, ...], expected: list[Action] | None, refused: Action, code: str) -> None:
    state, _ = do(table("big", 4, 1, 2, pirates=FAR, cards=cards, y1="S20", p1="S21"), boat("y1", 1, "S21"))
    assert (legal(state) if state.phase is Phase.EXCHANGE else None) == expected
    assert refusal(state, refused) == code


def test_e50_no_exchange_with_the_moved_own_or_neutral() -> None:
    state = table("big", 3, 2, 1, pirates=FAR, y1="S20", p1="S20", yellow2="S21", r1="S22")
    state, _ = do(state, boat("y1", 2, "S21 S22"))
    assert (state.phase, state.pending) == (Phase.MOVE, None)


def test_e51_a_caught_boat_trades_with_those_it_met() -> None:
    state = table("big", 4, 4, 1, pirates=("S22", "S40", "S45"), y1="S20", p1="S21", g1="S23")
    state, events = do(state, boat("y1", 4, "S21 S22 S23 S24"))
    assert (events[0]["to"], state.pending) == ("S22", Pending("yellow1", None, (1,)))


def test_e52_freeing_for_cards() -> None:
    cards = (1, 0, 5, 2)
    start = table("big", 4, 2, 1, pirates=FAR, cards=cards, y1="S08", yellow2="PRISON", p1="PRISON", red2="PRISON")
    state, events = do(start, boat("y1", 2, "S09 S10"))
    assert events[1:] == [{"event": "boat_freed", "boat": "yellow2", "space": "S10", "payer": None}]
    assert legal(state) == [FreeBoat("purple1", 0), FreeBoat("red2", 0), FreeBoat("red2", 3), EndFreeing()]
    assert refusal(state, FreeBoat("purple1", 1)) == "PAYER_HAS_NO_PROVISION"
    assert refusal(state, FreeBoat("purple1", 2)) == "PAYER_NOT_INVOLVED"
    assert refusal(state, FreeBoat("green1", 0)) == "BOAT_NOT_CAPTIVE"
    assert refusal(state, FreeBoat("blue1", 0)) == "UNKNOWN_BOAT"
    paid, events = do(state, FreeBoat("red2", 3), FreeBoat("purple1", 0))
    assert [e["event"] for e in events] == ["provision_removed", "boat_freed"]
    assert (paid.phase, paid.provisions) == (Phase.MOVE, (0, 0, 5, 1))
    ended, _ = do(state, EndFreeing())
    assert (at(ended, "p1"), at(ended, "red2"), ended.phase) == ("PRISON", "PRISON", Phase.MOVE)


def test_e53_nobody_can_pay() -> None:
    state = table("big", 4, 2, 1, pirates=FAR, cards=(0, 0, 5, 5), y1="S08", p1="PRISON")
    state, _ = do(state, boat("y1", 2, "S09 S10"))
    assert (state.phase, at(state, "p1")) == (Phase.MOVE, "PRISON")


def test_e54_neutral_boats_free_of_charge() -> None:
    state = table("big", 3, 2, 1, pirates=FAR, yellow="HOME", r1="S08", p1="PRISON", g1="PRISON")
    _, events = do(state, boat("r1", 2, "S09 S10"))
    assert [(e["boat"], e["payer"]) for e in events[1:]] == [("purple1", None), ("green1", None)]
    _, events = do(table("big", 3, 2, 1, pirates=FAR, y1="S08", r1="PRISON"), boat("y1", 2, "S09 S10"))
    assert [(e["boat"], e["payer"]) for e in events[1:]] == [("red1", None)]


def test_e55_exchange_before_freeing() -> None:
    state = table("big", 4, 2, 1, pirates=FAR, cards=(0, 3, 0, 5), y1="S08", p1="S09", g1="PRISON")
    state, _ = do(state, boat("y1", 2, "S09 S10"))
    assert state.phase is Phase.EXCHANGE
    assert legal(do(state, TakeProvision(1))[0]) == [FreeBoat("green1", 0), EndFreeing()]
    assert do(state, SkipExchange(1))[0].phase is Phase.MOVE


def test_e56_the_second_colour_is_locked() -> None:
    state = table("big", 2, 2, 1, pirates=FAR, green1="S20")
    assert refusal(state, boat("g1", 2, "S21 S22")) == "SECOND_COLOUR_LOCKED"
    for gone in ("HOME", "PRISON"):
        assert movers(table("big", 2, 2, 1, pirates=FAR, green1="S20", yellow=gone)) == ["green1", "green2", "green3"]
    assert movers(table("big", 2, 2, 1, pirates=FAR, green1="S20", yellow="PRISON", y1="S10")) == ["yellow1"]


def test_e57_a_fellow_is_bound_by_the_order_of_colours() -> None:
    state = table("big", 2, 2, 1, pirates=FAR, yellow="HOME", green="HOME", p1="S20", r1="S30")
    assert movers(state) == ["purple1", "purple2", "purple3"]
    assert refusal(state, boat("r1", 1, "S31")) == "SECOND_COLOUR_LOCKED"


def test_e58_own_then_neutral_then_fellows() -> None:
    state = table("big", 3, 2, 1, pirates=FAR, y1="S20")
    assert refusal(state, boat("r1", 1, "S01")) == "OWN_BOAT_FIRST"
    state = table("big", 3, 2, 1, pirates=FAR, yellow="HOME", y1="PRISON")
    assert movers(state) == ["red1", "red2", "red3"]
    assert refusal(state, boat("p1", 1, "S01")) == "NEUTRAL_BOAT_FIRST"
    state = table("big", 3, 2, 1, pirates=FAR, yellow="HOME", red="PRISON")
    assert movers(state) == [f"{colour}{n}" for colour in ("purple", "green") for n in (1, 2, 3)]


def test_e59_moving_a_fellows_boat() -> None:
    state = table("big", 4, 3, 1, pirates=FAR, yellow="HOME", y1="PRISON", p1="S11", purple2="S12")
    state, _ = do(state, boat("p1", 3, "S12 HA1 HA2"))
    assert (state.provisions, state.pending) == ((4, 5, 5, 5), Pending("purple1", None, (1,)))
    state = table("big", 4, 2, 1, pirates=FAR, yellow="HOME", y1="PRISON", p1="S08", purple2="PRISON")
    state, events = do(state, boat("p1", 2, "S09 S10"))
    assert events[1:] == [{"event": "boat_freed", "boat": "yellow1", "space": "S10", "payer": None}]
    assert legal(state) == [FreeBoat("purple2", 0), FreeBoat("purple2", 1), EndFreeing()]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"players": 1}, "BAD_PLAYERS"),
        ({"players": 5}, "BAD_PLAYERS"),
        ({"players": True}, "BAD_PLAYERS"),
        ({}, "BAD_PLAYERS"),
        (None, "BAD_PLAYERS"),
        ({"players": 2, "boats_per_player": 2}, "BAD_BOATS_PER_PLAYER"),
        ({"players": 2, "variant": "experienced", "boats_per_player": 1}, "BAD_BOATS_PER_PLAYER"),
        ({"players": 2, "empty_pirate_space": "P4"}, "BAD_EMPTY_PIRATE_SPACE"),
        ({"players": 2, "empty_pirate_space": None}, "BAD_EMPTY_PIRATE_SPACE"),
        ({"players": 2, "variant": "big", "empty_pirate_space": "random"}, "BAD_EMPTY_PIRATE_SPACE"),
        ({"players": 2, "first_seat": 2}, "BAD_FIRST_SEAT"),
        ({"players": 2, "first_seat": True}, "BAD_FIRST_SEAT"),
        ({"players": 2, "colours": ["red"]}, "BAD_COLOURS"),
        ({"players": 2, "colours": ["red", "red"]}, "BAD_COLOURS"),
        ({"players": 2, "colours": ["red", "blue"]}, "BAD_COLOURS"),
        ({"players": 2, "variant": "big", "colours": ["red", "green"]}, "BAD_COLOURS"),
        ({"players": 2, "colours": []}, "BAD_COLOURS"),
        ({"players": 2, "variant": "grand"}, "BAD_VARIANT"),
        ({"players": 2, "sails": 3}, "UNKNOWN_OPTION"),
        ({"players": 1, "variant": "grand"}, "BAD_VARIANT"),
        ({"players": 1, "boats_per_player": "2"}, "BAD_PLAYERS"),
        ({"players": 2, "boats_per_player": 2, "colours": "red"}, "BAD_BOATS_PER_PLAYER"),
        ({"players": 2, "empty_pirate_space": 4, "first_seat": 2}, "BAD_EMPTY_PIRATE_SPACE"),
    ],
)
def test_e60_options(options: dict[str, object] | None, code: str) -> None:
    with pytest.raises(Illegal, match=code):
        initial(*notation.settings(options))
