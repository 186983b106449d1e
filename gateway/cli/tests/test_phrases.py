"""What the program says itself, in both languages."""

import string
from collections.abc import Iterator

import pytest
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb

from gateway.cli import phrases
from gateway.cli.people import name_seats, tell_end
from gateway.cli.phrases import LANGUAGES, Phrase


def catalogue() -> Iterator[tuple[str, Phrase]]:
    """Every phrase by its name in the module, outcomes by theirs."""
    for name, value in vars(phrases).items():
        if isinstance(value, Phrase):
            yield name, value
    yield from phrases.OUTCOMES.items()


def places(text: str) -> set[tuple[str, str | None]]:
    """What has to be filled in a text, and how it is shown."""
    return {(name, how) for _, name, _, how in string.Formatter().parse(text) if name is not None}


def test_every_phrase_is_there_in_both_languages_with_the_same_places() -> None:
    found = dict(catalogue())
    assert {"WAITING", "HELP", "GO_ON_WITH", "RESIGNED"} <= found.keys()
    for name, phrase in found.items():
        assert phrase.en, name
        assert phrase.de, name
        assert places(phrase.en) == places(phrase.de), name


def test_every_outcome_has_its_phrase() -> None:
    named = {name.removeprefix("OUTCOME_") for name in entry_pb2.End.Outcome.keys()}  # noqa: SIM118 - no dict
    assert named - {"UNSPECIFIED"} == phrases.OUTCOMES.keys()
    assert all(name == phrase.en for name, phrase in phrases.OUTCOMES.items())


@pytest.mark.parametrize(
    ("tag", "language"), [("de", "de"), ("de-AT", "de"), ("DE", "de"), ("en", "en"), ("en-GB", "en"), ("fr", "en")]
)
def test_a_language_is_chosen_by_its_tag(tag: str, language: str) -> None:
    assert phrases.choose_language(tag) == language
    assert phrases.START(tag) == {"en": "the start", "de": "den Beginn"}[language]


def test_no_line_of_the_help_is_wider_than_the_terminal() -> None:
    for language in LANGUAGES:
        assert max(map(len, phrases.HELP(language).splitlines())) <= 80


def test_prompts_leave_room_for_the_answer() -> None:
    values = {"server": "127.0.0.1:7600", "seat": 10, "version": 1000, "last": 1000}
    steps = (phrases.FIRST_STEP, phrases.FIRST_STEP_FREE, phrases.NEXT_STEP, phrases.NEXT_STEP_FREE)
    for language in LANGUAGES:
        prompts = [phrases.PROMPT(language, seat=10, way=way(language)) for way in steps]
        prompts += [ask(language, **values) for ask in (phrases.NO_PLATFORM, phrases.NEXT_HAND, phrases.STEP)]
        prompts.append(phrases.STEPS(language))
        prompts.append(phrases.ASKED(language, question=phrases.WHENEVER_LIKE_THIS(language)))
        assert max(map(len, prompts)) < 80, prompts


def test_what_fills_a_place_is_taken_as_it_is() -> None:
    assert phrases.UNKNOWN("de", typed="{x}") == "Nichts, was jetzt geht, heißt '{x}'; ? hilft."


def test_seats_and_ends_are_told_in_german() -> None:
    seat = match_pb.Match.Seat
    match = match_pb.Match(
        seats=[seat(player="players/a"), seat(bot_policy="random"), seat(player="players/b"), seat()], own_seats=[0]
    )
    names = name_seats(match, "de-AT")
    assert names == ["Platz 0: du", "Platz 1: Bot (random)", "Platz 2: jemand", "Platz 3: frei"]
    end = entry_pb2.End(outcome=entry_pb2.End.OUTCOME_RESULT, reason="ARRIVED", scores=[1, 0.5])
    assert tell_end(end, names[:1], "de") == (
        "Die Partie ist zu Ende, ausgespielt: ARRIVED.\n  1  Platz 0: du\n  0.5  Platz 1"
    )
    assert tell_end(end, names[:1], "fr").startswith("The match is over, RESULT: ARRIVED.\n")
