"""Generated from the OpenAPI document; `npm run sdk` makes it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from ._records import Record, Shape

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__all__ = [
    "ActivityType",
    "Address",
    "AddressParams",
    "AdvanceTestClockParams",
    "AmericanBankDestinationParams",
    "ApprovalReason",
    "AuditAction",
    "AuditActor",
    "AuditActorType",
    "AuditEntry",
    "Bank",
    "BankAccountType",
    "BankCountry",
    "BankStatementFormat",
    "Beneficiary",
    "BeneficiaryStatus",
    "Business",
    "CellProof",
    "Collection",
    "CollectionCanceledEvent",
    "CollectionCompletedEvent",
    "CompletedCollection",
    "ConfirmPayoutBatchParams",
    "Conversion",
    "ConversionCompletedEvent",
    "ConversionFee",
    "ConversionFeeType",
    "ConversionQuote",
    "CreateBeneficiaryParams",
    "CreateCollectionParams",
    "CreateConversionParams",
    "CreateCryptoWalletParams",
    "CreateCustomerParams",
    "CreateDistributionParams",
    "CreateInvoiceParams",
    "CreatePaymentParams",
    "CreatePayoutBatchParams",
    "CreatePayoutParams",
    "CreatePayoutScheduleParams",
    "CreateProductParams",
    "CreateRefundParams",
    "CreateVirtualAccountParams",
    "CreateWebhookParams",
    "CreditNote",
    "CreditNoteStatus",
    "CryptoCurrency",
    "CryptoDeposit",
    "CryptoDepositEvent",
    "CryptoDepositStatus",
    "CryptoDestinationParams",
    "CryptoNetwork",
    "CryptoToken",
    "CryptoWallet",
    "CryptoWalletStatus",
    "Currency",
    "Customer",
    "CustomerData",
    "CustomerDocument",
    "CustomerDocumentFailedEvent",
    "CustomerDocumentVerifiedEvent",
    "CustomerErasedEvent",
    "CustomerErasure",
    "CustomerType",
    "DecidePayoutsParams",
    "DestinationCurrency",
    "Dispute",
    "DisputeClosedEvent",
    "DisputeEvidence",
    "DisputeEvidenceStatus",
    "DisputeFile",
    "DisputeFileKind",
    "DisputeFileType",
    "DisputeFilesParams",
    "DisputeOpenedEvent",
    "DisputeStatus",
    "Distribution",
    "DistributionDestinationChangedEvent",
    "DistributionPreview",
    "DistributionPreviewShare",
    "DistributionSettlement",
    "DistributionShareParams",
    "DistributionShareRecord",
    "ErasedCustomer",
    "Event",
    "EventSubscription",
    "EventType",
    "FeeBearer",
    "FeesReport",
    "FeesReportLine",
    "FeesReportTotal",
    "FiredRule",
    "FiredTask",
    "FlatShareParams",
    "Health",
    "HolderAddress",
    "HolderAddressParams",
    "HttpMethod",
    "IdentityDocument",
    "IdentityDocumentFailure",
    "IdentityDocumentReview",
    "IdentityDocumentStatus",
    "IdentityDocumentType",
    "IdentityReviewReason",
    "Invoice",
    "InvoiceFinalizedEvent",
    "InvoiceLine",
    "InvoicePaidEvent",
    "InvoicePreview",
    "InvoiceReminders",
    "InvoiceRemindersParams",
    "InvoiceSentEvent",
    "InvoiceStatus",
    "InvoiceVoidedEvent",
    "IssueLocation",
    "JournalFormat",
    "KycStatus",
    "LimitRule",
    "LimitRules",
    "Limits",
    "Logo",
    "LogoType",
    "MismatchRule",
    "NewInvoiceLineParams",
    "NigerianBankDestinationParams",
    "Payment",
    "PaymentCanceledEvent",
    "PaymentCompletedEvent",
    "PaymentExpiredEvent",
    "PaymentFailedEvent",
    "PaymentMethod",
    "PaymentMismatch",
    "PaymentMismatchBy",
    "PaymentStatus",
    "PaymentVariance",
    "Payout",
    "PayoutApproval",
    "PayoutApprovalDetails",
    "PayoutApprovalSought",
    "PayoutBatch",
    "PayoutBatchCounts",
    "PayoutBatchLine",
    "PayoutBatchLineInputParams",
    "PayoutBatchLineStatus",
    "PayoutBatchStatus",
    "PayoutCanceledEvent",
    "PayoutCompletedEvent",
    "PayoutDecision",
    "PayoutDecisions",
    "PayoutDestinationParams",
    "PayoutDestinationRecord",
    "PayoutFailedEvent",
    "PayoutFailureReason",
    "PayoutFee",
    "PayoutFeeType",
    "PayoutInitiatedEvent",
    "PayoutInterval",
    "PayoutLimit",
    "PayoutLimitChangeParams",
    "PayoutMaker",
    "PayoutMakerType",
    "PayoutMethod",
    "PayoutQuote",
    "PayoutReport",
    "PayoutReportLine",
    "PayoutReportTotal",
    "PayoutReturnedEvent",
    "PayoutReviewOpenedEvent",
    "PayoutSchedule",
    "PayoutScheduleRun",
    "PayoutScheduleStatus",
    "PayoutStatus",
    "PayoutsByKey",
    "PendingLimits",
    "PendingPayoutLimit",
    "PercentageShareParams",
    "PreviewDistributionParams",
    "PreviewInvoiceParams",
    "Product",
    "ProofKey",
    "ProofOfDay",
    "QuoteConversionParams",
    "QuoteDestinationParams",
    "QuotePayoutParams",
    "RateSource",
    "ReceiptDay",
    "ReceiptPosting",
    "ReceiptSeal",
    "RecoverWebhookParams",
    "RecoveredDeliveries",
    "Refund",
    "RefundCard",
    "RefundCompletedEvent",
    "RefundDestination",
    "RefundFailedEvent",
    "RefundInitiatedEvent",
    "RefundMethod",
    "RefundStatus",
    "ReportStep",
    "Request",
    "ResendEventParams",
    "ResolvedAccount",
    "RetryPayoutBatchParams",
    "SaleCurrency",
    "ScreeningReason",
    "ScreeningReview",
    "SenderParams",
    "ServiceInfo",
    "SettledShare",
    "SettlementReport",
    "SettlementReportLine",
    "SettlementReportTotal",
    "SimulateCryptoWalletDepositParams",
    "SimulateDisputeEndParams",
    "SimulateDisputeParams",
    "SimulateFundingParams",
    "SimulatePaymentParams",
    "SimulatePayoutParams",
    "SimulateRefundParams",
    "SimulateVirtualAccountDepositParams",
    "SimulatedDisputeOutcome",
    "SimulatedPaymentOutcome",
    "SimulatedPayoutOutcome",
    "SimulatedRefundOutcome",
    "SkippedDecision",
    "SkippedShare",
    "Statement",
    "StatementActivity",
    "StreamedEvent",
    "TaxByRate",
    "TestClock",
    "TestWebhookParams",
    "Timeline",
    "TimelineEntry",
    "TimelineEntryKind",
    "Transaction",
    "TransactionDirection",
    "TransactionMethod",
    "TransactionReceipt",
    "TransactionStatus",
    "TransactionType",
    "UnknownEvent",
    "UpdateBeneficiaryParams",
    "UpdateBusinessParams",
    "UpdateCollectionParams",
    "UpdateCustomerParams",
    "UpdateDisputeEvidenceParams",
    "UpdateDistributionParams",
    "UpdateInvoiceParams",
    "UpdateLimitsParams",
    "UpdatePayoutScheduleParams",
    "UpdateProductParams",
    "UpdateWebhookParams",
    "ValidationIssue",
    "VerifiedIdentityDocument",
    "VerifyCustomerDocumentParams",
    "VirtualAccount",
    "VirtualAccountActivatedEvent",
    "VirtualAccountDepositEvent",
    "VirtualAccountFailedEvent",
    "VirtualAccountFailure",
    "VirtualAccountKind",
    "VirtualAccountStatus",
    "Wallet",
    "WalletCurrency",
    "WalletStatement",
    "Warning",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookDeliveryStatus",
    "WebhookWithSecret",
    "WebhookWithWarnings",
    "Weekday",
]

IssueLocation = Literal["body", "query", "params", "headers"]
"""The part of a request that an issue is in."""


WalletCurrency = Literal["ngn", "usd"]


VirtualAccountKind = Literal["static", "dynamic"]


VirtualAccountStatus = Literal["pending", "active", "failed", "closed", "expired"]


VirtualAccountFailure = Literal["customer_incomplete", "identity_required", "limit_reached", "not_enabled", "amount_too_small", "rejected", "account_exists", "expired"]


TransactionType = Literal["deposit", "payment", "payout", "payout_return", "refund", "dispute", "fee", "share", "conversion", "simulated_fund"]


TransactionMethod = Literal["bank_transfer", "card", "crypto", "wallet"]


TransactionDirection = Literal["credit", "debit"]


TransactionStatus = Literal["pending", "completed", "failed", "reversed"]


Currency = Literal["ngn", "usd", "eur", "usdc", "usdt"]


ScreeningReason = Literal["sanctions_list", "block_list", "customer_limit"]


CryptoCurrency = Literal["usdc", "usdt"]


CryptoDepositStatus = Literal["pending", "held", "credited", "dropped"]


PaymentMethod = Literal["card", "bank_transfer", "crypto"]


FeeBearer = Literal["business", "customer"]


MismatchRule = Literal["accept", "reverse"]


PaymentStatus = Literal["pending", "completed", "failed", "expired", "canceled"]


PaymentMismatchBy = Literal["rail"]


PaymentVariance = Literal["exact", "underpaid", "overpaid", "late"]


PaymentMismatch = Literal["underpaid", "overpaid", "late"]


SimulatedPaymentOutcome = Literal["completed", "underpaid", "overpaid", "failed", "expired"]


BankAccountType = Literal["checking", "savings"]


BankCountry = Literal["ng", "us"]


RefundStatus = Literal["initiated", "completed", "failed"]


RefundMethod = Literal["card", "bank_transfer", "crypto"]


DestinationCurrency = Literal["usdc", "usdt", "ngn", "usd"]


SimulatedRefundOutcome = Literal["completed", "failed", "returned"]


DisputeStatus = Literal["open", "won", "lost"]


DisputeEvidenceStatus = Literal["draft", "sending", "sent", "refused"]


DisputeFileKind = Literal["receipt", "delivery", "communication", "other"]


DisputeFileType = Literal["application/pdf", "image/png", "image/jpeg"]


SimulatedDisputeOutcome = Literal["won", "lost"]


SaleCurrency = Literal["usd", "ngn", "eur"]


PayoutMakerType = Literal["key", "person", "operator"]


InvoiceStatus = Literal["draft", "open", "paid", "void"]


CreditNoteStatus = Literal["issued", "void"]


PayoutMethod = Literal["crypto", "bank_transfer"]


PayoutFeeType = Literal["platform", "provider", "network", "fx"]


RateSource = Literal["table", "official"]


PayoutStatus = Literal["pending", "processing", "completed", "failed", "canceled", "returned"]


PayoutApproval = Literal["none", "waiting", "approved", "refused"]


ApprovalReason = Literal["payout_limit", "daily_limit"]


PayoutFailureReason = Literal["invalid_account", "name_mismatch", "bank_unavailable", "limit_exceeded", "rejected", "network_error", "unknown"]


PayoutApprovalSought = Literal["waiting", "approved", "refused"]


PayoutDecision = Literal["approve", "refuse"]


SimulatedPayoutOutcome = Literal["completed", "failed", "returned"]


ConversionFeeType = Literal["fx"]


PayoutBatchStatus = Literal["draft", "running", "completed", "canceled"]


PayoutBatchLineStatus = Literal["waiting", "bad", "created", "refused", "canceled"]


PayoutInterval = Literal["daily", "weekly", "monthly"]


Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


PayoutScheduleStatus = Literal["active", "paused"]


PayoutsByKey = Literal["any", "beneficiaries"]


LimitRule = Literal["approve_above", "approve_above_daily", "refuse_above", "refuse_above_daily", "refuse_above_daily_count", "destination_daily", "destination_daily_count", "max_payout", "max_daily", "max_daily_count", "max_destination_daily", "max_destination_daily_count", "card_tries", "card_declines", "tier_max_deposit", "tier_max_daily", "tier_max_daily_count"]


BeneficiaryStatus = Literal["cooling_off", "active"]


CustomerType = Literal["individual", "business"]


KycStatus = Literal["none", "verified", "rejected"]


IdentityDocumentType = Literal["bvn", "nin", "passport", "drivers_license", "voters_card", "cac", "tin"]


IdentityDocumentStatus = Literal["pending", "verified", "failed"]


IdentityDocumentFailure = Literal["mismatch", "not_found", "rejected", "no_answer"]


IdentityReviewReason = Literal["no_rail"]


ActivityType = Literal["deposit", "payout", "refund", "dispute", "conversion", "share", "simulated_fund"]


ReportStep = Literal["day", "month"]


JournalFormat = Literal["hledger", "ledger", "beancount"]


BankStatementFormat = Literal["camt.053.001.08", "camt.053.001.02", "mt940"]


CryptoWalletStatus = Literal["active", "closed"]


LogoType = Literal["image/png", "image/jpeg", "image/webp"]


AuditAction = Literal["business.created", "business.status_changed", "business.plan_changed", "business.limits_changed", "dispute.money_decided", "exchange.limits_changed", "tier_limits.changed", "exchange_rate.decided", "operator_key.created", "operator_key.revoked", "incident.closed", "order.canceled", "order.failed", "order.paid", "document.approved", "document.rejected", "document.number_shown", "review.released", "review.refused", "screening_entry.created", "screening_entry.removed", "ledger_verification.started", "plan.created", "plan.version_added", "attention.dealt_with", "business.changed", "collection.canceled", "conversion.created", "customer.deleted", "dispute.accepted", "dispute.evidence_submitted", "invoice.deleted", "invoice.voided", "payment.canceled", "payout.created", "payout.canceled", "payout_batch.canceled", "refund.created", "business.test_data_emptied", "customer.erased", "limits.changed", "loosening.requested", "loosening.confirmed", "loosening.canceled", "beneficiary.created", "beneficiary.changed", "beneficiary.confirmed", "beneficiary.removed", "distribution.destination_changed", "payout_schedule.created", "payout_schedule.changed", "payout_schedule.removed", "payout.approved", "payout.refused", "key.created", "key.rolled", "key.revoked", "key.scopes_changed", "invitation.created", "invitation.revoked", "person.joined", "person.role_changed", "person.removed", "person.password_changed", "person.passkey_added", "person.passkey_removed", "person.second_factor_added", "person.second_factor_removed", "person.second_factor_refused", "team.second_factor_required", "webhook.created", "webhook.changed", "webhook.deleted", "webhook.secret_rolled"]


AuditActorType = Literal["key", "person", "operator"]


TimelineEntryKind = Literal["state", "posting", "event", "delivery", "request", "change", "provider", "waiting"]


EventSubscription = Literal["virtual_account.activated", "virtual_account.failed", "virtual_account.deposit", "crypto.deposit", "payment.completed", "payment.failed", "payment.expired", "payment.canceled", "collection.completed", "collection.canceled", "refund.initiated", "refund.completed", "refund.failed", "dispute.opened", "dispute.closed", "distribution.destination_changed", "invoice.finalized", "invoice.sent", "invoice.paid", "invoice.voided", "payout.initiated", "payout.review_opened", "payout.completed", "payout.failed", "payout.canceled", "payout.returned", "conversion.completed", "customer.document.verified", "customer.document.failed", "customer.erased", "*"]


EventType = Literal["virtual_account.activated", "virtual_account.failed", "virtual_account.deposit", "crypto.deposit", "payment.completed", "payment.failed", "payment.expired", "payment.canceled", "collection.completed", "collection.canceled", "refund.initiated", "refund.completed", "refund.failed", "dispute.opened", "dispute.closed", "distribution.destination_changed", "invoice.finalized", "invoice.sent", "invoice.paid", "invoice.voided", "payout.initiated", "payout.review_opened", "payout.completed", "payout.failed", "payout.canceled", "payout.returned", "conversion.completed", "customer.document.verified", "customer.document.failed", "customer.erased"]


WebhookDeliveryStatus = Literal["pending", "succeeded", "failed"]


HttpMethod = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


class UnknownEvent(Record):
    """An event of a type that this version does not know."""

    _variants: ClassVar[Mapping[str, str]] = {
        "virtual_account.activated": "VirtualAccountActivatedEvent",
        "virtual_account.failed": "VirtualAccountFailedEvent",
        "virtual_account.deposit": "VirtualAccountDepositEvent",
        "crypto.deposit": "CryptoDepositEvent",
        "payment.completed": "PaymentCompletedEvent",
        "payment.failed": "PaymentFailedEvent",
        "payment.expired": "PaymentExpiredEvent",
        "payment.canceled": "PaymentCanceledEvent",
        "collection.completed": "CollectionCompletedEvent",
        "collection.canceled": "CollectionCanceledEvent",
        "refund.initiated": "RefundInitiatedEvent",
        "refund.completed": "RefundCompletedEvent",
        "refund.failed": "RefundFailedEvent",
        "dispute.opened": "DisputeOpenedEvent",
        "dispute.closed": "DisputeClosedEvent",
        "distribution.destination_changed": "DistributionDestinationChangedEvent",
        "invoice.finalized": "InvoiceFinalizedEvent",
        "invoice.sent": "InvoiceSentEvent",
        "invoice.paid": "InvoicePaidEvent",
        "invoice.voided": "InvoiceVoidedEvent",
        "payout.initiated": "PayoutInitiatedEvent",
        "payout.review_opened": "PayoutReviewOpenedEvent",
        "payout.completed": "PayoutCompletedEvent",
        "payout.failed": "PayoutFailedEvent",
        "payout.canceled": "PayoutCanceledEvent",
        "payout.returned": "PayoutReturnedEvent",
        "conversion.completed": "ConversionCompletedEvent",
        "customer.document.verified": "CustomerDocumentVerifiedEvent",
        "customer.document.failed": "CustomerDocumentFailedEvent",
        "customer.erased": "CustomerErasedEvent",
    }

    id: str
    type: str
    timestamp: str
    payload: Any


class ValidationIssue(Record):
    """What is wrong with one part of a request."""

    path: str
    """Where it is, such as `lines.0.quantity`."""
    message: str
    """What it must be."""
    location: IssueLocation
    """The part of a request that an issue is in."""


class ServiceInfo(Record):
    """What this server is."""

    name: str
    version: str
    docs: str
    """The reference page."""
    openapi: str
    """The OpenAPI document."""
    health: str
    """Liveness and readiness."""


class Health(Record):
    """Whether the server can work."""

    status: str
    """`ok`, or `unavailable` with status 503."""
    database: bool
    """Whether the database answers."""
    migrations: bool
    """Whether its schema is this server’s."""
    workers: Optional[bool]
    """Whether workers run jobs; null: this process cannot know."""
    warnings: List[str]
    """What a person should look at, such as a treasury that runs low. The server works all the same."""


class ProofKey(Record):
    """A key that signed proofs."""

    _attributes: ClassVar[Mapping[str, str]] = {"from": "from_"}

    id: str
    """The first 16 hex digits of the SHA-256 of the key."""
    public_key: str
    """The 32 bytes of the Ed25519 key, in base64."""
    from_: str
    """The first day whose proof it signed."""
    until: Optional[str]
    """The last one; null of the key in use."""


class ProofOfDay(Record):
    """What proves all that was sealed on a day."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"cells": ["CellProof"]}

    day: str
    """The day in UTC."""
    cells: List[CellProof]
    """Of each cell that has one; most installations have one cell."""
    missing: List[str]
    """Cells that have none yet, by their letters."""
    absent: List[str]
    """Cells that say that they have none of this day, and will have none, or that they sign none."""
    unavailable: List[str]
    """Cells that do not answer now."""


