"""The rules host as a process, asked over gRPC, with the toy game."""

import hashlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceStub

from services.kit.draws import SeededDraws
from services.rules.game import Illegal
from services.rules.loading import Loaded, load
from tests.rules_host import Host, run_host
from tests.toy_game import secret_nim as nim
from tests.toy_game.building import MODULE

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

GAME, VERSION = "secret_nim", "1.0.0"
ENTROPY = bytes(range(32))


@pytest.fixture
def game(toy_messages: object) -> Loaded:
    del toy_messages
    return load(GAME, "tests.toy_game")


async def begin(rules: "RulesServiceAsyncStub", **given: Any) -> pb.StartMatchResponse:
    given = {"game": GAME, "rules_version": VERSION, "seats": 2, "entropy": ENTROPY, **given}
    return await rules.StartMatch(pb.StartMatchRequest(**given))


def on(state: bytes, *events: bytes) -> pb.Basis:
    return pb.Basis(game=GAME, rules_version=VERSION, state=state, events=events)


async def ask(rules: "RulesServiceAsyncStub", basis: pb.Basis, seat: int, action: bytes, **more: Any) -> pb.Answer:
    question = pb.Question(basis=basis, seat=seat, action=action, entropy=ENTROPY, **more)
    response = await rules.DecideActions(pb.DecideActionsRequest(questions=[question]))
    return response.answers[0]


async def test_describes_the_game(rules: "RulesServiceAsyncStub") -> None:
    (said,) = (await rules.DescribeGames(pb.DescribeGamesRequest())).games
    assert (said.id, said.rules_version, said.min_seats, said.max_seats) == (GAME, VERSION, 2, 4)
    assert [(t.language, t.text) for t in said.titles] == [("en", "Secret Nim"), ("de", "Geheimes Nim")]
    assert said.action_type == "argosy.games.secret_nim.v1.Action"
    files = [f.name for f in said.descriptors.file]
    assert files.index("google/protobuf/descriptor.proto") < files.index("argosy/v1/audience.proto") < len(files) - 1
    assert {c.code for c in said.refusal_codes} == set(nim.DESCRIPTION.refusals)
    assert said.samples[0].settings == said.default_settings
    (asset,) = said.assets
    read = await rules.ReadAsset(pb.ReadAssetRequest(game=GAME, rules_version=VERSION, name=asset.name))
    assert (hashlib.sha256(read.content).digest(), len(read.content)) == (asset.digest, asset.size)


