"""What an accepted action does: chapters 7 to 9. It changes the state that it was given."""

from collections.abc import Sequence
from typing import Any

from services.rules.games.seeschlacht.tests.reading.ends import find_end, judge
from services.rules.games.seeschlacht.tests.reading.refusals import Refusals
from services.rules.games.seeschlacht.tests.reading.waters import (
    ANCHOR,
    BATTERY,
    FLEET,
    OTHER,
    START,
    VECTOR,
    go,
    is_hostile,
    is_merchant,
    limit,
    seat_of,
)

LINES = ("", "yellow", "blue", "red")
TURN_LISTS = ("moved", "loaded", "repaired", "shelled", "fired")


class Outcomes(Refusals):
    """A state that actions change; `events` are those of the last one."""

    def __init__(self, state: Any) -> None:
        super().__init__(state)
        self.events: list[Any] = []
        self._dice: list[Any] = []

    def apply(self, action: Any, dice: Sequence[Any]) -> list[Any]:
        """The events of a legal action with these rolls, all of which it needs."""
        self.events, self._dice = [], list(dice)
        getattr(self, f"_do_{action['type'].lower()}", self._do_nothing)(action)
        assert not self._dice, "more dice than rolls"
        self._go_on(action["type"])
        return self.events

    def _tell(self, event: str, **values: Any) -> None:
        self.events.append({"event": event, **values})

    def _roll(self, die: str, purpose: str) -> Any:
        value = self._dice.pop(0)
        self._tell("DieRolled", seat=self.state["seat"], die=die, value=value, purpose=purpose)
        return value

    def _do_nothing(self, _: Any) -> None: ...

    def _do_setfacing(self, action: Any) -> None:
        self.state["ships"][action["ship"]]["dir"] = action["dir"]
        self._tell("FacingSet", ship=action["ship"], dir=action["dir"])

    def _do_defaultfacings(self, _: Any) -> None:
        for ship in FLEET[self.state["seat"]]:
            if self.state["ships"][ship]["dir"] is None:
                self._do_setfacing({"ship": ship, "dir": START[ship]["default"]})

    def _do_keepwind(self, _: Any) -> None:
        self._tell("WindKept", seat=self.state["seat"])

    def _do_changewind(self, _: Any) -> None:
        self._tell("WindChangeAnnounced", seat=self.state["seat"], what="direction_and_strength")
        if self._roll("number", "permission") % 2:
            self._tell("WindChangeFailed", seat=self.state["seat"])
        else:
            strength = self._roll("colour", "strength")
            self._set_wind(strength, self._roll("number", "direction"))

    def _do_changestrength(self, _: Any) -> None:
        self._tell("WindChangeAnnounced", seat=self.state["seat"], what="strength")
        self._set_wind(self._roll("colour", "strength"), self.state["wind"]["from"])

    def _set_wind(self, strength: str, origin: int) -> None:
        wind = {"strength": strength, "from": origin}
        self._tell("WindSet", **wind, changed=wind != self.state["wind"])
        self.state["wind"] = wind

    def _do_moveship(self, action: Any) -> None:
        name = action["ship"]
        ship, v, damage = self.state["ships"][name], self.begin(name), 0
        for letter in action["path"].rstrip("X"):
            v = self.sail(name, v, letter)
            damage += letter == "F" and is_hostile(name, v.at)
            if ship["hits"] + damage == limit(name):
                break
        if v.path:
            self._tell("ShipMoved", ship=name, path=v.path, **{"from": ship["pos"]}, to=[*v.at], dir=v.facing)
        ship["pos"], ship["dir"] = [*v.at], v.facing
        for _ in range(damage):
            self._hit(name, "enemy_anchor")
        if action["path"][-1] == "X" and not ship["sunk"]:
            target = self.occupied()[go(v.at, VECTOR[v.facing])]
            self._tell("ShipsRammed", ship=name, target=target)
            self._hit(name, "ram")
            self._hit(target, "ram")
        self.state["moved"].append(name)
        if self.state["options"]["version"] == "short" and is_merchant(name) and not ship["sunk"]:
            self._arrive(name)

    def _arrive(self, ship: str) -> None:
        arrivals = self.state["arrivals"]
        if ship not in arrivals and ANCHOR.get(self.place(ship)) == f"{seat_of(ship)}_dest":
            arrivals.append(ship)
            self._tell("MerchantArrived", ship=ship, rank=len(arrivals), points=11 - len(arrivals))

    def _do_load(self, action: Any) -> None:
        self.state["ships"][action["ship"]]["cargo"] = True
        self.state["loaded"].append(action["ship"])
        self._tell("CargoLoaded", ship=action["ship"])

    def _do_repair(self, action: Any) -> None:
        ship = self.state["ships"][action["ship"]]
        ship["hits"] -= 1
        self.state["repaired"].append(action["ship"])
        self._tell("ShipRepaired", ship=action["ship"], hits=ship["hits"])

    def _do_firebattery(self, action: Any) -> None:
        target = action["target"]
        self._tell("BatteryFired", battery=BATTERY[self.place(target)]["id"], target=target)
        self.state["shelled"].append(target)
        self._shoot(target, "yellow", "battery")

    def _do_fire(self, action: Any) -> None:
        line = LINES[self.aim(action["ship"], action["target"])[1]]
        self._tell("ShotFired", ship=action["ship"], target=action["target"], line=line)
        self.state["fired"].append(action["ship"])
        self._shoot(action["target"], line, "shot")

    def _shoot(self, target: str, line: str, cause: str) -> None:
        if self._roll("colour", cause) == line:
            self._hit(target, cause)
        else:
            self._tell("ShotMissed", target=target)

    def _hit(self, name: str, cause: str) -> None:
        ship = self.state["ships"][name]
        ship["hits"] += 1
        self._tell("ShipHit", ship=name, hits=ship["hits"], cause=cause)
        if ship["hits"] == limit(name):
            ship.update(pos=None, dir=None, cargo=False, sunk=True)
            self._tell("ShipSunk", ship=name, cause=cause)

    def _go_on(self, kind: str) -> None:
        """8.2."""
        phase = self.state["phase"]
        if result := find_end(self.state):
            self._end(result)
        elif phase == "SETUP":
            self._line_up()
        elif phase == "WIND" or kind.startswith("End") or not any(self.choices(phase)):
            order = ("WIND", "MOVE", "LOAD", "REPAIR", "BATTERY", "FIRE")
            self._enter(next((p for p in order[order.index(phase) + 1 :] if any(self.choices(p))), ""))

    def _line_up(self) -> None:
        seat, first = self.state["seat"], self.state["options"]["first"]
        if any(self.state["ships"][ship]["dir"] is None for ship in FLEET[seat]):
            return
        self._tell("FleetReady", seat=seat)
        self.state["seat"] = OTHER[seat]
        if seat != first:
            self._begin_turn(1)

    def _enter(self, phase: str) -> None:
        """Enters the phase, or where there is none ends the turn."""
        turn, options = self.state["turn"], self.state["options"]
        if phase:
            self.state["phase"] = phase
            self._tell("PhaseStarted", phase=phase)
            return
        self._tell("TurnEnded", turn=turn, seat=self.state["seat"])
        if turn == options["turn_cap"]:
            self._end(judge(self.state, "TURN_CAP"))
        else:
            self.state["seat"] = OTHER[self.state["seat"]]
            self._begin_turn(turn + 1)

    def _begin_turn(self, turn: int) -> None:
        self.state.update(turn=turn, phase="WIND", **{name: [] for name in TURN_LISTS})
        self._tell("TurnStarted", turn=turn, seat=self.state["seat"])
        self._tell("PhaseStarted", phase="WIND")

    def _end(self, result: Any) -> None:
        self.state.update(phase="OVER", result=result)
        self._tell("GameEnded", **result)
