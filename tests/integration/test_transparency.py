"""Results in the transparency log, through real processes by the public API."""

import asyncio
import hashlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Client, NotFound
from argosy.client.ids import raw_id
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.kit import checkpoints
from services.kit.merkle import is_consistent, root_of_inclusion
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1) as running:
        yield running


async def proven(client: Client, name: str) -> pb.GetInclusionProofResponse:
    """The result with its proof, once it is in the log."""
    stub = replay_service_pb2_grpc.ReplayServiceStub(client._links.first)
    for _ in range(600):
        try:
            return await client._calls.send(stub.GetInclusionProof, pb.GetInclusionProofRequest(name=name))
        except NotFound:
            await asyncio.sleep(0.1)
    raise AssertionError("the result did not come into the log")


async def test_a_finished_match_stands_in_the_log(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="A") as a, Client.connect(platform.address, guest="B") as b:
        stub = replay_service_pb2_grpc.ReplayServiceStub(a._links.first)
        name = await seated_match([a, b])
        (*_, last), _ = await play_all([a, b], name)
        told = await proven(a, name)
        head = await a._calls.send(stub.GetTreeHead, pb.GetTreeHeadRequest())
        summary = pb.ResultSummary.FromString(told.result.summary)
        assert summary.match == raw_id(name)
        assert (summary.head.version, summary.head.digest) == (last.version, last.digest)
        assert summary.end == last.end
        keys = {key.id: key for key in head.keys}
        assert {key.use for key in head.keys} == {"token", "receipt", "log"}
        public = Ed25519PublicKey.from_public_bytes(keys[told.result.key_id].key)
        signed = b"argosy.result.v1" + hashlib.sha256(told.result.summary).digest()
        public.verify(told.result.signature, signed)
        assert told.proof.leaf == b"\x01" + hashlib.sha256(signed).digest()
        covered = checkpoints.read(told.proof.checkpoint)
        found = root_of_inclusion(told.proof.leaf, told.proof.index, covered.size, told.proof.path)
        assert found == covered.root
        assert checkpoints.is_signed(told.proof.checkpoint, next(k.key for k in head.keys if k.use == "log"))
        grown = await a._calls.send(
            stub.GetConsistencyProof, pb.GetConsistencyProofRequest(from_size=3, to_size=covered.size)
        )
        assert is_consistent(3, grown.from_root, grown.to_size, covered.root, grown.path)
