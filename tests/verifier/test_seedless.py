"""A host's file of a match that went on: opened, but without the seed."""

import pytest
from argosy.v1 import entry_pb2

from tests.verifier.bending import seed_of
from tests.verifier.conftest import Files
from tests.verifier.test_command import argosy

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_it_is_open_until_the_seed_is_known(files: Files) -> None:
    export = files.export("ruhe")
    seed = seed_of(export)
    del export.opened[9:]
    export.ClearField("result")
    export.ClearField("proof")
    first = entry_pb2.EntryPart.FromString(export.opened[0].sealed_parts[-1])
    first.server.ClearField("seed")
    export.opened[0].sealed_parts[-1] = first.SerializeToString(deterministic=True)
    file = files.folder / "seedless.argosy"
    file.write_bytes(export.SerializeToString())
    code, told = argosy(file)
    assert (code, "✗" in told) == (3, False)
    assert "a host has not the seed" in told
    code, told = argosy(file, "--seed", seed.hex())
    assert (code, "✗" in told) == (3, False)
    assert "✓ chain" in told
    assert "✓ decisions" in told
    code, told = argosy(file, "--seed", bytes(32).hex())
    assert code == 1
    assert "not the one committed to" in told
