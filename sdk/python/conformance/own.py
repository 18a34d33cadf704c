"""What only Python has, and the conformance list no case for. Ends with 1 when one thing is not so."""

import asyncio
import base64
import copy
import email.message
import hashlib
import hmac
import http.server
import json
import os
import pickle
import threading
import time
import traceback

import httpx
from bursar import ApiError, AsyncBursar, Bursar, BursarError, types, webhooks


def refused(sentence, do):
    try:
        do()
    except BursarError as error:
        assert sentence in str(error), str(error)
    else:
        raise AssertionError(sentence)


bursar = Bursar(api_key="sk_test_0123456789", base_url="http://127.0.0.1:9/", max_retries=0)
order = {"reference": "a", "amount": 1, "currency": "ngn"}
refused("must be a text that is not empty", lambda: bursar.payments.get(""))
refused("visible ASCII", lambda: bursar.payouts.create(**order, idempotency_key=""))
refused("visible ASCII", lambda: bursar.payouts.create(**order, idempotency_key="a\nb: c"))
refused("no API key", lambda: Bursar(api_key=" ", base_url="http://127.0.0.1:9"))
refused("no server", lambda: Bursar(api_key="a", base_url="pay.example.com"))
refused("no key has", lambda: Bursar(api_key=b"sk_test_1", base_url="http://127.0.0.1:9"))
Bursar(api_key="a", base_url="http://127.0.0.1:9", timeout=10**400)
for name, value in {"HTTP_PROXY": "foo://ada:s3cret@proxy", "SSL_CERT_FILE": "/none", "NO_PROXY": "[::1]"}.items():
    os.environ[name] = value
    refused("httpx cannot be used with the proxies", lambda: Bursar(api_key="a", base_url="http://127.0.0.1:9"))
    del os.environ[name]
refused("was not answered", lambda: next(bursar.events.stream()))

body = b'{"id":"1","type":"type.of_a_later_version","timestamp":"2026-11-21T09:30:00.000Z","payload":{"from":1}}'
headers = email.message.Message()  # as http.server has them
headers["X-Signature"] = "sha256=" + hmac.new(b"weh_1", body, hashlib.sha256).hexdigest()
refused("may be a replay", lambda: webhooks.verify(body, headers, "weh_1"))
decade = {"allow_x_signature": True, "tolerance": 10 * 365 * 86400}
event = webhooks.verify(body, headers, "weh_1", **decade)
assert type(event) is types.UnknownEvent and event.payload == {"from": 1}
assert webhooks.verify(memoryview(body), [(b"x-signature", headers["X-Signature"].encode())], "weh_1", **decade) == event

now = str(int(time.time()))
mac = hmac.digest(b"weh_1", f"1.{now}.".encode() + body, "sha256")
fresh = {"webhook-id": "1", "webhook-timestamp": now, "webhook-signature": "v1," + base64.b64encode(mac).decode()}
assert webhooks.verify(body, fresh, "weh_1") == event
refused("may be a replay", lambda: webhooks.verify(body, fresh, "weh_1", tolerance=float("nan")))

# A quiet stream that breaks again and again, and shows signs of life between, is taken up again each time.
tries = []


def broken(request):
    tries.append(request.headers.get("last-event-id"))
    ends = b'id: 9\ndata: {"id":"1","type":"x","payload":{}}\n\n' if len(tries) == 5 else b": still here\nid: 7\n\n"
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=ends)


quiet = Bursar("sk_test_0", "http://127.0.0.1:9", max_retries=1, http_client=httpx.Client(transport=httpx.MockTransport(broken)))
assert next(quiet.events.stream()).id == "1" and tries == [None, "7", "7", "7", "7"]

statement = types.Statement({"month": "2026-11", "from": "2026-11-01", "later": {"a": 1}})
assert statement.from_ == statement["from"] == "2026-11-01" and statement.later == {"a": 1} and "none" not in statement
assert pickle.loads(pickle.dumps(statement)) == copy.deepcopy(statement) == statement
assert "sk_test_0123456789" not in repr(vars(bursar.payments._transport))
error = pickle.loads(pickle.dumps(ApiError("No.", status=400, code="not_so")))
assert (error.status, error.code, error.message) == (400, "not_so", "No.")
try:
    statement.month = "2026-12"
except AttributeError:
    pass
else:
    raise AssertionError("a record was changed")


# What a process that is forked has of the one that it comes from: a server says on which connection it was asked.
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    goes_on = threading.Event()

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/events/stream":
            return self.send("application/json", json.dumps({"message": "", "data": {"id": str(self.client_address[1])}}))
        place = self.headers.get("last-event-id")
        self.send("text/event-stream", None)
        self.event(f"after {place}", "7")
        if place is None:
            self.goes_on.wait(30)
            self.event("the parent's", "8")
        else:
            self.goes_on.set()
        self.close_connection = True

    def send(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("X-Client-Request-Id", self.headers["X-Client-Request-Id"])
        if text is not None:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write((text or "").encode())

    def event(self, name, place):
        self.wfile.write(f'id: {place}\ndata: {{"id":"{name}","type":"x","payload":{{}}}}\n\n'.encode())
        self.wfile.flush()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
local = f"http://127.0.0.1:{server.server_address[1]}"


def in_child(do):
    """Fails where what a forked process does fails."""
    pid = os.fork()
    if pid == 0:
        try:
            do()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def asks_anew(client, before):
    assert client.payments.get("a").id != before
    client.close()


bursar = Bursar("sk_test_0", local)
place = bursar.payments.get("a").id
assert bursar.payments.get("a").id == place
in_child(lambda: asks_anew(bursar, place))
assert bursar.payments.get("a").id == place

given = Bursar("sk_test_0", local, http_client=httpx.Client())
in_child(lambda: given.payments.get("a"))
given.payments.get("a")
in_child(lambda: refused("make both in each process", lambda: given.payments.get("a")))

events = bursar.events.stream()
assert next(events).id == "after None"


def follows_anew():
    assert next(events).id == "after 7"
    events.close()


in_child(follows_anew)
assert next(events).id == "the parent's"

# Each event loop has connections of its own.
coroutines = AsyncBursar("sk_test_0", local)


async def ask():
    one, other = await coroutines.payments.get("a"), await coroutines.payments.get("a")
    assert one.id == other.id
    return one.id


places = {asyncio.run(ask()), asyncio.run(ask())}
assert len(places) == 2
in_child(lambda: places.add(asyncio.run(ask())))
