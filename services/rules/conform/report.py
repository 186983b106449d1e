"""What a conformance run found."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_TOLD = 5  # failures told of one law
LEAST_COMPARED = 0.9  # of the pairs of worlds

LAWS = {
    "answers": "no call fails",
    "described": "DescribeGames is complete and consistent, assets are what it says",
    "terminates": "a match of random actions ends within the limit of entries",
    "status": "turn is within may_act, scores lie in 0 to 1, nobody may act at the end",
    "listed": "what is listed is accepted, what is not is refused",
    "paged": "pages and partial actions give the same list in the same order",
    "fold": "the state after a decision is the fold of its events",
    "repeatable": "the same request gets the same answer, whatever came between and whatever it rests on",
    "round trip": "messages have no unknown fields and are encoded canonically",
    "malformed": "an action with a missing or unknown field is refused as malformed, naming the field",
    "refusals": "a refusal has a code that the game explains",
    "audited": "a history re-decides as recorded, and a changed one is found out",
    "drawn": "every view is drawn in at most 80 columns, every event told",
    "redacted": "views split cleanly: public is within each seat's, seeing twice changes nothing",
    "canary": "a value put into hidden fields is in nothing that a viewer gets",
    "worlds": "what a viewer cannot tell apart looks the same to it, byte for byte",
}


@dataclass
class Findings:
    """What was found about one game: how often each law was tried, and where it did not hold."""

    game: str
    tried: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=dict)
    skipped: int = 0  # pairs of worlds with different tells
    left_out: dict[str, str] = field(default_factory=dict)  # law -> why it was not tried

    def expect(self, law: str, holds: object, problem: str) -> bool:
        """Counts a trial of the law; records `problem` unless it holds."""
        self.tried[law] += 1
        if not holds:
            self.failures.setdefault(law, []).append(problem)
        return bool(holds)

    def close(self) -> None:
        """Adds what only the whole tells: laws never tried, worlds compared too seldom."""
        for law in LAWS:
            if not self.tried[law] and law not in self.left_out:
                self.failures.setdefault(law, []).append("was never tried")
        pairs = self.tried["worlds"] + self.skipped
        if pairs and self.tried["worlds"] < LEAST_COMPARED * pairs:
            told = f"only {self.tried['worlds']} of {pairs} pairs could be compared"
            self.failures.setdefault("worlds", []).append(told)

    def to_json(self) -> dict[str, Any]:
        """The same as `lines` for scripts."""
        laws = {law: {"tried": self.tried[law], "failures": self.failures.get(law, [])} for law in LAWS}
        return {"game": self.game, "is_ok": not self.failures, "laws": laws, "left_out": self.left_out}

    def lines(self) -> Iterator[str]:
        """One line for each law, failures beneath."""
        for law, meaning in LAWS.items():
            wrong = self.failures.get(law, [])
            count = f"{self.tried[law]}" + (f", {self.skipped} skipped" if law == "worlds" and self.skipped else "")
            reason = self.left_out.get(law, "")
            verdict = "FAIL" if wrong else "left out" if reason else "ok" if self.tried[law] else "untried"
            yield f"  {verdict:8} {law:11} {reason or count:>7}  {meaning}"
            yield from (f"           {problem}" for problem in wrong[:MOST_TOLD])
            if len(wrong) > MOST_TOLD:
                yield f"           and {len(wrong) - MOST_TOLD} more"


@dataclass
class Report:
    """What was found about all games of a rules service."""

    games: list[Findings]

    @property
    def is_ok(self) -> bool:
        """Whether there are games and every law held for each."""
        return bool(self.games) and not any(findings.failures for findings in self.games)

    def lines(self) -> Iterator[str]:
        """The report as text."""
        for findings in self.games:
            yield f"{findings.game}: {'FAIL' if findings.failures else 'ok'}"
            yield from findings.lines()
        if not self.games:
            yield "there are no games here"

    def to_json(self) -> dict[str, Any]:
        """The report for scripts."""
        return {"is_ok": self.is_ok, "games": [findings.to_json() for findings in self.games]}