class CellProof(Record):
    """The proof of a cell."""

    cell: str
    """The letter of the cell."""
    root: str
    """Over the chains of all businesses of the cell."""
    previous: str
    """SHA-256 of what the proof of the day before says; zeros of the first."""
    key: str
    """The id of the key that signed it."""
    signature: str
    """Ed25519 of what it says, in base64."""


class Wallet(Record):
    """What the business holds in one currency. Amounts in minor units."""

    id: str
    """Unique id."""
    currency: WalletCurrency
    """The currency."""
    available: int
    """What can be spent."""
    pending: int
    """What is held but cannot be spent yet: payouts and refunds in flight."""
    total: int
    """`available` + `pending`."""
    decimals: int
    """Digits after the decimal point of a major unit."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class VirtualAccount(Record):
    """A bank account that money can be sent to."""

    id: str
    """Unique id."""
    reference: Optional[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    customer: Optional[str]
    """Whose account it is."""
    payment: Optional[str]
    """The payment whose one-time account it is."""
    currency: WalletCurrency
    """What it receives."""
    kind: VirtualAccountKind
    """`static`: for good; `dynamic`: for one amount."""
    amount: Optional[int]
    """Dynamic: the one amount it is for."""
    expires_at: Optional[str]
    """Dynamic: until when."""
    account_name: str
    """The holder that payers are shown."""
    account_number: Optional[str]
    """The number; a NUBAN for `ngn`. Null until the bank has given it."""
    bank_name: Optional[str]
    """The bank. Null as the number."""
    bank_code: Optional[str]
    """Its code; in the US, its routing number. Null as the number."""
    routing_number: Optional[str]
    """US accounts only: the ABA routing number."""
    status: VirtualAccountStatus
    """`pending`: its bank gives the number later; only an `active` one has one that payers are shown. Money that comes to one that is `closed` or `expired` is booked all the same, and marked `late`."""
    failure_reason: Optional[VirtualAccountFailure]
    """Why it is `failed`."""
    provider_reference: Optional[str]
    """What the provider calls it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Transaction(Record):
    """Money in or out of a wallet. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"review": "ScreeningReview"}
    _optional: ClassVar[Tuple[str, ...]] = ("source", "review",)

    id: str
    """Unique id."""
    type: TransactionType
    """What it is."""
    method: TransactionMethod
    """By what means the money moved."""
    direction: TransactionDirection
    """`credit`: into the wallet; `debit`: out of it."""
    status: TransactionStatus
    """`pending`: on its way out, seen on a blockchain and not confirmed yet, or held by screening (`review`). `failed` and `reversed`: nothing moved in the end; the rail refused, the merchant canceled, or the chain dropped it."""
    currency: Currency
    """The wallet."""
    amount: int
    """How much moved, above zero."""
    fee: int
    """The part of `amount` that is fee."""
    net: int
    """`amount` less `fee`."""
    balance_after: int
    """What the wallet had available right after."""
    balance_change: int
    """By how much it has changed what the wallet has available: above zero in, below zero out, fees included. Zero for what is `failed` or `reversed`, and for what is not credited yet."""
    completed_at: Optional[str]
    """When it became final, as statements count it; null while it is `pending`, and for what is `failed` or `reversed`."""
    late: bool
    """Money that came after its account was closed or its payment had ended. It is booked all the same."""
    reference: Optional[str]
    """The merchant’s own id of the record behind it."""
    customer: Optional[str]
    """The customer, when one is known."""
    source: Optional[Dict[str, Any]]
    """Who paid, when known."""
    review: Optional[ScreeningReview]
    """Screening holds it until a person of the operator’s has looked."""
    related: Dict[str, str]
    """The record behind it, such as `{payout: id}`."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class ScreeningReview(Record):
    """Screening holds it until a person of the operator’s has looked."""

    reason: ScreeningReason
    """`sanctions_list`: whom it goes to, or comes from, is on a list of sanctions; `block_list`: on the operator’s own; `customer_limit`: a deposit is above what the operator lets a customer of its identity tier send."""
    since: str
    """Since when it waits."""


class CryptoDeposit(Record):
    """Tokens that were sent to an address on a chain."""

    id: str
    """Unique id."""
    crypto_wallet: str
    """Whose address it is."""
    network: str
    """The network."""
    currency: CryptoCurrency
    """The token."""
    amount: int
    """Whole cents of the token. What is less than a cent is kept in an account of its own."""
    units: str
    """In the token’s own units, as a decimal number."""
    from_address: str
    """Who sent it."""
    tx_hash: str
    """The transaction on the chain."""
    block_number: int
    """The block that holds it."""
    confirmations: int
    """Blocks on top of it so far, as far as it counts."""
    confirmations_needed: int
    """Blocks on top of it before it is credited."""
    status: CryptoDepositStatus
    """`held`: screening holds it until a person of the operator’s has looked (`review` of its transaction). `dropped`: its block is gone from the chain; when it is mined again it is `pending` again."""
    transaction: Optional[str]
    """Its transaction, `pending` until it is credited; null for less than a cent."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Payment(Record):
    """A one-time checkout. Amounts in minor units."""

    id: str
    """Unique id."""
    reference: str
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What it is for."""
    currency: WalletCurrency
    """The currency."""
    customer: Optional[str]
    """The customer who pays."""
    email: Optional[str]
    """The payer’s email address."""
    description: Optional[str]
    """What it is for; the payer sees it."""
    methods: List[PaymentMethod]
    """How it may be paid."""
    redirect_url: Optional[str]
    """Where the payer is sent afterwards."""
    cancel_url: Optional[str]
    """Where a payer who gives up is sent."""
    expires_at: str
    """Until when it can be paid."""
    fee_bearer: FeeBearer
    """Who bears the fee."""
    on_mismatch: MismatchRule
    """What happens to money of a wrong amount or time."""
    mismatch_by: Optional[PaymentMismatchBy]
    """`rail`: the provider of its one-time account takes the exact amount only, and sends any other back itself, whatever `on_mismatch` says."""
    checkout_url: str
    """The page that the payer is sent to."""
    status: PaymentStatus
    """Where it stands."""
    method: Optional[PaymentMethod]
    """How it was paid."""
    amount_received: int
    """Everything that came for it, also what was sent back."""
    variance: Optional[PaymentVariance]
    """How what came differs from what was due."""
    transaction: Optional[str]
    """The transaction that completed it."""
    fee: int
    """What it has cost so far."""
    net: int
    """What of `amount_received` counts toward the price, less `fee`: money of a wrong amount or time may not."""
    amount_refunded: int
    """What has been given back to the payer."""
    amount_confirming: int
    """What was seen on a blockchain and is not confirmed yet; it is credited then."""
    attempts: int
    """How often a card was tried."""
    failure_reason: Optional[str]
    """Why the last card was declined."""
    paid_at: Optional[str]
    """When it was completed."""
    collection: Optional[str]
    """The collection it belongs to."""
    invoice: Optional[str]
    """The invoice it belongs to."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Collection(Record):
    """A reusable checkout link. Amounts in minor units."""

    id: str
    """Unique id."""
    name: str
    """What payers see as its title."""
    description: Optional[str]
    """What it is for."""
    currency: WalletCurrency
    """The currency."""
    amount: Optional[int]
    """What each payer pays. Null: the payer chooses."""
    min_amount: Optional[int]
    """The least a payer may choose."""
    max_amount: Optional[int]
    """The most a payer may choose."""
    active: bool
    """Whether it can be used."""
    canceled_at: Optional[str]
    """When it was canceled, for good. Null: it was not; an inactive one can be active again."""
    redirect_url: Optional[str]
    """Where payers are sent afterwards."""
    max_payments: Optional[int]
    """Maximum number of payments. Null: no limit."""
    checkout_url: str
    """The page that payers are sent to."""
    payments_count: int
    """How many of its payments are completed."""
    amount_collected: int
    """What those payments kept, before fees and refunds."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class HolderAddress(Record):
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""

    _optional: ClassVar[Tuple[str, ...]] = ("line1", "city", "state", "postal_code", "country",)

    line1: Optional[str]
    """Street and number."""
    city: Optional[str]
    """City."""
    state: Optional[str]
    """State or region."""
    postal_code: Optional[str]
    """Postal code."""
    country: Optional[str]
    """ISO 3166-1 alpha-2 code, in lower case."""


