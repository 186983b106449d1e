"""A match as one self-contained file."""

from argosy.v1 import replay_service_pb2 as pb

from services.kit.clock import now_ms
from services.match.games import GameEntry
from services.replay.shows import Show
from services.replay.transparency.proving import Proofs

_FORM = 1


async def export_of(seen: Show, game: GameEntry, proofs: Proofs, *, is_open: bool, with_seed: bool) -> pb.Export:
    """The file: opened where that is allowed, else what the viewer may see; signed and proven once it is over."""
    result, proof = await proofs.prove(seen.story)
    about, rulings = game.description, await proofs.rulings(seen.story.summary.match)
    export = pb.Export(
        form=_FORM,
        match=seen.story.summary.match,
        entries=() if is_open else seen.seen(0),
        opened=seen.opened(0, with_seed=with_seed) if is_open else (),
        seats=() if is_open else seen.viewer.seats,
        descriptors=about.descriptors.SerializeToString(deterministic=True),
        settings_type=about.settings_type,
        action_type=about.action_type,
        event_type=about.event_type,
        position_type=about.position_type,
        keys=await proofs.keys(),
        result=result,
        proof=proof,
        rulings=[signed for signed in rulings if _is_on(signed, len(seen.entries))],
    )
    export.export_time.FromMilliseconds(now_ms())
    return export


def _is_on(signed: pb.SignedRuling, last: int) -> bool:
    """Whether a ruling is on an entry in the file: a spectator who is shown the match late has not all yet."""
    return pb.Ruling.FromString(signed.ruling).head.version <= last
