from dataclasses import replace

import pytest

from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.drawing import name_field
from services.rules.games.seeschlacht.event import Field
from services.rules.games.seeschlacht.model import Edition, Settings
from services.rules.games.seeschlacht.tests.test_playouts import playout

LANGUAGES = pytest.mark.parametrize("language", ["en", "de", "fr"])


@LANGUAGES
@pytest.mark.parametrize("edition", Edition)
def test_all_is_told_within_80_columns(edition: Edition, language: str) -> None:
    """Draws, labels and tells a whole random match; every phrase has its values."""
    for step, (_, _, events, state) in enumerate(playout(Settings(edition, turn_cap=90), seed=8)):
        position = seeschlacht.position(state)
        told = [seeschlacht.tell(event, language) for event in events]
        if step % 10 == 0:
            told += seeschlacht.draw(position, step % 3 - 1 if step % 3 else None, language).splitlines()
            actions = seeschlacht.actions(state, state.seat)
            labels = [seeschlacht.label(position, state.seat, action, language) for action in actions]
            assert len(set(labels)) == len(labels)
            assert all(labels)
            told += labels
        assert max(map(len, told)) <= 80
        assert not any("{" in line for line in told)


def test_a_drawing_shows_where_every_ship_lies() -> None:
    *_, (_, _, _, state) = playout(Settings(turn_cap=40), seed=9)
    picture = seeschlacht.draw(seeschlacht.position(state), 0, "en").splitlines()
    first = next(n for n, line in enumerate(picture) if line.startswith("A #"))
    for ship in seeschlacht.position(state).ships:
        assert ship.field
        name = name_field(ship.field)
        row, column = ord(name[0]) - ord("A"), int(name[1:])
        line = picture[first + 2 * row + (column + 1) % 2]
        assert line[2 * column :].startswith(ship.id)


def test_fields_have_names_of_their_own() -> None:
    names = {name_field(Field(*point)) for point in load_board().fields}
    assert len(names) == len(load_board().fields)
    assert name_field(Field(0, 0)) == "L17"


def test_a_label_says_what_a_move_leads_to() -> None:
    state = next(s for _, _, _, s in playout(Settings(Edition.LARGE), seed=10) if s.turn)
    ahead = load_board().number[-12, 2]
    other = load_board().number[-12, 1]
    state = replace(
        state,
        places=(*state.places[:3], ahead, *state.places[4:10], other, *state.places[11:]),
        facings=(1,) * 20,
        seat=0,
    )
    label = seeschlacht.label(seeschlacht.position(state), 0, a.MoveShip("WW1", "X"), "en")
    assert label == "WW1 X: to H5 ↑, rams YM1"
    assert seeschlacht.label(seeschlacht.position(state), 0, a.MoveShip("WM1", "L"), "de").endswith("Anker WH8")
    shot = a.Fire("WW1", "YM1")
    state = replace(state, facings=(2,) * 20)
    assert seeschlacht.label(seeschlacht.position(state), 0, shot, "en") == "WW1 at YM1 in G5 (yellow hits)"
