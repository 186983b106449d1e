"""Plays Nim's arithmetic as if everybody had the same limit."""

from collections.abc import Sequence

from services.rules.game import Draws
from tests.toy_game.secret_nim import Action, Position, Take


def choose(position: Position, seat: int, actions: Sequence[Action], draws: Draws) -> Action:
    limit = position.players[seat].limit or 1
    wanted = Take(position.heap % (limit + 1))
    return wanted if wanted in actions else actions[draws.below("choice", len(actions))]
