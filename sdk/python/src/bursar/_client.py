"""The clients that programs make."""

from __future__ import annotations

from types import TracebackType
from typing import Optional

import httpx

from ._core import configured
from ._generated_async import AsyncResources
from ._generated_sync import Resources
from ._transport import AsyncTransport, SyncTransport


class Bursar(Resources):
    """
    A client of a Bursar server. Make one and keep it: it holds its connections open, and may be used from several threads.

    :param api_key: `sk_test_…` or `sk_live_…`; default: the environment’s BURSAR_KEY
    :param base_url: where the server is; default: the environment’s BURSAR_URL
    :param timeout: how many seconds to wait for the server at each step: to connect, to send, for each part of the answer
    :param max_retries: how often what may be sent again is, after the first time
    :param http_client: your own, with its proxies and certificates; it stays open when this client is closed
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        config = configured(api_key, base_url, timeout, max_retries)
        self._http = http_client or httpx.Client()
        self._own = http_client is None
        super().__init__(SyncTransport(config, self._http))

    def close(self) -> None:
        """Closes its connections."""
        if self._own:
            self._http.close()

    def __enter__(self) -> Bursar:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class AsyncBursar(AsyncResources):
    """
    The same for coroutines: each call is awaited, and lists are walked by `async for`.

    :param api_key: `sk_test_…` or `sk_live_…`; default: the environment’s BURSAR_KEY
    :param base_url: where the server is; default: the environment’s BURSAR_URL
    :param timeout: how many seconds to wait for the server at each step: to connect, to send, for each part of the answer
    :param max_retries: how often what may be sent again is, after the first time
    :param http_client: your own, with its proxies and certificates; it stays open when this client is closed
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        config = configured(api_key, base_url, timeout, max_retries)
        self._http = http_client or httpx.AsyncClient()
        self._own = http_client is None
        super().__init__(AsyncTransport(config, self._http))

    async def aclose(self) -> None:
        """Closes its connections."""
        if self._own:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncBursar:
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()
