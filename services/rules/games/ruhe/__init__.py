"""In aller Ruhe (Tranquility), by SPEC.md with all its expansions: the names of the `Game` protocol.

Card lists in actions are sets. The state's `tasks` are what comes of itself after the open decision, so that every
event alone tells the state after it (`flow.py`, `evolution.py`).
"""

from services.rules.game import Status
from services.rules.games.ruhe.decisions import decide
from services.rules.games.ruhe.description import DEFAULTS, DESCRIPTION, SAMPLES
from services.rules.games.ruhe.drawing import draw
from services.rules.games.ruhe.events import Event
from services.rules.games.ruhe.evolution import evolve
from services.rules.games.ruhe.labels import label, tell
from services.rules.games.ruhe.legal import actions, actors, can_use_compass
from services.rules.games.ruhe.model import Outcome, Settings, State
from services.rules.games.ruhe.moves import Action
from services.rules.games.ruhe.setup import initial, start
from services.rules.games.ruhe.table import Position, position
from services.rules.games.ruhe.worlds import TELLS, worlds

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


def status(state: State) -> Status:
    """The seats that owe a decision, all seats where a compass may be used, or the scores (all 1 or all 0)."""
    if state.result is not None:
        score = 1.0 if state.result.outcome is Outcome.WON else 0.0
        return Status(scores=(score,) * state.seats, reason=state.result.reason)
    turn = actors(state)
    return Status(turn, tuple(range(state.seats)) if can_use_compass(state) else turn)
