"""Piraten-Abenteuer: a co-operative race round Adventure Island for two to four players.

In reading order: `model`, `moves`, `events`, `board`, `fleet`, `setup`, `legality`, `rules`, `fold`, `table`; then
`drawing` and `labels` for people.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping

from services.rules.game import Draws
from services.rules.games.piraten.description import DEFAULTS, DESCRIPTION, SAMPLES
from services.rules.games.piraten.drawing import draw
from services.rules.games.piraten.events import Event
from services.rules.games.piraten.fold import evolve
from services.rules.games.piraten.labels import label, tell
from services.rules.games.piraten.legality import actions
from services.rules.games.piraten.model import Position, Settings, State
from services.rules.games.piraten.moves import Action
from services.rules.games.piraten.rules import decide, status
from services.rules.games.piraten.setup import initial, start
from services.rules.games.piraten.table import position

TELLS: Mapping[str, Callable[[State], Hashable]] = {}


def worlds(state: State, _seat: int | None, _draws: Draws, /) -> Iterator[State]:
    """The state itself, again and again: nothing is hidden (R-PIR-46)."""
    while True:
        yield state


__all__ = [
    "DEFAULTS",
    "DESCRIPTION",
    "SAMPLES",
    "TELLS",
    "Action",
    "Event",
    "Position",
    "Settings",
    "State",
    "actions",
    "decide",
    "draw",
    "evolve",
    "initial",
    "label",
    "position",
    "start",
    "status",
    "tell",
    "worlds",
]
