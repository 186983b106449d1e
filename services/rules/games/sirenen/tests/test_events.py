"""The sequences of events of SPEC section 8, and that the goldens show every way a match can end."""

import re
from pathlib import Path

import pytest

from services.rules.games.sirenen import notation
from services.rules.games.sirenen.model import Action, EndReason, MainAction, Settings, State, Variant
from services.rules.games.sirenen.tests.playing import begin, play

TURN = r"TURN_ENDED( TURN_SKIPPED)*( TURN_STARTED| GAME_ENDED)"
TAKEN = r"(SHIP_SCORED( CREW_SCORED)?|SHIP_TIED( CREW_REMOVED)?)"
SHIP = rf"( {TAKEN}( MUG_REMOVED){{0,2}} CARDS_REMOVED( OCTOPUS_RETURNED){{0,2}})"
AFTER = {
    MainAction.PLAY_CARD: rf"{SHIP}{{0,1}}( GAME_ENDED| (CARD_DRAWN|DRAW_SKIPPED)( {TURN})?)",  # I-12
    MainAction.USE_OCTOPUS: rf"{SHIP}{{0,2}}( GAME_ENDED|( {TURN})?)",
}
FIRST = {MainAction.PLAY_CARD: "CARD_PLAYED", MainAction.USE_OCTOPUS: "OCTOPUS_USED"}
STARTS = {
    Variant.BASE: "GAME_CREATED HAND_DEALT HAND_DEALT START_PLAYER TURN_STARTED",
    Variant.OWN_DECKS: "GAME_CREATED SET_TAKEN SET_TAKEN",
}


def _pattern(state: State, action: Action) -> str:
    kind = notation.action_json(action)["type"]
    if kind == "MOVE_CREW":
        assert state.pending is not None
        return "CREW_MOVED" + AFTER[state.pending.action]
    if kind in FIRST:
        return rf"{FIRST[MainAction(kind)]}( CREW_MOVE_REQUESTED|( CREW_STAYED| CREW_MOVED)?{AFTER[MainAction(kind)]})"
    return {
        "KEEP_START_CARD": "START_CARD_KEPT( HAND_COMPLETED( START_PLAYER TURN_STARTED)?)?",
        "USE_RUM": rf"RUM_PLAYED( {TURN})?",
        "END_TURN": TURN,
    }[kind]


@pytest.mark.parametrize("variant", list(Variant))
def test_events_come_in_the_order_of_the_specification(variant: Variant) -> None:
    seen = set[str]()
    for seed in range(40, 70):
        created = [notation.event_json(e)["event"] for e in begin(Settings(variant), seed)[1]]
        assert " ".join(created) == STARTS[variant]
        for state, _, action, events, after in play(Settings(variant), seed):
            names = [notation.event_json(e)["event"] for e in events]
            assert re.fullmatch(_pattern(state, action), " ".join(names)), (action, names)
            assert ("GAME_ENDED" in names) == (after.result is not None)
            seen |= set(names)
    assert {"SHIP_TIED", "CREW_MOVED", "CREW_MOVE_REQUESTED", "OCTOPUS_RETURNED", "MUG_REMOVED"} <= seen


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("reason", list(EndReason))
def test_a_golden_shows_this_end(variant: Variant, reason: EndReason) -> None:
    folder = Path(__file__).parent.parent / "goldens"
    ends = [p.name for p in folder.glob("*.txt") if f"[over: {reason.value}, scores " in p.read_text()]
    assert any(name.startswith(variant.value.lower()) for name in ends)
