/**
 * The types of a Bursar server, and where money is in them.
 *
 * Generated from the OpenAPI document by `npm run sdk`.
 */
import type { Amount, Fields } from './amounts.ts';
/** What is wrong with one part of a request. */
export interface ValidationIssue {
    /** Where it is, such as `lines.0.quantity`. */
    path: string;
    /** What it must be. */
    message: string;
    /** The part of a request that an issue is in. */
    location: IssueLocation;
}
/** The part of a request that an issue is in. */
export type IssueLocation = 'body' | 'query' | 'params' | 'headers';
/** What this server is. */
export interface ServiceInfo {
    name: string;
    version: string;
    /** The reference page. */
    docs: string;
    /** The OpenAPI document. */
    openapi: string;
    /** Liveness and readiness. */
    health: string;
}
/** Whether the server can work. */
export interface Health {
    /** `ok`, or `unavailable` with status 503. */
    status: string;
    /** Whether the database answers. */
    database: boolean;
    /** Whether its schema is this server’s. */
    migrations: boolean;
    /** Whether workers run jobs; null: this process cannot know. */
    workers: boolean | null;
    /** What a person should look at, such as a treasury that runs low. The server works all the same. */
    warnings: string[];
}
/** A key that signed proofs. */
export interface ProofKey {
    /** The first 16 hex digits of the SHA-256 of the key. */
    id: string;
    /** The 32 bytes of the Ed25519 key, in base64. */
    public_key: string;
    /** The first day whose proof it signed. */
    from: string;
    /** The last one; null of the key in use. */
    until: string | null;
}
/** What proves all that was sealed on a day. */
export interface ProofOfDay {
    /** The day in UTC. */
    day: string;
    /** Of each cell that has one; most installations have one cell. */
    cells: CellProof[];
    /** Cells that have none yet, by their letters. */
    missing: string[];
    /** Cells that say that they have none of this day, and will have none, or that they sign none. */
    absent: string[];
    /** Cells that do not answer now. */
    unavailable: string[];
}
/** The proof of a cell. */
export interface CellProof {
    /** The letter of the cell. */
    cell: string;
    /** Over the chains of all businesses of the cell. */
    root: string;
    /** SHA-256 of what the proof of the day before says; zeros of the first. */
    previous: string;
    /** The id of the key that signed it. */
    key: string;
    /** Ed25519 of what it says, in base64. */
    signature: string;
}
export type WalletCurrency = 'ngn' | 'usd';
/** What the business holds in one currency. Amounts in minor units. */
export interface Wallet<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** The currency. */
    currency: WalletCurrency;
    /** What can be spent. */
    available: A;
    /** What is held but cannot be spent yet: payouts and refunds in flight. */
    pending: A;
    /** `available` + `pending`. */
    total: A;
    /** Digits after the decimal point of a major unit. */
    decimals: number;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
export type Metadata = {
    [name: string]: unknown;
};
export interface SimulateFunding<A extends Amount = number> {
    /** Which wallet to fund. */
    currency: WalletCurrency;
    /** How much, in minor units. */
    amount: A;
}
export interface CreateVirtualAccount<A extends Amount = number> {
    /** Whose account it is. Required when `static`. */
    customer?: string | undefined;
    /** What it receives, and which wallet is credited. */
    currency: WalletCurrency;
    /** `static`: for good; `dynamic`: for one amount. Default `static`. */
    kind?: VirtualAccountKind | undefined;
    /** Dynamic: the one amount it is for, in minor units. Required then. */
    amount?: A | undefined;
    /** Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead. */
    expires_at?: string | undefined;
    /** The holder that payers are shown. Default: the customer’s name, or the business’s. */
    account_name?: string | undefined;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type VirtualAccountKind = 'static' | 'dynamic';
export type VirtualAccountStatus = 'pending' | 'active' | 'failed' | 'closed' | 'expired';
/** A bank account that money can be sent to. */
export interface VirtualAccount<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string | null;
    /** Whose account it is. */
    customer: string | null;
    /** The payment whose one-time account it is. */
    payment: string | null;
    /** What it receives. */
    currency: WalletCurrency;
    /** `static`: for good; `dynamic`: for one amount. */
    kind: VirtualAccountKind;
    /** Dynamic: the one amount it is for. */
    amount: A | null;
    /** Dynamic: until when. */
    expires_at: string | null;
    /** The holder that payers are shown. */
    account_name: string;
    /** The number; a NUBAN for `ngn`. Null until the bank has given it. */
    account_number: string | null;
    /** The bank. Null as the number. */
    bank_name: string | null;
    /** Its code; in the US, its routing number. Null as the number. */
    bank_code: string | null;
    /** US accounts only: the ABA routing number. */
    routing_number: string | null;
    /**
     * `pending`: its bank gives the number later; only an `active` one has one that payers are shown. Money that comes to one that is
     * `closed` or `expired` is booked all the same, and marked `late`.
     */
    status: VirtualAccountStatus;
    /** Why it is `failed`. */
    failure_reason: VirtualAccountFailure | null;
    /** What the provider calls it. */
    provider_reference: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type VirtualAccountFailure = 'customer_incomplete' | 'identity_required' | 'limit_reached' | 'not_enabled' | 'amount_too_small' | 'rejected' | 'account_exists' | 'expired';
export interface VirtualAccountPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: VirtualAccount<A>[];
}
export interface SimulateVirtualAccountDeposit<A extends Amount = number> {
    /** How much, in minor units. A dynamic account knows its amount; a static one needs it. */
    amount?: A | undefined;
    /** Who sends the money. Left out, the bank does not tell. */
    sender?: Sender | undefined;
    /**
     * The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it
     * is a 409. Default: a new one.
     */
    notice?: string | undefined;
}
/** Who sends the money. Left out, the bank does not tell. */
export interface Sender {
    /** The holder. */
    account_name?: string | undefined;
    /** The account number. */
    account_number?: string | undefined;
    /** The bank. */
    bank_name?: string | undefined;
    /** Its code: of GET /misc/ng/banks, or a routing number. A refund goes back by it, or by the bank’s name. */
    bank_code?: string | undefined;
}
export type TransactionType = 'deposit' | 'payment' | 'payout' | 'payout_return' | 'refund' | 'dispute' | 'fee' | 'share' | 'conversion' | 'simulated_fund';
export type TransactionMethod = 'bank_transfer' | 'card' | 'crypto' | 'wallet';
export type TransactionDirection = 'credit' | 'debit';
export type TransactionStatus = 'pending' | 'completed' | 'failed' | 'reversed';
/** Money in or out of a wallet. Amounts in minor units. */
export interface Transaction<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** What it is. */
    type: TransactionType;
    /** By what means the money moved. */
    method: TransactionMethod;
    /** `credit`: into the wallet; `debit`: out of it. */
    direction: TransactionDirection;
    /**
     * `pending`: on its way out, seen on a blockchain and not confirmed yet, or held by screening (`review`). `failed` and `reversed`:
     * nothing moved in the end; the rail refused, the merchant canceled, or the chain dropped it.
     */
    status: TransactionStatus;
    /** The wallet. */
    currency: Currency;
    /** How much moved, above zero. */
    amount: A;
    /** The part of `amount` that is fee. */
    fee: A;
    /** `amount` less `fee`. */
    net: A;
    /** What the wallet had available right after. */
    balance_after: A;
    /**
     * By how much it has changed what the wallet has available: above zero in, below zero out, fees included. Zero for what is
     * `failed` or `reversed`, and for what is not credited yet.
     */
    balance_change: A;
    /** When it became final, as statements count it; null while it is `pending`, and for what is `failed` or `reversed`. */
    completed_at: string | null;
    /** Money that came after its account was closed or its payment had ended. It is booked all the same. */
    late: boolean;
    /** The merchant’s own id of the record behind it. */
    reference: string | null;
    /** The customer, when one is known. */
    customer: string | null;
    /** Who paid, when known. */
    source?: TransactionSource | undefined;
    /** Screening holds it until a person of the operator’s has looked. */
    review?: ScreeningReview | undefined;
    /** The record behind it, such as `{payout: id}`. */
    related: RelatedRecord;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type Currency = 'ngn' | 'usd' | 'eur' | 'usdc' | 'usdt';
/** Who paid, when known. */
export type TransactionSource = {
    [name: string]: unknown;
};
/** Screening holds it until a person of the operator’s has looked. */
export interface ScreeningReview {
    /**
     * `sanctions_list`: whom it goes to, or comes from, is on a list of sanctions; `block_list`: on the operator’s own;
     * `customer_limit`: a deposit is above what the operator lets a customer of its identity tier send.
     */
    reason: ScreeningReason;
    /** Since when it waits. */
    since: string;
}
export type ScreeningReason = 'sanctions_list' | 'block_list' | 'customer_limit';
/** The record behind it, such as `{payout: id}`. */
export type RelatedRecord = {
    [name: string]: string;
};
export interface SimulateCryptoWalletDeposit<A extends Amount = number> {
    /** How much, in cents of the token. */
    amount: A;
    /** The token. */
    currency: CryptoCurrency;
    /** A network id of GET /crypto/tokens. Default: `base`. */
    chain?: string | undefined;
    /** The address it comes from. Default: an address without an owner. */
    sender?: string | undefined;
    /** An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one. */
    notice?: string | undefined;
}
export type CryptoCurrency = 'usdc' | 'usdt';
export type CryptoDepositStatus = 'pending' | 'held' | 'credited' | 'dropped';
export interface CryptoDepositPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: CryptoDeposit<A>[];
}
/** Tokens that were sent to an address on a chain. */
export interface CryptoDeposit<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Whose address it is. */
    crypto_wallet: string;
    /** The network. */
    network: string;
    /** The token. */
    currency: CryptoCurrency;
    /** Whole cents of the token. What is less than a cent is kept in an account of its own. */
    amount: A;
    /** In the token’s own units, as a decimal number. */
    units: string;
    /** Who sent it. */
    from_address: string;
    /** The transaction on the chain. */
    tx_hash: string;
    /** The block that holds it. */
    block_number: number;
    /** Blocks on top of it so far, as far as it counts. */
    confirmations: number;
    /** Blocks on top of it before it is credited. */
    confirmations_needed: number;
    /**
     * `held`: screening holds it until a person of the operator’s has looked (`review` of its transaction). `dropped`: its block is
     * gone from the chain; when it is mined again it is `pending` again.
     */
    status: CryptoDepositStatus;
    /** Its transaction, `pending` until it is credited; null for less than a cent. */
    transaction: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type PaymentMethod = 'card' | 'bank_transfer' | 'crypto';
