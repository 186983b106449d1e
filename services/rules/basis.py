"""What an answer rests on: a state out of its bytes, or out of a match's beginning, and the events since."""

from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb

from services.kit.codec import Malformed
from services.rules.game import Illegal
from services.rules.loading import Loaded


class UnreadableBasis(ValueError):
    """The request rests on bytes that this game did not give. Its text names no values."""


def read_basis(game: Loaded, basis: pb.Basis) -> Any:
    """The state that the basis stands for. Raises UnreadableBasis."""
    start = basis.WhichOneof("start")
    if start == "state":
        state = _decode(game, basis.state)
    elif start == "setup":
        state = begin(game, basis.setup.settings, basis.setup.seats)
    else:
        raise UnreadableBasis("the basis has neither state nor setup")
    return fold(game, state, basis.events) if basis.events else state


def _decode(game: Loaded, data: bytes) -> Any:
    try:
        return game.decode_state(data)
    except ValueError:
        raise UnreadableBasis(f"the state is none of {game.id}") from None


def begin(game: Loaded, settings: bytes, seats: int) -> Any:
    """The state before the first event. Raises UnreadableBasis for settings that no match can have."""
    try:
        return game.module.initial(game.settings.from_bytes(settings), seats)
    except Malformed as malformed:
        raise UnreadableBasis(f"the settings: {malformed}") from None
    except Illegal as illegal:
        raise UnreadableBasis(f"no match has these settings and seats: {illegal.code}") from None


def fold(game: Loaded, state: Any, events: Any) -> Any:
    """The state after the events, given as their bytes. Raises UnreadableBasis for bytes that are no event."""
    from_bytes, evolve = game.event.from_bytes, game.module.evolve
    for number, data in enumerate(events):
        try:
            event = from_bytes(data)
        except Malformed as malformed:
            raise UnreadableBasis(f"event {number}: {malformed}") from None
        state = evolve(state, event)
    return state
