"""Generated from the OpenAPI document; `npm run sdk` makes it anew."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Union, cast

from . import _generated_operations as operations
from . import _generated_types as types
from ._core import NOT_GIVEN, NotGiven, Options
from ._stream import EventStream
from ._transport import Page, Resource, SyncTransport


class Server(Resource):
    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.ServiceInfo:
        """What this server is.

        Its version, and where its documents are.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.ServiceInfo",
            self._transport.call(
                operations.get_server,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_health(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Health:
        """Whether the server can work.

        200 when database, schema and workers (where this process knows of them) are fine, else 503. Not counted by the rate limit.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Health",
            self._transport.call(
                operations.get_health,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Proofs(Resource):
    def list_keys(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[types.ProofKey]:
        """List the keys that signed proofs.

        The one in use and those before it, each with the days it signed. Keep them where you verify.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "List[types.ProofKey]",
            self._transport.call(
                operations.list_proof_keys,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get(
        self,
        day: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.ProofOfDay:
        """Get the proof of a day.

        A signed root over all that was sealed on a day in UTC, in each cell. It never changes: keep a copy to detect any later change of the ledger’s history.

        :param day: The day in UTC, as 2026-11-20.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.ProofOfDay",
            self._transport.call(
                operations.get_proof,
                (day,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Wallets(Resource):
    def list(
        self,
        *,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> List[types.Wallet]:
        """List the wallets.

        A plain array: one wallet per currency. Both exist from the day the business does.

        :param currency: Only this one.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "List[types.Wallet]",
            self._transport.call(
                operations.list_wallets,
                (),
                {"currency": currency},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def simulate_funding(
        self,
        *,
        currency: types.WalletCurrency,
        amount: int,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Wallet:
        """Put test money into a wallet.

        At once, and without a fee: a transaction of type `simulated_fund`.

        :param currency: Which wallet to fund.
        :param amount: How much, in minor units.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Wallet",
            self._transport.call(
                operations.simulate_funding,
                (),
                {},
                {"currency": currency, "amount": amount},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class VirtualAccounts(Resource):
    def create(
        self,
        *,
        currency: types.WalletCurrency,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        kind: Union[types.VirtualAccountKind, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        expires_at: Union[str, NotGiven] = NOT_GIVEN,
        account_name: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.VirtualAccount:
        """Open a virtual account.

        A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires. With a live key the bank may take its time: then the account is `pending`, without a number, until `virtual_account.activated` or `virtual_account.failed`.

        :param currency: What it receives, and which wallet is credited.
        :param customer: Whose account it is. Required when `static`.
        :param kind: `static`: for good; `dynamic`: for one amount. Default `static`.
        :param amount: Dynamic: the one amount it is for, in minor units. Required then.
        :param expires_at: Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead.
        :param account_name: The holder that payers are shown. Default: the customer’s name, or the business’s.
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.VirtualAccount",
            self._transport.call(
                operations.create_virtual_account,
                (),
                {},
                {"customer": customer, "currency": currency, "kind": kind, "amount": amount, "expires_at": expires_at, "account_name": account_name, "reference": reference, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        status: Union[types.VirtualAccountStatus, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.VirtualAccount]:
        """List virtual accounts.

        Newest first. One-time accounts of payments are among them.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param customer: Only this customer’s.
        :param currency: Only this currency.
        :param status: Only this status.
        :param search: Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the last four digits of the number also match.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_virtual_accounts, (), {"page": page, "limit": limit, "after": after, "customer": customer, "currency": currency, "status": status, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        status: Union[types.VirtualAccountStatus, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export virtual accounts as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param customer: Only this customer’s.
        :param currency: Only this currency.
        :param status: Only this status.
        :param search: Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the last four digits of the number also match.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_virtual_accounts,
                (),
                {"customer": customer, "currency": currency, "status": status, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.VirtualAccount:
        """Get a virtual account.

        As it stands now: its number, bank and status.

        :param id: The virtual account.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.VirtualAccount",
            self._transport.call(
                operations.get_virtual_account,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def close(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.VirtualAccount:
        """Close a virtual account.

        Money that still comes is booked, and marked late.

        :param id: The virtual account.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.VirtualAccount",
            self._transport.call(
                operations.close_virtual_account,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def simulate_deposit(
        self,
        id: str,
        *,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        sender: Union[types.SenderParams, NotGiven] = NOT_GIVEN,
        notice: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Transaction:
        """Have test money arrive.

        Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives the same one.

        :param id: The virtual account.
        :param amount: How much, in minor units. A dynamic account knows its amount; a static one needs it.
        :param sender: Who sends the money. Left out, the bank does not tell.
        :param notice: The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it is a 409. Default: a new one.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Transaction",
            self._transport.call(
                operations.simulate_virtual_account_deposit,
                (id,),
                {},
                {"amount": amount, "sender": sender, "notice": notice},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class CryptoWallets(Resource):
    def simulate_deposit(
        self,
        id: str,
        *,
        amount: int,
        currency: types.CryptoCurrency,
        chain: Union[str, NotGiven] = NOT_GIVEN,
        sender: Union[str, NotGiven] = NOT_GIVEN,
        notice: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Transaction:
        """Have test tokens arrive.

        Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives the same one.

        :param id: The crypto wallet.
        :param amount: How much, in cents of the token.
        :param currency: The token.
        :param chain: A network id of GET /crypto/tokens. Default: `base`.
        :param sender: The address it comes from. Default: an address without an owner.
        :param notice: An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Transaction",
            self._transport.call(
                operations.simulate_crypto_wallet_deposit,
                (id,),
                {},
                {"amount": amount, "currency": currency, "chain": chain, "sender": sender, "notice": notice},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list_deposits(
        self,
        id: str,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.CryptoDepositStatus, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.CryptoDeposit]:
        """List what was sent to a crypto wallet on chains.

        Newest first, from the moment a block holds it. Simulated deposits are transactions only.

        :param id: The crypto wallet.
        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_crypto_wallet_deposits, (id,), {"page": page, "limit": limit, "after": after, "status": status}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def create(
        self,
        *,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        label: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.CryptoWallet:
        """Open a crypto wallet.

        One address for every network and token. What arrives credits the `usd` wallet.

        :param customer: Whose wallet it is.
        :param label: A name for your own use.
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.CryptoWallet",
            self._transport.call(
                operations.create_crypto_wallet,
                (),
                {},
                {"customer": customer, "label": label, "reference": reference, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.CryptoWalletStatus, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.CryptoWallet]:
        """List crypto wallets.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param customer: Only this customer’s.
        :param status: Only this status.
        :param search: Only those with this in their `label`, `reference` or address, or as their `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_crypto_wallets, (), {"page": page, "limit": limit, "after": after, "customer": customer, "status": status, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.CryptoWalletStatus, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export crypto wallets as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param customer: Only this customer’s.
        :param status: Only this status.
        :param search: Only those with this in their `label`, `reference` or address, or as their `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_crypto_wallets,
                (),
                {"customer": customer, "status": status, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CryptoWallet:
        """Get a crypto wallet.

        Its address, and the networks it receives on.

        :param id: The crypto wallet.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CryptoWallet",
            self._transport.call(
                operations.get_crypto_wallet,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def close(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CryptoWallet:
        """Close a crypto wallet.

        What still comes to its address is booked, and marked late.

        :param id: The crypto wallet.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CryptoWallet",
            self._transport.call(
                operations.close_crypto_wallet,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Payments(Resource):
    def create(
        self,
        *,
        amount: int,
        currency: types.WalletCurrency,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[str, NotGiven] = NOT_GIVEN,
        methods: Union[Sequence[types.PaymentMethod], NotGiven] = NOT_GIVEN,
        redirect_url: Union[str, NotGiven] = NOT_GIVEN,
        cancel_url: Union[str, NotGiven] = NOT_GIVEN,
        expires_at: Union[str, NotGiven] = NOT_GIVEN,
        fee_bearer: Union[types.FeeBearer, NotGiven] = NOT_GIVEN,
        on_mismatch: Union[types.MismatchRule, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Payment:
        """Open a payment.

        Send the payer to its `checkout_url`.

        :param amount: What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top.
        :param currency: The currency, and the wallet that is credited.
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param customer: The customer who pays.
        :param email: The payer’s email address.
        :param description: What it is for; the payer sees it.
        :param methods: How it may be paid. Default: every way.
        :param redirect_url: Where the payer is sent afterwards, with `reference` and `status` appended. https, or http on localhost.
        :param cancel_url: Where a payer who gives up is sent, with `reference` and `status` appended. https, or http on localhost.
        :param expires_at: Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead.
        :param fee_bearer: Who bears the fee. `customer`: the payer pays it on top. Default `business`.
        :param on_mismatch: What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Payment",
            self._transport.call(
                operations.create_payment,
                (),
                {},
                {"reference": reference, "amount": amount, "currency": currency, "customer": customer, "email": email, "description": description, "methods": methods, "redirect_url": redirect_url, "cancel_url": cancel_url, "expires_at": expires_at, "fee_bearer": fee_bearer, "on_mismatch": on_mismatch, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.PaymentStatus, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        method: Union[types.PaymentMethod, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        variance: Union[types.PaymentMismatch, NotGiven] = NOT_GIVEN,
        refunded: Union[bool, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Payment]:
        """List payments.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param currency: Only this currency.
        :param method: Only what was paid this way.
        :param customer: Only this customer’s.
        :param variance: Only those for which too little or too much came, or too late.
        :param refunded: `true`: only those of which something was given back.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units.
        :param email: Only payments of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000` or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the card also match.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payments, (), {"page": page, "limit": limit, "after": after, "status": status, "currency": currency, "method": method, "customer": customer, "variance": variance, "refunded": refunded, "from": from_, "to": to, "amount": amount, "email": email, "reference": reference, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        status: Union[types.PaymentStatus, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        method: Union[types.PaymentMethod, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        variance: Union[types.PaymentMismatch, NotGiven] = NOT_GIVEN,
        refunded: Union[bool, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export payments as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param status: Only this status.
        :param currency: Only this currency.
        :param method: Only what was paid this way.
        :param customer: Only this customer’s.
        :param variance: Only those for which too little or too much came, or too late.
        :param refunded: `true`: only those of which something was given back.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units.
        :param email: Only payments of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000` or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the card also match.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_payments,
                (),
                {"status": status, "currency": currency, "method": method, "customer": customer, "variance": variance, "refunded": refunded, "from": from_, "to": to, "amount": amount, "email": email, "reference": reference, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payment:
        """Get a payment.

        As it stands now. Ask this when the payer comes back to your page.

        :param id: The payment.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payment",
            self._transport.call(
                operations.get_payment,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_by_reference(
        self,
        reference: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payment:
        """Get a payment by its reference.

        By your own id, which you need not store ours for.

        :param reference: The payment’s reference.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payment",
            self._transport.call(
                operations.get_payment_by_reference,
                (reference,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payment:
        """Cancel a pending payment.

        Money that still comes is booked, and marked late.

        :param id: The payment.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payment",
            self._transport.call(
                operations.cancel_payment,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def simulate(
        self,
        id: str,
        *,
        outcome: types.SimulatedPaymentOutcome,
        method: Union[types.PaymentMethod, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Payment:
        """Have something happen to a test payment.

        As if the payer did it, by the same steps: `underpaid` and `overpaid` are for transfers; `failed` is a decline for good.

        :param id: The payment.
        :param outcome: What happens.
        :param method: How it is paid. Default: the first of its methods.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Payment",
            self._transport.call(
                operations.simulate_payment,
                (id,),
                {},
                {"outcome": outcome, "method": method},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def simulate_dispute(
        self,
        id: str,
        *,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        reason: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Dispute:
        """Open a test dispute.

        As if the payer’s bank took the money of a test payment back.

        :param id: The payment.
        :param amount: How much the payer’s bank takes back, in minor units. Default: all that is left.
        :param reason: Why; as a provider would say it.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Dispute",
            self._transport.call(
                operations.simulate_dispute,
                (id,),
                {},
                {"amount": amount, "reason": reason},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Collections(Resource):
    def create(
        self,
        *,
        name: str,
        currency: types.WalletCurrency,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        min_amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        max_amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        redirect_url: Union[Optional[str], NotGiven] = NOT_GIVEN,
        max_payments: Union[Optional[int], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Collection:
        """Make a reusable checkout link.

        Share its `checkout_url`: each use makes a payment.

        :param name: What payers see as its title.
        :param currency: The currency, and the wallet that is credited.
        :param description: What it is for; payers see it.
        :param amount: What each payer pays, in minor units. Null: the payer chooses.
        :param min_amount: The least a payer may choose.
        :param max_amount: The most a payer may choose.
        :param redirect_url: Where payers are sent afterwards: https, or http on localhost.
        :param max_payments: Maximum number of payments. Null: no limit.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Collection",
            self._transport.call(
                operations.create_collection,
                (),
                {},
                {"name": name, "description": description, "currency": currency, "amount": amount, "min_amount": min_amount, "max_amount": max_amount, "redirect_url": redirect_url, "max_payments": max_payments, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Collection]:
        """List collections.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param active: Only those that can be used, or cannot.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_collections, (), {"page": page, "limit": limit, "after": after, "active": active, "currency": currency, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export collections as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param active: Only those that can be used, or cannot.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_collections,
                (),
                {"active": active, "currency": currency, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Collection:
        """Get a collection.

        With what its payments have brought in so far.

        :param id: The collection.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Collection",
            self._transport.call(
                operations.get_collection,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        min_amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        max_amount: Union[Optional[int], NotGiven] = NOT_GIVEN,
        redirect_url: Union[Optional[str], NotGiven] = NOT_GIVEN,
        max_payments: Union[Optional[int], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Collection:
        """Change a collection.

        Only what is given changes. Payments that payers have opened stay as they are.

        :param id: The collection.
        :param name: What payers see as its title.
        :param description: What it is for; payers see it.
        :param active: Whether it can be used.
        :param amount: What each payer pays, in minor units. Null: the payer chooses.
        :param min_amount: The least a payer may choose.
        :param max_amount: The most a payer may choose.
        :param redirect_url: Where payers are sent afterwards: https, or http on localhost.
        :param max_payments: Maximum number of payments. Null: no limit.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Collection",
            self._transport.call(
                operations.update_collection,
                (id,),
                {},
                {"name": name, "description": description, "active": active, "amount": amount, "min_amount": min_amount, "max_amount": max_amount, "redirect_url": redirect_url, "max_payments": max_payments, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Collection:
        """Cancel a collection.

        For good. Payers who have started to pay can finish.

        :param id: The collection.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Collection",
            self._transport.call(
                operations.cancel_collection,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_payments(
        self,
        id: str,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Payment]:
        """List the payments of a collection.

        Newest first.

        :param id: The collection.
        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_collection_payments, (id,), {"page": page, "limit": limit, "after": after}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))


class Refunds(Resource):
    def create(
        self,
        *,
        payment: str,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        reason: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        transaction: Union[str, NotGiven] = NOT_GIVEN,
        destination: Union[types.PayoutDestinationParams, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Refund:
        """Refund a payment.

        In whole or in part. The amount is held at once; one refund at a time a payment. To a `destination` that the money did not come from it goes by a payout, which limits, approval, beneficiaries and screening hold for as for any, and needs the scope `refund_elsewhere`.

        :param payment: The payment.
        :param amount: How much, in minor units. Default: all that is left of the money that goes back this way.
        :param reason: Why; for your own eyes.
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param transaction: Of several that the payment received, the one whose money goes back. Default: where the latest came from.
        :param destination: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Refund",
            self._transport.call(
                operations.create_refund,
                (),
                {},
                {"payment": payment, "amount": amount, "reason": reason, "reference": reference, "transaction": transaction, "destination": destination, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        payment: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.RefundStatus, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Refund]:
        """List refunds.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param payment: Only this payment’s.
        :param status: Only this status.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units.
        :param email: Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_refunds, (), {"page": page, "limit": limit, "after": after, "payment": payment, "status": status, "from": from_, "to": to, "amount": amount, "email": email, "reference": reference, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        payment: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.RefundStatus, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export refunds as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param payment: Only this payment’s.
        :param status: Only this status.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units.
        :param email: Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_refunds,
                (),
                {"payment": payment, "status": status, "from": from_, "to": to, "amount": amount, "email": email, "reference": reference, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Refund:
        """Get a refund.

        As it stands now: `initiated` until the rail says how it ended.

        :param id: The refund.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Refund",
            self._transport.call(
                operations.get_refund,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def simulate(
        self,
        id: str,
        *,
        outcome: types.SimulatedRefundOutcome,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Refund:
        """End a test refund.

        As if the rail had said so. `returned` is for a refund that is completed: its rail takes that back, and it is `failed`.

        :param id: The refund.
        :param outcome: The outcome to simulate.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Refund",
            self._transport.call(
                operations.simulate_refund,
                (id,),
                {},
                {"outcome": outcome},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Disputes(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        payment: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.DisputeStatus, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Dispute]:
        """List disputes.

        Newest first. The operator of the installation answers them at the provider.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param payment: Only this payment’s.
        :param status: Only this status.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_disputes, (), {"page": page, "limit": limit, "after": after, "payment": payment, "status": status, "from": from_, "to": to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        payment: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.DisputeStatus, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export disputes as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param payment: Only this payment’s.
        :param status: Only this status.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_disputes,
                (),
                {"payment": payment, "status": status, "from": from_, "to": to, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Dispute:
        """Get a dispute.

        As it stands now: `open` until its provider has decided it.

        :param id: The dispute.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Dispute",
            self._transport.call(
                operations.get_dispute,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_evidence(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.DisputeEvidence:
        """Get the evidence of a dispute.

        The texts and files of the answer, and what came of it.

        :param id: The dispute.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.DisputeEvidence",
            self._transport.call(
                operations.get_dispute_evidence,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update_evidence(
        self,
        id: str,
        *,
        customer_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        customer_email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        customer_phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        explanation: Union[Optional[str], NotGiven] = NOT_GIVEN,
        delivery_address: Union[Optional[str], NotGiven] = NOT_GIVEN,
        delivery_date: Union[Optional[str], NotGiven] = NOT_GIVEN,
        files: Union[types.DisputeFilesParams, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.DisputeEvidence:
        """Change the evidence of a dispute.

        What is left out stays. Nothing is submitted by it.

        :param id: The dispute.
        :param customer_name: The payer’s name.
        :param customer_email: The payer’s email address.
        :param customer_phone: The payer’s phone number.
        :param explanation: What was sold and delivered, and why the payment is rightful.
        :param delivery_address: Where it was delivered to.
        :param delivery_date: When it was delivered.
        :param files: Files of evidence, one of each kind.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.DisputeEvidence",
            self._transport.call(
                operations.update_dispute_evidence,
                (id,),
                {},
                {"customer_name": customer_name, "customer_email": customer_email, "customer_phone": customer_phone, "explanation": explanation, "delivery_address": delivery_address, "delivery_date": delivery_date, "files": files},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def evidence_pdf(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """Get the evidence bundle of a dispute.

        One PDF with your evidence, the receipt, the delivery log and the proof of the ledger.

        :param id: The dispute.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_dispute_evidence_pdf,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def submit(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.DisputeEvidence:
        """Submit the evidence of a dispute.

        Sends it to the provider, which takes one answer to a dispute.

        :param id: The dispute.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.DisputeEvidence",
            self._transport.call(
                operations.submit_dispute_evidence,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def accept(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.DisputeEvidence:
        """Accept a dispute.

        The payer keeps the money, and the dispute is lost.

        :param id: The dispute.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.DisputeEvidence",
            self._transport.call(
                operations.accept_dispute,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def simulate(
        self,
        id: str,
        *,
        outcome: types.SimulatedDisputeOutcome,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Dispute:
        """Decide a test dispute.

        As if its provider had decided it.

        :param id: The dispute.
        :param outcome: How it is decided.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Dispute",
            self._transport.call(
                operations.simulate_dispute_end,
                (id,),
                {},
                {"outcome": outcome},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Products(Resource):
    def create(
        self,
        *,
        name: str,
        amount: int,
        currency: types.SaleCurrency,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        distribution: Union[Optional[str], NotGiven] = NOT_GIVEN,
        tax_rate_bps: Union[Optional[int], NotGiven] = NOT_GIVEN,
        tax_inclusive: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Product:
        """Add a product.

        Something that lines of invoices name.

        :param name: Shown on invoices.
        :param amount: The price of one, in minor units.
        :param currency: The currency of the price; `eur` is collected in usd.
        :param description: Only your team sees it.
        :param distribution: How what is paid for it is shared. Null: not at all.
        :param tax_rate_bps: The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing.
        :param tax_inclusive: Whether the price has the tax in it. Else, and unless it says, it comes on top.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Product",
            self._transport.call(
                operations.create_product,
                (),
                {},
                {"name": name, "amount": amount, "currency": currency, "description": description, "distribution": distribution, "tax_rate_bps": tax_rate_bps, "tax_inclusive": tax_inclusive, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Product]:
        """List products.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param active: Only those that are active, or archived.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_products, (), {"page": page, "limit": limit, "after": after, "active": active, "currency": currency, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export products as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param active: Only those that are active, or archived.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_products,
                (),
                {"active": active, "currency": currency, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Product:
        """Get a product.

        Also one that is archived.

        :param id: The product.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Product",
            self._transport.call(
                operations.get_product,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        distribution: Union[Optional[str], NotGiven] = NOT_GIVEN,
        tax_rate_bps: Union[Optional[int], NotGiven] = NOT_GIVEN,
        tax_inclusive: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Product:
        """Change a product.

        Only what is given changes. Lines of invoices stay as they are.

        :param id: The product.
        :param name: Shown on invoices.
        :param amount: The price of one, in minor units.
        :param description: Only your team sees it.
        :param distribution: How what is paid for it is shared. Null: not at all.
        :param tax_rate_bps: The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing.
        :param tax_inclusive: Whether the price has the tax in it. Else, and unless it says, it comes on top.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Product",
            self._transport.call(
                operations.update_product,
                (id,),
                {},
                {"name": name, "amount": amount, "description": description, "distribution": distribution, "tax_rate_bps": tax_rate_bps, "tax_inclusive": tax_inclusive, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def archive(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Product:
        """Archive a product.

        New lines cannot name it; lines that do stay.

        :param id: The product.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Product",
            self._transport.call(
                operations.archive_product,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def unarchive(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Product:
        """Bring a product back.

        New lines can name it again.

        :param id: The product.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Product",
            self._transport.call(
                operations.unarchive_product,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Distributions(Resource):
    def create(
        self,
        *,
        name: str,
        currency: types.SaleCurrency,
        shares: Sequence[types.DistributionShareParams],
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Distribution:
        """Make a distribution.

        Name it on products: what is paid for them by invoice is shared. To name destinations needs the scope `manage` beside `collect`.

        :param name: Only your team sees it.
        :param currency: The currency of the products it is for.
        :param shares: The shares; their percentages sum to at most 10000. The rest stays with the business.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Distribution",
            self._transport.call(
                operations.create_distribution,
                (),
                {},
                {"name": name, "currency": currency, "shares": shares, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Distribution]:
        """List distributions.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param active: Only those that are, or are not.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_distributions, (), {"page": page, "limit": limit, "after": after, "active": active, "currency": currency, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export distributions as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param active: Only those that are, or are not.
        :param currency: Only this currency.
        :param search: Only those with this in their `name`, or as their `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_distributions,
                (),
                {"active": active, "currency": currency, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Distribution:
        """Get a distribution.

        With what each share holds now, and what was paid out of it.

        :param id: The distribution.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Distribution",
            self._transport.call(
                operations.get_distribution,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        shares: Union[Sequence[types.DistributionShareParams], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Distribution:
        """Change a distribution.

        Only what is given changes; `shares` as a whole. What is shared already stays with its share. To change where one is paid needs the scope `manage` beside `collect`, and is in the audit log; the new destination cools off as a beneficiary does.

        :param id: The distribution.
        :param name: Only your team sees it.
        :param shares: The shares; their percentages sum to at most 10000. The rest stays with the business.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Distribution",
            self._transport.call(
                operations.update_distribution,
                (id,),
                {},
                {"name": name, "shares": shares, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def activate(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Distribution:
        """Turn a distribution on.

        What is paid from now on for products that name it is split.

        :param id: The distribution.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Distribution",
            self._transport.call(
                operations.activate_distribution,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def deactivate(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Distribution:
        """Turn a distribution off.

        It splits nothing then, and no product can name it.

        :param id: The distribution.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Distribution",
            self._transport.call(
                operations.deactivate_distribution,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def preview(
        self,
        id: str,
        *,
        amount: int,
        quantity: Union[int, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.DistributionPreview:
        """See how an amount would be split.

        By the very function that splits what is paid.

        :param id: The distribution.
        :param amount: What a line comes to, in minor units.
        :param quantity: Units sold. Default 1.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.DistributionPreview",
            self._transport.call(
                operations.preview_distribution,
                (id,),
                {},
                {"amount": amount, "quantity": quantity},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def settle(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.DistributionSettlement:
        """Pay out what the shares hold.

        By ordinary payouts. One that fails brings the money back to its share. A share whose destination cools off is skipped, and keeps what it holds.

        :param id: The distribution.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.DistributionSettlement",
            self._transport.call(
                operations.settle_distribution,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )


class Invoices(Resource):
    def create(
        self,
        *,
        customer: str,
        lines: Sequence[types.NewInvoiceLineParams],
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        due_date: Union[Optional[str], NotGiven] = NOT_GIVEN,
        memo: Union[Optional[str], NotGiven] = NOT_GIVEN,
        reminders: Union[types.InvoiceRemindersParams, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Invoice:
        """Draft an invoice.

        Lines copy their products as they are now, but for what they say themselves: name, amount, taxes. A line without a product has a name and an amount.

        :param customer: Who is asked. Fixed for good.
        :param lines: What is asked money for; all in one currency.
        :param currency: Of lines without a product. Default: that of the products.
        :param due_date: When it is due: a day of your time zone, or a time on it.
        :param memo: A note to the customer, printed below the lines.
        :param reminders: Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.create_invoice,
                (),
                {},
                {"customer": customer, "lines": lines, "currency": currency, "due_date": due_date, "memo": memo, "reminders": reminders, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.InvoiceStatus, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        overdue: Union[bool, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        number: Union[int, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Invoice]:
        """List invoices.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param customer: Only this customer’s.
        :param currency: Only this currency.
        :param overdue: `true`: only open ones whose `due_day` is over.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param number: Only the one of this number.
        :param amount: Only of exactly this `total`, in minor units.
        :param email: Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`.
        :param search: Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those of customers whose name or email address it finds in `GET /customers`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_invoices, (), {"page": page, "limit": limit, "after": after, "status": status, "customer": customer, "currency": currency, "overdue": overdue, "from": from_, "to": to, "number": number, "amount": amount, "email": email, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def preview(
        self,
        *,
        lines: Sequence[types.NewInvoiceLineParams],
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.InvoicePreview:
        """Work out the total of an invoice.

        With discounts and taxes, by the rules of `POST /invoices`. Nothing is stored.

        :param lines: What is asked money for; all in one currency.
        :param currency: Of lines without a product. Default: that of the products.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.InvoicePreview",
            self._transport.call(
                operations.preview_invoice,
                (),
                {},
                {"lines": lines, "currency": currency},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def export(
        self,
        *,
        status: Union[types.InvoiceStatus, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        overdue: Union[bool, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        number: Union[int, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        by_tax_rate: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export invoices as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone. With `by_tax_rate`, a row for each tax rate.

        :param status: Only this status.
        :param customer: Only this customer’s.
        :param currency: Only this currency.
        :param overdue: `true`: only open ones whose `due_day` is over.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param number: Only the one of this number.
        :param amount: Only of exactly this `total`, in minor units.
        :param email: Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`.
        :param search: Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those of customers whose name or email address it finds in `GET /customers`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param by_tax_rate: Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_invoices,
                (),
                {"status": status, "customer": customer, "currency": currency, "overdue": overdue, "from": from_, "to": to, "number": number, "amount": amount, "email": email, "search": search, "spreadsheet": spreadsheet, "by_tax_rate": by_tax_rate},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Invoice:
        """Get an invoice.

        In any state, with its lines.

        :param id: The invoice.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.get_invoice,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        lines: Union[Sequence[types.NewInvoiceLineParams], NotGiven] = NOT_GIVEN,
        currency: Union[types.SaleCurrency, NotGiven] = NOT_GIVEN,
        due_date: Union[Optional[str], NotGiven] = NOT_GIVEN,
        memo: Union[Optional[str], NotGiven] = NOT_GIVEN,
        reminders: Union[types.InvoiceRemindersParams, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Invoice:
        """Change a draft.

        Only what is given changes; `lines` as a whole, which copy their products anew.

        :param id: The invoice.
        :param lines: What is asked money for; all in one currency.
        :param currency: Of lines without a product. Default: that of the products.
        :param due_date: When it is due: a day of your time zone, or a time on it.
        :param memo: A note to the customer, printed below the lines.
        :param reminders: Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.update_invoice,
                (id,),
                {},
                {"lines": lines, "currency": currency, "due_date": due_date, "memo": memo, "reminders": reminders, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Invoice:
        """Delete a draft.

        What was finalized is voided, not deleted. The answer is the draft as it was last.

        :param id: The invoice.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.delete_invoice,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def finalize(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Invoice:
        """Finalize an invoice.

        It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more.

        :param id: The invoice.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.finalize_invoice,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def void(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Invoice:
        """Void an open invoice.

        Its payment is canceled. Money that still comes is booked, and marked late.

        :param id: The invoice.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.void_invoice,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def send(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Invoice:
        """Mail an open invoice.

        To the customer’s address of today, with its PDF and the link to its page; ten times a day to one recipient. Test mode captures it, but for what goes to people of your team: `npx bursar mail`.

        :param id: The invoice.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Invoice",
            self._transport.call(
                operations.send_invoice,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_pdf(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """Get an invoice as a PDF.

        In any state: what it is stands on it.

        :param id: The invoice.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_invoice_pdf,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class CreditNotes(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        invoice: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.CreditNote]:
        """List credit notes.

        Newest first: one for each refund of a paid invoice that was completed.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param invoice: Only those of this invoice.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_credit_notes, (), {"page": page, "limit": limit, "after": after, "invoice": invoice, "from": from_, "to": to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        invoice: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        by_tax_rate: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export credit notes as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone. With `by_tax_rate`, a row for each tax rate.

        :param invoice: Only those of this invoice.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param by_tax_rate: Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_credit_notes,
                (),
                {"invoice": invoice, "from": from_, "to": to, "spreadsheet": spreadsheet, "by_tax_rate": by_tax_rate},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CreditNote:
        """Get a credit note.

        What of a paid invoice was given back by a refund.

        :param id: The credit note.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CreditNote",
            self._transport.call(
                operations.get_credit_note,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def send(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CreditNote:
        """Mail a credit note.

        To the customer’s address of today, with its PDF; ten times a day to one recipient. Test mode captures it as it does invoices.

        :param id: The credit note.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CreditNote",
            self._transport.call(
                operations.send_credit_note,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_pdf(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """Get a credit note as a PDF.

        Also one that is void: it says so.

        :param id: The credit note.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_credit_note_pdf,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Payouts(Resource):
    def quote(
        self,
        *,
        amount: int,
        currency: types.WalletCurrency,
        method: types.PayoutMethod,
        destination: types.QuoteDestinationParams,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutQuote:
        """Quote a payout.

        What it would cost and what would arrive. Nothing is debited; the price holds for five minutes.

        :param amount: What would leave the wallet, in minor units. 0 asks for the least fee and the rate.
        :param currency: The wallet to pay from.
        :param method: By what means.
        :param destination: Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a payout’s destination as is known.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutQuote",
            self._transport.call(
                operations.quote_payout,
                (),
                {},
                {"amount": amount, "currency": currency, "method": method, "destination": destination},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def create(
        self,
        *,
        reference: str,
        amount: int,
        currency: types.WalletCurrency,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        destination: Union[types.PayoutDestinationParams, NotGiven] = NOT_GIVEN,
        beneficiary: Union[str, NotGiven] = NOT_GIVEN,
        quote: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Payout:
        """Create a payout.

        Moves the amount from available to pending and hands the payout to the rail; one that is above a limit (`GET /limits`) waits for a second person before that. One payout per reference. It goes to a `destination`, or to a `beneficiary` that you have saved.

        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param amount: What leaves the wallet, in minor units; the fee comes out of it.
        :param currency: The wallet to pay from.
        :param method: By what means. Needed with `destination`.
        :param destination: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
        :param beneficiary: One of your beneficiaries, in place of `destination`: its own is copied.
        :param quote: A quote for the same payout: its fee and rate hold until it expires. It prices one payout.
        :param description: Only your team sees it.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.create_payout,
                (),
                {},
                {"reference": reference, "amount": amount, "currency": currency, "method": method, "destination": destination, "beneficiary": beneficiary, "quote": quote, "description": description, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.PayoutStatus, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        approval: Union[types.PayoutApprovalSought, NotGiven] = NOT_GIVEN,
        beneficiary: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Payout]:
        """List payouts.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param currency: Only from this wallet.
        :param method: Only this means.
        :param approval: Only those that wait for a second person, or that one has approved or refused.
        :param beneficiary: Only those that were made for this beneficiary.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match. So does the account number or address that they go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payouts, (), {"page": page, "limit": limit, "after": after, "status": status, "currency": currency, "method": method, "approval": approval, "beneficiary": beneficiary, "from": from_, "to": to, "amount": amount, "reference": reference, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        status: Union[types.PayoutStatus, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        approval: Union[types.PayoutApprovalSought, NotGiven] = NOT_GIVEN,
        beneficiary: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        amount: Union[int, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export payouts as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param status: Only this status.
        :param currency: Only from this wallet.
        :param method: Only this means.
        :param approval: Only those that wait for a second person, or that one has approved or refused.
        :param beneficiary: Only those that were made for this beneficiary.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param amount: Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match. So does the account number or address that they go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_payouts,
                (),
                {"status": status, "currency": currency, "method": method, "approval": approval, "beneficiary": beneficiary, "from": from_, "to": to, "amount": amount, "reference": reference, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        reference: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payout:
        """Get a payout by its reference.

        By your own id. After a lost answer, ask this before you create the payout again.

        :param reference: Your reference of the payout.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.get_payout,
                (reference,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def cancel(
        self,
        reference: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payout:
        """Cancel a pending payout.

        Possible until the rail is asked. The amount is available again.

        :param reference: Your reference of the payout.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.cancel_payout,
                (reference,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def decide(
        self,
        *,
        decision: types.PayoutDecision,
        references: Sequence[str],
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutDecisions:
        """Approve or refuse payouts.

        Up to 100 that wait for a second person, each as if it came alone: `skipped` has those that stay as they were. Needs the scope `approve`.

        :param decision: What becomes of them.
        :param references: The payouts, by your references: up to 100.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutDecisions",
            self._transport.call(
                operations.decide_payouts,
                (),
                {},
                {"decision": decision, "references": references},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def approve(
        self,
        reference: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payout:
        """Approve a payout that waits.

        It goes to its rail, at the price it was made at. Needs the scope `approve`; who made the payout, or made the key that did, cannot.

        :param reference: Your reference of the payout.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.approve_payout,
                (reference,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def refuse(
        self,
        reference: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Payout:
        """Refuse a payout that waits.

        It is canceled, and its amount is available again. Needs the scope `approve`.

        :param reference: Your reference of the payout.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.refuse_payout,
                (reference,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def simulate(
        self,
        reference: str,
        *,
        outcome: types.SimulatedPayoutOutcome,
        failure_reason: Union[types.PayoutFailureReason, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Payout:
        """End a test payout.

        As if the rail had said so. `returned` is for a payout that is completed: the money comes back.

        :param reference: Your reference of the payout.
        :param outcome: The outcome to simulate.
        :param failure_reason: Why it fails, or comes back. Default `unknown`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Payout",
            self._transport.call(
                operations.simulate_payout,
                (reference,),
                {},
                {"outcome": outcome, "failure_reason": failure_reason},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Reports(Resource):
    def get_payouts(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutReport:
        """Get what became of payouts.

        Those that were made in a period, by wallet, status, reason and means: how many, what was charged and what was sent. One by one they are in `GET /payouts/export`.

        :param from_: A time, or a day of your time zone. Default: the first of this month.
        :param to: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutReport",
            self._transport.call(
                operations.get_payout_report,
                (),
                {"from": from_, "to": to},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get_fees(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        by: Union[types.ReportStep, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> types.FeesReport:
        """Get what was paid in fees.

        By day or month of your business’s time zone, wallet, what it was charged for, and means, as the ledger has it; a fee counts when it was taken. The totals are those of the statements.

        :param from_: A time, or a day of your time zone. Default: the first of this month.
        :param to: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
        :param by: What a line is of.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "types.FeesReport",
            self._transport.call(
                operations.get_fees_report,
                (),
                {"from": from_, "to": to, "by": by},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get_fees_csv(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        by: Union[types.ReportStep, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Get the fees report as CSV.

        A line for each of its lines.

        :param from_: A time, or a day of your time zone. Default: the first of this month.
        :param to: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
        :param by: What a line is of.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_fees_report_csv,
                (),
                {"from": from_, "to": to, "by": by, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get_settlements(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        by: Union[types.ReportStep, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> types.SettlementReport:
        """Get what came from payers.

        Payments and deposits by day or month of your business’s time zone, wallet and means: what was paid, the fees kept of it, and what reached the wallet. The totals are those of the statements.

        :param from_: A time, or a day of your time zone. Default: the first of this month.
        :param to: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
        :param by: What a line is of.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "types.SettlementReport",
            self._transport.call(
                operations.get_settlement_report,
                (),
                {"from": from_, "to": to, "by": by},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get_settlements_csv(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        by: Union[types.ReportStep, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Get the settlement report as CSV.

        A line for each of its lines.

        :param from_: A time, or a day of your time zone. Default: the first of this month.
        :param to: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
        :param by: What a line is of.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_settlement_report_csv,
                (),
                {"from": from_, "to": to, "by": by, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )


class Conversions(Resource):
    def quote(
        self,
        *,
        amount: int,
        currency: types.WalletCurrency,
        destination_currency: types.WalletCurrency,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.ConversionQuote:
        """Quote a conversion.

        What it would cost and give, held for five minutes. Nothing moves.

        :param amount: What leaves the wallet, fee included, in minor units.
        :param currency: The wallet that it leaves.
        :param destination_currency: The wallet that it comes into.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.ConversionQuote",
            self._transport.call(
                operations.quote_conversion,
                (),
                {},
                {"amount": amount, "currency": currency, "destination_currency": destination_currency},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def create(
        self,
        *,
        quote: str,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Conversion:
        """Convert money.

        From one of your wallets into the other, at once, at the rate and fee of a quote. A quote makes one conversion.

        :param quote: The quote: what is converted, and at which rate. It makes one conversion.
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Conversion",
            self._transport.call(
                operations.create_conversion,
                (),
                {},
                {"quote": quote, "reference": reference, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Conversion]:
        """List conversions.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param currency: Only out of this wallet.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_conversions, (), {"page": page, "limit": limit, "after": after, "currency": currency, "from": from_, "to": to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export conversions as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param currency: Only out of this wallet.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_conversions,
                (),
                {"currency": currency, "from": from_, "to": to, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Conversion:
        """Get a conversion.

        One that was made; nothing of it changes any more.

        :param id: The conversion.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Conversion",
            self._transport.call(
                operations.get_conversion,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class PayoutBatches(Resource):
    def create(
        self,
        *,
        reference: str,
        currency: types.WalletCurrency,
        lines: Sequence[types.PayoutBatchLineInputParams],
        description: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        dry_run: Union[bool, NotGiven] = NOT_GIVEN,
        skip_bad: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutBatch:
        """Make payouts in a batch.

        Up to 10,000, checked before any is made: a line that cannot be paid stops the batch, or is left out with `skip_bad`. They are ordinary payouts, made by and by: `GET /payout-batches/{id}` says how far it is. With `dry_run` it is a draft, which names each bad line and waits to be confirmed.

        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param currency: The wallet to pay from.
        :param lines: The payouts: up to 10,000.
        :param description: Only your team sees it.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param dry_run: Keep it as a `draft`, which pays nobody before it is confirmed. Default `false`.
        :param skip_bad: Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutBatch",
            self._transport.call(
                operations.create_payout_batch,
                (),
                {},
                {"reference": reference, "currency": currency, "lines": lines, "description": description, "metadata": metadata, "dry_run": dry_run, "skip_bad": skip_bad},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.PayoutBatchStatus, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.PayoutBatch]:
        """List batches of payouts.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payout_batches, (), {"page": page, "limit": limit, "after": after, "status": status}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.PayoutBatch:
        """Get a batch of payouts.

        How many lines stand where, and how many of its payouts.

        :param id: The batch.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.PayoutBatch",
            self._transport.call(
                operations.get_payout_batch,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_lines(
        self,
        id: str,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        status: Union[types.PayoutBatchLineStatus, NotGiven] = NOT_GIVEN,
        failed: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.PayoutBatchLine]:
        """List the lines of a batch.

        In their order: whom each pays, and which payout it has become, or why it has not.

        :param id: The batch.
        :param page: Which page, from 1.
        :param limit: Records a page.
        :param status: Only lines that stand there.
        :param failed: Only lines that were refused, or whose payout failed, came back or was canceled.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payout_batch_lines, (id,), {"page": page, "limit": limit, "status": status, "failed": failed}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        id: str,
        *,
        debtor_account: str,
        debtor_bank: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export a batch for a bank.

        The lines that are not paid here, as payment orders of ISO 20022 (`pain.001.001.09`). Cancel a draft first, so that it cannot be confirmed here too.

        :param id: The batch.
        :param debtor_account: The account that your bank shall pay from: an IBAN, or its number.
        :param debtor_bank: Your bank: a BIC, or its code in the clearing.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_payout_batch,
                (id,),
                {"debtor_account": debtor_account, "debtor_bank": debtor_bank},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def confirm(
        self,
        id: str,
        *,
        skip_bad: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutBatch:
        """Confirm a draft of a batch.

        Has its payouts made, by who confirms it.

        :param id: The batch.
        :param skip_bad: Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutBatch",
            self._transport.call(
                operations.confirm_payout_batch,
                (id,),
                {},
                {"skip_bad": skip_bad},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def retry(
        self,
        id: str,
        *,
        reference: str,
        lines: Union[Sequence[int], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutBatch:
        """Pay again what failed of a batch.

        Makes a draft of the lines that were refused, or whose payout failed, came back or was not approved in time. It pays nobody before you confirm it. A line is in one such batch at a time.

        :param id: The batch.
        :param reference: The reference of the new batch.
        :param lines: Only these lines. Default: all that failed.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutBatch",
            self._transport.call(
                operations.retry_payout_batch,
                (id,),
                {},
                {"reference": reference, "lines": lines},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.PayoutBatch:
        """Cancel remaining lines of a batch.

        No more payouts are made of it. Those that were made stay, and can be canceled each while it is pending.

        :param id: The batch.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.PayoutBatch",
            self._transport.call(
                operations.cancel_payout_batch,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )


class PayoutSchedules(Resource):
    def create(
        self,
        *,
        currency: types.WalletCurrency,
        beneficiary: str,
        interval: types.PayoutInterval,
        weekday: Union[types.Weekday, NotGiven] = NOT_GIVEN,
        day: Union[int, NotGiven] = NOT_GIVEN,
        time: Union[str, NotGiven] = NOT_GIVEN,
        keep: Union[int, NotGiven] = NOT_GIVEN,
        minimum: Union[int, NotGiven] = NOT_GIVEN,
        maximum: Union[Optional[int], NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutSchedule:
        """Create a payout schedule.

        Has what a wallet holds above `keep` paid to an account of your own, daily, weekly or monthly. Each run is an ordinary payout.

        :param currency: The wallet to pay from.
        :param beneficiary: Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor.
        :param interval: How often.
        :param weekday: On which day of the week; of `weekly` alone.
        :param day: On which day of the month; of `monthly` alone. A month that has fewer days pays on its last.
        :param time: When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`.
        :param keep: What stays in the wallet, in minor units. Default 0.
        :param minimum: The least that it pays: with less than this above `keep`, a run pays nothing. Default 1.
        :param maximum: The most that a run pays; the rest stays for the next. Null: all there is above `keep`.
        :param description: For your own eyes: the description of each payout.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutSchedule",
            self._transport.call(
                operations.create_payout_schedule,
                (),
                {},
                {"currency": currency, "beneficiary": beneficiary, "interval": interval, "weekday": weekday, "day": day, "time": time, "keep": keep, "minimum": minimum, "maximum": maximum, "description": description, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.PayoutScheduleStatus, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.PayoutSchedule]:
        """List payout schedules.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param currency: Only of this wallet.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payout_schedules, (), {"page": page, "limit": limit, "after": after, "status": status, "currency": currency}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.PayoutSchedule:
        """Get a payout schedule.

        With its next runs, and what one would pay now.

        :param id: The payout schedule.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.PayoutSchedule",
            self._transport.call(
                operations.get_payout_schedule,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        status: Union[types.PayoutScheduleStatus, NotGiven] = NOT_GIVEN,
        beneficiary: Union[str, NotGiven] = NOT_GIVEN,
        interval: Union[types.PayoutInterval, NotGiven] = NOT_GIVEN,
        weekday: Union[types.Weekday, NotGiven] = NOT_GIVEN,
        day: Union[int, NotGiven] = NOT_GIVEN,
        time: Union[str, NotGiven] = NOT_GIVEN,
        keep: Union[int, NotGiven] = NOT_GIVEN,
        minimum: Union[int, NotGiven] = NOT_GIVEN,
        maximum: Union[Optional[int], NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.PayoutSchedule:
        """Change a payout schedule.

        Pauses it, resumes it, or changes its rule, which moves the next run. Fields that are left out stay as they are.

        :param id: The payout schedule.
        :param status: `paused`: no run until it is `active` again.
        :param beneficiary: Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor.
        :param interval: How often.
        :param weekday: On which day of the week; of `weekly` alone.
        :param day: On which day of the month; of `monthly` alone. A month that has fewer days pays on its last.
        :param time: When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`.
        :param keep: What stays in the wallet, in minor units. Default 0.
        :param minimum: The least that it pays: with less than this above `keep`, a run pays nothing. Default 1.
        :param maximum: The most that a run pays; the rest stays for the next. Null: all there is above `keep`.
        :param description: For your own eyes: the description of each payout.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.PayoutSchedule",
            self._transport.call(
                operations.update_payout_schedule,
                (id,),
                {},
                {"status": status, "beneficiary": beneficiary, "interval": interval, "weekday": weekday, "day": day, "time": time, "keep": keep, "minimum": minimum, "maximum": maximum, "description": description, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.PayoutSchedule:
        """Delete a payout schedule.

        It runs no more, and reads as not found. Payouts that it has made stay as they are.

        :param id: The payout schedule.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.PayoutSchedule",
            self._transport.call(
                operations.delete_payout_schedule,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_runs(
        self,
        id: str,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.PayoutScheduleRun]:
        """List the runs of a payout schedule.

        What each came to: a payout, or why there is none. The latest first.

        :param id: The payout schedule.
        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_payout_schedule_runs, (id,), {"page": page, "limit": limit, "after": after}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))


class Limits(Resource):
    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Limits:
        """Get the limits of payouts.

        Above what payouts wait for a second person or are refused, and what today has sent.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Limits",
            self._transport.call(
                operations.get_limits,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        *,
        currencies: Union[Sequence[types.PayoutLimitChangeParams], NotGiven] = NOT_GIVEN,
        approval_hours: Union[int, NotGiven] = NOT_GIVEN,
        payouts_by_key: Union[types.PayoutsByKey, NotGiven] = NOT_GIVEN,
        beneficiary_cooling_off_hours: Union[int, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Limits:
        """Change the limits of payouts.

        From now on; fields that are left out stay as they are. In live mode what loosens limits waits, as `pending_change`, for 24 hours or until a second person confirms it; every owner is mailed. Another that loosens takes its place, and what you make stricter is taken from it. A key that can create payouts can make limits stricter only.

        :param currencies: Wallets that are left out stay as they are.
        :param approval_hours: How long a payout waits for a second person before it is canceled and given back. 1 to 720; default 24.
        :param payouts_by_key: Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any. Default `any`.
        :param beneficiary_cooling_off_hours: How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. 0 to 720, from the next change on; default 24.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Limits",
            self._transport.call(
                operations.update_limits,
                (),
                {},
                {"currencies": currencies, "approval_hours": approval_hours, "payouts_by_key": payouts_by_key, "beneficiary_cooling_off_hours": beneficiary_cooling_off_hours},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def confirm_pending(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Limits:
        """Confirm a change that loosens limits.

        It takes effect at once. The person who requested the change cannot confirm it, nor can their keys. For 72 hours after an invitation, neither can a person whom they invited, who invited them, or whom the same person invited.

        :param id: The `id` of `pending_change`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Limits",
            self._transport.call(
                operations.confirm_pending_limits,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def cancel_pending(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Limits:
        """Cancel a change that loosens limits.

        The limits stay as they are. The person who requested the change can cancel it too.

        :param id: The `id` of `pending_change`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Limits",
            self._transport.call(
                operations.cancel_pending_limits,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def rules(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.LimitRules:
        """Get how often limits fired.

        How often each limit, your own and the operator’s, refused a payout or had it wait: today, and in the last 7 and 30 days of UTC.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.LimitRules",
            self._transport.call(
                operations.get_limit_rules,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Beneficiaries(Resource):
    def create(
        self,
        *,
        label: str,
        method: types.PayoutMethod,
        destination: types.PayoutDestinationParams,
        own: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Beneficiary:
        """Save a beneficiary.

        Where you pay to, with the holder’s name as the bank knows it. Payouts can name it by its id once it has cooled off (`GET /limits`).

        :param label: A name for your own use.
        :param method: By what means it is paid.
        :param destination: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
        :param own: Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor. Default `false`.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Beneficiary",
            self._transport.call(
                operations.create_beneficiary,
                (),
                {},
                {"label": label, "method": method, "destination": destination, "own": own, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[types.BeneficiaryStatus, NotGiven] = NOT_GIVEN,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        own: Union[bool, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Beneficiary]:
        """List beneficiaries.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param method: Only this means.
        :param own: Only accounts of your own, or only others.
        :param search: Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_beneficiaries, (), {"page": page, "limit": limit, "after": after, "status": status, "method": method, "own": own, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        status: Union[types.BeneficiaryStatus, NotGiven] = NOT_GIVEN,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        own: Union[bool, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export beneficiaries as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param status: Only this status.
        :param method: Only this means.
        :param own: Only accounts of your own, or only others.
        :param search: Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_beneficiaries,
                (),
                {"status": status, "method": method, "own": own, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Beneficiary:
        """Get a beneficiary.

        Not one that was deleted.

        :param id: The beneficiary.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Beneficiary",
            self._transport.call(
                operations.get_beneficiary,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        label: Union[str, NotGiven] = NOT_GIVEN,
        method: Union[types.PayoutMethod, NotGiven] = NOT_GIVEN,
        destination: Union[types.PayoutDestinationParams, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Beneficiary:
        """Change a beneficiary.

        Fields that are left out stay as they are. Give a destination as a whole: its holder is looked up. If it is another account, the beneficiary cools off again, and an account of your own must be confirmed again.

        :param id: The beneficiary.
        :param label: A name for your own use.
        :param method: By what means it is paid.
        :param destination: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Beneficiary",
            self._transport.call(
                operations.update_beneficiary,
                (id,),
                {},
                {"label": label, "method": method, "destination": destination, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Beneficiary:
        """Delete a beneficiary.

        It reads as not found from now on. Payouts that were made for it stay as they are.

        :param id: The beneficiary.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Beneficiary",
            self._transport.call(
                operations.delete_beneficiary,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Customers(Resource):
    def create(
        self,
        *,
        email: str,
        name: Union[str, NotGiven] = NOT_GIVEN,
        type: Union[types.CustomerType, NotGiven] = NOT_GIVEN,
        first_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        last_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        address: Union[Optional[types.AddressParams], NotGiven] = NOT_GIVEN,
        reference: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Customer:
        """Create a customer.

        Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted.

        :param email: Where to write to.
        :param name: The whole name. Made of `first_name` and `last_name` when it is left out.
        :param type: A person or a company.
        :param first_name: Given name.
        :param last_name: Family name.
        :param phone: E.164.
        :param address: 
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Customer",
            self._transport.call(
                operations.create_customer,
                (),
                {},
                {"name": name, "email": email, "type": type, "first_name": first_name, "last_name": last_name, "phone": phone, "address": address, "reference": reference, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Customer]:
        """List customers.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param email: Only customers of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and those with this text as the beginning of their `reference`, or as their `phone` or `id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_customers, (), {"page": page, "limit": limit, "after": after, "from": from_, "to": to, "email": email, "reference": reference, "search": search}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        reference: Union[str, NotGiven] = NOT_GIVEN,
        search: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export customers as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param email: Only customers of this email address, whatever its case. Write its `+` as `%2B`.
        :param reference: Only those whose `reference` begins with this.
        :param search: Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and those with this text as the beginning of their `reference`, or as their `phone` or `id`.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_customers,
                (),
                {"from": from_, "to": to, "email": email, "reference": reference, "search": search, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Customer:
        """Get a customer.

        Not one that was deleted.

        :param id: The customer.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Customer",
            self._transport.call(
                operations.get_customer,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        type: Union[types.CustomerType, NotGiven] = NOT_GIVEN,
        first_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        last_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        address: Union[Optional[types.AddressParams], NotGiven] = NOT_GIVEN,
        reference: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Customer:
        """Change a customer.

        Fields that are left out stay as they are; null clears one. New parts of the name rebuild `name`, unless it is given too; one part alone does not.

        :param id: The customer.
        :param name: The whole name. Made of `first_name` and `last_name` when it is left out.
        :param email: Where to write to.
        :param type: A person or a company.
        :param first_name: Given name.
        :param last_name: Family name.
        :param phone: E.164.
        :param address: 
        :param reference: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Customer",
            self._transport.call(
                operations.update_customer,
                (id,),
                {},
                {"name": name, "email": email, "type": type, "first_name": first_name, "last_name": last_name, "phone": phone, "address": address, "reference": reference, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Customer:
        """Delete a customer.

        It reads as not found from now on, and its reference is free. The records of its money stay. The answer is the customer as it was last.

        :param id: The customer.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Customer",
            self._transport.call(
                operations.delete_customer,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def export_data(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CustomerData:
        """Export what is kept of a customer.

        Also of one that was deleted, to answer a customer who asks for their data: the customer, identity documents (without their numbers), payments, refunds, invoices, accounts, mails and events.

        :param id: The customer.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CustomerData",
            self._transport.call(
                operations.export_customer_data,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def erase(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.CustomerErasure:
        """Erase a customer for good.

        Everything personal is emptied: names, addresses, identity documents, email addresses of payments, bill-to of invoices, senders of money, mails, and what events say of them. Amounts, times and ids stay. It cannot be undone; download first what the law has you keep, such as invoices. Refused while something is open that needs the customer. Also of one that was deleted; again, it changes nothing. What providers keep, erase there.

        :param id: The customer.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.CustomerErasure",
            self._transport.call(
                operations.erase_customer,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_documents(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[types.VerifiedIdentityDocument]:
        """List a customer’s verified identity documents.

        A plain array. Numbers are hidden but for their last characters.

        :param id: The customer.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "List[types.VerifiedIdentityDocument]",
            self._transport.call(
                operations.list_customer_documents,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def verify_document(
        self,
        id: str,
        *,
        id_type: types.IdentityDocumentType,
        id_number: str,
        bank_code: Union[str, NotGiven] = NOT_GIVEN,
        account_number: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.IdentityDocument:
        """Verify an identity document.

        Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails compare the number with an account of its holder, and then `bank_code` and `account_number` are required. What no rail verifies and is on a paper (any type but a `bvn`), a person of the operator’s looks at: `review` says so. Test keys without such a rail: a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.

        :param id: The customer.
        :param id_type: Which document.
        :param id_number: Its number, in the form of its type. Stored encrypted, and never shown again.
        :param bank_code: The bank of an account of its holder, which some rails compare the number with.
        :param account_number: That account. Stored encrypted until the number is verified or not, and never shown.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.IdentityDocument",
            self._transport.call(
                operations.verify_customer_document,
                (id,),
                {},
                {"id_type": id_type, "id_number": id_number, "bank_code": bank_code, "account_number": account_number},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Transactions(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        direction: Union[types.TransactionDirection, NotGiven] = NOT_GIVEN,
        method: Union[types.TransactionMethod, NotGiven] = NOT_GIVEN,
        status: Union[types.TransactionStatus, NotGiven] = NOT_GIVEN,
        type: Union[types.TransactionType, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        completed_from: Union[str, NotGiven] = NOT_GIVEN,
        completed_to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Transaction]:
        """List transactions.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param currency: Only this wallet.
        :param direction: Only in, or only out.
        :param method: Only this means.
        :param status: Only this status.
        :param type: Only this type.
        :param customer: Only this customer’s.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param completed_from: Completed at or after: a time, or a day of your time zone. Those completed last come first then.
        :param completed_to: Completed before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_transactions, (), {"page": page, "limit": limit, "after": after, "currency": currency, "direction": direction, "method": method, "status": status, "type": type, "customer": customer, "from": from_, "to": to, "completed_from": completed_from, "completed_to": completed_to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        currency: Union[types.WalletCurrency, NotGiven] = NOT_GIVEN,
        direction: Union[types.TransactionDirection, NotGiven] = NOT_GIVEN,
        method: Union[types.TransactionMethod, NotGiven] = NOT_GIVEN,
        status: Union[types.TransactionStatus, NotGiven] = NOT_GIVEN,
        type: Union[types.TransactionType, NotGiven] = NOT_GIVEN,
        customer: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        completed_from: Union[str, NotGiven] = NOT_GIVEN,
        completed_to: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export transactions as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param currency: Only this wallet.
        :param direction: Only in, or only out.
        :param method: Only this means.
        :param status: Only this status.
        :param type: Only this type.
        :param customer: Only this customer’s.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param completed_from: Completed at or after: a time, or a day of your time zone. Those completed last come first then.
        :param completed_to: Completed before a time, or up to the end of a day of your time zone.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_transactions,
                (),
                {"currency": currency, "direction": direction, "method": method, "status": status, "type": type, "customer": customer, "from": from_, "to": to, "completed_from": completed_from, "completed_to": completed_to, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def verify(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Transaction:
        """Verify a transaction.

        The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook.

        :param id: The transaction.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Transaction",
            self._transport.call(
                operations.verify_transaction,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_receipt(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.TransactionReceipt:
        """Get a signed receipt of a transaction.

        What the transaction moved, and what proves that the ledger had it so on that day: it can be checked without the server, by `bursar receipt verify` or a few lines of your own (docs/proofs.md). It is there when the day in UTC is over on which its last movement was sealed.

        :param id: The transaction.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.TransactionReceipt",
            self._transport.call(
                operations.get_transaction_receipt,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Statements(Resource):
    def get(
        self,
        month: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Statement:
        """Get the statement of a month.

        What each wallet held when the month began, what came, left and was paid in fees, and what it held when the month ended, as the ledger has it. The month is one of your business’s time zone.

        :param month: Such as 2026-11.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Statement",
            self._transport.call(
                operations.get_statement,
                (month,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def get_csv(
        self,
        month: str,
        *,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Get a statement as CSV.

        A line for each sum, in major units and in minor ones. The single movements are in the export of transactions, by `completed_from` and `completed_to`: opening and their `balance_change` come to closing.

        :param month: Such as 2026-11.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_statement_csv,
                (month,),
                {"spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def get_pdf(
        self,
        month: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """Get a statement as a PDF.

        The same for people.

        :param month: Such as 2026-11.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.get_statement_pdf,
                (month,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Exports(Resource):
    def journal(
        self,
        *,
        format: types.JournalFormat,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        accounts: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export a journal for bookkeeping.

        Double entry from the ledger, for hledger, Ledger or Beancount. Each posting is an entry with its id. The journal starts with opening balances and ends with what the wallets hold, which the program checks.

        :param format: The program that reads it.
        :param from_: A time, or a day of your time zone. Default: the first posting.
        :param to: Before a time, or up to the end of a day. Default: now.
        :param accounts: Accounts of your own chart, as `role=account` with commas between. Roles: `available` (Assets:Bursar:Available), `pending` (Assets:Bursar:Pending), `shares` (Assets:Bursar:Shares), `payments` (Income:Payments), `refunds` (Income:Refunds), `payouts` (Assets:Clearing:Payouts), `fees` (Expenses:Fees), `disputes` (Expenses:Disputes), `exchange` (Equity:Exchange), `test_funds` (Equity:TestFunds), `opening` (Equity:Opening).
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_journal,
                (),
                {"format": format, "from": from_, "to": to, "accounts": accounts},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )

    def statement(
        self,
        *,
        currency: types.WalletCurrency,
        format: types.BankStatementFormat,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export a bank statement of a wallet.

        The days of a wallet as a bank would report them, for accounting and treasury programs: booked balances before and after, and an entry for each movement with its bank transaction code. Each statement opens with what the one before closed with. Opening and entries come to the closing balance.

        :param currency: The wallet. Stablecoins have none: they are credited to the `usd` wallet, so each statement has a currency of ISO 4217.
        :param format: The message of ISO 20022, or of SWIFT.
        :param from_: The first day, of your time zone. Default: `to`, for the statement of one day.
        :param to: The last day, which must be over. Default: yesterday.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_statement,
                (),
                {"currency": currency, "format": format, "from": from_, "to": to},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )


class CryptoTokens(Resource):
    def list(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[types.CryptoToken]:
        """List the stablecoins and their networks.

        A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "List[types.CryptoToken]",
            self._transport.call(
                operations.list_crypto_tokens,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Banks(Resource):
    def list(
        self,
        country: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[types.Bank]:
        """List the banks of a country.

        A plain array, by name.

        :param country: `ng` or `us`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "List[types.Bank]",
            self._transport.call(
                operations.list_banks,
                (country,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def resolve(
        self,
        country: str,
        *,
        bank_code: str,
        account_number: str,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> types.ResolvedAccount:
        """Ask who holds an account.

        Ask it before a payout. Nigeria only: banks in the US do not tell.

        :param country: `ng` or `us`.
        :param bank_code: A code of the bank list.
        :param account_number: The account; ten digits for `ng`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "types.ResolvedAccount",
            self._transport.call(
                operations.resolve_account,
                (country,),
                {"bank_code": bank_code, "account_number": account_number},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )


class Business(Resource):
    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Business:
        """Get your business.

        Whom the key speaks for, and how payers know it. Test and live mode have a profile each.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Business",
            self._transport.call(
                operations.get_business,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        locale: Union[str, NotGiven] = NOT_GIVEN,
        time_zone: Union[str, NotGiven] = NOT_GIVEN,
        logo: Union[Optional[str], NotGiven] = NOT_GIVEN,
        color: Union[Optional[str], NotGiven] = NOT_GIVEN,
        statement_name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        support_email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        support_phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        address: Union[Optional[types.AddressParams], NotGiven] = NOT_GIVEN,
        tax_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        registration_number: Union[Optional[str], NotGiven] = NOT_GIVEN,
        terms_url: Union[Optional[str], NotGiven] = NOT_GIVEN,
        receipts: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.Business:
        """Change your business.

        Fields that are left out stay as they are; null clears one. The hosted pages, mails and PDFs of the key’s mode show it from now on; an invoice that is finalized keeps who the seller was.

        :param name: What payers and customers know it by.
        :param locale: BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same.
        :param time_zone: IANA: where the days and months of lists, exports and statements begin.
        :param logo: A PNG, JPEG or WebP picture in base64: at most 256 KiB, each side 32 to 1,024 pixels. Null takes it away.
        :param color: Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown.
        :param statement_name: What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments.
        :param support_email: Where payers who have a question write to.
        :param support_phone: Where they call. E.164.
        :param address: 
        :param tax_id: The number it pays tax under.
        :param registration_number: Its number in the register of companies.
        :param terms_url: Its terms of business. https.
        :param receipts: Whether payers who gave an address are mailed receipts, of payments and of refunds.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.Business",
            self._transport.call(
                operations.update_business,
                (),
                {},
                {"name": name, "locale": locale, "time_zone": time_zone, "logo": logo, "color": color, "statement_name": statement_name, "support_email": support_email, "support_phone": support_phone, "address": address, "tax_id": tax_id, "registration_number": registration_number, "terms_url": terms_url, "receipts": receipts, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Audit(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        action: Union[types.AuditAction, NotGiven] = NOT_GIVEN,
        actor: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.AuditEntry]:
        """List who changed what.

        The audit log of the key’s mode, newest first: keys, webhook endpoints, limits, the team and the business’s profile, changed by requests, by people and by the operator’s commands. Needs a key with the scope `manage`.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param action: Only this action.
        :param actor: Only what this key or this person did.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_audit_entries, (), {"page": page, "limit": limit, "after": after, "action": action, "actor": actor, "from": from_, "to": to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def export(
        self,
        *,
        action: Union[types.AuditAction, NotGiven] = NOT_GIVEN,
        actor: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        spreadsheet: Union[bool, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> bytes:
        """Export audit entries as CSV.

        The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.

        :param action: Only this action.
        :param actor: Only what this key or this person did.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param spreadsheet: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return cast(
            "bytes",
            self._transport.call(
                operations.export_audit_entries,
                (),
                {"action": action, "actor": actor, "from": from_, "to": to, "spreadsheet": spreadsheet},
                None,
                Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query),
            ),
        )


class Records(Resource):
    def explain(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Timeline:
        """Explain a record.

        Takes the id of a payment, payout, refund, transaction, deposit, virtual account, crypto wallet, invoice, collection, customer, event, webhook delivery, API key, entry of the audit log or any other record, and tells everything that became of it and of what belongs to it: states, ledger postings, events and their deliveries, requests, what the rail knows it by, and what it waits for.

        :param id: The id of any record.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Timeline",
            self._transport.call(
                operations.explain_record,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Webhooks(Resource):
    def create(
        self,
        *,
        url: str,
        events: Union[Sequence[types.EventSubscription], NotGiven] = NOT_GIVEN,
        metadata_filter: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.WebhookWithSecret:
        """Register a webhook endpoint.

        The answer shows the signing secret; no later one does. A name that cannot be resolved yet is a warning. At most 20 endpoints per business and mode.

        :param url: Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others.
        :param events: The event types it gets; `*` stands for all, now and later.
        :param metadata_filter: Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.
        :param description: A note for yourself.
        :param active: Whether it gets events. Events that come while it is inactive are not kept for it.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.WebhookWithSecret",
            self._transport.call(
                operations.create_webhook,
                (),
                {},
                {"url": url, "events": events, "metadata_filter": metadata_filter, "description": description, "active": active, "metadata": metadata},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Webhook]:
        """List webhook endpoints.

        Newest first.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_webhooks, (), {"page": page, "limit": limit, "after": after}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Webhook:
        """Get a webhook endpoint.

        Without its secret, which only its creation and a roll show.

        :param id: The endpoint.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Webhook",
            self._transport.call(
                operations.get_webhook,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def update(
        self,
        id: str,
        *,
        url: Union[str, NotGiven] = NOT_GIVEN,
        events: Union[Sequence[types.EventSubscription], NotGiven] = NOT_GIVEN,
        metadata_filter: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        active: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Any], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.WebhookWithWarnings:
        """Change a webhook endpoint.

        Fields that are left out stay as they are. Pending deliveries follow a new URL.

        :param id: The endpoint.
        :param url: Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others.
        :param events: The event types it gets; `*` stands for all, now and later.
        :param metadata_filter: Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.
        :param description: A note for yourself.
        :param active: Whether it gets events. Events that come while it is inactive are not kept for it.
        :param metadata: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.WebhookWithWarnings",
            self._transport.call(
                operations.update_webhook,
                (id,),
                {},
                {"url": url, "events": events, "metadata_filter": metadata_filter, "description": description, "active": active, "metadata": metadata},
                Options(timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Webhook:
        """Delete a webhook endpoint.

        Nothing more is sent to it: what is pending fails. Its delivery log stays. The answer is the endpoint as it was last.

        :param id: The endpoint.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Webhook",
            self._transport.call(
                operations.delete_webhook,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def roll_secret(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.WebhookWithSecret:
        """Give a webhook endpoint a new secret.

        The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the old one signs `X-Signature-Previous`, and `webhook-signature` has the signatures of both.

        :param id: The endpoint.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.WebhookWithSecret",
            self._transport.call(
                operations.roll_webhook_secret,
                (id,),
                {},
                None,
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries),
            ),
        )

    def test(
        self,
        id: str,
        *,
        type: types.EventType,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.WebhookDelivery:
        """Send a sample event to a webhook endpoint.

        The payload is that of your newest event of the type, or a made-up record where there is none, with `test: true` added; the header `X-Event-Sample: true` says so too. Other endpoints do not get it, and only the delivery log shows it: it is no event.

        :param id: The endpoint.
        :param type: Which event to send a sample of.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.WebhookDelivery",
            self._transport.call(
                operations.test_webhook,
                (id,),
                {},
                {"type": type},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def recover(
        self,
        id: str,
        *,
        since: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.RecoveredDeliveries:
        """Send failed deliveries again.

        Resends every failed delivery of this endpoint that was created at `since` or later. Each gets all its tries again.

        :param id: The endpoint.
        :param since: Deliveries created at this time or after.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.RecoveredDeliveries",
            self._transport.call(
                operations.recover_webhook,
                (id,),
                {},
                {"since": since},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class WebhookDeliveries(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        type: Union[types.EventType, NotGiven] = NOT_GIVEN,
        status: Union[types.WebhookDeliveryStatus, NotGiven] = NOT_GIVEN,
        webhook_id: Union[str, NotGiven] = NOT_GIVEN,
        event_id: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.WebhookDelivery]:
        """List webhook deliveries.

        The delivery log, newest first: one entry per event and endpoint, with every try.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param type: Only this event type.
        :param status: Only this status.
        :param webhook_id: Only to this endpoint.
        :param event_id: Only of this event.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_webhook_deliveries, (), {"page": page, "limit": limit, "after": after, "type": type, "status": status, "webhook_id": webhook_id, "event_id": event_id}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.WebhookDelivery:
        """Get a webhook delivery.

        With its latest tries, and when the next is due.

        :param id: The delivery.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.WebhookDelivery",
            self._transport.call(
                operations.get_webhook_delivery,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Events(Resource):
    def resend(
        self,
        *,
        event_id: str,
        webhook_id: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.WebhookDelivery:
        """Send an event again.

        At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time.

        :param event_id: The event to send.
        :param webhook_id: The endpoint to send it to.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.WebhookDelivery",
            self._transport.call(
                operations.resend_event,
                (),
                {},
                {"event_id": event_id, "webhook_id": webhook_id},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )

    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        type: Union[types.EventType, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Event]:
        """List events.

        Newest first, delivered or not.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param type: Only this type.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_events, (), {"page": page, "limit": limit, "after": after, "type": type}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def stream(
        self,
        *,
        after: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> EventStream:
        """Follow events as they happen.

        Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes again. At most 10 streams a key and 250 a business.

        :param after: Where to go on: the `id` of the last event you had, where a header cannot be sent. `0`: from the first event.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.events(operations.stream_events, {"after": after}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Event:
        """Get an event.

        What was, or would have been, sent to endpoints.

        :param id: The event.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Event",
            self._transport.call(
                operations.get_event,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class Requests(Resource):
    def list(
        self,
        *,
        page: Union[int, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        after: Union[str, NotGiven] = NOT_GIVEN,
        status: Union[int, NotGiven] = NOT_GIVEN,
        failed: Union[bool, NotGiven] = NOT_GIVEN,
        code: Union[str, NotGiven] = NOT_GIVEN,
        method: Union[types.HttpMethod, NotGiven] = NOT_GIVEN,
        path: Union[str, NotGiven] = NOT_GIVEN,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_query: Optional[Mapping[str, Any]] = None,
    ) -> Page[types.Request]:
        """List requests.

        What was asked with the keys of this mode, newest first, for seven days unless the operator says otherwise; each shows about a second after its answer. A list looks through 10,000 requests (with `failed=true`, `code` or a `status` from 400 on: through 10,000 failed ones), and `totalDocs` counts among these: for older ones give `to` or `after`. Asking here is not recorded. Needs a key with the scope `manage`.

        :param page: Which page, from 1.
        :param limit: Records a page.
        :param after: Keyset cursor: only records that come after this one in the list. Replaces `page`.
        :param status: Only this status.
        :param failed: Only those answered with 400 or above; `false`: only others.
        :param code: Only those refused with this code.
        :param method: Only this method.
        :param path: Only paths that begin so.
        :param from_: Created at or after: a time, or a day of your time zone.
        :param to: Created before a time, or up to the end of a day of your time zone.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_query: Filters of a later server, which this version does not know.
        """
        return self._transport.page(operations.list_requests, (), {"page": page, "limit": limit, "after": after, "status": status, "failed": failed, "code": code, "method": method, "path": path, "from": from_, "to": to}, Options(timeout=timeout, max_retries=max_retries, extra_query=extra_query))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.Request:
        """Get a request.

        By the `X-Request-Id` of its answer.

        :param id: The request, by its `X-Request-Id`.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.Request",
            self._transport.call(
                operations.get_request,
                (id,),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class TestClock(Resource):
    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> types.TestClock:
        """Read the test clock.

        The time by which test mode expires, retries and reminds.

        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        """
        return cast(
            "types.TestClock",
            self._transport.call(
                operations.get_test_clock,
                (),
                {},
                None,
                Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def advance(
        self,
        *,
        advance: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        extra_body: Optional[Mapping[str, Any]] = None,
    ) -> types.TestClock:
        """Move the test clock ahead.

        Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts go on.

        :param advance: How far: `90s`, `15m`, `24h`, `3d`; at most `366d`.
        :param idempotency_key: The same for the same request, whoever makes it and when: it is done once. One is made when none is given.
        :param timeout: Seconds, instead of the client’s.
        :param max_retries: Instead of the client’s.
        :param extra_body: Fields of a later server, which this version does not know.
        """
        return cast(
            "types.TestClock",
            self._transport.call(
                operations.advance_test_clock,
                (),
                {},
                {"advance": advance},
                Options(idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, extra_body=extra_body),
            ),
        )


class Resources:
    """All the resources of the API."""

    def __init__(self, transport: SyncTransport) -> None:
        self.server = Server(transport)
        self.proofs = Proofs(transport)
        self.wallets = Wallets(transport)
        self.virtual_accounts = VirtualAccounts(transport)
        self.crypto_wallets = CryptoWallets(transport)
        self.payments = Payments(transport)
        self.collections = Collections(transport)
        self.refunds = Refunds(transport)
        self.disputes = Disputes(transport)
        self.products = Products(transport)
        self.distributions = Distributions(transport)
        self.invoices = Invoices(transport)
        self.credit_notes = CreditNotes(transport)
        self.payouts = Payouts(transport)
        self.reports = Reports(transport)
        self.conversions = Conversions(transport)
        self.payout_batches = PayoutBatches(transport)
        self.payout_schedules = PayoutSchedules(transport)
        self.limits = Limits(transport)
        self.beneficiaries = Beneficiaries(transport)
        self.customers = Customers(transport)
        self.transactions = Transactions(transport)
        self.statements = Statements(transport)
        self.exports = Exports(transport)
        self.crypto_tokens = CryptoTokens(transport)
        self.banks = Banks(transport)
        self.business = Business(transport)
        self.audit = Audit(transport)
        self.records = Records(transport)
        self.webhooks = Webhooks(transport)
        self.webhook_deliveries = WebhookDeliveries(transport)
        self.events = Events(transport)
        self.requests = Requests(transport)
        self.test_clock = TestClock(transport)