export interface CreatePayment<A extends Amount = number> {
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /** What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top. */
    amount: A;
    /** The currency, and the wallet that is credited. */
    currency: WalletCurrency;
    /** The customer who pays. */
    customer?: string | undefined;
    /** The payer’s email address. */
    email?: string | undefined;
    /** What it is for; the payer sees it. */
    description?: string | undefined;
    /** How it may be paid. Default: every way. */
    methods?: PaymentMethod[] | undefined;
    /** Where the payer is sent afterwards, with `reference` and `status` appended. https, or http on localhost. */
    redirect_url?: string | undefined;
    /** Where a payer who gives up is sent, with `reference` and `status` appended. https, or http on localhost. */
    cancel_url?: string | undefined;
    /** Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead. */
    expires_at?: string | undefined;
    /** Who bears the fee. `customer`: the payer pays it on top. Default `business`. */
    fee_bearer?: FeeBearer | undefined;
    /** What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`. */
    on_mismatch?: MismatchRule | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type FeeBearer = 'business' | 'customer';
export type MismatchRule = 'accept' | 'reverse';
export type PaymentStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'canceled';
/** A one-time checkout. Amounts in minor units. */
export interface Payment<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string;
    /** What it is for. */
    amount: A;
    /** The currency. */
    currency: WalletCurrency;
    /** The customer who pays. */
    customer: string | null;
    /** The payer’s email address. */
    email: string | null;
    /** What it is for; the payer sees it. */
    description: string | null;
    /** How it may be paid. */
    methods: PaymentMethod[];
    /** Where the payer is sent afterwards. */
    redirect_url: string | null;
    /** Where a payer who gives up is sent. */
    cancel_url: string | null;
    /** Until when it can be paid. */
    expires_at: string;
    /** Who bears the fee. */
    fee_bearer: FeeBearer;
    /** What happens to money of a wrong amount or time. */
    on_mismatch: MismatchRule;
    /**
     * `rail`: the provider of its one-time account takes the exact amount only, and sends any other back itself, whatever
     * `on_mismatch` says.
     */
    mismatch_by: PaymentMismatchBy | null;
    /** The page that the payer is sent to. */
    checkout_url: string;
    /** Where it stands. */
    status: PaymentStatus;
    /** How it was paid. */
    method: PaymentMethod | null;
    /** Everything that came for it, also what was sent back. */
    amount_received: A;
    /** How what came differs from what was due. */
    variance: PaymentVariance | null;
    /** The transaction that completed it. */
    transaction: string | null;
    /** What it has cost so far. */
    fee: A;
    /** What of `amount_received` counts toward the price, less `fee`: money of a wrong amount or time may not. */
    net: A;
    /** What has been given back to the payer. */
    amount_refunded: A;
    /** What was seen on a blockchain and is not confirmed yet; it is credited then. */
    amount_confirming: A;
    /** How often a card was tried. */
    attempts: number;
    /** Why the last card was declined. */
    failure_reason: string | null;
    /** When it was completed. */
    paid_at: string | null;
    /** The collection it belongs to. */
    collection: string | null;
    /** The invoice it belongs to. */
    invoice: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type PaymentMismatchBy = 'rail';
export type PaymentVariance = 'exact' | 'underpaid' | 'overpaid' | 'late';
export type PaymentMismatch = 'underpaid' | 'overpaid' | 'late';
export interface PaymentPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Payment<A>[];
}
export interface SimulatePayment {
    /** What happens. */
    outcome: SimulatedPaymentOutcome;
    /** How it is paid. Default: the first of its methods. */
    method?: PaymentMethod | undefined;
}
export type SimulatedPaymentOutcome = 'completed' | 'underpaid' | 'overpaid' | 'failed' | 'expired';
export interface CreateCollection<A extends Amount = number> {
    /** What payers see as its title. */
    name: string;
    /** What it is for; payers see it. */
    description?: string | null | undefined;
    /** The currency, and the wallet that is credited. */
    currency: WalletCurrency;
    /** What each payer pays, in minor units. Null: the payer chooses. */
    amount?: A | null | undefined;
    /** The least a payer may choose. */
    min_amount?: A | null | undefined;
    /** The most a payer may choose. */
    max_amount?: A | null | undefined;
    /** Where payers are sent afterwards: https, or http on localhost. */
    redirect_url?: string | null | undefined;
    /** Maximum number of payments. Null: no limit. */
    max_payments?: number | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** A reusable checkout link. Amounts in minor units. */
export interface Collection<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** What payers see as its title. */
    name: string;
    /** What it is for. */
    description: string | null;
    /** The currency. */
    currency: WalletCurrency;
    /** What each payer pays. Null: the payer chooses. */
    amount: A | null;
    /** The least a payer may choose. */
    min_amount: A | null;
    /** The most a payer may choose. */
    max_amount: A | null;
    /** Whether it can be used. */
    active: boolean;
    /** When it was canceled, for good. Null: it was not; an inactive one can be active again. */
    canceled_at: string | null;
    /** Where payers are sent afterwards. */
    redirect_url: string | null;
    /** Maximum number of payments. Null: no limit. */
    max_payments: number | null;
    /** The page that payers are sent to. */
    checkout_url: string;
    /** How many of its payments are completed. */
    payments_count: number;
    /** What those payments kept, before fees and refunds. */
    amount_collected: A;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface CollectionPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Collection<A>[];
}
export interface UpdateCollection<A extends Amount = number> {
    /** What payers see as its title. */
    name?: string | undefined;
    /** What it is for; payers see it. */
    description?: string | null | undefined;
    /** Whether it can be used. */
    active?: boolean | undefined;
    /** What each payer pays, in minor units. Null: the payer chooses. */
    amount?: A | null | undefined;
    /** The least a payer may choose. */
    min_amount?: A | null | undefined;
    /** The most a payer may choose. */
    max_amount?: A | null | undefined;
    /** Where payers are sent afterwards: https, or http on localhost. */
    redirect_url?: string | null | undefined;
    /** Maximum number of payments. Null: no limit. */
    max_payments?: number | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export interface CreateRefund<A extends Amount = number> {
    /** The payment. */
    payment: string;
    /** How much, in minor units. Default: all that is left of the money that goes back this way. */
    amount?: A | undefined;
    /** Why; for your own eyes. */
    reason?: string | undefined;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /** Of several that the payment received, the one whose money goes back. Default: where the latest came from. */
    transaction?: string | undefined;
    /** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
    destination?: PayoutDestination | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
export type PayoutDestination = CryptoDestination | NigerianBankDestination | AmericanBankDestination;
/** An address on a blockchain. */
export interface CryptoDestination {
    /** The currency to arrive. */
    currency: CryptoCurrency;
    /** Crypto: a network id of GET /crypto/tokens. */
    chain: string;
    /** Crypto: the address, with its EIP-55 checksum. */
    address: string;
}
/** A bank account in Nigeria. */
export interface NigerianBankDestination {
    /** The country of the bank. Default `ng`. */
    country?: 'ng' | undefined;
    /** The currency to arrive. */
    currency?: 'ngn' | undefined;
    /** Bank, ng: a code of GET /misc/ng/banks. */
    bank_code: string;
    /** The NUBAN. */
    account_number: string;
    /** Bank: the holder. Needed for `us`, compared for `ng`. */
    account_name?: string | undefined;
}
/** A bank account in the US. */
export interface AmericanBankDestination {
    /** The country of the bank. */
    country: 'us';
    /** The currency to arrive. */
    currency?: 'usd' | undefined;
    /** Bank, us: the ABA routing number. */
    routing_number: string;
    /** Bank: the account number; ten digits for `ng`. */
    account_number: string;
    /** Bank: the holder. Needed for `us`, compared for `ng`. */
    account_name: string;
    /** Bank, us: the kind of account. */
    account_type: BankAccountType;
    /** Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it. */
    holder_address?: HolderAddress | undefined;
}
export type BankAccountType = 'checking' | 'savings';
/** Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it. */
export interface HolderAddress {
    /** Street and number. */
    line1?: string | undefined;
    /** City. */
    city?: string | undefined;
    /** State or region. */
    state?: string | undefined;
    /** Postal code. */
    postal_code?: string | undefined;
    /** ISO 3166-1 alpha-2 code, in lower case. */
    country?: string | undefined;
}
export type BankCountry = 'ng' | 'us';
export type RefundStatus = 'initiated' | 'completed' | 'failed';
/** Money on its way back to a payer. Amounts in minor units. */
export interface Refund<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** The payment. */
    payment: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string | null;
    /** What leaves the wallet. The fee of the payment is not given back, and the refund has none. */
    amount: A;
    /** The wallet. */
    currency: WalletCurrency;
    /** Why. */
    reason: string | null;
    /** By what means it goes back. */
    method: RefundMethod;
    /**
     * Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is
     * known of its sender.
     */
    destination: RefundDestination;
    /** Units that arrive for one unit of the wallet; a decimal. */
    rate: string;
    /** What arrives. */
    destination_amount: A;
    /** The currency that arrives. */
    destination_currency: Currency;
    /** Made because the payment sends back money of a wrong amount or time. */
    automatic: boolean;
    /** Where it stands. One that was `completed` is `failed` when its rail takes that back. */
    status: RefundStatus;
    /** Why it failed; `canceled`: its payout was canceled, or was not approved in time. */
    failure_reason: string | null;
    /** The rail’s own id. */
    provider_reference: string | null;
    /** Crypto: the hash on chain. */
    tx_hash: string | null;
    /**
     * The payout that it goes by, where it goes to where the money did not come from: limits, approval, screening and beneficiaries
     * hold as for any. Its end is that of the refund.
     */
    payout: string | null;
    review: ScreeningReview | null;
    /** The transaction it makes. */
    transaction: string;
    /** Of one that failed after it had completed: the transaction by which its money is in the wallet again. */
    return_transaction: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type RefundMethod = 'card' | 'bank_transfer' | 'crypto';
/**
 * Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is
 * known of its sender.
 */
export interface RefundDestination {
    /** The currency to arrive. */
    currency?: DestinationCurrency | undefined;
    /** Crypto: a network id of GET /crypto/tokens. */
    chain?: string | undefined;
    /** Crypto: the address, with its EIP-55 checksum. */
    address?: string | undefined;
    /** Bank: the country of the bank. Default `ng`. */
    country?: BankCountry | undefined;
    /** Bank, ng: a code of GET /misc/ng/banks. */
    bank_code?: string | undefined;
    /** Bank: the account number; ten digits for `ng`. */
    account_number?: string | undefined;
    /** Bank: the holder. Needed for `us`, compared for `ng`. */
    account_name?: string | undefined;
    /** Bank, us: the ABA routing number. */
    routing_number?: string | undefined;
    /** Bank, us: the kind of account. */
    account_type?: BankAccountType | undefined;
    /** Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it. */
    holder_address?: HolderAddress | undefined;
    /** Crypto: the token’s contract on that chain. */
    contract_address?: string | undefined;
    /** Bank: its name. */
    bank_name?: string | undefined;
    /** Bank, ng: the holder as the bank knows it. */
    resolved_account_name?: string | undefined;
    /** The card that the money goes back to. */
    card?: RefundCard | undefined;
}
export type DestinationCurrency = 'usdc' | 'usdt' | 'ngn' | 'usd';
/** The card that the money goes back to. */
export interface RefundCard {
    /** Its brand; null: its rail does not say. */
    brand: string | null;
    /** Its last digits. */
    last4: string | null;
}
export interface RefundPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Refund<A>[];
}
export interface SimulateRefund {
    /** The outcome to simulate. */
    outcome: SimulatedRefundOutcome;
}
export type SimulatedRefundOutcome = 'completed' | 'failed' | 'returned';
export type DisputeStatus = 'open' | 'won' | 'lost';
/** Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units. */
export interface Dispute<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** The payment; null where the money came to a virtual account and is no payment. */
    payment: string | null;
    /** The transaction by which the money came. */
    transaction: string;
    /** The customer, when one is known. */
    customer: string | null;
    /** What the payer’s bank takes back, which may be less than was paid. */
    amount: A;
    /** The wallet that the money came to. */
    currency: WalletCurrency;
    /** Why, in the provider’s words. */
    reason: string | null;
    /** Until when the provider takes evidence. Null: it says no time. */
    evidence_due_at: string | null;
    /** Where it stands: `open` until the provider has decided it. */
    status: DisputeStatus;
    /** What the operator of the installation holds of the wallet for it. */
    held: A;
    /** What was taken from the wallet for it, as it was lost. */
    taken: A;
    /** When it was decided. */
    closed_at: string | null;
    /** The provider’s own id of it. */
    provider_reference: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface DisputePage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Dispute<A>[];
}
/** What the business answers to a dispute. */
export interface DisputeEvidence {
    /** The dispute. */
    dispute: string;
    /**
     * `draft` until it is submitted; `sending` until the provider has it; `sent`; `refused` by the provider: correct it and submit it
     * again.
     */
    status: DisputeEvidenceStatus;
    /** The business accepts the dispute instead. */
    accepts: boolean;
    /** The payer’s name. */
    customer_name: string | null;
    /** The payer’s email address. */
    customer_email: string | null;
    /** The payer’s phone number. */
    customer_phone: string | null;
    /** What was sold and delivered, and why the payment is rightful. */
    explanation: string | null;
    /** Where it was delivered to. */
    delivery_address: string | null;
    /** When it was delivered. */
    delivery_date: string | null;
    /** One of each kind at most. */
    files: DisputeFile[];
    /** The texts that are still missing before it can be submitted. */
    needs: string[];
    /** Whether this server submits the answer. False: submit it in the provider’s own dashboard. */
    by_api: boolean;
    /** Why the provider refused it. */
    failure: string | null;
    /** When the provider had it. */
    submitted_at: string | null;
}
export type DisputeEvidenceStatus = 'draft' | 'sending' | 'sent' | 'refused';
/** A file of evidence. Its content is encrypted at rest. */
export interface DisputeFile {
    /** What it shows. */
    kind: DisputeFileKind;
    /** By its content. */
    type: DisputeFileType;
    /** Its size. */
    bytes: number;
    /** The SHA-256 of its content, in hex. */
    sha256: string;
}
export type DisputeFileKind = 'receipt' | 'delivery' | 'communication' | 'other';
export type DisputeFileType = 'application/pdf' | 'image/png' | 'image/jpeg';
export interface UpdateDisputeEvidence {
    /** The payer’s name. */
    customer_name?: string | null | undefined;
    /** The payer’s email address. */
    customer_email?: string | null | undefined;
    /** The payer’s phone number. */
    customer_phone?: string | null | undefined;
    /** What was sold and delivered, and why the payment is rightful. */
    explanation?: string | null | undefined;
    /** Where it was delivered to. */
    delivery_address?: string | null | undefined;
    /** When it was delivered. */
    delivery_date?: string | null | undefined;
    /** Files of evidence, one of each kind. */
    files?: DisputeFiles | undefined;
}
/** Files of evidence, one of each kind. */
export interface DisputeFiles {
    /** A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it. */
    receipt?: string | null | undefined;
    /** A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it. */
    delivery?: string | null | undefined;
    /** A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it. */
    communication?: string | null | undefined;
    /** A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it. */
    other?: string | null | undefined;
}
export interface SimulateDispute<A extends Amount = number> {
    /** How much the payer’s bank takes back, in minor units. Default: all that is left. */
    amount?: A | undefined;
    /** Why; as a provider would say it. */
    reason?: string | undefined;
}
export interface SimulateDisputeEnd {
    /** How it is decided. */
    outcome: SimulatedDisputeOutcome;
}
export type SimulatedDisputeOutcome = 'won' | 'lost';
export type SaleCurrency = 'usd' | 'ngn' | 'eur';
export interface CreateProduct<A extends Amount = number> {
    /** Shown on invoices. */
    name: string;
    /** The price of one, in minor units. */
    amount: A;
    /** The currency of the price; `eur` is collected in usd. */
    currency: SaleCurrency;
    /** Only your team sees it. */
    description?: string | null | undefined;
    /** How what is paid for it is shared. Null: not at all. */
    distribution?: string | null | undefined;
    /** The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing. */
    tax_rate_bps?: number | null | undefined;
    /** Whether the price has the tax in it. Else, and unless it says, it comes on top. */
    tax_inclusive?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** Something that is sold by invoice. */
export interface Product<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Shown on invoices. */
    name: string;
    /** The price of one. */
    amount: A;
    /** The currency of the price. */
    currency: SaleCurrency;
    /** Only your team sees it. */
    description: string | null;
    /** How what is paid for it is shared. */
    distribution: string | null;
    /** The rate of its tax, in hundredths of a percent. Null: its lines show no tax. */
    tax_rate_bps: number | null;
    /** Whether the price has the tax in it. */
    tax_inclusive: boolean;
    /** False once it is archived: no new line can name it. */
    active: boolean;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface ProductPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Product<A>[];
}
export interface UpdateProduct<A extends Amount = number> {
    /** Shown on invoices. */
    name?: string | undefined;
    /** The price of one, in minor units. */
    amount?: A | undefined;
    /** Only your team sees it. */
    description?: string | null | undefined;
    /** How what is paid for it is shared. Null: not at all. */
    distribution?: string | null | undefined;
    /** The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing. */
    tax_rate_bps?: number | null | undefined;
    /** Whether the price has the tax in it. Else, and unless it says, it comes on top. */
    tax_inclusive?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export interface CreateDistribution<A extends Amount = number> {
    /** Only your team sees it. */
    name: string;
    /** The currency of the products it is for. */
    currency: SaleCurrency;
    /** The shares; their percentages sum to at most 10000. The rest stays with the business. */
    shares: DistributionShare<A>[];
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** Whom a part of what is sold is for: a percentage, or a flat amount. */
export type DistributionShare<A extends Amount = number> = PercentageShare | FlatShare<A>;
/** A percentage. */
export interface PercentageShare {
    /** On a change: the share this is. Without it, the share of the same name. */
    id?: string | undefined;
    /** Who it is for; once a distribution. */
    name: string;
    /** Where `settle` pays it out. Null: not yet known. */
    destination?: PayoutDestination | null | undefined;
    /** Basis points of what flat shares leave of a line. */
    percentage_bps: number;
}
/** A flat amount. */
export interface FlatShare<A extends Amount = number> {
    /** On a change: the share this is. Without it, the share of the same name. */
    id?: string | undefined;
    /** Who it is for; once a distribution. */
    name: string;
    /** Where `settle` pays it out. Null: not yet known. */
    destination?: PayoutDestination | null | undefined;
    /** A flat amount for each unit sold, in minor units. */
    flat_amount: A;
}
/** A plan that shares what products sell for. */
export interface Distribution<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Only your team sees it. */
    name: string;
    /** The currency of the products it is for. */
    currency: SaleCurrency;
    /** Whether it splits what is paid, and products can name it. */
    active: boolean;
    /** What shares accrue in: `usd` for `eur`, which is collected in usd. */
    settlement_currency: WalletCurrency;
    /** The shares, in order; then those that were taken off. */
    shares: DistributionShareRecord<A>[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** A share, and what it holds. */
export interface DistributionShareRecord<A extends Amount = number> {
    /** The share. */
    id: string;
    /** Who it is for. */
    name: string;
    /** Basis points of what flat shares leave of a line. */
    percentage_bps: number | null;
    /** A flat amount for each unit sold. */
    flat_amount: A | null;
    destination: PayoutDestinationRecord | null;
    /** When the destination was last named, changed or taken away; null: never since that is written down. */
    destination_changed_at: string | null;
    destination_changed_by: PayoutMaker | null;
    /**
     * From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary
     * does.
     */
    destination_usable_from: string | null;
    /** What it holds now. */
    accrued: A;
    /** What payouts have taken out, those in flight included. */
    settled: A;
    /** True once it is taken off the plan. It gets nothing more, and shows while money that came back is in it. */
    removed: boolean;
}
/** Where the money goes. */
export interface PayoutDestinationRecord {
    /** The currency to arrive. */
    currency?: DestinationCurrency | undefined;
    /** Crypto: a network id of GET /crypto/tokens. */
    chain?: string | undefined;
    /** Crypto: the address, with its EIP-55 checksum. */
    address?: string | undefined;
    /** Bank: the country of the bank. Default `ng`. */
    country?: BankCountry | undefined;
    /** Bank, ng: a code of GET /misc/ng/banks. */
    bank_code?: string | undefined;
    /** Bank: the account number; ten digits for `ng`. */
    account_number?: string | undefined;
    /** Bank: the holder. Needed for `us`, compared for `ng`. */
    account_name?: string | undefined;
    /** Bank, us: the ABA routing number. */
    routing_number?: string | undefined;
    /** Bank, us: the kind of account. */
    account_type?: BankAccountType | undefined;
    /** Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it. */
    holder_address?: HolderAddress | undefined;
    /** Crypto: the token’s contract on that chain. */
    contract_address?: string | undefined;
    /** Bank: its name. */
    bank_name?: string | undefined;
    /** Bank, ng: the holder as the bank knows it. */
    resolved_account_name?: string | undefined;
}
/** Who changed it; null: not a person or key of the business. */
export interface PayoutMaker {
    /** `key`: a request with an API key; `person`: a signed-in person; `operator`: a command. */
    type: PayoutMakerType;
    /** The key, or the person. */
    id: string | null;
    /** How one recognises the key; null of a person. */
    hint: string | null;
}
export type PayoutMakerType = 'key' | 'person' | 'operator';
export interface DistributionPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Distribution<A>[];
}
export interface UpdateDistribution<A extends Amount = number> {
    /** Only your team sees it. */
    name?: string | undefined;
    /** The shares; their percentages sum to at most 10000. The rest stays with the business. */
    shares?: DistributionShare<A>[] | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export interface PreviewDistribution<A extends Amount = number> {
    /** What a line comes to, in minor units. */
    amount: A;
    /** Units sold. Default 1. */
    quantity?: number | undefined;
}
/** The exact split of an amount. */
export interface DistributionPreview<A extends Amount = number> {
    /** As asked. */
    amount: A;
    /** As asked. */
    quantity: number;
    /** In order. */
    shares: DistributionPreviewShare<A>[];
    /** What stays with the business, which bears the fee of the payment out of it. */
    rest: A;
}
/** A share of the amount. */
export interface DistributionPreviewShare<A extends Amount = number> {
    /** The share. */
    id: string;
    /** Who it is for. */
    name: string;
    /** What it would get. */
    amount: A;
    destination: PayoutDestinationRecord | null;
    /** When the destination was last named, changed or taken away; null: never since that is written down. */
    destination_changed_at: string | null;
    destination_changed_by: PayoutMaker | null;
    /**
     * From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary
     * does.
     */
    destination_usable_from: string | null;
}
/** What a settlement paid out. */
export interface DistributionSettlement<A extends Amount = number> {
    /** The payouts made. */
    payouts: SettledShare<A>[];
    /** Shares that hold money and were not paid out. */
    skipped: SkippedShare<A>[];
}
/** A share that was paid out. */
export interface SettledShare<A extends Amount = number> {
    /** The share. */
    share: string;
    /** The payout. */
    payout: string;
    /** The payout’s reference. */
    reference: string;
    /** What it takes out; the fee of the payout comes out of it. */
    amount: A;
    destination: PayoutDestinationRecord | null;
    /** When the destination was last named, changed or taken away; null: never since that is written down. */
    destination_changed_at: string | null;
    destination_changed_by: PayoutMaker | null;
    /**
     * From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary
     * does.
     */
    destination_usable_from: string | null;
}
/** A share that was not paid out. */
export interface SkippedShare<A extends Amount = number> {
    /** The share. */
    share: string;
    /** What it holds. */
    amount: A;
    /**
     * Why not: `no_destination`, `destination_cooling_off` until the time that `destination_usable_from` says, `changed` just now, or
     * the code a payout was refused with.
     */
    code: string;
    /** What to do. */
    message: string;
    destination: PayoutDestinationRecord | null;
    /** When the destination was last named, changed or taken away; null: never since that is written down. */
    destination_changed_at: string | null;
    destination_changed_by: PayoutMaker | null;
    /**
     * From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary
     * does.
     */
    destination_usable_from: string | null;
}
export interface CreateInvoice<A extends Amount = number> {
    /** Who is asked. Fixed for good. */
    customer: string;
    /** What is asked money for; all in one currency. */
    lines: NewInvoiceLine<A>[];
    /** Of lines without a product. Default: that of the products. */
    currency?: SaleCurrency | undefined;
    /** When it is due: a day of your time zone, or a time on it. */
    due_date?: string | null | undefined;
    /** A note to the customer, printed below the lines. */
    memo?: string | null | undefined;
    /** Mails while it is open: so many days before and after `due_date`, which they need. Empty: none. */
    reminders?: InvoiceReminders | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** A line: a product, or a name and an amount, which are required without one. */
export interface NewInvoiceLine<A extends Amount = number> {
    /** The product that name, amount and taxes are copied from, unless you send them. */
    product?: string | undefined;
    /** What is sold. */
    name?: string | undefined;
    /** The price of one, in minor units. */
    amount?: A | undefined;
    /** How many. */
    quantity: number;
    /** What is taken off `amount` × `quantity`, in minor units. */
    discount?: A | undefined;
    /** The same as a share, in hundredths of a percent; rounded half up. */
    discount_bps?: number | undefined;
    /** The rate of its tax, in hundredths of a percent. Null: none. */
    tax_rate_bps?: number | null | undefined;
    /** Whether the price has the tax in it. */
    tax_inclusive?: boolean | undefined;
}
/** Mails while it is open: so many days before and after `due_date`, which they need. Empty: none. */
export interface InvoiceReminders {
    /** How many days. */
    days_before?: number[] | undefined;
    /** How many days. */
    days_after?: number[] | undefined;
}
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void';
/** A request for payment, with lines. Amounts in minor units. */
export interface Invoice<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Given when it is finalized: 1, 2, 3 … per business and mode, without gaps. */
    number: number | null;
    /** Who is asked. */
    customer: string;
    /** Of all lines. */
    currency: SaleCurrency;
    /** What is asked money for. */
    lines: InvoiceLine<A>[];
    /** What is asked for: the sum of the lines, with their taxes. */
    total: A;
    /** The same without the taxes. */
    subtotal: A;
    /** The sum of the taxes. */
    tax: A;
    /** The taxes by their rates, the lowest first. What has no rate is not in it. */
    taxes: TaxByRate<A>[];
    /** `eur` only: dollars for one euro, fixed when it was finalized; a decimal. */
    exchange_rate: string | null;
    /** What it is paid in. */
    collect_currency: WalletCurrency | null;
    /** What is paid, in that currency. */
    collect_amount: A | null;
    /** What came and counts toward it, in minor units of `collect_currency`. */
    amount_paid: A;
    /** What is still to be paid, in minor units of `collect_currency`; of `currency` while it is a draft. */
    amount_due: A;
    /** When it is due. Of a day that was given: when it begins for your business. */
    due_date: string | null;
    /** The day on which it is due, such as `2026-12-05`: in mails, on the page and on the PDF. Late from the next day on. */
    due_day: string | null;
    /** A note to the customer. */
    memo: string | null;
    /** Mails while it is open: so many days before and after `due_date`, which they need. Empty: none. */
    reminders: InvoiceReminders;
    /** Where it stands. */
    status: InvoiceStatus;
    /** The payment it is paid by. */
    payment: string | null;
    /** The page where it is paid. It stays the same. */
    payment_url: string | null;
    /** When it was last mailed. */
    sent_at: string | null;
    /** When it was finalized. */
    finalized_at: string | null;
    /** When it was paid. */
    paid_at: string | null;
    /** When it was voided. */
    voided_at: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** A line, as its product was when it was copied. */
export interface InvoiceLine<A extends Amount = number> {
    /** The product it was copied from. Null: none. */
    product: string | null;
    /** As it was. */
    name: string;
    /** The price of one, as it was. */
    amount: A;
    /** How many. */
    quantity: number;
    /** What is taken off `amount` × `quantity`. */
    discount: A;
    /** The same as a share, in hundredths of a percent, if it was given as one. */
    discount_bps: number | null;
    /** `amount` × `quantity` − `discount`: with its tax where `tax_inclusive`, else without. */
    total: A;
    /** The rate of its tax as it was, in hundredths of a percent. Null: none. */
    tax_rate_bps: number | null;
    /** Whether `amount` and `total` have the tax in them. */
    tax_inclusive: boolean;
    /** Its tax. Of all lines with one rate it is rounded once, and shared among them. */
    tax: A;
}
/** What is sold at a rate. */
export interface TaxByRate<A extends Amount = number> {
    /** The rate, in hundredths of a percent. */
    rate_bps: number;
    /** What it is of, without the tax. */
    net: A;
    /** The tax. */
    tax: A;
}
export interface InvoicePage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Invoice<A>[];
}
export interface PreviewInvoice<A extends Amount = number> {
    /** What is asked money for; all in one currency. */
    lines: NewInvoiceLine<A>[];
    /** Of lines without a product. Default: that of the products. */
    currency?: SaleCurrency | undefined;
}
/** What an invoice of these lines would ask for. */
export interface InvoicePreview<A extends Amount = number> {
    /** Of all lines. */
    currency: SaleCurrency;
    /** What is asked money for. */
    lines: InvoiceLine<A>[];
    /** What is asked for: the sum of the lines, with their taxes. */
    total: A;
    /** The same without the taxes. */
    subtotal: A;
    /** The sum of the taxes. */
    tax: A;
    /** The taxes by their rates, the lowest first. What has no rate is not in it. */
    taxes: TaxByRate<A>[];
}
export interface UpdateInvoice<A extends Amount = number> {
    /** What is asked money for; all in one currency. */
    lines?: NewInvoiceLine<A>[] | undefined;
    /** Of lines without a product. Default: that of the products. */
    currency?: SaleCurrency | undefined;
    /** When it is due: a day of your time zone, or a time on it. */
    due_date?: string | null | undefined;
    /** A note to the customer, printed below the lines. */
    memo?: string | null | undefined;
    /** Mails while it is open: so many days before and after `due_date`, which they need. Empty: none. */
    reminders?: InvoiceReminders | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** What of a paid invoice was given back by a refund. Amounts in minor units of the invoice’s currency. */
export interface CreditNote<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** 1, 2, 3 … per business and mode, without gaps; not those of invoices. */
    number: number;
    /** The invoice. */
    invoice: string;
    /** The refund. One of an invoice in euros is in dollars. */
    refund: string;
    /** Of the invoice. */
    currency: SaleCurrency;
    /** What is credited, with the taxes. */
    amount: A;
    /** The same without the taxes. */
    subtotal: A;
    /** The sum of the taxes. */
    tax: A;
    /** The taxes by their rates, the lowest first. What has no rate is not in it. */
    taxes: TaxByRate<A>[];
    /** `void` where the refund came back after it had completed. */
    status: CreditNoteStatus;
    /** When it was last mailed. */
    sent_at: string | null;
    /** When it was voided. */
    voided_at: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type CreditNoteStatus = 'issued' | 'void';
export interface CreditNotePage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: CreditNote<A>[];
}
export type PayoutMethod = 'crypto' | 'bank_transfer';
export interface QuotePayout<A extends Amount = number> {
    /** What would leave the wallet, in minor units. 0 asks for the least fee and the rate. */
    amount: A;
    /** The wallet to pay from. */
    currency: WalletCurrency;
    /** By what means. */
    method: PayoutMethod;
    /**
     * Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a
     * payout’s destination as is known.
     */
    destination: QuoteDestination;
}
/**
 * Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a
 * payout’s destination as is known.
 */
export interface QuoteDestination {
    /** The currency to arrive. */
    currency?: DestinationCurrency | undefined;
    /** Crypto: a network id of GET /crypto/tokens. */
    chain?: string | undefined;
    /** Crypto: the address, with its EIP-55 checksum. */
    address?: string | undefined;
    /** Bank: the country of the bank. Default `ng`. */
    country?: BankCountry | undefined;
    /** Bank, ng: a code of GET /misc/ng/banks. */
    bank_code?: string | undefined;
    /** Bank: the account number; ten digits for `ng`. */
    account_number?: string | undefined;
    /** Bank: the holder. Needed for `us`, compared for `ng`. */
    account_name?: string | undefined;
    /** Bank, us: the ABA routing number. */
    routing_number?: string | undefined;
    /** Bank, us: the kind of account. */
    account_type?: BankAccountType | undefined;
    /** Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it. */
    holder_address?: HolderAddress | undefined;
}
/** What a payout would cost and what would arrive. Nothing is debited. */
export interface PayoutQuote<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** What leaves the wallet; the fee comes out of it. */
    amount: A;
    /** The wallet. */
    currency: WalletCurrency;
    /** By what means. */
    method: PayoutMethod;
    /** Where the money goes. */
    destination: PayoutDestinationRecord;
    /** What it costs: the sum of `fee_breakdown`. */
    fee: A;
    /** `amount` less `fee`. Below zero when a quoted amount does not cover the fee. */
    net_amount: A;
    /** The parts of the fee. Each is rounded up to the minor unit. */
    fee_breakdown: PayoutFee<A>[];
    /** Units that arrive for one unit of the wallet; a decimal. */
    rate: string;
    /** What arrives: `net_amount` × `rate`, rounded down to the minor unit. */
    destination_amount: A;
    /** The currency that arrives. */
    destination_currency: Currency;
    /** Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched. */
    rate_source: RateSource;
    /** When an official rate was fetched. */
    rate_fetched_at: string | null;
    /** Until when an official rate was to be used. */
    rate_valid_until: string | null;
    /** When it would arrive if it were sent now. */
    estimated_arrival: string;
    /** Whether the wallet has `amount` available now. */
    sufficient_funds: boolean;
    /** Until when a payout can lock this price. */
    expires_at: string;
    /** What looks odd, but does not stop it. */
    warnings: Warning[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** A part of the fee. */
export interface PayoutFee<A extends Amount = number> {
    /** What for. */
    type: PayoutFeeType;
    /** How much, in minor units of the wallet. */
    amount: A;
}
export type PayoutFeeType = 'platform' | 'provider' | 'network' | 'fx';
export type RateSource = 'table' | 'official';
/** Something that looks odd. */
export interface Warning {
    /** Stable. */
    code: string;
    /** What to look at. */
    message: string;
}
export interface CreatePayout<A extends Amount = number> {
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string;
    /** What leaves the wallet, in minor units; the fee comes out of it. */
    amount: A;
    /** The wallet to pay from. */
    currency: WalletCurrency;
    /** By what means. Needed with `destination`. */
    method?: PayoutMethod | undefined;
    /** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
    destination?: PayoutDestination | undefined;
    /** One of your beneficiaries, in place of `destination`: its own is copied. */
    beneficiary?: string | undefined;
    /** A quote for the same payout: its fee and rate hold until it expires. It prices one payout. */
    quote?: string | undefined;
    /** Only your team sees it. */
    description?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type PayoutStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'canceled' | 'returned';
/** Money on its way out of a wallet. */
export interface Payout<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string;
    /** What leaves the wallet; the fee comes out of it. */
    amount: A;
    /** The wallet. */
    currency: WalletCurrency;
    /** By what means. */
    method: PayoutMethod;
    /** Where the money goes. */
    destination: PayoutDestinationRecord;
    /** The beneficiary that it was made for, whose destination it has copied. */
    beneficiary: string | null;
    /** The quote whose price it has. */
    quote: string | null;
    /** The refund that it is, to where the money did not come from. It costs nothing. */
    refund: string | null;
    /** What it costs: the sum of `fee_breakdown`. */
    fee: A;
    /** `amount` less `fee`. Below zero when a quoted amount does not cover the fee. */
    net_amount: A;
    /** The parts of the fee. Each is rounded up to the minor unit. */
    fee_breakdown: PayoutFee<A>[];
    /** Units that arrive for one unit of the wallet; a decimal. */
    rate: string;
    /** What arrives: `net_amount` × `rate`, rounded down to the minor unit. */
    destination_amount: A;
    /** The currency that arrives. */
    destination_currency: Currency;
    /** Only your team sees it. */
    description: string | null;
    /** Where it stands. `returned`: it was `completed`, and the money came back. */
    status: PayoutStatus;
    /**
     * Whether a second person must look at it (`GET /limits`). `waiting`: it is `pending`, its amount is held, and no rail has it;
     * `refused`: by a person, by the time limit, or because it was canceled meanwhile.
     */
    approval: PayoutApproval;
    approval_details: PayoutApprovalDetails | null;
    review: ScreeningReview | null;
    /** Why it failed, or came back. */
    failure_reason: PayoutFailureReason | null;
    /** The rail’s own id. */
    provider_reference: string | null;
    /** The transaction it makes. */
    transaction: string;
    /** Of one that was returned: the transaction by which what had arrived is in the wallet again. */
    return_transaction: string | null;
    /** Crypto: the hash on chain. */
    tx_hash: string | null;
    /** What looks odd, but does not stop it. */
    warnings: Warning[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type PayoutApproval = 'none' | 'waiting' | 'approved' | 'refused';
/** Why it needs a second person, and what became of that. */
export interface PayoutApprovalDetails {
    /** Why it waits. `payout_limit`: it is above what one payout may be; `daily_limit`: the day would send too much. */
    reasons: ApprovalReason[];
    /** Who made the payout, and so cannot approve it. */
    made_by: PayoutMaker | null;
    /** Until when it waits: then it is canceled and given back. */
    until: string;
    /** Who approved it, refused it, or canceled it while it waited; null while it waits, and after the time limit decided. */
    decided_by: PayoutMaker | null;
    /** When. */
    decided_at: string | null;
}
export type ApprovalReason = 'payout_limit' | 'daily_limit';
export type PayoutFailureReason = 'invalid_account' | 'name_mismatch' | 'bank_unavailable' | 'limit_exceeded' | 'rejected' | 'network_error' | 'unknown';
export type PayoutApprovalSought = 'waiting' | 'approved' | 'refused';
export interface PayoutPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Payout<A>[];
}
/** What became of the payouts that were made in a period. Amounts in minor units. */
export interface PayoutReport<A extends Amount = number> {
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Where its days begin and end. */
    time_zone: string;
    /** When the period began. */
    from: string;
    /** When it ended: no longer part of it. */
    to: string;
    /** One for each wallet. */
    totals: PayoutReportTotal<A>[];
    /** By wallet, status, reason and means. */
    lines: PayoutReportLine<A>[];
}
export interface PayoutReportTotal<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** How many. */
    count: number;
    /** What they were made for, fee included. */
    amount: A;
    /** What was charged for them: nothing, unless they completed. */
    fee: A;
    /** What was sent: nothing, unless they completed. */
    net_amount: A;
}
export interface PayoutReportLine<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** Where they stand now. */
    status: PayoutStatus;
    /** Why they failed, or came back. */
    failure_reason: PayoutFailureReason | null;
    /** By what means. */
    method: PayoutMethod;
    /** How many. */
    count: number;
    /** What they were made for, fee included. */
    amount: A;
    /** What was charged for them: nothing, unless they completed. */
    fee: A;
    /** What was sent: nothing, unless they completed. */
    net_amount: A;
}
export interface DecidePayouts {
    /** What becomes of them. */
    decision: PayoutDecision;
    /** The payouts, by your references: up to 100. */
    references: string[];
}
export type PayoutDecision = 'approve' | 'refuse';
/** What became of payouts that were decided together. */
export interface PayoutDecisions<A extends Amount = number> {
    /** The payouts that were decided, in the order of your list. */
    decided: Payout<A>[];
    /** Those that stay as they were, and why. */
    skipped: SkippedDecision[];
}
/** A payout that stays as it was. */
export interface SkippedDecision {
    /** Your reference. */
    reference: string;
    /** Why not: the code that it would be refused with alone. */
    code: string;
    /** The same in words. */
    message: string;
}
export interface SimulatePayout {
    /** The outcome to simulate. */
    outcome: SimulatedPayoutOutcome;
    /** Why it fails, or comes back. Default `unknown`. */
    failure_reason?: PayoutFailureReason | undefined;
}
export type SimulatedPayoutOutcome = 'completed' | 'failed' | 'returned';
export interface QuoteConversion<A extends Amount = number> {
    /** What leaves the wallet, fee included, in minor units. */
    amount: A;
    /** The wallet that it leaves. */
    currency: WalletCurrency;
    /** The wallet that it comes into. */
    destination_currency: WalletCurrency;
}
/** What a conversion would cost and give. Nothing moves. Amounts in minor units. */
export interface ConversionQuote<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** What leaves the wallet, fee included. */
    amount: A;
    /** The wallet that it leaves. */
    currency: WalletCurrency;
    /** The part of `amount` that is fee: the spread. */
    fee: A;
    /** What the fee is made of. */
    fee_breakdown: ConversionFee<A>[];
    /** Units of `destination_currency` for one unit of `currency`; a decimal. */
    rate: string;
    /** Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched. */
    rate_source: RateSource;
    /** When an official rate was fetched. */
    rate_fetched_at: string | null;
    /** Until when an official rate was to be used. */
    rate_valid_until: string | null;
    /** What comes into the other wallet: `amount` less `fee` at `rate`, rounded down. */
    destination_amount: A;
    /** The wallet that it comes into. */
    destination_currency: WalletCurrency;
    /** Whether the wallet has `amount` available now. */
    sufficient_funds: boolean;
    /** Until when a conversion can lock this price. */
    expires_at: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface ConversionFee<A extends Amount = number> {
    /** What it is for. */
    type: ConversionFeeType;
    /** How much, in minor units. */
    amount: A;
}
export type ConversionFeeType = 'fx';
export interface CreateConversion {
    /** The quote: what is converted, and at which rate. It makes one conversion. */
    quote: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** Money that you moved from one wallet to the other. Amounts in minor units. */
export interface Conversion<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** The quote. */
    quote: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string | null;
    /** What leaves the wallet, fee included. */
    amount: A;
    /** The wallet that it leaves. */
    currency: WalletCurrency;
    /** The part of `amount` that is fee: the spread. */
    fee: A;
    /** What the fee is made of. */
    fee_breakdown: ConversionFee<A>[];
    /** Units of `destination_currency` for one unit of `currency`; a decimal. */
    rate: string;
    /** Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched. */
    rate_source: RateSource;
    /** When an official rate was fetched. */
    rate_fetched_at: string | null;
    /** Until when an official rate was to be used. */
    rate_valid_until: string | null;
    /** What comes into the other wallet: `amount` less `fee` at `rate`, rounded down. */
    destination_amount: A;
    /** The wallet that it comes into. */
    destination_currency: WalletCurrency;
    /** The transaction of the wallet that it left. */
    transaction: string;
    /** The transaction of the wallet that it came into. */
    destination_transaction: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface ConversionPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Conversion<A>[];
}
export interface CreatePayoutBatch<A extends Amount = number> {
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string;
    /** The wallet to pay from. */
    currency: WalletCurrency;
    /** The payouts: up to 10,000. */
    lines: PayoutBatchLineInput<A>[];
    /** Only your team sees it. */
    description?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
    /** Keep it as a `draft`, which pays nobody before it is confirmed. Default `false`. */
    dry_run?: boolean | undefined;
    /** Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`. */
    skip_bad?: boolean | undefined;
}
/** A payout of a batch. Its `reference` is that of the batch, `-` and its number, unless it has its own. */
export interface PayoutBatchLineInput<A extends Amount = number> {
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /** What leaves the wallet, in minor units; the fee comes out of it. */
    amount: A;
    /** By what means. Default: what its destination needs. */
    method?: PayoutMethod | undefined;
    /** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
    destination?: PayoutDestination | undefined;
    /** One of your beneficiaries, in place of `destination`. */
    beneficiary?: string | undefined;
    /** Only your team sees it. */
    description?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
    /** Its row in your file or spreadsheet, by which it is named. */
    row?: number | undefined;
}
export type PayoutBatchStatus = 'draft' | 'running' | 'completed' | 'canceled';
/** Payouts that are made together. */
export interface PayoutBatch<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string;
    /** Only your team sees it. */
    description: string | null;
    /** The wallet. */
    currency: WalletCurrency;
    /**
     * `draft`: it was checked, and waits to be confirmed; `running`: its payouts are being made; `completed`: each line has its
     * payout, or was refused.
     */
    status: PayoutBatchStatus;
    /** What the lines that can be paid take out of the wallet, as they were checked. */
    amount: A;
    /** What of that are fees. */
    fee: A;
    /** What the wallet has available now. */
    available: A;
    /** Whether that is enough for what is left to be made. */
    sufficient_funds: boolean;
    /** How many lines stand where. */
    counts: PayoutBatchCounts;
    payouts: PayoutBatchPayouts | null;
    /** How many failed lines `POST /payout-batches/{id}/retry` would pay again. Null in lists. */
    retriable: number | null;
    /** The batch whose failed lines it pays again. */
    retry_of: string | null;
    /** When nothing of it was left to be made. */
    ended_at: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** How many lines stand where. */
export interface PayoutBatchCounts {
    /** All lines. */
    lines: number;
    /** Those whose payout is to be made. */
    waiting: number;
    /** Those that could not be paid when the batch was checked. */
    bad: number;
    /** Those that have their payout. */
    created: number;
    /** Those that were refused when their payout was to be made. */
    refused: number;
    /** Those that were canceled before. */
    canceled: number;
}
/** How many of its payouts have which status, those that wait for approval as `waiting`. Null in lists. */
export type PayoutBatchPayouts = {
    [name: string]: number;
};
export interface PayoutBatchPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: PayoutBatch<A>[];
}
export type PayoutBatchLineStatus = 'waiting' | 'bad' | 'created' | 'refused' | 'canceled';
export interface PayoutBatchLinePage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: PayoutBatchLine<A>[];
}
/** A line of a batch, and what became of it. */
export interface PayoutBatchLine<A extends Amount = number> {
    /** Its number, from 1. */
    line: number;
    /** Its row in your file, if you sent it. */
    row: number | null;
    /** The reference of its payout. */
    reference: string | null;
    /** What leaves the wallet; null of one that says none. */
    amount: A | null;
    /** `bad`: it could not be paid when the batch was checked; `refused`: when its payout was to be made; `created`: it has its payout. */
    status: PayoutBatchLineStatus;
    /** The beneficiary that it names. */
    beneficiary: string | null;
    /** Destination; null if that cannot be read. */
    destination: PayoutDestinationRecord | null;
    /** Its payout. */
    payout: string | null;
    /** The status of that. */
    payout_status: PayoutStatus | null;
    /** Why its payout failed or came back. */
    failure_reason: PayoutFailureReason | null;
    /** Whether its payout was canceled because nobody approved it in time. */
    is_unapproved: boolean;
    /** Whether a retry of the batch pays it again. */
    retriable: boolean;
    /** The batch that pays it again. */
    retried_in: string | null;
    /** The field that is wrong. */
    field: string | null;
    /** Why not: the code that such a payout is refused with. */
    code: string | null;
    /** The same in words. */
    message: string | null;
}
export interface ConfirmPayoutBatch {
    /** Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`. */
    skip_bad?: boolean | undefined;
}
export interface RetryPayoutBatch {
    /** The reference of the new batch. */
    reference: string;
    /** Only these lines. Default: all that failed. */
    lines?: number[] | undefined;
}
export interface CreatePayoutSchedule<A extends Amount = number> {
    /** The wallet to pay from. */
    currency: WalletCurrency;
    /** Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor. */
    beneficiary: string;
    /** How often. */
    interval: PayoutInterval;
    /** On which day of the week; of `weekly` alone. */
    weekday?: Weekday | undefined;
    /** On which day of the month; of `monthly` alone. A month that has fewer days pays on its last. */
    day?: number | undefined;
    /** When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`. */
    time?: string | undefined;
    /** What stays in the wallet, in minor units. Default 0. */
    keep?: A | undefined;
    /** The least that it pays: with less than this above `keep`, a run pays nothing. Default 1. */
    minimum?: A | undefined;
    /** The most that a run pays; the rest stays for the next. Null: all there is above `keep`. */
    maximum?: A | null | undefined;
    /** For your own eyes: the description of each payout. */
    description?: string | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type PayoutInterval = 'daily' | 'weekly' | 'monthly';
export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
export type PayoutScheduleStatus = 'active' | 'paused';
/** What of a wallet goes to an account of your own, and when. Each run is an ordinary payout. */
export interface PayoutSchedule<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** The wallet to pay from. */
    currency: WalletCurrency;
    /** Destination. */
    beneficiary: string;
    /** How often. */
    interval: PayoutInterval;
    /** On which day of the week; of `weekly` alone. */
    weekday: Weekday | null;
    /** On which day of the month; the last where it has fewer. */
    day: number | null;
    /** When, on the clocks of your business’s time zone. */
    time: string;
    /** What stays in the wallet. */
    keep: A;
    /** The least that it pays. */
    minimum: A;
    /** The most that a run pays. */
    maximum: A | null;
    /** The description of each payout. */
    description: string | null;
    /** `paused`: no run until it is `active` again. */
    status: PayoutScheduleStatus;
    /** Why the server has paused it: its beneficiary has changed. Null: a person has paused it. */
    paused_because: string | null;
    /** Who made it. Neither they nor who has changed it since can approve what it pays. */
    made_by: PayoutMaker | null;
    /** When it runs next; null while it is paused. */
    next_run_at: string | null;
    /** The next runs, as the rule and your time zone stand now; none while it is paused. */
    upcoming: string[];
    /** What a run would pay if it were due now, from what is available. Null: nothing. */
    next_amount: A | null;
    /** Why a run would pay nothing if it were due now. */
    next_skip: string | null;
    last_run: PayoutScheduleRun<A> | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** What a run of a payout schedule came to. */
export interface PayoutScheduleRun<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** When it was due. */
    due_at: string;
    /** Amount paid: the fee comes out of it. Null where nothing was. */
    amount: A | null;
    /** The payout, or null. */
    payout: string | null;
    /** Its reference. */
    reference: string | null;
    /** Why nothing was paid: `below_minimum`, `restored_from_backup`, or the code that the payout was refused with. */
    code: string | null;
    /** The same as a sentence. */
    message: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** When it ran. */
    created_at: string;
}
export interface PayoutSchedulePage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: PayoutSchedule<A>[];
}
export interface UpdatePayoutSchedule<A extends Amount = number> {
    /** `paused`: no run until it is `active` again. */
    status?: PayoutScheduleStatus | undefined;
    /** Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor. */
    beneficiary?: string | undefined;
    /** How often. */
    interval?: PayoutInterval | undefined;
    /** On which day of the week; of `weekly` alone. */
    weekday?: Weekday | undefined;
    /** On which day of the month; of `monthly` alone. A month that has fewer days pays on its last. */
    day?: number | undefined;
    /** When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`. */
    time?: string | undefined;
    /** What stays in the wallet, in minor units. Default 0. */
    keep?: A | undefined;
    /** The least that it pays: with less than this above `keep`, a run pays nothing. Default 1. */
    minimum?: A | undefined;
    /** The most that a run pays; the rest stays for the next. Null: all there is above `keep`. */
    maximum?: A | null | undefined;
    /** For your own eyes: the description of each payout. */
    description?: string | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export interface PayoutScheduleRunPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: PayoutScheduleRun<A>[];
}
/** Above what payouts wait for a second person, and above what they are refused. */
export interface Limits<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** One for each wallet. */
    currencies: PayoutLimit<A>[];
    /** How long a payout waits for a second person before it is canceled and given back. */
    approval_hours: number;
    /** Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any. */
    payouts_by_key: PayoutsByKey;
    /** How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. */
    beneficiary_cooling_off_hours: number;
    pending_change: PendingLimits<A> | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** The limits of a wallet. */
