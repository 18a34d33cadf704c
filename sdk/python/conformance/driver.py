"""Drives the Python SDK, by the protocol of sdk/conformance/driver.ts; with `async`, its other client. An SDK that is installed, not that of this tree."""

import asyncio
import base64
import copy
import inspect
import json
import keyword
import multiprocessing
import os
import pickle
import pprint
import re
import sys
import tempfile
import traceback

import bursar
from bursar import webhooks

clients = {}


def client_of(cls, base_url, api_key, max_retries=None, timeout_ms=None):
    key = (base_url, api_key, max_retries, timeout_ms)
    if key not in clients:
        timeout = None if timeout_ms is None else float(timeout_ms) / 1000
        clients[key] = cls(api_key=api_key, base_url=base_url, max_retries=max_retries, timeout=timeout)
    return clients[key]


def attempts(*ways):
    """What each way of showing something gives, or says."""
    for way in ways:
        try:
            yield repr(way())
        except Exception as error:
            yield f"{error!r} {error}"


def shown(client, error):
    """All that a client, and an error of it, can be made to show."""
    texts = ["".join(traceback.format_exception(error))]
    for one in (client, client.wallets, client.wallets._transport, client.events.stream(), error, error.__cause__):
        texts += [repr(one), str(one), pprint.pformat(getattr(one, "__dict__", None), width=200)]
        texts += attempts(
            lambda one=one: pickle.dumps(one), lambda one=one: copy.deepcopy(one), lambda one=one: json.dumps(vars(one), default=repr)
        )
    return texts


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
        named["timeout"] = float(options["timeout_ms"]) / 1000
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
    if "fork" in message:
        return forked(client, message["fork"])
    if "show" in message:
        try:
            client.wallets.list()
        except bursar.BursarError as error:
            return shown(client, error)
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
    if "fork" in message:
        return await forked_async(client, message["fork"])
    if "show" in message:
        try:
            await client.wallets.list()
        except bursar.BursarError as error:
            return shown(client, error)
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


def orders(worker, each, prefix):
    """What a worker asks for: the method's resource, what is sent, and what must come back."""
    for i in range(each):
        yield "payments", {"reference": f"{prefix}-pay-{worker}-{i}", "amount": 1000 + worker, "currency": "ngn"}
        payout = {"reference": f"{prefix}-out-{worker}-{i}", "amount": 10_000 + worker, "currency": "ngn"}
        bank = {"bank_code": "058", "account_number": "0123456789"}
        yield "payouts", {**payout, "method": "bank_transfer", "destination": bank}


def note(found, order, record):
    if (record.reference, record.amount) == (order["reference"], order["amount"]):
        found["made"] += 1
    else:
        found["others"].append(f"{order['reference']} got {record.reference}")


def nothing():
    return {"made": 0, "others": [], "failed": []}


def pay(client, *asked):
    found = nothing()
    for resource, order in orders(*asked):
        try:
            note(found, order, getattr(client, resource).create(**order))
        except Exception as error:
            found["failed"].append(f"{order['reference']}: {error!r}")
    return found


async def pay_async(client, *asked):
    found = nothing()
    for resource, order in orders(*asked):
        try:
            note(found, order, await getattr(client, resource).create(**order))
        except Exception as error:
            found["failed"].append(f"{order['reference']}: {error!r}")
    return found


class Workers:
    """Forks so many, each of which writes down what it found."""

    def __init__(self, work, how, workers, each, prefix):
        self.own = (workers, each, prefix)
        self.dir = tempfile.mkdtemp()
        self.running = []
        for worker in range(workers):
            if how == "multiprocessing":
                process = multiprocessing.get_context("fork").Process(target=self.run, args=(work, worker, each, prefix))
                process.start()
                self.running.append(process.join)
                continue
            pid = os.fork()
            if pid == 0:
                try:
                    self.run(work, worker, each, prefix)
                finally:
                    os._exit(0)
            self.running.append(lambda pid=pid: os.waitpid(pid, 0))

    def run(self, work, worker, each, prefix):
        found = work(worker, each, prefix)
        with open(os.path.join(self.dir, str(worker)), "w") as file:
            json.dump(found, file)

    def all(self, own):
        for wait in self.running:
            wait()
        for worker in range(self.own[0]):
            with open(os.path.join(self.dir, str(worker))) as file:
                found = json.load(file)
            own = {name: own[name] + found[name] for name in own}
        return own


def forked(client, given):
    client.server.get()
    workers = Workers(lambda *asked: pay(client, *asked), **given)
    return workers.all(pay(client, *workers.own))


async def forked_async(client, given):
    await client.server.get()
    workers = Workers(lambda *asked: asyncio.run(pay_async(client, *asked)), **given)
    return workers.all(await pay_async(client, *workers.own))


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
