"""What the two clients share: how a request is made, what is tried again and when, what an answer becomes. It sends nothing itself."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Mapping, Optional, Union
from urllib.parse import quote, urlencode

import httpx

from ._errors import APIConnectionError, ApiError, APITimeoutError, BursarError, error_class
from ._records import Shape, read
from ._version import __version__

_agent = f"bursar-python/{__version__} python/{platform.python_version()} httpx/{httpx.__version__}"
_first_wait, _longest_wait, _longest_retry_after = 0.5, 8.0, 60.0


class NotGiven:
    """What a field is that is left out. None is something else: it is sent, as null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


@dataclass(frozen=True)
class Config:
    base_url: str
    api_key: str = field(repr=False)
    timeout: float
    max_retries: int


def configured(api_key: Optional[str], base_url: Optional[str], timeout: float, max_retries: int) -> Config:
    key = (api_key if api_key is not None else os.environ.get("BURSAR_KEY", "")).strip()
    url = (base_url if base_url is not None else os.environ.get("BURSAR_URL", "")).strip().rstrip("/")
    if not key:
        raise BursarError("There is no API key: give api_key, or set BURSAR_KEY.")
    if not re.match(r"https?://[^/]", url):
        raise BursarError("There is no server: give base_url, or set BURSAR_URL, such as https://pay.example.com.")
    return Config(url, key, timeout, max_retries)


@dataclass(frozen=True)
class Operation:
    """An operation of the API, as the generated methods describe it."""

    method: str
    path: str
    #: `json`: the answer's `data`; `page`: a page of a list; `bytes`: the body as it is; `stream`: a stream of events.
    kind: str = "json"
    shape: Shape = None
    #: Whether it takes an Idempotency-Key.
    keyed: bool = False
    #: Whether the list goes on by a cursor, or by the number of the page.
    cursor: bool = False


@dataclass(frozen=True)
class Options:
    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    max_retries: Optional[int] = None
    #: Fields of the query or the body that this version does not know.
    extra_query: Optional[Mapping[str, Any]] = None
    extra_body: Optional[Mapping[str, Any]] = None


@dataclass
class Request:
    """A request and its tries: the same bytes and the same key each time."""

    operation: Operation
    url: str
    headers: dict[str, str]
    content: Optional[bytes]
    timeout: float
    retries: int
    #: Whether it may be sent again although its bytes may have arrived.
    repeatable: bool
    tried: int = field(default=0)