export interface PayoutLimit<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** Payouts of more than this wait for a second person, in minor units. Null: none does for its amount. */
    approve_above: A | null;
    /**
     * Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of
     * your business’s time zone.
     */
    approve_above_daily: A | null;
    /** Payouts of more than this are refused, in minor units. Null: none is for its amount. */
    refuse_above: A | null;
    /** Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is. */
    refuse_above_daily: A | null;
    /** More payouts than this are refused in a day of UTC. Null: none is for how many there are. */
    refuse_above_daily_count: number | null;
    /**
     * Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of
     * UTC above this, in minor units. Null: none is.
     */
    destination_daily: A | null;
    /** More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are. */
    destination_daily_count: number | null;
    /** The operator refuses payouts of more than this, in minor units. Null: no limit. */
    max_payout: A | null;
    /** The operator allows at most this much in a UTC day, in minor units, approved payouts included. Null: no limit. */
    max_daily: A | null;
    /** The operator allows at most this many payouts in a UTC day. Null: no limit. */
    max_daily_count: number | null;
    /** The operator allows at most this much to one destination in a UTC day, in minor units. Null: no limit. */
    max_destination_daily: A | null;
    /** The operator allows at most this many payouts to one destination in a UTC day. Null: no limit. */
    max_destination_daily_count: number | null;
    /** Amount paid out today without approval, less what failed or was canceled. Counted where a day is limited. */
    sent_today: A;
    /** When a new day of your time zone begins to be counted. */
    day_ends_at: string | null;
    /** Amount paid out in this day of UTC, less what failed or was canceled. Null: nothing is refused by day. */
    paid_out_today: A | null;
    /** How many payouts that were, less those that failed or were canceled. */
    payouts_today: number | null;
    /** When a new day of UTC begins to be counted. */
    utc_day_ends_at: string | null;
}
export type PayoutsByKey = 'any' | 'beneficiaries';
/**
 * The limits once a change has taken effect that loosens them: in live mode it waits 24 hours, or until a second person confirms it.
 * Null: none waits.
 */
