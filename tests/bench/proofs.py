"""What it costs to chain, sign, prove and verify: on made histories of real games, without servers."""

import hashlib
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from argosy.v1 import entry_pb2, match_service_pb2
from argosy.v1 import replay_service_pb2 as pb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark
from services.kit import chain, parts, signatures
from services.kit.draws import SeededDraws
from services.kit.log import ids
from services.kit.merkle import Tree, leaf_hash
from services.match.games import make_entry
from services.rules.decision import DRAW_KINDS
from services.rules.description import describe
from services.rules.loading import Loaded, load
from tests.bench.accounting import used_s


class Made:
    """A match of a game, played by chance without a server, as an opened export of at most `entries` entries.

    `sample` is one of the settings that the game calls worth playing.
    """

    def __init__(self, game: Loaded, entries: int, sample: int) -> None:
        self.game, self.entry = game, make_entry(describe(game), None)  # type: ignore[arg-type]  # nobody is asked
        self.match, self.seed = os.urandom(16), os.urandom(32)
        self.export = pb.Export(form=1, match=self.match)
        self.digest, self.sealing_s, self.sealed = chain.first_digest(self.match), list[float](), list[parts.Sealed]()
        settings, self.seats = game.module.SAMPLES[sample]
        count = parts.sealed_part_count(self.seats, self.entry.event_redactor)
        self.by = parts.Seal(self.match, self.seed, self.seats, count, self.entry.event_redactor)
        self._create(settings, count)
        self._play(game.module.initial(settings, self.seats), entries)
        about = self.entry.description
        self.export.descriptors = about.descriptors.SerializeToString(deterministic=True)
        for name in ("settings_type", "action_type", "event_type", "position_type"):
            setattr(self.export, name, getattr(about, name))

    def _create(self, settings: Any, count: int) -> None:
        part, server = entry_pb2.EntryPart(), entry_pb2.ServerPart(seed=self.seed)
        created = part.cause.created
        created.match, created.game = self.match, self.game.id
        created.rules_version = self.game.module.DESCRIPTION.rules_version
        created.rules_digest, created.settings = self.game.rules_digest, self.game.settings.to_bytes(settings)
        created.seed_commitment, created.sealed_parts = chain.seed_commitment(self.match, self.seed), count
        created.randomness_scheme, created.options.max_seats = 1, self.seats
        for seat in range(self.seats):
            taken = created.seats_taken.seats.add(seat=seat, player=os.urandom(16))
            taken.contribution = hashlib.sha256(b"%d" % seat).digest()
        self.key = chain.match_key(self.seed, (taken.contribution for taken in created.seats_taken.seats))
        self._record(part, [], server)

    def _play(self, state: Any, entries: int) -> None:
        module, chance = self.game.module, SeededDraws(bytes(32))
        draws = SeededDraws(chain.start_entropy(self.key))
        state = self._decided(state, entry_pb2.EntryPart(start=entry_pb2.Start(seats=self.seats)), draws, None, None)
        number = 0
        while len(self.sealed) < entries and not (status := module.status(state)).scores:
            seat = status.turn[0]
            actions = tuple(module.actions(state, seat))
            action = actions[chance.below("", len(actions))]
            draws = SeededDraws(chain.decision_entropy(self.key, number))
            state = self._decided(state, entry_pb2.EntryPart(seat=seat), draws, action, number)
            number += 1

    def _decided(
        self, state: Any, part: entry_pb2.EntryPart, draws: SeededDraws, action: Any, number: int | None
    ) -> Any:
        module, server = self.game.module, entry_pb2.ServerPart()
        if number is None:
            events = module.start(state, draws)
        else:
            events = module.decide(state, part.seat, action, draws)
            server.decision, server.action = number, self.game.action.to_bytes(action)
            server.stored_request_id = os.urandom(16)
            kind = self.entry.description.action_type.encode()
            server.request_digest = ids.request_digest("action", self.match, kind, server.action)
        for made in draws.made:
            server.draws.add(label=made.label, kind=DRAW_KINDS[made.kind], bound=made.bound, result=made.result)
        for event in events:
            state = module.evolve(state, event)
        status = module.status(state)
        if status.scores:
            part.end.outcome, part.end.reason = entry_pb2.End.OUTCOME_RESULT, status.reason or ""
            part.end.scores.extend(status.scores)
        self._record(part, [self.game.event.to_bytes(event) for event in events], server)
        return state

    def _record(self, part: entry_pb2.EntryPart, events: list[bytes], server: entry_pb2.ServerPart) -> None:
        part.version = len(self.sealed) + 1
        part.receive_time_ms = part.record_time_ms = 1_700_000_000_000 + part.version * 5000
        started = time.perf_counter()
        sealed = parts.seal(self.by, self.digest, part, events, server)
        self.sealing_s.append(time.perf_counter() - started)
        self.digest = sealed.digest
        self.sealed.append(sealed)
        self.export.opened.add(
            version=sealed.version,
            digest=sealed.digest,
            public_part=sealed.public_part,
            sealed_parts=sealed.sealed_parts,
        )


