"""A program as a user would write it: a strict type checker finds nothing, and knows what is what."""

from typing import List, Optional

from bursar import ApiError, AsyncBursar, Bursar, types, webhooks


def amounts(bursar: Bursar) -> List[int]:
    found: List[int] = [payment.amount for payment in bursar.payments.list(status="completed", limit=100)]
    page = bursar.payouts.list()
    first: types.Payout = page.docs[0]
    bank: Optional[str] = first.destination.bank_code
    print(bank, page.total_docs, first["amount"], bursar.statements.get("2026-11").from_)
    return found


def pay(bursar: Bursar, destination: types.NigerianBankDestinationParams) -> types.PayoutStatus:
    try:
        payout = bursar.payouts.create(
            reference="rent-2026-11",
            amount=5_000_000,
            currency="ngn",
            method="bank_transfer",
            destination=destination,
            metadata={"branch": "ikeja"},
            idempotency_key="rent-2026-11",
        )
    except ApiError as error:
        print(error.code, error.request_id, [issue.path for issue in error.errors])
        raise
    return payout.status


def received(body: bytes, headers: "dict[str, str]") -> int:
    event = webhooks.verify(body, headers, ["weh_new", "weh_old"])
    if event.type == "payment.completed":
        paid: types.Payment = event.payload
        return paid.amount_received
    if event.type == "payout.failed":
        print(event.payload.failure_reason)
    return 0


async def names(bursar: AsyncBursar) -> List[str]:
    page = await bursar.customers.list(limit=2)
    async with bursar.events.stream(after="0") as events:
        async for event in events:
            print(event.id, page.total_docs)
    return [customer.name async for customer in bursar.customers.list()]


def wrong(bursar: Bursar) -> None:
    bursar.payouts.create(reference="a", amount="5000", currency="ngn")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    bursar.payouts.create(reference="a", amount=5000, currency="gbp")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    bursar.payouts.create(amount=5000, currency="ngn")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    bursar.payouts.get("a").colour  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