export interface PendingLimits<A extends Amount = number> {
    /** The change: another that loosens takes its place, under an id of its own. */
    id: string;
    /** Who asked for it, and so cannot confirm it. */
    made_by: PayoutMaker | null;
    /** When it was asked for. */
    created_at: string;
    /** When it takes effect, unless it is confirmed or canceled before. */
    takes_effect_at: string;
    /** One for each wallet. */
    currencies: PendingPayoutLimit<A>[];
    /** How long a payout waits for a second person before it is canceled and given back. */
    approval_hours: number;
    /** Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any. */
    payouts_by_key: PayoutsByKey;
    /** How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. */
    beneficiary_cooling_off_hours: number;
}
/** The limits of a wallet, once it has taken effect. */
export interface PendingPayoutLimit<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** Payouts of more than this wait for a second person, in minor units. Null: none does for its amount. */
    approve_above: A | null;
    /**
     * Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of
     * your business’s time zone.
     */
    approve_above_daily: A | null;
    /** Payouts of more than this are refused, in minor units. Null: none is for its amount. */
    refuse_above: A | null;
    /** Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is. */
    refuse_above_daily: A | null;
    /** More payouts than this are refused in a day of UTC. Null: none is for how many there are. */
    refuse_above_daily_count: number | null;
    /**
     * Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of
     * UTC above this, in minor units. Null: none is.
     */
    destination_daily: A | null;
    /** More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are. */
    destination_daily_count: number | null;
}
export interface UpdateLimits<A extends Amount = number> {
    /** Wallets that are left out stay as they are. */
    currencies?: PayoutLimitChange<A>[] | undefined;
    /** How long a payout waits for a second person before it is canceled and given back. 1 to 720; default 24. */
    approval_hours?: number | undefined;
    /**
     * Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any.
     * Default `any`.
     */
    payouts_by_key?: PayoutsByKey | undefined;
    /**
     * How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. 0 to 720, from the
     * next change on; default 24.
     */
    beneficiary_cooling_off_hours?: number | undefined;
}
/** What changes of the limits of a wallet. */
export interface PayoutLimitChange<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** Payouts of more than this wait for a second person, in minor units. Null: none does for its amount. */
    approve_above?: A | null | undefined;
    /**
     * Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of
     * your business’s time zone.
     */
    approve_above_daily?: A | null | undefined;
    /** Payouts of more than this are refused, in minor units. Null: none is for its amount. */
    refuse_above?: A | null | undefined;
    /** Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is. */
    refuse_above_daily?: A | null | undefined;
    /** More payouts than this are refused in a day of UTC. Null: none is for how many there are. */
    refuse_above_daily_count?: number | null | undefined;
    /**
     * Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of
     * UTC above this, in minor units. Null: none is.
     */
    destination_daily?: A | null | undefined;
    /** More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are. */
    destination_daily_count?: number | null | undefined;
}
/** How often the rules of limits fired, in all wallets of the mode. */
export interface LimitRules {
    /** Each rule, also those that did not fire. */
    rules: FiredRule[];
}
/** How often a rule of limits fired. */
export interface FiredRule {
    /** The rule: the name of the limit. */
    rule: LimitRule;
    /** What happened when it fired. */
    meaning: string;
    /** How often it fired in this day of UTC. */
    today: number;
    /** How often in seven days of UTC, this one with them. */
    last_7_days: number;
    /** How often in thirty. */
    last_30_days: number;
    /** When it fired last, in these thirty days. Null: it did not. */
    last_fired_at: string | null;
}
export type LimitRule = 'approve_above' | 'approve_above_daily' | 'refuse_above' | 'refuse_above_daily' | 'refuse_above_daily_count' | 'destination_daily' | 'destination_daily_count' | 'max_payout' | 'max_daily' | 'max_daily_count' | 'max_destination_daily' | 'max_destination_daily_count' | 'card_tries' | 'card_declines' | 'tier_max_deposit' | 'tier_max_daily' | 'tier_max_daily_count';
export interface CreateBeneficiary {
    /** A name for your own use. */
    label: string;
    /** By what means it is paid. */
    method: PayoutMethod;
    /** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
    destination: PayoutDestination;
    /**
     * Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a
     * second factor. Default `false`.
     */
    own?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type BeneficiaryStatus = 'cooling_off' | 'active';
/** Where you pay to, saved. */
export interface Beneficiary {
    /** Unique id. */
    id: string;
    /** A name for your own use. */
    label: string;
    /** By what means it is paid. */
    method: PayoutMethod;
    /** Where the money goes. */
    destination: PayoutDestinationRecord;
    /** The holder as the bank knows it; null where no bank says, or it did not answer. */
    verified_name: string | null;
    /**
     * Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a
     * second factor.
     */
    own: boolean;
    /** When a person confirmed that it is your own. */
    confirmed_at: string | null;
    /** Who did. */
    confirmed_by: string | null;
    /** `cooling_off`: it is new, or its destination was changed, and payouts cannot name it yet. */
    status: BeneficiaryStatus;
    /** When payouts can name it. */
    usable_from: string;
    /** What looks odd, but does not stop it. */
    warnings: Warning[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface BeneficiaryPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Beneficiary[];
}
export interface UpdateBeneficiary {
    /** A name for your own use. */
    label?: string | undefined;
    /** By what means it is paid. */
    method?: PayoutMethod | undefined;
    /** Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US. */
    destination?: PayoutDestination | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export interface CreateCustomer {
    /** The whole name. Made of `first_name` and `last_name` when it is left out. */
    name?: string | undefined;
    /** Where to write to. */
    email: string;
    /** A person or a company. */
    type?: CustomerType | undefined;
    /** Given name. */
    first_name?: string | null | undefined;
    /** Family name. */
    last_name?: string | null | undefined;
    /** E.164. */
    phone?: string | null | undefined;
    address?: Address | null | undefined;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type CustomerType = 'individual' | 'business';
/** A postal address. A new one replaces the whole old one. */
export interface Address {
    /** Street and number. */
    line1?: string | undefined;
    /** City. */
    city?: string | undefined;
    /** State or region. */
    state?: string | undefined;
    /** Postal code. */
    postal_code?: string | undefined;
    /** ISO 3166-1 alpha-2 code, in lower case. */
    country?: string | undefined;
}
/** Someone who pays you. */
export interface Customer {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string | null;
    /** The whole name. Made of `first_name` and `last_name` when it is left out. */
    name: string;
    /** Given name. */
    first_name: string | null;
    /** Family name. */
    last_name: string | null;
    /** Where to write to. */
    email: string;
    /** E.164. */
    phone: string | null;
    /** A person or a company. */
    type: CustomerType;
    /** `verified`: an identity document is verified; `rejected`: all that were given failed. */
    kyc_status: KycStatus;
    address: Address | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type KycStatus = 'none' | 'verified' | 'rejected';
export interface CustomerPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Customer[];
}
export interface UpdateCustomer {
    /** The whole name. Made of `first_name` and `last_name` when it is left out. */
    name?: string | undefined;
    /** Where to write to. */
    email?: string | undefined;
    /** A person or a company. */
    type?: CustomerType | undefined;
    /** Given name. */
    first_name?: string | null | undefined;
    /** Family name. */
    last_name?: string | null | undefined;
    /** E.164. */
    phone?: string | null | undefined;
    address?: Address | null | undefined;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | null | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** What is kept of a customer. */
export interface CustomerData {
    /** When it was read. */
    exported_at: string;
    /** The customer, with `deleted_at`. */
    customer: CustomerDataRow;
    /** The newest of each type, whatever came of it. */
    identity_documents: CustomerDataDocument[];
    /** By their kind, such as `payments`, `invoices` and `events`: the newest 5,000 of each, as the database has them. */
    records: CustomerDataRecords;
    /** Kinds of which there are more than are given. */
    cut: string[];
}
/** The customer, with `deleted_at`. */
export type CustomerDataRow = {
    [name: string]: unknown;
};
/** An identity document, whose number is hidden but for its last four characters. */
export type CustomerDataDocument = {
    [name: string]: unknown;
};
/** By their kind, such as `payments`, `invoices` and `events`: the newest 5,000 of each, as the database has them. */
export type CustomerDataRecords = {
    [name: string]: unknown;
};
/** That a customer is erased. */
export interface CustomerErasure {
    /** The customer. */
    id: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** When it was erased. */
    erased_at: string;
}
/** A verified identity document of a customer. */
export interface VerifiedIdentityDocument {
    /** Which document. */
    id_type: IdentityDocumentType;
    /** The number, hidden but for its last four characters. */
    id_number: string;
    /** When it was verified. */
    verified_at: string;
    /** Only verified documents are listed. */
    status: IdentityDocumentStatus;
    /** Null: it did not fail. */
    failure_reason: IdentityDocumentFailure | null;
    review: IdentityDocumentReview | null;
    /** When a document of this type was first given. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type IdentityDocumentType = 'bvn' | 'nin' | 'passport' | 'drivers_license' | 'voters_card' | 'cac' | 'tin';
export type IdentityDocumentStatus = 'pending' | 'verified' | 'failed';
export type IdentityDocumentFailure = 'mismatch' | 'not_found' | 'rejected' | 'no_answer';
/** That it waits for a person of the operator’s; null: it does not, or not any more. */
export interface IdentityDocumentReview {
    /** `no_rail`: no rail of the server verifies documents of its type. */
    reason: IdentityReviewReason;
    /** Since when it waits. */
    since: string;
}
export type IdentityReviewReason = 'no_rail';
export interface VerifyCustomerDocument {
    /** Which document. */
    id_type: IdentityDocumentType;
    /** Its number, in the form of its type. Stored encrypted, and never shown again. */
    id_number: string;
    /** The bank of an account of its holder, which some rails compare the number with. */
    bank_code?: string | undefined;
    /** That account. Stored encrypted until the number is verified or not, and never shown. */
    account_number?: string | undefined;
}
/** What came of verifying an identity document. */
export interface IdentityDocument {
    /** Which document. */
    id_type: IdentityDocumentType;
    /** The number, hidden but for its last four characters. */
    id_number: string;
    /** When it was verified; null: it was not. */
    verified_at: string | null;
    /** Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end. */
    status: IdentityDocumentStatus;
    /**
     * `mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it;
     * `no_answer`: the rail did not answer for three days.
     */
    failure_reason: IdentityDocumentFailure | null;
    review: IdentityDocumentReview | null;
    /** When a document of this type was first given. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface TransactionPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Transaction<A>[];
}
/** A month of a business’s wallets. Amounts in minor units. */
export interface Statement<A extends Amount = number> {
    /** The month. */
    month: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** The name of the business. */
    business: string;
    /** Where the month begins and ends. */
    time_zone: string;
    /** When the month began. */
    from: string;
    /** When it ended, or ends: no longer part of it. */
    to: string;
    /** Whether the month is over. Until then the closing is what is held now. */
    complete: boolean;
    /** One for each wallet. */
    wallets: WalletStatement<A>[];
}
export interface WalletStatement<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** What the wallet held when the month began, available and pending, without deposits that screening held. */
    opening: A;
    /** What came in, before fees. */
    in: A;
    /** What left, without fees. */
    out: A;
    /** Fees, less those that were given back. */
    fees: A;
    /**
     * `opening` + `in` − `out` − `fees`: what the wallet held when the month ended. It is `opening` and each `balance_change` of the
     * transactions that were completed in the month.
     */
    closing: A;
    /** The same by what moved. */
    activity: StatementActivity<A>[];
}
export interface StatementActivity<A extends Amount = number> {
    /**
     * What moved: `deposit` is money from payers, of payments too; `dispute` what was held and taken for disputes; `conversion` what
     * went to the other wallet, or came from it; `share` what distributions keep for others; `simulated_fund` test money.
     */
    type: ActivityType;
    /** What came into the wallet, before fees. */
    in: A;
    /** What left the wallet, without fees. */
    out: A;
    /** Fees, less those that were given back. */
    fees: A;
}
export type ActivityType = 'deposit' | 'payout' | 'refund' | 'dispute' | 'conversion' | 'share' | 'simulated_fund';
export type ReportStep = 'day' | 'month';
/** What a business paid in fees in a period. Amounts in minor units. */
export interface FeesReport<A extends Amount = number> {
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Where its days begin and end. */
    time_zone: string;
    /** When the period began. */
    from: string;
    /** When it ended: no longer part of it. */
    to: string;
    /** One for each wallet. */
    totals: FeesReportTotal<A>[];
    /** By day or month, wallet, type and means. */
    lines: FeesReportLine<A>[];
}
export interface FeesReportTotal<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** All fees of the period: those of the statements. */
    fees: A;
}
export interface FeesReportLine<A extends Amount = number> {
    /** The day, or the month. */
    period: string;
    /** The wallet. */
    currency: WalletCurrency;
    /** What they were charged for. */
    type: ActivityType;
    /** By what means the money moved. */
    method: TransactionMethod;
    /** How many were charged. */
    count: number;
    /** What they come to. */
    fees: A;
}
/** What came from payers in a period. Amounts in minor units. */
export interface SettlementReport<A extends Amount = number> {
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Where its days begin and end. */
    time_zone: string;
    /** When the period began. */
    from: string;
    /** When it ended: no longer part of it. */
    to: string;
    /** One for each wallet. */
    totals: SettlementReportTotal<A>[];
    /** By day or month, wallet and means. */
    lines: SettlementReportLine<A>[];
}
export interface SettlementReportTotal<A extends Amount = number> {
    /** The wallet. */
    currency: WalletCurrency;
    /** What payers paid. */
    gross: A;
    /** What was kept of it as fees. */
    fees: A;
    /** What reached the wallet. */
    net: A;
}
export interface SettlementReportLine<A extends Amount = number> {
    /** The day, or the month. */
    period: string;
    /** The wallet. */
    currency: WalletCurrency;
    /** By what means the money moved. */
    method: TransactionMethod;
    /** How many times money came. */
    count: number;
    /** What payers paid. */
    gross: A;
    /** What was kept of it as fees. */
    fees: A;
    /** What reached the wallet. */
    net: A;
}
export type JournalFormat = 'hledger' | 'ledger' | 'beancount';
export type BankStatementFormat = 'camt.053.001.08' | 'camt.053.001.02' | 'mt940';
/** What a transaction moved, with the proof that the ledger had it so. Anyone checks it without the server. */
export interface TransactionReceipt<A extends Amount = number> {
    /** `bursar receipt 1`. */
    format: string;
    /** Whose transaction it is. */
    business: string;
    /** `live` or `test`. */
    mode: string;
    /** The transaction. */
    transaction: string;
    /** In their order. */
    days: ReceiptDay<A>[];
}
/** A day on which postings of the transaction were sealed, and its proof. */
export interface ReceiptDay<A extends Amount = number> {
    /** In UTC. */
    day: string;
    /** Keeps others from finding the business. */
    blind: string;
    seals: ReceiptSeal<A>[];
    /** From the day of the business to the root of the day: each is `left:` or `right:`, where it stands, and a hash. */
    path: string[];
    /** The letter of the cell. */
    cell: string;
    /** Over the chains of all businesses of the cell. */
    root: string;
    /** SHA-256 of what the proof of the day before says; zeros of the first. */
    previous: string;
    /** The id of the key that signed it. */
    key: string;
    /** Ed25519 of what it says, in base64. */
    signature: string;
}
/** Postings that were sealed together. */
export interface ReceiptSeal<A extends Amount = number> {
    /** Its place in the chain of the business and mode. */
    number: string;
    /** How many postings it has. */
    count: string;
    /** The seal before. */
    previous: string;
    postings: ReceiptPosting<A>[];
    /** From it to the root of the day of the business: each is `left:` or `right:`, where it stands, and a hash. */
    path: string[];
}
/** A movement of the transaction, with what leads from it to its seal. */
export interface ReceiptPosting<A extends Amount = number> {
    /** Its number. */
    posting: string;
    /** The account that it left. */
    debit: string;
    /** The account that it came to. */
    credit: string;
    /** Minor units. */
    amount: A;
    currency: string;
    /** Why it was moved. */
    kind: string;
    /** The record that moved it. */
    subject: string;
    /** When, as it was hashed. */
    posted_at: string;
    /** Keeps others from guessing it. */
    blind: string;
    /** From it to the root of its seal: each is `left:` or `right:`, where it stands, and a hash. */
    path: string[];
}
/** A stablecoin and the networks it moves on. */
export interface CryptoToken {
    /** The token’s currency. */
    currency: CryptoCurrency;
    /** Its name. */
    name: string;
    /** Where it moves. */
    networks: CryptoNetwork[];
}
/** A network that a stablecoin moves on. */
export interface CryptoNetwork {
    /** What destinations name as `chain`. */
    id: string;
    /** The network’s name. */
    name: string;
    /** Its EVM chain id. */
    chain_id: number;
    /** The token’s contract there, with its EIP-55 checksum. */
    contract_address: string;
    /** Decimals of the token’s own units. Amounts of this API are cents all the same. */
    decimals: number;
    /** Blocks on top of a deposit before it is credited. */
    confirmations: number;
    /** Whether it is a test network. */
    testnet: boolean;
    /**
     * Whether this server speaks to the network in this mode. In test mode the sandbox plays the others; in live mode they cannot be
     * used.
     */
    connected: boolean;
}
export interface CreateCryptoWallet {
    /** Whose wallet it is. */
    customer?: string | undefined;
    /** A name for your own use. */
    label?: string | undefined;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference?: string | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type CryptoWalletStatus = 'active' | 'closed';
/** An address that stablecoins can be sent to. */
export interface CryptoWallet {
    /** Unique id. */
    id: string;
    /** Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone. */
    reference: string | null;
    /** Whose wallet it is. */
    customer: string | null;
    /** The address, the same on every network, with its EIP-55 checksum. */
    address: string;
    /** Ids of the networks that it receives on. */
    networks: string[];
    /** A name for your own use. */
    label: string | null;
    /** What comes to a wallet that is closed is booked all the same, and marked `late`. */
    status: CryptoWalletStatus;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface CryptoWalletPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: CryptoWallet[];
}
/** A bank that payouts can go to. */
export interface Bank {
    /** What destinations name as `bank_code`; in `us` the routing number. */
    code: string;
    /** The bank’s name. */
    name: string;
    /** What kind of institution it is. */
    type: string;
    /** What its accounts hold. */
    currency: Currency;
    /** Its NIP institution code, when known. */
    nip_code: string | null;
}
/** Who holds an account. */
export interface ResolvedAccount {
    /** As asked. */
    account_number: string;
    /** The holder, as the bank knows them. */
    account_name: string;
    /** As asked. */
    bank_code: string;
    /** The bank’s name. */
    bank_name: string;
}
/** The business that the key speaks for, in the key’s mode. */
export interface Business {
    /** Unique id. */
    id: string;
    /** What payers and customers know it by. */
    name: string;
    /**
     * BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless
     * the payer asks for one. Files and records of the API stay the same.
     */
    locale: string;
    /** IANA: where the days and months of lists, exports and statements begin. */
    time_zone: string;
    logo: Logo | null;
    /** Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown. */
    color: string | null;
    /** What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments. */
    statement_name: string | null;
    /** Where payers who have a question write to. */
    support_email: string | null;
    /** Where they call. E.164. */
    support_phone: string | null;
    address: Address | null;
    /** The number it pays tax under. */
    tax_id: string | null;
    /** Its number in the register of companies. */
    registration_number: string | null;
    /** Its terms of business. https. */
    terms_url: string | null;
    /** Whether payers who gave an address are mailed receipts, of payments and of refunds. */
    receipts: boolean;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** The picture beside its name on hosted pages, in mails and on invoices. */
export interface Logo {
    /** Where it is. Another logo has another address. */
    url: string;
    /** What it is, by its bytes. */
    type: LogoType;
    /** Pixels. */
    width: number;
    /** Pixels. */
    height: number;
    /** Of what is served, in hex: the picture alone, without what else was in the file. */
    sha256: string;
}
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';
export interface UpdateBusiness {
    /** What payers and customers know it by. */
    name?: string | undefined;
    /**
     * BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless
     * the payer asks for one. Files and records of the API stay the same.
     */
    locale?: string | undefined;
    /** IANA: where the days and months of lists, exports and statements begin. */
    time_zone?: string | undefined;
    /** A PNG, JPEG or WebP picture in base64: at most 256 KiB, each side 32 to 1,024 pixels. Null takes it away. */
    logo?: string | null | undefined;
    /** Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown. */
    color?: string | null | undefined;
    /** What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments. */
    statement_name?: string | null | undefined;
    /** Where payers who have a question write to. */
    support_email?: string | null | undefined;
    /** Where they call. E.164. */
    support_phone?: string | null | undefined;
    address?: Address | null | undefined;
    /** The number it pays tax under. */
    tax_id?: string | null | undefined;
    /** Its number in the register of companies. */
    registration_number?: string | null | undefined;
    /** Its terms of business. https. */
    terms_url?: string | null | undefined;
    /** Whether payers who gave an address are mailed receipts, of payments and of refunds. */
    receipts?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type AuditAction = 'business.created' | 'business.status_changed' | 'business.plan_changed' | 'business.limits_changed' | 'dispute.money_decided' | 'exchange.limits_changed' | 'tier_limits.changed' | 'exchange_rate.decided' | 'operator_key.created' | 'operator_key.revoked' | 'incident.closed' | 'order.canceled' | 'order.failed' | 'order.paid' | 'document.approved' | 'document.rejected' | 'document.number_shown' | 'review.released' | 'review.refused' | 'screening_entry.created' | 'screening_entry.removed' | 'ledger_verification.started' | 'plan.created' | 'plan.version_added' | 'attention.dealt_with' | 'business.changed' | 'collection.canceled' | 'conversion.created' | 'customer.deleted' | 'dispute.accepted' | 'dispute.evidence_submitted' | 'invoice.deleted' | 'invoice.voided' | 'payment.canceled' | 'payout.created' | 'payout.canceled' | 'payout_batch.canceled' | 'refund.created' | 'business.test_data_emptied' | 'customer.erased' | 'limits.changed' | 'loosening.requested' | 'loosening.confirmed' | 'loosening.canceled' | 'beneficiary.created' | 'beneficiary.changed' | 'beneficiary.confirmed' | 'beneficiary.removed' | 'distribution.destination_changed' | 'payout_schedule.created' | 'payout_schedule.changed' | 'payout_schedule.removed' | 'payout.approved' | 'payout.refused' | 'key.created' | 'key.rolled' | 'key.revoked' | 'key.scopes_changed' | 'invitation.created' | 'invitation.revoked' | 'person.joined' | 'person.role_changed' | 'person.removed' | 'person.password_changed' | 'person.passkey_added' | 'person.passkey_removed' | 'person.second_factor_added' | 'person.second_factor_removed' | 'person.second_factor_refused' | 'team.second_factor_required' | 'webhook.created' | 'webhook.changed' | 'webhook.deleted' | 'webhook.secret_rolled';
export interface AuditEntryPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: AuditEntry[];
}
/** Who changed what, from where, and when. Entries are never changed or deleted. */
export interface AuditEntry {
    /** Unique id. */
    id: string;
    /** What was done. */
    action: AuditAction;
    /**
     * What it was done to: the id of a business, a key, a person, an invitation, a webhook endpoint, a customer, a payout, a refund, a
     * payment, an invoice, an event, a beneficiary, a share of a distribution or a payout schedule.
     */
    subject: string;
    /** Who did it. */
    actor: AuditActor;
    /** Where the request came from; null for commands. */
    address: string | null;
    before: AuditFields | null;
    /** What it is now; null where something is gone. */
    after: AuditFields | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** When, by the server’s clock; the test clock does not move it. */
    created_at: string;
}
/** Who did it. */
export interface AuditActor {
    /**
     * `key`: a request with an API key; `person`: a signed-in person; `operator`: a key of the operator, or a command on the server’s
     * machine.
     */
    type: AuditActorType;
    /** The key, or the person. */
    id: string | null;
    /** How to recognise the key, or the email address of the person. */
    hint: string | null;
}
export type AuditActorType = 'key' | 'person' | 'operator';
/** What the change replaced: of a change, the fields that differ; null where something was made. */
export type AuditFields = {
    [name: string]: unknown;
};
/** Everything that became of a record, in the order of time. */
export interface Timeline {
    /** What was asked for. */
    id: string;
    /** What it is, such as `payout`. */
    kind: string;
    /** Where it stands; null of what has no status. */
    status: string | null;
    /** Oldest first; what is going to happen comes last. At most 500. */
    entries: TimelineEntry[];
    /** The ids of the records that it is about or has to do with, by what they are. */
    related: RelatedRecords;
    /** Whether there is more than is shown: the newest 500 entries, of the newest 20 records of each kind. */
    truncated: boolean;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
}
/** One thing that happened, or is going to. */
export interface TimelineEntry {
    /** It in a sentence, for people. */
    title: string;
    /** When. Of `request`, `change` and tries to deliver, by the server’s clock; of all else, in the time of the mode. */
    at: string;
    /**
     * `state`: it was made, sent, ended; `posting`: the ledger moved an amount; `event`: an event was emitted; `delivery`: a try to
     * deliver one to an endpoint, and the answer; `request`, `change`: who asked for it, or changed it (only with the scope `manage`);
     * `provider`: what the rail knows it by; `waiting`: what is going to happen.
     */
    kind: TimelineEntryKind;
    /** The facts of it, by the kind. Amounts in minor units. */
    detail: TimelineDetail;
    /** The records that it is of, by what they are. */
    ids: TimelineIds;
}
export type TimelineEntryKind = 'state' | 'posting' | 'event' | 'delivery' | 'request' | 'change' | 'provider' | 'waiting';
/** The facts of it, by the kind. Amounts in minor units. */
export type TimelineDetail = {
    [name: string]: unknown;
};
/** The records that it is of, by what they are. */
export type TimelineIds = {
    [name: string]: string;
};
/** The ids of the records that it is about or has to do with, by what they are. */
export type RelatedRecords = {
    [name: string]: string[];
};
export interface CreateWebhook {
    /** Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others. */
    url: string;
    /** The event types it gets; `*` stands for all, now and later. */
    events?: EventSubscription[] | undefined;
    /** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
    metadata_filter?: MetadataFilter | undefined;
    /** A note for yourself. */
    description?: string | null | undefined;
    /** Whether it gets events. Events that come while it is inactive are not kept for it. */
    active?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
export type EventSubscription = 'virtual_account.activated' | 'virtual_account.failed' | 'virtual_account.deposit' | 'crypto.deposit' | 'payment.completed' | 'payment.failed' | 'payment.expired' | 'payment.canceled' | 'collection.completed' | 'collection.canceled' | 'refund.initiated' | 'refund.completed' | 'refund.failed' | 'dispute.opened' | 'dispute.closed' | 'distribution.destination_changed' | 'invoice.finalized' | 'invoice.sent' | 'invoice.paid' | 'invoice.voided' | 'payout.initiated' | 'payout.review_opened' | 'payout.completed' | 'payout.failed' | 'payout.canceled' | 'payout.returned' | 'conversion.completed' | 'customer.document.verified' | 'customer.document.failed' | 'customer.erased' | '*';
/** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
export type MetadataFilter = {
    [name: string]: unknown;
};
/** The endpoint with its signing secret, in two spellings. No other answer shows it: keep it now. */
export interface WebhookWithSecret {
    /** Unique id. */
    id: string;
    /** Where events are sent. */
    url: string;
    /** The event types it gets; `*` stands for all. */
    events: EventSubscription[];
    /** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
    metadata_filter: MetadataFilter;
    /** Whether it gets events. Events that come while it is inactive are not kept for it. */
    active: boolean;
    /** A note for yourself. */
    description: string | null;
    /** Keys the HMAC-SHA256 of `X-Signature` and of `webhook-signature`: its bytes, `weh_` included. */
    secret: string;
    /** The same key as libraries of Standard Webhooks take it: `whsec_` and the base64 of the secret. */
    standard_secret: string;
    /** What looks odd, but does not stop it. */
    warnings: Warning[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
/** An address of yours that events are sent to. */
export interface Webhook {
    /** Unique id. */
    id: string;
    /** Where events are sent. */
    url: string;
    /** The event types it gets; `*` stands for all. */
    events: EventSubscription[];
    /** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
    metadata_filter: MetadataFilter;
    /** Whether it gets events. Events that come while it is inactive are not kept for it. */
    active: boolean;
    /** A note for yourself. */
    description: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export interface WebhookPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Webhook[];
}
export interface UpdateWebhook {
    /** Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others. */
    url?: string | undefined;
    /** The event types it gets; `*` stands for all, now and later. */
    events?: EventSubscription[] | undefined;
    /** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
    metadata_filter?: MetadataFilter | undefined;
    /** A note for yourself. */
    description?: string | null | undefined;
    /** Whether it gets events. Events that come while it is inactive are not kept for it. */
    active?: boolean | undefined;
    /**
     * Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send
     * strings.
     */
    metadata?: Metadata | undefined;
}
/** The endpoint, and what the check of a new URL warns of. No other answer repeats the warnings. */
export interface WebhookWithWarnings {
    /** Unique id. */
    id: string;
    /** Where events are sent. */
    url: string;
    /** The event types it gets; `*` stands for all. */
    events: EventSubscription[];
    /** Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans. */
    metadata_filter: MetadataFilter;
    /** Whether it gets events. Events that come while it is inactive are not kept for it. */
    active: boolean;
    /** A note for yourself. */
    description: string | null;
    /** What looks odd, but does not stop it. */
    warnings: Warning[];
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type EventType = 'virtual_account.activated' | 'virtual_account.failed' | 'virtual_account.deposit' | 'crypto.deposit' | 'payment.completed' | 'payment.failed' | 'payment.expired' | 'payment.canceled' | 'collection.completed' | 'collection.canceled' | 'refund.initiated' | 'refund.completed' | 'refund.failed' | 'dispute.opened' | 'dispute.closed' | 'distribution.destination_changed' | 'invoice.finalized' | 'invoice.sent' | 'invoice.paid' | 'invoice.voided' | 'payout.initiated' | 'payout.review_opened' | 'payout.completed' | 'payout.failed' | 'payout.canceled' | 'payout.returned' | 'conversion.completed' | 'customer.document.verified' | 'customer.document.failed' | 'customer.erased';
export interface TestWebhook {
    /** Which event to send a sample of. */
    type: EventType;
}
export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed';
/** One event on its way to one endpoint. `metadata` is that of the record the event is about. */
export type WebhookDelivery<A extends Amount = number> = {
    [Type in EventType]: {
        /** Unique id. */
        id: string;
        /** The event; the `id` of the body and `X-Event-Id`. */
        event_id: string;
        /** The endpoint. */
        webhook_id: string;
        /** The event’s type. */
        type: Type;
        /** Where it was sent last, or is to be sent. */
        url: string;
        /** `pending`: a try is running or due; `failed`: no try is left. */
        status: WebhookDeliveryStatus;
        /** The event’s payload. */
        payload: EventPayloads<A>[Type];
        /** The latest 20 tries, oldest first, resends included. */
        attempts: WebhookAttempt[];
        /** When the next try is due; null: none is. */
        next_attempt_at: string | null;
        /** `true` for live keys, `false` for test keys. */
        livemode: boolean;
        /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
        metadata: Metadata;
        /** When it was created. */
        created_at: string;
        /** When it last changed. */
        updated_at: string;
    };
}[EventType];
/** One try to deliver an event. */
export interface WebhookAttempt {
    /** When it was sent. */
    at: string;
    /** The HTTP status that came back; null: none came. */
    response_status: number | null;
    /** The first KiB of what came back. */
    response_body: string | null;
    /** How long the exchange took, in milliseconds. */
    duration_ms: number;
    /** Why there was no answer, or why it does not count. */
    error: string | null;
}
export interface RecoverWebhook {
    /** Deliveries created at this time or after. */
    since: string;
}
/** What is sent again. */
export interface RecoveredDeliveries {
    /** How many deliveries are sent again. */
    recovered: number;
}
export interface WebhookDeliveryPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: WebhookDelivery<A>[];
}
export interface ResendEvent {
    /** The event to send. */
    event_id: string;
    /** The endpoint to send it to. */
    webhook_id: string;
}
/** Something that happened, whether it was delivered anywhere or not. `metadata` is that of the record it is about. */
export type Event<A extends Amount = number> = {
    [Type in EventType]: {
        /** Unique id. */
        id: string;
        /** What happened. */
        type: Type;
        /** When it happened. */
        timestamp: string;
        /** The record as its own GET would have returned it at that moment. */
        payload: EventPayloads<A>[Type];
        /** `true` for live keys, `false` for test keys. */
        livemode: boolean;
        /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
        metadata: Metadata;
        /** When it was created. */
        created_at: string;
        /** When it last changed. */
        updated_at: string;
    };
}[EventType];
export interface EventPage<A extends Amount = number> {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Event<A>[];
}
/** An event: the body that webhooks get, and the `data` of a server-sent event. */
export type StreamedEvent<A extends Amount = number> = VirtualAccountActivatedEvent<A> | VirtualAccountFailedEvent<A> | VirtualAccountDepositEvent<A> | CryptoDepositEvent<A> | PaymentCompletedEvent<A> | PaymentFailedEvent<A> | PaymentExpiredEvent<A> | PaymentCanceledEvent<A> | CollectionCompletedEvent<A> | CollectionCanceledEvent<A> | RefundInitiatedEvent<A> | RefundCompletedEvent<A> | RefundFailedEvent<A> | DisputeOpenedEvent<A> | DisputeClosedEvent<A> | DistributionDestinationChangedEvent<A> | InvoiceFinalizedEvent<A> | InvoiceSentEvent<A> | InvoicePaidEvent<A> | InvoiceVoidedEvent<A> | PayoutInitiatedEvent<A> | PayoutReviewOpenedEvent<A> | PayoutCompletedEvent<A> | PayoutFailedEvent<A> | PayoutCanceledEvent<A> | PayoutReturnedEvent<A> | ConversionCompletedEvent<A> | CustomerDocumentVerifiedEvent | CustomerDocumentFailedEvent | CustomerErasedEvent;
export interface VirtualAccountActivatedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'virtual_account.activated';
    /** A bank account that money can be sent to. */
    payload: VirtualAccount<A>;
}
export interface VirtualAccountFailedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'virtual_account.failed';
    /** A bank account that money can be sent to. */
    payload: VirtualAccount<A>;
}
export interface VirtualAccountDepositEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'virtual_account.deposit';
    /** Money in or out of a wallet. Amounts in minor units. */
    payload: Transaction<A>;
}
export interface CryptoDepositEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'crypto.deposit';
    /** Money in or out of a wallet. Amounts in minor units. */
    payload: Transaction<A>;
}
export interface PaymentCompletedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payment.completed';
    /** A one-time checkout. Amounts in minor units. */
    payload: Payment<A>;
}
export interface PaymentFailedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payment.failed';
    /** A one-time checkout. Amounts in minor units. */
    payload: Payment<A>;
}
export interface PaymentExpiredEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payment.expired';
    /** A one-time checkout. Amounts in minor units. */
    payload: Payment<A>;
}
export interface PaymentCanceledEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payment.canceled';
    /** A one-time checkout. Amounts in minor units. */
    payload: Payment<A>;
}
export interface CollectionCompletedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'collection.completed';
    /** A collection that was paid once more, and the payment that did it. */
    payload: CompletedCollection<A>;
}
/** A collection that was paid once more, and the payment that did it. */
export interface CompletedCollection<A extends Amount = number> {
    /** Unique id. */
    id: string;
    /** What payers see as its title. */
    name: string;
    /** What it is for. */
    description: string | null;
    /** The currency. */
    currency: WalletCurrency;
    /** What each payer pays. Null: the payer chooses. */
    amount: A | null;
    /** The least a payer may choose. */
    min_amount: A | null;
    /** The most a payer may choose. */
    max_amount: A | null;
    /** Whether it can be used. */
    active: boolean;
    /** When it was canceled, for good. Null: it was not; an inactive one can be active again. */
    canceled_at: string | null;
    /** Where payers are sent afterwards. */
    redirect_url: string | null;
    /** Maximum number of payments. Null: no limit. */
    max_payments: number | null;
    /** The page that payers are sent to. */
    checkout_url: string;
    /** How many of its payments are completed. */
    payments_count: number;
    /** What those payments kept, before fees and refunds. */
    amount_collected: A;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
    /** A one-time checkout. Amounts in minor units. */
    payment: Payment<A>;
}
export interface CollectionCanceledEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'collection.canceled';
    /** A reusable checkout link. Amounts in minor units. */
    payload: Collection<A>;
}
export interface RefundInitiatedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'refund.initiated';
    /** Money on its way back to a payer. Amounts in minor units. */
    payload: Refund<A>;
}
export interface RefundCompletedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'refund.completed';
    /** Money on its way back to a payer. Amounts in minor units. */
    payload: Refund<A>;
}
export interface RefundFailedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'refund.failed';
    /** Money on its way back to a payer. Amounts in minor units. */
    payload: Refund<A>;
}
export interface DisputeOpenedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'dispute.opened';
    /** Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units. */
    payload: Dispute<A>;
}
export interface DisputeClosedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'dispute.closed';
    /** Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units. */
    payload: Dispute<A>;
}
export interface DistributionDestinationChangedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'distribution.destination_changed';
    /** A plan that shares what products sell for. */
    payload: Distribution<A>;
}
export interface InvoiceFinalizedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'invoice.finalized';
    /** A request for payment, with lines. Amounts in minor units. */
    payload: Invoice<A>;
}
export interface InvoiceSentEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'invoice.sent';
    /** A request for payment, with lines. Amounts in minor units. */
    payload: Invoice<A>;
}
export interface InvoicePaidEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'invoice.paid';
    /** A request for payment, with lines. Amounts in minor units. */
    payload: Invoice<A>;
}
export interface InvoiceVoidedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'invoice.voided';
    /** A request for payment, with lines. Amounts in minor units. */
    payload: Invoice<A>;
}
export interface PayoutInitiatedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.initiated';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface PayoutReviewOpenedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.review_opened';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface PayoutCompletedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.completed';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface PayoutFailedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.failed';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface PayoutCanceledEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.canceled';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface PayoutReturnedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'payout.returned';
    /** Money on its way out of a wallet. */
    payload: Payout<A>;
}
export interface ConversionCompletedEvent<A extends Amount = number> {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'conversion.completed';
    /** Money that you moved from one wallet to the other. Amounts in minor units. */
    payload: Conversion<A>;
}
export interface CustomerDocumentVerifiedEvent {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'customer.document.verified';
    /** An identity document of a customer, with the customer’s metadata. */
    payload: CustomerDocument;
}
/** An identity document of a customer, with the customer’s metadata. */
export interface CustomerDocument {
    /** Whose it is. */
    customer: string;
    /** Which document. */
    id_type: IdentityDocumentType;
    /** The number, hidden but for its last four characters. */
    id_number: string;
    /** When it was verified; null: it was not. */
    verified_at: string | null;
    /** Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end. */
    status: IdentityDocumentStatus;
    /**
     * `mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it;
     * `no_answer`: the rail did not answer for three days.
     */
    failure_reason: IdentityDocumentFailure | null;
    review: IdentityDocumentReview | null;
    /** When a document of this type was first given. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
}
export interface CustomerDocumentFailedEvent {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'customer.document.failed';
    /** An identity document of a customer, with the customer’s metadata. */
    payload: CustomerDocument;
}
export interface CustomerErasedEvent {
    /** The event: the same for each try, and for each of your endpoints. */
    id: string;
    /** When it happened. */
    timestamp: string;
    type: 'customer.erased';
    /** A customer of whom nothing personal is kept. */
    payload: ErasedCustomer;
}
/** A customer of whom nothing personal is kept. */
export interface ErasedCustomer {
    /** Unique id. */
    id: string;
    /** When it was erased. */
    erased_at: string;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. */
    metadata: Metadata;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
}
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A request that was made with one of your keys, and what became of it. */
export interface Request {
    /** The request’s id: its `X-Request-Id`, and that of its line in the server’s log. */
    id: string;
    /** The HTTP method. */
    method: string;
    /** What was asked for, without its query. */
    path: string;
    /** The HTTP status of the answer. */
    status: number;
    /** Why it was refused: `errors.code` of the answer. */
    code: string | null;
    /** The API key that it was asked with. */
    key: string;
    /** Where it came from. */
    address: string;
    /** How long it took until the answer was sent, in milliseconds. */
    ms: number;
    /**
     * In test mode, of a request that was refused: its body as JSON, the first 2 KiB, with numbers of cards, accounts and documents
     * masked and secrets left out. Else null.
     */
    body: string | null;
    /** The record that its answer was; null where that has no id, and of what was refused or only read. */
    subject: string | null;
    /** The `Idempotency-Key` that it came with. */
    idempotency_key: string | null;
    /** `true` for live keys, `false` for test keys. */
    livemode: boolean;
    /** When it came, by the server’s clock; the test clock does not move it. */
    created_at: string;
}
export interface RequestPage {
    /**
     * Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000,
     * and further as pages get there.
     */
    totalDocs: number;
    /** Records a page. */
    limit: number;
    /** This page. */
    page: number;
    /** How many pages there are. */
    totalPages: number;
    /** Whether a page comes after it. */
    hasNextPage: boolean;
    /** Whether a page comes before it. */
    hasPrevPage: boolean;
    /** The next page, or null. */
    nextPage: number | null;
    /** The page before, or null. */
    prevPage: number | null;
    docs: Request[];
}
/** The time of a business’s test mode. */
export interface TestClock {
    /** The time of this business’s test mode. */
    now: string;
    /** How far it runs ahead of the machine, in milliseconds. */
    offset_ms: number;
    /** Always `false`: live time cannot be moved. */
    livemode: boolean;
    /** What this move made due. */
    fired: FiredTask[];
}
/** Something that a move of the clock made due. */
export interface FiredTask {
    /** What was due. */
    task: string;
    /** The record it was about. */
    subject: string;
    /** When it was due. */
    due_at: string;
}
export interface AdvanceTestClock {
    /** How far: `90s`, `15m`, `24h`, `3d`; at most `366d`. */
    advance: string;
}
/** What the payload of an event is, by its type. */
export interface EventPayloads<A extends Amount = number> {
    'virtual_account.activated': VirtualAccount<A>;
    'virtual_account.failed': VirtualAccount<A>;
    'virtual_account.deposit': Transaction<A>;
    'crypto.deposit': Transaction<A>;
    'payment.completed': Payment<A>;
    'payment.failed': Payment<A>;
    'payment.expired': Payment<A>;
    'payment.canceled': Payment<A>;
    'collection.completed': CompletedCollection<A>;
    'collection.canceled': Collection<A>;
    'refund.initiated': Refund<A>;
    'refund.completed': Refund<A>;
    'refund.failed': Refund<A>;
    'dispute.opened': Dispute<A>;
    'dispute.closed': Dispute<A>;
    'distribution.destination_changed': Distribution<A>;
    'invoice.finalized': Invoice<A>;
    'invoice.sent': Invoice<A>;
    'invoice.paid': Invoice<A>;
    'invoice.voided': Invoice<A>;
    'payout.initiated': Payout<A>;
    'payout.review_opened': Payout<A>;
    'payout.completed': Payout<A>;
    'payout.failed': Payout<A>;
    'payout.canceled': Payout<A>;
    'payout.returned': Payout<A>;
    'conversion.completed': Conversion<A>;
    'customer.document.verified': CustomerDocument;
    'customer.document.failed': CustomerDocument;
    'customer.erased': ErasedCustomer;
}
/** The documented codes of refusals. A later server has more. */
export type RefusalCode = 
/** 400: The body is not valid JSON. */
'malformed_json'
/** 400: The body is larger than the server accepts. */
 | 'body_too_large'
