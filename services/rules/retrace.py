"""Turns an exported match into a script for the trace: every report of a defect becomes a reproduction (TRACE.md).

    python -m services.rules.retrace [--out FILE] < MATCH.argosy
    python -m services.rules.trace GAME --script FILE

It reads a serialized argosy.v1.Export that is opened, and writes one line for the start and one for each action, with
the chance that was drawn. What the platform did (seats, resignation, an end without result) has no line. Exit code 1
for a match that is not opened or never started, 2 for what is no export.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from argosy.v1 import draw_pb2, entry_pb2, replay_service_pb2
from google.protobuf.message import DecodeError

from services.kit.draws import Draw
from services.rules.loading import Loaded, load

_KINDS = {draw_pb2.Draw.KIND_BELOW: "below", draw_pb2.Draw.KIND_SHUFFLE: "shuffle", draw_pb2.Draw.KIND_SAMPLE: "sample"}
Line = dict[str, Any]


class Untraceable(Exception):
    """No script can be made of it; the text says why."""


def retrace(export: replay_service_pb2.Export) -> Iterator[Line]:
    """The lines of the script. Raises Untraceable."""
    parts = [_whole(entry) for entry in export.opened]
    if not parts:
        raise Untraceable("the match is not opened: it goes on, or is not disclosed to you")
    created = parts[0].cause.created
    try:
        game = load(created.game)
    except ValueError as problem:
        raise Untraceable(str(problem)) from None
    state: Any = None
    for part in parts:
        if part.HasField("start"):
            settings = game.settings.from_bytes(created.settings)
            state = game.module.initial(settings, part.start.seats)
            options = game.notation.options(settings, part.start.seats)
            head = {"trace": 1, "game": game.id, "rules_version": created.rules_version}
            yield {**head, "options": options, **_drawn(game, state, part)}
        elif part.server.HasField("decision"):
            yield _decided(game, state, part)
        for event in part.game_events:
            state = game.module.evolve(state, game.event.from_bytes(event))
    if state is None:
        raise Untraceable("the match never started")


def _whole(entry: replay_service_pb2.OpenedEntry) -> entry_pb2.EntryPart:
    """The server's part, which has everything."""
    return entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])


def _decided(game: Loaded, state: Any, part: entry_pb2.EntryPart) -> Line:
    action = game.action.from_bytes(part.server.action)
    asked = {"seat": game.notation.seat_name(part.seat), "action": game.notation.action_json(action)}
    return {**asked, **_drawn(game, state, part)}


def _drawn(game: Loaded, state: Any, part: entry_pb2.EntryPart) -> Line:
    draws: Sequence[Draw] = [Draw(d.label, _KINDS[d.kind], d.bound, tuple(d.result)) for d in part.server.draws]
    chance = game.notation.chance(state, draws)
    return {} if chance is None else {"random": chance}


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.rules.retrace", description="An export as a script.")
    parser.add_argument("--out", type=Path, help="where to; standard output if left out")
    asked = parser.parse_args(arguments)
    try:
        export = replay_service_pb2.Export.FromString(sys.stdin.buffer.read())
        lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in retrace(export))
    except (DecodeError, IndexError):
        sys.stderr.write("retrace: this is no export\n")
        return 2
    except Untraceable as problem:
        sys.stderr.write(f"retrace: {problem}\n")
        return 1
    if asked.out is None:
        sys.stdout.write(lines)
    else:
        asked.out.write_text(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
