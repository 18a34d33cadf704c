<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\PayoutBatch;
use Bursar\Records\PayoutBatchLine;

final class PayoutBatches
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Make payouts in a batch.
     *
     * Up to 10,000, checked before any is made: a line that cannot be paid stops the batch, or is left out with `skip_bad`. They are ordinary payouts, made by and by: `GET /payout-batches/{id}` says how far it is. With `dry_run` it is a draft, which names each bad line and waits to be confirmed.
     *
     * @param array{
     *     reference: string,
     *     currency: 'ngn'|'usd',
     *     lines: list<array{reference?: string, amount: int, method?: 'crypto'|'bank_transfer', destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}}, beneficiary?: string, description?: string, metadata?: array<string, mixed>, row?: int}>,
     *     description?: string,
     *     metadata?: array<string, mixed>,
     *     dry_run?: bool,
     *     skip_bad?: bool,
     * } $body
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `currency`: The wallet to pay from.
     *   `lines`: The payouts: up to 10,000.
     *   `description`: Only your team sees it.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     *   `dry_run`: Keep it as a `draft`, which pays nobody before it is confirmed. Default `false`.
     *   `skip_bad`: Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): PayoutBatch
    {
        return $this->client->call(Operations::of('createPayoutBatch'), [], [], $body, $options);
    }

    /**
     * List batches of payouts.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'draft'|'running'|'completed'|'canceled',
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<PayoutBatch>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayoutBatches'), [], $query, null, $options);
    }

    /**
     * Get a batch of payouts.
     *
     * How many lines stand where, and how many of its payouts.
     *
     * @param string $id The batch.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): PayoutBatch
    {
        return $this->client->call(Operations::of('getPayoutBatch'), [$id], [], null, $options);
    }

    /**
     * List the lines of a batch.
     *
     * In their order: whom each pays, and which payout it has become, or why it has not.
     *
     * @param string $id The batch.
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     status?: 'waiting'|'bad'|'created'|'refused'|'canceled',
     *     failed?: bool,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `status`: Only lines that stand there.
     *   `failed`: Only lines that were refused, or whose payout failed, came back or was canceled.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<PayoutBatchLine>
     */
    public function listLines(string $id, array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayoutBatchLines'), [$id], $query, null, $options);
    }

    /**
     * Export a batch for a bank.
     *
     * The lines that are not paid here, as payment orders of ISO 20022 (`pain.001.001.09`). Cancel a draft first, so that it cannot be confirmed here too.
     *
     * @param string $id The batch.
     * @param array{
     *     debtor_account: string,
     *     debtor_bank?: string,
     * } $query
     *   `debtor_account`: The account that your bank shall pay from: an IBAN, or its number.
     *   `debtor_bank`: Your bank: a BIC, or its code in the clearing.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/xml)
     */
    public function export(string $id, array $query, array $options = []): string
    {
        return $this->client->call(Operations::of('exportPayoutBatch'), [$id], $query, null, $options);
    }

    /**
     * Confirm a draft of a batch.
     *
     * Has its payouts made, by who confirms it.
     *
     * @param string $id The batch.
     * @param array{
     *     skip_bad?: bool,
     * } $body
     *   `skip_bad`: Whether lines that cannot be paid are left out. Otherwise one of them stops the batch. Default `false`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function confirm(string $id, array $body = [], array $options = []): PayoutBatch
    {
        return $this->client->call(Operations::of('confirmPayoutBatch'), [$id], [], $body, $options);
    }

    /**
     * Pay again what failed of a batch.
     *
     * Makes a draft of the lines that were refused, or whose payout failed, came back or was not approved in time. It pays nobody before you confirm it. A line is in one such batch at a time.
     *
     * @param string $id The batch.
     * @param array{
     *     reference: string,
     *     lines?: list<int>,
     * } $body
     *   `reference`: The reference of the new batch.
     *   `lines`: Only these lines. Default: all that failed.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function retry(string $id, array $body, array $options = []): PayoutBatch
    {
        return $this->client->call(Operations::of('retryPayoutBatch'), [$id], [], $body, $options);
    }

    /**
     * Cancel remaining lines of a batch.
     *
     * No more payouts are made of it. Those that were made stay, and can be canceled each while it is pending.
     *
     * @param string $id The batch.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function cancel(string $id, array $options = []): PayoutBatch
    {
        return $this->client->call(Operations::of('cancelPayoutBatch'), [$id], [], null, $options);
    }
}
