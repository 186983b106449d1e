"""Seeschlacht (F.X. Schmid 1975, author Rudolf Ross): two fleets, one wind, and merchants to bring home."""

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from services.rules.game import Draws
from services.rules.games.seeschlacht.action import Action
from services.rules.games.seeschlacht.description import DESCRIPTION
from services.rules.games.seeschlacht.drawing import draw
from services.rules.games.seeschlacht.event import Event
from services.rules.games.seeschlacht.evolution import evolve
from services.rules.games.seeschlacht.model import Edition, Settings, State
from services.rules.games.seeschlacht.positions import Position, position
from services.rules.games.seeschlacht.rules import decide, initial, start, status
from services.rules.games.seeschlacht.telling import label, tell
from services.rules.games.seeschlacht.turn import list_actions as actions

DEFAULTS = Settings()
SAMPLES: Sequence[tuple[Settings, int]] = (
    (DEFAULTS, 2),
    (Settings(edition=Edition.LARGE), 2),
    (Settings(first_seat=1, turn_cap=60), 2),
    (Settings(edition=Edition.LARGE, first_seat=1, turn_cap=30), 2),
)
TELLS: Mapping[str, Callable[[State], Hashable]] = {}  # nothing is hidden (R-SEE-37)


def worlds(state: State, _seat: int | None, _draws: Draws) -> Iterator[State]:
    """The state itself, for ever: everybody sees everything (R-SEE-37)."""
    return itertools.repeat(state)


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
