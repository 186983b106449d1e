"""The client computes by itself what the platform computes: two programs from one specification (CHAIN.md)."""

from argosy.client import chain as client
from argosy.client import ids as client_ids
from hypothesis import given
from hypothesis import strategies as st

from services.kit import chain as kit
from services.kit.log import ids as kit_ids

blocks = st.binary(min_size=32, max_size=32)
matches = st.binary(min_size=16, max_size=16)
parts = st.binary(max_size=200)


@given(matches, blocks)
def test_beginnings_agree(match: bytes, seed: bytes) -> None:
    assert client.first_digest(match) == kit.first_digest(match)
    assert client.seed_commitment(match, seed) == kit.seed_commitment(match, seed)
    assert client_ids.raw_id(f"matches/{kit_ids.to_text(match)}") == match


@given(blocks, blocks, st.integers(1, 5000), parts, st.lists(parts, min_size=1, max_size=6))
def test_entries_agree(seed: bytes, previous: bytes, version: int, public: bytes, sealed: list[bytes]) -> None:
    commitments = [client.commitment(client.salt(seed, version, i), part) for i, part in enumerate(sealed)]
    assert commitments == kit.commitments(seed, version, sealed)
    assert client.digest(previous, version, public, commitments) == kit.next_digest(
        previous, version, public, commitments
    )
