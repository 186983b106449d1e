"""One match as the lines of a trace (TRACE.md), each a dict ready for JSON."""

from collections.abc import Iterable
from typing import Any, Protocol

from services.kit.draws import Draw
from services.rules.game import Draws, Illegal
from services.rules.loading import Loaded
from services.rules.policies import Legal, list_legal
from services.rules.views import view_all


class RecordedDraws(Draws, Protocol):
    """Draws that record what was drawn."""

    made: list[Draw]


class Tracer:
    """A match that writes down each of its steps.

    `state` is None before the start and where that was refused; `before` is the state before the last step; `legal`
    the actions open now; `decided` counts the accepted actions.
    """

    def __init__(self, game: Loaded, settings: Any, seats: int) -> None:
        self.game, self._settings, self._seats = game, settings, seats
        self.state: Any = None
        self.before: Any = None
        self.legal: Legal = {}
        self.decided = 0

    def start(self, draws: RecordedDraws, options: Any, chance: Any = None) -> dict[str, Any]:
        """The first line. A creation that is refused shows `options` and `chance` as they were asked for."""
        rules, head = self.game.module, self._head()
        try:
            self.before = rules.initial(self._settings, self._seats)
            events = rules.start(self.before, draws)
        except Illegal as refusal:
            return {**head, "options": options, "random": chance, "refused": refusal.code}
        options = self.game.notation.options(self._settings, self._seats)
        return {**head, "options": options, **self._drawn(draws), **self._go_on(events)}

    def act(self, seat: Any, action: Any, draws: RecordedDraws, chance: Any = None) -> dict[str, Any]:
        """The line of an action, both in the SPEC's notation; of a refused one, as they were asked for."""
        notation, self.before = self.game.notation, self.state
        number, asked = notation.seat(seat), notation.action(action)
        try:
            events = self.game.module.decide(self.before, number, asked, draws)
        except Illegal as refusal:
            given = {"random": chance} if chance else {}
            return {"seat": seat, "action": action, **given, "refused": refusal.code}
        self.decided += 1
        done = {"seat": notation.seat_name(number), "action": notation.action_json(asked)}
        return {**done, **self._drawn(draws), **self._go_on(events)}

    def _head(self) -> dict[str, Any]:
        version = self.game.module.DESCRIPTION.rules_version
        return {"trace": 1, "game": self.game.id, "rules_version": version}

    def _drawn(self, draws: RecordedDraws) -> dict[str, Any]:
        chance = self.game.notation.chance(self.before, draws.made)
        return {} if chance is None else {"random": chance}

    def _go_on(self, events: Iterable[Any]) -> dict[str, Any]:
        """Folds the events and describes the table after them."""
        self.state = self.before
        for event in events:
            self.state = self.game.module.evolve(self.state, event)
        self.legal = list_legal(self.game, self.state)
        notation, state = self.game.notation, self.state
        actors = self.game.module.status(state).turn
        position = self.game.module.position(state)
        views = view_all(self.game.position, position, (*range(self._seats), None))
        return {
            "events": [notation.event_json(e) for e in events],
            "state": notation.state_json(state),
            "actors": [notation.seat_name(seat) for seat in actors],
            "legal": {
                str(notation.seat_name(seat)): [notation.action_json(a) for a in actions]
                for seat, actions in self.legal.items()
            },
            "views": {self._name(v): notation.view_json(seen, v) for v, seen in views.items()},
            "result": notation.result_json(state),
        }

    def _name(self, viewer: int | None) -> str:
        return "spectator" if viewer is None else str(self.game.notation.seat_name(viewer))
