"""Recorded histories: matches of each released rules version as they were stored, which can be read for ever.

    python -m tests.conformance.recorded GAME FILE...     takes in exports of ended matches (`argosy export`)

They stand in the game's goldens/ as <rules version>-<match>.argosy, and recorded.json beside them tells the SHA-256 of
all that its viewers saw: the positions after each entry, of spectators and of every seat.

Until a rules version is released its records are made anew when an answer changes. From then on they stay as they are:
rules that answer otherwise have another version, and a record of their own beside the old ones.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify import history
from gateway.cli.verify.history import Story
from services.rules.audit import audit
from services.rules.basis import begin
from services.rules.loading import Loaded, load
from services.rules.views import redactor_of


def folder(game: Loaded) -> Path:
    """Where the game's goldens are."""
    return Path(str(resources.files(f"{game.package}.{game.id}"))) / "goldens"


def list_recorded(game: Loaded) -> dict[str, str]:
    """The names of the game's recorded histories, each with the digest of what its viewers saw."""
    told = folder(game) / "recorded.json"
    return dict(json.loads(told.read_text())) if told.exists() else {}


def read(game: Loaded, name: str) -> pb.Export:
    """The recorded history of that name."""
    return pb.Export.FromString((folder(game) / name).read_bytes())


def check_stored(export: pb.Export) -> Story:
    """The history, folded by the platform. Raises Wrong where seed, digests, parts, requests or draws do not fit."""
    history.check_versions([entry.version for entry in export.opened])
    history.check_seed(export)
    history.check_chain(export)
    story = history.fold(export)
    for name in ("sealed parts", "requests", "draws"):
        story.outcome(name, "")
    return story


def decide_again(game: Loaded, story: Story) -> rules_v1.AuditHistoryResponse:
    """What the rules make of the history's decisions today."""
    created, response = story.table.created, rules_v1.AuditHistoryResponse()
    request = rules_v1.AuditHistoryRequest(
        game=created.game,
        rules_version=created.rules_version,
        settings=created.settings,
        seats=story.table.seats,
        decisions=story.decisions,
    )
    audit(game, request, response)
    return response


def digest_views(game: Loaded, export: pb.Export) -> str:
    """SHA-256 over each position of each viewer, as the game folds the events today and they are redacted today."""
    redactor, digest = redactor_of(game.position.message), hashlib.sha256()
    for seats, state in _states(game, export):
        data = game.position.to_bytes(game.module.position(state))
        for viewer in (frozenset[int](), *(frozenset((seat,)) for seat in range(seats))):
            view = redactor.view(data, viewer)
            digest.update(len(view).to_bytes(4, "big") + view)
    return digest.hexdigest()


def _states(game: Loaded, export: pb.Export) -> Iterator[tuple[int, Any]]:
    """The number of seats and the state after each entry from the start on."""
    settings = history.first_of(export).cause.created.settings
    seats, state = 0, None
    for entry in export.opened:
        part = entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])
        if part.HasField("start"):
            seats, state = part.start.seats, begin(game, settings, part.start.seats)
        for event in part.game_events:
            state = game.module.evolve(state, game.event.from_bytes(event))
        if state is not None:
            yield seats, state


def main() -> int:
    """Takes the files in; the exit code."""
    game, recorded = load(sys.argv[1]), list_recorded(load(sys.argv[1]))
    for file in sys.argv[2:]:
        data = Path(file).read_bytes()
        export = pb.Export.FromString(data)
        created = check_stored(export).table.created
        name = f"{created.rules_version}-{Path(file).stem[:8]}.argosy"
        (folder(game) / name).write_bytes(data)
        recorded[name] = digest_views(game, export)
    (folder(game) / "recorded.json").write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