async def test_a_start_deals_and_gives_what_is_wanted(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    response = await begin(rules, wanted=pb.Wanted(position=True, actions_of=[0, 1]))
    decision = response.decision
    first = game.event.from_bytes(decision.events[0]).first
    assert decision.status == pb.Status(turn=[first], may_act=[first])
    assert [(d.label, d.bound) for d in decision.draws] == [("limits", 8), ("first", 2)]
    assert game.position.from_bytes(decision.position) == game.module.position(game.decode_state(decision.state))
    assert [len(a.actions) > 0 for a in decision.actions] == [first == 0, first == 1]
    assert response.settings == game.settings.to_bytes(nim.DEFAULTS)


async def test_without_entropy_a_start_is_only_checked(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    good = await begin(rules, entropy=b"")
    assert good.WhichOneof("outcome") == "decision"
    assert not good.decision.events
    bad = await begin(rules, entropy=b"", settings=game.settings.to_bytes(nim.Settings(99)))
    assert (bad.refusal.kind, bad.refusal.code) == (pb.Refusal.KIND_ILLEGAL, "BAD_SETTINGS")
    assert (await begin(rules, seats=9)).refusal.code == "BAD_SEATS"
    unreadable = (await begin(rules, settings=b"")).refusal
    assert (unreadable.kind, unreadable.code, unreadable.field) == (
        pb.Refusal.KIND_MALFORMED,
        "MALFORMED_SETTINGS",
        "stones",
    )


async def test_a_match_ends_and_every_basis_gives_the_same_answer(rules: "RulesServiceAsyncStub") -> None:
    begun = await begin(rules)
    state, status, history = begun.decision.state, begun.decision.status, list(begun.decision.events)
    setup = pb.Basis.Setup(settings=begun.settings, seats=2)
    while not status.HasField("over"):
        seat = status.turn[0]
        listed = await rules.ListActions(pb.ListActionsRequest(basis=on(state), seat=seat))
        action = listed.actions.actions[-1].action
        answer = await ask(rules, on(state), seat, action)
        cold = pb.Basis(game=GAME, rules_version=VERSION, setup=setup, events=history)
        assert await ask(rules, cold, seat, action) == answer
        history += answer.decision.events
        state, status = answer.decision.state, answer.decision.status
    folded = await rules.FoldEvents(
        pb.FoldEventsRequest(basis=pb.Basis(game=GAME, rules_version=VERSION, setup=setup, events=history))
    )
    assert (folded.state, folded.status) == (state, status)
    assert sorted(status.over.scores) == [0, 1]
    assert status.over.reason == "LAST_STONE"


async def test_refusals_name_what_is_wrong(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    decision = (await begin(rules)).decision
    (seat,) = decision.status.turn
    take = game.action.to_bytes(nim.Take(1))
    cases = [
        (seat, b"\x0a\x00", (pb.Refusal.KIND_MALFORMED, "MALFORMED_ACTION", "count")),
        (seat, b"", (pb.Refusal.KIND_MALFORMED, "MALFORMED_ACTION", "kind")),
        (seat, take + b"\x98\x06\x01", (pb.Refusal.KIND_MALFORMED, "MALFORMED_ACTION", "99")),
        (seat, b"\xff", (pb.Refusal.KIND_MALFORMED, "MALFORMED_ACTION", "")),
        (1 - seat, take, (pb.Refusal.KIND_ILLEGAL, "NOT_YOUR_TURN", "")),
        (seat, game.action.to_bytes(nim.Take(5)), (pb.Refusal.KIND_ILLEGAL, "BAD_COUNT", "")),
    ]
    for who, action, expected in cases:
        refusal = (await ask(rules, on(decision.state), who, action)).refusal
        assert (refusal.kind, refusal.code, refusal.field) == expected
    with pytest.raises(Illegal, match="BAD_COUNT"):
        nim.decide(game.decode_state(decision.state), seat, nim.Take(5), None)  # type: ignore[arg-type]  # no draws


async def test_a_batch_is_answered_in_order(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    decision = (await begin(rules)).decision
    (seat,) = decision.status.turn
    take = game.action.to_bytes(nim.Take(1))
    seats = [seat if n % 3 else 1 - seat for n in range(200)]
    questions = [pb.Question(basis=on(decision.state), seat=s, action=take, entropy=ENTROPY) for s in seats]
    response = await rules.DecideActions(pb.DecideActionsRequest(questions=questions))
    assert [a.HasField("decision") for a in response.answers] == [s == seat for s in seats]


async def test_a_stream_answers_batch_by_batch_as_calls_do(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    decision = (await begin(rules)).decision
    (seat,) = decision.status.turn
    basis, take = on(decision.state), game.action.to_bytes(nim.Take(1))
    stream = rules.StreamDecisions()
    for count in (1, 3, 70):
        questions = [
            pb.Question(basis=basis, seat=seat if n % 2 else 1 - seat, action=take, entropy=ENTROPY)
            for n in range(count)
        ]
        await stream.write(pb.StreamDecisionsRequest(questions=questions))
        streamed, called = await stream.read(), await rules.DecideActions(pb.DecideActionsRequest(questions=questions))
        assert isinstance(streamed, pb.StreamDecisionsResponse)
        assert list(streamed.answers) == list(called.answers)
    await stream.done_writing()
    assert await stream.code() is grpc.StatusCode.OK


async def test_a_stream_folds_as_calls_do_and_each_fold_fails_alone(
    rules: "RulesServiceAsyncStub", game: Loaded
) -> None:
    begun = (await begin(rules)).decision
    wanted = pb.Wanted(position=True, actions_of=[0, 1], labels=True)
    bases = [on(begun.state), on(b"no state"), on(begun.state)]
    folds = [pb.FoldEventsRequest(basis=basis, wanted=wanted) for basis in bases]
    question = pb.Question(basis=on(begun.state), action=game.action.to_bytes(nim.Take(1)), entropy=ENTROPY)
    stream = rules.StreamDecisions()
    await stream.write(pb.StreamDecisionsRequest(questions=[question], folds=folds))
    response = await stream.read()
    assert isinstance(response, pb.StreamDecisionsResponse)
    assert len(response.answers) == 1
    assert [each.WhichOneof("outcome") for each in response.folded] == ["response", "failure", "response"]
    called = await rules.FoldEvents(folds[0])
    assert called.HasField("position")
    assert len(called.actions) == 2
    assert response.folded[0].response == response.folded[2].response == called
    await stream.write(pb.StreamDecisionsRequest(questions=[question] * 1000, folds=folds[:1] * 25))
    assert await stream.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_an_open_stream_does_not_hold_up_the_end_of_the_process(toy_messages: Path, game: Loaded) -> None:
    host_of = run_host([f"{GAME}={MODULE}"], path=[toy_messages], ARGOSY_RULES_GRACE_S="120")  # waited for 20 s
    async with host_of as host, grpc.aio.insecure_channel(host.address) as channel:
        stub: RulesServiceAsyncStub = RulesServiceStub(channel)
        decision = (await begin(stub)).decision
        question = pb.Question(basis=on(decision.state), action=game.action.to_bytes(nim.Take(1)), entropy=ENTROPY)
        stream = stub.StreamDecisions()
        await stream.write(pb.StreamDecisionsRequest(questions=[question]))
        assert isinstance(await stream.read(), pb.StreamDecisionsResponse)
        host.process.terminate()
        assert await stream.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_batch_that_cannot_be_read_ends_the_stream(rules: "RulesServiceAsyncStub") -> None:
    stream = rules.StreamDecisions()
    await stream.write(pb.StreamDecisionsRequest(questions=[pb.Question()] * 1025))
    assert await stream.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("basis", "code"),
    [
        (pb.Basis(game="chess", rules_version=VERSION, state=b"x"), grpc.StatusCode.NOT_FOUND),
        (pb.Basis(game=GAME, rules_version="9.9.9", state=b"x"), grpc.StatusCode.NOT_FOUND),
        (pb.Basis(game=GAME, rules_version=VERSION, state=b"x"), grpc.StatusCode.INVALID_ARGUMENT),
        (pb.Basis(game=GAME, rules_version=VERSION), grpc.StatusCode.INVALID_ARGUMENT),
        (
            pb.Basis(game=GAME, rules_version=VERSION, setup=pb.Basis.Setup(settings=b"\x08\x05", seats=7)),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            pb.Basis(
                game=GAME, rules_version=VERSION, setup=pb.Basis.Setup(settings=b"\x08\x05", seats=2), events=[b"\xff"]
            ),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
)
async def test_a_basis_that_is_none_fails_the_call(
    rules: "RulesServiceAsyncStub", basis: pb.Basis, code: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await rules.FoldEvents(pb.FoldEventsRequest(basis=basis))
    assert failure.value.code() == code


async def test_a_defect_fails_its_question_alone_and_is_told_as_an_error_id(
    host: Host, rules: "RulesServiceAsyncStub", game: Loaded
) -> None:
    decision = (await begin(rules)).decision
    (seat,) = decision.status.turn
    take = game.action.to_bytes(nim.Take(1))
    broken = on(decision.state, game.event.to_bytes(nim.Taken(3, 1)))  # there is no seat 3
    questions = [
        pb.Question(basis=basis, seat=seat, action=take, entropy=ENTROPY)
        for basis in (on(decision.state), broken, on(b"no state"), on(decision.state))
    ]
    answers = (await rules.DecideActions(pb.DecideActionsRequest(questions=questions))).answers
    assert [a.WhichOneof("outcome") for a in answers] == ["decision", "failure", "failure", "decision"]
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await rules.FoldEvents(pb.FoldEventsRequest(basis=broken))
    assert failure.value.code() == grpc.StatusCode.INTERNAL
    assert "IndexError" not in (failure.value.details() or "")
    host.process.terminate()
    assert await host.process.wait() == 0
    (line,) = [line for line in host.lines if answers[1].failure.error_id in line]
    assert '"IndexError"' in line


async def test_pages_and_partial_actions(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    state = game.encode_state(nim.State(9, 0, (nim.Player(0, 4, has_swapped=False, most=0),) * 2, (1, 2)))
    pages, token = [], ""
    for _ in itertools.count():
        request = pb.ListActionsRequest(basis=on(state), seat=0, page_size=2, page_token=token, language="de-AT")
        page = await rules.ListActions(request)
        pages.append([item.label for item in page.actions.actions])
        token = page.next_page_token
        assert page.actions.truncated == bool(token)
        if not token:
            break
    assert pages == [["nimm 1", "nimm 2"], ["nimm 3", "nimm 4"], ["tausche die 4"]]
    partial = game.action.message(take={}).SerializeToString()
    narrowed = await rules.ListActions(pb.ListActionsRequest(basis=on(state), seat=0, partial=partial))
    assert [item.label for item in narrowed.actions.actions] == ["take 1", "take 2", "take 3", "take 4"]
    one = await rules.ListActions(
        pb.ListActionsRequest(basis=on(state), seat=0, partial=game.action.to_bytes(nim.Take(3)))
    )
    assert [item.label for item in one.actions.actions] == ["take 3"]


async def test_draws_a_redacted_position_and_tells_events(rules: "RulesServiceAsyncStub", game: Loaded) -> None:
    players = (nim.Player(0, 3, has_swapped=False, most=0), nim.Player(1, None, has_swapped=False, most=2))
    position = game.position.to_bytes(nim.Position(5, 0, players, None))
    events = [game.event.to_bytes(e) for e in (nim.Dealt(1, None), nim.Taken(1, 2))]
    response = await rules.DrawPosition(
        pb.DrawPositionRequest(game=GAME, rules_version=VERSION, position=position, viewer=0, events=events)
    )
    assert response.text == "Heap: 5\n> 0*: 3\n  1: ?"
    assert list(response.sentences) == ["", "Seat 1 takes 2."]
    told = await rules.DrawPosition(pb.DrawPositionRequest(game=GAME, rules_version=VERSION, events=events))
    assert (told.text, len(told.sentences)) == ("", 2)


async def test_a_position_that_no_match_comes_to_is_the_callers_fault() -> None:
    ruhe = load("ruhe")
    state = ruhe.module.initial(ruhe.module.DEFAULTS, 2)
    for event in ruhe.module.start(state, SeededDraws(ENTROPY)):
        state = ruhe.module.evolve(state, event)
    position: Any = ruhe.position.message.FromString(ruhe.position.to_bytes(ruhe.module.position(state)))
    del position.grid[2:]
    version = ruhe.module.DESCRIPTION.rules_version
    request = pb.DrawPositionRequest(game="ruhe", rules_version=version, position=position.SerializeToString())
    async with run_host(["ruhe"]) as host, grpc.aio.insecure_channel(host.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await RulesServiceStub(channel).DrawPosition(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert not any("unexpected_exception" in line for line in host.lines)