/** 400: The body must be sent as application/json. */
 | 'unsupported_content_type'
/** 400: The request could not be understood. */
 | 'bad_request'
/** 401: No API key was sent. */
 | 'missing_key'
/** 401: The API key is unknown, revoked or expired. */
 | 'invalid_key'
/** 403: The API key may not be used from this address. */
 | 'address_not_allowed'
/** 403: The API key lacks the scope that the operation needs. */
 | 'scope_missing'
/** 403: The operator has suspended the business: nothing new is collected or paid out. */
 | 'business_suspended'
/** 403: The business is closed: nothing new is collected or paid out. */
 | 'business_closed'
/** 403: The endpoint exists for test keys only. */
 | 'test_mode_only'
/** 404: No such record for this business and mode. */
 | 'not_found'
/** 404: No such endpoint. */
 | 'route_not_found'
/** 405: The endpoint exists, and takes other methods: `Allow` names them. */
 | 'method_not_allowed'
/** 400: The cursor names no record of this list, or no place in this stream. */
 | 'invalid_cursor'
/** 400: More records match than a search looks at. */
 | 'search_too_broad'
/** 409: The reference has been used before. */
 | 'duplicate_reference'
/** 409: The Idempotency-Key was used before with another request, or with this one under another SECRETS_KEY. */
 | 'idempotency_key_reused'
