"""Failures as exceptions: one class for all, subclasses for those that programs catch."""

from collections.abc import Mapping

import grpc
from argosy.v1 import error_reason_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

Reason = error_reason_pb2.ErrorReason
_PREFIX = "ERROR_REASON_"
_DETAILS = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_PASSING = {
    "CONTENDED",
    "UNCONFIRMED",
    "DRAINING",
    "RULES_UNAVAILABLE",
    "STORAGE_UNAVAILABLE",
    "STORAGE_LOW",
    "ARCHIVE_UNAVAILABLE",
    "SERVICE_UNAVAILABLE",
    "RATE_LIMITED",
    "OVERLOADED",
    "TOO_SLOW",
}
_PASSING_CODES = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    # The library's own, for a connection reset; and for a stream that the server ended while the client wrote to it,
    # whatever the server said then (grpc/grpc issue 36066). The platform's INTERNAL has a reason.
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
)
_TLS_HINTS = {
    "CERTIFICATE_VERIFY_FAILED": "the server's certificate is not trusted here: name who signed it as ca",
    "WRONG_VERSION_NUMBER": "the server does not speak TLS: leave out https://",
    "Socket closed": "the server hung up; if it speaks TLS, write https:// before its address",
}


class ArgosyError(Exception):
    """The platform refused, or could not be reached.

    `reason` is the ErrorReason (ERROR_REASON_UNSPECIFIED when the failure is of the connection), `name` that without
    its prefix, `metadata` its facts, `retry_after` the seconds to wait where waiting helps, `status` the gRPC code,
    `refusal` the same signed by the platform, where the call asked for that (`receipts.check_refusal`).
    """

    def __init__(
        self,
        message: str,
        *,
        name: str = "UNSPECIFIED",
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
        status: grpc.StatusCode = grpc.StatusCode.UNKNOWN,
        refusal: match_pb2.SignedRefusal | None = None,
    ) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.name, self.metadata, self.retry_after, self.status = name, dict(metadata or {}), retry_after, status

    @property
    def reason(self) -> error_reason_pb2.ErrorReason.ValueType:
        """The reason; ERROR_REASON_UNSPECIFIED also for one that is newer than this client."""
        known = error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name.get(_PREFIX + self.name)
        return Reason.Value(known.name) if known else Reason.ERROR_REASON_UNSPECIFIED

    @property
    def is_passing(self) -> bool:
        """Whether the same request, sent again after a while, can succeed."""
        return self.name in _PASSING or (self.name == "UNSPECIFIED" and self.status in _PASSING_CODES)


class IllegalAction(ArgosyError):
    """Against the rules in this position."""

    @property
    def rule(self) -> str:
        """The refusal code of the game's specification; GetGame explains it."""
        return self.metadata.get("rule", "")


class MalformedAction(ArgosyError):
    """The action cannot be read; `metadata` names the field."""


class StaleVersion(ArgosyError):
    """The match went on since the version that was acted on."""

    @property
    def version(self) -> int:
        """The match's version now."""
        return int(self.metadata.get("version", "0"))


class HistoryDiverged(ArgosyError):
    """What was received is not one history: found by the server, or here by checking the chain. Stop and compare."""


class MatchEnded(ArgosyError):
    """The match is over."""


class NotSeated(ArgosyError):
    """The caller does not hold the seat, or holds several and named none."""


class NotFound(ArgosyError):
    """There is no such thing, or it is not the caller's to see."""


class RateLimited(ArgosyError):
    """Too many requests; `retry_after` says how long to wait."""


class Unauthenticated(ArgosyError):
    """No credentials, or none that are known."""


class TokenExpired(Unauthenticated):
    """The token has expired."""


class TooManyWatches(ArgosyError):
    """The connection carries as many followed matches as it may."""


class UnknownEvent(ArgosyError):
    """A match went on by an event that this client does not know, so that what it shows would be wrong: renew it."""


class TlsFailed(ArgosyError):
    """There is no connection, and TLS on one side alone or a certificate may be why; the text says which."""


CLASSES: Mapping[str, type[ArgosyError]] = {
    "ILLEGAL_ACTION": IllegalAction,
    "MALFORMED_ACTION": MalformedAction,
    "STALE_VERSION": StaleVersion,
    "HISTORY_DIVERGED": HistoryDiverged,
    "MATCH_ENDED": MatchEnded,
    "NOT_SEATED": NotSeated,
    "NOT_FOUND": NotFound,
    "RATE_LIMITED": RateLimited,
    "UNAUTHENTICATED": Unauthenticated,
    "TOKEN_EXPIRED": TokenExpired,
    "TOO_MANY_WATCHES": TooManyWatches,
}


def from_call(error: grpc.aio.AioRpcError) -> ArgosyError:
    """The failure of a call."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            try:
                return from_status(status_pb2.Status.FromString(value))
            except DecodeError:
                break
    told = error.details() or ""
    hint = next((hint for mark, hint in _TLS_HINTS.items() if mark in told), "")
    if hint:
        return TlsFailed(f"{error.code().name}: {hint} ({told})", status=error.code())
    return ArgosyError(f"{error.code().name}: {told}", status=error.code())


def from_status(status: status_pb2.Status) -> ArgosyError:
    """The failure that a status carries."""
    info, delay = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    retry_after, refusal = None, None
    for detail in status.details:
        if detail.Is(info.DESCRIPTOR):
            detail.Unpack(info)
        elif detail.Is(delay.DESCRIPTOR):
            detail.Unpack(delay)
            retry_after = delay.retry_delay.ToTimedelta().total_seconds()
        elif detail.Is(match_pb2.SignedRefusal.DESCRIPTOR):
            refusal = match_pb2.SignedRefusal()
            detail.Unpack(refusal)
    name = info.reason if info.domain == "argosy" else "UNSPECIFIED"
    return CLASSES.get(name, ArgosyError)(
        f"{name}: {status.message}",
        name=name,
        metadata=info.metadata,
        retry_after=retry_after,
        status=_CODES.get(status.code, grpc.StatusCode.UNKNOWN),
        refusal=refusal,
    )


def diverged(match: str, version: int, problem: str) -> HistoryDiverged:
    """What was received does not fit together, as found here."""
    return HistoryDiverged(
        f"{match} at version {version}: {problem}",
        name="HISTORY_DIVERGED",
        metadata={"match": match, "version": str(version), "problem": problem},
        status=grpc.StatusCode.DATA_LOSS,
    )


def unknown(match: str, version: int) -> UnknownEvent:
    """An event of the game has what its description does not."""
    return UnknownEvent(
        f"{match} at version {version}: an event of a kind that this client does not know",
        name="UNKNOWN_EVENT",
        metadata={"match": match, "version": str(version)},
        status=grpc.StatusCode.UNIMPLEMENTED,
    )
