"""Events as they happen, by server-sent events."""

from __future__ import annotations

import asyncio
import json
import os
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterator, Optional

import httpx

from . import _core as core
from ._core import Request
from ._errors import APIConnectionError
from ._records import read

if TYPE_CHECKING:
    from ._generated_types import StreamedEvent


class _Lines:
    """Puts the lines of a stream together to messages. `last_event_id`: the place to go on from."""

    def __init__(self) -> None:
        self.last_event_id: Optional[str] = None
        self._id: Optional[str] = None
        self._data: list[str] = []

    def take(self, line: str) -> Optional[str]:
        """The data of the message that this line ends."""
        if line == "":
            data, self._data = "\n".join(self._data), []
            # The place moves on without events, too.
            self.last_event_id = self._id
            return data or None
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None


class _Stream:
    def __init__(self, request: Request) -> None:
        self._request = request
        self._lines = _Lines()
        self._pid = os.getpid()

    def _leave(self, events: Any) -> bool:
        """
        Whether this process was forked from the one that follows the events, which goes on with its connection: what reads from that is
        neither used nor ended here, and the events are followed anew from the place of the last one.
        """
        if core.own_by(self._pid):
            return False
        self._pid = os.getpid()
        core.inherited.append(events)
        return True

    @property
    def last_event_id(self) -> Optional[str]:
        """The place of the last event that was had: give it as `after` to go on from there, later."""
        return self._lines.last_event_id

    def _headers(self) -> dict[str, str]:
        place = self.last_event_id
        headers = self._request.named_headers()
        return {**headers, "Accept": "text/event-stream", **({"Last-Event-ID": place} if place else {})}

    def _event(self, line: str) -> Any:
        # A sign of life, if only a comment.
        self._request.tried = 0
        data = self._lines.take(line)
        if data is None:
            return None
        try:
            return read(self._request.operation.shape, json.loads(data))
        except ValueError as error:
            raise APIConnectionError(f"What came from {self._request.url} is no event.") from error


# A line of comment comes at least every half minute; a stream that is silent for longer is broken.
_silence = 60.0


class EventStream(_Stream):
    """Events as they happen. A stream that breaks is taken up where it broke, with nothing missed."""

    def __init__(self, http: Callable[[], httpx.Client], request: Request) -> None:
        super().__init__(request)
        self._http = http
        self._events = self._follow()

    def __iter__(self) -> Iterator[StreamedEvent]:
        return self

    def __next__(self) -> StreamedEvent:
        if self._leave(self._events):
            self._events = self._follow()
        return next(self._events)

    def _follow(self) -> Iterator[StreamedEvent]:
        request = self._request
        while True:
            try:
                timeout = httpx.Timeout(request.timeout, read=max(request.timeout, _silence))
                with self._http().stream("GET", request.url, headers=self._headers(), timeout=timeout) as response:
                    core.require_own(request, response)
                    wait = core.after_answer(request, response)
                    if wait is None and not response.is_success:
                        response.read()
                        core.data_of(request, response)
                    if wait is None:
                        for line in response.iter_lines():
                            event = self._event(line)
                            if event is not None:
                                yield event
                        raise httpx.ReadError("the server ended the stream")
            except core.failures as error:
                wait = core.after_failure(request, error)
            time.sleep(wait)

    def close(self) -> None:
        """Ends the stream, but for one of a process that this one was forked from."""
        if self._leave(self._events):
            return
        close: Any = getattr(self._events, "close", None)
        close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class AsyncEventStream(_Stream):
    """Events as they happen, by `async for`. A stream that breaks is taken up where it broke, with nothing missed."""

    def __init__(self, http: Callable[[], httpx.AsyncClient], request: Request) -> None:
        super().__init__(request)
        self._http = http
        self._events = self._follow()

    def __aiter__(self) -> AsyncIterator[StreamedEvent]:
        return self

    async def __anext__(self) -> StreamedEvent:
        if self._leave(self._events):
            self._events = self._follow()
        return await self._events.__anext__()

    async def _follow(self) -> AsyncIterator[StreamedEvent]:
        request = self._request
        while True:
            try:
                timeout = httpx.Timeout(request.timeout, read=max(request.timeout, _silence))
                async with self._http().stream("GET", request.url, headers=self._headers(), timeout=timeout) as response:
                    core.require_own(request, response)
                    wait = core.after_answer(request, response)
                    if wait is None and not response.is_success:
                        await response.aread()
                        core.data_of(request, response)
                    if wait is None:
                        async for line in response.aiter_lines():
                            event = self._event(line)
                            if event is not None:
                                yield event
                        raise httpx.ReadError("the server ended the stream")
            except core.failures as error:
                wait = core.after_failure(request, error)
            await asyncio.sleep(wait)

    async def aclose(self) -> None:
        """Ends the stream, but for one of a process that this one was forked from."""
        if self._leave(self._events):
            return
        close: Any = getattr(self._events, "aclose", None)
        await close()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()
