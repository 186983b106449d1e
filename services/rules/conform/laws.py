"""Laws of any game, tried over the wire at one moment of a match."""

import re
from collections.abc import Sequence

from argosy.rules.v1 import rules_service_pb2 as pb
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.rules.conform.moment import Moment, Run, question
from services.rules.conform.subject import member

MALFORMED = "MALFORMED_ACTION"
_REASON = re.compile(r"[A-Z][A-Z0-9_]*")
_UNKNOWN_FIELD = 15_000
_COLUMNS = 80
_SHORT = 200  # a history that may be sent whole with a question; longer ones are folded whole at the end


def check_status(run: Run, moment: Moment) -> None:
    """`turn` within `may_act`, both ascending; at the end scores for all seats, and a reason."""
    status, game = moment.status, run.subject.game
    turn, may_act = list(status.turn), list(status.may_act)
    ok = turn == sorted(set(turn)) and may_act == sorted(set(may_act)) and set(turn) <= set(may_act)
    ok = ok and all(0 <= seat < moment.seats for seat in may_act)
    run.findings.expect("status", ok, f"{moment.place}: turn {turn}, may_act {may_act}")
    if not moment.is_over:
        run.findings.expect("status", may_act, f"{moment.place}: it is not over and nobody may act")
        return
    scores = list(status.over.scores)
    ok = not may_act and len(scores) == moment.seats and all(0 <= score <= 1 for score in scores)
    ok = ok and bool(_REASON.fullmatch(status.over.reason)) and (not game.cooperative or len(set(scores)) == 1)
    run.findings.expect("status", ok, f"{moment.place}: over with {scores}, {status.over.reason!r}, may_act {may_act}")


async def check_listed(run: Run, moment: Moment, listed: Sequence[Sequence[bytes]]) -> None:
    """Some listed actions are accepted, some others refused, twice alike, and alike from the match's beginning."""
    questions, legal = [], []
    for seat, actions in enumerate(listed):
        may = seat in moment.status.may_act
        run.findings.expect("listed", may == bool(actions), f"{moment.place}: seat {seat} may act: {may}, its list not")
        good = run.chance.some(actions, 4)
        bad = [*run.try_some(actions, 6), *(a for action in good for a in _neighbours(run, action) if a not in actions)]
        questions += [question(run, moment, seat, a, run.chance.entropy()) for a in (*good, *bad)]
        legal += [True] * len(good) + [False] * len(bad)
    answers = await run.subject.decide(questions)
    for asked, answer, is_legal in zip(questions, answers, legal, strict=True):
        _check_answer(run, moment, asked, answer, is_legal=is_legal)
    again = await run.subject.decide(questions)
    run.findings.expect(
        "repeatable", list(again) == list(answers), f"{moment.place}: asked twice, answered differently"
    )
    for asked in questions:
        asked.basis.CopyFrom(run.subject.since(moment.settings, moment.seats, moment.events))
    cold = await run.subject.decide(questions)
    run.findings.expect(
        "repeatable", list(cold) == list(answers), f"{moment.place}: from the start, answered otherwise"
    )


def _neighbours(run: Run, action: bytes) -> list[bytes]:
    """The action with one of its numbers one higher or lower: what a rule that is off by one would let through."""
    whole, found = run.subject.action.FromString(action), list[bytes]()
    for field, value in getattr(whole, member(whole)).ListFields():
        if field.type == FieldDescriptor.TYPE_INT32 and not field.is_repeated:
            other = run.subject.action.FromString(action)
            setattr(getattr(other, member(other)), field.name, value + run.chance.choose((-1, 1)))
            found.append(other.SerializeToString(deterministic=True))
    return found


def _check_answer(run: Run, moment: Moment, asked: pb.Question, answer: pb.Answer, *, is_legal: bool) -> None:
    outcome = answer.WhichOneof("outcome")
    if not run.findings.expect("answers", outcome != "failure", f"{moment.place}: a question failed"):
        return
    told = "listed and refused" if is_legal else "not listed and accepted"
    problem = f"{moment.place}: seat {asked.seat}, {run.subject.kind_of(asked.action)} is {told} {answer.refusal.code}"
    run.findings.expect("listed", outcome == ("decision" if is_legal else "refusal"), problem)
    if outcome == "refusal":
        codes = {c.code for c in run.subject.game.refusal_codes}
        ok = answer.refusal.code in codes if answer.refusal.kind == pb.Refusal.KIND_ILLEGAL else answer.refusal.code
        run.findings.expect("refusals", ok, f"{moment.place}: {answer.refusal.code!r} is not explained")


