"""What a seat can ask for (SPEC 7). Ships are named by their ids here, so that an unknown one can be refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetFacing:
    """Line-up: one ship gets its facing."""

    ship: str
    direction: int


@dataclass(frozen=True, slots=True)
class DefaultFacings:
    """Line-up: every open facing becomes the chart's default."""


@dataclass(frozen=True, slots=True)
class KeepWind:
    """The wind stays."""


@dataclass(frozen=True, slots=True)
class ChangeWind:
    """Try for another strength and direction."""


@dataclass(frozen=True, slots=True)
class ChangeStrength:
    """Roll for another strength."""


@dataclass(frozen=True, slots=True)
class MoveShip:
    """Moves a ship along a path of letters F, L, R and X."""

    ship: str
    path: str


@dataclass(frozen=True, slots=True)
class EndMovement:
    """No more moves this turn."""


@dataclass(frozen=True, slots=True)
class Load:
    """A merchant takes cargo aboard."""

    ship: str


@dataclass(frozen=True, slots=True)
class EndLoading:
    """No more loading this turn."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One hit less."""

    ship: str


@dataclass(frozen=True, slots=True)
class EndRepairs:
    """No more repairs this turn."""


@dataclass(frozen=True, slots=True)
class FireBattery:
    """The battery that covers the target's field fires at it."""

    target: str


@dataclass(frozen=True, slots=True)
class EndBatteryFire:
    """No more shots of the batteries this turn."""


@dataclass(frozen=True, slots=True)
class Fire:
    """A ship fires at a target in its arc."""

    ship: str
    target: str


@dataclass(frozen=True, slots=True)
class EndFiring:
    """No more shots this turn."""


Action = (
    SetFacing
    | DefaultFacings
    | KeepWind
    | ChangeWind
    | ChangeStrength
    | MoveShip
    | EndMovement
    | Load
    | EndLoading
    | Repair
    | EndRepairs
    | FireBattery
    | EndBatteryFire
    | Fire
    | EndFiring
)
