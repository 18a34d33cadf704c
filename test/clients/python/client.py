import os

from bursar_client import AuthenticatedClient
from bursar_client.api.customers import create_customer
from bursar_client.api.payouts import create_payout, get_payout
from bursar_client.api.wallets import list_wallets
from bursar_client.models import (
    CreateCustomer,
    CreatePayout,
    CustomerAnswer,
    CustomerType,
    NigerianBankDestination,
    PayoutAnswer,
    PayoutMethod,
    PayoutStatus,
    WalletCurrency,
    WalletListAnswer,
)

client = AuthenticatedClient(base_url=os.environ["BURSAR_URL"], token=os.environ["BURSAR_KEY"])

wallets = list_wallets.sync(client=client, currency=WalletCurrency.NGN)
assert isinstance(wallets, WalletListAnswer), wallets
assert wallets.data[0].available == 6_000_000_000, wallets

customer = create_customer.sync(client=client, body=CreateCustomer(name="Ada Okafor", email="ada@example.com"))
assert isinstance(customer, CustomerAnswer), customer
assert customer.data.type_ == CustomerType.INDIVIDUAL, customer

created = create_payout.sync(
    client=client,
    body=CreatePayout(
        reference="rent-2026-11",
        amount=3_000_000_000,
        currency=WalletCurrency.NGN,
        method=PayoutMethod.BANK_TRANSFER,
        destination=NigerianBankDestination(bank_code="058", account_number="0123456789"),
    ),
)
payout = get_payout.sync("rent-2026-11", client=client)
assert isinstance(payout, PayoutAnswer), (created, payout)
assert payout.data.amount == 3_000_000_000, payout
assert payout.data.status in PayoutStatus and payout.data.status != PayoutStatus.FAILED, payout
assert payout.data.destination.account_number == "0123456789", payout
print("ok:", payout.data.status)