/** 422: The request does not match the schema. */
 | 'validation_failed'
/** 429: The key, its business, or the server has as many streams open as are allowed. */
 | 'too_many_streams'
/** 429: Too many requests from this address. */
 | 'rate_limited'
/** 429: The server has more to do than it can take; nothing was done. */
 | 'overloaded'
/** 400: The amount does not cover the fee. */
 | 'amount_too_small'
/** 400: The amount, or a balance it would make, is larger than the server can hold. */
 | 'amount_too_large'
/** 400: The currency cannot be used here. */
 | 'unsupported_currency'
/** 400: No rail of this kind is configured for live mode. */
 | 'rail_not_configured'
/** 400: The URL a payer is sent back to must be https, or in test mode http on localhost. */
 | 'invalid_redirect_url'
/** 503: The test data of the business are being emptied, or just were. Nothing was done: try again. */
 | 'test_data_emptying'
/** 503: The database cannot be reached just now. What was to be written may have been. */
 | 'database_unavailable'
/** 500: Something went wrong on our side. */
 | 'internal_error'
/** 400: The wallet does not hold enough. */
 | 'insufficient_funds'
/** 400: The virtual account is not active. */
 | 'account_not_active'
/** 409: The customer has an account at this bank, which gives each customer one. */
 | 'account_exists'
