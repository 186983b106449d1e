"""Plays a match of random actions over the wire and tries the laws along the way."""

from argosy.rules.v1 import rules_service_pb2 as pb

from services.rules.conform import laws
from services.rules.conform.moment import Moment, Run
from services.rules.conform.redacting import check_views
from services.rules.conform.worlds import check_worlds

_FOLDED = 10  # one decision in so many is folded by itself; all of them at the end
_SPARSER = 3  # everything is tried at the start, and again whenever a match is longer by one part in so many


async def examine_match(run: Run, sample: pb.Game.Sample, place: str) -> None:
    """One match from start to end."""
    moment = await _begin(run, sample, place)
    if moment is None:
        return
    due = 0
    while not moment.is_over and len(moment.decisions) < run.limit:
        made = len(moment.decisions) - 1
        moment.place = f"{place} after {made}"
        laws.check_status(run, moment)
        if made >= due:
            await _examine(run, moment)
            due = made + 2 + made // _SPARSER
        if not await _advance(run, moment):
            return
    if moment.is_over or run.limit == run.most_entries:
        run.findings.expect("terminates", moment.is_over, f"{place} goes on after {run.most_entries} entries")
    moment.place = f"{place} at the end"
    laws.check_status(run, moment)
    if moment.is_over:
        await laws.check_listed(run, moment, [()] * moment.seats)
    await _examine_views(run, moment)
    await _check_history(run, moment)


async def _begin(run: Run, sample: pb.Game.Sample, place: str) -> Moment | None:
    entropy = run.chance.entropy()
    begun = await run.subject.start(sample.settings, sample.seats, entropy)
    again = await run.subject.start(begun.settings, sample.seats, entropy)
    run.findings.expect("repeatable", begun == again, f"{place}: started twice, began differently")
    if not run.findings.expect("described", begun.HasField("decision"), f"{place} is refused: {begun.refusal.code}"):
        return None
    recorded = pb.RecordedDecision(version=1, entropy=entropy, events=begun.decision.events, draws=begun.decision.draws)
    moment = Moment(place, begun.settings, sample.seats, begun.decision.state, begun.decision.status, [recorded])
    await _check_fold(run, moment)
    return moment


async def _advance(run: Run, moment: Moment) -> bool:
    """Takes a random listed action of a seat that owes one, now and then of any that may act."""
    may = list(moment.status.may_act)
    owing = list(moment.status.turn) or may
    if not may:
        return False
    seat = run.chance.choose(may if run.chance.happens(4) else owing)
    listed = moment.listed.get(seat) or await run.subject.list_all(moment.state, seat)
    if not run.findings.expect("listed", listed, f"{moment.place}: seat {seat} may act and has no action"):
        return False
    action = run.chance.choose(listed).action
    run.pool[action] = None
    asked = pb.Question(
        basis=run.subject.on(moment.state),
        seat=seat,
        action=action,
        entropy=run.chance.entropy(),
        wanted=pb.Wanted(actions_of=range(moment.seats)),
    )
    (answer,) = await run.subject.decide([asked])
    if not run.findings.expect("answers", not answer.HasField("failure"), f"{moment.place}: a question failed"):
        return False
    problem = f"{moment.place}: {run.subject.kind_of(action)} is listed and refused: {answer.refusal.code}"
    if not run.findings.expect("listed", answer.HasField("decision"), problem):
        return False
    return await _record(run, moment, asked, answer.decision)


