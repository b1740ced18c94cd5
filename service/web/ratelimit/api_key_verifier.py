"""Verification of the API keys of requests, so that guesses of secrets are limited as guesses of tokens are.

An invalid key counts as a guess of its address. An address with too many guesses has its keys checked one after the
other at a bounded rate, so its guesses do not lock the holder of a key out.
"""

from aiohttp import web

from service.games.api_key import ApiKey
from service.games.authenticator import ApiKeyAuthenticator
from service.games.errors import ApiKeyRejected
from service.web.app_keys import API_KEY
from service.web.errors import RateLimited
from service.web.headers.bearer_tokens import parse_api_key
from service.web.ratelimit.address_leases import AddressLeases
from service.web.ratelimit.charges import Charge
from service.web.ratelimit.leases import AdmissionPending, retry_when_leased
from service.web.ratelimit.token_verifier import TokenVerifier

__all__ = ["ApiKeyPending", "ApiKeyVerifier"]


class ApiKeyVerifier:
    """Authenticates the API keys of requests."""

    def __init__(self, api_keys: ApiKeyAuthenticator, guesses: AddressLeases) -> None:
        self._api_keys = api_keys
        self._guesses = guesses
        self._verifier = TokenVerifier(self._is_valid)

    async def authenticate(self, request: web.BaseRequest, address: str, leases: AddressLeases) -> ApiKey:
        """Return the API key of a request. An invalid one is charged to `leases` and counts as a guess of its address.

        Raises ApiKeyRejected, RateLimited, Malformed, StoreUnavailable.
        """
        secret = parse_api_key(request) or ""
        if self._api_keys.is_cached(secret):
            return await self._api_keys.authenticate(secret)
        try:
            guess = Charge((), guesses=await retry_when_leased(self._guesses.require, address))
        except RateLimited:
            if not await self._verifier.is_valid(address, request, None, secret):
                raise
            return await self._api_keys.authenticate(secret)
        try:
            return await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            leases.charge_afterwards(address)
            self._guesses.charge_afterwards(address)
            raise
        finally:
            guess.settle()

    async def _is_valid(self, _game: str | None, secret: str) -> bool:
        try:
            await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            return False
        return True


class ApiKeyPending(AdmissionPending):
    """A request carries an API key that is not authenticated yet."""

    def __init__(self, verifier: ApiKeyVerifier, request: web.BaseRequest, address: str, leases: AddressLeases) -> None:
        super().__init__()
        self._verifier = verifier
        self._request = request
        self._address = address
        self._leases = leases

    async def wait(self) -> None:
        """Authenticate the key. Raises what `ApiKeyVerifier.authenticate` does."""
        self._request[API_KEY] = await self._verifier.authenticate(self._request, self._address, self._leases)
