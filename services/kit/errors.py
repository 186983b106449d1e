"""Failures a caller can act on: an ErrorReason with facts, and how they become statuses."""

import secrets
import traceback
from collections.abc import Mapping

import grpc
import structlog
from argosy.v1 import error_reason_pb2, options_pb2
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

Reason = error_reason_pb2.ErrorReason
MOST_DETAIL_BYTES = 2048
_VALUES = error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_number
_log = structlog.get_logger()


class Refused(Exception):
    """The request is refused for `reason`; `facts` go into ErrorInfo.metadata. Nothing was recorded.

    `retry_s` adds RetryInfo where waiting helps. Message and facts must hold nothing hidden.
    """

    def __init__(
        self, reason: error_reason_pb2.ErrorReason.ValueType, message: str, *, retry_s: float = 0.0, **facts: object
    ) -> None:
        super().__init__(message)
        self.reason, self.retry_s = reason, retry_s
        self.facts: Mapping[str, str] = {k: str(v) for k, v in facts.items()}
        self.proof: Message | None = None
        """Stands beside the other details: the refusal, signed, for who asked for that."""

    @property
    def name(self) -> str:
        """The reason without its prefix, as it stands in ErrorInfo and in logs."""
        return _VALUES[self.reason].name.removeprefix("ERROR_REASON_")

    def to_proto(self) -> status_pb2.Status:
        """The status with ErrorInfo, kept below 2 KiB by shortening the facts."""
        value = _VALUES[self.reason]
        code: int = value.GetOptions().Extensions[options_pb2.code]
        info = error_details_pb2.ErrorInfo(reason=self.name, domain="argosy", metadata=_shortened(self.facts))
        details = [_packed(info)]
        if self.retry_s > 0:
            delay = Duration()
            delay.FromNanoseconds(int(self.retry_s * 1e9))
            details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
        if self.proof is not None:
            details.append(_packed(self.proof))
        return status_pb2.Status(code=code, message=str(self)[:400], details=details)

    def to_status(self) -> grpc.Status:
        """The same for `context.abort_with_status`."""
        status: grpc.Status = rpc_status.to_status(self.to_proto())
        return status


def internal(error: BaseException, **facts: object) -> Refused:
    """An unexpected exception as a refusal that tells an error id and nothing else.

    The log gets the exception's type and the places it passed, never its text: it could hold a hand or a seed.
    """
    error_id = secrets.token_hex(8)
    places = [f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
    _log.error("unexpected_exception", error_id=error_id, type=type(error).__qualname__, places=places[-12:], **facts)
    return Refused(Reason.ERROR_REASON_INTERNAL, f"internal error {error_id}", error_id=error_id)


def invalid(field: str, problem: str) -> Refused:
    """A field of the request that is missing or out of its limits."""
    text = f"{field}: {problem}"
    return Refused(Reason.ERROR_REASON_INVALID_REQUEST, text, field=field, problem=problem)


def not_found(name: str) -> Refused:
    """No such thing, or not the caller's to see: the two are alike."""
    return Refused(Reason.ERROR_REASON_NOT_FOUND, f"there is no {name[:80]!r} that you may see", name=name[:80])


def _shortened(facts: Mapping[str, str]) -> dict[str, str]:
    return {k: v[: MOST_DETAIL_BYTES // (4 * max(1, len(facts)))] for k, v in facts.items()}


def _packed(message: Message) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed
