"""Non-interference: what a viewer cannot tell apart looks the same to it, byte for byte.

A pair is a state and a world that the viewer cannot tell from it, in two kinds: as they stand (position, list of
actions, status), and after the same action with the same entropy (events, refusal, position and list afterwards). Pairs
whose tells differ, before or along the way, are skipped and counted. Another seat's action counts where both worlds
list it: a choice that a world does not offer tells that world apart by right. So does what an action lets the viewer
itself see, such as the card that it draws: where its own position afterwards differs, only what is public is compared.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb

from services.rules.conform.moment import Moment, Run, Viewer
from services.rules.conform.redacting import see, where_they_differ
from services.rules.loading import Loaded

_OWN_TRIES, _OTHERS_TRIES = 3, 2
_OWN_POSITION = "the own position"


async def check_worlds(run: Run, moment: Moment, viewer: Viewer, listed: Sequence[Sequence[bytes]]) -> None:
    """Compares the moment, whose actions are `listed` by seat, with a world of the viewer."""
    game = run.loaded
    if game is None or not run.subject.game.hidden_information:
        return
    state = game.decode_state(moment.state)
    world = next(game.module.worlds(state, viewer, run.chance.draws))
    if tells(game, world) != tells(game, state):
        run.findings.skipped += 1
    else:
        await _compare(run, moment, viewer, listed, game.encode_state(world))


def tells(game: Loaded, state: Any) -> tuple[Hashable, ...]:
    """The public facts that hidden values decide."""
    return tuple(tell(state) for tell in game.module.TELLS.values())


async def _compare(run: Run, moment: Moment, viewer: Viewer, listed: Sequence[Sequence[bytes]], world: bytes) -> None:
    ours, theirs = [await _stand(run, data, viewer) for data in (moment.state, world)]
    for what, a, b in zip(("status", "position", "actions"), ours, theirs, strict=True):
        where = ""
        if what == "position" and a != b:
            where = " in " + where_they_differ(*map(run.subject.position.message.FromString, (a, b)))
        run.findings.expect("worlds", a == b, f"{moment.place}: viewer {viewer} sees another {what}{where}")
    tries = list[tuple[int, bytes]]()
    for seat, here in enumerate(listed):
        tries += [(seat, action) for action in await _choose(run, viewer, seat, here, world)]
    await _compare_actions(run, moment, viewer, world, tries)


async def _stand(run: Run, state: bytes, viewer: Viewer) -> tuple[bytes, bytes, bytes]:
    """Status, position and own actions as the viewer gets them."""
    folded = await run.subject.fold(run.subject.on(state), with_position=True)
    listed = b"" if viewer is None else (await run.subject.list_page(state, viewer)).SerializeToString()
    status = folded.status.SerializeToString(deterministic=True)
    return status, see(run.subject.position, folded.position, viewer), listed


async def _choose(run: Run, viewer: Viewer, seat: int, here: Sequence[bytes], world: bytes) -> Sequence[bytes]:
    """Actions to try in both: of the viewer's own seat any, of another one those that both list."""
    if seat == viewer:
        return [*run.chance.some(here, _OWN_TRIES), *run.try_some(here, _OWN_TRIES)]
    there = {i.action for i in await run.subject.list_all(world, seat)} if here else set[bytes]()
    return run.chance.some([a for a in here if a in there], _OTHERS_TRIES)


async def _compare_actions(
    run: Run, moment: Moment, viewer: Viewer, world: bytes, tries: Sequence[tuple[int, bytes]]
) -> None:
    entropy = run.chance.entropy()
    wanted = pb.Wanted(position=True, actions_of=[] if viewer is None else [viewer], labels=True)
    answers = []
    for state in (moment.state, world):
        asked = [
            pb.Question(basis=run.subject.on(state), seat=seat, action=action, entropy=entropy, wanted=wanted)
            for seat, action in tries
        ]
        answers.append(await run.subject.decide(asked))
    for (seat, action), ours, theirs in zip(tries, *answers, strict=True):
        is_decided = ours.HasField("decision") and theirs.HasField("decision")
        if is_decided and _course(run, moment.state, ours) != _course(run, world, theirs):
            run.findings.skipped += 1
            continue
        where = _difference(run, _shown(run, ours, viewer), _shown(run, theirs, viewer))
        told = f"{moment.place}: to viewer {viewer}, {run.subject.kind_of(action)} of seat {seat} shows in {where}"
        run.findings.expect("worlds", not where, told)


def _course(run: Run, state: bytes, answer: pb.Answer) -> list[tuple[Hashable, ...]]:
    """The tells along a decision, event by event, as often as they change: also when something came may tell."""
    game, course = run.loaded, list[tuple[Hashable, ...]]()
    if game is None:
        return course
    at = game.decode_state(state)
    for event in answer.decision.events:
        at = game.module.evolve(at, game.event.from_bytes(event))
        now = tells(game, at)
        if course[-1:] != [now]:
            course.append(now)
    return course


def _shown(run: Run, answer: pb.Answer, viewer: Viewer) -> dict[str, Any]:
    """All that the viewer gets of an answer: what is public, then what it may see besides."""
    if answer.WhichOneof("outcome") != "decision":
        return {"the refusal": answer.refusal.SerializeToString()}
    decision, event, position = answer.decision, run.subject.event, run.subject.position
    return {
        "the number of events": len(decision.events),
        "the status": decision.status.SerializeToString(deterministic=True),
        "a public event": [see(event, data, None) for data in decision.events],
        "the public position": see(position, decision.position, None),
        _OWN_POSITION: see(position, decision.position, viewer),
        "an event": [see(event, data, viewer) for data in decision.events],
        "the actions": [actions.SerializeToString() for actions in decision.actions],
    }


def _difference(run: Run, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Where the two differ against the rule; "" if nowhere."""
    if ours.keys() != theirs.keys():
        return "whether it is refused"
    what = next((name for name in ours if ours[name] != theirs[name]), _OWN_POSITION)
    if what == _OWN_POSITION:
        return ""
    if what == "the public position":
        return (
            f"{what}, in {where_they_differ(*map(run.subject.position.message.FromString, (ours[what], theirs[what])))}"
        )
    if "event" in what and what != "the number of events":
        pair = next((x, y) for x, y in zip(ours[what], theirs[what], strict=True) if x != y)
        return f"{what}, in {where_they_differ(*map(run.subject.event.message.FromString, pair))}"
    return what
