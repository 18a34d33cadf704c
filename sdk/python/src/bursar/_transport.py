"""The two clients: how requests are sent, and pages walked."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any, AsyncIterator, Generator, Generic, Iterator, Mapping, Optional, TypeVar

import httpx

from . import _core as core
from ._core import Operation, Options, Request
from ._errors import BursarError
from ._records import PageFields
from ._stream import AsyncEventStream, EventStream

T = TypeVar("T")


class SyncTransport:
    """Sends requests, one after the other; safe to use from several threads."""

    def __init__(self, config: core.Config, given: Optional[httpx.Client]) -> None:
        self._config = config
        self._given = given
        # Which process uses the connections, once one does. Both change at once, so that no lock is needed, which a fork could leave locked.
        self._used: tuple[Optional[int], httpx.Client] = (None, given or core.opened(httpx.Client))

    def http(self) -> httpx.Client:
        """
        The connections of this process.
        :raises BursarError: when they are those of another one and came from outside
        """
        pid, http = self._used
        if not core.own_by(pid):
            if self._given is not None:
                raise BursarError(core.given_before_fork)
            core.inherited.append(http)
            http = core.opened(httpx.Client)
        if pid != os.getpid():
            self._used = (os.getpid(), http)
        return http

    def close(self) -> None:
        """Closes the connections, but for those that came from outside, or are another process's."""
        pid, http = self._used
        if self._given is None and core.own_by(pid):
            http.close()

    def call(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, Any],
        body: Optional[Mapping[str, Any]],
        options: Options,
    ) -> Any:
        request = core.request_of(self._config, operation, path, query, body, options)
        return core.result_of(request, self._send(request))

    def page(
        self, operation: Operation, path: tuple[str, ...], query: Mapping[str, Any], options: Options
    ) -> Page[Any]:
        request = core.request_of(self._config, operation, path, query, None, options)
        return Page(core.data_of(request, self._send(request)), operation, path, core.given(query), options, self)

    def events(self, operation: Operation, query: Mapping[str, Any], options: Options) -> EventStream:
        return EventStream(self.http, core.request_of(self._config, operation, (), query, None, options))

    def _send(self, request: Request) -> httpx.Response:
        while True:
            try:
                response = self.http().request(
                    request.operation.method,
                    request.url,
                    headers=request.named_headers(),
                    content=request.content,
                    timeout=request.timeout,
                    follow_redirects=False,
                )
                core.require_own(request, response)
                wait = core.after_answer(request, response)
                if wait is None:
                    return response
            except core.failures as error:
                if isinstance(error, core.OtherAnswer) and self._given is None:
                    self._used = (os.getpid(), core.opened(httpx.Client))
                wait = core.after_failure(request, error)
            time.sleep(wait)


