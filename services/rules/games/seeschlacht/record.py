"""The events of one decision as they come about, and the dice among them."""

from services.rules.game import Draws
from services.rules.games.seeschlacht.event import Die, DieRolled, Event, Purpose
from services.rules.games.seeschlacht.evolution import evolve
from services.rules.games.seeschlacht.model import COLOURS, Colour, State


class Record:
    """Collects events; `state` is always the fold of what was added so far."""

    def __init__(self, state: State, draws: Draws) -> None:
        self.state = state
        self.events: list[Event] = []
        self._draws = draws

    def add(self, event: Event) -> None:
        """One event more."""
        self.events.append(event)
        self.state = evolve(self.state, event)

    def roll_colour(self, purpose: Purpose, seat: int | None = None) -> Colour:
        """The colour die, by the seat on turn unless another is named."""
        colour = COLOURS[self._draws.below("colour", len(COLOURS))]
        self.add(DieRolled(self.state.seat if seat is None else seat, Die.COLOUR, colour, None, purpose))
        return colour

    def roll_number(self, purpose: Purpose, seat: int | None = None) -> int:
        """The number die, 1 to 6."""
        number = self._draws.below("number", 6) + 1
        self.add(DieRolled(self.state.seat if seat is None else seat, Die.NUMBER, None, number, purpose))
        return number
