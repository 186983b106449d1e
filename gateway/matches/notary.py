"""Signs what the platform answers, for who asks for it: receipts and refusals (CHAIN.md, "Signatures")."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from services.kit import chain
from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused
from services.kit.keys import SigningKey
from services.kit.log.entries import NewHead, Pipeline
from services.kit.merkle import Tree, leaf_hash
from services.match.recording import Recorded, Request
from services.match.tables import Tables
from services.match.viewers import viewer_of

_UNSIGNED = (Reason.ERROR_REASON_UNCONFIRMED, Reason.ERROR_REASON_INTERNAL)


class Asked(Protocol):
    """A request that may want proof of its answer."""

    want_receipt: bool


@dataclass(frozen=True, slots=True)
class _Proof:
    """One signature over all heads of a pipeline."""

    tree: Tree
    root: bytes
    signature: bytes


_HEAD = ("version", "digest")


class Notary:
    """Signs with one key. A pipeline is signed when the first of its callers asks, and never again."""

    def __init__(self, key: SigningKey, tables: Tables) -> None:
        self._key, self._tables = key, tables

    def receipt(self, asked: Asked, recorded: Recorded) -> match_pb.Receipt | None:
        """Proof that the entry is recorded; None where it is not asked for.

        An entry of the past, to which a retry came, is signed by itself.
        """
        if not asked.want_receipt:
            return None
        pipeline, index = recorded.pipeline, recorded.index
        if pipeline is None:
            head = NewHead(recorded.table.match, recorded.entry.version, recorded.entry.digest)
            pipeline, index = Pipeline((head,)), 0
        if not isinstance(pipeline.proof, _Proof):
            pipeline.proof = self._sign(pipeline)
        proof: _Proof = pipeline.proof
        return match_pb.Receipt(
            leaf=_leaf(pipeline.heads[index]),
            index=index,
            size=len(pipeline.heads),
            path=proof.tree.inclusion(index),
            root=proof.root,
            signature=proof.signature,
            key_id=self._key.id,
        )

    @contextmanager
    def refusals(self, asked: Asked, match: bytes, caller: Caller, request: Request) -> Iterator[None]:
        """Signs a refusal that leaves the block, where it is asked for and nothing can have been recorded.

        Who may not see how far the match is, or sees it late, does not learn it from a refusal.
        """
        try:
            yield
        except Refused as refused:
            if self._head(match, caller) is None:
                refused.facts = {name: fact for name, fact in refused.facts.items() if name not in _HEAD}
            if asked.want_receipt and refused.reason not in _UNSIGNED:
                refused.proof = self._refusal(refused, match, caller, request)
            raise

    def _sign(self, pipeline: Pipeline) -> _Proof:
        tree = Tree([leaf_hash(_leaf(head)) for head in pipeline.heads])
        root = tree.root()
        return _Proof(tree, root, self._key.private.sign(b"argosy.receipt.v1" + root))

    def _refusal(self, refused: Refused, match: bytes, caller: Caller, request: Request) -> match_pb.SignedRefusal:
        refusal = match_pb.Refusal(
            match=match,
            head=self._head(match, caller),
            request_digest=request.digest,
            stored_request_id=request.stored_id,
            reason=refused.reason,
            rule=refused.facts.get("rule", ""),
            receive_time_ms=request.receive_time_ms,
            refuse_time_ms=now_ms(),
        ).SerializeToString(deterministic=True)
        signature = self._key.private.sign(b"argosy.refusal.v1" + hashlib.sha256(refusal).digest())
        return match_pb.SignedRefusal(refusal=refusal, signature=signature, key_id=self._key.id)

    def _head(self, match: bytes, caller: Caller) -> match_pb.Head | None:
        """Where the match stands, for a caller who may see it without delay."""
        table = self._tables.known(match)
        try:
            if table is None or viewer_of(table, caller.player, None).is_delayed:
                return None
        except Refused:
            return None
        return match_pb.Head(version=table.version, digest=table.digest)


def _leaf(head: NewHead) -> bytes:
    return head.match + chain.u64(head.version) + head.digest
