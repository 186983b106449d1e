from argosy.v1 import entry_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.kit.wire import delimited


@given(st.binary(max_size=20_000), st.lists(st.binary(max_size=300), max_size=5))
def test_delimited_fields_are_what_protobuf_writes(public: bytes, sealed: list[bytes]) -> None:
    entry = entry_pb2.StoredEntry(public_part=b"x" + public, sealed_parts=sealed)
    parts = delimited(1, b"x" + public) + b"".join(delimited(2, part) for part in sealed)
    assert parts == entry.SerializeToString(deterministic=True)


def test_the_last_number_of_one_byte_fits() -> None:
    part = entry_pb2.EntryPart(server=entry_pb2.ServerPart(seed=bytes(200)))
    assert delimited(15, part.server.SerializeToString()) == part.SerializeToString()
