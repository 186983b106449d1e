"""Who acts next and how, chosen by a seat's own view: uniformly, or by the game's sensible bot."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.rules.game import Draws
from services.rules.loading import Loaded
from services.rules.views import see

Legal = Mapping[int, Sequence[Any]]  # the legal actions by seat, seats without any left out, ascending
Policy = Callable[[Loaded, Any, Legal, Draws], tuple[int, Any]]


def choose_uniformly(_game: Loaded, _state: Any, legal: Legal, draws: Draws) -> tuple[int, Any]:
    """Any of the seats, then any of its actions."""
    seat = tuple(legal)[draws.below("seat", len(legal))]
    return seat, legal[seat][draws.below("action", len(legal[seat]))]


def choose_sensibly(game: Loaded, state: Any, legal: Legal, draws: Draws) -> tuple[int, Any]:
    """Any of the seats that owe a decision, which asks the bot; others would have to act where they need not."""
    asked = tuple(seat for seat in game.module.status(state).turn if seat in legal) or tuple(legal)
    seat = asked[draws.below("seat", len(asked))]
    return seat, game.bot.choose(see(game, game.module.position(state), seat), seat, legal[seat], draws)


POLICIES: Mapping[str, Policy] = {"uniform": choose_uniformly, "bot": choose_sensibly}


def list_legal(game: Loaded, state: Any) -> Legal:
    """The legal actions in canonical order, by seat; seats without any are left out."""
    listed = {seat: tuple(game.module.actions(state, seat)) for seat in game.module.status(state).may_act}
    return {seat: actions for seat, actions in sorted(listed.items()) if actions}
