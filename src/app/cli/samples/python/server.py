"""A shop of one page: it opens payments, and ships what a verified webhook says is paid. The standard library alone.

Settings come from the environment, or from .env beside this file.
"""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

dotenv = Path(__file__).with_name(".env")
if dotenv.exists():
    for line in dotenv.read_text().splitlines():
        name, _, value = line.partition("=")
        os.environ.setdefault(name, value)
URL = os.environ.get("BURSAR_URL", "http://localhost:4000")
API_KEY = os.environ.get("BURSAR_KEY", "")
SECRET = os.environ.get("WEBHOOK_SECRET", "")
PORT = int(os.environ.get("PORT", "3000"))

MOST_BYTES = 1_000_000
# What a webhook was sent longer ago, or ahead, than this is a replay.
TOLERANCE_SECONDS = 5 * 60
# Events that were acted on: yours is a table with a unique key, written in the transaction of what you do.
seen = set()


def is_from_bursar(body: bytes, headers) -> bool:
    """Whether Bursar sent a webhook, and just now.

    Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, the raw bytes, in base64.
    """
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not SECRET or not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= 12):
        return False
    if abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    # `weh_…` is the key itself, `whsec_…` the base64 of it.
    key = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
    signed = f"{event_id}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # There are two while a secret is rolled.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)


def open_payment() -> str:
    """Opens a payment, and returns where the payer goes."""
    order = {"amount": 250_000, "currency": "ngn", "description": "Running shoes"}
    request = urllib.request.Request(
        f"{URL}/payments",
        data=json.dumps(order).encode(),
        headers={"authorization": f"Bearer {API_KEY}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["data"]["checkout_url"]


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/":
            return self.answer(404)
        page = '<!doctype html><title>Shop</title><form method="post" action="/pay"><button>Buy shoes for ₦2,500.00</button></form>'
        self.answer(200, page.encode(), {"content-type": "text/html; charset=utf-8"})

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
            return self.answer(411 if length == "" else 413)
        body = self.rfile.read(int(length))
        if self.path == "/pay":
            try:
                return self.answer(303, headers={"location": open_payment()})
            except urllib.error.URLError as error:
                print(f"no payment was opened: {error}", flush=True)
                return self.answer(500)
        if self.path != "/webhook":
            return self.answer(404)
        if not is_from_bursar(body, self.headers):
            print("refused a webhook whose signature is wrong or old", flush=True)
            return self.answer(401)
        event = json.loads(body)
        if event["id"] not in seen:
            seen.add(event["id"])
            # Yours is a row in a queue; the work comes after the answer.
            print(f"verified {event['type']} {event['payload'].get('id', '')}", flush=True)
        self.answer(204)

    def answer(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", PORT), Shop)
print(f"The shop is at http://localhost:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
