"""How a match comes to be: options with their defaults, and entry 1."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.v1 import entry_pb2

from services.kit import chain, parts
from services.kit.errors import Reason, Refused, invalid
from services.kit.log.log import GONE_DAYS
from services.match.games import GameEntry

Options = entry_pb2.MatchOptions
DAY_S = 86_400
IDLE_S, EXPIRE_S, READY_S = 14 * DAY_S, DAY_S, 10
_MADE_AT: Final = re.compile(rb"([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}", re.IGNORECASE)
MOST_SECONDS = 366 * DAY_S


@dataclass(frozen=True, slots=True)
class Wish:
    """A match somebody wants. `settings` is None for the game's defaults; `creator` 16 bytes, zero for matchmaking.

    `tickets` are the ids of the tickets of which it is made, by player.
    """

    game: GameEntry
    creator: bytes
    settings: bytes | None
    options: Options
    taken: Sequence[entry_pb2.PlatformEvent.SeatsTaken.Taken]
    build: str
    tickets: Mapping[bytes, str] = field(default_factory=dict)


def completed(options: Options, game: GameEntry) -> Options:
    """The options with defaults filled in. Refuses seats that the game does not have, and times out of their limits."""
    about, full = game.description, Options()
    full.CopyFrom(options)
    full.DiscardUnknownFields()  # a history promises nothing that this build does not understand
    _check_kinds(full)
    full.max_seats = full.max_seats or max(about.default_seats, full.min_seats)
    full.min_seats = full.min_seats or full.max_seats
    if not about.min_seats <= full.min_seats <= full.max_seats <= about.max_seats:
        problem = f"{about.id} is for {about.min_seats} to {about.max_seats} seats"
        raise Refused(Reason.ERROR_REASON_BAD_SETTINGS, problem, game=f"games/{about.id}", rule="SEATS")
    full.disclosure = full.disclosure or Options.DISCLOSURE_AT_END
    is_private = about.hidden_information and full.invitation
    full.spectators = full.spectators or (Options.SPECTATORS_NONE if is_private else Options.SPECTATORS_PUBLIC)
    several = Options.SEVERAL_SEATS_ALLOWED if about.cooperative else Options.SEVERAL_SEATS_FORBIDDEN
    full.several_seats_each = full.several_seats_each or several
    full.expire_seconds = full.expire_seconds or EXPIRE_S
    full.idle_seconds = full.idle_seconds or IDLE_S
    full.ready_seconds = full.ready_seconds or (READY_S if full.ready_required else 0)
    _check_limits(full)
    return full


def is_new(request_id: bytes, now_ms: int) -> bool:
    """Whether nothing can have been created under this id so long ago that the store has forgotten it.

    A UUID of version 7 in its usual text says when it was made (RFC 9562, section 5.7), and is not sent before that;
    whoever ended is remembered for GONE_DAYS. Of any other id nothing is known. Refuses one of a time to come: it would
    still be taken for new when its match is forgotten.
    """
    if not (found := _MADE_AT.fullmatch(request_id)):
        return False
    made_ms = int(found[1] + found[2], 16)
    if made_ms > now_ms + DAY_S * 1000:
        raise invalid("request_id", "says that it was made in the future; set the clock right")
    return made_ms > now_ms - (GONE_DAYS - 2) * DAY_S * 1000  # a day for clocks, and one more


def first_part(match: bytes, wish: Wish, options: Options, settings: bytes) -> entry_pb2.EntryPart:
    """Entry 1 as far as it is known before the start: the whole part, a fresh seed in it."""
    about, seed = wish.game.description, secrets.token_bytes(32)
    part = entry_pb2.EntryPart()
    created = part.cause.created
    created.match, created.game, created.rules_version = match, about.id, about.rules_version
    created.rules_digest, created.settings = about.rules_digest, settings
    created.options.CopyFrom(options)
    created.seed_commitment = chain.seed_commitment(match, seed)
    created.randomness_scheme = 1
    created.sealed_parts = parts.sealed_part_count(options.max_seats, wish.game.event_redactor)
    created.creator, created.build = wish.creator, wish.build
    created.seats_taken.seats.extend(wish.taken)
    if not wish.taken:
        created.ClearField("seats_taken")
    part.server.seed = seed
    return part


def check_seats(wish: Wish, options: Options) -> None:
    """Refuses seats taken twice, out of range, or by one player where each may hold one; and odd contributions."""
    numbers = [taken.seat for taken in wish.taken]
    if len(set(numbers)) != len(numbers) or any(not 0 <= n < options.max_seats for n in numbers):
        raise invalid("seats", "each seat once, from 0 to max_seats - 1")
    people = [taken.player for taken in wish.taken if not taken.bot_policy]
    if options.several_seats_each == Options.SEVERAL_SEATS_FORBIDDEN and len(set(people)) != len(people):
        raise invalid("seats", "this match allows each player one seat")
    for taken in wish.taken:
        check_contribution(taken.contribution)
        check_policy(wish.game, taken.bot_policy)


def check_contribution(contribution: bytes) -> None:
    """Refuses a contribution that is neither absent nor 32 bytes."""
    if len(contribution) not in (0, 32):
        raise invalid("contribution", "has 32 bytes or none")


def check_policy(game: GameEntry, policy: str) -> None:
    """Refuses a bot policy that the game does not offer."""
    offered = list(game.description.bot_policies)
    if policy and policy not in offered:
        raise invalid("bot_policy", f"is one of {', '.join(offered)}")


def _check_kinds(options: Options) -> None:
    """Refuses values of no known kind: what they ask for cannot be kept, and a history must not promise it."""
    for known in options.DESCRIPTOR.fields:
        if known.enum_type is not None and getattr(options, known.name) not in known.enum_type.values_by_number:
            raise invalid(f"options.{known.name}", "is of no known kind")


def _check_limits(options: Options) -> None:
    for name in ("expire_seconds", "idle_seconds", "ready_seconds", "delay_versions", "delay_seconds"):
        if not 0 <= getattr(options, name) <= MOST_SECONDS:
            raise invalid(f"options.{name}", f"is from 0 to {MOST_SECONDS}")
    if options.disclosure == Options.DISCLOSURE_AT_TIME and options.disclosure_time_ms <= 0:
        raise invalid("options.disclosure_time_ms", "is needed with DISCLOSURE_AT_TIME")
