"""Choosing step by step among many actions, and by words."""

from argosy.client import LegalAction
from argosy.games.sirenen.v1 import sirenen_pb2

from gateway.cli.play.menu import SHORT, columns, kind_of, matching, options_of
from gateway.cli.play.turn import Turn, is_end

CARDS = {3: "starfish 3", 7: "shell 7", 9: "anchor 9"}


def play(card: int, ship: int) -> LegalAction:
    chosen = sirenen_pb2.PlayCard(card=card, ship=ship, side=0)
    return LegalAction(sirenen_pb2.Action(play_card=chosen), f"{CARDS[card]} → {ship} own side")


PLAYS = [play(card, ship) for card in CARDS for ship in (28, 30, 32, 34, 36)]
END = LegalAction(sirenen_pb2.Action(end_turn=sirenen_pb2.EndTurn()), "end the turn")
ALL = [*PLAYS, END]


def turn() -> Turn:
    return Turn(0, None, ALL)  # type: ignore[arg-type]  # what was decided on is of no account here


def test_enter_takes_the_only_action_where_it_is_owed() -> None:
    assert turn().sole is None
    assert Turn(0, None, [END]).sole is END  # type: ignore[arg-type]  # as in `turn`
    assert Turn(0, None, [END], is_owed=False).sole is None  # type: ignore[arg-type]  # as in `turn`


def test_few_actions_are_listed_as_they_are() -> None:
    assert [option.text for option in options_of(PLAYS[:SHORT])] == [action.label for action in PLAYS[:SHORT]]


def test_many_are_divided_by_kind_then_piece_then_place() -> None:
    chosen = turn()
    assert [option.text for option in chosen.options] == ["play card … (15)", "end the turn"]
    assert chosen.choose("1") == ""
    assert [option.text for option in chosen.options] == ["starfish 3 … (5)", "shell 7 … (5)", "anchor 9 … (5)"]
    assert chosen.choose("2") == ""
    assert [option.text for option in chosen.options] == [action.label for action in PLAYS[5:10]]
    chosen.back()
    assert len(chosen.options) == 3
    assert chosen.choose("3") == ""
    assert chosen.choose("5") is PLAYS[-1]


def test_words_of_a_label_choose_among_all_actions() -> None:
    assert matching(ALL, "SHELL 36") == [PLAYS[9]]
    assert matching(ALL, "end the turn") == [END]
    chosen = turn()
    assert chosen.choose("shell") == ""
    assert [option.actions for option in chosen.options] == [(action,) for action in PLAYS[5:10]]
    assert chosen.choose("/36 anchor") is PLAYS[14]
    told = chosen.choose("kraken")
    assert isinstance(told, str)
    assert "kraken" in told


def test_an_option_typed_as_it_is_shown_is_that_one_though_others_have_its_words() -> None:
    names = ("shell 2", "shell 12", "shell -2*")
    plays = [
        LegalAction(sirenen_pb2.Action(play_card=sirenen_pb2.PlayCard(card=card, ship=ship)), f"{name} → {ship}")
        for card, name in enumerate(names, 1)
        for ship in range(28, 33)
    ]
    chosen = Turn(0, None, plays)  # type: ignore[arg-type]  # what was decided on is of no account here
    assert [option.text for option in chosen.options] == ["shell 2 … (5)", "shell 12 … (5)", "shell -2* … (5)"]
    assert len(matching(plays, "shell 2")) == len(plays)
    assert chosen.choose("Shell 2") == ""
    assert [option.actions for option in chosen.options] == [(action,) for action in plays[:5]]


def test_what_ends_something_is_known_by_its_kind() -> None:
    assert (kind_of(END.action), is_end(END), is_end(PLAYS[0])) == ("end_turn", True, False)
    assert turn().end is END
    assert turn().kinds == "end_turn + play_card"


def test_no_line_is_wider_than_the_terminal() -> None:
    lines = columns([f"option {'x' * (number % 30)}" for number in range(100)])
    assert max(map(len, lines)) <= 80
    assert sum(line.count("option") for line in lines) == 100
