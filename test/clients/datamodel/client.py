import json
import os
from urllib.request import Request, urlopen

from pydantic import ValidationError

from bursar_models import (
    CreateCustomer,
    CreatePayout,
    CustomerAnswer,
    NigerianBankDestination,
    PaymentCompletedEvent,
    PayoutAnswer,
    PayoutDestination,
    PayoutInitiatedEvent,
    PayoutMethod,
    PayoutStatus,
    StreamedEvent,
    WalletCurrency,
    WalletListAnswer,
)

url, key = os.environ["BURSAR_URL"], os.environ["BURSAR_KEY"]


def ask(path, body=None):
    text = body.model_dump_json(exclude_unset=True).encode() if body else None
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return urlopen(Request(url + path, text, headers))


wallets = WalletListAnswer.model_validate_json(ask("/wallets?currency=ngn").read())
available: int = wallets.data[0].available
assert available == 6_000_000_000, wallets

customer = CustomerAnswer.model_validate_json(
    ask("/customers", CreateCustomer(name="Ada Okafor", email="ada@example.com")).read()
)
assert customer.data.type.value == "individual", customer

order = CreatePayout(
    reference="rent-2026-11",
    amount=3_000_000_000,
    currency=WalletCurrency.ngn,
    method=PayoutMethod.bank_transfer,
    destination=PayoutDestination(NigerianBankDestination(bank_code="058", account_number="0123456789")),
)
PayoutAnswer.model_validate_json(ask("/payouts", order).read())
payout = PayoutAnswer.model_validate_json(ask("/payouts/rent-2026-11").read()).data
assert payout.amount == 3_000_000_000 and payout.status != PayoutStatus.failed, payout
assert payout.destination.account_number == "0123456789", payout

# The body of a delivery, as the stream of events has it too.
for line in ask("/events/stream?after=0"):
    if line.startswith(b"data: ") and b'"payout.initiated"' in line:
        break
event = StreamedEvent.model_validate(json.loads(line.removeprefix(b"data: "))).root
assert isinstance(event, PayoutInitiatedEvent), event
assert event.payload.reference == "rent-2026-11", event
try:
    PaymentCompletedEvent.model_validate(json.loads(line.removeprefix(b"data: ")))
    raise AssertionError("another event's type was taken")
except ValidationError:
    pass
print("ok:", payout.status.value)
