from argosy.rules.v1 import rules_service_pb2_grpc

from services.kit.channels import open_channel
from services.match.creation import Options, completed
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