class Refund(Record):
    """Money on its way back to a payer. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "RefundDestination", "review": "ScreeningReview"}

    id: str
    """Unique id."""
    payment: str
    """The payment."""
    reference: Optional[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What leaves the wallet. The fee of the payment is not given back, and the refund has none."""
    currency: WalletCurrency
    """The wallet."""
    reason: Optional[str]
    """Why."""
    method: RefundMethod
    """By what means it goes back."""
    destination: RefundDestination
    """Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is known of its sender."""
    rate: str
    """Units that arrive for one unit of the wallet; a decimal."""
    destination_amount: int
    """What arrives."""
    destination_currency: Currency
    """The currency that arrives."""
    automatic: bool
    """Made because the payment sends back money of a wrong amount or time."""
    status: RefundStatus
    """Where it stands. One that was `completed` is `failed` when its rail takes that back."""
    failure_reason: Optional[str]
    """Why it failed; `canceled`: its payout was canceled, or was not approved in time."""
    provider_reference: Optional[str]
    """The rail’s own id."""
    tx_hash: Optional[str]
    """Crypto: the hash on chain."""
    payout: Optional[str]
    """The payout that it goes by, where it goes to where the money did not come from: limits, approval, screening and beneficiaries hold as for any. Its end is that of the refund."""
    review: Optional[ScreeningReview]
    transaction: str
    """The transaction it makes."""
    return_transaction: Optional[str]
    """Of one that failed after it had completed: the transaction by which its money is in the wallet again."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class RefundDestination(Record):
    """Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is known of its sender."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"holder_address": "HolderAddress", "card": "RefundCard"}
    _optional: ClassVar[Tuple[str, ...]] = ("currency", "chain", "address", "country", "bank_code", "account_number", "account_name", "routing_number", "account_type", "holder_address", "contract_address", "bank_name", "resolved_account_name", "card",)

    currency: Optional[DestinationCurrency]
    """The currency to arrive."""
    chain: Optional[str]
    """Crypto: a network id of GET /crypto/tokens."""
    address: Optional[str]
    """Crypto: the address, with its EIP-55 checksum."""
    country: Optional[BankCountry]
    """Bank: the country of the bank. Default `ng`."""
    bank_code: Optional[str]
    """Bank, ng: a code of GET /misc/ng/banks."""
    account_number: Optional[str]
    """Bank: the account number; ten digits for `ng`."""
    account_name: Optional[str]
    """Bank: the holder. Needed for `us`, compared for `ng`."""
    routing_number: Optional[str]
    """Bank, us: the ABA routing number."""
    account_type: Optional[BankAccountType]
    """Bank, us: the kind of account."""
    holder_address: Optional[HolderAddress]
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""
    contract_address: Optional[str]
    """Crypto: the token’s contract on that chain."""
    bank_name: Optional[str]
    """Bank: its name."""
    resolved_account_name: Optional[str]
    """Bank, ng: the holder as the bank knows it."""
    card: Optional[RefundCard]
    """The card that the money goes back to."""


class RefundCard(Record):
    """The card that the money goes back to."""

    brand: Optional[str]
    """Its brand; null: its rail does not say."""
    last4: Optional[str]
    """Its last digits."""


class Dispute(Record):
    """Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units."""

    id: str
    """Unique id."""
    payment: Optional[str]
    """The payment; null where the money came to a virtual account and is no payment."""
    transaction: str
    """The transaction by which the money came."""
    customer: Optional[str]
    """The customer, when one is known."""
    amount: int
    """What the payer’s bank takes back, which may be less than was paid."""
    currency: WalletCurrency
    """The wallet that the money came to."""
    reason: Optional[str]
    """Why, in the provider’s words."""
    evidence_due_at: Optional[str]
    """Until when the provider takes evidence. Null: it says no time."""
    status: DisputeStatus
    """Where it stands: `open` until the provider has decided it."""
    held: int
    """What the operator of the installation holds of the wallet for it."""
    taken: int
    """What was taken from the wallet for it, as it was lost."""
    closed_at: Optional[str]
    """When it was decided."""
    provider_reference: str
    """The provider’s own id of it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class DisputeEvidence(Record):
    """What the business answers to a dispute."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"files": ["DisputeFile"]}

    dispute: str
    """The dispute."""
    status: DisputeEvidenceStatus
    """`draft` until it is submitted; `sending` until the provider has it; `sent`; `refused` by the provider: correct it and submit it again."""
    accepts: bool
    """The business accepts the dispute instead."""
    customer_name: Optional[str]
    """The payer’s name."""
    customer_email: Optional[str]
    """The payer’s email address."""
    customer_phone: Optional[str]
    """The payer’s phone number."""
    explanation: Optional[str]
    """What was sold and delivered, and why the payment is rightful."""
    delivery_address: Optional[str]
    """Where it was delivered to."""
    delivery_date: Optional[str]
    """When it was delivered."""
    files: List[DisputeFile]
    """One of each kind at most."""
    needs: List[str]
    """The texts that are still missing before it can be submitted."""
    by_api: bool
    """Whether this server submits the answer. False: submit it in the provider’s own dashboard."""
    failure: Optional[str]
    """Why the provider refused it."""
    submitted_at: Optional[str]
    """When the provider had it."""


class DisputeFile(Record):
    """A file of evidence. Its content is encrypted at rest."""

    kind: DisputeFileKind
    """What it shows."""
    type: DisputeFileType
    """By its content."""
    bytes: int
    """Its size."""
    sha256: str
    """The SHA-256 of its content, in hex."""


class Product(Record):
    """Something that is sold by invoice."""

    id: str
    """Unique id."""
    name: str
    """Shown on invoices."""
    amount: int
    """The price of one."""
    currency: SaleCurrency
    """The currency of the price."""
    description: Optional[str]
    """Only your team sees it."""
    distribution: Optional[str]
    """How what is paid for it is shared."""
    tax_rate_bps: Optional[int]
    """The rate of its tax, in hundredths of a percent. Null: its lines show no tax."""
    tax_inclusive: bool
    """Whether the price has the tax in it."""
    active: bool
    """False once it is archived: no new line can name it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Distribution(Record):
    """A plan that shares what products sell for."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"shares": ["DistributionShareRecord"]}

    id: str
    """Unique id."""
    name: str
    """Only your team sees it."""
    currency: SaleCurrency
    """The currency of the products it is for."""
    active: bool
    """Whether it splits what is paid, and products can name it."""
    settlement_currency: WalletCurrency
    """What shares accrue in: `usd` for `eur`, which is collected in usd."""
    shares: List[DistributionShareRecord]
    """The shares, in order; then those that were taken off."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class DistributionShareRecord(Record):
    """A share, and what it holds."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "destination_changed_by": "PayoutMaker"}

    id: str
    """The share."""
    name: str
    """Who it is for."""
    percentage_bps: Optional[int]
    """Basis points of what flat shares leave of a line."""
    flat_amount: Optional[int]
    """A flat amount for each unit sold."""
    destination: Optional[PayoutDestinationRecord]
    destination_changed_at: Optional[str]
    """When the destination was last named, changed or taken away; null: never since that is written down."""
    destination_changed_by: Optional[PayoutMaker]
    destination_usable_from: Optional[str]
    """From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does."""
    accrued: int
    """What it holds now."""
    settled: int
    """What payouts have taken out, those in flight included."""
    removed: bool
    """True once it is taken off the plan. It gets nothing more, and shows while money that came back is in it."""


class PayoutDestinationRecord(Record):
    """Where the money goes."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"holder_address": "HolderAddress"}
    _optional: ClassVar[Tuple[str, ...]] = ("currency", "chain", "address", "country", "bank_code", "account_number", "account_name", "routing_number", "account_type", "holder_address", "contract_address", "bank_name", "resolved_account_name",)

    currency: Optional[DestinationCurrency]
    """The currency to arrive."""
    chain: Optional[str]
    """Crypto: a network id of GET /crypto/tokens."""
    address: Optional[str]
    """Crypto: the address, with its EIP-55 checksum."""
    country: Optional[BankCountry]
    """Bank: the country of the bank. Default `ng`."""
    bank_code: Optional[str]
    """Bank, ng: a code of GET /misc/ng/banks."""
    account_number: Optional[str]
    """Bank: the account number; ten digits for `ng`."""
    account_name: Optional[str]
    """Bank: the holder. Needed for `us`, compared for `ng`."""
    routing_number: Optional[str]
    """Bank, us: the ABA routing number."""
    account_type: Optional[BankAccountType]
    """Bank, us: the kind of account."""
    holder_address: Optional[HolderAddress]
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""
    contract_address: Optional[str]
    """Crypto: the token’s contract on that chain."""
    bank_name: Optional[str]
    """Bank: its name."""
    resolved_account_name: Optional[str]
    """Bank, ng: the holder as the bank knows it."""


class PayoutMaker(Record):
    """Who changed it; null: not a person or key of the business."""

    type: PayoutMakerType
    """`key`: a request with an API key; `person`: a signed-in person; `operator`: a command."""
    id: Optional[str]
    """The key, or the person."""
    hint: Optional[str]
    """How one recognises the key; null of a person."""


class DistributionPreview(Record):
    """The exact split of an amount."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"shares": ["DistributionPreviewShare"]}

    amount: int
    """As asked."""
    quantity: int
    """As asked."""
    shares: List[DistributionPreviewShare]
    """In order."""
    rest: int
    """What stays with the business, which bears the fee of the payment out of it."""


class DistributionPreviewShare(Record):
    """A share of the amount."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "destination_changed_by": "PayoutMaker"}

    id: str
    """The share."""
    name: str
    """Who it is for."""
    amount: int
    """What it would get."""
    destination: Optional[PayoutDestinationRecord]
    destination_changed_at: Optional[str]
    """When the destination was last named, changed or taken away; null: never since that is written down."""
    destination_changed_by: Optional[PayoutMaker]
    destination_usable_from: Optional[str]
    """From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does."""


class DistributionSettlement(Record):
    """What a settlement paid out."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payouts": ["SettledShare"], "skipped": ["SkippedShare"]}

    payouts: List[SettledShare]
    """The payouts made."""
    skipped: List[SkippedShare]
    """Shares that hold money and were not paid out."""


class SettledShare(Record):
    """A share that was paid out."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "destination_changed_by": "PayoutMaker"}

    share: str
    """The share."""
    payout: str
    """The payout."""
    reference: str
    """The payout’s reference."""
    amount: int
    """What it takes out; the fee of the payout comes out of it."""
    destination: Optional[PayoutDestinationRecord]
    destination_changed_at: Optional[str]
    """When the destination was last named, changed or taken away; null: never since that is written down."""
    destination_changed_by: Optional[PayoutMaker]
    destination_usable_from: Optional[str]
    """From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does."""


class SkippedShare(Record):
    """A share that was not paid out."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "destination_changed_by": "PayoutMaker"}

    share: str
    """The share."""
    amount: int
    """What it holds."""
    code: str
    """Why not: `no_destination`, `destination_cooling_off` until the time that `destination_usable_from` says, `changed` just now, or the code a payout was refused with."""
    message: str
    """What to do."""
    destination: Optional[PayoutDestinationRecord]
    destination_changed_at: Optional[str]
    """When the destination was last named, changed or taken away; null: never since that is written down."""
    destination_changed_by: Optional[PayoutMaker]
    destination_usable_from: Optional[str]
    """From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does."""


class InvoiceReminders(Record):
    """Mails while it is open: so many days before and after `due_date`, which they need. Empty: none."""

    _optional: ClassVar[Tuple[str, ...]] = ("days_before", "days_after",)

    days_before: Optional[List[int]]
    """How many days."""
    days_after: Optional[List[int]]
    """How many days."""


class Invoice(Record):
    """A request for payment, with lines. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"lines": ["InvoiceLine"], "taxes": ["TaxByRate"], "reminders": "InvoiceReminders"}

    id: str
    """Unique id."""
    number: Optional[int]
    """Given when it is finalized: 1, 2, 3 … per business and mode, without gaps."""
    customer: str
    """Who is asked."""
    currency: SaleCurrency
    """Of all lines."""
    lines: List[InvoiceLine]
    """What is asked money for."""
    total: int
    """What is asked for: the sum of the lines, with their taxes."""
    subtotal: int
    """The same without the taxes."""
    tax: int
    """The sum of the taxes."""
    taxes: List[TaxByRate]
    """The taxes by their rates, the lowest first. What has no rate is not in it."""
    exchange_rate: Optional[str]
    """`eur` only: dollars for one euro, fixed when it was finalized; a decimal."""
    collect_currency: Optional[WalletCurrency]
    """What it is paid in."""
    collect_amount: Optional[int]
    """What is paid, in that currency."""
    amount_paid: int
    """What came and counts toward it, in minor units of `collect_currency`."""
    amount_due: int
    """What is still to be paid, in minor units of `collect_currency`; of `currency` while it is a draft."""
    due_date: Optional[str]
    """When it is due. Of a day that was given: when it begins for your business."""
    due_day: Optional[str]
    """The day on which it is due, such as `2026-12-05`: in mails, on the page and on the PDF. Late from the next day on."""
    memo: Optional[str]
    """A note to the customer."""
    reminders: InvoiceReminders
    """Mails while it is open: so many days before and after `due_date`, which they need. Empty: none."""
    status: InvoiceStatus
    """Where it stands."""
    payment: Optional[str]
    """The payment it is paid by."""
    payment_url: Optional[str]
    """The page where it is paid. It stays the same."""
    sent_at: Optional[str]
    """When it was last mailed."""
    finalized_at: Optional[str]
    """When it was finalized."""
    paid_at: Optional[str]
    """When it was paid."""
    voided_at: Optional[str]
    """When it was voided."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class InvoiceLine(Record):
    """A line, as its product was when it was copied."""

    product: Optional[str]
    """The product it was copied from. Null: none."""
    name: str
    """As it was."""
    amount: int
    """The price of one, as it was."""
    quantity: int
    """How many."""
    discount: int
    """What is taken off `amount` × `quantity`."""
    discount_bps: Optional[int]
    """The same as a share, in hundredths of a percent, if it was given as one."""
    total: int
    """`amount` × `quantity` − `discount`: with its tax where `tax_inclusive`, else without."""
    tax_rate_bps: Optional[int]
    """The rate of its tax as it was, in hundredths of a percent. Null: none."""
    tax_inclusive: bool
    """Whether `amount` and `total` have the tax in them."""
    tax: int
    """Its tax. Of all lines with one rate it is rounded once, and shared among them."""


class TaxByRate(Record):
    """What is sold at a rate."""

    rate_bps: int
    """The rate, in hundredths of a percent."""
    net: int
    """What it is of, without the tax."""
    tax: int
    """The tax."""


