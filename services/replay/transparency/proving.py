"""What callers are told of the transparency log."""

from collections.abc import Sequence
from typing import Final

from argosy.v1 import replay_service_pb2 as pb

from services.kit import checkpoints, signatures
from services.kit.errors import invalid, not_found
from services.kit.keys import SigningKey
from services.replay.archive import Archive
from services.replay.histories import Story
from services.replay.refusals import refusing
from services.replay.rulings import files
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import TransparencyLog, key_leaf
from services.replay.transparency.results import result_leaf, result_of, signed_result

_AWAY: Final = "the transparency log cannot be read"


class Proofs:
    """Tree heads and proofs, as the log stands at the call."""

    def __init__(self, log: TransparencyLog, archive: Archive, keys: KnownKeys) -> None:
        self._log, self._archive, self._keys = log, archive, keys

    @property
    def receipt_key(self) -> SigningKey:
        """The key for results and rulings."""
        return self._log.keys.receipt

    async def tree_head(self) -> pb.GetTreeHeadResponse:
        """The newest signed tree head. Refuses NOT_FOUND before the first."""
        note = await self._refreshed()
        if not note:
            raise not_found("tree head")
        head, known = checkpoints.read(note), await self.keys()
        logged = [key for key in known if self._log.index(key_leaf(key)) is not None]
        return pb.GetTreeHeadResponse(checkpoint=note, size=head.size, root=head.root, keys=logged)

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

    async def rulings(self, match: bytes) -> list[pb.SignedRuling]:
        """All rulings on a match, in their order, with their proofs as far as the log has them."""
        with refusing(_AWAY):
            return await self.proven([recorded.ruling for recorded in await files.on(self._archive, match)])

    async def proven(self, rulings: Sequence[pb.SignedRuling]) -> list[pb.SignedRuling]:
        """The rulings, each with its proof where the log has it."""
        leaves = [signatures.leaf(signatures.RULING, signed.ruling) for signed in rulings]
        if any(self._log.index(leaf) is None for leaf in leaves):
            await self._refreshed()
        found = zip(rulings, leaves, strict=True)
        return [
            pb.SignedRuling(
                ruling=one.ruling, signature=one.signature, key_id=one.key_id, proof=self._log.inclusion(leaf)
            )
            for one, leaf in found
        ]

    async def keys(self) -> list[pb.PlatformKey]:
        """The platform's public keys, oldest first."""
        with refusing(_AWAY):
            return await self._keys.refresh()

    async def _refreshed(self) -> str:
        with refusing(_AWAY):
            await self._log.refresh()
        return self._log.checkpoint
