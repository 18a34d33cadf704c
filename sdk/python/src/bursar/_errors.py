"""What goes wrong, as exceptions: one that is refused has a status, one that never got an answer has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

if TYPE_CHECKING:
    from ._generated_types import ValidationIssue


class BursarError(Exception):
    """The base of all that this package raises."""


class APIConnectionError(BursarError):
    """No answer came, or none of Bursar's. What was asked for may have been done all the same: ask for it before you do it anew."""


class APITimeoutError(APIConnectionError):
    """The server did not answer in time. What was asked for may have been done all the same."""


class SignatureVerificationError(BursarError):
    """A delivery is not from Bursar, or too old, or cannot be checked: do not act on it, and answer 401."""


class ApiError(BursarError):
    """The server refused, or failed."""

    status: int
    """The HTTP status."""
    code: Optional[str]
    """Why, for programs: `errors.code` of the answer. None where something between you and the server answered."""
    message: str
    """Why, for people."""
    request_id: Optional[str]
    """The request as the server's log and `GET /requests` name it."""
    errors: list[ValidationIssue]
    """What is wrong with a request that does not match the schema (422), each with `path`, `message` and `location`; else empty."""
    details: Mapping[str, Any]
    """What some codes say beside themselves, such as `available` and `needed` of `insufficient_funds`."""
    retry_after: Optional[float]
    """After how many seconds to try again, where the server says it."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: Optional[str] = None,
        request_id: Optional[str] = None,
        errors: Sequence[ValidationIssue] = (),
        details: Optional[Mapping[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.errors = list(errors)
        self.details = details or {}
        self.retry_after = retry_after

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.status} {self.code or 'no code'}{request})"


class InvalidRequestError(ApiError):
    """400, 413, 415, 422: a rule refused it, or it is not well formed. Mend it."""


class AuthenticationError(ApiError):
    """401: the key is missing, unknown, revoked or expired."""


class PermissionDeniedError(ApiError):
    """403: the key may not do this, or not from here."""


class NotFoundError(ApiError):
    """404, 410: nothing of that name for this business and mode."""


class ConflictError(ApiError):
    """409: done before, or being done. Read what is there."""


class RateLimitError(ApiError):
    """429: too much at once; try again after `retry_after` seconds."""


class ServerError(ApiError):
    """5xx: the server failed, or what stands before it. What was asked for may have been done all the same."""


_by_status = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: NotFoundError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def error_class(status: int) -> type[ApiError]:
    return _by_status.get(status, ServerError if status >= 500 else ApiError)