class AsyncTransport:
    """Sends requests from coroutines."""

    def __init__(self, config: core.Config, given: Optional[httpx.AsyncClient]) -> None:
        self._config = config
        self._given = given
        self._pid: Optional[int] = None
        # A connection belongs to the event loop that opened it.
        self._by_loop: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}

    def http(self) -> httpx.AsyncClient:
        """
        The connections of this process and event loop.
        :raises BursarError: when they are those of another process and came from outside
        """
        if not core.own_by(self._pid):
            if self._given is not None:
                raise BursarError(core.given_before_fork)
            core.inherited.append(self._by_loop)
            self._by_loop = {}
        self._pid = os.getpid()
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        http = self._by_loop.get(loop)
        if http is None:
            http = core.opened(httpx.AsyncClient)
            living = {one: its for one, its in self._by_loop.items() if not one.is_closed()}
            self._by_loop = {**living, loop: http}
        return http

    async def close(self) -> None:
        """Closes the connections of this event loop, but for those that came from outside, or are another process's."""
        if core.own_by(self._pid):
            http = self._by_loop.pop(asyncio.get_running_loop(), None)
            if http is not None:
                await http.aclose()

    async def call(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, Any],
        body: Optional[Mapping[str, Any]],
        options: Options,
    ) -> Any:
        request = core.request_of(self._config, operation, path, query, body, options)
        return core.result_of(request, await self._send(request))

    def page(
        self, operation: Operation, path: tuple[str, ...], query: Mapping[str, Any], options: Options
    ) -> AsyncPages[Any]:
        return AsyncPages(operation, path, core.given(query), options, self)

    async def fetch(
        self, operation: Operation, path: tuple[str, ...], query: Mapping[str, Any], options: Options
    ) -> AsyncPage[Any]:
        request = core.request_of(self._config, operation, path, query, None, options)
        data = core.data_of(request, await self._send(request))
        return AsyncPage(data, operation, path, query, options, self)

    def events(self, operation: Operation, query: Mapping[str, Any], options: Options) -> AsyncEventStream:
        return AsyncEventStream(self.http, core.request_of(self._config, operation, (), query, None, options))

    async def _send(self, request: Request) -> httpx.Response:
        while True:
            try:
                response = await self.http().request(
                    request.operation.method,
                    request.url,
                    headers=request.named_headers(),
                    content=request.content,
                    timeout=request.timeout,
                    follow_redirects=False,
                )
                core.require_own(request, response)
                wait = core.after_answer(request, response)
                if wait is None:
                    return response
            except core.failures as error:
                if isinstance(error, core.OtherAnswer) and self._given is None:
                    self._by_loop.pop(asyncio.get_running_loop(), None)
                wait = core.after_failure(request, error)
            await asyncio.sleep(wait)


class Page(PageFields[T]):
    """One page of a list. Iterating over it walks all the pages from this one on."""

    def __init__(
        self,
        data: Mapping[str, Any],
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, Any],
        options: Options,
        transport: SyncTransport,
    ) -> None:
        super().__init__(data, operation.shape)
        self._next = core.next_query(operation, query, data)
        self._asked = (operation, path, options, transport)

    def get_next_page(self) -> Optional[Page[T]]:
        """The page that comes after this one; None: this is the last."""
        operation, path, options, transport = self._asked
        return None if self._next is None else transport.page(operation, path, self._next, options)

    def __iter__(self) -> Iterator[T]:
        page: Optional[Page[T]] = self
        while page is not None:
            yield from page.docs
            page = page.get_next_page()


class AsyncPage(PageFields[T]):
    """One page of a list. Iterating over it (`async for`) walks all the pages from this one on."""

    def __init__(
        self,
        data: Mapping[str, Any],
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, Any],
        options: Options,
        transport: AsyncTransport,
    ) -> None:
        super().__init__(data, operation.shape)
        self._next = core.next_query(operation, query, data)
        self._asked = (operation, path, options, transport)

    async def get_next_page(self) -> Optional[AsyncPage[T]]:
        """The page that comes after this one; None: this is the last."""
        operation, path, options, transport = self._asked
        return None if self._next is None else await transport.fetch(operation, path, self._next, options)

    async def __aiter__(self) -> AsyncIterator[T]:
        page: Optional[AsyncPage[T]] = self
        while page is not None:
            for one in page.docs:
                yield one
            page = await page.get_next_page()


class AsyncPages(Generic[T]):
    """A list that is still to be asked for: `await` it for its first page, or walk all of it by `async for`."""

    def __init__(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, Any],
        options: Options,
        transport: AsyncTransport,
    ) -> None:
        self._asked = (operation, path, query, options)
        self._transport = transport

    def __await__(self) -> Generator[Any, None, AsyncPage[T]]:
        return self._transport.fetch(*self._asked).__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        page: AsyncPage[T] = await self
        async for one in page:
            yield one


class Resource:
    """The operations on one kind of record."""

    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport


class AsyncResource:
    """The operations on one kind of record, as coroutines."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