async def _record(run: Run, moment: Moment, asked: pb.Question, decision: pb.Decision) -> bool:
    """Goes on to the state after the decision; False when it caused nothing."""
    has_events = run.findings.expect("fold", decision.events, f"{moment.place}: a decision caused no event")
    if run.chance.happens(_FOLDED):
        folded = await run.subject.fold(run.subject.on(moment.state, decision.events))
        ok = (folded.state, folded.status) == (decision.state, decision.status)
        run.findings.expect("fold", ok, f"{moment.place}: the state is not the fold of the events")
    for event in decision.events:
        laws.check_round_trip(run, moment, run.subject.event.message, event)
    moment.state, moment.status = decision.state, decision.status
    moment.listed = {a.seat: list(a.actions) for a in decision.actions if not a.truncated}
    moment.decisions.append(
        pb.RecordedDecision(
            version=len(moment.decisions) + 1,
            seat=asked.seat,
            action=asked.action,
            entropy=asked.entropy,
            events=decision.events,
            draws=decision.draws,
        )
    )
    return has_events


async def _examine(run: Run, moment: Moment) -> None:
    listed = [[i.action for i in await run.subject.list_all(moment.state, s)] for s in range(moment.seats)]
    for seat, actions in enumerate(listed):
        beside = [i.action for i in moment.listed.get(seat, ())]
        ok = seat not in moment.listed or beside == actions
        run.findings.expect("paged", ok, f"{moment.place}: seat {seat} was sent other actions beside the decision")
        run.pool.update(dict.fromkeys(run.chance.some(actions, 8)))
    acting = [seat for seat, actions in enumerate(listed) if actions]
    if acting:
        seat = run.chance.choose(acting)
        action = run.chance.choose(listed[seat])
        laws.check_round_trip(run, moment, run.subject.action, action)
        await laws.check_pages(run, moment, seat, listed[seat])
        await laws.check_malformed(run, moment, seat, action)
    await laws.check_listed(run, moment, listed)
    await _examine_views(run, moment)
    for viewer in run.chance.some(moment.viewers, 2):
        await check_worlds(run, moment, viewer, listed)


async def _examine_views(run: Run, moment: Moment) -> None:
    position = await run.subject.get_position(moment.state)
    again = await run.subject.fold(run.subject.on(moment.state), with_position=True)
    run.findings.expect("repeatable", again.position == position, f"{moment.place}: two calls, two positions")
    laws.check_round_trip(run, moment, run.subject.position.message, position)
    check_views(run, moment, run.subject.position, position)
    last = list(moment.decisions[-1].events)
    for event in last:
        check_views(run, moment, run.subject.event, event)
    await laws.check_drawn(run, moment, position, last)


async def _check_fold(run: Run, moment: Moment) -> None:
    folded = await run.subject.fold(run.subject.since(moment.settings, moment.seats, moment.events))
    ok = (folded.state, folded.status) == (moment.state, moment.status)
    run.findings.expect("fold", ok, f"{moment.place}: the state is not the fold of all events")


async def _check_history(run: Run, moment: Moment) -> None:
    """The whole history folds and re-decides; with an event or a draw changed, the audit names that version."""
    await _check_fold(run, moment)
    audited = await run.subject.audit(moment.settings, moment.seats, moment.decisions)
    ok = not audited.first_difference and (audited.state, audited.status) == (moment.state, moment.status)
    run.findings.expect("audited", ok, f"{moment.place}: version {audited.first_difference}: {audited.difference}")
    await _check_tampered(run, moment, run.chance.choose(moment.decisions), is_draw=False)
    drawn = [d for d in moment.decisions if d.draws]
    if drawn:
        await _check_tampered(run, moment, run.chance.choose(drawn), is_draw=True)


async def _check_tampered(run: Run, moment: Moment, victim: pb.RecordedDecision, *, is_draw: bool) -> None:
    changed = pb.RecordedDecision()
    changed.CopyFrom(victim)
    if is_draw:
        changed.draws[0].result[0] += 1
    else:
        del changed.events[-1]
    decisions = [changed if d is victim else d for d in moment.decisions]
    audited = await run.subject.audit(moment.settings, moment.seats, decisions)
    problem = f"{moment.place}: version {victim.version} was changed, {audited.first_difference} is named"
    run.findings.expect("audited", audited.first_difference == victim.version and audited.difference, problem)
