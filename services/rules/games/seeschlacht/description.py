"""What the game says about itself."""

from collections.abc import Mapping
from importlib import resources

from services.rules.game import Description
from services.rules.games.seeschlacht.chart import number_chart

_CHART = (resources.files(__package__) / "data" / "board.json").read_bytes()  # here, since a description is a constant

REFUSALS: Mapping[str, str] = {
    "ALREADY_FIRED": "This ship has fired this turn (R-SEE-29).",
    "ALREADY_MOVED": "This ship has moved this turn; a ship moves once (R-SEE-40).",
    "ALREADY_PLACED": "This ship has its facing already (R-SEE-06).",
    "ALREADY_REPAIRED": "This ship was repaired this turn; one hit a turn (R-SEE-25).",
    "ALREADY_SHELLED": "The batteries have fired at this ship this turn (R-SEE-27).",
    "BAD_OPTIONS": "The settings need a first seat of 0 or 1, a turn cap from 1 to 2^31 - 1 and two seats (SPEC 3).",
    "CARGO_ALREADY_ABOARD": "This merchant has cargo aboard (R-SEE-24).",
    "ENEMY_ANCHOR_AVOIDABLE": "A legal move enters fewer enemy anchor places than this path (R-SEE-16).",
    "FACING_NOT_ALLOWED": "At its anchor place this ship may only face water (R-SEE-06).",
    "GAME_OVER": "The match is over (SPEC 7.1).",
    "LAND_AHEAD": "Land or the rim of the board is ahead (R-SEE-18).",
    "LAND_IN_THE_WAY": "The line of fire passes over land (R-SEE-31).",
    "MOVED_THIS_TURN": "A ship that moved this turn can be neither repaired nor loaded (R-SEE-26).",
    "MOVE_INCOMPLETE": "The ship has steps left, and no step may be given away (R-SEE-15).",
    "MOVE_TOO_LONG": "The path is longer than the wind allows with these facings (R-SEE-10).",
    "MUST_REPAIR_FIRST": "A damaged merchant is repaired before it loads (R-SEE-24).",
    "MUST_SAIL_AHEAD": "After a turn the ship sails ahead; two turns in a row are not allowed (R-SEE-11).",
    "NEUTRAL_HARBOUR_CLOSED": "Only merchants may enter the neutral harbour (R-SEE-19).",
    "NOTHING_TO_RAM": "There is no ship ahead to ram (R-SEE-17).",
    "NOT_A_MERCHANT": "Only merchants load (R-SEE-24).",
    "NOT_AT_DESTINATION_ANCHOR": "Cargo is taken aboard at the anchor places of the own destination (R-SEE-24).",
    "NOT_AT_REPAIR_ANCHOR": "Ships are repaired on dotted anchor places they may use (R-SEE-25).",
    "NOT_DAMAGED": "This ship has no hit to take off (R-SEE-25).",
    "NOT_ON_BATTERY_FIELD": "The target stands on no field of an own battery (R-SEE-27).",
    "NOT_YOUR_SHIP": "This ship belongs to the other seat (SPEC 7.1).",
    "NOT_YOUR_TURN": "The other seat has to decide (SPEC 7.1).",
    "NO_ALLOWANCE": "With this facing the wind gives the ship no step; it may only turn (R-SEE-12).",
    "OUT_OF_ARC": "The target is outside both broadsides (R-SEE-28).",
    "PATH_MALFORMED": "A path is one or more of the letters F, L and R, with X at most as its last (SPEC 7.4).",
    "RAM_NOT_FORCED": "A ship may ram only when no complete move is possible (R-SEE-17).",
    "SHIPS_MUST_MOVE": "Some of your ships still have to move (R-SEE-15).",
    "SHIP_AHEAD": "Another ship is ahead; ships never pass through one another (R-SEE-40).",
    "SHIP_SUNK": "This ship has sunk (SPEC 7.1).",
    "TARGET_COVERED": "Another ship on the line gives cover to the target (R-SEE-30).",
    "TARGET_IN_NEUTRAL_HARBOUR": "Nobody fires at a merchant in the neutral harbour (R-SEE-32).",
    "TARGET_NOT_ENEMY": "The target is a ship of your own (R-SEE-29).",
    "TARGET_SUNK": "The target has sunk (SPEC 7.1).",
    "UNKNOWN_SHIP": "No ship has this name (SPEC 2).",
    "UNKNOWN_TARGET": "No ship has this name (SPEC 2).",
    "WRONG_PHASE": "This action belongs to another phase of the turn (SPEC 7).",
}

DESCRIPTION = Description(
    id="seeschlacht",
    title={"en": "Sea Battle", "de": "Seeschlacht"},
    rules_version=f"1.0.{number_chart(_CHART)}",
    min_seats=2,
    max_seats=2,
    default_seats=2,
    is_cooperative=False,
    has_hidden_information=False,
    typical_entries=475,
    assets={"board.json": "application/json", "components.json": "application/json"},
    refusals=REFUSALS,
)