def request_of(
    config: Config,
    operation: Operation,
    path: tuple[str, ...],
    query: Mapping[str, Any],
    body: Optional[Mapping[str, Any]],
    options: Options,
) -> Request:
    """:raises BursarError: when a part of the path is empty, or the key cannot be sent"""
    headers = {
        "Authorization": f"Bearer {config.api_key}",
        "Accept": "application/json" if operation.kind in ("json", "page") else "*/*",
        "User-Agent": _agent,
    }
    content = None
    if body is not None:
        # What is no JSON, such as NaN or a Decimal, is refused here rather than sent as something else.
        fields = {**given(body), **(options.extra_body or {})}
        content = json.dumps(fields, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        headers["Content-Type"] = "application/json"
    if operation.keyed:
        key = str(uuid.uuid4()) if options.idempotency_key is None else options.idempotency_key
        headers["Idempotency-Key"] = key
        if not re.fullmatch(r"[!-~]{1,255}", key):
            raise BursarError("The idempotency_key must be 1 to 255 visible ASCII characters.")
    return Request(
        operation,
        _url(config.base_url, operation.path, path, {**given(query), **(options.extra_query or {})}),
        headers,
        content,
        config.timeout if options.timeout is None else options.timeout,
        config.max_retries if options.max_retries is None else options.max_retries,
        repeatable=operation.keyed or operation.method in ("GET", "HEAD", "PUT", "DELETE"),
    )


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is left out."""
    return {name: value for name, value in fields.items() if not isinstance(value, NotGiven)}


def _url(base: str, path: str, values: tuple[str, ...], query: Mapping[str, Any]) -> str:
    left = list(values)

    def fill(match: re.Match[str]) -> str:
        value = left.pop(0)
        # These would make another path of it, and so another request.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise BursarError(f"The {match[1]} of {path} must be a text that is not empty, and is {value!r}.")
        return quote(value, safe="")

    url = base + re.sub(r"\{(\w+)\}", fill, path)
    sent = [(name, _text(value)) for name, value in query.items() if value is not None]
    return f"{url}?{urlencode(sent)}" if sent else url


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def after_failure(request: Request, error: httpx.RequestError) -> float:
    """
    After how many seconds to try again, when no answer came.
    :raises APIConnectionError: when it is not to be tried again
    """
    sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if request.tried < request.retries and (request.repeatable or not sent) and not _hopeless(error):
        return _wait(request)
    what = f"{request.operation.method} {request.url}"
    if isinstance(error, httpx.TimeoutException):
        raise APITimeoutError(f"{what} was not answered in {request.timeout:g} seconds.") from error
    raise APIConnectionError(f"{what} was not answered: {error or type(error).__name__}") from error


def _hopeless(error: httpx.RequestError) -> bool:
    return isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError))


def after_answer(request: Request, response: httpx.Response) -> Optional[float]:
    """After how many seconds to try again; None: this answer is what came of it."""
    if response.status_code not in (429, 500, 502, 503, 504) or not request.repeatable:
        return None
    wanted = retry_after(response.headers)
    if request.tried >= request.retries or (wanted is not None and wanted > _longest_retry_after):
        return None
    wait = _wait(request)
    return wait if wanted is None else wanted


def _wait(request: Request) -> float:
    longest = min(_longest_wait, _first_wait * 2**request.tried)
    request.tried += 1
    return random.uniform(0, longest)


def retry_after(headers: httpx.Headers) -> Optional[float]:
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def data_of(request: Request, response: httpx.Response) -> Any:
    """
    What an answer holds: `data` of its JSON, or its bytes.
    :raises ApiError: when it is a refusal
    :raises APIConnectionError: when it is no answer of Bursar's
    """
    if response.is_success and request.operation.kind == "bytes":
        return response.content
    answer = _json(response.content)
    if response.is_success and isinstance(answer, dict) and "data" in answer:
        return answer["data"]
    if response.is_success:
        raise APIConnectionError(f"What answers at {request.url} is no Bursar server: check base_url.")
    raise error_of(response, answer)


def result_of(request: Request, response: httpx.Response) -> Any:
    """The same as a record."""
    data = data_of(request, response)
    return data if request.operation.kind == "bytes" else read(request.operation.shape, data)


def error_of(response: httpx.Response, answer: Any) -> ApiError:
    status = response.status_code
    request_id = response.headers.get("x-request-id")
    wanted = retry_after(response.headers)
    if isinstance(answer, dict) and isinstance(answer.get("errors"), dict):
        return error_class(status)(
            str(answer.get("message")),
            status=status,
            code=answer["errors"].get("code"),
            request_id=request_id,
            errors=read(["ValidationIssue"], answer["data"]) if isinstance(answer.get("data"), list) else (),
            details={name: value for name, value in answer["errors"].items() if name != "code"},
            retry_after=wanted,
        )
    kind = response.headers.get("content-type", "nothing")
    return error_class(status)(
        f"The answer is not Bursar’s ({status}, {kind}): check base_url, and what stands between you and the server.",
        status=status,
        request_id=request_id,
        retry_after=wanted,
    )


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def next_query(operation: Operation, query: Mapping[str, Any], data: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    """The query of the page that comes after this one; None: this is the last."""
    if not data["hasNextPage"] or not data["docs"]:
        return None
    filters = {name: value for name, value in query.items() if name not in ("page", "after")}
    following: Union[str, int] = data["docs"][-1]["id"] if operation.cursor else data["nextPage"]
    return {**filters, ("after" if operation.cursor else "page"): following}