/** 400: The provider opens no more accounts for this server. */
 | 'limit_reached'
/** 400: The provider has not switched these accounts on for this server. */
 | 'not_enabled'
/** 400: The provider does not open the account. */
 | 'account_rejected'
/** 400: The virtual account belongs to a payment; cancel the payment instead. */
 | 'account_of_payment'
/** 409: The notice was used before, for another deposit. */
 | 'notice_reused'
/** 400: The account is in a provider’s test mode, where money is sent to it. */
 | 'deposit_not_simulated'
/** 400: The payment cannot be paid by this method. */
 | 'method_not_available'
/** 400: The payment has ended. */
 | 'payment_not_pending'
/** 400: A card is being charged for the payment, or a transfer is being confirmed. */
 | 'payment_processing'
/** 400: The payment belongs to an invoice; void the invoice instead. */
 | 'payment_of_invoice'
/** 400: The payment has been tried too often. */
 | 'too_many_attempts'
/** 400: The collection has been canceled. */
 | 'collection_canceled'
/** 400: The collection has taken as many payments as it may, or others are paying for all that is left. */
 | 'collection_full'
/** 400: Nothing of the payment can be refunded. */
 | 'payment_not_refundable'
/** 400: The refund is larger than what is left of the payment. */
 | 'refund_too_large'
