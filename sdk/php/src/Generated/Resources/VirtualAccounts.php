<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Transaction;
use Bursar\Records\VirtualAccount;

final class VirtualAccounts
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Open a virtual account.
     *
     * A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires. With a live key the bank may take its time: then the account is `pending`, without a number, until `virtual_account.activated` or `virtual_account.failed`.
     *
     * @param array{
     *     customer?: string,
     *     currency: 'ngn'|'usd',
     *     kind?: 'static'|'dynamic',
     *     amount?: int,
     *     expires_at?: string,
     *     account_name?: string,
     *     reference?: string,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `customer`: Whose account it is. Required when `static`.
     *   `currency`: What it receives, and which wallet is credited.
     *   `kind`: `static`: for good; `dynamic`: for one amount. Default `static`.
     *   `amount`: Dynamic: the one amount it is for, in minor units. Required then.
     *   `expires_at`: Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead.
     *   `account_name`: The holder that payers are shown. Default: the customer’s name, or the business’s.
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): VirtualAccount
    {
        return $this->client->call(Operations::of('createVirtualAccount'), [], [], $body, $options);
    }

    /**
     * List virtual accounts.
     *
     * Newest first. One-time accounts of payments are among them.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     customer?: string,
     *     currency?: 'ngn'|'usd',
     *     status?: 'pending'|'active'|'failed'|'closed'|'expired',
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `customer`: Only this customer’s.
     *   `currency`: Only this currency.
     *   `status`: Only this status.
     *   `search`: Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the last four digits of the number also match.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<VirtualAccount>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listVirtualAccounts'), [], $query, null, $options);
    }

    /**
     * Export virtual accounts as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     customer?: string,
     *     currency?: 'ngn'|'usd',
     *     status?: 'pending'|'active'|'failed'|'closed'|'expired',
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `customer`: Only this customer’s.
     *   `currency`: Only this currency.
     *   `status`: Only this status.
     *   `search`: Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the last four digits of the number also match.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportVirtualAccounts'), [], $query, null, $options);
    }

    /**
     * Get a virtual account.
     *
     * As it stands now: its number, bank and status.
     *
     * @param string $id The virtual account.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): VirtualAccount
    {
        return $this->client->call(Operations::of('getVirtualAccount'), [$id], [], null, $options);
    }

    /**
     * Close a virtual account.
     *
     * Money that still comes is booked, and marked late.
     *
     * @param string $id The virtual account.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function close(string $id, array $options = []): VirtualAccount
    {
        return $this->client->call(Operations::of('closeVirtualAccount'), [$id], [], null, $options);
    }

    /**
     * Have test money arrive.
     *
     * Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives the same one.
     *
     * @param string $id The virtual account.
     * @param array{
     *     amount?: int,
     *     sender?: array{account_name?: string, account_number?: string, bank_name?: string, bank_code?: string},
     *     notice?: string,
     * } $body
     *   `amount`: How much, in minor units. A dynamic account knows its amount; a static one needs it.
     *   `sender`: Who sends the money. Left out, the bank does not tell.
     *   `notice`: The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it is a 409. Default: a new one.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulateDeposit(string $id, array $body = [], array $options = []): Transaction
    {
        return $this->client->call(Operations::of('simulateVirtualAccountDeposit'), [$id], [], $body, $options);
    }
}
