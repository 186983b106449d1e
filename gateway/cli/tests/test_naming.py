"""What groups of actions are called in a language other than English."""

import json
from dataclasses import replace

from argosy.client import LegalAction
from argosy.games.sirenen.v1 import sirenen_pb2

from gateway.cli.play.menu import options_of
from gateway.cli.play.naming import Naming, find_kinds
from gateway.cli.play.turn import Turn

NAMES = {"actions": [{"id": "play_card", "name": {"en": "play card", "de": "Karte spielen"}}]}
SHIPS = (28, 30, 32, 34, 36)


def play(card: int, name: str) -> list[LegalAction]:
    """A card to every ship."""
    return [
        LegalAction(
            sirenen_pb2.Action(play_card=sirenen_pb2.PlayCard(card=card, ship=ship, side=0)), f"{name} → {ship}"
        )
        for ship in SHIPS
    ]


PLAYS = [*play(3, "Seestern -1*"), *play(45, "Muschel 7"), *play(44, "Muschel 7")]
END = LegalAction(sirenen_pb2.Action(end_turn=sirenen_pb2.EndTurn()), "Zug beenden")
GERMAN = Naming("de", find_kinds(json.dumps(NAMES).encode(), "de"))


def texts(actions: list[LegalAction], naming: Naming) -> list[str]:
    return [option.text for option in options_of(actions, naming)]


def test_groups_are_called_as_the_game_calls_its_kinds_of_actions() -> None:
    assert texts([*PLAYS, END], GERMAN) == ["Karte spielen … (15)", "Zug beenden"]
    assert texts([*PLAYS, END], Naming()) == ["play card … (15)", "Zug beenden"]
    chosen = Turn(0, None, [*PLAYS, END], naming=GERMAN)  # type: ignore[arg-type]  # what was decided on is of no account
    assert chosen.choose("Karte spielen") == ""
    assert chosen.choose("Krake") == "Nichts, was jetzt geht, heißt 'Krake'; ? hilft."


def test_a_kind_without_a_name_is_called_by_its_field() -> None:
    assert texts([*PLAYS, END], replace(GERMAN, kinds={})) == ["play card … (15)", "Zug beenden"]


def test_things_alike_are_called_alike_rather_than_by_an_english_field() -> None:
    assert texts(PLAYS, GERMAN) == ["Seestern -1* … (5)", "Muschel 7 … (5)", "Muschel 7 … (5)"]
    assert texts(PLAYS, Naming()) == ["card 3 … (5)", "card 45 … (5)", "card 44 … (5)"]


def test_an_asset_that_names_no_kinds_is_no_fault() -> None:
    for content in (b"", b"[]", b"{}", b'{"actions": 1}', b'{"actions": [1]}', b'{"actions": [{"name": {"de": "x"}}]}'):
        assert find_kinds(content, "de") == {}
    assert find_kinds(json.dumps(NAMES).encode(), "fr") == {}