async def check_pages(run: Run, moment: Moment, seat: int, listed: Sequence[bytes]) -> None:
    """Short pages give the whole list; a partial action gives those of its kind, in order."""
    short = [i.action for i in await run.subject.list_all(moment.state, seat, page_size=max(1, len(listed) // 3))]
    run.findings.expect("paged", short == list(listed), f"{moment.place}: seat {seat}, pages differ from the list")
    whole = run.subject.action.FromString(run.chance.choose(listed))
    kind = member(whole)
    partial = run.subject.action()
    getattr(partial, kind).SetInParent()
    narrowed = await run.subject.list_all(moment.state, seat, partial=partial.SerializeToString())
    same_kind = [a for a in listed if run.subject.kind_of(a) == kind]
    ok = [i.action for i in narrowed] == same_kind
    run.findings.expect("paged", ok, f"{moment.place}: seat {seat}, the partial action {kind} lists others")
    run.findings.expect("drawn", all(i.label.strip() for i in narrowed), f"{moment.place}: {kind} has an empty label")


async def check_malformed(run: Run, moment: Moment, seat: int, action: bytes) -> None:
    """Garbage, nothing, an unknown field and a missing one are refused as malformed, the field named.

    A field left out may be optional by the rules; then the action is decided as any other.
    """
    unknown = _tag(_UNKNOWN_FIELD)
    whole = run.subject.action.FromString(action)
    deep = run.subject.action()
    getattr(deep, member(whole)).ParseFromString(getattr(whole, member(whole)).SerializeToString() + unknown)
    tries: list[tuple[bytes, str | None]] = [(b"", None), (b"\xff\xff", None)]
    tries += [(data, str(_UNKNOWN_FIELD)) for data in (action + unknown, deep.SerializeToString())]
    less = _less(run, whole)
    questions = [question(run, moment, seat, data, bytes(32)) for data, _ in (*tries, *less)]
    answers = await run.subject.decide(questions)
    for number, ((_, field), answer) in enumerate(zip((*tries, *less), answers, strict=True)):
        is_malformed = answer.refusal.kind == pb.Refusal.KIND_MALFORMED and answer.refusal.code == MALFORMED
        ok = is_malformed and field in (None, answer.refusal.field)
        ok = ok or (number >= len(tries) and not is_malformed)
        told = f"{moment.place}: field {field}: {str(answer.refusal).strip() or 'accepted'}"
        run.findings.expect("malformed", ok, told)


def _less(run: Run, whole: Message) -> list[tuple[bytes, str | None]]:
    """The action without one of its fields, for each of them."""
    found = list[tuple[bytes, str | None]]()
    for field, _ in getattr(whole, member(whole)).ListFields():
        if not field.is_repeated:
            less = run.subject.action()
            less.CopyFrom(whole)
            getattr(less, member(whole)).ClearField(field.name)
            found.append((less.SerializeToString(), field.name))
    return found


def check_round_trip(run: Run, moment: Moment, kind: type[Message], data: bytes) -> None:
    """The bytes are the message's canonical ones and hold nothing unknown."""
    message = kind.FromString(data)
    message.DiscardUnknownFields()
    ok = message.SerializeToString(deterministic=True) == data
    run.findings.expect("round trip", ok, f"{moment.place}: a {message.DESCRIPTOR.name} is not canonical")


async def check_drawn(run: Run, moment: Moment, position: bytes, events: Sequence[bytes]) -> None:
    """Every viewer's view is drawn within 80 columns in every language, and every event told."""
    for viewer in moment.viewers:
        seats = frozenset[int]() if viewer is None else frozenset((viewer,))
        view = run.subject.position.view(position, seats)
        told = [run.subject.event.view(event, seats) for event in events]
        for language in [title.language for title in run.subject.game.titles]:
            drawn = await run.subject.draw(view, viewer, told, language)
            widest = max(map(len, drawn.text.splitlines()), default=0)
            ok = 0 < widest <= _COLUMNS and len(drawn.sentences) == len(events)
            run.findings.expect("drawn", ok, f"{moment.place}: viewer {viewer}, {language}: {widest} columns")


def _tag(number: int) -> bytes:
    """A varint field of this number with value 1, as bytes."""
    data, key = bytearray(), number << 3
    while key > 127:
        data.append(key & 127 | 128)
        key >>= 7
    return bytes((*data, key, 1))
