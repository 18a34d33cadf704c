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
from typing import Any, Mapping, Optional, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._errors import APIConnectionError, ApiError, APITimeoutError, BursarError, error_class
from ._records import Shape, read
from ._version import __version__

_agent = f"bursar-python/{__version__} python/{platform.python_version()} httpx/{httpx.__version__}"
_first_wait, _longest_wait, _longest_retry_after = 0.5, 8.0, 60.0
# The SDKs of all languages have the same longest time-out: what 32 bits hold in milliseconds.
_longest_timeout = (2**31 - 1) / 1000
_id_header = "X-Client-Request-Id"

#: Connections of the process that this one was forked from. Closing or collecting one could end it for that process too.
inherited: list[Any] = []


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

    def __reduce__(self) -> Any:
        raise BursarError("A client cannot be pickled or copied, since its API key would be too: make one in each process.")


def configured(
    api_key: Optional[str], base_url: Optional[str], timeout: Optional[float], max_retries: Optional[int]
) -> Config:
    """:raises BursarError: when an option cannot be used; no message has the key in it"""
    key = api_key if api_key is not None else os.environ.get("BURSAR_KEY", "")
    key = key.strip() if isinstance(key, str) else "\0"
    url = str(base_url if base_url is not None else os.environ.get("BURSAR_URL", "")).strip().rstrip("/")
    if not key:
        raise BursarError("There is no API key: give api_key, or set BURSAR_KEY.")
    if not re.fullmatch(r"[!-~]+", key):
        raise BursarError("The API key has blanks, line breaks or other characters that no key has: copy it again.")
    if not re.fullmatch(r"https?://[^/?#@\s]+(/[^?#\s]*)?", url) or not _has_host(url):
        raise BursarError(
            "There is no server: give base_url, or set BURSAR_URL, such as https://pay.example.com, without a user, a query or a fragment."
        )
    return Config(url, key, timeout_of(30.0 if timeout is None else timeout), 2 if max_retries is None else max_retries)


def _has_host(url: str) -> bool:
    """Whether a URL has a host, and a port that is one."""
    try:
        split = urlsplit(url)
        return split.hostname is not None and split.port != 0
    except ValueError:
        return False


Client = TypeVar("Client", httpx.Client, httpx.AsyncClient)


def opened(kind: type[Client]) -> Client:
    """
    A client of httpx, which looks for proxies and certificates in the environment.
    :raises BursarError: when these cannot be used
    """
    try:
        return kind()
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        raise BursarError(
            f"httpx cannot be used with the proxies (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY) or certificates (SSL_CERT_FILE) of the environment: {error}"
        ) from error


def timeout_of(timeout: float) -> float:
    """
    The time-out that is used, in seconds: at most 2,147,483.647, which is 24.8 days; an infinite one is that long.
    :raises BursarError: when it is not more than 0, or no number
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        raise BursarError(f"The timeout must be a number of seconds that is more than 0, and is {timeout!r}.")
    return min(timeout, _longest_timeout)


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
    headers: dict[str, str] = field(repr=False)
    content: Optional[bytes]
    timeout: float
    retries: int
    #: Whether it may be sent again although its bytes may have arrived.
    repeatable: bool
    tried: int = field(default=0)
    #: What the server gives back in the answer to the present try.
    id: str = field(default="")

    def named_headers(self) -> dict[str, str]:
        """The headers of the next try, which has an id of its own."""
        self.id = str(uuid.uuid4())
        return {**self.headers, _id_header: self.id}


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
        try:
            content = json.dumps(fields, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        except (TypeError, ValueError) as error:
            raise BursarError(f"What is given cannot be sent as JSON: {error}.") from error
        headers["Content-Type"] = "application/json"
    if operation.keyed:
        key = str(uuid.uuid4()) if options.idempotency_key is None else options.idempotency_key
        headers["Idempotency-Key"] = key
        if not isinstance(key, str) or not re.fullmatch(r"[!-~]{1,255}", key):
            raise BursarError("The idempotency_key must be 1 to 255 visible ASCII characters.")
    return Request(
        operation,
        _url(config.base_url, operation.path, path, {**given(query), **(options.extra_query or {})}),
        headers,
        content,
        config.timeout if options.timeout is None else timeout_of(options.timeout),
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


class OtherAnswer(httpx.ReadError):
    """The answer on the connection is of another request: the connection is not this process's alone, or a proxy mixes answers up."""


def require_own(request: Request, response: httpx.Response) -> None:
    """
    :raises OtherAnswer: when the answer names another request. One that names none is taken: an older server, or a proxy in between, leaves
        the name out
    """
    if response.headers.get(_id_header, request.id) != request.id:
        raise OtherAnswer(
            f"what came is the answer to another request ({_id_header}). It may have been done all the same. "
            "Make a client in each process, and check the proxies in between"
        )


def own_by(pid: Optional[int]) -> bool:
    """
    Whether connections that the process of this id uses are this process's own; with none, they are nobody's yet.
    A forked process has the sockets of the one that it comes from, and would read the answers to the other's requests.
    """
    return pid is None or pid == os.getpid()


#: What a client of httpx that the user gave cannot have done: it cannot be made anew here.
given_before_fork = "This process was forked after the client had been used with the http_client that you gave: make both in each process."


#: What httpx raises when no answer came. The last is of Python's own: of a host name with a part that is empty or too long.
failures = (httpx.RequestError, httpx.InvalidURL, UnicodeError)


def after_failure(request: Request, error: Union[httpx.RequestError, httpx.InvalidURL, UnicodeError]) -> float:
    """
    After how many seconds to try again, when no answer came.
    :raises APIConnectionError: when it is not to be tried again
    """
    sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if request.tried < request.retries and (request.repeatable or not sent) and not _hopeless(error):
        return _wait(request)
    what = f"{request.operation.method} {request.url}"
    if isinstance(error, httpx.RequestError):
        # The cause is kept without the request that was sent: that has the key.
        error.request = httpx.Request(request.operation.method, request.url)
    if isinstance(error, httpx.TimeoutException):
        raise APITimeoutError(f"{what} was not answered in {request.timeout:g} seconds.") from error
    raise APIConnectionError(f"{what} was not answered: {error or type(error).__name__}") from error


def _hopeless(error: Exception) -> bool:
    return isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL, UnicodeError))


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
    is_list = request.operation.kind == "page"
    if response.is_success and isinstance(answer, dict) and "data" in answer:
        if not is_list or (isinstance(answer["data"], dict) and isinstance(answer["data"].get("docs"), list)):
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