class InvoicePreview(Record):
    """What an invoice of these lines would ask for."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"lines": ["InvoiceLine"], "taxes": ["TaxByRate"]}

    currency: SaleCurrency
    """Of all lines."""
    lines: List[InvoiceLine]
    """What is asked money for."""
    total: int
    """What is asked for: the sum of the lines, with their taxes."""
    subtotal: int
    """The same without the taxes."""
    tax: int
    """The sum of the taxes."""
    taxes: List[TaxByRate]
    """The taxes by their rates, the lowest first. What has no rate is not in it."""


class CreditNote(Record):
    """What of a paid invoice was given back by a refund. Amounts in minor units of the invoice’s currency."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"taxes": ["TaxByRate"]}

    id: str
    """Unique id."""
    number: int
    """1, 2, 3 … per business and mode, without gaps; not those of invoices."""
    invoice: str
    """The invoice."""
    refund: str
    """The refund. One of an invoice in euros is in dollars."""
    currency: SaleCurrency
    """Of the invoice."""
    amount: int
    """What is credited, with the taxes."""
    subtotal: int
    """The same without the taxes."""
    tax: int
    """The sum of the taxes."""
    taxes: List[TaxByRate]
    """The taxes by their rates, the lowest first. What has no rate is not in it."""
    status: CreditNoteStatus
    """`void` where the refund came back after it had completed."""
    sent_at: Optional[str]
    """When it was last mailed."""
    voided_at: Optional[str]
    """When it was voided."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutQuote(Record):
    """What a payout would cost and what would arrive. Nothing is debited."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "fee_breakdown": ["PayoutFee"], "warnings": ["Warning"]}

    id: str
    """Unique id."""
    amount: int
    """What leaves the wallet; the fee comes out of it."""
    currency: WalletCurrency
    """The wallet."""
    method: PayoutMethod
    """By what means."""
    destination: PayoutDestinationRecord
    """Where the money goes."""
    fee: int
    """What it costs: the sum of `fee_breakdown`."""
    net_amount: int
    """`amount` less `fee`. Below zero when a quoted amount does not cover the fee."""
    fee_breakdown: List[PayoutFee]
    """The parts of the fee. Each is rounded up to the minor unit."""
    rate: str
    """Units that arrive for one unit of the wallet; a decimal."""
    destination_amount: int
    """What arrives: `net_amount` × `rate`, rounded down to the minor unit."""
    destination_currency: Currency
    """The currency that arrives."""
    rate_source: RateSource
    """Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched."""
    rate_fetched_at: Optional[str]
    """When an official rate was fetched."""
    rate_valid_until: Optional[str]
    """Until when an official rate was to be used."""
    estimated_arrival: str
    """When it would arrive if it were sent now."""
    sufficient_funds: bool
    """Whether the wallet has `amount` available now."""
    expires_at: str
    """Until when a payout can lock this price."""
    warnings: List[Warning]
    """What looks odd, but does not stop it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutFee(Record):
    """A part of the fee."""

    type: PayoutFeeType
    """What for."""
    amount: int
    """How much, in minor units of the wallet."""


class Warning(Record):
    """Something that looks odd."""

    code: str
    """Stable."""
    message: str
    """What to look at."""


class Payout(Record):
    """Money on its way out of a wallet."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "fee_breakdown": ["PayoutFee"], "approval_details": "PayoutApprovalDetails", "review": "ScreeningReview", "warnings": ["Warning"]}

    id: str
    """Unique id."""
    reference: str
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What leaves the wallet; the fee comes out of it."""
    currency: WalletCurrency
    """The wallet."""
    method: PayoutMethod
    """By what means."""
    destination: PayoutDestinationRecord
    """Where the money goes."""
    beneficiary: Optional[str]
    """The beneficiary that it was made for, whose destination it has copied."""
    quote: Optional[str]
    """The quote whose price it has."""
    refund: Optional[str]
    """The refund that it is, to where the money did not come from. It costs nothing."""
    fee: int
    """What it costs: the sum of `fee_breakdown`."""
    net_amount: int
    """`amount` less `fee`. Below zero when a quoted amount does not cover the fee."""
    fee_breakdown: List[PayoutFee]
    """The parts of the fee. Each is rounded up to the minor unit."""
    rate: str
    """Units that arrive for one unit of the wallet; a decimal."""
    destination_amount: int
    """What arrives: `net_amount` × `rate`, rounded down to the minor unit."""
    destination_currency: Currency
    """The currency that arrives."""
    description: Optional[str]
    """Only your team sees it."""
    status: PayoutStatus
    """Where it stands. `returned`: it was `completed`, and the money came back."""
    approval: PayoutApproval
    """Whether a second person must look at it (`GET /limits`). `waiting`: it is `pending`, its amount is held, and no rail has it; `refused`: by a person, by the time limit, or because it was canceled meanwhile."""
    approval_details: Optional[PayoutApprovalDetails]
    review: Optional[ScreeningReview]
    failure_reason: Optional[PayoutFailureReason]
    """Why it failed, or came back."""
    provider_reference: Optional[str]
    """The rail’s own id."""
    transaction: str
    """The transaction it makes."""
    return_transaction: Optional[str]
    """Of one that was returned: the transaction by which what had arrived is in the wallet again."""
    tx_hash: Optional[str]
    """Crypto: the hash on chain."""
    warnings: List[Warning]
    """What looks odd, but does not stop it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutApprovalDetails(Record):
    """Why it needs a second person, and what became of that."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"made_by": "PayoutMaker", "decided_by": "PayoutMaker"}

    reasons: List[ApprovalReason]
    """Why it waits. `payout_limit`: it is above what one payout may be; `daily_limit`: the day would send too much."""
    made_by: Optional[PayoutMaker]
    """Who made the payout, and so cannot approve it."""
    until: str
    """Until when it waits: then it is canceled and given back."""
    decided_by: Optional[PayoutMaker]
    """Who approved it, refused it, or canceled it while it waited; null while it waits, and after the time limit decided."""
    decided_at: Optional[str]
    """When."""


class PayoutReport(Record):
    """What became of the payouts that were made in a period. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"totals": ["PayoutReportTotal"], "lines": ["PayoutReportLine"]}
    _attributes: ClassVar[Mapping[str, str]] = {"from": "from_"}

    livemode: bool
    """`true` for live keys, `false` for test keys."""
    time_zone: str
    """Where its days begin and end."""
    from_: str
    """When the period began."""
    to: str
    """When it ended: no longer part of it."""
    totals: List[PayoutReportTotal]
    """One for each wallet."""
    lines: List[PayoutReportLine]
    """By wallet, status, reason and means."""


class PayoutReportTotal(Record):
    """A record."""

    currency: WalletCurrency
    """The wallet."""
    count: int
    """How many."""
    amount: int
    """What they were made for, fee included."""
    fee: int
    """What was charged for them: nothing, unless they completed."""
    net_amount: int
    """What was sent: nothing, unless they completed."""


class PayoutReportLine(Record):
    """A record."""

    currency: WalletCurrency
    """The wallet."""
    status: PayoutStatus
    """Where they stand now."""
    failure_reason: Optional[PayoutFailureReason]
    """Why they failed, or came back."""
    method: PayoutMethod
    """By what means."""
    count: int
    """How many."""
    amount: int
    """What they were made for, fee included."""
    fee: int
    """What was charged for them: nothing, unless they completed."""
    net_amount: int
    """What was sent: nothing, unless they completed."""


