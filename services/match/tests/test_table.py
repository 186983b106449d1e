"""Entries fold into tables; one that this build cannot fold leaves them as they are."""

import pytest
from argosy.rules.v1 import rules_service_pb2_grpc
from argosy.v1 import entry_pb2

from services.kit import parts
from services.kit.channels import open_channel
from services.kit.errors import Reason, Refused
from services.match.games import make_entry
from services.match.table import Table, apply
from services.match.tests.beginnings import first_draft
from services.match.tests.card_rules import card_game


def fold(table: Table, cause: bytes) -> None:
    """Folds the next entry, with this cause of whatever build."""
    part = entry_pb2.EntryPart(version=table.version + 1, record_time_ms=5)
    part.cause.MergeFromString(cause)
    apply(table, parts.seal(table.seal, table.digest, part, (), entry_pb2.ServerPart()), part, bytes(16))


async def test_a_kind_of_a_newer_build_is_passed_by_unless_it_changes_the_position() -> None:
    async with open_channel("127.0.0.1:1") as channel:
        table, _ = first_draft(make_entry(card_game(), rules_service_pb2_grpc.RulesServiceStub(channel)))
    fold(table, b"\x92\x03\x00")  # kind 50
    assert table.version == 1
    before = table.digest
    for cause in (b"\x08\x01\x92\x03\x00", b"\x08\x01\x6a\x00"):  # kind 50, and `undone`, which is reserved
        with pytest.raises(Refused) as refused:
            fold(table, cause)
        assert refused.value.reason == Reason.ERROR_REASON_RULES_UNAVAILABLE
    assert (table.version, table.digest, len(table.prefixes)) == (1, before, 8)
