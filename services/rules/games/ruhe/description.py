"""What the game says about itself."""

from services.rules.game import Description
from services.rules.games.ruhe.model import Difficulty, Settings

REFUSALS = {
    "GAME_OVER": "The match is over (section 8).",
    "BAD_SEAT": "No such seat plays here (section 8).",
    "BAD_OPTIONS": "Monsters are 0, 3, 4 or 5; one to five seats play (section 3).",
    "WRONG_PHASE": "Another decision is open (section 8).",
    "NOT_WAITING_FOR_YOU": "The open decision is not, or no longer, this seat's (section 8).",
    "MUST_PLAY_START": "Who holds a start card while none lies must play it (R-RUH-10).",
    "NOT_IN_HAND": "The card is not in the hand, or is the one being played (R-RUH-06).",
    "NOT_A_START": "The card is no start card (8.1).",
    "NOT_A_FINISH": "The card is no finish card (8.2).",
    "NOT_AN_ISLAND": "The card is no island (8.3).",
    "NOT_A_MONSTER": "The card is no monster (8.4).",
    "BAD_CELL": "Cells are 0 to 35 (section 5).",
    "BAD_ROW": "Rows are 0 to 5 (section 5).",
    "START_ALREADY_PLAYED": "A start card lies already (8.1).",
    "GRID_NOT_FULL": "The arrival needs a full grid (R-RUH-16).",
    "START_NOT_PLAYED": "The arrival needs a start card on the table (R-RUH-16).",
    "MONSTER_STILL_HELD": "A monster in any hand blocks the arrival (R-RUH-26).",
    "CELL_OCCUPIED": "An island lies there (8.3).",
    "ROW_BLOCKED_BY_ROCK": "The rock closes this row (R-RUH-25).",
    "ROW_BLOCKED_BY_STORM": "A violet storm closes this row (R-RUH-31).",
    "NOT_ASCENDING": "The numbers must ascend over all placed islands (R-RUH-04).",
    "ORANGE_NEEDS_NEIGHBOUR": "Under an orange storm an island needs a neighbour (R-RUH-32).",
    "CANNOT_AFFORD": "The placement costs more cards than the hand can give (R-RUH-06).",
    "DUPLICATE_CARD": "A card is named twice (section 8).",
    "MONSTER_NOT_DISCARDABLE": "Monsters can never be discarded (R-RUH-24).",
    "START_NOT_DISCARDABLE": "A start card cannot be discarded while none lies (R-RUH-13).",
    "WRONG_COUNT": "Another number of cards is due (section 8).",
    "NO_ISLAND_THERE": "The cell is empty (8.4).",
    "EXPANSION_OFF": "This match is played without storms and compasses (section 3).",
    "HAND_TOO_SMALL": "A whole hand is at least three cards (R-RUH-35).",
    "ROW_UNCHANGED": "The rock lies in this row already (8.7).",
    "ROW_HAS_NO_GAP": "The row is full (R-RUH-22, R-RUH-31).",
    "OFFER_OUT_OF_RANGE": "An offer is 0 to the smaller of the own cap and the required number (8.9).",
    "BLIND_NOT_ALLOWED": "Only under a yellow storm may a seat give cards unseen, up to two (R-RUH-30).",
    "NO_COMPASS": "The group has no unused compass (8.12).",
    "STORM_NOT_ACTIVE": "This storm is neither active nor just drawn (8.12).",
}

DESCRIPTION = Description(
    id="ruhe",
    title={"en": "Tranquility", "de": "In aller Ruhe"},
    rules_version="1.0.0",
    min_seats=1,
    max_seats=5,
    default_seats=3,
    is_cooperative=True,
    has_hidden_information=True,
    typical_entries=67,
    assets={"components.json": "application/json"},
    refusals=REFUSALS,
)


def _settings(
    *, difficulty: Difficulty = Difficulty.NONE, rocks: bool = False, monsters: int = 0, storms: bool = False
) -> Settings:
    return Settings(difficulty, rocks, monsters, storms)


DEFAULTS = _settings()
SAMPLES = (
    (DEFAULTS, 3),
    (_settings(), 1),
    (_settings(), 2),
    (_settings(difficulty=Difficulty.GALATEA), 4),
    (_settings(), 5),
    (_settings(rocks=True), 2),
    (_settings(monsters=3), 3),
    (_settings(storms=True), 4),
    (_settings(rocks=True, monsters=4), 5),
    (_settings(difficulty=Difficulty.TRITON, rocks=True, storms=True), 3),
    (_settings(monsters=5, storms=True), 2),
    (_settings(difficulty=Difficulty.POSEIDON, rocks=True, monsters=5, storms=True), 4),
    (_settings(difficulty=Difficulty.LEUKOTHEA, rocks=True, monsters=3, storms=True), 1),
    (_settings(difficulty=Difficulty.AMPHITRITE, storms=True), 5),
)
