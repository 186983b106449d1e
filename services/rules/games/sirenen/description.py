"""What Sirenen in Sicht says about itself."""

from services.rules.game import Description

DESCRIPTION = Description(
    id="sirenen",
    title={"en": "Sirenen in Sicht", "de": "Sirenen in Sicht"},
    rules_version="1.0.0",
    min_seats=2,
    max_seats=2,
    default_seats=2,
    is_cooperative=False,
    has_hidden_information=True,
    typical_entries=86,
    assets={"components.json": "application/json"},
    refusals={
        "BAD_OPTIONS": "The options are not those of this game, which is for two seats (section 2).",
        "MALFORMED_ACTION": "There is no such card, ship or side (section 6.1).",
        "GAME_OVER": "The match has ended (section 6.3).",
        "NOT_YOUR_TURN": "Another seat has to decide, or you have done so already (section 5.2).",
        "SELECTION_PENDING": "First keep four cards of your set (section 7.9, R-SIR-31).",
        "SELECTION_CLOSED": "Cards for the first hand are kept before the first turn only (R-SIR-31).",
        "CREW_MOVE_PENDING": "First move the crew token to one of its two destinations (R-SIR-10).",
        "NO_CREW_MOVE_PENDING": "No crew token waits to be moved (section 7.2).",
        "MAIN_ACTION_REQUIRED": "A turn needs a card played or the octopus used; there is no passing (R-SIR-23).",
        "MAIN_ACTION_ALREADY_DONE": "One card or the octopus in a turn, not more (section 7).",
        "CARD_NOT_IN_YOUR_SET": "The card belongs to the other seat's set (R-SIR-31).",
        "CARD_ALREADY_KEPT": "You have kept this card already (R-SIR-31).",
        "CARD_NOT_IN_HAND": "The card is not in your hand (section 6.3).",
        "SHIP_NOT_IN_PLAY": "The ship is no longer in play (section 6.3).",
        "SIDE_FULL": "There are five cards at this side of the ship already (section 6.3).",
        "OCTOPUS_NOT_AVAILABLE": "Your octopus still lies on a card (R-SIR-22).",
        "CARD_NOT_IN_PLAY": "The octopus moves cards that lie at a ship in play only (R-SIR-21).",
        "CARD_HELD_BY_OCTOPUS": "The other seat's octopus holds this card (R-SIR-21).",
        "SAME_LOCATION": "The card lies there already; the octopus must move it elsewhere (R-SIR-21).",
        "MUG_NOT_AVAILABLE": "You have used your mug of rum (R-SIR-25).",
        "NOT_A_DESTINATION": "The crew token cannot go there (R-SIR-11).",
    },
)
