"""A seat's turn as the person at the terminal sees it: what is open, and what was chosen so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from argosy.client import LegalAction, Update

from gateway.cli import phrases
from gateway.cli.play.menu import Option, columns, kind_of, matching, options_of
from gateway.cli.play.naming import Naming
from gateway.cli.screen import Screen

_MOST_LISTED = 60


def is_end(action: LegalAction) -> bool:
    """Whether an action of this kind ends something."""
    return kind_of(action.action).startswith("end_")


@dataclass
class Turn:
    """One decision of one seat at one version. `steps` are the sets of actions left after each step.

    Where it is not `is_owed`, others are waited for: nothing but what is named is done.
    """

    seat: int
    update: Update
    actions: Sequence[LegalAction]
    is_owed: bool = True
    naming: Naming = field(default_factory=Naming)
    steps: list[Sequence[LegalAction]] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begins with all actions."""
        self._step(self.actions)

    @property
    def end(self) -> LegalAction | None:
        """The action that ends something, such as the turn; None where there is none, or a choice of them."""
        ends = [action for action in self.actions if is_end(action)]
        return ends[0] if len(ends) == 1 else None

    @property
    def sole(self) -> LegalAction | None:
        """The only thing that can be done, where it is owed."""
        return self.actions[0] if self.is_owed and len(self.actions) == 1 else None

    @property
    def kinds(self) -> str:
        """What kinds of actions are open: by this one knows again that turns are alike."""
        return " + ".join(sorted({kind_of(action.action) for action in self.actions}))

    def back(self) -> None:
        """One step back; at the first step everything stays."""
        if len(self.steps) > 1:
            self.steps.pop()
        self.options = options_of(self.steps[-1], self.naming)

    def choose(self, typed: str) -> LegalAction | str:
        """The action that is chosen by now; else what to say: "" where there is a next step to show."""
        if typed.isdecimal() and 1 <= int(typed) <= len(self.options):
            return self._take(self.options[int(typed) - 1].actions)
        for option in self.options:
            if typed.casefold() == option.text.partition(" … ")[0].casefold():
                return self._take(option.actions)
        found = matching(self.actions, typed.removeprefix("/"))
        if not found:
            return phrases.UNKNOWN(self.naming.language, typed=typed)
        return self._take(found)

    def show(self, screen: Screen) -> None:
        """The options of this step."""
        language = self.naming.language
        texts = [option.text for option in self.options[:_MOST_LISTED]]
        for line in columns(texts):
            screen.line(line)
        if len(self.options) > len(texts):
            screen.say(phrases.MORE(language, count=len(self.options) - len(texts)))
        screen.ask(phrases.PROMPT(language, seat=self.seat, way=self._way(language)))

    def _way(self, language: str) -> str:
        if len(self.steps) > 1:
            return (phrases.NEXT_STEP if self.is_owed else phrases.NEXT_STEP_FREE)(language)
        return (phrases.FIRST_STEP if self.is_owed else phrases.FIRST_STEP_FREE)(language)

    def _take(self, actions: Sequence[LegalAction]) -> LegalAction | str:
        if len(actions) == 1:
            return actions[0]
        self._step(actions)
        return ""

    def _step(self, actions: Sequence[LegalAction]) -> None:
        self.steps.append(actions)
        self.options = options_of(actions, self.naming)
