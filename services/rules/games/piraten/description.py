"""What the game says about itself, and every code a client can meet."""

from collections.abc import Sequence

from services.rules.game import Description
from services.rules.games.piraten.model import Settings, Variant

DEFAULTS = Settings(variant=Variant.SMALL)
SAMPLES: Sequence[tuple[Settings, int]] = (
    (DEFAULTS, 2),
    (DEFAULTS, 3),
    (DEFAULTS, 4),
    (Settings(Variant.EXPERIENCED, 2), 2),
    (Settings(Variant.EXPERIENCED, 3), 3),
    (Settings(Variant.EXPERIENCED, 2), 4),
    (Settings(Variant.BIG), 2),
    (Settings(Variant.BIG), 3),
    (Settings(Variant.BIG), 4),
)

_REFUSALS = {
    "BAD_PLAYERS": "Two to four players sail (R-PIR-01).",
    "BAD_BOATS_PER_PLAYER": "One boat each in the small adventure, two or three for experienced sailors, three in"
    " the Big Adventure (section 4).",
    "BAD_EMPTY_PIRATE_SPACE": "In the Big Adventure every pirate picture has its ship (section 4, R-PIR-03).",
    "BAD_FIRST_SEAT": "The first seat is one of the seats of the match (R-PIR-02).",
    "BAD_COLOURS": "One colour per seat, all distinct; with two players in the Big Adventure four (R-PIR-32).",
    "GAME_OVER": "The match is over (section 10).",
    "NOT_YOUR_TURN": "Only the player on turn decides (R-PIR-08).",
    "WRONG_PHASE": "This is not what has to be done now (section 6).",
    "BOAT_ALREADY_MOVED": "A boat was moved or held in this turn already (R-PIR-10).",
    "UNKNOWN_BOAT": "No boat in play has this name (section 2).",
    "DIE_NOT_AVAILABLE": "No die that is left shows these points (section 6).",
    "BOAT_CAPTIVE": "This boat is captive on Pirate Island (section 8.1).",
    "BOAT_HOME": "This boat is home; rescued boats are out for good (R-PIR-28).",
    "OWN_BOAT_FIRST": "Whoever has a free boat of his own moves that one (R-PIR-19).",
    "NEUTRAL_BOAT_FIRST": "Neutral boats come before boats of fellow players (R-PIR-34).",
    "SECOND_COLOUR_LOCKED": "A second colour moves only when the first is home or captive (R-PIR-35).",
    "HOLD_NOT_ALLOWED": "A boat may be held only with a die too high for the harbour (R-PIR-26).",
    "PATH_WRONG_LENGTH": "The path names every space to be entered, as many as the points (R-PIR-47).",
    "PATH_NOT_CONNECTED": "Boats sail only from a space to the next in the direction of its tip (R-PIR-13).",
    "NO_PROVISION_FOR_HIDEOUT": "Entering a hide-out costs the player on turn a provision card (R-PIR-37).",
    "PIRATE_ALREADY_MOVED": "A pirate ship was moved in this turn already (R-PIR-10).",
    "UNKNOWN_PIRATE": "No pirate ship in play has this name (section 2).",
    "PIRATE_BLOCKED": "In the Big Adventure pirate ships neither overtake nor share a space (R-PIR-36).",
    "WRONG_PARTNER": "It is another player's turn to be asked about an exchange (R-PIR-38).",
    "NO_PROVISION_TO_GIVE": "The player on turn has no provision card to give (R-PIR-38).",
    "PARTNER_HAS_NO_PROVISION": "This player has no provision card to give (R-PIR-38).",
    "BOAT_NOT_CAPTIVE": "This boat is not on Pirate Island (R-PIR-22).",
    "PAYER_NOT_INVOLVED": "Only the player on turn or the captive's owner can pay (R-PIR-41).",
    "PAYER_HAS_NO_PROVISION": "This player has no provision card to pay with (R-PIR-41).",
}

DESCRIPTION = Description(
    id="piraten",
    title={"en": "Pirate Adventure", "de": "Piraten-Abenteuer"},
    rules_version="1.0.0",
    min_seats=2,
    max_seats=4,
    default_seats=2,
    is_cooperative=True,
    has_hidden_information=False,
    typical_entries=300,
    assets={"board.toml": "application/toml", "components.json": "application/json"},
    refusals=_REFUSALS,
)