class PayoutDecisions(Record):
    """What became of payouts that were decided together."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"decided": ["Payout"], "skipped": ["SkippedDecision"]}

    decided: List[Payout]
    """The payouts that were decided, in the order of your list."""
    skipped: List[SkippedDecision]
    """Those that stay as they were, and why."""


class SkippedDecision(Record):
    """A payout that stays as it was."""

    reference: str
    """Your reference."""
    code: str
    """Why not: the code that it would be refused with alone."""
    message: str
    """The same in words."""


class ConversionQuote(Record):
    """What a conversion would cost and give. Nothing moves. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"fee_breakdown": ["ConversionFee"]}

    id: str
    """Unique id."""
    amount: int
    """What leaves the wallet, fee included."""
    currency: WalletCurrency
    """The wallet that it leaves."""
    fee: int
    """The part of `amount` that is fee: the spread."""
    fee_breakdown: List[ConversionFee]
    """What the fee is made of."""
    rate: str
    """Units of `destination_currency` for one unit of `currency`; a decimal."""
    rate_source: RateSource
    """Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched."""
    rate_fetched_at: Optional[str]
    """When an official rate was fetched."""
    rate_valid_until: Optional[str]
    """Until when an official rate was to be used."""
    destination_amount: int
    """What comes into the other wallet: `amount` less `fee` at `rate`, rounded down."""
    destination_currency: WalletCurrency
    """The wallet that it comes into."""
    sufficient_funds: bool
    """Whether the wallet has `amount` available now."""
    expires_at: str
    """Until when a conversion can lock this price."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class ConversionFee(Record):
    """A record."""

    type: ConversionFeeType
    """What it is for."""
    amount: int
    """How much, in minor units."""


class Conversion(Record):
    """Money that you moved from one wallet to the other. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"fee_breakdown": ["ConversionFee"]}

    id: str
    """Unique id."""
    quote: str
    """The quote."""
    reference: Optional[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What leaves the wallet, fee included."""
    currency: WalletCurrency
    """The wallet that it leaves."""
    fee: int
    """The part of `amount` that is fee: the spread."""
    fee_breakdown: List[ConversionFee]
    """What the fee is made of."""
    rate: str
    """Units of `destination_currency` for one unit of `currency`; a decimal."""
    rate_source: RateSource
    """Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched."""
    rate_fetched_at: Optional[str]
    """When an official rate was fetched."""
    rate_valid_until: Optional[str]
    """Until when an official rate was to be used."""
    destination_amount: int
    """What comes into the other wallet: `amount` less `fee` at `rate`, rounded down."""
    destination_currency: WalletCurrency
    """The wallet that it comes into."""
    transaction: str
    """The transaction of the wallet that it left."""
    destination_transaction: str
    """The transaction of the wallet that it came into."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutBatch(Record):
    """Payouts that are made together."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"counts": "PayoutBatchCounts"}

    id: str
    """Unique id."""
    reference: str
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    description: Optional[str]
    """Only your team sees it."""
    currency: WalletCurrency
    """The wallet."""
    status: PayoutBatchStatus
    """`draft`: it was checked, and waits to be confirmed; `running`: its payouts are being made; `completed`: each line has its payout, or was refused."""
    amount: int
    """What the lines that can be paid take out of the wallet, as they were checked."""
    fee: int
    """What of that are fees."""
    available: int
    """What the wallet has available now."""
    sufficient_funds: bool
    """Whether that is enough for what is left to be made."""
    counts: PayoutBatchCounts
    """How many lines stand where."""
    payouts: Optional[Dict[str, int]]
    retriable: Optional[int]
    """How many failed lines `POST /payout-batches/{id}/retry` would pay again. Null in lists."""
    retry_of: Optional[str]
    """The batch whose failed lines it pays again."""
    ended_at: Optional[str]
    """When nothing of it was left to be made."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutBatchCounts(Record):
    """How many lines stand where."""

    lines: int
    """All lines."""
    waiting: int
    """Those whose payout is to be made."""
    bad: int
    """Those that could not be paid when the batch was checked."""
    created: int
    """Those that have their payout."""
    refused: int
    """Those that were refused when their payout was to be made."""
    canceled: int
    """Those that were canceled before."""


class PayoutBatchLine(Record):
    """A line of a batch, and what became of it."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord"}

    line: int
    """Its number, from 1."""
    row: Optional[int]
    """Its row in your file, if you sent it."""
    reference: Optional[str]
    """The reference of its payout."""
    amount: Optional[int]
    """What leaves the wallet; null of one that says none."""
    status: PayoutBatchLineStatus
    """`bad`: it could not be paid when the batch was checked; `refused`: when its payout was to be made; `created`: it has its payout."""
    beneficiary: Optional[str]
    """The beneficiary that it names."""
    destination: Optional[PayoutDestinationRecord]
    """Destination; null if that cannot be read."""
    payout: Optional[str]
    """Its payout."""
    payout_status: Optional[PayoutStatus]
    """The status of that."""
    failure_reason: Optional[PayoutFailureReason]
    """Why its payout failed or came back."""
    is_unapproved: bool
    """Whether its payout was canceled because nobody approved it in time."""
    retriable: bool
    """Whether a retry of the batch pays it again."""
    retried_in: Optional[str]
    """The batch that pays it again."""
    field: Optional[str]
    """The field that is wrong."""
    code: Optional[str]
    """Why not: the code that such a payout is refused with."""
    message: Optional[str]
    """The same in words."""


class PayoutSchedule(Record):
    """What of a wallet goes to an account of your own, and when. Each run is an ordinary payout."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"made_by": "PayoutMaker", "last_run": "PayoutScheduleRun"}

    id: str
    """Unique id."""
    currency: WalletCurrency
    """The wallet to pay from."""
    beneficiary: str
    """Destination."""
    interval: PayoutInterval
    """How often."""
    weekday: Optional[Weekday]
    """On which day of the week; of `weekly` alone."""
    day: Optional[int]
    """On which day of the month; the last where it has fewer."""
    time: str
    """When, on the clocks of your business’s time zone."""
    keep: int
    """What stays in the wallet."""
    minimum: int
    """The least that it pays."""
    maximum: Optional[int]
    """The most that a run pays."""
    description: Optional[str]
    """The description of each payout."""
    status: PayoutScheduleStatus
    """`paused`: no run until it is `active` again."""
    paused_because: Optional[str]
    """Why the server has paused it: its beneficiary has changed. Null: a person has paused it."""
    made_by: Optional[PayoutMaker]
    """Who made it. Neither they nor who has changed it since can approve what it pays."""
    next_run_at: Optional[str]
    """When it runs next; null while it is paused."""
    upcoming: List[str]
    """The next runs, as the rule and your time zone stand now; none while it is paused."""
    next_amount: Optional[int]
    """What a run would pay if it were due now, from what is available. Null: nothing."""
    next_skip: Optional[str]
    """Why a run would pay nothing if it were due now."""
    last_run: Optional[PayoutScheduleRun]
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutScheduleRun(Record):
    """What a run of a payout schedule came to."""

    id: str
    """Unique id."""
    due_at: str
    """When it was due."""
    amount: Optional[int]
    """Amount paid: the fee comes out of it. Null where nothing was."""
    payout: Optional[str]
    """The payout, or null."""
    reference: Optional[str]
    """Its reference."""
    code: Optional[str]
    """Why nothing was paid: `below_minimum`, `restored_from_backup`, or the code that the payout was refused with."""
    message: Optional[str]
    """The same as a sentence."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    created_at: str
    """When it ran."""


class Limits(Record):
    """Above what payouts wait for a second person, and above what they are refused."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"currencies": ["PayoutLimit"], "pending_change": "PendingLimits"}

    id: str
    """Unique id."""
    currencies: List[PayoutLimit]
    """One for each wallet."""
    approval_hours: int
    """How long a payout waits for a second person before it is canceled and given back."""
    payouts_by_key: PayoutsByKey
    """Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any."""
    beneficiary_cooling_off_hours: int
    """How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it."""
    pending_change: Optional[PendingLimits]
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class PayoutLimit(Record):
    """The limits of a wallet."""

    currency: WalletCurrency
    """The wallet."""
    approve_above: Optional[int]
    """Payouts of more than this wait for a second person, in minor units. Null: none does for its amount."""
    approve_above_daily: Optional[int]
    """Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone."""
    refuse_above: Optional[int]
    """Payouts of more than this are refused, in minor units. Null: none is for its amount."""
    refuse_above_daily: Optional[int]
    """Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is."""
    refuse_above_daily_count: Optional[int]
    """More payouts than this are refused in a day of UTC. Null: none is for how many there are."""
    destination_daily: Optional[int]
    """Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is."""
    destination_daily_count: Optional[int]
    """More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are."""
    max_payout: Optional[int]
    """The operator refuses payouts of more than this, in minor units. Null: no limit."""
    max_daily: Optional[int]
    """The operator allows at most this much in a UTC day, in minor units, approved payouts included. Null: no limit."""
    max_daily_count: Optional[int]
    """The operator allows at most this many payouts in a UTC day. Null: no limit."""
    max_destination_daily: Optional[int]
    """The operator allows at most this much to one destination in a UTC day, in minor units. Null: no limit."""
    max_destination_daily_count: Optional[int]
    """The operator allows at most this many payouts to one destination in a UTC day. Null: no limit."""
    sent_today: int
    """Amount paid out today without approval, less what failed or was canceled. Counted where a day is limited."""
    day_ends_at: Optional[str]
    """When a new day of your time zone begins to be counted."""
    paid_out_today: Optional[int]
    """Amount paid out in this day of UTC, less what failed or was canceled. Null: nothing is refused by day."""
    payouts_today: Optional[int]
    """How many payouts that were, less those that failed or were canceled."""
    utc_day_ends_at: Optional[str]
    """When a new day of UTC begins to be counted."""


class PendingLimits(Record):
    """The limits once a change has taken effect that loosens them: in live mode it waits 24 hours, or until a second person confirms it. Null: none waits."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"made_by": "PayoutMaker", "currencies": ["PendingPayoutLimit"]}

    id: str
    """The change: another that loosens takes its place, under an id of its own."""
    made_by: Optional[PayoutMaker]
    """Who asked for it, and so cannot confirm it."""
    created_at: str
    """When it was asked for."""
    takes_effect_at: str
    """When it takes effect, unless it is confirmed or canceled before."""
    currencies: List[PendingPayoutLimit]
    """One for each wallet."""
    approval_hours: int
    """How long a payout waits for a second person before it is canceled and given back."""
    payouts_by_key: PayoutsByKey
    """Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any."""
    beneficiary_cooling_off_hours: int
    """How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it."""


class PendingPayoutLimit(Record):
    """The limits of a wallet, once it has taken effect."""

    currency: WalletCurrency
    """The wallet."""
    approve_above: Optional[int]
    """Payouts of more than this wait for a second person, in minor units. Null: none does for its amount."""
    approve_above_daily: Optional[int]
    """Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone."""
    refuse_above: Optional[int]
    """Payouts of more than this are refused, in minor units. Null: none is for its amount."""
    refuse_above_daily: Optional[int]
    """Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is."""
    refuse_above_daily_count: Optional[int]
    """More payouts than this are refused in a day of UTC. Null: none is for how many there are."""
    destination_daily: Optional[int]
    """Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is."""
    destination_daily_count: Optional[int]
    """More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are."""


class LimitRules(Record):
    """How often the rules of limits fired, in all wallets of the mode."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"rules": ["FiredRule"]}

    rules: List[FiredRule]
    """Each rule, also those that did not fire."""


class FiredRule(Record):
    """How often a rule of limits fired."""

    rule: LimitRule
    """The rule: the name of the limit."""
    meaning: str
    """What happened when it fired."""
    today: int
    """How often it fired in this day of UTC."""
    last_7_days: int
    """How often in seven days of UTC, this one with them."""
    last_30_days: int
    """How often in thirty."""
    last_fired_at: Optional[str]
    """When it fired last, in these thirty days. Null: it did not."""


class Beneficiary(Record):
    """Where you pay to, saved."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"destination": "PayoutDestinationRecord", "warnings": ["Warning"]}

    id: str
    """Unique id."""
    label: str
    """A name for your own use."""
    method: PayoutMethod
    """By what means it is paid."""
    destination: PayoutDestinationRecord
    """Where the money goes."""
    verified_name: Optional[str]
    """The holder as the bank knows it; null where no bank says, or it did not answer."""
    own: bool
    """Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor."""
    confirmed_at: Optional[str]
    """When a person confirmed that it is your own."""
    confirmed_by: Optional[str]
    """Who did."""
    status: BeneficiaryStatus
    """`cooling_off`: it is new, or its destination was changed, and payouts cannot name it yet."""
    usable_from: str
    """When payouts can name it."""
    warnings: List[Warning]
    """What looks odd, but does not stop it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Address(Record):
    """A postal address. A new one replaces the whole old one."""

    _optional: ClassVar[Tuple[str, ...]] = ("line1", "city", "state", "postal_code", "country",)

    line1: Optional[str]
    """Street and number."""
    city: Optional[str]
    """City."""
    state: Optional[str]
    """State or region."""
    postal_code: Optional[str]
    """Postal code."""
    country: Optional[str]
    """ISO 3166-1 alpha-2 code, in lower case."""


class Customer(Record):
    """Someone who pays you."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"address": "Address"}

    id: str
    """Unique id."""
    reference: Optional[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    name: str
    """The whole name. Made of `first_name` and `last_name` when it is left out."""
    first_name: Optional[str]
    """Given name."""
    last_name: Optional[str]
    """Family name."""
    email: str
    """Where to write to."""
    phone: Optional[str]
    """E.164."""
    type: CustomerType
    """A person or a company."""
    kyc_status: KycStatus
    """`verified`: an identity document is verified; `rejected`: all that were given failed."""
    address: Optional[Address]
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class CustomerData(Record):
    """What is kept of a customer."""

    exported_at: str
    """When it was read."""
    customer: Dict[str, Any]
    """The customer, with `deleted_at`."""
    identity_documents: List[Dict[str, Any]]
    """The newest of each type, whatever came of it."""
    records: Dict[str, Any]
    """By their kind, such as `payments`, `invoices` and `events`: the newest 5,000 of each, as the database has them."""
    cut: List[str]
    """Kinds of which there are more than are given."""


class CustomerErasure(Record):
    """That a customer is erased."""

    id: str
    """The customer."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    erased_at: str
    """When it was erased."""


class VerifiedIdentityDocument(Record):
    """A verified identity document of a customer."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"review": "IdentityDocumentReview"}

    id_type: IdentityDocumentType
    """Which document."""
    id_number: str
    """The number, hidden but for its last four characters."""
    verified_at: str
    """When it was verified."""
    status: IdentityDocumentStatus
    """Only verified documents are listed."""
    failure_reason: Optional[IdentityDocumentFailure]
    """Null: it did not fail."""
    review: Optional[IdentityDocumentReview]
    created_at: str
    """When a document of this type was first given."""
    updated_at: str
    """When it last changed."""


class IdentityDocumentReview(Record):
    """That it waits for a person of the operator’s; null: it does not, or not any more."""

    reason: IdentityReviewReason
    """`no_rail`: no rail of the server verifies documents of its type."""
    since: str
    """Since when it waits."""


class IdentityDocument(Record):
    """What came of verifying an identity document."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"review": "IdentityDocumentReview"}

    id_type: IdentityDocumentType
    """Which document."""
    id_number: str
    """The number, hidden but for its last four characters."""
    verified_at: Optional[str]
    """When it was verified; null: it was not."""
    status: IdentityDocumentStatus
    """Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end."""
    failure_reason: Optional[IdentityDocumentFailure]
    """`mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it; `no_answer`: the rail did not answer for three days."""
    review: Optional[IdentityDocumentReview]
    created_at: str
    """When a document of this type was first given."""
    updated_at: str
    """When it last changed."""


class Statement(Record):
    """A month of a business’s wallets. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"wallets": ["WalletStatement"]}
    _attributes: ClassVar[Mapping[str, str]] = {"from": "from_"}

    month: str
    """The month."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    business: str
    """The name of the business."""
    time_zone: str
    """Where the month begins and ends."""
    from_: str
    """When the month began."""
    to: str
    """When it ended, or ends: no longer part of it."""
    complete: bool
    """Whether the month is over. Until then the closing is what is held now."""
    wallets: List[WalletStatement]
    """One for each wallet."""


class WalletStatement(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"activity": ["StatementActivity"]}
    _attributes: ClassVar[Mapping[str, str]] = {"in": "in_"}

    currency: WalletCurrency
    """The wallet."""
    opening: int
    """What the wallet held when the month began, available and pending, without deposits that screening held."""
    in_: int
    """What came in, before fees."""
    out: int
    """What left, without fees."""
    fees: int
    """Fees, less those that were given back."""
    closing: int
    """`opening` + `in` − `out` − `fees`: what the wallet held when the month ended. It is `opening` and each `balance_change` of the transactions that were completed in the month."""
    activity: List[StatementActivity]
    """The same by what moved."""


class StatementActivity(Record):
    """A record."""

    _attributes: ClassVar[Mapping[str, str]] = {"in": "in_"}

    type: ActivityType
    """What moved: `deposit` is money from payers, of payments too; `dispute` what was held and taken for disputes; `conversion` what went to the other wallet, or came from it; `share` what distributions keep for others; `simulated_fund` test money."""
    in_: int
    """What came into the wallet, before fees."""
    out: int
    """What left the wallet, without fees."""
    fees: int
    """Fees, less those that were given back."""


class FeesReport(Record):
    """What a business paid in fees in a period. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"totals": ["FeesReportTotal"], "lines": ["FeesReportLine"]}
    _attributes: ClassVar[Mapping[str, str]] = {"from": "from_"}

    livemode: bool
    """`true` for live keys, `false` for test keys."""
    time_zone: str
    """Where its days begin and end."""
    from_: str
    """When the period began."""
    to: str
    """When it ended: no longer part of it."""
    totals: List[FeesReportTotal]
    """One for each wallet."""
    lines: List[FeesReportLine]
    """By day or month, wallet, type and means."""


class FeesReportTotal(Record):
    """A record."""

    currency: WalletCurrency
    """The wallet."""
    fees: int
    """All fees of the period: those of the statements."""


class FeesReportLine(Record):
    """A record."""

    period: str
    """The day, or the month."""
    currency: WalletCurrency
    """The wallet."""
    type: ActivityType
    """What they were charged for."""
    method: TransactionMethod
    """By what means the money moved."""
    count: int
    """How many were charged."""
    fees: int
    """What they come to."""


class SettlementReport(Record):
    """What came from payers in a period. Amounts in minor units."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"totals": ["SettlementReportTotal"], "lines": ["SettlementReportLine"]}
    _attributes: ClassVar[Mapping[str, str]] = {"from": "from_"}

    livemode: bool
    """`true` for live keys, `false` for test keys."""
    time_zone: str
    """Where its days begin and end."""
    from_: str
    """When the period began."""
    to: str
    """When it ended: no longer part of it."""
    totals: List[SettlementReportTotal]
    """One for each wallet."""
    lines: List[SettlementReportLine]
    """By day or month, wallet and means."""


class SettlementReportTotal(Record):
    """A record."""

    currency: WalletCurrency
    """The wallet."""
    gross: int
    """What payers paid."""
    fees: int
    """What was kept of it as fees."""
    net: int
    """What reached the wallet."""


class SettlementReportLine(Record):
    """A record."""

    period: str
    """The day, or the month."""
    currency: WalletCurrency
    """The wallet."""
    method: TransactionMethod
    """By what means the money moved."""
    count: int
    """How many times money came."""
    gross: int
    """What payers paid."""
    fees: int
    """What was kept of it as fees."""
    net: int
    """What reached the wallet."""


class TransactionReceipt(Record):
    """What a transaction moved, with the proof that the ledger had it so. Anyone checks it without the server."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"days": ["ReceiptDay"]}

    format: str
    """`bursar receipt 1`."""
    business: str
    """Whose transaction it is."""
    mode: str
    """`live` or `test`."""
    transaction: str
    """The transaction."""
    days: List[ReceiptDay]
    """In their order."""


class ReceiptDay(Record):
    """A day on which postings of the transaction were sealed, and its proof."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"seals": ["ReceiptSeal"]}

    day: str
    """In UTC."""
    blind: str
    """Keeps others from finding the business."""
    seals: List[ReceiptSeal]
    path: List[str]
    """From the day of the business to the root of the day: each is `left:` or `right:`, where it stands, and a hash."""
    cell: str
    """The letter of the cell."""
    root: str
    """Over the chains of all businesses of the cell."""
    previous: str
    """SHA-256 of what the proof of the day before says; zeros of the first."""
    key: str
    """The id of the key that signed it."""
    signature: str
    """Ed25519 of what it says, in base64."""


class ReceiptSeal(Record):
    """Postings that were sealed together."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"postings": ["ReceiptPosting"]}

    number: str
    """Its place in the chain of the business and mode."""
    count: str
    """How many postings it has."""
    previous: str
    """The seal before."""
    postings: List[ReceiptPosting]
    path: List[str]
    """From it to the root of the day of the business: each is `left:` or `right:`, where it stands, and a hash."""


class ReceiptPosting(Record):
    """A movement of the transaction, with what leads from it to its seal."""

    posting: str
    """Its number."""
    debit: str
    """The account that it left."""
    credit: str
    """The account that it came to."""
    amount: int
    """Minor units."""
    currency: str
    kind: str
    """Why it was moved."""
    subject: str
    """The record that moved it."""
    posted_at: str
    """When, as it was hashed."""
    blind: str
    """Keeps others from guessing it."""
    path: List[str]
    """From it to the root of its seal: each is `left:` or `right:`, where it stands, and a hash."""


class CryptoToken(Record):
    """A stablecoin and the networks it moves on."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"networks": ["CryptoNetwork"]}

    currency: CryptoCurrency
    """The token’s currency."""
    name: str
    """Its name."""
    networks: List[CryptoNetwork]
    """Where it moves."""


class CryptoNetwork(Record):
    """A network that a stablecoin moves on."""

    id: str
    """What destinations name as `chain`."""
    name: str
    """The network’s name."""
    chain_id: int
    """Its EVM chain id."""
    contract_address: str
    """The token’s contract there, with its EIP-55 checksum."""
    decimals: int
    """Decimals of the token’s own units. Amounts of this API are cents all the same."""
    confirmations: int
    """Blocks on top of a deposit before it is credited."""
    testnet: bool
    """Whether it is a test network."""
    connected: bool
    """Whether this server speaks to the network in this mode. In test mode the sandbox plays the others; in live mode they cannot be used."""


class CryptoWallet(Record):
    """An address that stablecoins can be sent to."""

    id: str
    """Unique id."""
    reference: Optional[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    customer: Optional[str]
    """Whose wallet it is."""
    address: str
    """The address, the same on every network, with its EIP-55 checksum."""
    networks: List[str]
    """Ids of the networks that it receives on."""
    label: Optional[str]
    """A name for your own use."""
    status: CryptoWalletStatus
    """What comes to a wallet that is closed is booked all the same, and marked `late`."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Bank(Record):
    """A bank that payouts can go to."""

    code: str
    """What destinations name as `bank_code`; in `us` the routing number."""
    name: str
    """The bank’s name."""
    type: str
    """What kind of institution it is."""
    currency: Currency
    """What its accounts hold."""
    nip_code: Optional[str]
    """Its NIP institution code, when known."""


class ResolvedAccount(Record):
    """Who holds an account."""

    account_number: str
    """As asked."""
    account_name: str
    """The holder, as the bank knows them."""
    bank_code: str
    """As asked."""
    bank_name: str
    """The bank’s name."""


class Business(Record):
    """The business that the key speaks for, in the key’s mode."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"logo": "Logo", "address": "Address"}

    id: str
    """Unique id."""
    name: str
    """What payers and customers know it by."""
    locale: str
    """BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same."""
    time_zone: str
    """IANA: where the days and months of lists, exports and statements begin."""
    logo: Optional[Logo]
    color: Optional[str]
    """Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown."""
    statement_name: Optional[str]
    """What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments."""
    support_email: Optional[str]
    """Where payers who have a question write to."""
    support_phone: Optional[str]
    """Where they call. E.164."""
    address: Optional[Address]
    tax_id: Optional[str]
    """The number it pays tax under."""
    registration_number: Optional[str]
    """Its number in the register of companies."""
    terms_url: Optional[str]
    """Its terms of business. https."""
    receipts: bool
    """Whether payers who gave an address are mailed receipts, of payments and of refunds."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Logo(Record):
    """The picture beside its name on hosted pages, in mails and on invoices."""

    url: str
    """Where it is. Another logo has another address."""
    type: LogoType
    """What it is, by its bytes."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    sha256: str
    """Of what is served, in hex: the picture alone, without what else was in the file."""


class AuditEntry(Record):
    """Who changed what, from where, and when. Entries are never changed or deleted."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"actor": "AuditActor"}

    id: str
    """Unique id."""
    action: AuditAction
    """What was done."""
    subject: str
    """What it was done to: the id of a business, a key, a person, an invitation, a webhook endpoint, a customer, a payout, a refund, a payment, an invoice, an event, a beneficiary, a share of a distribution or a payout schedule."""
    actor: AuditActor
    """Who did it."""
    address: Optional[str]
    """Where the request came from; null for commands."""
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]
    """What it is now; null where something is gone."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    created_at: str
    """When, by the server’s clock; the test clock does not move it."""


class AuditActor(Record):
    """Who did it."""

    type: AuditActorType
    """`key`: a request with an API key; `person`: a signed-in person; `operator`: a key of the operator, or a command on the server’s machine."""
    id: Optional[str]
    """The key, or the person."""
    hint: Optional[str]
    """How to recognise the key, or the email address of the person."""


class Timeline(Record):
    """Everything that became of a record, in the order of time."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"entries": ["TimelineEntry"]}

    id: str
    """What was asked for."""
    kind: str
    """What it is, such as `payout`."""
    status: Optional[str]
    """Where it stands; null of what has no status."""
    entries: List[TimelineEntry]
    """Oldest first; what is going to happen comes last. At most 500."""
    related: Dict[str, List[str]]
    """The ids of the records that it is about or has to do with, by what they are."""
    truncated: bool
    """Whether there is more than is shown: the newest 500 entries, of the newest 20 records of each kind."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""


class TimelineEntry(Record):
    """One thing that happened, or is going to."""

    title: str
    """It in a sentence, for people."""
    at: str
    """When. Of `request`, `change` and tries to deliver, by the server’s clock; of all else, in the time of the mode."""
    kind: TimelineEntryKind
    """`state`: it was made, sent, ended; `posting`: the ledger moved an amount; `event`: an event was emitted; `delivery`: a try to deliver one to an endpoint, and the answer; `request`, `change`: who asked for it, or changed it (only with the scope `manage`); `provider`: what the rail knows it by; `waiting`: what is going to happen."""
    detail: Dict[str, Any]
    """The facts of it, by the kind. Amounts in minor units."""
    ids: Dict[str, str]
    """The records that it is of, by what they are."""


class WebhookWithSecret(Record):
    """The endpoint with its signing secret, in two spellings. No other answer shows it: keep it now."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"warnings": ["Warning"]}

    id: str
    """Unique id."""
    url: str
    """Where events are sent."""
    events: List[EventSubscription]
    """The event types it gets; `*` stands for all."""
    metadata_filter: Dict[str, Any]
    """Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans."""
    active: bool
    """Whether it gets events. Events that come while it is inactive are not kept for it."""
    description: Optional[str]
    """A note for yourself."""
    secret: str
    """Keys the HMAC-SHA256 of `X-Signature` and of `webhook-signature`: its bytes, `weh_` included."""
    standard_secret: str
    """The same key as libraries of Standard Webhooks take it: `whsec_` and the base64 of the secret."""
    warnings: List[Warning]
    """What looks odd, but does not stop it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Webhook(Record):
    """An address of yours that events are sent to."""

    id: str
    """Unique id."""
    url: str
    """Where events are sent."""
    events: List[EventSubscription]
    """The event types it gets; `*` stands for all."""
    metadata_filter: Dict[str, Any]
    """Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans."""
    active: bool
    """Whether it gets events. Events that come while it is inactive are not kept for it."""
    description: Optional[str]
    """A note for yourself."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class WebhookWithWarnings(Record):
    """The endpoint, and what the check of a new URL warns of. No other answer repeats the warnings."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"warnings": ["Warning"]}

    id: str
    """Unique id."""
    url: str
    """Where events are sent."""
    events: List[EventSubscription]
    """The event types it gets; `*` stands for all."""
    metadata_filter: Dict[str, Any]
    """Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans."""
    active: bool
    """Whether it gets events. Events that come while it is inactive are not kept for it."""
    description: Optional[str]
    """A note for yourself."""
    warnings: List[Warning]
    """What looks odd, but does not stop it."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class WebhookDelivery(Record):
    """One event on its way to one endpoint. `metadata` is that of the record the event is about."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"attempts": ["WebhookAttempt"]}

    id: str
    """Unique id."""
    event_id: str
    """The event; the `id` of the body and `X-Event-Id`."""
    webhook_id: str
    """The endpoint."""
    type: EventType
    """The event’s type."""
    url: str
    """Where it was sent last, or is to be sent."""
    status: WebhookDeliveryStatus
    """`pending`: a try is running or due; `failed`: no try is left."""
    payload: Dict[str, Any]
    """The event’s payload."""
    attempts: List[WebhookAttempt]
    """The latest 20 tries, oldest first, resends included."""
    next_attempt_at: Optional[str]
    """When the next try is due; null: none is."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class WebhookAttempt(Record):
    """One try to deliver an event."""

    at: str
    """When it was sent."""
    response_status: Optional[int]
    """The HTTP status that came back; null: none came."""
    response_body: Optional[str]
    """The first KiB of what came back."""
    duration_ms: int
    """How long the exchange took, in milliseconds."""
    error: Optional[str]
    """Why there was no answer, or why it does not count."""


class RecoveredDeliveries(Record):
    """What is sent again."""

    recovered: int
    """How many deliveries are sent again."""


class Event(Record):
    """Something that happened, whether it was delivered anywhere or not. `metadata` is that of the record it is about."""

    id: str
    """Unique id."""
    type: EventType
    """What happened."""
    timestamp: str
    """When it happened."""
    payload: Dict[str, Any]
    """The record as its own GET would have returned it at that moment."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class VirtualAccountActivatedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "VirtualAccount"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["virtual_account.activated"]
    payload: VirtualAccount
    """A bank account that money can be sent to."""


class VirtualAccountFailedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "VirtualAccount"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["virtual_account.failed"]
    payload: VirtualAccount
    """A bank account that money can be sent to."""


class VirtualAccountDepositEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Transaction"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["virtual_account.deposit"]
    payload: Transaction
    """Money in or out of a wallet. Amounts in minor units."""


class CryptoDepositEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Transaction"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["crypto.deposit"]
    payload: Transaction
    """Money in or out of a wallet. Amounts in minor units."""


class PaymentCompletedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payment"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payment.completed"]
    payload: Payment
    """A one-time checkout. Amounts in minor units."""


class PaymentFailedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payment"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payment.failed"]
    payload: Payment
    """A one-time checkout. Amounts in minor units."""


class PaymentExpiredEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payment"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payment.expired"]
    payload: Payment
    """A one-time checkout. Amounts in minor units."""


class PaymentCanceledEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payment"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payment.canceled"]
    payload: Payment
    """A one-time checkout. Amounts in minor units."""


class CollectionCompletedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "CompletedCollection"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["collection.completed"]
    payload: CompletedCollection
    """A collection that was paid once more, and the payment that did it."""


class CompletedCollection(Record):
    """A collection that was paid once more, and the payment that did it."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payment": "Payment"}

    id: str
    """Unique id."""
    name: str
    """What payers see as its title."""
    description: Optional[str]
    """What it is for."""
    currency: WalletCurrency
    """The currency."""
    amount: Optional[int]
    """What each payer pays. Null: the payer chooses."""
    min_amount: Optional[int]
    """The least a payer may choose."""
    max_amount: Optional[int]
    """The most a payer may choose."""
    active: bool
    """Whether it can be used."""
    canceled_at: Optional[str]
    """When it was canceled, for good. Null: it was not; an inactive one can be active again."""
    redirect_url: Optional[str]
    """Where payers are sent afterwards."""
    max_payments: Optional[int]
    """Maximum number of payments. Null: no limit."""
    checkout_url: str
    """The page that payers are sent to."""
    payments_count: int
    """How many of its payments are completed."""
    amount_collected: int
    """What those payments kept, before fees and refunds."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""
    payment: Payment
    """A one-time checkout. Amounts in minor units."""


class CollectionCanceledEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Collection"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["collection.canceled"]
    payload: Collection
    """A reusable checkout link. Amounts in minor units."""


class RefundInitiatedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Refund"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["refund.initiated"]
    payload: Refund
    """Money on its way back to a payer. Amounts in minor units."""


class RefundCompletedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Refund"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["refund.completed"]
    payload: Refund
    """Money on its way back to a payer. Amounts in minor units."""


class RefundFailedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Refund"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["refund.failed"]
    payload: Refund
    """Money on its way back to a payer. Amounts in minor units."""


class DisputeOpenedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Dispute"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["dispute.opened"]
    payload: Dispute
    """Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units."""


class DisputeClosedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Dispute"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["dispute.closed"]
    payload: Dispute
    """Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units."""


class DistributionDestinationChangedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Distribution"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["distribution.destination_changed"]
    payload: Distribution
    """A plan that shares what products sell for."""


class InvoiceFinalizedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Invoice"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["invoice.finalized"]
    payload: Invoice
    """A request for payment, with lines. Amounts in minor units."""


class InvoiceSentEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Invoice"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["invoice.sent"]
    payload: Invoice
    """A request for payment, with lines. Amounts in minor units."""


class InvoicePaidEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Invoice"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["invoice.paid"]
    payload: Invoice
    """A request for payment, with lines. Amounts in minor units."""


class InvoiceVoidedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Invoice"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["invoice.voided"]
    payload: Invoice
    """A request for payment, with lines. Amounts in minor units."""


class PayoutInitiatedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.initiated"]
    payload: Payout
    """Money on its way out of a wallet."""


class PayoutReviewOpenedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.review_opened"]
    payload: Payout
    """Money on its way out of a wallet."""


class PayoutCompletedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.completed"]
    payload: Payout
    """Money on its way out of a wallet."""


class PayoutFailedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.failed"]
    payload: Payout
    """Money on its way out of a wallet."""


class PayoutCanceledEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.canceled"]
    payload: Payout
    """Money on its way out of a wallet."""


class PayoutReturnedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Payout"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["payout.returned"]
    payload: Payout
    """Money on its way out of a wallet."""


class ConversionCompletedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "Conversion"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["conversion.completed"]
    payload: Conversion
    """Money that you moved from one wallet to the other. Amounts in minor units."""


class CustomerDocumentVerifiedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "CustomerDocument"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["customer.document.verified"]
    payload: CustomerDocument
    """An identity document of a customer, with the customer’s metadata."""


