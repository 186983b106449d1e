"""The client: signs in, makes and joins matches, plays and follows them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, overload

from argosy.client import chain, ids
from argosy.client.auditing import Auditing
from argosy.client.calls import Calls
from argosy.client.carriers import Carriers
from argosy.client.credentials import Account
from argosy.client.errors import ArgosyError
from argosy.client.evidence import Evidence
from argosy.client.follow import Following
from argosy.client.games import Game
from argosy.client.hosting import Hosting
from argosy.client.mine import Mine
from argosy.client.places import Place
from argosy.client.reading import read_actions
from argosy.client.replays import GameRecord, MatchSummary, ReplayPosition, Replays
from argosy.client.retry import Patience
from argosy.client.sign_in import SignIn, given
from argosy.client.tickets import Tickets
from argosy.client.transport import Links
from argosy.client.updates import Joined, LegalAction
from argosy.v1 import game_service_pb2 as game_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import replay_service_pb2 as replay_pb2
from argosy.v1 import session_service_pb2 as session_pb2
from argosy.v1.entry_pb2 import MatchOptions
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message


class Client:
    """One caller of one server, to be used in `async with`. `connect` makes one, `as_player` another beside it.

    Matches and games are named with or without `matches/` and `games/`. Every mutation takes a `request_id`: keep it
    before calling, if the same request shall be sent again after a crash; otherwise a fresh one is made. Each call is
    sent again, the same, while its failure is passing and `patience` lasts; then it raises ArgosyError.
    """

    def __init__(self, links: Links, sign_in: SignIn, patience: Patience, *, owns_links: bool) -> None:
        self._links, self._sign_in, self._patience, self._owns_links = links, sign_in, patience, owns_links
        self._tasks = asyncio.TaskGroup()
        self._games: dict[tuple[str, str], Game] = {}

    @classmethod
    def connect(
        cls,
        address: str,
        *,
        token: str = "",
        key: str = "",
        account: Account | None = None,
        credentials: Path | str | None = None,
        guest: str = "",
        tls: bool = False,
        ca: Path | str | None = None,
        root_certificates: bytes | None = None,
        patience: Patience | None = None,
    ) -> "Client":
        """A client of the server at `host:port`, signed in when entered.

        `https://host:port` and `tls` ask for TLS. `ca` is a PEM file whose signatures alone are trusted then (that of
        a server which signs itself, or of a company), `root_certificates` are the same as bytes; without them the
        usual authorities are. Raises OSError for a file that cannot be read.

        It calls with the token, API key or account given, else as the player kept in the file `credentials`, else as
        a new guest of that display name (kept in the file, mode 0600, if one is named).
        """
        sign_in = SignIn(given(token, key, account), Path(credentials) if credentials else None, guest)
        roots = Path(ca).read_bytes() if ca is not None else root_certificates
        return cls(Links(address, roots, tls=tls), sign_in, patience or Patience(), owns_links=True)

    def as_player(self, account: Account) -> "Client":
        """Another caller over the same connections, to be left before this one."""
        other = Client(self._links, SignIn(account), self._patience, owns_links=False)
        other._games = self._games  # what a game is does not depend on who asks
        return other

    async def __aenter__(self) -> Self:
        """Signs in. Raises ArgosyError."""
        try:
            self.credentials = await self._sign_in.perform(self._links, self._patience)
        except BaseException:
            if self._owns_links:
                await self._links.close()
            raise
        self._calls = Calls(self._links, self.credentials, self._patience)
        self.tickets = Tickets(self._calls)
        self.hosting = Hosting(self._calls)
        self.auditing = Auditing(self._calls)
        await self._tasks.__aenter__()
        self._carriers = Carriers(self._calls, self._tasks)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._carriers.stop()
        try:  # a caller's own exception shall leave as it is, not in a group
            cancelled = isinstance(error, asyncio.CancelledError)
            await self._tasks.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))
        finally:
            if self._owns_links:
                await self._links.close()

    async def me(self) -> session_pb2.Player:
        """The player as whom this client calls."""
        request = session_pb2.GetPlayerRequest(name="players/me")
        return (await self._calls.send(self._calls.sessions.GetPlayer, request)).player

    async def create_player(self, display_name: str, *, request_id: str = "") -> Account:
        """A player that belongs to the API key with which this client calls. Keep its secret."""
        request = session_pb2.CreatePlayerRequest(
            display_name=display_name, request_id=request_id or ids.new_request_id()
        )
        made = await self._calls.send(self._calls.sessions.CreatePlayer, request)
        return Account(made.player.name, made.secret, made.token)

    async def platform(self) -> game_pb2.GetPlatformResponse:
        """What the server is: build, limits, public keys, durability."""
        return await self._calls.send(self._calls.games.GetPlatform, game_pb2.GetPlatformRequest())

    async def games(self) -> list[game_pb2.Game]:
        """The games that can be started now, without descriptors and settings."""
        games: list[game_pb2.Game] = []
        request = game_pb2.ListGamesRequest()
        while True:
            page = await self._calls.send(self._calls.games.ListGames, request)
            games += page.games
            if not page.next_page_token:
                return games
            request = game_pb2.ListGamesRequest(page_token=page.next_page_token)

    async def game(self, game: str, rules_version: str = "") -> Game:
        """The game with its message classes; asked for once, and again for a match of rules not heard of before."""
        name = ids.game_name(game)
        if (name, rules_version) not in self._games:
            found = await self._calls.send(self._calls.games.GetGame, game_pb2.GetGameRequest(name=name))
            known = Game(found.game)
            self._games[name, rules_version] = self._games[name, known.about.rules_version] = known
        return self._games[name, rules_version]

    async def asset(self, game: str, asset: str) -> bytes:
        """A file of the game: a board, a list of components."""
        request = game_pb2.ReadAssetRequest(game=ids.game_name(game), asset=asset)
        return (await self._calls.send(self._calls.games.ReadAsset, request)).content

    async def draw(self, game: str, position: Message | None, *, viewer: int | None = None, language: str = "") -> str:
        """A position as this caller received it, drawn as text of at most 80 columns."""
        packed = (await self.game(game)).pack(position) if position is not None else None
        request = game_pb2.DrawPositionRequest(
            game=ids.game_name(game), position=packed, viewer=viewer, language=language
        )
        return (await self._calls.send(self._calls.games.DrawPosition, request)).text

    async def tell(self, game: str, events: Iterable[Message], *, viewer: int | None = None, language: str = "") -> str:
        """Events as this caller received them, a sentence for each line; those with nothing to say are left out."""
        request = game_pb2.DrawPositionRequest(
            game=ids.game_name(game), viewer=viewer, events=[e.SerializeToString() for e in events], language=language
        )
        told = await self._calls.send(self._calls.games.DrawPosition, request)
        return "\n".join(sentence for sentence in told.sentences if sentence)

    @overload
    async def create(
        self,
        game: str,
        settings: Message | None = None,
        *,
        options: MatchOptions | None = None,
        seats: Iterable[match_pb2.SeatRequest] = (),
        receipt: Literal[False] = False,
        request_id: str = "",
    ) -> match_pb2.Match: ...

    @overload
    async def create(
        self,
        game: str,
        settings: Message | None = None,
        *,
        options: MatchOptions | None = None,
        seats: Iterable[match_pb2.SeatRequest] = (),
        receipt: Literal[True],
        request_id: str = "",
    ) -> match_pb2.CreateMatchResponse: ...

    async def create(
        self,
        game: str,
        settings: Message | None = None,
        *,
        options: MatchOptions | None = None,
        seats: Iterable[match_pb2.SeatRequest] = (),
        receipt: bool = False,
        request_id: str = "",
    ) -> match_pb2.Match | match_pb2.CreateMatchResponse:
        """A new match. Seats not named are open; with scope host, seats can be given to players of one's own.

        Seats taken here give nothing to the match's chance, whose seed comes after them: where that matters leave one's
        own seat open and `join` it.

        With `receipt` the whole response, in which the signed receipt stands; so with `leave` and `resign`.
        """
        request = match_pb2.CreateMatchRequest(
            game=ids.game_name(game),
            settings=(await self.game(game)).pack(settings) if settings is not None else None,
            options=options,
            seats=seats,
            request_id=request_id or ids.new_request_id(),
            want_receipt=receipt,
        )
        created = await self._calls.send(self._calls.matches.CreateMatch, request)
        return created if receipt else created.match

    async def join(
        self, match: str, seat: int | None = None, *, secret: bytes = b"", receipt: bool = False, request_id: str = ""
    ) -> Joined:
        """A seat taken: the one asked for, or the first open one.

        Contributes the SHA-256 of `secret` (32 bytes; made if not given) to the match's chance.
        """
        secret = secret or secrets.token_bytes(chain.SIZE)
        request = match_pb2.JoinMatchRequest(
            name=ids.match_name(match),
            seat=seat,
            contribution=chain.contribution(secret),
            request_id=request_id or ids.new_request_id(),
            want_receipt=receipt,
        )
        joined = await self._calls.send(self._calls.matches.JoinMatch, request)
        proof = joined.receipt if joined.HasField("receipt") else None
        return Joined(joined.match, joined.seat, secret, proof)

    async def ready(
        self, match: str, seat: int | None = None, *, secret: bytes = b"", receipt: bool = False, request_id: str = ""
    ) -> Joined:
        """Says that a seat is ready, and contributes as `join` does."""
        secret = secret or secrets.token_bytes(chain.SIZE)
        request = match_pb2.ReadyMatchRequest(
            name=ids.match_name(match),
            seat=seat,
            contribution=chain.contribution(secret),
            request_id=request_id or ids.new_request_id(),
            want_receipt=receipt,
        )
        readied = await self._calls.send(self._calls.matches.ReadyMatch, request)
        own = readied.match.own_seats
        proof = readied.receipt if readied.HasField("receipt") else None
        return Joined(readied.match, seat if seat is not None else own[0] if own else 0, secret, proof)

    async def find_match(
        self,
        game: str,
        settings: Message | None = None,
        *,
        options: MatchOptions | None = None,
        seats: int | tuple[int, int] | None = None,
        bot_policy: str = "",
        bot_wait_seconds: int = 0,
        secret: bytes = b"",
        request_id: str = "",
    ) -> Joined:
        """A seat in a match with people who wished for the same: waits for them, and says that this seat is ready.

        The match starts when all are ready, or ten seconds after it was made. The ticket is taken back when this is
        cancelled. Raises NoMatch when no match came of it; `tickets` has the single steps.
        """
        packed = (await self.game(game)).pack(settings) if settings is not None else None
        ticket = await self.tickets.create(
            game,
            packed,
            options=options,
            seats=seats,
            bot_policy=bot_policy,
            bot_wait_seconds=bot_wait_seconds,
            request_id=request_id,
        )
        try:
            matched = await self.tickets.matched(ticket.name)
        except asyncio.CancelledError:
            await self.tickets.abandon(ticket.name)
            raise
        secret = secret or secrets.token_bytes(chain.SIZE)
        try:
            return await self.ready(matched.match, matched.seat, secret=secret)
        except ArgosyError as error:
            if error.name not in ("MATCH_STARTED", "MATCH_ENDED"):  # the time limit was faster: it goes on without us
                raise
        return Joined(await self.get(matched.match, matched.seat), matched.seat, b"")

    @overload
    async def leave(
        self, match: str, seat: int | None = None, *, receipt: Literal[False] = False, request_id: str = ""
    ) -> match_pb2.Match: ...

    @overload
    async def leave(
        self, match: str, seat: int | None = None, *, receipt: Literal[True], request_id: str = ""
    ) -> match_pb2.LeaveMatchResponse: ...

    async def leave(
        self, match: str, seat: int | None = None, *, receipt: bool = False, request_id: str = ""
    ) -> match_pb2.Match | match_pb2.LeaveMatchResponse:
        """Gives a seat up before the start."""
        request = match_pb2.LeaveMatchRequest(
            name=ids.match_name(match), seat=seat, request_id=request_id or ids.new_request_id(), want_receipt=receipt
        )
        left = await self._calls.send(self._calls.matches.LeaveMatch, request)
        return left if receipt else left.match

    @overload
    async def resign(
        self, match: str, seat: int | None = None, *, receipt: Literal[False] = False, request_id: str = ""
    ) -> match_pb2.Match: ...

    @overload
    async def resign(
        self, match: str, seat: int | None = None, *, receipt: Literal[True], request_id: str = ""
    ) -> match_pb2.ResignMatchResponse: ...

    async def resign(
        self, match: str, seat: int | None = None, *, receipt: bool = False, request_id: str = ""
    ) -> match_pb2.Match | match_pb2.ResignMatchResponse:
        """Gives the match up for a seat; the match ends."""
        request = match_pb2.ResignMatchRequest(
            name=ids.match_name(match), seat=seat, request_id=request_id or ids.new_request_id(), want_receipt=receipt
        )
        resigned = await self._calls.send(self._calls.matches.ResignMatch, request)
        return resigned if receipt else resigned.match

    async def invite(
        self, match: str, *, expire_seconds: int = 0, renew: bool = False, request_id: str = ""
    ) -> match_pb2.Invitation:
        """The code by which others find a match of this caller's that waits for players.

        It is the match's only one: with `renew` a new one, and the old one is dead.
        """
        request = match_pb2.CreateInvitationRequest(
            name=ids.match_name(match),
            expire_seconds=expire_seconds,
            renew=renew,
            request_id=request_id or ids.new_request_id(),
        )
        return (await self._calls.send(self._calls.matches.CreateInvitation, request)).invitation

    async def invited(self, code: str) -> match_pb2.Match:
        """The match of a code; `join` takes a seat. Raises NotFound for a code that is not good, RateLimited."""
        request = match_pb2.ResolveInvitationRequest(code=code)
        return (await self._calls.send(self._calls.matches.ResolveInvitation, request)).match

    async def get(self, match: str, seat: int | None = None) -> match_pb2.Match:
        """The match as this caller may see it."""
        request = match_pb2.GetMatchRequest(name=ids.match_name(match), seat=seat)
        return (await self._calls.send(self._calls.matches.GetMatch, request)).match

    async def list_actions(
        self, match: str, seat: int | None = None, *, partial: Message | None = None, language: str = ""
    ) -> list[LegalAction]:
        """All legal actions of one's seat now, in canonical order; with `partial` those that agree with its fields."""
        found = await self.get(match, seat)
        game = await self.game(found.game, found.rules_version)
        request = match_pb2.ListActionsRequest(
            name=ids.match_name(match),
            seat=seat,
            page_size=1000,
            partial=game.pack(partial) if partial is not None else None,
            language=language,
        )
        return (await self._list_legal(game, request))[0]

    async def _list_legal(self, game: Game, request: match_pb2.ListActionsRequest) -> tuple[list[LegalAction], int]:
        """All pages, and the version for which they are legal."""
        found: list[LegalAction] = []
        while True:
            page = await self._calls.send(self._calls.matches.ListActions, request)
            found += read_actions(game, page.actions)
            if not page.next_page_token:
                return found, page.head.version
            request.page_token = page.next_page_token

    async def play(
        self,
        match: str,
        action: Message,
        *,
        seat: int | None = None,
        at: match_pb2.Head | None = None,
        receipt: bool = False,
        request_id: str = "",
    ) -> match_pb2.PlayActionResponse:
        """One action by a call of its own; whoever follows the match plays on what `follow` gives.

        `at` is the head that was decided on: StaleVersion is raised when the match went on since.
        """
        packed = Any()
        packed.Pack(action)
        request = match_pb2.PlayActionRequest(
            name=ids.match_name(match),
            seat=seat,
            action=packed,
            expected_version=at.version if at is not None else None,
            expected_digest=at.digest if at is not None else b"",
            request_id=request_id or ids.new_request_id(),
            want_receipt=receipt,
        )
        return await self._calls.send(self._calls.matches.PlayAction, request)

    def follow(
        self,
        match: str,
        *,
        seat: int | None = None,
        position: bool = False,
        actions: bool = False,
        labels: bool = False,
        after: match_pb2.Head | None = None,
        from_start: bool = True,
        stream: bool = True,
        evidence: Evidence | None = None,
    ) -> Following:
        """The match's updates: iterate over them, and play on what this returns.

        They begin with the first entry, so that all of the history is checked; or after a head received earlier, with
        what follows it; or, with `from_start` false, with where the match stands. `labels` says what each legal
        action is, in English. `stream` false takes WatchMatch instead of `Play`. With `evidence` what comes is kept in
        a file of one's own, and every action is answered with a receipt; a file that has entries is gone on with.
        """
        place = Place(self._calls, self.game, self._list_legal, self._carriers, by_stream=stream)
        after = evidence.head if evidence is not None and evidence.head is not None else after
        start = after if after is not None else match_pb2.Head() if from_start else None
        wanted = match_pb2.Wanted(position=position, actions=actions or labels, labels=labels)
        return Following(place, match, wanted, seat=seat, start=start, evidence=evidence)

    def follow_mine(
        self,
        games: Iterable[str] = (),
        *,
        position: bool = False,
        actions: bool = False,
        labels: bool = False,
        from_start: bool = True,
    ) -> Mine:
        """Every match in which this caller holds a seat, now and as they come; of these games, or of all.

        Iterate over it: it gives a table for each, like `follow`. With `from_start` false a table begins with where
        its match stands. `actions` are those of the lowest seat where the caller holds several.
        """
        wanted = match_pb2.Wanted(position=position, actions=actions or labels, labels=labels)
        names = [ids.game_name(game) for game in games]
        asked = match_pb2.PlayRequest.FollowMine(wanted=wanted, games=names, from_start=from_start)
        return Mine(self._carriers, self._tasks, self.game, self._list_legal, asked)

    def matches(
        self,
        *,
        game: str = "",
        player: str = "",
        states: Iterable[match_pb2.Match.State.ValueType] = (),
        idle_seconds: int = 0,
    ) -> AsyncIterator[MatchSummary]:
        """Matches that this caller may see, newest first, its own changes among them; `player` may be `players/me`."""
        return Replays(self._calls).matches(game, player, states, idle_seconds)

    def replays(self, *, game: str = "", player: str = "") -> AsyncIterator[MatchSummary]:
        """Ended matches that this caller may see, last ended first."""
        return Replays(self._calls).ended(game, player)

    async def record(self, player: str = "players/me") -> list[GameRecord]:
        """What the player has achieved by game, its own last results among it."""
        return await Replays(self._calls).record(player)

    @overload
    def replay(
        self,
        match: str,
        *,
        seat: int | None = None,
        opened: Literal[False] = False,
        after_version: int = 0,
        reason: str = "",
    ) -> AsyncIterator[match_pb2.Entry]: ...

    @overload
    def replay(
        self,
        match: str,
        *,
        seat: int | None = None,
        opened: Literal[True],
        after_version: int = 0,
        reason: str = "",
    ) -> AsyncIterator[replay_pb2.OpenedEntry]: ...

    async def replay(
        self,
        match: str,
        *,
        seat: int | None = None,
        opened: bool = False,
        after_version: int = 0,
        reason: str = "",
    ) -> AsyncIterator[match_pb2.Entry | replay_pb2.OpenedEntry]:
        """The match's entries, byte for byte as this viewer received them: not checked; `follow` checks.

        All seats that this caller holds see theirs, or the one named; a spectator what everybody may. With `opened`
        everything is shown; ArgosyError NOT_DISCLOSED is raised where that may not be. Scopes host and audit open a
        match that goes on only for a `reason`, which its players are told in the end.
        """
        async for item in Replays(self._calls).read(match, seat, after_version, opened=opened, reason=reason):
            yield item.opened if opened else item.entry

    async def position(
        self,
        match: str,
        version: int | None = None,
        *,
        seat: int | None = None,
        opened: bool = False,
        reason: str = "",
    ) -> ReplayPosition:
        """The match after this entry, or the last. `opened`: as any seat, or with everything shown, as in `replay`."""
        request = replay_pb2.GetReplayPositionRequest(
            name=ids.match_name(match), version=version, seat=seat, opened=opened, reason=reason
        )
        return await Replays(self._calls).position(request, self.game)

    async def export(self, match: str, *, seat: int | None = None, opened: bool = False, reason: str = "") -> bytes:
        """The match as one file, a serialized argosy.v1.Export, with what this caller may see; `opened` as `replay`."""
        request = replay_pb2.ExportReplayRequest(name=ids.match_name(match), seat=seat, opened=opened, reason=reason)
        return await Replays(self._calls).export(request)
