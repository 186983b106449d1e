"""What the program itself says to people who play, watch and replay, in each language it speaks.

Labels, sentences and drawings are the games' and come in their languages; commands and options are English words.
"""

from dataclasses import dataclass
from typing import Final

LANGUAGES: Final = ("en", "de")


def primary(tag: str) -> str:
    """The language of a BCP 47 tag: "de" for "de-AT"."""
    return tag.partition("-")[0].lower()


def choose_language(tag: str) -> str:
    """The language in which the program speaks where this one is asked for; English where it speaks it not."""
    return primary(tag) if primary(tag) in LANGUAGES else "en"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One whole text in every language, with the same places to be filled."""

    en: str
    de: str

    def __call__(self, language: str, **values: object) -> str:
        """The text in the language of the tag. Raises KeyError for a place that is not filled."""
        return (self.de if choose_language(language) == "de" else self.en).format(**values)


# who sits where, and how it ended
SEAT = Phrase("seat {seat}", "Platz {seat}")
SEAT_OF = Phrase("seat {seat}: {who}", "Platz {seat}: {who}")
BOT = Phrase("bot ({policy})", "Bot ({policy})")
YOU = Phrase("you", "du")
SOMEBODY = Phrase("somebody", "jemand")
OPEN = Phrase("open", "frei")
OVER = Phrase("The match is over, {why}.", "Die Partie ist zu Ende, {why}.")
OUTCOMES = {
    "RESULT": Phrase("RESULT", "ausgespielt"),
    "RESIGNED": Phrase("RESIGNED", "aufgegeben"),
    "TIMED_OUT": Phrase("TIMED_OUT", "Zeit überschritten"),
    "ABANDONED": Phrase("ABANDONED", "verlassen"),
    "ABORTED": Phrase("ABORTED", "abgebrochen"),
    "VOIDED": Phrase("VOIDED", "für nichtig erklärt"),
}

# the way to a seat
HEAD = Phrase("{title}, match {match}", "{title}, Partie {match}")
NO_PLATFORM = Phrase(
    "No platform answers at {server}. Start one here while you play? [Y/n] >",
    "Unter {server} antwortet nichts. Hier eine Plattform starten? [J/n] >",
)
NOBODY_THERE = Phrase(
    "no platform answers at {server}; argosy up starts one",
    "unter {server} antwortet keine Plattform; argosy up startet eine",
)
STARTING = Phrase(
    "Starting a platform here, its data in {data} …", "Hier startet eine Plattform, ihre Daten in {data} …"
)
NO_MATCHMAKING = Phrase(
    "This platform has no matchmaking; the match is made here.",
    "Diese Plattform vermittelt keine Partien; die Partie wird hier angelegt.",
)
LOOKING = Phrase("Looking for others …", "Mitspieler werden gesucht …")
JOIN_WITH = Phrase("Others join with: {command}", "Andere kommen dazu mit: {command}")
GO_ON_WITH = Phrase("Go on with:", "Weiter geht es mit:")

# why there is no seat
NOT_SEATED = Phrase(
    "you hold no seat in that match: argosy watch shows it, --join takes a seat",
    "du hast in dieser Partie keinen Platz: argosy watch zeigt sie, --join nimmt einen Platz",
)
NO_SUCH_CODE = Phrase(
    "no match waits for players under the code {code!r}, or not any more",
    "unter dem Code {code!r} wartet keine Partie auf Mitspieler, oder nicht mehr",
)
NO_SUCH_GAME = Phrase(
    "there is no game {game!r} here; there are: {there}", "hier gibt es kein Spiel {game!r}; es gibt: {there}"
)
NO_GAME = Phrase(
    "there is no game {game!r} here; there are: none", "hier gibt es kein Spiel {game!r}, auch sonst keines"
)
SEATS_RANGE = Phrase(
    "{game} is for {least} to {most} seats, yours among them",
    "{game} hat {least} bis {most} Plätze, deine eingerechnet",
)
BOTS_UNINVITED = Phrase(
    "--bots goes with --invite; without it bots take every seat that nobody else takes",
    "--bots gehört zu --invite; ohne das nehmen Bots jeden Platz, den niemand sonst nimmt",
)
BOTS_WITHOUT_POLICY = Phrase(
    "--bots needs a policy, --bot sensible or random", "--bots braucht eine Spielweise: --bot sensible oder random"
)
TOO_MANY = Phrase(
    "{own} of you and {bots} bots are more than {seats} seats",
    "{own} Plätze für euch und {bots} für Bots sind mehr als {seats}",
)
SAMPLES = Phrase("{game} has samples 1 to {count}", "{game} hat Beispiele von 1 bis {count}")
BAD_SETTINGS = Phrase("the settings cannot be read: {problem}", "die Einstellungen sind nicht zu lesen: {problem}")
BAD_FIELD = Phrase("these settings cannot be read: {field}", "diese Einstellungen sind nicht zu lesen: {field}")

# a turn, and waiting for one
WAITING = Phrase("Waiting for {who} … (q leaves, ? helps)", "Warten auf {who} … (q: verlassen, ?: Hilfe)")
OTHERS = Phrase("others to join", "Mitspieler")
START = Phrase("the start", "den Beginn")
NEXT_HAND = Phrase(
    "The next hand is that of seat {seat}. Press Enter when only its player looks >",
    "Nun die Hand von Platz {seat}. Eingabetaste, wenn nur ihr Spieler hinsieht >",
)
PROMPT = Phrase("seat {seat} ({way}) >", "Platz {seat} ({way}) >")
FIRST_STEP = Phrase("number or words, ?: help", "Zahl oder Wörter, ?: Hilfe")
FIRST_STEP_FREE = Phrase(
    "not your turn, but you may; number or words, ?: help", "nicht am Zug, doch du darfst; Zahl oder Wörter, ?: Hilfe"
)
NEXT_STEP = Phrase("Enter: back, ?: help", "Eingabetaste: zurück, ?: Hilfe")
NEXT_STEP_FREE = Phrase(
    "not your turn, but you may; Enter: back, ?: help",
    "nicht am Zug, doch du darfst; Eingabetaste: zurück, ?: Hilfe",
)
MORE = Phrase("… and {count} more: type some of the label.", "… und {count} mehr: tippe einen Teil des Textes.")
NOTHING_MORE = Phrase("nothing more", "nichts weiter")
UNKNOWN = Phrase(
    "Nothing that is possible now is called {typed!r}; ? helps.", "Nichts, was jetzt geht, heißt {typed!r}; ? hilft."
)
NOT_YOUR_TURN = Phrase(
    "It is not your turn. d draws the table, q leaves, resign gives up, ? helps.",
    "Du bist nicht am Zug. d zeichnet den Tisch, q verlässt die Partie, resign gibt auf, ? hilft.",
)

# what is to happen by itself
YES = Phrase("y yes", "j ja y yes")
"""The words that mean it, one or all of their letters."""
ASKED = Phrase("{question} [y/n] >", "{question} [j/n] >")
ALL_THAT_IS_LEFT = Phrase(
    "All that is left is: {label}. Do it by itself from now on?",
    "Es bleibt nur: {label}. Von jetzt an von selbst tun?",
)
WHENEVER_LIKE_THIS = Phrase(
    "Do that by itself, whenever the choice is like this in this match?",
    "Das von selbst tun, sooft in dieser Partie dieselbe Wahl ansteht?",
)
ASKED_AGAIN = Phrase("You are asked again.", "Du wirst wieder gefragt.")

# help and refusals
HELP = Phrase(
    """\
