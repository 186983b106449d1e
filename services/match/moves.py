"""An action that a player asks for, and what the rules make of it."""

from dataclasses import dataclass

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit import chain
from services.kit.errors import Reason, Refused
from services.match import deciding, drafts
from services.match.deciding import Decider
from services.match.drafts import Draft
from services.match.table import Table, wanted_by_all


@dataclass(frozen=True, slots=True)
class Move:
    """An action that a player asks for. `action` is the game's Action message; `seat` None means the only one held.

    `expected_version` is what the player decided on, None for whatever stands; `expected_digest` its digest, or b"".
    """

    player: bytes
    seat: int | None
    action: bytes
    expected_version: int | None = None
    expected_digest: bytes = b""


def check_expected(table: Table, move: Move) -> None:
    """Refuses STALE_VERSION or HISTORY_DIVERGED where the player decided on something else than what stands."""
    head = {**drafts.facts(table), "digest": table.digest.hex()}
    if move.expected_version is not None and move.expected_version > table.version and move.expected_digest:
        text = f"the match is at version {table.version} and never had your version {move.expected_version}"
        raise Refused(Reason.ERROR_REASON_HISTORY_DIVERGED, text, **head)
    if move.expected_version is not None and move.expected_version != table.version:
        text = f"the match is at version {table.version}, not {move.expected_version}"
        raise Refused(Reason.ERROR_REASON_STALE_VERSION, text, **head)
    if move.expected_version is not None and move.expected_digest and move.expected_digest != table.digest:
        text = f"the digest of version {table.version} is another here"
        raise Refused(Reason.ERROR_REASON_HISTORY_DIVERGED, text, **head)


async def decided(decider: Decider, table: Table, seat: int, action: bytes, wanted: rules_v1.Wanted) -> Draft:
    """What the rules decide of the action as the table stands. Raises their refusal."""
    question = rules_v1.Question(
        basis=table.basis(),
        seat=seat,
        action=action,
        entropy=chain.decision_entropy(table.key, table.decisions),
        wanted=wanted_by_all(table, wanted),
    )
    answer = await decider.decide(table.game, question)
    if answer.WhichOneof("outcome") != "decision":
        raise deciding.refused(answer.refusal, **drafts.facts(table))
    draft = Draft(entry_pb2.EntryPart(seat=seat))
    draft.server.decision, draft.server.action = table.decisions, action
    drafts.add_decision(draft, answer.decision)
    return draft
