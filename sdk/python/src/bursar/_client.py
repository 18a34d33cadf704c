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
    A client of a Bursar server. Make one and keep it: it holds its connections open, and may be used from several threads. A process that is
    forked from this one may go on with it: it opens connections of its own.

    :param api_key: `sk_test_…` or `sk_live_…`; default: the environment’s BURSAR_KEY
    :param base_url: where the server is; default: the environment’s BURSAR_URL
    :param timeout: how many seconds to wait for the server at each step: to connect, to send, for each part of the answer; default: 30
    :param max_retries: how often what may be sent again is, after the first time; default: 2
    :param http_client: your own, with its proxies and certificates; it stays open when this client is closed, and is refused after a fork
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        self._transport = SyncTransport(configured(api_key, base_url, timeout, max_retries), http_client)
        super().__init__(self._transport)

    def close(self) -> None:
        """Closes its connections."""
        self._transport.close()

    def __enter__(self) -> Bursar:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class AsyncBursar(AsyncResources):
    """
    The same for coroutines: each call is awaited, and lists are walked by `async for`. Each event loop has connections of its own.

    :param api_key: `sk_test_…` or `sk_live_…`; default: the environment’s BURSAR_KEY
    :param base_url: where the server is; default: the environment’s BURSAR_URL
    :param timeout: how many seconds to wait for the server at each step: to connect, to send, for each part of the answer; default: 30
    :param max_retries: how often what may be sent again is, after the first time; default: 2
    :param http_client: your own, with its proxies and certificates; it stays open when this client is closed, and is refused after a fork
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._transport = AsyncTransport(configured(api_key, base_url, timeout, max_retries), http_client)
        super().__init__(self._transport)

    async def aclose(self) -> None:
        """Closes its connections of the event loop that it is called in."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncBursar:
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()
