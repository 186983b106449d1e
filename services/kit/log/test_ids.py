import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.kit.log import ids

ID = st.binary(min_size=16, max_size=16)


def test_text_of_known_ids() -> None:
    assert ids.to_text(bytes(16)) == "0" * 26
    assert ids.to_text(b"\xff" * 16) == "7" + "z" * 25
    assert ids.to_text(bytes(range(16))) == "00041061050r3gg28a1c60t3gf"


@given(ID)
def test_text_is_the_same_id(value: bytes) -> None:
    text = ids.to_text(value)
    assert ids.from_text(text) == value
    assert len(text) == 26


@given(ID, ID)
def test_text_keeps_the_order_of_the_bytes(one: bytes, other: bytes) -> None:
    assert (one < other) == (ids.to_text(one) < ids.to_text(other))


@pytest.mark.parametrize(
    "text", ["", "0" * 25, "0" * 27, "0" * 25 + "A", "0" * 25 + "o", "0" * 25 + "l", "8" + "0" * 25, "0" * 25 + "é"]
)
def test_only_the_canonical_form_is_an_id(text: str) -> None:
    with pytest.raises(ValueError, match="an id"):
        ids.from_text(text)


def test_only_sixteen_bytes_are_an_id() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        ids.to_text(bytes(15))


def test_match_id_puts_the_last_byte_of_sixteen_first() -> None:
    creator, request = b"c" * 16, b"r" * 16
    g = hashlib.sha256(b"argosy.create.v1" + creator + request).digest()
    assert ids.match_id(creator, request) == bytes([g[15], *g[0:15]])


def test_tickets_make_the_same_request_in_any_order() -> None:
    one, two = b"1" * 16, b"2" * 16
    expected = hashlib.sha256(b"argosy.tickets.v1" + one + two).digest()[:16]
    assert ids.tickets_request_id([two, one]) == ids.tickets_request_id([one, two]) == expected


def test_stored_request_id_depends_on_the_player() -> None:
    assert ids.stored_request_id(b"p" * 16, b"r") == hashlib.sha256(b"p" * 16 + b"r").digest()[:16]
    assert ids.stored_request_id(b"q" * 16, b"r") != ids.stored_request_id(b"p" * 16, b"r")


def test_request_digest_counts_lengths() -> None:
    match = b"m" * 16
    told = b"\0\0\0\x06action" + b"\0\0\0\x10" + match + b"\0\0\0\x02ab" + b"\0\0\0\x01c"
    assert ids.request_digest("action", match, b"ab", b"c") == hashlib.sha256(told).digest()
    assert ids.request_digest("action", match, b"a", b"bc") != hashlib.sha256(told).digest()


def test_request_digest_refuses_a_body_of_another_kind() -> None:
    with pytest.raises(ValueError, match="leave"):
        ids.request_digest("leave", ids.ZERO, b"x")