/** 409: A refund of the payment is in progress. */
 | 'refund_in_progress'
/** 400: The refund moves on a real test network, or goes by a payout. */
 | 'refund_not_simulated'
/** 400: The refund has not arrived, so it cannot come back. */
 | 'refund_not_completed'
/** 400: The refund has reached an end state. */
 | 'refund_already_final'
/** 400: Screening holds the refund. */
 | 'refund_under_review'
/** 400: The payer’s account is not known; name a destination. */
 | 'destination_required'
/** 400: Nothing of the payment can be disputed. */
 | 'payment_not_disputable'
/** 400: The amount is larger than what is left of the dispute, or of what was paid. */
 | 'dispute_amount_too_large'
/** 400: The dispute has been decided. */
 | 'dispute_already_closed'
/** 409: The dispute was answered, or its answer is being sent. */
 | 'dispute_answered'
/** 400: The provider takes no answers from this server: answer in its own dashboard. */
 | 'dispute_answered_elsewhere'
/** 400: The provider needs more evidence than there is. */
 | 'evidence_incomplete'
/** 400: The dispute is at a provider, which decides it. */
 | 'dispute_not_simulated'
/** 400: The dispute was won: nothing of it is held or taken. */
 | 'dispute_won'
/** 400: The dispute is not lost, so nothing is taken for it. */
 | 'dispute_not_lost'
/** 409: Money is held for the dispute. */
 | 'dispute_held'
/** 400: No money is held for the dispute. */
 | 'dispute_not_held'
/** 400: The product does not exist for this business and mode. */
 | 'product_not_found'
/** 400: The product is archived. */
 | 'product_archived'
/** 400: The distribution does not exist, is not active, or has another currency. */
 | 'invalid_distribution'
/** 400: The share holds money; settle it before you remove it. */
 | 'share_not_settled'
/** 400: All lines of an invoice must have one currency. */
 | 'mixed_currencies'
/** 400: Only a draft can be changed, finalized or deleted. */
 | 'invoice_not_draft'
/** 400: The invoice is not open. */
 | 'invoice_not_open'
/** 400: The credit note is void, so it is not mailed. */
 | 'credit_note_void'
/** 400: The quote does not exist for this business and mode. */
 | 'quote_not_found'
/** 400: The quote has expired. */
 | 'quote_expired'
/** 400: The quote has priced another payout. */
 | 'quote_used'
/** 400: The payout differs from its quote. */
 | 'quote_mismatch'
/** 400: The payout has left the pending state. */
 | 'payout_not_cancelable'
/** 400: The payout moves on a real test network. */
 | 'payout_not_simulated'
/** 400: The payout has not arrived, so it cannot come back. */
 | 'payout_not_completed'
/** 400: The payout waits for no approval, or not any more. */
 | 'payout_not_waiting'
/** 400: The payout waits for a second person, and goes nowhere before. */
 | 'payout_not_approved'
/** 400: Screening holds the payout, and it goes nowhere before a person has released it. */
 | 'payout_under_review'
/** 400: The payout has reached an end state. */
 | 'payout_already_final'
/** 400: There is no rate for the two currencies, or none that is young enough. */
 | 'rate_unavailable'
/** 403: The operator’s server would be short of more of the currency than its operator lets it. */
 | 'exchange_limit_exceeded'
/** 400: Both wallets are the same. */
 | 'same_currency'
/** 400: Less than the least amount would arrive. */
 | 'conversion_too_small'
/** 400: Lines of the batch cannot be paid. */
 | 'batch_has_bad_lines'
/** 400: The batch was confirmed or canceled before. */
 | 'batch_not_draft'
/** 400: The batch has ended: nothing of it is left to be canceled. */
 | 'batch_over'
/** 400: No such line of the batch can be paid again. */
 | 'batch_not_retriable'
/** 409: The batch has no file for a bank. */
 | 'batch_not_exportable'
/** 403: The operator of this server lets no such payout out, or no more today. Pay out less, wait for the next day, or ask the operator for a higher limit. */
 | 'operator_limit_exceeded'
/** 403: The limits of your business let no such payout out, or no more today. Pay out less, wait for the next day of UTC, or have the limit raised. */
 | 'limit_exceeded'
/** 403: The key can create payouts, so it can make limits stricter only. Use a key without the scope `payout`, or sign in. */
 | 'limits_not_loosened'
/** 400: The beneficiary does not exist for this business and mode. */
 | 'beneficiary_not_found'
/** 400: The beneficiary is new, or its destination was changed, and cannot be paid yet. */
 | 'beneficiary_cooling_off'
/** 409: The destination of the beneficiary was changed meanwhile. */
 | 'beneficiary_changed'
/** 403: Keys of this business pay beneficiaries alone. */
 | 'destination_not_allowed'
/** 403: While keys pay beneficiaries alone, a key that can create payouts cannot add or change one. Use a key without the scope `payout`, or sign in. */
 | 'beneficiaries_not_by_payer'
/** 400: The beneficiary is not said to be an account of your own. */
 | 'beneficiary_not_own'
/** 400: Your team has not confirmed yet that the beneficiary is an account of your own. */
 | 'beneficiary_not_confirmed'
/** 400: The destination cannot be paid to. */
 | 'invalid_destination'
/** 400: The crypto address fails its EIP-55 checksum. */
 | 'invalid_address'
/** 400: The token is not supported on this chain. */
 | 'unsupported_chain'
/** 400: The currency does not fit the destination. */
 | 'currency_mismatch'
/** 400: The customer does not exist for this business and mode. */
 | 'customer_not_found'
/** 409: The document is being verified already. */
 | 'document_pending'
/** 409: The document is verified already. */
 | 'document_verified'
/** 409: The document was reviewed already, or was given again. */
 | 'document_reviewed'
/** 400: The rail needs more of the customer, such as a first and a last name. */
 | 'customer_incomplete'
/** 409: Something is open that needs the customer: end it, then erase the customer. */
 | 'customer_in_use'
/** 400: The customer needs a verified identity document first. */
 | 'kyc_required'
/** 409: The ledger’s balances do not follow from its postings. */
 | 'unbalanced_period'
/** 409: The format cannot hold so large a statement. */
 | 'statement_too_large'
/** 409: The server signs no proofs: its operator has set no PROOF_KEY. */
 | 'proofs_off'
/** 409: The day (UTC) whose proof it needs is not over: `day_ends_at` says when it is, and the proof is there a minute later. */
 | 'receipt_not_ready'
/** 409: No posting of the transaction is here: it moved nothing, or its period was moved elsewhere, where its receipt is. */
 | 'nothing_posted'
/** 400: The crypto wallet is closed. */
 | 'wallet_not_active'
/** 400: The country is not supported. */
 | 'unsupported_country'
/** 400: The bank code is not in the bank list. */
 | 'unknown_bank'
/** 400: The bank knows no account of this number. */
 | 'account_not_found'
/** 400: The bank did not answer the name lookup. */
 | 'bank_lookup_unavailable'
/** 409: Another plan has this name. */
 | 'plan_name_taken'
/** 400: The webhook URL leads to an address that is not public. */
 | 'forbidden_target'
/** 400: The webhook endpoint is inactive. */
 | 'webhook_inactive'
/** 400: The business has as many webhook endpoints as are allowed. */
 | 'too_many_webhooks'
/** 400: No SMTP server is configured. */
 | 'smtp_not_configured'
/** 429: The recipient was sent as many mails as may be asked for in a day. */
 | 'too_many_mails'
/** 403: Who made the payout or the change, or made, rolled or re-scoped the key that did, cannot approve it: it needs a second person. */
 | 'approved_by_maker'
/** 403: For 72 hours after one person invites another or gives a role, neither can approve what the other made. The same holds between two people whom the same person invited. */
 | 'approver_too_new'
/** 409: The business has money, or something is under way: it cannot be closed yet. */
 | 'business_not_empty'
/** 409: This cell takes no new businesses. */
 | 'cell_full'
/** 400: There is no such plan. */
 | 'plan_not_found'
/** 409: What is held may have been sent since the backup that the server was restored from. */
 | 'outgoing_held'
/** 409: The review is no longer pending: it was decided already, or has ended. */
 | 'review_decided'
/** 409: The list has this entry already. */
 | 'screening_entry_exists';
/** Where money is, by schema: the fields that are amounts, and those that hold a schema that has some. */
export declare const money: Readonly<Record<string, Fields>>;
/** The schemas of the payloads of events. */
export declare const payloads: {
    readonly 'virtual_account.activated': 'VirtualAccount';
    readonly 'virtual_account.failed': 'VirtualAccount';
    readonly 'virtual_account.deposit': 'Transaction';
    readonly 'crypto.deposit': 'Transaction';
    readonly 'payment.completed': 'Payment';
    readonly 'payment.failed': 'Payment';
    readonly 'payment.expired': 'Payment';
    readonly 'payment.canceled': 'Payment';
    readonly 'collection.completed': 'CompletedCollection';
    readonly 'collection.canceled': 'Collection';
    readonly 'refund.initiated': 'Refund';
    readonly 'refund.completed': 'Refund';
    readonly 'refund.failed': 'Refund';
    readonly 'dispute.opened': 'Dispute';
    readonly 'dispute.closed': 'Dispute';
    readonly 'distribution.destination_changed': 'Distribution';
    readonly 'invoice.finalized': 'Invoice';
    readonly 'invoice.sent': 'Invoice';
    readonly 'invoice.paid': 'Invoice';
    readonly 'invoice.voided': 'Invoice';
    readonly 'payout.initiated': 'Payout';
    readonly 'payout.review_opened': 'Payout';
    readonly 'payout.completed': 'Payout';
    readonly 'payout.failed': 'Payout';
    readonly 'payout.canceled': 'Payout';
    readonly 'payout.returned': 'Payout';
    readonly 'conversion.completed': 'Conversion';
    readonly 'customer.document.verified': 'CustomerDocument';
    readonly 'customer.document.failed': 'CustomerDocument';
    readonly 'customer.erased': 'ErasedCustomer';
};
