"""
Client of the Bursar payments server::

    from bursar import Bursar

    bursar = Bursar(api_key="sk_test_…", base_url="https://pay.example.com")
    payment = bursar.payments.create(amount=250000, currency="ngn", email="ada@example.com")
"""

from . import types, webhooks
from ._client import AsyncBursar, Bursar
from ._core import NOT_GIVEN, NotGiven
from ._errors import (
    APIConnectionError,
    ApiError,
    APITimeoutError,
    AuthenticationError,
    BursarError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    SignatureVerificationError,
)
from ._records import Record
from ._stream import AsyncEventStream, EventStream
from ._transport import AsyncPage, AsyncPages, Page
from ._version import __version__

__all__ = [
    "APIConnectionError",
    "APITimeoutError",
    "ApiError",
    "AsyncBursar",
    "AsyncEventStream",
    "AsyncPage",
    "AsyncPages",
    "AuthenticationError",
    "Bursar",
    "BursarError",
    "ConflictError",
    "EventStream",
    "InvalidRequestError",
    "NOT_GIVEN",
    "NotFoundError",
    "NotGiven",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "Record",
    "ServerError",
    "SignatureVerificationError",
    "__version__",
    "types",
    "webhooks",
]
