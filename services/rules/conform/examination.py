"""Examines every game of a rules service, over the wire."""

import asyncio
import itertools
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried: matches of each sample, entries within which they must end, and a seed for all chance.

    A match that is longer than `cut` is left there as it stands, and does not tell whether such matches end. `samples`
    are tried besides the game's own; they go with one game only.
    """

    matches: int = 1
    most_entries: int = 5_000
    seed: int = 0
    cut: int | None = None
    samples: Sequence[pb.Game.Sample] = ()


async def conform(
    address: str, *, games: Iterable[str] = (), effort: Effort = Effort(), local: Iterable[Loaded] | None = None
) -> Report:
    """Plays matches of each sample of each game at the address and reports which laws held.

    `games` limits it to these ids. `local` are games in this process, by default those of this repository: where one
    has the digest of the service's, worlds are compared too. The same effort tries the same. Raises AioRpcError when
    the service cannot be reached; what goes wrong afterwards is in the report.
    """
    known = {game.id: game for game in (local if local is not None else map(load, list_games()))}
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        stub = RulesServiceStub(channel)
        described = await stub.DescribeGames(pb.DescribeGamesRequest(), timeout=DEADLINE_S)
        wanted = set(games)
        chosen = [game for game in described.games if not wanted or game.id in wanted]
        findings = [await _examine(stub, game, known.get(game.id), effort) for game in chosen]
    missing = wanted - {game.id for game in chosen}
    return Report([*findings, *(_absent(name) for name in sorted(missing))])


async def _examine(stub: "RulesServiceAsyncStub", game: pb.Game, loaded: Loaded | None, effort: Effort) -> Findings:
    findings = Findings(game.id)
    try:
        subject = Subject(stub, game)
    except (TypeError, KeyError) as error:
        findings.expect("described", holds=False, problem=f"its descriptors: {error}")
        return findings
    if not game.hidden_information:
        findings.left_out |= dict.fromkeys(("worlds", "canary"), "nothing is hidden")
    elif loaded is None or loaded.rules_digest != game.rules_digest:
        loaded, findings.left_out["worlds"] = None, "these rules are not at hand here"
    samples = [*game.samples, *effort.samples]
    async with asyncio.TaskGroup() as group:
        group.create_task(_note_failures(findings, "description:", check_description(subject, findings)))
        for number, match in itertools.product(range(len(samples)), range(effort.matches)):
            place = f"sample {number}, match {match},"
            run = Run(
                subject, findings, Chance(effort.seed, f"{game.id} {place}"), loaded, effort.most_entries, effort.cut
            )
            group.create_task(_note_failures(findings, place, examine_match(run, samples[number], place)))
    if effort.cut is not None and not findings.tried["terminates"]:
        findings.left_out["terminates"] = f"cut at {effort.cut}"
    findings.close()
    return findings


async def _note_failures(findings: Findings, place: str, examination: Coroutine[None, None, None]) -> None:
    """A failed call ends one examination; the others go on."""
    try:
        await examination
    except grpc.aio.AioRpcError as error:
        findings.expect("answers", holds=False, problem=f"{place} {error.code().name} {error.details()}")
    else:
        findings.expect("answers", holds=True, problem="")


def _absent(name: str) -> Findings:
    findings = Findings(name)
    findings.expect("described", holds=False, problem="the service does not have it")
    return findings
