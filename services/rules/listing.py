"""Lists legal actions with their labels: by page, narrowed by a partial action, in a language."""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb
from google.protobuf.message import DecodeError, Message

from services.kit.codec import Codec
from services.rules.loading import Loaded
from services.rules.views import see

DEFAULT_PAGE, LARGEST_PAGE = 100, 1_000
_REMEMBERED = 8192


class BadListing(ValueError):
    """The page token or the partial action cannot be read."""


def fill_actions(game: Loaded, state: Any, seat: int, answer: pb.SeatActions, *, with_labels: bool) -> None:
    """The seat's actions as they travel beside a state: the first 1,000, labels in English where wanted."""
    listed = list(itertools.islice(game.module.actions(state, seat), LARGEST_PAGE + 1))
    answer.seat, answer.truncated = seat, len(listed) > LARGEST_PAGE
    if with_labels:
        return _add(game, state, listed[:LARGEST_PAGE], "en", answer)
    to_bytes = _encoder(game.action)
    for action in listed[:LARGEST_PAGE]:
        answer.actions.add().action = to_bytes(action)
    return None


@functools.cache
def _encoder(codec: Codec) -> Callable[[Any], bytes]:
    """Encodes actions; what is legal now was mostly legal a moment ago, and in other matches."""
    return functools.lru_cache(_REMEMBERED)(codec.to_bytes)


def list_actions(game: Loaded, state: Any, request: pb.ListActionsRequest, response: pb.ListActionsResponse) -> None:
    """One page of the actions that agree with the partial one. Raises BadListing."""
    size = min(request.page_size, LARGEST_PAGE) if request.page_size > 0 else DEFAULT_PAGE
    offset = _offset(request.page_token)
    agreeing = _agreeing(game, game.module.actions(state, request.seat), request)
    page = list(itertools.islice(agreeing, offset, offset + size + 1))
    response.actions.seat = request.seat
    if len(page) > size:
        response.next_page_token, response.actions.truncated = str(offset + size), True
    language = choose_language(game, request.language)
    _add(game, state, page[:size], language, response.actions)


def choose_language(game: Loaded, wanted: str) -> str:
    """The game's language for a BCP 47 tag ("de-AT" gives "de"); English where it has none."""
    language = wanted.partition("-")[0].lower()
    return language if language in game.module.DESCRIPTION.title else "en"


def _add(game: Loaded, state: Any, listed: list[Any], language: str, answer: pb.SeatActions) -> None:
    if not listed:
        return
    seat = answer.seat
    position = see(game, game.module.position(state), seat)
    to_bytes, label = game.action.to_bytes, game.module.label
    for action in listed:
        answer.actions.add(action=to_bytes(action), label=label(position, seat, action, language))


def _offset(token: str) -> int:
    if token and not (token.isascii() and token.isdigit()):
        raise BadListing("the page token is none of this service's")
    return int(token[:9] or 0)


def _agreeing(game: Loaded, actions: Any, request: pb.ListActionsRequest) -> Iterator[Any]:
    if not request.HasField("partial"):
        return iter(actions)
    partial = game.action.message()
    try:
        partial.ParseFromString(request.partial)
    except DecodeError:
        raise BadListing("the partial action is no message of this game") from None
    return (action for action in actions if agrees(partial, game.action.encode(action)))


def agrees(partial: Message, whole: Message) -> bool:
    """Whether the whole message has every field that is set in the partial one, with the same value.

    A message agrees when all that is set in it does; a list when the whole one begins with it, so that routes can be
    chosen step by step.
    """
    return all(_agrees_in(field, value, whole) for field, value in partial.ListFields())


def _agrees_in(field: Any, value: Any, whole: Message) -> bool:
    other = getattr(whole, field.name)
    if field.is_repeated:
        return list(value) == list(other)[: len(value)]
    if not whole.HasField(field.name):
        return False
    return agrees(value, other) if field.message_type else bool(value == other)
