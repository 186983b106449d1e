"""Who may call what: one table, default deny.

A method of the public services that is not in TABLE is refused to everybody, and a test requires a line for each.
What a caller may do to a certain match is not decided here: the match knows its seats.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from gateway.tokens import Identity
from services.kit.errors import Reason, Refused


@dataclass(frozen=True, slots=True)
class Rule:
    """What a method asks of its caller: nothing (`is_public`), or one of `scopes`, or with none any credentials."""

    is_public: bool = False
    scopes: frozenset[str] = frozenset()
    needs_key: bool = False
    is_sign_in: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an account's 16 bytes, what it may do, by which API key, until when, and from where."""

    player: bytes
    scopes: frozenset[str]
    key: str | None
    expires_at: float | None
    address: str


def _any_of(*scopes: str, needs_key: bool = False) -> Rule:
    return Rule(scopes=frozenset(scopes), needs_key=needs_key)


PUBLIC: Final = Rule(is_public=True)
SIGN_IN: Final = Rule(is_public=True, is_sign_in=True)
SIGNED_IN: Final = Rule()
PLAYS: Final = _any_of("play", "host")
PLAYS_BOTS: Final = _any_of("bots")
ADMINISTERS: Final = _any_of("admin")
RULES: Final = _any_of("host", "admin")

TABLE: Final[dict[str, Rule]] = {
    "/argosy.v1.SessionService/CreateGuest": SIGN_IN,
    "/argosy.v1.SessionService/CreateToken": SIGN_IN,
    "/argosy.v1.SessionService/CreatePlayer": _any_of("play", "host", needs_key=True),
    "/argosy.v1.SessionService/GetPlayer": SIGNED_IN,
    "/argosy.v1.SessionService/CreateApiKey": ADMINISTERS,
    "/argosy.v1.SessionService/ListApiKeys": ADMINISTERS,
    "/argosy.v1.SessionService/RevokeApiKey": ADMINISTERS,
    "/argosy.v1.GameService/ListGames": SIGNED_IN,
    "/argosy.v1.GameService/GetGame": SIGNED_IN,
    "/argosy.v1.GameService/ReadAsset": SIGNED_IN,
    "/argosy.v1.GameService/DrawPosition": SIGNED_IN,
    "/argosy.v1.GameService/GetPlatform": PUBLIC,
    "/argosy.v1.MatchService/CreateMatch": PLAYS,
    "/argosy.v1.MatchService/JoinMatch": PLAYS,
    "/argosy.v1.MatchService/ReadyMatch": PLAYS,
    "/argosy.v1.MatchService/LeaveMatch": PLAYS,
    "/argosy.v1.MatchService/ResignMatch": PLAYS,
    "/argosy.v1.MatchService/AbortMatch": RULES,
    "/argosy.v1.MatchService/CreateInvitation": PLAYS,
    "/argosy.v1.MatchService/ResolveInvitation": PLAYS,
    "/argosy.v1.MatchService/GetMatch": SIGNED_IN,
    "/argosy.v1.MatchService/ListActions": PLAYS,
    "/argosy.v1.MatchService/PlayAction": PLAYS,
    "/argosy.v1.MatchService/WatchMatch": SIGNED_IN,
    "/argosy.v1.MatchService/Play": PLAYS,
    "/argosy.v1.BotService/WatchBotSeats": PLAYS_BOTS,
    "/argosy.v1.MatchmakingService/CreateTicket": PLAYS,
    "/argosy.v1.MatchmakingService/CancelTicket": PLAYS,
    "/argosy.v1.MatchmakingService/GetTicket": PLAYS,
    "/argosy.v1.MatchmakingService/WatchTicket": PLAYS,
    "/argosy.v1.ReplayService/ListMatches": SIGNED_IN,
    "/argosy.v1.ReplayService/ListReplays": SIGNED_IN,
    "/argosy.v1.ReplayService/GetRecord": SIGNED_IN,
    "/argosy.v1.ReplayService/ReadReplay": SIGNED_IN,
    "/argosy.v1.ReplayService/GetReplayPosition": SIGNED_IN,
    "/argosy.v1.ReplayService/ExportReplay": SIGNED_IN,
    "/argosy.v1.ReplayService/ListAccesses": SIGNED_IN,
    "/argosy.v1.ReplayService/ListKnowableFields": SIGNED_IN,
    "/argosy.v1.ReplayService/FindFirstSight": SIGNED_IN,
    "/argosy.v1.ReplayService/ListSights": SIGNED_IN,
    "/argosy.v1.ReplayService/GetTreeHead": SIGNED_IN,
    "/argosy.v1.ReplayService/GetInclusionProof": SIGNED_IN,
    "/argosy.v1.ReplayService/GetConsistencyProof": SIGNED_IN,
    "/argosy.v1.RulingService/RuleMatch": RULES,
    "/argosy.v1.RulingService/ListRulings": SIGNED_IN,
    "/grpc.health.v1.Health/Check": PUBLIC,
    "/grpc.health.v1.Health/Watch": PUBLIC,
    "/grpc.health.v1.Health/List": PUBLIC,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": PUBLIC,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": PUBLIC,
}

_caller: ContextVar[Caller] = ContextVar("argosy_caller")


def current_caller() -> Caller:
    """Who makes the call that this code serves; tasks started for it know it too. Not for public methods."""
    return _caller.get()


def enter_call(caller: Caller) -> None:
    """Says who makes the call that the current task serves."""
    _caller.set(caller)


def authorize(rule: Rule | None, identity: Identity) -> None:
    """Refuses SCOPE_MISSING unless the rule lets this identity call."""
    if rule is None:
        raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, "nobody may call this method", scope="none")
    if rule.scopes and not rule.scopes & identity.scopes:
        wanted = " or ".join(sorted(rule.scopes))
        raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, f"needs scope {wanted}", scope=wanted)
    if rule.needs_key and identity.key is None:
        raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, "needs an API key, not a token", scope="key")
