/**
 * The operations of a Bursar server, by resource.
 *
 * Generated from the OpenAPI document by `npm run sdk`.
 */
import type { Amount } from './amounts.ts';
import type { AdvanceTestClock, AuditAction, AuditEntry, AuditEntryPage, Bank, BankCountry, BankStatementFormat, Beneficiary, BeneficiaryPage, BeneficiaryStatus, Business, Collection, CollectionPage, ConfirmPayoutBatch, Conversion, ConversionPage, ConversionQuote, CreateBeneficiary, CreateCollection, CreateConversion, CreateCryptoWallet, CreateCustomer, CreateDistribution, CreateInvoice, CreatePayment, CreatePayout, CreatePayoutBatch, CreatePayoutSchedule, CreateProduct, CreateRefund, CreateVirtualAccount, CreateWebhook, CreditNote, CreditNotePage, CryptoDeposit, CryptoDepositPage, CryptoDepositStatus, CryptoToken, CryptoWallet, CryptoWalletPage, CryptoWalletStatus, Customer, CustomerData, CustomerErasure, CustomerPage, DecidePayouts, Dispute, DisputeEvidence, DisputePage, DisputeStatus, Distribution, DistributionPage, DistributionPreview, DistributionSettlement, Event, EventPage, EventType, FeesReport, Health, HttpMethod, IdentityDocument, Invoice, InvoicePage, InvoicePreview, InvoiceStatus, JournalFormat, LimitRules, Limits, Payment, PaymentMethod, PaymentMismatch, PaymentPage, PaymentStatus, Payout, PayoutApprovalSought, PayoutBatch, PayoutBatchLine, PayoutBatchLinePage, PayoutBatchLineStatus, PayoutBatchPage, PayoutBatchStatus, PayoutDecisions, PayoutMethod, PayoutPage, PayoutQuote, PayoutReport, PayoutSchedule, PayoutSchedulePage, PayoutScheduleRun, PayoutScheduleRunPage, PayoutScheduleStatus, PayoutStatus, PreviewDistribution, PreviewInvoice, Product, ProductPage, ProofKey, ProofOfDay, QuoteConversion, QuotePayout, RecoverWebhook, RecoveredDeliveries, Refund, RefundPage, RefundStatus, ReportStep, Request, RequestPage, ResendEvent, ResolvedAccount, RetryPayoutBatch, SaleCurrency, ServiceInfo, SettlementReport, SimulateCryptoWalletDeposit, SimulateDispute, SimulateDisputeEnd, SimulateFunding, SimulatePayment, SimulatePayout, SimulateRefund, SimulateVirtualAccountDeposit, Statement, StreamedEvent, TestClock, TestWebhook, Timeline, Transaction, TransactionDirection, TransactionMethod, TransactionPage, TransactionReceipt, TransactionStatus, TransactionType, UpdateBeneficiary, UpdateBusiness, UpdateCollection, UpdateCustomer, UpdateDisputeEvidence, UpdateDistribution, UpdateInvoice, UpdateLimits, UpdatePayoutSchedule, UpdateProduct, UpdateWebhook, VerifiedIdentityDocument, VerifyCustomerDocument, VirtualAccount, VirtualAccountPage, VirtualAccountStatus, Wallet, WalletCurrency, Webhook, WebhookDelivery, WebhookDeliveryPage, WebhookDeliveryStatus, WebhookPage, WebhookWithSecret, WebhookWithWarnings } from './generated.ts';
import { ListRequest } from './pages.ts';
import { EventStream } from './stream.ts';
import { type Connection, type RequestOptions, type WriteOptions } from './transport.ts';
export interface ListWalletsQuery {
    /** Only this one. */
    currency?: WalletCurrency | undefined;
}
export interface ListVirtualAccountsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only this status. */
    status?: VirtualAccountStatus | undefined;
    /**
     * Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the
     * last four digits of the number also match.
     */
    search?: string | undefined;
}
export interface ExportVirtualAccountsQuery {
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only this status. */
    status?: VirtualAccountStatus | undefined;
    /**
     * Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the
     * last four digits of the number also match.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListCryptoWalletDepositsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: CryptoDepositStatus | undefined;
}
export interface ListCryptoWalletsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this status. */
    status?: CryptoWalletStatus | undefined;
    /** Only those with this in their `label`, `reference` or address, or as their `id`. */
    search?: string | undefined;
}
export interface ExportCryptoWalletsQuery {
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this status. */
    status?: CryptoWalletStatus | undefined;
    /** Only those with this in their `label`, `reference` or address, or as their `id`. */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListPaymentsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: PaymentStatus | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only what was paid this way. */
    method?: PaymentMethod | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only those for which too little or too much came, or too late. */
    variance?: PaymentMismatch | undefined;
    /** `true`: only those of which something was given back. */
    refunded?: boolean | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units. */
    amount?: Amount | undefined;
    /** Only payments of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000`
     * or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000,
     * a part of the `reference` or the last four digits of the card also match.
     */
    search?: string | undefined;
}
export interface ExportPaymentsQuery {
    /** Only this status. */
    status?: PaymentStatus | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only what was paid this way. */
    method?: PaymentMethod | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only those for which too little or too much came, or too late. */
    variance?: PaymentMismatch | undefined;
    /** `true`: only those of which something was given back. */
    refunded?: boolean | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units. */
    amount?: Amount | undefined;
    /** Only payments of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000`
     * or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000,
     * a part of the `reference` or the last four digits of the card also match.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListCollectionsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only those that can be used, or cannot. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
}
export interface ExportCollectionsQuery {
    /** Only those that can be used, or cannot. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: WalletCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListCollectionPaymentsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
}
export interface ListRefundsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this payment’s. */
    payment?: string | undefined;
    /** Only this status. */
    status?: RefundStatus | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units. */
    amount?: Amount | undefined;
    /** Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address
     * or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among
     * the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
     */
    search?: string | undefined;
}
export interface ExportRefundsQuery {
    /** Only this payment’s. */
    payment?: string | undefined;
    /** Only this status. */
    status?: RefundStatus | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units. */
    amount?: Amount | undefined;
    /** Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address
     * or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among
     * the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListDisputesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this payment’s. */
    payment?: string | undefined;
    /** Only this status. */
    status?: DisputeStatus | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
}
export interface ExportDisputesQuery {
    /** Only this payment’s. */
    payment?: string | undefined;
    /** Only this status. */
    status?: DisputeStatus | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListProductsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only those that are active, or archived. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
}
export interface ExportProductsQuery {
    /** Only those that are active, or archived. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListDistributionsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only those that are, or are not. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
}
export interface ExportDistributionsQuery {
    /** Only those that are, or are not. */
    active?: boolean | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** Only those with this in their `name`, or as their `id`. */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListInvoicesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: InvoiceStatus | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** `true`: only open ones whose `due_day` is over. */
    overdue?: boolean | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only the one of this number. */
    number?: number | undefined;
    /** Only of exactly this `total`, in minor units. */
    amount?: Amount | undefined;
    /** Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /**
     * Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those
     * of customers whose name or email address it finds in `GET /customers`.
     */
    search?: string | undefined;
}
export interface ExportInvoicesQuery {
    /** Only this status. */
    status?: InvoiceStatus | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Only this currency. */
    currency?: SaleCurrency | undefined;
    /** `true`: only open ones whose `due_day` is over. */
    overdue?: boolean | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only the one of this number. */
    number?: number | undefined;
    /** Only of exactly this `total`, in minor units. */
    amount?: Amount | undefined;
    /** Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /**
     * Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those
     * of customers whose name or email address it finds in `GET /customers`.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
    /**
     * Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default
     * `false`.
     */
    by_tax_rate?: boolean | undefined;
}
export interface ListCreditNotesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only those of this invoice. */
    invoice?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
}
export interface ExportCreditNotesQuery {
    /** Only those of this invoice. */
    invoice?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
    /**
     * Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default
     * `false`.
     */
    by_tax_rate?: boolean | undefined;
}
export interface ListPayoutsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: PayoutStatus | undefined;
    /** Only from this wallet. */
    currency?: WalletCurrency | undefined;
    /** Only this means. */
    method?: PayoutMethod | undefined;
    /** Only those that wait for a second person, or that one has approved or refused. */
    approval?: PayoutApprovalSought | undefined;
    /** Only those that were made for this beneficiary. */
    beneficiary?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`. */
    amount?: Amount | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the
     * `reference` or the last four digits of the account that they go to also match. So does the account number or address that they
     * go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     */
    search?: string | undefined;
}
export interface ExportPayoutsQuery {
    /** Only this status. */
    status?: PayoutStatus | undefined;
    /** Only from this wallet. */
    currency?: WalletCurrency | undefined;
    /** Only this means. */
    method?: PayoutMethod | undefined;
    /** Only those that wait for a second person, or that one has approved or refused. */
    approval?: PayoutApprovalSought | undefined;
    /** Only those that were made for this beneficiary. */
    beneficiary?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`. */
    amount?: Amount | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the
     * `reference` or the last four digits of the account that they go to also match. So does the account number or address that they
     * go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface GetPayoutReportQuery {
    /** A time, or a day of your time zone. Default: the first of this month. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day; at most 13 months after `from`. Default: now. */
    to?: string | undefined;
}
export interface GetFeesReportQuery {
    /** A time, or a day of your time zone. Default: the first of this month. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day; at most 13 months after `from`. Default: now. */
    to?: string | undefined;
    /** What a line is of. */
    by?: ReportStep | undefined;
}
export interface GetFeesReportCsvQuery {
    /** A time, or a day of your time zone. Default: the first of this month. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day; at most 13 months after `from`. Default: now. */
    to?: string | undefined;
    /** What a line is of. */
    by?: ReportStep | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface GetSettlementReportQuery {
    /** A time, or a day of your time zone. Default: the first of this month. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day; at most 13 months after `from`. Default: now. */
    to?: string | undefined;
    /** What a line is of. */
    by?: ReportStep | undefined;
}
export interface GetSettlementReportCsvQuery {
    /** A time, or a day of your time zone. Default: the first of this month. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day; at most 13 months after `from`. Default: now. */
    to?: string | undefined;
    /** What a line is of. */
    by?: ReportStep | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListConversionsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only out of this wallet. */
    currency?: WalletCurrency | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
}
export interface ExportConversionsQuery {
    /** Only out of this wallet. */
    currency?: WalletCurrency | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListPayoutBatchesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: PayoutBatchStatus | undefined;
}
export interface ListPayoutBatchLinesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Only lines that stand there. */
    status?: PayoutBatchLineStatus | undefined;
    /** Only lines that were refused, or whose payout failed, came back or was canceled. */
    failed?: boolean | undefined;
}
export interface ExportPayoutBatchQuery {
    /** The account that your bank shall pay from: an IBAN, or its number. */
    debtor_account: string;
    /** Your bank: a BIC, or its code in the clearing. */
    debtor_bank?: string | undefined;
}
export interface ListPayoutSchedulesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: PayoutScheduleStatus | undefined;
    /** Only of this wallet. */
    currency?: WalletCurrency | undefined;
}
export interface ListPayoutScheduleRunsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
}
export interface ListBeneficiariesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: BeneficiaryStatus | undefined;
    /** Only this means. */
    method?: PayoutMethod | undefined;
    /** Only accounts of your own, or only others. */
    own?: boolean | undefined;
    /** Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`. */
    search?: string | undefined;
}
export interface ExportBeneficiariesQuery {
    /** Only this status. */
    status?: BeneficiaryStatus | undefined;
    /** Only this means. */
    method?: PayoutMethod | undefined;
    /** Only accounts of your own, or only others. */
    own?: boolean | undefined;
    /** Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`. */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListCustomersQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only customers of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and
     * those with this text as the beginning of their `reference`, or as their `phone` or `id`.
     */
    search?: string | undefined;
}
export interface ExportCustomersQuery {
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Only customers of this email address, whatever its case. Write its `+` as `%2B`. */
    email?: string | undefined;
    /** Only those whose `reference` begins with this. */
    reference?: string | undefined;
    /**
     * Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and
     * those with this text as the beginning of their `reference`, or as their `phone` or `id`.
     */
    search?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListTransactionsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this wallet. */
    currency?: WalletCurrency | undefined;
    /** Only in, or only out. */
    direction?: TransactionDirection | undefined;
    /** Only this means. */
    method?: TransactionMethod | undefined;
    /** Only this status. */
    status?: TransactionStatus | undefined;
    /** Only this type. */
    type?: TransactionType | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Completed at or after: a time, or a day of your time zone. Those completed last come first then. */
    completed_from?: string | undefined;
    /** Completed before a time, or up to the end of a day of your time zone. */
    completed_to?: string | undefined;
}
export interface ExportTransactionsQuery {
    /** Only this wallet. */
    currency?: WalletCurrency | undefined;
    /** Only in, or only out. */
    direction?: TransactionDirection | undefined;
    /** Only this means. */
    method?: TransactionMethod | undefined;
    /** Only this status. */
    status?: TransactionStatus | undefined;
    /** Only this type. */
    type?: TransactionType | undefined;
    /** Only this customer’s. */
    customer?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /** Completed at or after: a time, or a day of your time zone. Those completed last come first then. */
    completed_from?: string | undefined;
    /** Completed before a time, or up to the end of a day of your time zone. */
    completed_to?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface GetStatementCsvQuery {
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ExportJournalQuery {
    /** The program that reads it. */
    format: JournalFormat;
    /** A time, or a day of your time zone. Default: the first posting. */
    from?: string | undefined;
    /** Before a time, or up to the end of a day. Default: now. */
    to?: string | undefined;
    /**
     * Accounts of your own chart, as `role=account` with commas between. Roles: `available` (Assets:Bursar:Available), `pending`
     * (Assets:Bursar:Pending), `shares` (Assets:Bursar:Shares), `payments` (Income:Payments), `refunds` (Income:Refunds), `payouts`
     * (Assets:Clearing:Payouts), `fees` (Expenses:Fees), `disputes` (Expenses:Disputes), `exchange` (Equity:Exchange), `test_funds`
     * (Equity:TestFunds), `opening` (Equity:Opening).
     */
    accounts?: string | undefined;
}
export interface ExportStatementQuery {
    /** The wallet. Stablecoins have none: they are credited to the `usd` wallet, so each statement has a currency of ISO 4217. */
    currency: WalletCurrency;
    /** The message of ISO 20022, or of SWIFT. */
    format: BankStatementFormat;
    /** The first day, of your time zone. Default: `to`, for the statement of one day. */
    from?: string | undefined;
    /** The last day, which must be over. Default: yesterday. */
    to?: string | undefined;
}
export interface ResolveAccountQuery {
    /** A code of the bank list. */
    bank_code: string;
    /** The account; ten digits for `ng`. */
    account_number: string;
}
export interface ListAuditEntriesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this action. */
    action?: AuditAction | undefined;
    /** Only what this key or this person did. */
    actor?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
}
export interface ExportAuditEntriesQuery {
    /** Only this action. */
    action?: AuditAction | undefined;
    /** Only what this key or this person did. */
    actor?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
    /**
     * Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that
     * keep their zeros and signs. Default `false`.
     */
    spreadsheet?: boolean | undefined;
}
export interface ListWebhooksQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
}
export interface ListWebhookDeliveriesQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this event type. */
    type?: EventType | undefined;
    /** Only this status. */
    status?: WebhookDeliveryStatus | undefined;
    /** Only to this endpoint. */
    webhook_id?: string | undefined;
    /** Only of this event. */
    event_id?: string | undefined;
}
export interface ListEventsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this type. */
    type?: EventType | undefined;
}
export interface StreamEventsQuery {
    /** Where to go on: the `id` of the last event you had, where a header cannot be sent. `0`: from the first event. */
    after?: string | undefined;
}
export interface ListRequestsQuery {
    /** Which page, from 1. */
    page?: number | undefined;
    /** Records a page. */
    limit?: number | undefined;
    /** Keyset cursor: only records that come after this one in the list. Replaces `page`. */
    after?: string | undefined;
    /** Only this status. */
    status?: number | undefined;
    /** Only those answered with 400 or above; `false`: only others. */
    failed?: boolean | undefined;
    /** Only those refused with this code. */
    code?: string | undefined;
    /** Only this method. */
    method?: HttpMethod | undefined;
    /** Only paths that begin so. */
    path?: string | undefined;
    /** Created at or after: a time, or a day of your time zone. */
    from?: string | undefined;
    /** Created before a time, or up to the end of a day of your time zone. */
    to?: string | undefined;
}
export declare class ServerResource {
    #private;
    constructor(connection: Connection);
    /** What this server is. Its version, and where its documents are. */
    get(options?: RequestOptions): Promise<ServiceInfo>;
    /**
     * Whether the server can work. 200 when database, schema and workers (where this process knows of them) are fine, else 503. Not
     * counted by the rate limit.
     */
    getHealth(options?: RequestOptions): Promise<Health>;
}
export declare class ProofsResource {
    #private;
    constructor(connection: Connection);
    /** List the keys that signed proofs. The one in use and those before it, each with the days it signed. Keep them where you verify. */
    listKeys(options?: RequestOptions): Promise<ProofKey[]>;
    /**
     * Get the proof of a day. A signed root over all that was sealed on a day in UTC, in each cell. It never changes: keep a copy to
     * detect any later change of the ledger’s history.
     */
    get(day: string, options?: RequestOptions): Promise<ProofOfDay>;
}
export declare class WalletsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** List the wallets. A plain array: one wallet per currency. Both exist from the day the business does. */
    list(query?: ListWalletsQuery, options?: RequestOptions): Promise<Wallet<A>[]>;
    /** Put test money into a wallet. At once, and without a fee: a transaction of type `simulated_fund`. */
    simulateFunding(body: SimulateFunding<Amount>, options?: WriteOptions): Promise<Wallet<A>>;
}
export declare class VirtualAccountsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Open a virtual account. A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires. With a
     * live key the bank may take its time: then the account is `pending`, without a number, until `virtual_account.activated` or
     * `virtual_account.failed`.
     */
    create(body: CreateVirtualAccount<Amount>, options?: WriteOptions): Promise<VirtualAccount<A>>;
    /** List virtual accounts. Newest first. One-time accounts of payments are among them. */
    list(query?: ListVirtualAccountsQuery, options?: RequestOptions): ListRequest<VirtualAccount<A>, VirtualAccountPage<A>>;
    /**
     * Export virtual accounts as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times
     * in UTC and your time zone.
     */
    export(query?: ExportVirtualAccountsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a virtual account. As it stands now: its number, bank and status. */
    get(id: string, options?: RequestOptions): Promise<VirtualAccount<A>>;
    /** Close a virtual account. Money that still comes is booked, and marked late. */
    close(id: string, options?: RequestOptions): Promise<VirtualAccount<A>>;
    /**
     * Have test money arrive. Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives
     * the same one.
     */
    simulateDeposit(id: string, body?: SimulateVirtualAccountDeposit<Amount>, options?: WriteOptions): Promise<Transaction<A>>;
}
export declare class CryptoWalletsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Have test tokens arrive. Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives
     * the same one.
     */
    simulateDeposit(id: string, body: SimulateCryptoWalletDeposit<Amount>, options?: WriteOptions): Promise<Transaction<A>>;
    /**
     * List what was sent to a crypto wallet on chains. Newest first, from the moment a block holds it. Simulated deposits are
     * transactions only.
     */
    listDeposits(id: string, query?: ListCryptoWalletDepositsQuery, options?: RequestOptions): ListRequest<CryptoDeposit<A>, CryptoDepositPage<A>>;
    /** Open a crypto wallet. One address for every network and token. What arrives credits the `usd` wallet. */
    create(body?: CreateCryptoWallet, options?: WriteOptions): Promise<CryptoWallet>;
    /** List crypto wallets. Newest first. */
    list(query?: ListCryptoWalletsQuery, options?: RequestOptions): ListRequest<CryptoWallet, CryptoWalletPage>;
    /**
     * Export crypto wallets as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query?: ExportCryptoWalletsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a crypto wallet. Its address, and the networks it receives on. */
    get(id: string, options?: RequestOptions): Promise<CryptoWallet>;
    /** Close a crypto wallet. What still comes to its address is booked, and marked late. */
    close(id: string, options?: RequestOptions): Promise<CryptoWallet>;
}
export declare class PaymentsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Open a payment. Send the payer to its `checkout_url`. */
    create(body: CreatePayment<Amount>, options?: WriteOptions): Promise<Payment<A>>;
    /** List payments. Newest first. */
    list(query?: ListPaymentsQuery, options?: RequestOptions): ListRequest<Payment<A>, PaymentPage<A>>;
    /**
     * Export payments as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportPaymentsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a payment. As it stands now. Ask this when the payer comes back to your page. */
    get(id: string, options?: RequestOptions): Promise<Payment<A>>;
    /** Get a payment by its reference. By your own id, which you need not store ours for. */
    getByReference(reference: string, options?: RequestOptions): Promise<Payment<A>>;
    /** Cancel a pending payment. Money that still comes is booked, and marked late. */
    cancel(id: string, options?: WriteOptions): Promise<Payment<A>>;
    /**
     * Have something happen to a test payment. As if the payer did it, by the same steps: `underpaid` and `overpaid` are for
     * transfers; `failed` is a decline for good.
     */
    simulate(id: string, body: SimulatePayment, options?: WriteOptions): Promise<Payment<A>>;
    /** Open a test dispute. As if the payer’s bank took the money of a test payment back. */
    simulateDispute(id: string, body?: SimulateDispute<Amount>, options?: WriteOptions): Promise<Dispute<A>>;
}
export declare class CollectionsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Make a reusable checkout link. Share its `checkout_url`: each use makes a payment. */
    create(body: CreateCollection<Amount>, options?: WriteOptions): Promise<Collection<A>>;
    /** List collections. Newest first. */
    list(query?: ListCollectionsQuery, options?: RequestOptions): ListRequest<Collection<A>, CollectionPage<A>>;
    /**
     * Export collections as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportCollectionsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a collection. With what its payments have brought in so far. */
    get(id: string, options?: RequestOptions): Promise<Collection<A>>;
    /** Change a collection. Only what is given changes. Payments that payers have opened stay as they are. */
    update(id: string, body?: UpdateCollection<Amount>, options?: RequestOptions): Promise<Collection<A>>;
    /** Cancel a collection. For good. Payers who have started to pay can finish. */
    cancel(id: string, options?: WriteOptions): Promise<Collection<A>>;
    /** List the payments of a collection. Newest first. */
    listPayments(id: string, query?: ListCollectionPaymentsQuery, options?: RequestOptions): ListRequest<Payment<A>, PaymentPage<A>>;
}
export declare class RefundsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Refund a payment. In whole or in part. The amount is held at once; one refund at a time a payment. To a `destination` that the
     * money did not come from it goes by a payout, which limits, approval, beneficiaries and screening hold for as for any, and needs
     * the scope `refund_elsewhere`.
     */
    create(body: CreateRefund<Amount>, options?: WriteOptions): Promise<Refund<A>>;
    /** List refunds. Newest first. */
    list(query?: ListRefundsQuery, options?: RequestOptions): ListRequest<Refund<A>, RefundPage<A>>;
    /**
     * Export refunds as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and
     * your time zone.
     */
    export(query?: ExportRefundsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a refund. As it stands now: `initiated` until the rail says how it ended. */
    get(id: string, options?: RequestOptions): Promise<Refund<A>>;
    /**
     * End a test refund. As if the rail had said so. `returned` is for a refund that is completed: its rail takes that back, and it is
     * `failed`.
     */
    simulate(id: string, body: SimulateRefund, options?: WriteOptions): Promise<Refund<A>>;
}
export declare class DisputesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** List disputes. Newest first. The operator of the installation answers them at the provider. */
    list(query?: ListDisputesQuery, options?: RequestOptions): ListRequest<Dispute<A>, DisputePage<A>>;
    /**
     * Export disputes as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportDisputesQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a dispute. As it stands now: `open` until its provider has decided it. */
    get(id: string, options?: RequestOptions): Promise<Dispute<A>>;
    /** Get the evidence of a dispute. The texts and files of the answer, and what came of it. */
    getEvidence(id: string, options?: RequestOptions): Promise<DisputeEvidence>;
    /** Change the evidence of a dispute. What is left out stays. Nothing is submitted by it. */
    updateEvidence(id: string, body?: UpdateDisputeEvidence, options?: RequestOptions): Promise<DisputeEvidence>;
    /** Get the evidence bundle of a dispute. One PDF with your evidence, the receipt, the delivery log and the proof of the ledger. */
    evidencePdf(id: string, options?: RequestOptions): Promise<Uint8Array>;
    /** Submit the evidence of a dispute. Sends it to the provider, which takes one answer to a dispute. */
    submit(id: string, options?: WriteOptions): Promise<DisputeEvidence>;
    /** Accept a dispute. The payer keeps the money, and the dispute is lost. */
    accept(id: string, options?: WriteOptions): Promise<DisputeEvidence>;
    /** Decide a test dispute. As if its provider had decided it. */
    simulate(id: string, body: SimulateDisputeEnd, options?: WriteOptions): Promise<Dispute<A>>;
}
export declare class ProductsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Add a product. Something that lines of invoices name. */
    create(body: CreateProduct<Amount>, options?: WriteOptions): Promise<Product<A>>;
    /** List products. Newest first. */
    list(query?: ListProductsQuery, options?: RequestOptions): ListRequest<Product<A>, ProductPage<A>>;
    /**
     * Export products as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportProductsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a product. Also one that is archived. */
    get(id: string, options?: RequestOptions): Promise<Product<A>>;
    /** Change a product. Only what is given changes. Lines of invoices stay as they are. */
    update(id: string, body?: UpdateProduct<Amount>, options?: RequestOptions): Promise<Product<A>>;
    /** Archive a product. New lines cannot name it; lines that do stay. */
    archive(id: string, options?: RequestOptions): Promise<Product<A>>;
    /** Bring a product back. New lines can name it again. */
    unarchive(id: string, options?: RequestOptions): Promise<Product<A>>;
}
export declare class DistributionsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Make a distribution. Name it on products: what is paid for them by invoice is shared. To name destinations needs the scope
     * `manage` beside `collect`.
     */
    create(body: CreateDistribution<Amount>, options?: WriteOptions): Promise<Distribution<A>>;
    /** List distributions. Newest first. */
    list(query?: ListDistributionsQuery, options?: RequestOptions): ListRequest<Distribution<A>, DistributionPage<A>>;
    /**
     * Export distributions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query?: ExportDistributionsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a distribution. With what each share holds now, and what was paid out of it. */
    get(id: string, options?: RequestOptions): Promise<Distribution<A>>;
    /**
     * Change a distribution. Only what is given changes; `shares` as a whole. What is shared already stays with its share. To change
     * where one is paid needs the scope `manage` beside `collect`, and is in the audit log; the new destination cools off as a
     * beneficiary does.
     */
    update(id: string, body?: UpdateDistribution<Amount>, options?: RequestOptions): Promise<Distribution<A>>;
    /** Turn a distribution on. What is paid from now on for products that name it is split. */
    activate(id: string, options?: RequestOptions): Promise<Distribution<A>>;
    /** Turn a distribution off. It splits nothing then, and no product can name it. */
    deactivate(id: string, options?: RequestOptions): Promise<Distribution<A>>;
    /** See how an amount would be split. By the very function that splits what is paid. */
    preview(id: string, body: PreviewDistribution<Amount>, options?: WriteOptions): Promise<DistributionPreview<A>>;
    /**
     * Pay out what the shares hold. By ordinary payouts. One that fails brings the money back to its share. A share whose destination
     * cools off is skipped, and keeps what it holds.
     */
    settle(id: string, options?: WriteOptions): Promise<DistributionSettlement<A>>;
}
export declare class InvoicesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Draft an invoice. Lines copy their products as they are now, but for what they say themselves: name, amount, taxes. A line
     * without a product has a name and an amount.
     */
    create(body: CreateInvoice<Amount>, options?: WriteOptions): Promise<Invoice<A>>;
    /** List invoices. Newest first. */
    list(query?: ListInvoicesQuery, options?: RequestOptions): ListRequest<Invoice<A>, InvoicePage<A>>;
    /** Work out the total of an invoice. With discounts and taxes, by the rules of `POST /invoices`. Nothing is stored. */
    preview(body: PreviewInvoice<Amount>, options?: WriteOptions): Promise<InvoicePreview<A>>;
    /**
     * Export invoices as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone. With `by_tax_rate`, a row for each tax rate.
     */
    export(query?: ExportInvoicesQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get an invoice. In any state, with its lines. */
    get(id: string, options?: RequestOptions): Promise<Invoice<A>>;
    /** Change a draft. Only what is given changes; `lines` as a whole, which copy their products anew. */
    update(id: string, body?: UpdateInvoice<Amount>, options?: RequestOptions): Promise<Invoice<A>>;
    /** Delete a draft. What was finalized is voided, not deleted. The answer is the draft as it was last. */
    delete(id: string, options?: RequestOptions): Promise<Invoice<A>>;
    /** Finalize an invoice. It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more. */
    finalize(id: string, options?: WriteOptions): Promise<Invoice<A>>;
    /** Void an open invoice. Its payment is canceled. Money that still comes is booked, and marked late. */
    void(id: string, options?: WriteOptions): Promise<Invoice<A>>;
    /**
     * Mail an open invoice. To the customer’s address of today, with its PDF and the link to its page; ten times a day to one
     * recipient. Test mode captures it, but for what goes to people of your team: `npx bursar mail`.
     */
    send(id: string, options?: WriteOptions): Promise<Invoice<A>>;
    /** Get an invoice as a PDF. In any state: what it is stands on it. */
    getPdf(id: string, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class CreditNotesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** List credit notes. Newest first: one for each refund of a paid invoice that was completed. */
    list(query?: ListCreditNotesQuery, options?: RequestOptions): ListRequest<CreditNote<A>, CreditNotePage<A>>;
    /**
     * Export credit notes as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone. With `by_tax_rate`, a row for each tax rate.
     */
    export(query?: ExportCreditNotesQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a credit note. What of a paid invoice was given back by a refund. */
    get(id: string, options?: RequestOptions): Promise<CreditNote<A>>;
    /**
     * Mail a credit note. To the customer’s address of today, with its PDF; ten times a day to one recipient. Test mode captures it as
     * it does invoices.
     */
    send(id: string, options?: WriteOptions): Promise<CreditNote<A>>;
    /** Get a credit note as a PDF. Also one that is void: it says so. */
    getPdf(id: string, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class PayoutsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Quote a payout. What it would cost and what would arrive. Nothing is debited; the price holds for five minutes. */
    quote(body: QuotePayout<Amount>, options?: WriteOptions): Promise<PayoutQuote<A>>;
    /**
     * Create a payout. Moves the amount from available to pending and hands the payout to the rail; one that is above a limit (`GET
     * /limits`) waits for a second person before that. One payout per reference. It goes to a `destination`, or to a `beneficiary`
     * that you have saved.
     */
    create(body: CreatePayout<Amount>, options?: WriteOptions): Promise<Payout<A>>;
    /** List payouts. Newest first. */
    list(query?: ListPayoutsQuery, options?: RequestOptions): ListRequest<Payout<A>, PayoutPage<A>>;
    /**
     * Export payouts as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and
     * your time zone.
     */
    export(query?: ExportPayoutsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a payout by its reference. By your own id. After a lost answer, ask this before you create the payout again. */
    get(reference: string, options?: RequestOptions): Promise<Payout<A>>;
    /** Cancel a pending payout. Possible until the rail is asked. The amount is available again. */
    cancel(reference: string, options?: WriteOptions): Promise<Payout<A>>;
    /**
     * Approve or refuse payouts. Up to 100 that wait for a second person, each as if it came alone: `skipped` has those that stay as
     * they were. Needs the scope `approve`.
     */
    decide(body: DecidePayouts, options?: WriteOptions): Promise<PayoutDecisions<A>>;
    /**
     * Approve a payout that waits. It goes to its rail, at the price it was made at. Needs the scope `approve`; who made the payout,
     * or made the key that did, cannot.
     */
    approve(reference: string, options?: WriteOptions): Promise<Payout<A>>;
    /** Refuse a payout that waits. It is canceled, and its amount is available again. Needs the scope `approve`. */
    refuse(reference: string, options?: WriteOptions): Promise<Payout<A>>;
    /** End a test payout. As if the rail had said so. `returned` is for a payout that is completed: the money comes back. */
    simulate(reference: string, body: SimulatePayout, options?: WriteOptions): Promise<Payout<A>>;
}
export declare class ReportsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Get what became of payouts. Those that were made in a period, by wallet, status, reason and means: how many, what was charged
     * and what was sent. One by one they are in `GET /payouts/export`.
     */
    getPayouts(query?: GetPayoutReportQuery, options?: RequestOptions): Promise<PayoutReport<A>>;
    /**
     * Get what was paid in fees. By day or month of your business’s time zone, wallet, what it was charged for, and means, as the
     * ledger has it; a fee counts when it was taken. The totals are those of the statements.
     */
    getFees(query?: GetFeesReportQuery, options?: RequestOptions): Promise<FeesReport<A>>;
    /** Get the fees report as CSV. A line for each of its lines. */
    getFeesCsv(query?: GetFeesReportCsvQuery, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * Get what came from payers. Payments and deposits by day or month of your business’s time zone, wallet and means: what was paid,
     * the fees kept of it, and what reached the wallet. The totals are those of the statements.
     */
    getSettlements(query?: GetSettlementReportQuery, options?: RequestOptions): Promise<SettlementReport<A>>;
    /** Get the settlement report as CSV. A line for each of its lines. */
    getSettlementsCsv(query?: GetSettlementReportCsvQuery, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class ConversionsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Quote a conversion. What it would cost and give, held for five minutes. Nothing moves. */
    quote(body: QuoteConversion<Amount>, options?: WriteOptions): Promise<ConversionQuote<A>>;
    /** Convert money. From one of your wallets into the other, at once, at the rate and fee of a quote. A quote makes one conversion. */
    create(body: CreateConversion, options?: WriteOptions): Promise<Conversion<A>>;
    /** List conversions. Newest first. */
    list(query?: ListConversionsQuery, options?: RequestOptions): ListRequest<Conversion<A>, ConversionPage<A>>;
    /**
     * Export conversions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportConversionsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a conversion. One that was made; nothing of it changes any more. */
    get(id: string, options?: RequestOptions): Promise<Conversion<A>>;
}
export declare class PayoutBatchesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Make payouts in a batch. Up to 10,000, checked before any is made: a line that cannot be paid stops the batch, or is left out
     * with `skip_bad`. They are ordinary payouts, made by and by: `GET /payout-batches/{id}` says how far it is. With `dry_run` it is
     * a draft, which names each bad line and waits to be confirmed.
     */
    create(body: CreatePayoutBatch<Amount>, options?: WriteOptions): Promise<PayoutBatch<A>>;
    /** List batches of payouts. Newest first. */
    list(query?: ListPayoutBatchesQuery, options?: RequestOptions): ListRequest<PayoutBatch<A>, PayoutBatchPage<A>>;
    /** Get a batch of payouts. How many lines stand where, and how many of its payouts. */
    get(id: string, options?: RequestOptions): Promise<PayoutBatch<A>>;
    /** List the lines of a batch. In their order: whom each pays, and which payout it has become, or why it has not. */
    listLines(id: string, query?: ListPayoutBatchLinesQuery, options?: RequestOptions): ListRequest<PayoutBatchLine<A>, PayoutBatchLinePage<A>>;
    /**
     * Export a batch for a bank. The lines that are not paid here, as payment orders of ISO 20022 (`pain.001.001.09`). Cancel a draft
     * first, so that it cannot be confirmed here too.
     */
    export(id: string, query: ExportPayoutBatchQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Confirm a draft of a batch. Has its payouts made, by who confirms it. */
    confirm(id: string, body?: ConfirmPayoutBatch, options?: WriteOptions): Promise<PayoutBatch<A>>;
    /**
     * Pay again what failed of a batch. Makes a draft of the lines that were refused, or whose payout failed, came back or was not
     * approved in time. It pays nobody before you confirm it. A line is in one such batch at a time.
     */
    retry(id: string, body: RetryPayoutBatch, options?: WriteOptions): Promise<PayoutBatch<A>>;
    /**
     * Cancel remaining lines of a batch. No more payouts are made of it. Those that were made stay, and can be canceled each while it
     * is pending.
     */
    cancel(id: string, options?: WriteOptions): Promise<PayoutBatch<A>>;
}
export declare class PayoutSchedulesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Create a payout schedule. Has what a wallet holds above `keep` paid to an account of your own, daily, weekly or monthly. Each
     * run is an ordinary payout.
     */
    create(body: CreatePayoutSchedule<Amount>, options?: WriteOptions): Promise<PayoutSchedule<A>>;
    /** List payout schedules. Newest first. */
    list(query?: ListPayoutSchedulesQuery, options?: RequestOptions): ListRequest<PayoutSchedule<A>, PayoutSchedulePage<A>>;
    /** Get a payout schedule. With its next runs, and what one would pay now. */
    get(id: string, options?: RequestOptions): Promise<PayoutSchedule<A>>;
    /**
     * Change a payout schedule. Pauses it, resumes it, or changes its rule, which moves the next run. Fields that are left out stay as
     * they are.
     */
    update(id: string, body?: UpdatePayoutSchedule<Amount>, options?: RequestOptions): Promise<PayoutSchedule<A>>;
    /** Delete a payout schedule. It runs no more, and reads as not found. Payouts that it has made stay as they are. */
    delete(id: string, options?: RequestOptions): Promise<PayoutSchedule<A>>;
    /** List the runs of a payout schedule. What each came to: a payout, or why there is none. The latest first. */
    listRuns(id: string, query?: ListPayoutScheduleRunsQuery, options?: RequestOptions): ListRequest<PayoutScheduleRun<A>, PayoutScheduleRunPage<A>>;
}
export declare class LimitsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Get the limits of payouts. Above what payouts wait for a second person or are refused, and what today has sent. */
    get(options?: RequestOptions): Promise<Limits<A>>;
    /**
     * Change the limits of payouts. From now on; fields that are left out stay as they are. In live mode what loosens limits waits, as
     * `pending_change`, for 24 hours or until a second person confirms it; every owner is mailed. Another that loosens takes its
     * place, and what you make stricter is taken from it. A key that can create payouts can make limits stricter only.
     */
    update(body?: UpdateLimits<Amount>, options?: RequestOptions): Promise<Limits<A>>;
    /**
     * Confirm a change that loosens limits. It takes effect at once. The person who requested the change cannot confirm it, nor can
     * their keys. For 72 hours after an invitation, neither can a person whom they invited, who invited them, or whom the same person
     * invited.
     */
    confirmPending(id: string, options?: WriteOptions): Promise<Limits<A>>;
    /** Cancel a change that loosens limits. The limits stay as they are. The person who requested the change can cancel it too. */
    cancelPending(id: string, options?: WriteOptions): Promise<Limits<A>>;
    /**
     * Get how often limits fired. How often each limit, your own and the operator’s, refused a payout or had it wait: today, and in
     * the last 7 and 30 days of UTC.
     */
    rules(options?: RequestOptions): Promise<LimitRules>;
}
export declare class BeneficiariesResource {
    #private;
    constructor(connection: Connection);
    /**
     * Save a beneficiary. Where you pay to, with the holder’s name as the bank knows it. Payouts can name it by its id once it has
     * cooled off (`GET /limits`).
     */
    create(body: CreateBeneficiary, options?: WriteOptions): Promise<Beneficiary>;
    /** List beneficiaries. Newest first. */
    list(query?: ListBeneficiariesQuery, options?: RequestOptions): ListRequest<Beneficiary, BeneficiaryPage>;
    /**
     * Export beneficiaries as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query?: ExportBeneficiariesQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a beneficiary. Not one that was deleted. */
    get(id: string, options?: RequestOptions): Promise<Beneficiary>;
    /**
     * Change a beneficiary. Fields that are left out stay as they are. Give a destination as a whole: its holder is looked up. If it
     * is another account, the beneficiary cools off again, and an account of your own must be confirmed again.
     */
    update(id: string, body?: UpdateBeneficiary, options?: RequestOptions): Promise<Beneficiary>;
    /** Delete a beneficiary. It reads as not found from now on. Payouts that were made for it stay as they are. */
    delete(id: string, options?: RequestOptions): Promise<Beneficiary>;
}
export declare class CustomersResource {
    #private;
    constructor(connection: Connection);
    /** Create a customer. Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted. */
    create(body: CreateCustomer, options?: WriteOptions): Promise<Customer>;
    /** List customers. Newest first. */
    list(query?: ListCustomersQuery, options?: RequestOptions): ListRequest<Customer, CustomerPage>;
    /**
     * Export customers as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query?: ExportCustomersQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a customer. Not one that was deleted. */
    get(id: string, options?: RequestOptions): Promise<Customer>;
    /**
     * Change a customer. Fields that are left out stay as they are; null clears one. New parts of the name rebuild `name`, unless it
     * is given too; one part alone does not.
     */
    update(id: string, body?: UpdateCustomer, options?: RequestOptions): Promise<Customer>;
    /**
     * Delete a customer. It reads as not found from now on, and its reference is free. The records of its money stay. The answer is
     * the customer as it was last.
     */
    delete(id: string, options?: RequestOptions): Promise<Customer>;
    /**
     * Export what is kept of a customer. Also of one that was deleted, to answer a customer who asks for their data: the customer,
     * identity documents (without their numbers), payments, refunds, invoices, accounts, mails and events.
     */
    exportData(id: string, options?: RequestOptions): Promise<CustomerData>;
    /**
     * Erase a customer for good. Everything personal is emptied: names, addresses, identity documents, email addresses of payments,
     * bill-to of invoices, senders of money, mails, and what events say of them. Amounts, times and ids stay. It cannot be undone;
     * download first what the law has you keep, such as invoices. Refused while something is open that needs the customer. Also of one
     * that was deleted; again, it changes nothing. What providers keep, erase there.
     */
    erase(id: string, options?: WriteOptions): Promise<CustomerErasure>;
    /** List a customer’s verified identity documents. A plain array. Numbers are hidden but for their last characters. */
    listDocuments(id: string, options?: RequestOptions): Promise<VerifiedIdentityDocument[]>;
    /**
     * Verify an identity document. Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where
     * a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails
     * compare the number with an account of its holder, and then `bank_code` and `account_number` are required. What no rail verifies
     * and is on a paper (any type but a `bvn`), a person of the operator’s looks at: `review` says so. Test keys without such a rail:
     * a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.
     */
    verifyDocument(id: string, body: VerifyCustomerDocument, options?: WriteOptions): Promise<IdentityDocument>;
}
export declare class TransactionsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** List transactions. Newest first. */
    list(query?: ListTransactionsQuery, options?: RequestOptions): ListRequest<Transaction<A>, TransactionPage<A>>;
    /**
     * Export transactions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query?: ExportTransactionsQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Verify a transaction. The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook. */
    verify(id: string, options?: RequestOptions): Promise<Transaction<A>>;
    /**
     * Get a signed receipt of a transaction. What the transaction moved, and what proves that the ledger had it so on that day: it can
     * be checked without the server, by `bursar receipt verify` or a few lines of your own (docs/proofs.md). It is there when the day
     * in UTC is over on which its last movement was sealed.
     */
    getReceipt(id: string, options?: RequestOptions): Promise<TransactionReceipt<A>>;
}
export declare class StatementsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Get the statement of a month. What each wallet held when the month began, what came, left and was paid in fees, and what it held
     * when the month ended, as the ledger has it. The month is one of your business’s time zone.
     */
    get(month: string, options?: RequestOptions): Promise<Statement<A>>;
    /**
     * Get a statement as CSV. A line for each sum, in major units and in minor ones. The single movements are in the export of
     * transactions, by `completed_from` and `completed_to`: opening and their `balance_change` come to closing.
     */
    getCsv(month: string, query?: GetStatementCsvQuery, options?: RequestOptions): Promise<Uint8Array>;
    /** Get a statement as a PDF. The same for people. */
    getPdf(month: string, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class ExportsResource {
    #private;
    constructor(connection: Connection);
    /**
     * Export a journal for bookkeeping. Double entry from the ledger, for hledger, Ledger or Beancount. Each posting is an entry with
     * its id. The journal starts with opening balances and ends with what the wallets hold, which the program checks.
     */
    journal(query: ExportJournalQuery, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * Export a bank statement of a wallet. The days of a wallet as a bank would report them, for accounting and treasury programs:
     * booked balances before and after, and an entry for each movement with its bank transaction code. Each statement opens with what
     * the one before closed with. Opening and entries come to the closing balance.
     */
    statement(query: ExportStatementQuery, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class CryptoTokensResource {
    #private;
    constructor(connection: Connection);
    /**
     * List the stablecoins and their networks. A live key sees main networks only. A test key also sees test networks; the sandbox
     * plays every network that the server does not speak to in test mode.
     */
    list(options?: RequestOptions): Promise<CryptoToken[]>;
}
export declare class BanksResource {
    #private;
    constructor(connection: Connection);
    /** List the banks of a country. A plain array, by name. */
    list(country: BankCountry, options?: RequestOptions): Promise<Bank[]>;
    /** Ask who holds an account. Ask it before a payout. Nigeria only: banks in the US do not tell. */
    resolve(country: BankCountry, query: ResolveAccountQuery, options?: RequestOptions): Promise<ResolvedAccount>;
}
export declare class BusinessResource {
    #private;
    constructor(connection: Connection);
    /** Get your business. Whom the key speaks for, and how payers know it. Test and live mode have a profile each. */
    get(options?: RequestOptions): Promise<Business>;
    /**
     * Change your business. Fields that are left out stay as they are; null clears one. The hosted pages, mails and PDFs of the key’s
     * mode show it from now on; an invoice that is finalized keeps who the seller was.
     */
    update(body?: UpdateBusiness, options?: RequestOptions): Promise<Business>;
}
export declare class AuditResource {
    #private;
    constructor(connection: Connection);
    /**
     * List who changed what. The audit log of the key’s mode, newest first: keys, webhook endpoints, limits, the team and the
     * business’s profile, changed by requests, by people and by the operator’s commands. Needs a key with the scope `manage`.
     */
    list(query?: ListAuditEntriesQuery, options?: RequestOptions): ListRequest<AuditEntry, AuditEntryPage>;
    /**
     * Export audit entries as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query?: ExportAuditEntriesQuery, options?: RequestOptions): Promise<Uint8Array>;
}
export declare class RecordsResource {
    #private;
    constructor(connection: Connection);
    /**
     * Explain a record. Takes the id of a payment, payout, refund, transaction, deposit, virtual account, crypto wallet, invoice,
     * collection, customer, event, webhook delivery, API key, entry of the audit log or any other record, and tells everything that
     * became of it and of what belongs to it: states, ledger postings, events and their deliveries, requests, what the rail knows it
     * by, and what it waits for.
     */
    explain(id: string, options?: RequestOptions): Promise<Timeline>;
}
export declare class WebhooksResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /**
     * Register a webhook endpoint. The answer shows the signing secret; no later one does. A name that cannot be resolved yet is a
     * warning. At most 20 endpoints per business and mode.
     */
    create(body: CreateWebhook, options?: WriteOptions): Promise<WebhookWithSecret>;
    /** List webhook endpoints. Newest first. */
    list(query?: ListWebhooksQuery, options?: RequestOptions): ListRequest<Webhook, WebhookPage>;
    /** Get a webhook endpoint. Without its secret, which only its creation and a roll show. */
    get(id: string, options?: RequestOptions): Promise<Webhook>;
    /** Change a webhook endpoint. Fields that are left out stay as they are. Pending deliveries follow a new URL. */
    update(id: string, body?: UpdateWebhook, options?: RequestOptions): Promise<WebhookWithWarnings>;
    /**
     * Delete a webhook endpoint. Nothing more is sent to it: what is pending fails. Its delivery log stays. The answer is the endpoint
     * as it was last.
     */
    delete(id: string, options?: RequestOptions): Promise<Webhook>;
    /**
     * Give a webhook endpoint a new secret. The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the
     * old one signs `X-Signature-Previous`, and `webhook-signature` has the signatures of both.
     */
    rollSecret(id: string, options?: WriteOptions): Promise<WebhookWithSecret>;
    /**
     * Send a sample event to a webhook endpoint. The payload is that of your newest event of the type, or a made-up record where there
     * is none, with `test: true` added; the header `X-Event-Sample: true` says so too. Other endpoints do not get it, and only the
     * delivery log shows it: it is no event.
     */
    test(id: string, body: TestWebhook, options?: WriteOptions): Promise<WebhookDelivery<A>>;
    /**
     * Send failed deliveries again. Resends every failed delivery of this endpoint that was created at `since` or later. Each gets all
     * its tries again.
     */
    recover(id: string, body: RecoverWebhook, options?: WriteOptions): Promise<RecoveredDeliveries>;
}
export declare class WebhookDeliveriesResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** List webhook deliveries. The delivery log, newest first: one entry per event and endpoint, with every try. */
    list(query?: ListWebhookDeliveriesQuery, options?: RequestOptions): ListRequest<WebhookDelivery<A>, WebhookDeliveryPage<A>>;
    /** Get a webhook delivery. With its latest tries, and when the next is due. */
    get(id: string, options?: RequestOptions): Promise<WebhookDelivery<A>>;
}
export declare class EventsResource<A extends Amount = number> {
    #private;
    constructor(connection: Connection);
    /** Send an event again. At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time. */
    resend(body: ResendEvent, options?: WriteOptions): Promise<WebhookDelivery<A>>;
    /** List events. Newest first, delivered or not. */
    list(query?: ListEventsQuery, options?: RequestOptions): ListRequest<Event<A>, EventPage<A>>;
    /**
     * Follow events as they happen. Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or
     * `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes
     * again. At most 10 streams a key and 250 a business.
     */
    stream(query?: StreamEventsQuery, options?: RequestOptions): EventStream<StreamedEvent<A>>;
    /** Get an event. What was, or would have been, sent to endpoints. */
    get(id: string, options?: RequestOptions): Promise<Event<A>>;
}
export declare class RequestsResource {
    #private;
    constructor(connection: Connection);
    /**
     * List requests. What was asked with the keys of this mode, newest first, for seven days unless the operator says otherwise; each
     * shows about a second after its answer. A list looks through 10,000 requests (with `failed=true`, `code` or a `status` from 400
     * on: through 10,000 failed ones), and `totalDocs` counts among these: for older ones give `to` or `after`. Asking here is not
     * recorded. Needs a key with the scope `manage`.
     */
    list(query?: ListRequestsQuery, options?: RequestOptions): ListRequest<Request, RequestPage>;
    /** Get a request. By the `X-Request-Id` of its answer. */
    get(id: string, options?: RequestOptions): Promise<Request>;
}
export declare class TestClockResource {
    #private;
    constructor(connection: Connection);
    /** Read the test clock. The time by which test mode expires, retries and reminds. */
    get(options?: RequestOptions): Promise<TestClock>;
    /**
     * Move the test clock ahead. Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts
     * go on.
     */
    advance(body: AdvanceTestClock, options?: WriteOptions): Promise<TestClock>;
}
/** Everything that can be asked. */
export declare class Resources<A extends Amount = number> {
    readonly server: ServerResource;
    readonly proofs: ProofsResource;
    readonly wallets: WalletsResource<A>;
    readonly virtualAccounts: VirtualAccountsResource<A>;
    readonly cryptoWallets: CryptoWalletsResource<A>;
    readonly payments: PaymentsResource<A>;
    readonly collections: CollectionsResource<A>;
    readonly refunds: RefundsResource<A>;
    readonly disputes: DisputesResource<A>;
    readonly products: ProductsResource<A>;
    readonly distributions: DistributionsResource<A>;
    readonly invoices: InvoicesResource<A>;
    readonly creditNotes: CreditNotesResource<A>;
    readonly payouts: PayoutsResource<A>;
    readonly reports: ReportsResource<A>;
    readonly conversions: ConversionsResource<A>;
    readonly payoutBatches: PayoutBatchesResource<A>;
    readonly payoutSchedules: PayoutSchedulesResource<A>;
    readonly limits: LimitsResource<A>;
    readonly beneficiaries: BeneficiariesResource;
    readonly customers: CustomersResource;
    readonly transactions: TransactionsResource<A>;
    readonly statements: StatementsResource<A>;
    readonly exports: ExportsResource;
    readonly cryptoTokens: CryptoTokensResource;
    readonly banks: BanksResource;
    readonly business: BusinessResource;
    readonly audit: AuditResource;
    readonly records: RecordsResource;
    readonly webhooks: WebhooksResource<A>;
    readonly webhookDeliveries: WebhookDeliveriesResource<A>;
    readonly events: EventsResource<A>;
    readonly requests: RequestsResource;
    readonly testClock: TestClockResource;
    constructor(connection: Connection);
}
