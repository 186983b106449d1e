"""What the program answers to questions: help, and refusals with the ruling that they rest on."""

from argosy.client import ArgosyError, Game, IllegalAction

HELP = """\
A number chooses; so do words of the label. Enter goes one step back, or takes
the only thing that can be done.
d            draws the table again
?            explains the last refusal; ? CODE any other, ?? lists them all
try {JSON}   asks for an action that is not listed, to learn why not
ask          asks again about what you let happen by itself
resign       gives the match up
q            leaves; the match waits for you"""


class Answers:
    """Remembers the last refusal, so that `?` can explain it."""

    def __init__(self, game: Game) -> None:
        self._game, self._last = game, ""

    def refused(self, error: ArgosyError) -> str:
        """What to say of a refusal."""
        self._last = error.rule if isinstance(error, IllegalAction) else ""
        return f"Refused: {self._last}. ? explains it." if self._last else f"Refused: {error}"

    def explain(self, code: str) -> str:
        """The refusal of this code, the last one for "", all for "?"; help where there was none."""
        if code == "?":
            return "\n".join(f"{known.code}: {known.explanation}" for known in self._game.about.refusal_codes)
        code = code.upper() or self._last
        if not code:
            return HELP
        return f"{code}: {self._game.explain(code) or 'no refusal of this game is called so; ?? lists them'}"
