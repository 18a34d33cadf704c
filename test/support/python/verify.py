"""Verifies deliveries with the library of Standard Webhooks: cases as JSON on stdin, what came of each on stdout.

A case has the secret, whether its bytes are the key ("raw") or the constructor's text, headers, body, and how many
seconds later than now it is read.
"""

import datetime as time
import json
import sys

from standardwebhooks import webhooks


def verify(case):
    class Later(time.datetime):
        @classmethod
        def now(cls, tz=None):
            return time.datetime.now(tz) + time.timedelta(seconds=case["later"])

    webhooks.datetime = Later
    try:
        secret = case["secret"].encode() if case["raw"] else case["secret"]
        return webhooks.Webhook(secret).verify(case["body"].encode(), case["headers"])["id"]
    except webhooks.WebhookVerificationError as error:
        return str(error)
    finally:
        webhooks.datetime = time.datetime


print(json.dumps([verify(case) for case in json.load(sys.stdin)]))
