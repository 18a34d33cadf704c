#!/usr/bin/env bash
# What `verify` of the Standard Webhooks libraries returns, besides whether the signature is right.
#
# One would guess: verify says whether a delivery is genuine, and leaves its body alone.
# True: it also parses the body as JSON and returns the result. In JavaScript amounts above 2^53 come
# back rounded (9007199254740993 as …992); Python returns them exact. A genuine delivery whose body is
# not JSON raises the JSON parser's error in both, and not WebhookVerificationError, so that a handler
# which answers 400 to that one alone answers 500. An empty body returns undefined in JavaScript and
# raises in Python.
#
# Why it matters to who runs payments: take only the verdict from verify, and parse the raw body yourself
# with a parser that keeps integers (amounts in minor units or base units of a token exceed 2^53).
#
# Versions: standardwebhooks 1.1.1 (npm), 1.1.0 (PyPI).
# Source: standard-webhooks/standard-webhooks, libraries/javascript and libraries/python.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund standardwebhooks@1.1.1
python3 -m venv env
env/bin/pip --quiet install standardwebhooks==1.1.0

cat > verify.mjs <<'JS'
import assert from 'node:assert/strict'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
const webhook = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
const deliver = (body) => {
  const now = new Date()
  const seconds = String(Math.floor(now / 1000))
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': webhook.sign('msg_1', now, body) }
  try {
    return webhook.verify(body, headers)
  } catch (error) {
    return error
  }
}
const large = deliver('{"amount":9007199254740993}')
const text = deliver('plain text')
const empty = deliver('')
console.log('npm ', large, '|', text.name, '|', empty)
assert.equal(large.amount, 9007199254740992)
assert.ok(text instanceof SyntaxError && !(text instanceof WebhookVerificationError))
assert.equal(empty, undefined)
JS
node verify.mjs

env/bin/python - <<'PY'
from datetime import datetime, timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
webhook = Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
def deliver(body):
    now = datetime.now(tz=timezone.utc)
    headers = {'webhook-id': 'msg_1', 'webhook-timestamp': str(int(now.timestamp())), 'webhook-signature': webhook.sign('msg_1', now, body)}
    try:
        return webhook.verify(body, headers)
    except Exception as error:
        return error
large, text, empty = deliver('{"amount":9007199254740993}'), deliver('plain text'), deliver('')
print('PyPI', large, '|', type(text).__name__, '|', type(empty).__name__)
assert large['amount'] == 9007199254740993
for error in (text, empty):
    assert isinstance(error, ValueError) and not isinstance(error, WebhookVerificationError)
PY
