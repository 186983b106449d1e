"""The words of drawings, labels and tellings, English beside German."""

from collections.abc import Mapping

ARROWS = " ↑↗↘↓↙↖"  # by direction

_PHRASES: Mapping[str, tuple[str, str]] = {
    "white": ("White", "Weiß"),
    "yellow": ("Yellow", "Gelb"),
    # colours of the die and the lines of fire
    "die_yellow": ("yellow", "Gelb"),
    "die_blue": ("blue", "Blau"),
    "die_red": ("red", "Rot"),
    "wind_yellow": ("weak", "schwach"),
    "wind_blue": ("medium", "mittel"),
    "wind_red": ("strong", "stark"),
    "SETUP": ("line-up", "Aufstellung"),
    "WIND": ("wind", "Wind"),
    "MOVE": ("moving", "Ziehen"),
    "LOAD": ("loading", "Laden"),
    "REPAIR": ("repairs", "Reparieren"),
    "BATTERY": ("coastal batteries", "Küstenbatterien"),
    "FIRE": ("firing", "Feuern"),
    "OVER": ("the end", "Ende"),
    "short": ("short version", "kurze Fassung"),
    "large": ("large game", "großes Spiel"),
    # what the drawing says around the chart
    "head": (
        "Sea Battle, {edition} - turn {turn}: {seat}, {phase}",
        "Seeschlacht, {edition} - Zug {turn}: {seat}, {phase}",
    ),
    "wind": (
        "Wind {strength} ({colour}) from {origin} {arrow}; steps by facing: {rose}",
        "Wind {strength} ({colour}) aus {origin} {arrow}; Schritte je Richtung: {rose}",
    ),
    "score": ("White {0}, Yellow {1} points; arrived: {arrived}", "Weiß {0}, Gelb {1} Punkte; angekommen: {arrived}"),
    "nobody": ("nobody", "niemand"),
    "you": ("You are {seat}.", "Du spielst {seat}."),
    "ships_legend": (
        "W/Y M merchant, W warship, arrow = facing. w y n harbour, o anchor, @ dotted.",
        "W/Y M Handels-, W Kriegsschiff, Pfeil = Bug. w y n Hafen, o Anker, @ mit Punkt.",
    ),
    "chart_legend": (
        "*w *y under a battery, # land. Names: row, column. The lists say hits/limit.",
        "*w *y Batteriefeld, # Land. Namen: Zeile, Spalte. Listen: Treffer/Grenze.",
    ),
    "sunk": ("sunk", "versenkt"),
    "laden": ("laden", "beladen"),
    "must": ("must move", "muss ziehen"),
    "moved": ("moved", "gezogen"),
    "loaded": ("loaded", "geladen"),
    "repaired": ("repaired", "repariert"),
    "fired": ("fired", "gefeuert"),
    "shelled": ("shelled", "beschossen"),
    # labels of actions
    "SetFacing": ("{ship} faces {arrow} ({direction})", "{ship} blickt nach {arrow} ({direction})"),
    "DefaultFacings": ("the usual facing for all that are left", "alle übrigen in üblicher Richtung"),
    "KeepWind": ("leave the wind", "Wind lassen"),
    "ChangeWind": ("try for a new wind (2, 4 or 6)", "neuen Wind versuchen (2, 4 oder 6)"),
    "ChangeStrength": ("roll for a new strength", "neue Windstärke würfeln"),
    "MoveShip": ("{ship} {path}: to {place} {arrow}", "{ship} {path}: nach {place} {arrow}"),
    "at_anchor": (", anchor {anchor}", ", Anker {anchor}"),
    "rams": (", rams {target}", ", rammt {target}"),
    "entering": (", {count} hit(s) at enemy anchors", ", {count} Treffer an feindlichen Ankern"),
    "EndMovement": ("no more moves", "keine Züge mehr"),
    "Load": ("{ship} takes cargo aboard", "{ship} lädt"),
    "EndLoading": ("no more loading", "kein Laden mehr"),
    "Repair": ("{ship}: one hit off", "{ship}: ein Treffer weniger"),
    "EndRepairs": ("no more repairs", "keine Reparaturen mehr"),
    "FireBattery": ("battery at {target} in {place} (yellow hits)", "Batterie auf {target} in {place} (Gelb trifft)"),
    "EndBatteryFire": ("no more battery fire", "kein Batteriefeuer mehr"),
    "Fire": ("{ship} at {target} in {place} ({colour} hits)", "{ship} auf {target} in {place} ({colour} trifft)"),
    "EndFiring": ("no more fire, end the turn", "kein Feuer mehr, Zug beenden"),
    # events
    "GameStarted": ("{edition}: {seat} moves first.", "{edition}: {seat} zieht zuerst."),
    "DieRolled": ("{seat} rolls {value}.", "{seat} würfelt {value}."),
    "WindSet": (
        "The wind is {strength} now, from {origin} {arrow}.",
        "Der Wind ist jetzt {strength}, aus {origin} {arrow}.",
    ),
    "WindSame": ("The wind stays as it was.", "Der Wind bleibt, wie er war."),
    "FacingSet": ("{ship} faces {arrow}.", "{ship} blickt nach {arrow}."),
    "FleetReady": ("{seat}'s fleet is ready.", "Die Flotte von {seat} ist bereit."),
    "TurnStarted": ("Turn {turn}: {seat}.", "Zug {turn}: {seat}."),
    "PhaseStarted": ("Now: {phase}.", "Jetzt: {phase}."),
    "WindKept": ("{seat} leaves the wind.", "{seat} lässt den Wind."),
    "direction_and_strength": ("{seat} tries for a new wind.", "{seat} versucht einen neuen Wind."),
    "strength": ("{seat} rolls for a new strength.", "{seat} würfelt um die Windstärke."),
    "WindChangeFailed": ("The wind may not change.", "Der Wind darf sich nicht ändern."),
    "ShipMoved": (
        "{ship} goes {path} from {start} to {place} {arrow}.",
        "{ship} zieht {path} von {start} nach {place} {arrow}.",
    ),
    "ShipsRammed": ("{ship} rams {target}.", "{ship} rammt {target}."),
    "ShipHit": ("{ship} has {hits} hit(s) of {limit}.", "{ship} hat {hits} von {limit} Treffern."),
    "ShipSunk": ("{ship} sinks.", "{ship} sinkt."),
    "MerchantArrived": (
        "{ship} arrives as number {rank}: {points} points.",
        "{ship} kommt als Nummer {rank} an: {points} Punkte.",
    ),
    "CargoLoaded": ("{ship} has cargo aboard.", "{ship} ist beladen."),
    "ShipRepaired": ("{ship} is repaired, {hits} hit(s) left.", "{ship} ist repariert, noch {hits} Treffer."),
    "BatteryFired": ("Battery {battery} fires at {target}.", "Batterie {battery} feuert auf {target}."),
    "ShotFired": ("{ship} fires at {target}; {colour} hits.", "{ship} feuert auf {target}; {colour} trifft."),
    "ShotMissed": ("{target} is missed.", "{target} ist verfehlt."),
    "TurnEnded": ("{seat}'s turn is over.", "Der Zug von {seat} ist vorbei."),
    "GameEnded": ("{winner} wins: {reason}.", "{winner} gewinnt: {reason}."),
    "GameDrawn": ("A draw: {reason}.", "Unentschieden: {reason}."),
    "CARGO_HOME": ("the cargo is home", "die Ladung ist zu Hause"),
    "NO_MERCHANTS": ("no merchant is afloat", "kein Handelsschiff schwimmt mehr"),
    "ALL_ARRIVED": ("all merchants afloat have arrived", "alle schwimmenden Handelsschiffe sind angekommen"),
    "TURN_CAP": ("the last turn is over", "der letzte Zug ist vorbei"),
    "points": ("{reason}, {0} : {1} points", "{reason}, {0} : {1} Punkte"),
}


def say(phrase: str, language: str, *values: object, **named: object) -> str:
    """The phrase with its values; English for a language that is not German."""
    english, german = _PHRASES[phrase]
    return (german if language == "de" else english).format(*values, **named)
