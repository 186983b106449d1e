"""What callers are told of the transparency log."""

from argosy.v1 import replay_service_pb2 as pb

from services.kit import checkpoints
from services.kit.errors import Reason, Refused, invalid, not_found
from services.kit.log.entries import Unavailable
from services.replay.archive import DamagedFile
from services.replay.histories import Story
from services.replay.transparency.log import TransparencyLog
from services.replay.transparency.results import result_leaf, result_of, signed_result


class Proofs:
    """Tree heads and proofs, as the log stands at the call."""

    def __init__(self, log: TransparencyLog) -> None:
        self._log = log

    async def tree_head(self) -> pb.GetTreeHeadResponse:
        """The newest signed tree head. Refuses NOT_FOUND before the first."""
        note = await self._refreshed()
        if not note:
            raise not_found("tree head")
        head = checkpoints.read(note)
        return pb.GetTreeHeadResponse(
            checkpoint=note, size=head.size, root=head.root, keys=sorted(self._log.logged_keys(), key=_age)
        )

    async def inclusion_of(self, leaf: bytes) -> pb.LogProof:
        """The proof for a leaf. Refuses NOT_FOUND."""
        await self._refreshed()
        proof = self._log.inclusion(leaf)
        if proof is None:
            raise not_found("leaf")
        return proof

    async def consistency(self, request: pb.GetConsistencyProofRequest) -> pb.GetConsistencyProofResponse:
        """The proof that the log only grew."""
        await self._refreshed()
        old, size = request.from_size, request.to_size or len(self._log)
        path = self._log.consistency(old, size)
        return pb.GetConsistencyProofResponse(
            path=path, to_size=size, to_root=self._log.root(size), from_root=self._log.root(old)
        )

    async def prove(self, story: Story) -> tuple[pb.SignedResult | None, pb.LogProof | None]:
        """The signed result of a match that is over, and its proof once it has one."""
        if not story.summary.is_over:
            return None, None
        summary = result_of(story)
        leaf = result_leaf(summary)
        if self._log.index(leaf) is None:
            await self._refreshed()
        return signed_result(summary, self._log.keys.receipt), self._log.inclusion(leaf)

    async def answer(self, story: Story) -> pb.GetInclusionProofResponse:
        """Result and proof of a match. Refuses INVALID_REQUEST while it goes on, NOT_FOUND until it is there."""
        result, proof = await self.prove(story)
        if result is None:
            raise invalid("name", "is of a match that goes on")
        if proof is None:
            raise not_found("leaf")
        return pb.GetInclusionProofResponse(result=result, proof=proof)

    @property
    def keys(self) -> list[pb.PlatformKey]:
        """The platform's public keys, oldest first."""
        return sorted(self._log.keys.known, key=_age)

    async def _refreshed(self) -> str:
        try:
            await self._log.refresh()
        except (Unavailable, DamagedFile):
            text = "the transparency log cannot be read"
            raise Refused(Reason.ERROR_REASON_ARCHIVE_UNAVAILABLE, text, retry_s=1.0) from None
        return self._log.checkpoint


def _age(key: pb.PlatformKey) -> tuple[int, str]:
    return key.create_time_ms, key.id
