"""Sirenen in Sicht, by Martin Schlegel: five ship cards, two seats, cards to either side of each.

Read in this order: `model` and `events` (the values), `rules` (what an action causes), `folding` (what an event
changes), `table` (what follows from a state).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter

from services.rules.games.sirenen.description import DESCRIPTION
from services.rules.games.sirenen.drawing import draw
from services.rules.games.sirenen.events import Event
from services.rules.games.sirenen.folding import evolve
from services.rules.games.sirenen.labels import label, tell
from services.rules.games.sirenen.model import Action, Position, Settings, State, Variant
from services.rules.games.sirenen.rules import decide, initial, start
from services.rules.games.sirenen.table import actions, position, status
from services.rules.games.sirenen.worlds import worlds

DEFAULTS = Settings()
SAMPLES: Sequence[tuple[Settings, int]] = ((DEFAULTS, 2), (Settings(Variant.OWN_DECKS), 2))
# In OWN_DECKS the start cards, kept face down, decide who begins; every other card acts once it lies open.
TELLS: Mapping[str, Callable[[State], Hashable]] = {"start_player": attrgetter("start_player")}

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
