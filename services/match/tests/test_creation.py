import uuid

import pytest
from argosy.client.ids import new_request_id
from argosy.rules.v1 import rules_service_pb2_grpc

from services.kit.channels import open_channel
from services.kit.errors import Refused
from services.match.creation import Options, completed, is_new
from services.match.games import make_entry
from services.match.tests.card_rules import card_game


async def test_options_that_this_build_does_not_know_are_not_promised() -> None:
    async with open_channel("127.0.0.1:1") as channel:
        game = make_entry(card_game(), rules_service_pb2_grpc.RulesServiceStub(channel))
    unknown = b"\xaa\x3f\x05hello"  # field 1013
    asked = Options.FromString(Options(max_seats=3).SerializeToString() + unknown)
    assert unknown in asked.SerializeToString()
    full = completed(asked, game)
    assert full.max_seats == 3
    assert b"hello" not in full.SerializeToString()


DAY_MS = 86_400_000
MADE = uuid.UUID("018f2d0c-1c00-7abc-8def-0123456789ab")
MADE_MS = MADE.int >> 80


@pytest.mark.parametrize(("days", "expected"), [(-1, True), (0, True), (27, True), (28, False), (400, False)])
def test_an_id_with_a_time_is_new_for_less_than_the_store_remembers(days: int, expected: bool) -> None:
    assert is_new(str(MADE).encode(), MADE_MS + days * DAY_MS) is expected
    assert is_new(str(MADE).upper().encode(), MADE_MS + days * DAY_MS) is expected


def test_an_id_of_a_time_to_come_is_refused() -> None:
    with pytest.raises(Refused):
        is_new(str(MADE).encode(), MADE_MS - DAY_MS - 1)


@pytest.mark.parametrize(
    "other", [MADE.hex, str(uuid.UUID(int=MADE.int ^ 3 << 76)), "of-a-form-of-its-own", f"{MADE}x"]
)
def test_of_any_other_id_nothing_is_known(other: str) -> None:
    assert not is_new(other.encode(), MADE_MS)


def test_what_the_client_makes_says_when() -> None:
    made = uuid.UUID(new_request_id())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert is_new(str(made).encode(), made.int >> 80)
    assert len({new_request_id() for _ in range(1000)}) == 1000
