"""Results: what came of a match, signed. The same history gives the same summary, whoever makes it."""

from argosy.v1 import entry_pb2, match_service_pb2
from argosy.v1 import replay_service_pb2 as pb

from services.kit import signatures
from services.kit.keys import SigningKey
from services.replay.histories import Story
from services.replay.summary import public_part


def result_of(story: Story) -> bytes:
    """The serialized ResultSummary of a match that is over."""
    about = story.summary
    created = public_part(story.entries[0]).cause.created
    held = about.held[: about.seats or len(about.held)]
    return pb.ResultSummary(
        match=about.match,
        game=about.game,
        rules_version=about.rules_version,
        rules_digest=created.rules_digest,
        seats=[
            pb.ResultSummary.Seat(player=seat.player, bot_policy=seat.bot_policy) if seat else pb.ResultSummary.Seat()
            for seat in held
        ],
        end=about.end or entry_pb2.End(),
        head=match_service_pb2.Head(version=about.version, digest=about.digest),
        end_time_ms=about.end_ms,
    ).SerializeToString(deterministic=True)


def signed_result(summary: bytes, key: SigningKey) -> pb.SignedResult:
    """The summary, signed."""
    signature = key.private.sign(signatures.message(signatures.RESULT, summary))
    return pb.SignedResult(summary=summary, signature=signature, key_id=key.id)


def result_leaf(summary: bytes) -> bytes:
    """The leaf of a finished match."""
    return signatures.leaf(signatures.RESULT, summary)
