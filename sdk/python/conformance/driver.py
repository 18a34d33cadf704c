"""Drives the Python SDK, by the protocol of sdk/conformance/driver.ts; with `async`, its other client. An SDK that is installed, not that of this tree."""

import asyncio
import base64
import inspect
import json
import keyword
import re
import sys

import bursar
from bursar import webhooks

clients = {}


def client_of(cls, base_url, api_key, max_retries=2):
    key = (base_url, api_key, max_retries)
    if key not in clients:
        clients[key] = cls(api_key=api_key, base_url=base_url, max_retries=max_retries)
    return clients[key]


def snake(name):
    name = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)
    return name + "_" if keyword.iskeyword(name) else name


def exact(value):
    if isinstance(value, dict):
        return int(value["$int"]) if list(value) == ["$int"] else {name: exact(one) for name, one in value.items()}
    return [exact(one) for one in value] if isinstance(value, list) else value


def plain(value):
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def asked(client, name, message):
    """The method, and what it is called with: what it does not know goes into what is for that."""
    resource, method = name.split(".")
    method = getattr(getattr(client, snake(resource)), snake(method))
    known = inspect.signature(method).parameters
    named = {}
    for part in ("query", "body"):
        for field, value in exact(message.get(part) or {}).items():
            if snake(field) in known:
                named[snake(field)] = value
            else:
                named.setdefault("extra_" + part, {})[field] = value
    options = message.get("options") or {}
    if "timeout_ms" in options:
        named["timeout"] = options["timeout_ms"] / 1000
    for option in ("idempotency_key", "max_retries"):
        if option in options:
            named[option] = options[option]
    return method(*message.get("args", []), **named)


def verified(body=None, parsed=None, headers=None, secrets=(), tolerance=300, allowXSignature=False):
    raw = parsed if body is None else base64.b64decode(body)
    return webhooks.verify(raw, headers, secrets, tolerance=tolerance, allow_x_signature=allowXSignature)


def answer(message):
    if "verify" in message:
        return verified(**message["verify"])
    client = client_of(bursar.Bursar, **message["client"])
    if "call" in message:
        return asked(client, message["call"], message)
    found = []
    records = asked(client, message["collect"], message)
    for record in records:
        found.append(record)
        if len(found) == message["take"]:
            break
    if hasattr(records, "close"):
        records.close()
    return found


async def answer_async(message):
    if "verify" in message:
        return verified(**message["verify"])
    client = client_of(bursar.AsyncBursar, **message["client"])
    if "call" in message:
        return await asked(client, message["call"], message)
    found = []
    records = asked(client, message["collect"], message)
    async for record in records:
        found.append(record)
        if len(found) == message["take"]:
            break
    if hasattr(records, "aclose"):
        await records.aclose()
    return found


def failure(error):
    name = type(error).__name__
    said = {"type": {"PermissionDeniedError": "PermissionError"}.get(name, name), "message": str(error)}
    if isinstance(error, bursar.ApiError):
        for field in ("status", "code", "message", "request_id", "retry_after"):
            said[field] = getattr(error, field)
        said["errors"] = plain(error.errors)
    return said


def write(message, said):
    print(json.dumps({"id": message["id"], **said}), flush=True)


def run():
    for line in sys.stdin:
        message = json.loads(line)
        try:
            write(message, {"ok": plain(answer(message))})
        except bursar.BursarError as error:
            write(message, {"error": failure(error)})


async def run_async():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        message = json.loads(line)
        try:
            write(message, {"ok": plain(await answer_async(message))})
        except bursar.BursarError as error:
            write(message, {"error": failure(error)})


asyncio.run(run_async()) if sys.argv[1:] == ["async"] else run()
