"""Examines every game of a rules service, over the wire."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import grpc
from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceStub

from services.rules.conform.chance import Chance
from services.rules.conform.description import check_description
from services.rules.conform.moment import Run
from services.rules.conform.playing import examine_match
from services.rules.conform.report import Findings, Report
from services.rules.conform.subject import DEADLINE_S, Subject
from services.rules.loading import Loaded, list_games, load

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

_OPTIONS = (("grpc.max_receive_message_length", 64 * 1024 * 1024),)


async def conform(
    address: str, *, games: Iterable[str] = (), matches: int = 1, seed: int = 0, local: Iterable[Loaded] | None = None
) -> Report:
    """Plays `matches` matches of each sample of each game at the address and reports which laws held.

    `games` limits it to these ids. `local` are games in this process, by default those of this repository: where one
    has the digest of the service's, worlds are compared too. The same seed tries the same. Raises AioRpcError when
    the service cannot be reached; what goes wrong afterwards is in the report.
    """
    known = {game.id: game for game in (local if local is not None else map(load, list_games()))}
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        stub = RulesServiceStub(channel)
        described = await stub.DescribeGames(pb.DescribeGamesRequest(), timeout=DEADLINE_S)
        wanted = set(games)
        chosen = [game for game in described.games if not wanted or game.id in wanted]
        findings = [await _examine(stub, game, known, matches, seed) for game in chosen]
    missing = wanted - {game.id for game in chosen}
    return Report([*findings, *(_absent(name) for name in sorted(missing))])


async def _examine(
    stub: "RulesServiceAsyncStub", game: pb.Game, known: Mapping[str, Loaded], matches: int, seed: int
) -> Findings:
    findings = Findings(game.id)
    try:
        subject = Subject(stub, game)
    except (TypeError, KeyError) as error:
        findings.expect("described", holds=False, problem=f"its descriptors: {error}")
        return findings
    loaded = known.get(game.id)
    run = Run(subject, findings, Chance(seed, game.id), loaded)
    if not game.hidden_information:
        findings.left_out |= dict.fromkeys(("worlds", "canary"), "nothing is hidden")
    elif loaded is None or loaded.rules_digest != game.rules_digest:
        run.loaded, findings.left_out["worlds"] = None, "these rules are not at hand here"
    try:
        await check_description(run)
        for number, sample in enumerate(game.samples):
            for match in range(matches):
                await examine_match(run, sample, f"sample {number}, match {match},")
    except grpc.aio.AioRpcError as error:
        findings.expect("repeatable", holds=False, problem=f"a call failed: {error.code().name} {error.details()}")
    findings.close()
    return findings


def _absent(name: str) -> Findings:
    findings = Findings(name)
    findings.expect("described", holds=False, problem="the service does not have it")
    return findings
