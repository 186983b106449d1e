"""What a seat is told of its hand."""

from services.rules.games import ruhe
from services.rules.games.ruhe.model import State
from services.rules.games.ruhe.tests.tables import storm, table


def hand(state: State, seat: int = 0) -> list[str]:
    """The lines on the seat's own islands."""
    drawn = ruhe.draw(ruhe.position(state), seat, "en").splitlines()
    first = next(i for i, line in enumerate(drawn) if line.startswith("Your hand")) + 1
    return [line.strip() for line in drawn[first:] if line.startswith("  ")]


def test_cells_and_costs() -> None:
    assert hand(table("I02 I05 I40|I01", {0: 3, 20: 39})) == [
        "2: no cell",
        "5: cells 1 to 19; (1) costs 2, (19) costs 34; free where it has no neighbour",
        "40: cells 21 to 35; (21) costs 1; free where it has no neighbour",
    ]


def test_an_orange_storm_leaves_only_cells_beside_islands() -> None:
    told = hand(table("I05 I40|I01 I02", {0: 3, 20: 39}, storms=[storm("O1", 0)]))
    assert told == ["5: only beside an island; (1) costs 2, (19) costs 34", "40: only beside an island; (21) costs 1"]
    bound = table("I05 I40|I01 I02", storms=[storm("O1", 0)])
    assert hand(bound) == ["5: no cell", "40: no cell"]
    assert hand(bound, 1) == [f"{n}: cells 0 to 35; free where it has no neighbour" for n in (1, 2)]
