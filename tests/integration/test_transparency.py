"""Results in the transparency log, through real processes by the public API."""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client, NotFound
from argosy.client.ids import raw_id
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.kit import checkpoints
from services.kit.keys import read_keys, read_or_make_keys
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


async def logged_keys(client: Client, wanted: set[str]) -> dict[str, pb.PlatformKey]:
    """The keys in the log by id, once all that are wanted are there."""
    stub = replay_service_pb2_grpc.ReplayServiceStub(client._links.first)
    found = dict[str, pb.PlatformKey]()
    for _ in range(600):
        with contextlib.suppress(NotFound):  # before the first tree head
            head = await client._calls.send(stub.GetTreeHead, pb.GetTreeHeadRequest())
            found = {key.id: key for key in head.keys}
        if wanted <= set(found):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"{wanted - set(found)} did not come into the log")


async def test_the_keys_of_every_gateway_stand_in_the_log_for_ever() -> None:
    async with run_platform(replay=1) as platform:
        second = platform.folder / "second.json"
        keys = [*read_keys(platform.folder / "keys.json"), *read_or_make_keys(second)]
        platform.of_gateways["ARGOSY_KEYS_FILE"] = str(second)
        gateway = await platform.add_gateway()
        async with Client.connect(gateway.address, guest="A") as a, Client.connect(platform.address, guest="B") as b:
            name = await seated_match([a, b])
            signed = await a.resign(name, receipt=True)
        await gateway.end()
        second.unlink()
        keys += read_or_make_keys(second)
        await gateway.start()
        async with Client.connect(platform.address, guest="C") as client:
            found = await logged_keys(client, {key.id for key in keys})
            exported = pb.Export.FromString(await client.export(name))
        for key in keys:
            raw = key.private.public_key().public_bytes_raw()
            assert found[key.id] == pb.PlatformKey(id=key.id, use=key.use, key=raw, create_time_ms=key.create_ms)
        assert {key.id for key in keys} <= {key.id for key in exported.keys}
        assert found[signed.receipt.key_id].use == "receipt"


async def test_a_gateway_tells_the_keys_that_replay_signs_with(tmp_path: Path) -> None:
    own = {key.use: key.id for key in read_or_make_keys(tmp_path / "replay.json")}
    keeping = {"ARGOSY_KEYS_FILE": str(tmp_path / "replay.json")}
    async with (
        run_platform(replay=1, keeping=keeping) as platform,
        Client.connect(platform.address, guest="A") as client,
    ):
        for _ in range(600):
            told = {key.id for key in (await client.platform()).public_keys}
            if own["receipt"] in told:
                break
            await asyncio.sleep(0.1)
        assert {own["receipt"], own["log"]} <= told
        assert own["token"] not in told