A number chooses; so do words of the label. Enter goes one step back, or takes
the only thing that can be done.
d            draws the table again
?            explains the last refusal; ? CODE any other, ?? lists them all
try {{JSON}}   asks for an action that is not listed, to learn why not
ask          asks again about what you let happen by itself
resign       gives the match up
q            leaves; the match waits for you""",
    """\
Eine Zahl wählt; Wörter des Textes ebenso. Die Eingabetaste geht einen Schritt
zurück oder tut das Einzige, was möglich ist.
d            zeichnet den Tisch noch einmal
?            erklärt die letzte Ablehnung; ? CODE jede andere, ?? zählt alle auf
try {{JSON}}   verlangt etwas anderes, um zu erfahren, warum es nicht geht
ask          fragt wieder nach dem, was von selbst geschehen soll
resign       gibt die Partie auf
q            verlässt die Partie; sie wartet auf dich""",
)
EXPLAINED = Phrase("{code}: {why}", "{code}: {why}")
REFUSED_BY_RULE = Phrase("Refused: {rule}. ? explains it.", "Abgelehnt: {rule}. ? erklärt es.")
REFUSED = Phrase("Refused: {why}", "Abgelehnt: {why}")
NO_SUCH_REFUSAL = Phrase(
    "{code}: no refusal of this game is called so; ?? lists them",
    "{code}: so heißt keine Ablehnung dieses Spiels; ?? zählt sie auf",
)
UNREADABLE = Phrase("That cannot be read: {problem}", "Das ist nicht zu lesen: {problem}")

# watching and replaying
ALL_OF_NOW = Phrase(
    "These are all of now; others come by themselves. Ctrl-C ends.",
    "Das sind alle bis jetzt; weitere kommen von selbst. Strg-C beendet.",
)
ENTRY = Phrase("entry {version} of {last}", "Eintrag {version} von {last}")
ENTRY_BY = Phrase("entry {version} of {last} by seat {seat}", "Eintrag {version} von {last}, von Platz {seat}")
NOT_STARTED = Phrase("The match has not started.", "Die Partie hat noch nicht begonnen.")
STEP = Phrase("{version}/{last} (? helps) >", "{version}/{last} (? hilft) >")
STEP_AGAIN = Phrase("{version}/{last} >", "{version}/{last} >")
STEPS = Phrase(
    "Enter or n: next · b: back · a number: go there · e: to the end · q: leave",
    "Enter oder n: weiter · b: zurück · Zahl: dorthin · e: ans Ende · q: Schluss",
)
