from typing import Any

import pytest
from argosy.client import HistoryDiverged, chain
from argosy.client.verify import Verifier

MATCH = "matches/0123456789abcdefghjkmnpqrs"


def check(history: Any, entries: Any) -> Any:
    verifier = Verifier(MATCH, history.game, [0])
    return [verifier.advance(entry) for entry in entries]


def test_a_true_history_is_accepted(history: Any) -> None:
    parts = check(history, history.entries)
    assert [p.version for p in parts] == [1, 2, 3, 4, 5, 6]


def flip(value: bytes) -> Any:
    return bytes([value[0] ^ 1]) + value[1:]


def alter_digest(entry: Any) -> None:
    entry.digest = flip(entry.digest)


def alter_public(entry: Any) -> None:
    entry.public_part += b"\x10\x01"


def alter_own(entry: Any) -> None:
    entry.own[0].part += b"\x10\x01"


def alter_salt(entry: Any) -> None:
    entry.own[0].salt = flip(entry.own[0].salt)


def alter_commitment(entry: Any) -> None:
    entry.commitments[2] = flip(entry.commitments[2])


def withhold(entry: Any) -> None:
    entry.commitments[0] = chain.commitment(entry.own[0].salt, entry.own[0].part)
    del entry.own[:]


def drop_a_commitment(entry: Any) -> None:
    del entry.commitments[2]


@pytest.mark.parametrize(
    "alter", [alter_digest, alter_public, alter_own, alter_salt, alter_commitment, withhold, drop_a_commitment]
)
@pytest.mark.parametrize("version", [1, 4])
def test_one_change_is_found(history: Any, alter: Any, version: Any) -> None:
    alter(history.entries[version - 1])
    with pytest.raises(HistoryDiverged) as caught:
        check(history, history.entries)
    assert caught.value.metadata["version"] == str(version)


@pytest.mark.parametrize("order", [[0, 2], [0, 0], [1]])
def test_a_gap_or_a_repetition_is_found(history: Any, order: Any) -> None:
    with pytest.raises(HistoryDiverged):
        check(history, [history.entries[i] for i in order])


def event(history: Any, **dealt: Any) -> Any:
    return history.game.Event(dealt=dealt).SerializeToString()


@pytest.mark.parametrize(
    ("own", "public"),
    [
        ({"said": "one"}, {"said": "two"}),
        ({"hand": {"owner": 0, "cards": [1]}}, {"hand": {"owner": 1}}),
        ({"hand": {"owner": 0, "cards": [1]}}, {}),
        ({"hand": {"owner": 0}}, {"hand": {"owner": 0, "cards": [1]}}),
    ],
)
def test_a_seat_is_not_told_another_story_than_everybody(history: Any, own: Any, public: Any) -> None:
    told = type(history)(history.game)
    told.add(own=event(history, **own), public=event(history, **public))
    with pytest.raises(HistoryDiverged, match="contradicts"):
        check(history, told.entries)


def test_a_digest_told_beside_the_entries_has_to_come_true(history: Any) -> None:
    verifier = Verifier(MATCH, history.game, [0])
    head = type(history.entries[0])
    verifier.expect(head(version=2, digest=flip(history.entries[1].digest)))
    verifier.advance(history.entries[0])
    with pytest.raises(HistoryDiverged):
        verifier.advance(history.entries[1])
