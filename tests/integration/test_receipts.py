"""Receipts, signed refusals and a player's own evidence, from real gateways."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.errors import ArgosyError, IllegalAction
from argosy.client.evidence import Evidence
from argosy.client.receipts import check_receipt, check_refusal, receipt_keys
from argosy.v1 import entry_pb2, error_reason_pb2
from argosy.v1 import match_service_pb2 as pb
from redis.asyncio import Redis

from tests.integration.players import play, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def pair(platform: Platform) -> AsyncIterator[list[Client]]:
    address = platform.gateways[0].address
    async with Client.connect(address, guest="A") as one, Client.connect(address, guest="B") as other:
        yield [one, other]


async def _mover(pair: list[Client], match: str) -> Client:
    return pair[(await pair[0].get(match)).status.turn[0]]


async def test_moves_of_one_pipeline_share_one_signature(platform: Platform, pair: list[Client]) -> None:
    keys = receipt_keys(await pair[0].platform())
    matches = [await seated_match(pair) for _ in range(8)]
    movers = [await _mover(pair, match) for match in matches]
    actions = [(await mover.list_actions(m))[0].action for mover, m in zip(movers, matches, strict=True)]
    async with Redis.from_url(platform.store.url) as store:  # the first move's pipeline waits, the others gather
        await store.client_pause(1_500, all=False)
    told = await asyncio.gather(
        *(mover.play(m, a, receipt=True) for mover, m, a in zip(movers, matches, actions, strict=True))
    )
    for match, response in zip(matches, told, strict=True):
        entry = response.update.entry
        check_receipt(response.receipt, match, pb.Head(version=entry.version, digest=entry.digest), keys)
    assert max(response.receipt.size for response in told) > 1
    signatures = {(r.receipt.root, r.receipt.signature) for r in told}
    assert len(signatures) == round(sum(1 / r.receipt.size for r in told))


async def test_a_retry_is_given_a_receipt_of_the_same_entry(pair: list[Client]) -> None:
    keys = receipt_keys(await pair[0].platform())
    match = await seated_match(pair)
    mover = await _mover(pair, match)
    action = (await mover.list_actions(match))[0].action
    first = await mover.play(match, action, request_id="0123456789abcdef")
    again = await mover.play(match, action, request_id="0123456789abcdef", receipt=True)
    assert not first.HasField("receipt")
    entry = first.update.entry
    check_receipt(again.receipt, match, pb.Head(version=entry.version, digest=entry.digest), keys)


async def test_a_refusal_is_signed_when_asked(pair: list[Client]) -> None:
    keys = receipt_keys(await pair[0].platform())
    match = await seated_match(pair)
    mover = await _mover(pair, match)
    action, head = (await mover.list_actions(match))[0].action, (await mover.get(match)).head
    other = pair[1 - pair.index(mover)]
    with pytest.raises(IllegalAction) as refused:
        await other.play(match, action, receipt=True)
    assert refused.value.refusal is not None
    refusal = check_refusal(refused.value.refusal, match, keys)
    assert (refusal.head, refusal.rule) == (head, refused.value.rule)
    assert refusal.reason == error_reason_pb2.ERROR_REASON_ILLEGAL_ACTION
    assert refusal.receive_time_ms <= refusal.refuse_time_ms
    assert len(refusal.request_digest) == 32
    with pytest.raises(IllegalAction) as unsigned:
        await other.play(match, action)
    assert unsigned.value.refusal is None


async def test_a_stranger_is_not_told_the_head(platform: Platform, pair: list[Client]) -> None:
    options = entry_pb2.MatchOptions(max_seats=2, spectators=entry_pb2.MatchOptions.SPECTATORS_NONE)
    match = await pair[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], options=options)
    await pair[1].join(match.name, receipt=True)
    async with Client.connect(platform.gateways[0].address, guest="C") as stranger:
        with pytest.raises(ArgosyError) as refused:
            await stranger.join(match.name, receipt=True)
    assert refused.value.refusal is not None
    refusal = pb.Refusal.FromString(refused.value.refusal.refusal)
    assert refusal.match
    assert not refusal.HasField("head")


async def test_every_mutation_gives_a_receipt_when_asked(pair: list[Client]) -> None:
    keys = receipt_keys(await pair[0].platform())
    made = await pair[0].create("sirenen", receipt=True)
    name, told = made.match.name, [(made.receipt, made.match.head)]
    joined = await pair[1].join(name, receipt=True)
    left = await pair[1].leave(name, receipt=True)
    assert joined.receipt is not None
    told += [(joined.receipt, joined.match.head), (left.receipt, left.match.head)]
    for client in pair:
        joined = await client.join(name, receipt=True)
        assert joined.receipt is not None
        told.append((joined.receipt, joined.match.head))
    mover = await _mover(pair, name)
    played = await mover.play(name, (await mover.list_actions(name))[0].action, receipt=True)
    told.append((played.receipt, pb.Head(version=played.update.entry.version, digest=played.update.entry.digest)))
    resigned = await pair[0].resign(name, receipt=True)
    told.append((resigned.receipt, resigned.match.head))
    assert [head.version for _, head in told] == list(range(1, len(told) + 1))
    for receipt, head in told:
        check_receipt(receipt, name, head, keys)


async def test_a_seat_that_says_ready_by_itself_gets_a_receipt(pair: list[Client]) -> None:
    keys = receipt_keys(await pair[0].platform())
    options = entry_pb2.MatchOptions(max_seats=2, ready_required=True, ready_seconds=3600)
    match = (await pair[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], options=options)).name
    await pair[1].join(match)
    readied = await pair[0].ready(match, receipt=True)
    assert readied.receipt is not None
    check_receipt(readied.receipt, match, readied.match.head, keys)


async def test_no_receipt_comes_unasked(pair: list[Client]) -> None:
    match = (await pair[0].create("sirenen", seats=[pb.SeatRequest(seat=0)])).name
    assert (await pair[1].join(match)).receipt is None
    request = pb.ResignMatchRequest(name=match, request_id="0123456789abcdef")
    answer = await pair[0]._calls.send(pair[0]._calls.matches.ResignMatch, request)
    assert not answer.HasField("receipt")


async def test_evidence_keeps_receipts_from_the_creation_on(pair: list[Client], tmp_path: Path) -> None:
    platform, path = await pair[0].platform(), tmp_path / "own.argosy"
    made = await pair[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], receipt=True)
    evidence = Evidence(path, platform)
    evidence.add_receipt(made.receipt)
    await pair[1].join(made.match.name)
    async for update in pair[0].follow(made.match.name, seat=0, evidence=evidence):
        if update.version == 2:
            break
    resigned = await pair[0].resign(made.match.name, receipt=True)
    evidence.add_receipt(resigned.receipt)
    kept = Evidence(path, platform).kept
    assert [int.from_bytes(receipt.leaf[16:24]) for receipt in kept.receipts] == [1, 3]
    assert {receipt.leaf[:16] for receipt in kept.receipts} == {kept.match}


async def test_a_player_keeps_its_own_evidence(pair: list[Client], tmp_path: Path) -> None:
    platform = await pair[0].platform()
    match = await seated_match(pair)
    evidence = Evidence(tmp_path / "own.argosy", platform)
    followed = asyncio.create_task(_keep(pair[0], match, evidence))
    await play(pair[1], match, 1)
    await followed
    again = Evidence(tmp_path / "own.argosy", platform)
    assert [entry.version for entry in again.kept.entries] == list(range(1, len(again.kept.entries) + 1))
    assert all(len(entry.own[0].salt) == 32 for entry in again.kept.entries if entry.own)
    digests = {bytes(entry.digest) for entry in again.kept.entries}
    assert again.kept.receipts
    assert {bytes(receipt.leaf[24:]) for receipt in again.kept.receipts} <= digests


async def test_an_end_that_was_half_written_is_cut_off(pair: list[Client], tmp_path: Path) -> None:
    platform, path = await pair[0].platform(), tmp_path / "own.argosy"
    match = await seated_match(pair)
    evidence = Evidence(path, platform)
    async for update in pair[0].follow(match, seat=0, evidence=evidence):
        if update.version == 2:
            break
    whole = path.read_bytes()
    for cut in (1, 7, 40):
        path.write_bytes(whole[:-cut])
        assert [entry.version for entry in Evidence(path, platform).kept.entries] == [1]
    resumed = Evidence(path, platform)
    async for update in pair[0].follow(match, seat=0, evidence=resumed):
        assert update.version == 2
        break
    assert path.read_bytes() == whole


async def _keep(client: Client, match: str, evidence: Evidence) -> None:
    following = client.follow(match, seat=0, actions=True, evidence=evidence)
    async for update in following:
        if update.actions:
            try:
                await following.play(update.actions[0].action, at=update)
            except ArgosyError as error:
                if error.name not in ("STALE_VERSION", "MATCH_ENDED"):
                    raise