def sizes_and_times(game: str, entries: int, sample: int, rounds: int) -> dict[str, Any]:
    """A match of so many entries at most: cost of sealing, sizes of exports, time to verify it; medians."""
    made = Made(load(game), entries, sample)
    data, times = made.export.SerializeToString(), list[tuple[float, float]]()
    for _ in range(rounds):
        started, before = time.perf_counter(), used_s()
        report = verify(made.export, Given())
        times.append((time.perf_counter() - started, used_s() - before))
    held = {check.name for check in report.checks if check.mark is Mark.HOLDS}
    assert held >= {"chain", "sealed parts", "draws", "decisions"}, report.checks
    return {
        "game": game,
        "entries": len(made.sealed),
        "seal and chain, µs an entry": statistics.median(made.sealing_s) * 1e6,
        "opened export, bytes": len(data),
        "a seat's export, bytes": _seat_bytes(made),
        "of both descriptors": len(made.export.descriptors),
        "opened, bytes an entry": (len(data) - len(made.export.descriptors)) / len(made.sealed),
        "verify, CPU ms": statistics.median(used for _, used in times) * 1e3,
        "verify, ms": statistics.median(took for took, _ in times) * 1e3,
    }


def _seat_bytes(made: Made) -> int:
    """The size of what seat 0 exports while the match goes on."""
    viewed = pb.Export()
    viewed.CopyFrom(made.export)
    viewed.ClearField("opened")
    viewed.seats.append(0)
    viewed.entries.extend(parts.seen(sealed, made.seed, [0]) for sealed in made.sealed)
    return viewed.ByteSize()


def signing() -> dict[str, float]:
    """µs for signing a pipeline, and for a receipt out of one of 64 heads."""
    key, heads = Ed25519PrivateKey.generate(), [os.urandom(56) for _ in range(64)]
    tree = Tree([leaf_hash(head) for head in heads])
    signed = key.sign(signatures.receipt_message(tree.root()))
    receipt = match_service_pb2.Receipt(
        leaf=heads[5], index=5, size=64, path=tree.inclusion(5), root=tree.root(), signature=signed, key_id="0" * 16
    )
    return {
        "one signature, µs": _us(lambda: key.sign(bytes(49))),
        "tree of 64 heads and its root, µs": _us(lambda: Tree([leaf_hash(head) for head in heads]).root()),
        "path out of 64, µs": _us(lambda: tree.inclusion(5)),
        "receipt out of 64, bytes": receipt.ByteSize(),
        "digest of an entry with 4 parts, µs": _us(
            lambda: chain.next_digest(bytes(32), 7, bytes(120), chain.commitments(bytes(32), 7, [bytes(120)] * 4))
        ),
    }


def proof_sizes(leaves: int) -> dict[str, float]:
    """A log of so many leaves: bytes of a proof of inclusion and of consistency."""
    tree = Tree([leaf_hash(b"%d" % n) for n in range(leaves)])
    inclusion, consistency = tree.inclusion(leaves // 3), tree.consistency(leaves * 2 // 3)
    proof = pb.LogProof(leaf=bytes(33), index=leaves // 3, path=inclusion, checkpoint="x" * 200)
    return {
        "leaves": leaves,
        "hashes of inclusion": len(inclusion),
        "proof of inclusion with checkpoint, bytes": proof.ByteSize(),
        "hashes of consistency": len(consistency),
        "making a proof, µs": _us(lambda: tree.inclusion(leaves // 3)),
    }


def _us(work: Callable[[], object], times: int = 500) -> float:
    found = list[float]()
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return statistics.median(found) * 1e6
