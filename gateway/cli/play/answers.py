"""What the program answers to questions: help, and refusals with the ruling that they rest on."""

from argosy.client import ArgosyError, Game, IllegalAction

from gateway.cli import phrases


class Answers:
    """Remembers the last refusal, so that `?` can explain it."""

    def __init__(self, game: Game, language: str) -> None:
        self._game, self._language, self._last = game, language, ""

    def refused(self, error: ArgosyError) -> str:
        """What to say of a refusal."""
        self._last = error.rule if isinstance(error, IllegalAction) else ""
        if self._last:
            return phrases.REFUSED_BY_RULE(self._language, rule=self._last)
        return phrases.REFUSED(self._language, why=error)

    def explain(self, code: str) -> str:
        """The refusal of this code, the last one for "", all for "?"; help where there was none."""
        if code == "?":
            return "\n".join(f"{known.code}: {known.explanation}" for known in self._game.about.refusal_codes)
        code = code.upper() or self._last
        if not code:
            return phrases.HELP(self._language)
        if why := self._game.explain(code):
            return phrases.EXPLAINED(self._language, code=code, why=why)
        return phrases.NO_SUCH_REFUSAL(self._language, code=code)
