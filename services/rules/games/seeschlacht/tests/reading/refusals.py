"""Which actions are legal, in order, and which code refuses the others: chapters 7.1 to 7.6 and 10."""

from collections.abc import Iterator
from typing import Any

from services.rules.games.seeschlacht.tests.reading.sea import Sea
from services.rules.games.seeschlacht.tests.reading.waters import (
    ANCHOR,
    ARGUMENTS,
    BATTERY,
    DOTTED,
    FLEET,
    OTHER,
    OWNER,
    PHASES,
    SHIPS,
    START,
    is_merchant,
    is_usable,
    seat_of,
)


class Refusals(Sea):
    """A state with the checks of the actions."""

    def refuse(self, seat: Any, action: Any) -> str:
        """The code of the first check that fails, "" if none does."""
        if self.state["phase"] == "OVER":
            return "GAME_OVER"
        kind = action.get("type") if isinstance(action, dict) else None
        if not isinstance(kind, str) or kind not in ARGUMENTS:
            return "UNKNOWN_ACTION"
        wanted = {"type": str, **ARGUMENTS[kind]}
        if action.keys() != wanted.keys() or any(type(action[key]) is not cls for key, cls in wanted.items()):
            return "BAD_ARGUMENTS"
        if seat != self.state["seat"]:
            return "NOT_YOUR_TURN"
        if kind not in PHASES[self.state["phase"]]:
            return "WRONG_PHASE"
        return self._refuse_ship(action) or self._refuse_target(action) or self._refuse_rest(kind, action)

    def _refuse_ship(self, action: Any) -> str:
        ship = action.get("ship")
        if ship is None:
            return ""
        if ship not in SHIPS:
            return "UNKNOWN_SHIP"
        if seat_of(ship) != self.state["seat"]:
            return "NOT_YOUR_SHIP"
        return "SHIP_SUNK" if self.state["ships"][ship]["sunk"] else ""

    def _refuse_target(self, action: Any) -> str:
        target = action.get("target")
        if target is None:
            return ""
        if target not in SHIPS:
            return "UNKNOWN_TARGET"
        if seat_of(target) == self.state["seat"]:
            return "TARGET_NOT_ENEMY"
        return "TARGET_SUNK" if self.state["ships"][target]["sunk"] else ""

    def _refuse_rest(self, kind: str, action: Any) -> str:
        ship, code = action.get("ship", ""), ""
        match kind:
            case "SetFacing":
                code = self.refuse_facing(ship, action["dir"])
            case "MoveShip":
                code = "ALREADY_MOVED" if ship in self.state["moved"] else self.refuse_path(ship, action["path"])
            case "EndMovement":
                code = "SHIPS_MUST_MOVE" if self.must_move() else ""
            case "Load":
                code = self.refuse_load(ship)
            case "Repair":
                code = self.refuse_repair(ship)
            case "FireBattery":
                code = self.refuse_shelling(action["target"])
            case "Fire":
                code = self.refuse_shot(ship, action["target"])
        return code

    def refuse_facing(self, ship: str, facing: int) -> str:
        """7.2."""
        if self.state["ships"][ship]["dir"] is not None:
            return "ALREADY_PLACED"
        return "" if facing in START[ship]["facings"] else "FACING_NOT_ALLOWED"

    def must_move(self) -> bool:
        """Whether a duty of the seat is open."""
        return any(self.has_duty(ship) for ship in FLEET[self.state["seat"]])

    def refuse_load(self, ship: str) -> str:
        """7.5."""
        me, harbour = self.state["ships"][ship], ANCHOR.get(self.place(ship))
        checks = {
            "NOT_A_MERCHANT": is_merchant(ship),
            "CARGO_ALREADY_ABOARD": not me["cargo"],
            "MOVED_THIS_TURN": ship not in self.state["moved"],
            "NOT_AT_DESTINATION_ANCHOR": harbour == f"{seat_of(ship)}_dest",
            "MUST_REPAIR_FIRST": not me["hits"],
        }
        return next((code for code, holds in checks.items() if not holds), "")

    def refuse_repair(self, ship: str) -> str:
        """7.5."""
        place = self.place(ship)
        checks = {
            "ALREADY_REPAIRED": ship not in self.state["repaired"],
            "NOT_DAMAGED": self.state["ships"][ship]["hits"] > 0,
            "MOVED_THIS_TURN": ship not in self.state["moved"],
            "NOT_AT_REPAIR_ANCHOR": is_usable(ship, place) and place in DOTTED,
        }
        return next((code for code, holds in checks.items() if not holds), "")

    def refuse_shelling(self, target: str) -> str:
        """7.6."""
        battery = BATTERY.get(self.place(target))
        if target in self.state["shelled"]:
            return "ALREADY_SHELLED"
        return "" if battery and OWNER[battery["harbour"]] == self.state["seat"] else "NOT_ON_BATTERY_FIELD"

    def refuse_shot(self, ship: str, target: str) -> str:
        """7.6."""
        return "ALREADY_FIRED" if ship in self.state["fired"] else self.aim(ship, target)[0]

    def choices(self, phase: str) -> Iterator[Any]:
        """The legal actions of a phase other than its End action, were it the present one."""
        seat = self.state["seat"]
        own, enemies = self.afloat(seat), self.afloat(OTHER[seat])
        kind = PHASES[phase][0]
        match phase:
            case "MOVE":
                unmoved = [ship for ship in own if ship not in self.state["moved"]]
                for ship in unmoved:
                    yield from ({"type": kind, "ship": ship, "path": path} for path in self.legal_paths(ship)[1])
            case "LOAD":
                yield from ({"type": kind, "ship": ship} for ship in own if not self.refuse_load(ship))
            case "REPAIR":
                yield from ({"type": kind, "ship": ship} for ship in own if not self.refuse_repair(ship))
            case "BATTERY":
                yield from ({"type": kind, "target": target} for target in enemies if not self.refuse_shelling(target))
            case "FIRE":
                shots = ((ship, target) for ship in own for target in enemies if not self.refuse_shot(ship, target))
                yield from ({"type": kind, "ship": ship, "target": target} for ship, target in shots)

    def legal(self, seat: str) -> list[Any]:
        """The legal actions of the seat in the order of chapter 10."""
        phase = self.state["phase"]
        if seat != self.state["seat"] or phase == "OVER":
            return []
        if phase == "SETUP":
            open_ships = [ship for ship in FLEET[seat] if self.state["ships"][ship]["dir"] is None]
            facings = [(ship, d) for ship in open_ships for d in sorted(START[ship]["facings"])]
            return [*({"type": "SetFacing", "ship": s, "dir": d} for s, d in facings), {"type": "DefaultFacings"}]
        if phase == "WIND":
            return [{"type": kind} for kind in PHASES[phase]]
        is_bound = phase == "MOVE" and self.must_move()
        return [*self.choices(phase), *([] if is_bound else [{"type": PHASES[phase][1]}])]
