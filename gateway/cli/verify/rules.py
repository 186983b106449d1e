"""Has the installed rules decide a history again, in a process of their own."""

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from gateway.cli.verify.history import Story
from gateway.cli.verify.report import Impossible, Wrong

_MODULE, _NOT_HERE, _DEADLINE_S = "services.rules.audit_file", 4, 600
_GAME: Final = re.compile(r"[a-z][a-z0-9_]{1,30}")


def decide_again(story: Story, elsewhere: Sequence[str]) -> rules_v1.AuditHistoryResponse:
    """What the rules say of all decisions. Raises Impossible where these rules are not installed here."""
    created = story.table.created
    if not story.decisions:
        return rules_v1.AuditHistoryResponse()
    if not _GAME.fullmatch(created.game):  # a file must not say which module is imported
        raise Impossible(f"the rules of {created.game[:40]} are not installed")
    if len(created.rules_digest) not in {0, 32}:
        raise Wrong(1, "the digest of its rules has not 32 bytes")
    request = rules_v1.AuditHistoryRequest(
        game=created.game,
        rules_version=created.rules_version,
        settings=created.settings,
        seats=story.table.seats,
        decisions=story.decisions,
    )
    named = next((name for name in elsewhere if name.partition("=")[0] == created.game), created.game)
    words = [sys.executable, "-m", _MODULE, "--game", named, "--rules-digest", created.rules_digest.hex()]
    try:
        asked = subprocess.run(  # noqa: S603  # our own module, and words that it checks
            words, input=request.SerializeToString(), capture_output=True, timeout=_DEADLINE_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Impossible("the rules took too long") from None
    if asked.returncode == _NOT_HERE:
        raise Impossible(asked.stderr.decode(errors="replace").strip())
    if asked.returncode:
        raise Wrong(0, "the rules failed on this history")
    return rules_v1.AuditHistoryResponse.FromString(asked.stdout)


def check_decisions(story: Story, decided: rules_v1.AuditHistoryResponse) -> str:
    """Every decision is the one that the rules give."""
    if decided.first_difference:
        raise Wrong(decided.first_difference, decided.difference)
    if not story.decisions:
        return "none: the match never started"
    return f"{len(story.decisions)} decided again"


def check_end(story: Story, decided: rules_v1.AuditHistoryResponse | None) -> str:
    """The match is over, and a result by the rules is the one that they give."""
    end = story.table.end
    if end is None:
        raise Impossible("the match goes on")
    name = entry_pb2.End.Outcome.Name(end.outcome).removeprefix("OUTCOME_")
    if end.outcome != entry_pb2.End.OUTCOME_RESULT:
        return f"{name} {end.reason}".rstrip()
    if decided is None:
        raise Impossible("the rules did not say")
    over = decided.status.over
    if (list(end.scores), end.reason) != (list(over.scores), over.reason):
        raise Wrong(story.table.version, "the result is not what the rules say")
    return f"{end.reason} {' : '.join(f'{score:g}' for score in end.scores)}"
