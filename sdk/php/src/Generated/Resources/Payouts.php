<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Payout;
use Bursar\Records\PayoutDecisions;
use Bursar\Records\PayoutQuote;

final class Payouts
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Quote a payout.
     *
     * What it would cost and what would arrive. Nothing is debited; the price holds for five minutes.
     *
     * @param array{
     *     amount: int,
     *     currency: 'ngn'|'usd',
     *     method: 'crypto'|'bank_transfer',
     *     destination: array{currency?: 'usdc'|'usdt'|'ngn'|'usd', chain?: string, address?: string, country?: 'ng'|'us', bank_code?: string, account_number?: string, account_name?: string, routing_number?: string, account_type?: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}},
     * } $body
     *   `amount`: What would leave the wallet, in minor units. 0 asks for the least fee and the rate.
     *   `currency`: The wallet to pay from.
     *   `method`: By what means.
     *   `destination`: Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a payout’s destination as is known.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function quote(array $body, array $options = []): PayoutQuote
    {
        return $this->client->call(Operations::of('quotePayout'), [], [], $body, $options);
    }

    /**
     * Create a payout.
     *
     * Moves the amount from available to pending and hands the payout to the rail; one that is above a limit (`GET /limits`) waits for a second person before that. One payout per reference. It goes to a `destination`, or to a `beneficiary` that you have saved.
     *
     * @param array{
     *     reference: string,
     *     amount: int,
     *     currency: 'ngn'|'usd',
     *     method?: 'crypto'|'bank_transfer',
     *     destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}},
     *     beneficiary?: string,
     *     quote?: string,
     *     description?: string,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `amount`: What leaves the wallet, in minor units; the fee comes out of it.
     *   `currency`: The wallet to pay from.
     *   `method`: By what means. Needed with `destination`.
     *   `destination`: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
     *   `beneficiary`: One of your beneficiaries, in place of `destination`: its own is copied.
     *   `quote`: A quote for the same payout: its fee and rate hold until it expires. It prices one payout.
     *   `description`: Only your team sees it.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Payout
    {
        return $this->client->call(Operations::of('createPayout'), [], [], $body, $options);
    }

    /**
     * List payouts.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'pending'|'processing'|'completed'|'failed'|'canceled'|'returned',
     *     currency?: 'ngn'|'usd',
     *     method?: 'crypto'|'bank_transfer',
     *     approval?: 'waiting'|'approved'|'refused',
     *     beneficiary?: string,
     *     from?: string,
     *     to?: string,
     *     amount?: int,
     *     reference?: string,
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     *   `currency`: Only from this wallet.
     *   `method`: Only this means.
     *   `approval`: Only those that wait for a second person, or that one has approved or refused.
     *   `beneficiary`: Only those that were made for this beneficiary.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match. So does the account number or address that they go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Payout>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayouts'), [], $query, null, $options);
    }

    /**
     * Export payouts as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     status?: 'pending'|'processing'|'completed'|'failed'|'canceled'|'returned',
     *     currency?: 'ngn'|'usd',
     *     method?: 'crypto'|'bank_transfer',
     *     approval?: 'waiting'|'approved'|'refused',
     *     beneficiary?: string,
     *     from?: string,
     *     to?: string,
     *     amount?: int,
     *     reference?: string,
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `status`: Only this status.
     *   `currency`: Only from this wallet.
     *   `method`: Only this means.
     *   `approval`: Only those that wait for a second person, or that one has approved or refused.
     *   `beneficiary`: Only those that were made for this beneficiary.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match. So does the account number or address that they go to, or the amount in major units, among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportPayouts'), [], $query, null, $options);
    }

    /**
     * Get a payout by its reference.
     *
     * By your own id. After a lost answer, ask this before you create the payout again.
     *
     * @param string $reference Your reference of the payout.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $reference, array $options = []): Payout
    {
        return $this->client->call(Operations::of('getPayout'), [$reference], [], null, $options);
    }

    /**
     * Cancel a pending payout.
     *
     * Possible until the rail is asked. The amount is available again.
     *
     * @param string $reference Your reference of the payout.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function cancel(string $reference, array $options = []): Payout
    {
        return $this->client->call(Operations::of('cancelPayout'), [$reference], [], null, $options);
    }

    /**
     * Approve or refuse payouts.
     *
     * Up to 100 that wait for a second person, each as if it came alone: `skipped` has those that stay as they were. Needs the scope `approve`.
     *
     * @param array{
     *     decision: 'approve'|'refuse',
     *     references: list<string>,
     * } $body
     *   `decision`: What becomes of them.
     *   `references`: The payouts, by your references: up to 100.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function decide(array $body, array $options = []): PayoutDecisions
    {
        return $this->client->call(Operations::of('decidePayouts'), [], [], $body, $options);
    }

    /**
     * Approve a payout that waits.
     *
     * It goes to its rail, at the price it was made at. Needs the scope `approve`; who made the payout, or made the key that did, cannot.
     *
     * @param string $reference Your reference of the payout.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function approve(string $reference, array $options = []): Payout
    {
        return $this->client->call(Operations::of('approvePayout'), [$reference], [], null, $options);
    }

    /**
     * Refuse a payout that waits.
     *
     * It is canceled, and its amount is available again. Needs the scope `approve`.
     *
     * @param string $reference Your reference of the payout.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function refuse(string $reference, array $options = []): Payout
    {
        return $this->client->call(Operations::of('refusePayout'), [$reference], [], null, $options);
    }

    /**
     * End a test payout.
     *
     * As if the rail had said so. `returned` is for a payout that is completed: the money comes back.
     *
     * @param string $reference Your reference of the payout.
     * @param array{
     *     outcome: 'completed'|'failed'|'returned',
     *     failure_reason?: 'invalid_account'|'name_mismatch'|'bank_unavailable'|'limit_exceeded'|'rejected'|'network_error'|'unknown',
     * } $body
     *   `outcome`: The outcome to simulate.
     *   `failure_reason`: Why it fails, or comes back. Default `unknown`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulate(string $reference, array $body, array $options = []): Payout
    {
        return $this->client->call(Operations::of('simulatePayout'), [$reference], [], $body, $options);
    }
}
