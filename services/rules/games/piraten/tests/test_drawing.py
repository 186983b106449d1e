"""Drawings fit into 80 columns and show everything; labels tell actions apart; events are told in sentences."""

import itertools
import re
from dataclasses import replace
from typing import Any

import pytest

from services.rules.games import piraten
from services.rules.games.piraten.components import letters, names
from services.rules.games.piraten.drawing import WIDTH
from services.rules.games.piraten.events import TurnEnded
from services.rules.games.piraten.model import Colour
from services.rules.games.piraten.moves import EndFreeing, FreeBoat, HoldBoat
from services.rules.games.piraten.table import position
from services.rules.games.piraten.tests.playouts import play
from services.rules.games.piraten.tests.tables import boat, do, pirate, table
from services.rules.games.piraten.words import PHRASES

LANGUAGES = ("en", "de")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sample", range(len(piraten.SAMPLES)))
def test_a_match_in_words(sample: int, language: str) -> None:
    settings, seats = piraten.SAMPLES[sample]
    for step in play(settings, seats, seed=1, limit=120):
        view = piraten.position(step.state)
        shown = piraten.draw(view, 0, language)
        assert max(map(len, shown.splitlines())) <= WIDTH
        assert "{" not in shown
        labels = [piraten.label(view, step.state.seat, action, language) for action in step.legal]
        assert len(set(labels)) == len(labels)
        assert all(0 < len(text) <= WIDTH - 6 for text in labels)
        for event in step.events:
            assert bool(piraten.tell(event, language)) != isinstance(event, TurnEnded)
            assert len(piraten.tell(event, language)) <= WIDTH


def test_every_boat_and_pirate_is_shown_where_it_is() -> None:
    state = table("big", 3, 3, 5, y1="S21", yellow2="S21", p1="S21", g1="HA2", r1="PRISON", red2="HOME")
    lines = piraten.draw(position(state), 0, "en").splitlines()
    column = next(line.index("S21") for line in lines if "S21" in line)
    row = next(n for n, line in enumerate(lines) if "S21" in line)
    assert [lines[row + n][column : column + 3] for n in (1, 2)] == ["Y12", "P1"]
    lane = next(n for n, line in enumerate(lines) if "HA2" in line)
    assert lines[lane + 1][lines[lane].index("HA2") :].startswith("G1")
    start = next(n for n, line in enumerate(lines) if "S06" in line)
    assert lines[start + 1][lines[start].index("S06") :].startswith("#1")
    places = {line[:30].rstrip(): line[30:] for line in lines if line[30:31] in letters().values()}
    assert places["Adventure Island (waiting)"] == "Y3 P23 G23 R3"
    assert (places["Pirate Island (captive)"], places["Home harbour (rescued)"]) == ("R1", "R2")


def test_a_crowded_space() -> None:
    everybody = dict.fromkeys(("yellow", "purple", "green", "red"), "S48")
    state = table("big", 4, 3, 5, pirates=("S10", "S11", "S12"), cards=(), settings=None, seat=0, turn=1, **everybody)
    shown = piraten.draw(position(state), None, "de")
    assert [token for token in ("Y123", "P123", "G123", "R123") if token in shown] == ["Y123", "P123", "G123", "R123"]
    assert max(map(len, shown.splitlines())) <= WIDTH


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", [0, 1])
def test_the_seats_of_long_names_stand_apart(viewer: int, language: str) -> None:
    for colours in itertools.permutations(Colour):
        state = table("big", 2, settings={"colours": colours}, cards=(10, 10))
        shown = piraten.draw(position(state), viewer, language)
        assert re.search(r"\w  +(Seat|Platz) 1\b", shown)
        assert max(map(len, shown.splitlines())) <= WIDTH
    assert re.search(
        r", 1 (provision|Proviant)\b", piraten.draw(position(replace(state, provisions=(1, 19))), 0, language)
    )


def test_who_may_do_what() -> None:
    state = table("big", 4, 2, 1, pirates=("S30", "S40", "S45"), y1="S08", p1="S09", g1="PRISON")
    assert "Seat 0 may sail: yellow 1, yellow 2, yellow 3." in piraten.draw(position(state), 0, "en")
    state, _ = do(state, boat("y1", 2, "S09 S10"))
    assert "Seat 0 met seat 1" in piraten.draw(position(state), 0, "en")
    state, _ = do(state, next(iter(piraten.actions(state, 0))))
    assert "Seat 0 may free captives" in piraten.draw(position(state), 0, "en")
    view = position(state)
    assert piraten.label(view, 0, FreeBoat("green1", 2), "en") == "free green 1, seat 2 pays"
    assert piraten.label(view, 0, EndFreeing(), "de") == "keine weiteren Gefangenen befreien"


def test_labels_say_what_becomes_of_boats() -> None:
    view = position(table("small", 4, 5, 6, pirates=("S12", "S40"), y1="S11", p1="S14"))
    caught = piraten.label(view, 0, boat("y1", 5, "S12 HA1 HA2 HA3 HA4"), "en")
    assert caught == "yellow 1, 5: to HA4, caught on S12"
    assert piraten.label(view, 0, pirate(1, 5), "en") == "Pirate ship 1, 5: to S17, catches purple 1"
    view = position(table("small", 4, 5, 6, y1="S28"))
    through = piraten.label(view, 0, boat("y1", 5, "S29 HB1 HB2 HB3 S32"), "de")
    assert through == "Gelb 1, 5: nach S32 durch Schildkrötenbach"
    view = position(table("big", 4, 5, 6, pirates=("S32", "S40", "S45"), y1="S28"))
    assert piraten.label(view, 0, boat("y1", 3, "S29 HB1 HB2"), "en") == "yellow 1, 3: to HB2 (1 provision)"
    caught = piraten.label(view, 0, boat("y1", 5, "S29 HB1 HB2 HB3 S32"), "de")
    assert caught == "Gelb 1, 5: nach S32 durch Schildkrötenbach (1 Proviant), gefangen auf S32"
    caught = piraten.label(view, 0, boat("y1", 5, "S29 HB1 HB2 HB3 S32"), "en")
    assert caught == "yellow 1, 5: to S32 through Turtle Creek (1 provision), caught on S32"
    view = position(table("small", 4, 2, 6, y1="S43"))
    assert piraten.label(view, 0, boat("y1", 2, "S44 G1"), "en") == "yellow 1, 2: to G1, home"
    assert piraten.label(view, 0, HoldBoat("yellow1", 6), "en") == "yellow 1, 6: stay on S43"


def test_a_label_counts_boats_where_their_names_have_no_room() -> None:
    others: dict[str, Any] = dict.fromkeys(("yellow", "purple", "green", "red"), "S13")
    view = position(table("big", 4, 5, 6, pirates=("S12", "S40", "S45"), **others))
    assert piraten.label(view, 0, pirate(1, 5), "en") == "Pirate ship 1, 5: to S17, catches 12 boats"
    assert piraten.label(view, 0, pirate(1, 5), "de") == "Piratenschiff 1, 5: nach S17, fängt 12 Boote"


def test_both_languages_say_the_same_things() -> None:
    english, german = PHRASES["en"], PHRASES["de"]
    assert english.keys() == german.keys()
    assert {k: set(re.findall(r"{\w+}", v)) for k, v in english.items()} == {
        k: set(re.findall(r"{\w+}", v)) for k, v in german.items()
    }
    assert names("fr") == names("en") != names("de")
