"""Ways to become somebody: a token or key at hand, a player's secret, or a new guest."""

from dataclasses import dataclass
from pathlib import Path

from argosy.client import ids
from argosy.client.calls import send_unsigned
from argosy.client.credentials import Account, Credentials, Fixed, keep_account, read_account
from argosy.client.retry import Patience
from argosy.client.transport import Links
from argosy.v1 import session_service_pb2 as session_pb2
from argosy.v1 import session_service_pb2_grpc


@dataclass(frozen=True, slots=True)
class SignIn:
    """What the caller has: `credentials` itself, else the file with an account, else a name for a new guest.

    With a file, a new guest is kept in it, so that the next run is the same player.
    """

    credentials: Credentials | None = None
    file: Path | None = None
    guest: str = ""

    def __post_init__(self) -> None:
        """Somebody has to call."""
        if self.credentials is None and self.file is None and not self.guest:
            raise ValueError("say who calls: token, key, account, guest or credentials")

    async def perform(self, links: Links, patience: Patience) -> Credentials:
        """The credentials. Asks the server only for a new guest."""
        if self.credentials is not None:
            return self.credentials
        kept = read_account(self.file, links.address) if self.file else None
        if kept is not None:
            return kept
        account = await new_guest(links, self.guest or "Guest", patience)
        if self.file:
            keep_account(self.file, links.address, account)
        return account


def given(token: str, key: str, account: Account | None) -> Credentials | None:
    """Credentials at hand, if any."""
    return account or (Fixed(token or key) if token or key else None)


async def new_guest(links: Links, display_name: str, patience: Patience) -> Account:
    """A guest made for this name, 1 to 40 characters."""
    request = session_pb2.CreateGuestRequest(display_name=display_name, request_id=ids.new_request_id())
    stub = session_service_pb2_grpc.SessionServiceStub(links.first)
    made = await send_unsigned(stub.CreateGuest, request, patience)
    return Account(made.player.name, made.secret, made.token)
