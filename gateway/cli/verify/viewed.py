"""Checks of what one viewer received, also with another file or the seed that opens it."""

from collections.abc import Sequence
from typing import Final

from argosy.client import ArgosyError
from argosy.client.games import Game
from argosy.client.verify import Verifier
from argosy.v1 import entry_pb2, game_service_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from gateway.cli.verify import history, opening
from gateway.cli.verify.opened import verify_story
from gateway.cli.verify.report import Impossible, Mark, Report, Wrong
from services.kit.log import ids

_CLOSED: Final = "closed: opens after the end, by an opened file or --seed"
_SEALED: Final = "sealed in parts that are not in this file: compare it with an opened one"


def verify_viewed(
    report: Report, export: pb.Export, opener: pb.Export | None, *, seed: bytes, elsewhere: Sequence[str]
) -> entry_pb2.EntryPart | None:
    """What one viewer can check of what it received: the chain, its own parts, that nothing was withheld.

    An opened file of the match opens the rest, and the seed alone as much as follows from it.
    """
    report.run("versions", lambda: history.check_versions([entry.version for entry in export.entries]))
    last: list[entry_pb2.EntryPart] = []
    report.run("chain", lambda: _check_viewed(export, last))
    part = last[-1] if last else None
    if (
        opener is not None
        and opener.opened
        and opener.match == export.match
        and _opened_too(report, export, opener, elsewhere)
    ):
        return part
    if seed:
        report.run("seed", lambda: opening.check_seed(export, seed))
        report.run("sealed parts", lambda: opening.check_own(export, seed))
        report.run("player entropy", lambda: opening.check_contributions(export))
    closed = _SEALED if seed else _CLOSED
    for name in ("seed", "sealed parts", "player entropy", "draws", "decisions"):
        if all(check.name != name for check in report.checks):
            report.add(name, Mark.OPEN, closed)
    goes_on = part is None or not part.HasField("end")
    report.add("result", Mark.OPEN, "the match goes on" if goes_on else closed)
    return part


def _opened_too(report: Report, export: pb.Export, opener: pb.Export, elsewhere: Sequence[str]) -> bool:
    """Checks the viewer's file with the parts that the other file opens; whether that could be done."""
    try:
        opened = opening.opened_by(export, opener)
    except Impossible as impossible:
        report.add("opened parts", Mark.OPEN, str(impossible))
        return False
    report.add("opened parts", Mark.HOLDS, "by the other file, which has the same entries")
    report.run("seed", lambda: history.check_seed(opened))
    verify_story(report, opened, elsewhere)
    return True


def _check_viewed(export: pb.Export, last: list[entry_pb2.EntryPart]) -> str:
    verifier = Verifier(f"matches/{ids.to_text(export.match)}", _client_game(export), export.seats)
    for entry in export.entries:
        try:
            last[:] = [verifier.advance(entry)]
        except ArgosyError as error:
            raise Wrong(entry.version, error.metadata.get("problem", "it does not hold")) from None
    seats = f", with the parts of seat {', '.join(map(str, export.seats))}" if export.seats else ", as a spectator"
    return f"head {verifier.digest.hex()[:16]}…{seats}"


def _client_game(export: pb.Export) -> Game:
    try:
        about = game_service_pb2.Game(
            name="games/file",
            descriptors=FileDescriptorSet.FromString(export.descriptors),
            settings_type=export.settings_type,
            action_type=export.action_type,
            event_type=export.event_type,
            position_type=export.position_type,
        )
        return Game(about)
    except (DecodeError, TypeError, KeyError, RecursionError) as error:
        raise Wrong(0, f"the file's descriptors cannot be used ({type(error).__name__})") from None
