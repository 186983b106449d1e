"""The sensible policy: legal, the same for the same draws, and better than chance."""

import pytest

from services.kit.draws import SeededDraws
from services.rules.games import piraten
from services.rules.games.piraten import bot
from services.rules.games.piraten.model import Settings, Variant
from services.rules.games.piraten.moves import FreeBoat, MoveBoat, TakeProvision
from services.rules.games.piraten.outlook import judge
from services.rules.games.piraten.table import position
from services.rules.games.piraten.tests.tables import boat, do, legal, table
from services.rules.games.piraten.tournament import tally


@pytest.mark.parametrize(
    ("settings", "seats", "least"),
    [(Settings(), 2, 9), (Settings(), 4, 9), (Settings(Variant.EXPERIENCED), 2, 7)],
)
def test_it_wins_where_chance_loses(settings: Settings, seats: int, least: int) -> None:
    assert tally(settings, seats, "sensible", range(10)).won >= least
    assert tally(settings, seats, "random", range(10)).won <= 2


def test_it_goes_home_when_all_others_are() -> None:
    state = table("small", 2, 2, 5, y1="S43", p1="HOME")
    chosen = bot.choose(position(state), 0, legal(state), SeededDraws(bytes(32)))
    assert chosen == boat("y1", 2, "S44 G1")


def test_the_last_free_boat_passes_the_harbour_for_its_captive_friend() -> None:
    state = table("small", 2, 2, 5, pirates=("S20", "S30"), y1="S43", p1="PRISON")
    chosen = bot.choose(position(state), 0, legal(state), SeededDraws(bytes(32)))
    assert not (isinstance(chosen, MoveBoat) and chosen.path[-1] in ("G1", "G2"))


def test_it_frees_captives_by_cards() -> None:
    state = table("big", 4, 2, 1, pirates=("S30", "S40", "S45"), cards=(0, 3, 0, 5), y1="S08", p1="S09", g1="PRISON")
    state, _ = do(state, boat("y1", 2, "S09 S10"))
    chosen = bot.choose(position(state), 0, legal(state), SeededDraws(bytes(32)))
    assert chosen == TakeProvision(1)
    state, _ = do(state, chosen)
    assert bot.choose(position(state), 0, legal(state), SeededDraws(bytes(32))) == FreeBoat("green1", 0)


def test_a_boat_before_a_pirate_is_in_peril() -> None:
    behind, before = (table("small", 2, pirates=("S20", "S21"), y1=space, p1="S01") for space in ("S26", "S34"))
    risk = [judge(bot.read(position(state)), 0) - (36, 44)[n] for n, state in enumerate((behind, before))]
    assert risk[0] < risk[1]
    assert piraten.position(before).counts.sea == 2
