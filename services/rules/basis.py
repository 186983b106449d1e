"""What an answer rests on: a state out of its bytes, or out of a match's beginning, and the events since."""

from collections import OrderedDict
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb

from services.kit.codec import Malformed
from services.rules.game import Illegal
from services.rules.loading import Loaded

_ENTRY = 512  # bytes that a remembered state costs beside its encoding, roughly


class UnreadableBasis(ValueError):
    """The request rests on bytes that this game did not give. Its text names no values."""


class RecentStates:
    """States that were decoded or encoded lately, by their bytes: a warm move then decodes nothing.

    States are immutable and equal bytes mean equal states, so an answer cannot depend on what is remembered.
    Forgets the state unused for longest once the encodings exceed `limit` bytes; 0 remembers nothing.
    """

    def __init__(self, limit: int) -> None:
        self._states: OrderedDict[tuple[str, bytes], Any] = OrderedDict()
        self._limit, self._size = limit, 0

    def decode(self, game: Loaded, data: bytes) -> Any:
        """The state. Raises UnreadableBasis."""
        key = (game.id, data)
        state = self._states.get(key)
        if state is not None:
            self._states.move_to_end(key)
            return state
        try:
            state = game.decode_state(data)
        except ValueError:
            raise UnreadableBasis(f"the state is none of {game.id}") from None
        self._remember(key, state)
        return state

    def encode(self, game: Loaded, state: Any) -> bytes:
        """The state's bytes."""
        data = game.encode_state(state)
        self._remember((game.id, data), state)
        return data

    def _remember(self, key: tuple[str, bytes], state: Any) -> None:
        if key in self._states:
            self._states.move_to_end(key)
            return
        self._states[key] = state
        self._size += len(key[1]) + _ENTRY
        while self._size > self._limit and self._states:
            (_, data), _ = self._states.popitem(last=False)
            self._size -= len(data) + _ENTRY


def read_basis(game: Loaded, basis: pb.Basis, states: RecentStates) -> Any:
    """The state that the basis stands for. Raises UnreadableBasis."""
    start = basis.WhichOneof("start")
    if start == "state":
        state = states.decode(game, basis.state)
    elif start == "setup":
        state = begin(game, basis.setup.settings, basis.setup.seats)
    else:
        raise UnreadableBasis("the basis has neither state nor setup")
    return fold(game, state, basis.events) if basis.events else state


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
