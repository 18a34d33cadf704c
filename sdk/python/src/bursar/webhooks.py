"""
What a receiver of webhooks needs::

    from bursar import webhooks

    event = webhooks.verify(request.body, request.headers, secret)
    if event.type == "payment.completed":
        print(event.payload.reference, event.payload.amount_received)
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Protocol, Sequence, Tuple, Union, cast

from . import _generated_types as _  # noqa: F401  # the records that events hold
from ._errors import SignatureVerificationError
from ._records import read

if TYPE_CHECKING:
    from ._generated_types import StreamedEvent


class HasItems(Protocol):
    def items(self) -> Iterable[Tuple[Any, Any]]: ...


Headers = Union[HasItems, Iterable[Tuple[Any, Any]]]

_standard = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verify(
    raw_body: Union[bytes, bytearray, memoryview, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    allow_x_signature: bool = False,
) -> StreamedEvent:
    """
    Checks that a delivery is from Bursar and fresh, and reads its event.

    :param raw_body: the body's bytes as they came, before any parser has touched them
    :param headers: the request's headers, as your framework has them: what has `items()`, or pairs of name and value
    :param secret: the endpoint's `secret` (`weh_…`) or `standard_secret` (`whsec_…`); several, while one is being replaced
    :param tolerance: how many seconds the delivery may be old, or ahead of your clock
    :param allow_x_signature: accept a delivery that has only `X-Signature`, which does not cover the time it was sent; its age is then
        that of the event's `timestamp`, so a retry is older than the first try
    :raises SignatureVerificationError: when it is not; answer 401, and act on nothing of it
    """
    if isinstance(raw_body, str):
        body = raw_body.encode()
    elif isinstance(raw_body, (bytes, bytearray, memoryview)):
        body = bytes(raw_body)
    else:
        raise SignatureVerificationError(
            f"The body is a {type(raw_body).__name__}, and must be its raw bytes: JSON that is parsed and written again is other bytes."
        )
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise SignatureVerificationError("There is no secret: give the one that the endpoint was registered with.")
    given = _lower(headers)
    standard = any(name in given for name in _standard)
    if standard:
        _verify_standard(body, given, keys, tolerance)
    elif allow_x_signature is True:
        _verify_body(body, given, keys)
    else:
        raise SignatureVerificationError(
            "The request has no webhook-id, webhook-timestamp and webhook-signature: hand over all of its headers. "
            "X-Signature alone covers no time, so it may be a replay: only allow_x_signature accepts it."
        )
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise SignatureVerificationError("The body is signed, but it is no event: it has no JSON with a type.")
    if not standard:
        _require_fresh(_seconds_of(event.get("timestamp")), tolerance)
    return cast("StreamedEvent", read("UnknownEvent", event))


def _verify_standard(body: bytes, given: Mapping[str, str], keys: list[bytes], tolerance: float) -> None:
    for name in _standard:
        if not given.get(name):
            raise SignatureVerificationError(f"The header {name} is missing: hand over all of the request’s headers.")
    id_, timestamp, signatures = (given[name] for name in _standard)
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise SignatureVerificationError("webhook-timestamp is no number of seconds: the delivery is not Bursar’s.")
    signed = f"{id_}.{timestamp}.".encode() + body
    ours = [one[3:] for one in signatures.split(" ") if one.startswith("v1,")]
    if not ours:
        raise SignatureVerificationError("webhook-signature has no signature of the scheme v1, the only one known here.")
    if not _any_matches((base64.b64encode(hmac.digest(key, signed, "sha256")).decode() for key in keys), ours):
        raise SignatureVerificationError(_mismatch)
    _require_fresh(int(timestamp), tolerance)


def _seconds_of(timestamp: object) -> float:
    """The seconds since 1970 of an event's timestamp."""
    if isinstance(timestamp, str) and re.fullmatch(r"[0-9]{4}-[0-9-]{5}T[0-9:]{8}(\.[0-9]+)?Z", timestamp):
        try:
            return datetime.strptime(timestamp[:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z").timestamp()
        except ValueError:
            pass
    raise SignatureVerificationError("The body has no timestamp that is a time: refuse the request.")


def _require_fresh(seconds: float, tolerance: float) -> None:
    age = time.time() - seconds
    # So put, a tolerance that is no number allows nothing.
    if not abs(age) <= tolerance:
        which = f"{age:.0f} seconds old" if age > 0 else f"{-age:.0f} seconds ahead of your clock"
        raise SignatureVerificationError(
            f"The delivery is {which}, and {tolerance:g} are allowed: it may be a replay. Check that your clock is right."
        )


def _verify_body(body: bytes, given: Mapping[str, str], keys: list[bytes]) -> None:
    theirs = [given[name] for name in ("x-signature", "x-signature-previous") if given.get(name)]
    if not theirs:
        raise SignatureVerificationError(
            "The request has no signature: neither webhook-id, webhook-timestamp and webhook-signature nor X-Signature."
        )
    ours = [one[7:] for one in theirs if one.startswith("sha256=")]
    if not ours:
        raise SignatureVerificationError("X-Signature is of an unknown scheme: sha256= is the only one known here.")
    if not _any_matches((hmac.new(key, body, hashlib.sha256).hexdigest() for key in keys), ours):
        raise SignatureVerificationError(_mismatch)


_mismatch = "No signature matches: the secret is another endpoint’s, or the body is not the raw bytes that came."


def _any_matches(expected: Iterable[str], given: list[str]) -> bool:
    """Whether one is the other, in a time that does not tell how much of it is."""
    found = False
    for one in expected:
        for other in given:
            found |= hmac.compare_digest(one.encode(), other.encode())
    return found


def _key(secret: object) -> bytes:
    if not isinstance(secret, str) or not secret.strip():
        raise SignatureVerificationError("There is no secret: give the one that the endpoint was registered with.")
    secret = secret.strip()
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        key = base64.b64decode(secret[6:], validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise SignatureVerificationError("The secret begins with whsec_, but what follows is no base64.")
    return key


def _lower(headers: Headers) -> dict[str, str]:
    items = getattr(headers, "items", None)
    pairs = cast("Iterable[Tuple[Any, Any]]", items() if items else headers)
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_text(one) for one in cast("Sequence[object]", value))
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