class CustomerDocument(Record):
    """An identity document of a customer, with the customer’s metadata."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"review": "IdentityDocumentReview"}

    customer: str
    """Whose it is."""
    id_type: IdentityDocumentType
    """Which document."""
    id_number: str
    """The number, hidden but for its last four characters."""
    verified_at: Optional[str]
    """When it was verified; null: it was not."""
    status: IdentityDocumentStatus
    """Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end."""
    failure_reason: Optional[IdentityDocumentFailure]
    """`mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it; `no_answer`: the rail did not answer for three days."""
    review: Optional[IdentityDocumentReview]
    created_at: str
    """When a document of this type was first given."""
    updated_at: str
    """When it last changed."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""


class CustomerDocumentFailedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "CustomerDocument"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["customer.document.failed"]
    payload: CustomerDocument
    """An identity document of a customer, with the customer’s metadata."""


class CustomerErasedEvent(Record):
    """A record."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"payload": "ErasedCustomer"}

    id: str
    """The event: the same for each try, and for each of your endpoints."""
    timestamp: str
    """When it happened."""
    type: Literal["customer.erased"]
    payload: ErasedCustomer
    """A customer of whom nothing personal is kept."""


class ErasedCustomer(Record):
    """A customer of whom nothing personal is kept."""

    id: str
    """Unique id."""
    erased_at: str
    """When it was erased."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    metadata: Dict[str, Any]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class Request(Record):
    """A request that was made with one of your keys, and what became of it."""

    id: str
    """The request’s id: its `X-Request-Id`, and that of its line in the server’s log."""
    method: str
    """The HTTP method."""
    path: str
    """What was asked for, without its query."""
    status: int
    """The HTTP status of the answer."""
    code: Optional[str]
    """Why it was refused: `errors.code` of the answer."""
    key: str
    """The API key that it was asked with."""
    address: str
    """Where it came from."""
    ms: float
    """How long it took until the answer was sent, in milliseconds."""
    body: Optional[str]
    """In test mode, of a request that was refused: its body as JSON, the first 2 KiB, with numbers of cards, accounts and documents masked and secrets left out. Else null."""
    subject: Optional[str]
    """The record that its answer was; null where that has no id, and of what was refused or only read."""
    idempotency_key: Optional[str]
    """The `Idempotency-Key` that it came with."""
    livemode: bool
    """`true` for live keys, `false` for test keys."""
    created_at: str
    """When it came, by the server’s clock; the test clock does not move it."""


class TestClock(Record):
    """The time of a business’s test mode."""

    _shapes: ClassVar[Mapping[str, Shape]] = {"fired": ["FiredTask"]}

    now: str
    """The time of this business’s test mode."""
    offset_ms: int
    """How far it runs ahead of the machine, in milliseconds."""
    livemode: bool
    """Always `false`: live time cannot be moved."""
    fired: List[FiredTask]
    """What this move made due."""


class FiredTask(Record):
    """Something that a move of the clock made due."""

    task: str
    """What was due."""
    subject: str
    """The record it was about."""
    due_at: str
    """When it was due."""


StreamedEvent = Union[
    VirtualAccountActivatedEvent,
    VirtualAccountFailedEvent,
    VirtualAccountDepositEvent,
    CryptoDepositEvent,
    PaymentCompletedEvent,
    PaymentFailedEvent,
    PaymentExpiredEvent,
    PaymentCanceledEvent,
    CollectionCompletedEvent,
    CollectionCanceledEvent,
    RefundInitiatedEvent,
    RefundCompletedEvent,
    RefundFailedEvent,
    DisputeOpenedEvent,
    DisputeClosedEvent,
    DistributionDestinationChangedEvent,
    InvoiceFinalizedEvent,
    InvoiceSentEvent,
    InvoicePaidEvent,
    InvoiceVoidedEvent,
    PayoutInitiatedEvent,
    PayoutReviewOpenedEvent,
    PayoutCompletedEvent,
    PayoutFailedEvent,
    PayoutCanceledEvent,
    PayoutReturnedEvent,
    ConversionCompletedEvent,
    CustomerDocumentVerifiedEvent,
    CustomerDocumentFailedEvent,
    CustomerErasedEvent,
]
"""An event that this version knows. A later server has more types: they come as `UnknownEvent`, with the same fields."""


class SimulateFundingParams(TypedDict):
    """What is given."""

    currency: WalletCurrency
    """Which wallet to fund."""
    amount: int
    """How much, in minor units."""


class CreateVirtualAccountParams(TypedDict):
    """What is given."""

    customer: NotRequired[str]
    """Whose account it is. Required when `static`."""
    currency: WalletCurrency
    """What it receives, and which wallet is credited."""
    kind: NotRequired[VirtualAccountKind]
    """`static`: for good; `dynamic`: for one amount. Default `static`."""
    amount: NotRequired[int]
    """Dynamic: the one amount it is for, in minor units. Required then."""
    expires_at: NotRequired[str]
    """Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead."""
    account_name: NotRequired[str]
    """The holder that payers are shown. Default: the customer’s name, or the business’s."""
    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class SimulateVirtualAccountDepositParams(TypedDict):
    """What is given."""

    amount: NotRequired[int]
    """How much, in minor units. A dynamic account knows its amount; a static one needs it."""
    sender: NotRequired[SenderParams]
    """Who sends the money. Left out, the bank does not tell."""
    notice: NotRequired[str]
    """The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it is a 409. Default: a new one."""


class SenderParams(TypedDict):
    """Who sends the money. Left out, the bank does not tell."""

    account_name: NotRequired[str]
    """The holder."""
    account_number: NotRequired[str]
    """The account number."""
    bank_name: NotRequired[str]
    """The bank."""
    bank_code: NotRequired[str]
    """Its code: of GET /misc/ng/banks, or a routing number. A refund goes back by it, or by the bank’s name."""


class SimulateCryptoWalletDepositParams(TypedDict):
    """What is given."""

    amount: int
    """How much, in cents of the token."""
    currency: CryptoCurrency
    """The token."""
    chain: NotRequired[str]
    """A network id of GET /crypto/tokens. Default: `base`."""
    sender: NotRequired[str]
    """The address it comes from. Default: an address without an owner."""
    notice: NotRequired[str]
    """An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one."""


class CreatePaymentParams(TypedDict):
    """What is given."""

    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top."""
    currency: WalletCurrency
    """The currency, and the wallet that is credited."""
    customer: NotRequired[str]
    """The customer who pays."""
    email: NotRequired[str]
    """The payer’s email address."""
    description: NotRequired[str]
    """What it is for; the payer sees it."""
    methods: NotRequired[Sequence[PaymentMethod]]
    """How it may be paid. Default: every way."""
    redirect_url: NotRequired[str]
    """Where the payer is sent afterwards, with `reference` and `status` appended. https, or http on localhost."""
    cancel_url: NotRequired[str]
    """Where a payer who gives up is sent, with `reference` and `status` appended. https, or http on localhost."""
    expires_at: NotRequired[str]
    """Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead."""
    fee_bearer: NotRequired[FeeBearer]
    """Who bears the fee. `customer`: the payer pays it on top. Default `business`."""
    on_mismatch: NotRequired[MismatchRule]
    """What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class SimulatePaymentParams(TypedDict):
    """What is given."""

    outcome: SimulatedPaymentOutcome
    """What happens."""
    method: NotRequired[PaymentMethod]
    """How it is paid. Default: the first of its methods."""


class CreateCollectionParams(TypedDict):
    """What is given."""

    name: str
    """What payers see as its title."""
    description: NotRequired[Optional[str]]
    """What it is for; payers see it."""
    currency: WalletCurrency
    """The currency, and the wallet that is credited."""
    amount: NotRequired[Optional[int]]
    """What each payer pays, in minor units. Null: the payer chooses."""
    min_amount: NotRequired[Optional[int]]
    """The least a payer may choose."""
    max_amount: NotRequired[Optional[int]]
    """The most a payer may choose."""
    redirect_url: NotRequired[Optional[str]]
    """Where payers are sent afterwards: https, or http on localhost."""
    max_payments: NotRequired[Optional[int]]
    """Maximum number of payments. Null: no limit."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateCollectionParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """What payers see as its title."""
    description: NotRequired[Optional[str]]
    """What it is for; payers see it."""
    active: NotRequired[bool]
    """Whether it can be used."""
    amount: NotRequired[Optional[int]]
    """What each payer pays, in minor units. Null: the payer chooses."""
    min_amount: NotRequired[Optional[int]]
    """The least a payer may choose."""
    max_amount: NotRequired[Optional[int]]
    """The most a payer may choose."""
    redirect_url: NotRequired[Optional[str]]
    """Where payers are sent afterwards: https, or http on localhost."""
    max_payments: NotRequired[Optional[int]]
    """Maximum number of payments. Null: no limit."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CreateRefundParams(TypedDict):
    """What is given."""

    payment: str
    """The payment."""
    amount: NotRequired[int]
    """How much, in minor units. Default: all that is left of the money that goes back this way."""
    reason: NotRequired[str]
    """Why; for your own eyes."""
    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    transaction: NotRequired[str]
    """Of several that the payment received, the one whose money goes back. Default: where the latest came from."""
    destination: NotRequired[PayoutDestinationParams]
    """Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CryptoDestinationParams(TypedDict):
    """An address on a blockchain."""

    currency: CryptoCurrency
    """The currency to arrive."""
    chain: str
    """Crypto: a network id of GET /crypto/tokens."""
    address: str
    """Crypto: the address, with its EIP-55 checksum."""


class NigerianBankDestinationParams(TypedDict):
    """A bank account in Nigeria."""

    country: NotRequired[Literal["ng"]]
    """The country of the bank. Default `ng`."""
    currency: NotRequired[Literal["ngn"]]
    """The currency to arrive."""
    bank_code: str
    """Bank, ng: a code of GET /misc/ng/banks."""
    account_number: str
    """The NUBAN."""
    account_name: NotRequired[str]
    """Bank: the holder. Needed for `us`, compared for `ng`."""


class AmericanBankDestinationParams(TypedDict):
    """A bank account in the US."""

    country: Literal["us"]
    """The country of the bank."""
    currency: NotRequired[Literal["usd"]]
    """The currency to arrive."""
    routing_number: str
    """Bank, us: the ABA routing number."""
    account_number: str
    """Bank: the account number; ten digits for `ng`."""
    account_name: str
    """Bank: the holder. Needed for `us`, compared for `ng`."""
    account_type: BankAccountType
    """Bank, us: the kind of account."""
    holder_address: NotRequired[HolderAddressParams]
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""


class HolderAddressParams(TypedDict):
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""

    line1: NotRequired[str]
    """Street and number."""
    city: NotRequired[str]
    """City."""
    state: NotRequired[str]
    """State or region."""
    postal_code: NotRequired[str]
    """Postal code."""
    country: NotRequired[str]
    """ISO 3166-1 alpha-2 code, in lower case."""


class SimulateRefundParams(TypedDict):
    """What is given."""

    outcome: SimulatedRefundOutcome
    """The outcome to simulate."""


class UpdateDisputeEvidenceParams(TypedDict):
    """What is given."""

    customer_name: NotRequired[Optional[str]]
    """The payer’s name."""
    customer_email: NotRequired[Optional[str]]
    """The payer’s email address."""
    customer_phone: NotRequired[Optional[str]]
    """The payer’s phone number."""
    explanation: NotRequired[Optional[str]]
    """What was sold and delivered, and why the payment is rightful."""
    delivery_address: NotRequired[Optional[str]]
    """Where it was delivered to."""
    delivery_date: NotRequired[Optional[str]]
    """When it was delivered."""
    files: NotRequired[DisputeFilesParams]
    """Files of evidence, one of each kind."""


class DisputeFilesParams(TypedDict):
    """Files of evidence, one of each kind."""

    receipt: NotRequired[Optional[str]]
    """A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it."""
    delivery: NotRequired[Optional[str]]
    """A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it."""
    communication: NotRequired[Optional[str]]
    """A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it."""
    other: NotRequired[Optional[str]]
    """A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it."""


class SimulateDisputeParams(TypedDict):
    """What is given."""

    amount: NotRequired[int]
    """How much the payer’s bank takes back, in minor units. Default: all that is left."""
    reason: NotRequired[str]
    """Why; as a provider would say it."""


class SimulateDisputeEndParams(TypedDict):
    """What is given."""

    outcome: SimulatedDisputeOutcome
    """How it is decided."""


class CreateProductParams(TypedDict):
    """What is given."""

    name: str
    """Shown on invoices."""
    amount: int
    """The price of one, in minor units."""
    currency: SaleCurrency
    """The currency of the price; `eur` is collected in usd."""
    description: NotRequired[Optional[str]]
    """Only your team sees it."""
    distribution: NotRequired[Optional[str]]
    """How what is paid for it is shared. Null: not at all."""
    tax_rate_bps: NotRequired[Optional[int]]
    """The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing."""
    tax_inclusive: NotRequired[bool]
    """Whether the price has the tax in it. Else, and unless it says, it comes on top."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateProductParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """Shown on invoices."""
    amount: NotRequired[int]
    """The price of one, in minor units."""
    description: NotRequired[Optional[str]]
    """Only your team sees it."""
    distribution: NotRequired[Optional[str]]
    """How what is paid for it is shared. Null: not at all."""
    tax_rate_bps: NotRequired[Optional[int]]
    """The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing."""
    tax_inclusive: NotRequired[bool]
    """Whether the price has the tax in it. Else, and unless it says, it comes on top."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CreateDistributionParams(TypedDict):
    """What is given."""

    name: str
    """Only your team sees it."""
    currency: SaleCurrency
    """The currency of the products it is for."""
    shares: Sequence[DistributionShareParams]
    """The shares; their percentages sum to at most 10000. The rest stays with the business."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class PercentageShareParams(TypedDict):
    """A percentage."""

    id: NotRequired[str]
    """On a change: the share this is. Without it, the share of the same name."""
    name: str
    """Who it is for; once a distribution."""
    destination: NotRequired[Optional[PayoutDestinationParams]]
    """Where `settle` pays it out. Null: not yet known."""
    percentage_bps: int
    """Basis points of what flat shares leave of a line."""


class FlatShareParams(TypedDict):
    """A flat amount."""

    id: NotRequired[str]
    """On a change: the share this is. Without it, the share of the same name."""
    name: str
    """Who it is for; once a distribution."""
    destination: NotRequired[Optional[PayoutDestinationParams]]
    """Where `settle` pays it out. Null: not yet known."""
    flat_amount: int
    """A flat amount for each unit sold, in minor units."""


class UpdateDistributionParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """Only your team sees it."""
    shares: NotRequired[Sequence[DistributionShareParams]]
    """The shares; their percentages sum to at most 10000. The rest stays with the business."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class PreviewDistributionParams(TypedDict):
    """What is given."""

    amount: int
    """What a line comes to, in minor units."""
    quantity: NotRequired[int]
    """Units sold. Default 1."""


class CreateInvoiceParams(TypedDict):
    """What is given."""

    customer: str
    """Who is asked. Fixed for good."""
    lines: Sequence[NewInvoiceLineParams]
    """What is asked money for; all in one currency."""
    currency: NotRequired[SaleCurrency]
    """Of lines without a product. Default: that of the products."""
    due_date: NotRequired[Optional[str]]
    """When it is due: a day of your time zone, or a time on it."""
    memo: NotRequired[Optional[str]]
    """A note to the customer, printed below the lines."""
    reminders: NotRequired[InvoiceRemindersParams]
    """Mails while it is open: so many days before and after `due_date`, which they need. Empty: none."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class NewInvoiceLineParams(TypedDict):
    """A line: a product, or a name and an amount, which are required without one."""

    product: NotRequired[str]
    """The product that name, amount and taxes are copied from, unless you send them."""
    name: NotRequired[str]
    """What is sold."""
    amount: NotRequired[int]
    """The price of one, in minor units."""
    quantity: int
    """How many."""
    discount: NotRequired[int]
    """What is taken off `amount` × `quantity`, in minor units."""
    discount_bps: NotRequired[int]
    """The same as a share, in hundredths of a percent; rounded half up."""
    tax_rate_bps: NotRequired[Optional[int]]
    """The rate of its tax, in hundredths of a percent. Null: none."""
    tax_inclusive: NotRequired[bool]
    """Whether the price has the tax in it."""


class InvoiceRemindersParams(TypedDict):
    """Mails while it is open: so many days before and after `due_date`, which they need. Empty: none."""

    days_before: NotRequired[Sequence[int]]
    """How many days."""
    days_after: NotRequired[Sequence[int]]
    """How many days."""


class PreviewInvoiceParams(TypedDict):
    """What is given."""

    lines: Sequence[NewInvoiceLineParams]
    """What is asked money for; all in one currency."""
    currency: NotRequired[SaleCurrency]
    """Of lines without a product. Default: that of the products."""


class UpdateInvoiceParams(TypedDict):
    """What is given."""

    lines: NotRequired[Sequence[NewInvoiceLineParams]]
    """What is asked money for; all in one currency."""
    currency: NotRequired[SaleCurrency]
    """Of lines without a product. Default: that of the products."""
    due_date: NotRequired[Optional[str]]
    """When it is due: a day of your time zone, or a time on it."""
    memo: NotRequired[Optional[str]]
    """A note to the customer, printed below the lines."""
    reminders: NotRequired[InvoiceRemindersParams]
    """Mails while it is open: so many days before and after `due_date`, which they need. Empty: none."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class QuotePayoutParams(TypedDict):
    """What is given."""

    amount: int
    """What would leave the wallet, in minor units. 0 asks for the least fee and the rate."""
    currency: WalletCurrency
    """The wallet to pay from."""
    method: PayoutMethod
    """By what means."""
    destination: QuoteDestinationParams
    """Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a payout’s destination as is known."""


class QuoteDestinationParams(TypedDict):
    """Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a payout’s destination as is known."""

    currency: NotRequired[DestinationCurrency]
    """The currency to arrive."""
    chain: NotRequired[str]
    """Crypto: a network id of GET /crypto/tokens."""
    address: NotRequired[str]
    """Crypto: the address, with its EIP-55 checksum."""
    country: NotRequired[BankCountry]
    """Bank: the country of the bank. Default `ng`."""
    bank_code: NotRequired[str]
    """Bank, ng: a code of GET /misc/ng/banks."""
    account_number: NotRequired[str]
    """Bank: the account number; ten digits for `ng`."""
    account_name: NotRequired[str]
    """Bank: the holder. Needed for `us`, compared for `ng`."""
    routing_number: NotRequired[str]
    """Bank, us: the ABA routing number."""
    account_type: NotRequired[BankAccountType]
    """Bank, us: the kind of account."""
    holder_address: NotRequired[HolderAddressParams]
    """Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it."""


class CreatePayoutParams(TypedDict):
    """What is given."""

    reference: str
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What leaves the wallet, in minor units; the fee comes out of it."""
    currency: WalletCurrency
    """The wallet to pay from."""
    method: NotRequired[PayoutMethod]
    """By what means. Needed with `destination`."""
    destination: NotRequired[PayoutDestinationParams]
    """Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""
    beneficiary: NotRequired[str]
    """One of your beneficiaries, in place of `destination`: its own is copied."""
    quote: NotRequired[str]
    """A quote for the same payout: its fee and rate hold until it expires. It prices one payout."""
    description: NotRequired[str]
    """Only your team sees it."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class DecidePayoutsParams(TypedDict):
    """What is given."""

    decision: PayoutDecision
    """What becomes of them."""
    references: Sequence[str]
    """The payouts, by your references: up to 100."""


class SimulatePayoutParams(TypedDict):
    """What is given."""

    outcome: SimulatedPayoutOutcome
    """The outcome to simulate."""
    failure_reason: NotRequired[PayoutFailureReason]
    """Why it fails, or comes back. Default `unknown`."""


class QuoteConversionParams(TypedDict):
    """What is given."""

    amount: int
    """What leaves the wallet, fee included, in minor units."""
    currency: WalletCurrency
    """The wallet that it leaves."""
    destination_currency: WalletCurrency
    """The wallet that it comes into."""


class CreateConversionParams(TypedDict):
    """What is given."""

    quote: str
    """The quote: what is converted, and at which rate. It makes one conversion."""
    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CreatePayoutBatchParams(TypedDict):
    """What is given."""

    reference: str
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    currency: WalletCurrency
    """The wallet to pay from."""
    lines: Sequence[PayoutBatchLineInputParams]
    """The payouts: up to 10,000."""
    description: NotRequired[str]
    """Only your team sees it."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""
    dry_run: NotRequired[bool]
    """Keep it as a `draft`, which pays nobody before it is confirmed. Default `false`."""
    skip_bad: NotRequired[bool]
    """Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`."""


class PayoutBatchLineInputParams(TypedDict):
    """A payout of a batch. Its `reference` is that of the batch, `-` and its number, unless it has its own."""

    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    amount: int
    """What leaves the wallet, in minor units; the fee comes out of it."""
    method: NotRequired[PayoutMethod]
    """By what means. Default: what its destination needs."""
    destination: NotRequired[PayoutDestinationParams]
    """Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""
    beneficiary: NotRequired[str]
    """One of your beneficiaries, in place of `destination`."""
    description: NotRequired[str]
    """Only your team sees it."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""
    row: NotRequired[int]
    """Its row in your file or spreadsheet, by which it is named."""


class ConfirmPayoutBatchParams(TypedDict):
    """What is given."""

    skip_bad: NotRequired[bool]
    """Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`."""


class RetryPayoutBatchParams(TypedDict):
    """What is given."""

    reference: str
    """The reference of the new batch."""
    lines: NotRequired[Sequence[int]]
    """Only these lines. Default: all that failed."""


class CreatePayoutScheduleParams(TypedDict):
    """What is given."""

    currency: WalletCurrency
    """The wallet to pay from."""
    beneficiary: str
    """Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor."""
    interval: PayoutInterval
    """How often."""
    weekday: NotRequired[Weekday]
    """On which day of the week; of `weekly` alone."""
    day: NotRequired[int]
    """On which day of the month; of `monthly` alone. A month that has fewer days pays on its last."""
    time: NotRequired[str]
    """When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`."""
    keep: NotRequired[int]
    """What stays in the wallet, in minor units. Default 0."""
    minimum: NotRequired[int]
    """The least that it pays: with less than this above `keep`, a run pays nothing. Default 1."""
    maximum: NotRequired[Optional[int]]
    """The most that a run pays; the rest stays for the next. Null: all there is above `keep`."""
    description: NotRequired[Optional[str]]
    """For your own eyes: the description of each payout."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdatePayoutScheduleParams(TypedDict):
    """What is given."""

    status: NotRequired[PayoutScheduleStatus]
    """`paused`: no run until it is `active` again."""
    beneficiary: NotRequired[str]
    """Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor."""
    interval: NotRequired[PayoutInterval]
    """How often."""
    weekday: NotRequired[Weekday]
    """On which day of the week; of `weekly` alone."""
    day: NotRequired[int]
    """On which day of the month; of `monthly` alone. A month that has fewer days pays on its last."""
    time: NotRequired[str]
    """When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`."""
    keep: NotRequired[int]
    """What stays in the wallet, in minor units. Default 0."""
    minimum: NotRequired[int]
    """The least that it pays: with less than this above `keep`, a run pays nothing. Default 1."""
    maximum: NotRequired[Optional[int]]
    """The most that a run pays; the rest stays for the next. Null: all there is above `keep`."""
    description: NotRequired[Optional[str]]
    """For your own eyes: the description of each payout."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateLimitsParams(TypedDict):
    """What is given."""

    currencies: NotRequired[Sequence[PayoutLimitChangeParams]]
    """Wallets that are left out stay as they are."""
    approval_hours: NotRequired[int]
    """How long a payout waits for a second person before it is canceled and given back. 1 to 720; default 24."""
    payouts_by_key: NotRequired[PayoutsByKey]
    """Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any. Default `any`."""
    beneficiary_cooling_off_hours: NotRequired[int]
    """How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. 0 to 720, from the next change on; default 24."""


class PayoutLimitChangeParams(TypedDict):
    """What changes of the limits of a wallet."""

    currency: WalletCurrency
    """The wallet."""
    approve_above: NotRequired[Optional[int]]
    """Payouts of more than this wait for a second person, in minor units. Null: none does for its amount."""
    approve_above_daily: NotRequired[Optional[int]]
    """Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone."""
    refuse_above: NotRequired[Optional[int]]
    """Payouts of more than this are refused, in minor units. Null: none is for its amount."""
    refuse_above_daily: NotRequired[Optional[int]]
    """Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is."""
    refuse_above_daily_count: NotRequired[Optional[int]]
    """More payouts than this are refused in a day of UTC. Null: none is for how many there are."""
    destination_daily: NotRequired[Optional[int]]
    """Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is."""
    destination_daily_count: NotRequired[Optional[int]]
    """More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are."""


class CreateBeneficiaryParams(TypedDict):
    """What is given."""

    label: str
    """A name for your own use."""
    method: PayoutMethod
    """By what means it is paid."""
    destination: PayoutDestinationParams
    """Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""
    own: NotRequired[bool]
    """Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor. Default `false`."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateBeneficiaryParams(TypedDict):
    """What is given."""

    label: NotRequired[str]
    """A name for your own use."""
    method: NotRequired[PayoutMethod]
    """By what means it is paid."""
    destination: NotRequired[PayoutDestinationParams]
    """Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CreateCustomerParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """The whole name. Made of `first_name` and `last_name` when it is left out."""
    email: str
    """Where to write to."""
    type: NotRequired[CustomerType]
    """A person or a company."""
    first_name: NotRequired[Optional[str]]
    """Given name."""
    last_name: NotRequired[Optional[str]]
    """Family name."""
    phone: NotRequired[Optional[str]]
    """E.164."""
    address: NotRequired[Optional[AddressParams]]
    reference: NotRequired[Optional[str]]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class AddressParams(TypedDict):
    """A postal address. A new one replaces the whole old one."""

    line1: NotRequired[str]
    """Street and number."""
    city: NotRequired[str]
    """City."""
    state: NotRequired[str]
    """State or region."""
    postal_code: NotRequired[str]
    """Postal code."""
    country: NotRequired[str]
    """ISO 3166-1 alpha-2 code, in lower case."""


class UpdateCustomerParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """The whole name. Made of `first_name` and `last_name` when it is left out."""
    email: NotRequired[str]
    """Where to write to."""
    type: NotRequired[CustomerType]
    """A person or a company."""
    first_name: NotRequired[Optional[str]]
    """Given name."""
    last_name: NotRequired[Optional[str]]
    """Family name."""
    phone: NotRequired[Optional[str]]
    """E.164."""
    address: NotRequired[Optional[AddressParams]]
    reference: NotRequired[Optional[str]]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class VerifyCustomerDocumentParams(TypedDict):
    """What is given."""

    id_type: IdentityDocumentType
    """Which document."""
    id_number: str
    """Its number, in the form of its type. Stored encrypted, and never shown again."""
    bank_code: NotRequired[str]
    """The bank of an account of its holder, which some rails compare the number with."""
    account_number: NotRequired[str]
    """That account. Stored encrypted until the number is verified or not, and never shown."""


class CreateCryptoWalletParams(TypedDict):
    """What is given."""

    customer: NotRequired[str]
    """Whose wallet it is."""
    label: NotRequired[str]
    """A name for your own use."""
    reference: NotRequired[str]
    """Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateBusinessParams(TypedDict):
    """What is given."""

    name: NotRequired[str]
    """What payers and customers know it by."""
    locale: NotRequired[str]
    """BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same."""
    time_zone: NotRequired[str]
    """IANA: where the days and months of lists, exports and statements begin."""
    logo: NotRequired[Optional[str]]
    """A PNG, JPEG or WebP picture in base64: at most 256 KiB, each side 32 to 1,024 pixels. Null takes it away."""
    color: NotRequired[Optional[str]]
    """Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown."""
    statement_name: NotRequired[Optional[str]]
    """What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments."""
    support_email: NotRequired[Optional[str]]
    """Where payers who have a question write to."""
    support_phone: NotRequired[Optional[str]]
    """Where they call. E.164."""
    address: NotRequired[Optional[AddressParams]]
    tax_id: NotRequired[Optional[str]]
    """The number it pays tax under."""
    registration_number: NotRequired[Optional[str]]
    """Its number in the register of companies."""
    terms_url: NotRequired[Optional[str]]
    """Its terms of business. https."""
    receipts: NotRequired[bool]
    """Whether payers who gave an address are mailed receipts, of payments and of refunds."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class CreateWebhookParams(TypedDict):
    """What is given."""

    url: str
    """Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others."""
    events: NotRequired[Sequence[EventSubscription]]
    """The event types it gets; `*` stands for all, now and later."""
    metadata_filter: NotRequired[Mapping[str, Any]]
    """Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans."""
    description: NotRequired[Optional[str]]
    """A note for yourself."""
    active: NotRequired[bool]
    """Whether it gets events. Events that come while it is inactive are not kept for it."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class UpdateWebhookParams(TypedDict):
    """What is given."""

    url: NotRequired[str]
    """Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others."""
    events: NotRequired[Sequence[EventSubscription]]
    """The event types it gets; `*` stands for all, now and later."""
    metadata_filter: NotRequired[Mapping[str, Any]]
    """Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans."""
    description: NotRequired[Optional[str]]
    """A note for yourself."""
    active: NotRequired[bool]
    """Whether it gets events. Events that come while it is inactive are not kept for it."""
    metadata: NotRequired[Mapping[str, Any]]
    """Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings."""


class TestWebhookParams(TypedDict):
    """What is given."""

    type: EventType
    """Which event to send a sample of."""


class RecoverWebhookParams(TypedDict):
    """What is given."""

    since: str
    """Deliveries created at this time or after."""


class ResendEventParams(TypedDict):
    """What is given."""

    event_id: str
    """The event to send."""
    webhook_id: str
    """The endpoint to send it to."""


class AdvanceTestClockParams(TypedDict):
    """What is given."""

    advance: str
    """How far: `90s`, `15m`, `24h`, `3d`; at most `366d`."""


PayoutDestinationParams = Union[CryptoDestinationParams, NigerianBankDestinationParams, AmericanBankDestinationParams]
"""Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US."""


DistributionShareParams = Union[PercentageShareParams, FlatShareParams]
"""Whom a part of what is sold is for: a percentage, or a flat amount."""
