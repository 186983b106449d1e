"""What may be ruled on a match as it stands, and the ruling made and signed."""

import struct
from dataclasses import dataclass
from typing import Any

from argosy.v1 import match_service_pb2
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import ruling_service_pb2 as ruling_pb

from services.kit import signatures
from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused, invalid
from services.kit.fields import check_reason, check_request_id
from services.kit.keys import SigningKey
from services.kit.log import ids
from services.kit.names import match_id
from services.match.viewers import Options
from services.replay.rulings.files import CHANGING, FORM, Recorded
from services.replay.summary import Summary

Kind = pb.Ruling.Kind


@dataclass(frozen=True, slots=True)
class Wish:
    """A ruling that somebody asks for. `stored_id` and `digest` are those of the request (CHAIN.md)."""

    match: bytes
    kind: Kind.ValueType
    scores: tuple[float, ...]
    reason: str
    by: bytes
    stored_id: bytes
    digest: bytes


def wish_of(request: ruling_pb.RuleMatchRequest, player: bytes) -> Wish:
    """The ruling asked for, as far as its fields tell. Refuses INVALID_REQUEST, NOT_FOUND."""
    check_request_id(request.request_id)
    check_reason(request.reason)
    if request.kind not in Kind.values() or not request.kind:
        raise invalid("kind", "must be one of VOID, ADJUDICATE, NOTE and DISCLOSE")
    match, scores = match_id(request.name), tuple(request.scores)
    named = Kind.Name(request.kind).removeprefix("KIND_").encode()
    told = struct.pack(f">{len(scores)}d", *scores)
    return Wish(
        match=match,
        kind=request.kind,
        scores=scores,
        reason=request.reason,
        by=player,
        stored_id=ids.stored_request_id(player, request.request_id.encode()),
        digest=ids.request_digest("rule", match, named, told, request.reason.encode()),
    )


def check(wish: Wish, about: Summary, *, is_frozen: bool) -> None:
    """Refuses a ruling that the match as it stands does not allow."""
    facts: dict[str, Any] = {"match": f"matches/{about.text}", "version": about.version}
    is_ready = about.is_over or (is_frozen and wish.kind in CHANGING)
    if wish.kind != Kind.KIND_NOTE and not is_ready:
        raise Refused(Reason.ERROR_REASON_MATCH_GOES_ON, "the match goes on: end it first", **facts)
    if wish.kind == Kind.KIND_DISCLOSE and about.options.disclosure != Options.DISCLOSURE_BY_HOST:
        raise invalid("kind", "the match's disclosure is not the host's")
    if wish.kind != Kind.KIND_ADJUDICATE:
        if wish.scores:
            raise invalid("scores", "are for KIND_ADJUDICATE alone")
        return
    if not about.seats:
        raise Refused(Reason.ERROR_REASON_MATCH_NOT_STARTED, "nothing was played", **facts)
    if len(wish.scores) != about.seats:
        raise invalid("scores", f"must be {about.seats}, one for each seat")
    if not all(0 <= score <= 1 for score in wish.scores):
        raise invalid("scores", "must be from 0 to 1")


def made(wish: Wish, about: Summary, key: SigningKey) -> Recorded:
    """The ruling on the match as it stands, signed."""
    ruling = pb.Ruling(
        match=wish.match,
        head=match_service_pb2.Head(version=about.version, digest=about.digest),
        kind=wish.kind,
        scores=wish.scores,
        reason=wish.reason,
        by=wish.by,
        rule_time_ms=now_ms(),
    ).SerializeToString(deterministic=True)
    signature = key.private.sign(signatures.message(signatures.RULING, ruling))
    return Recorded(
        form=FORM,
        ruling=pb.SignedRuling(ruling=ruling, signature=signature, key_id=key.id),
        stored_request_id=wish.stored_id,
        request_digest=wish.digest,
    )
