<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Refund;

final class Refunds
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Refund a payment.
     *
     * In whole or in part. The amount is held at once; one refund at a time a payment. To a `destination` that the money did not come from it goes by a payout, which limits, approval, beneficiaries and screening hold for as for any, and needs the scope `refund_elsewhere`.
     *
     * @param array{
     *     payment: string,
     *     amount?: int,
     *     reason?: string,
     *     reference?: string,
     *     transaction?: string,
     *     destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}},
     *     metadata?: array<string, mixed>,
     * } $body
     *   `payment`: The payment.
     *   `amount`: How much, in minor units. Default: all that is left of the money that goes back this way.
     *   `reason`: Why; for your own eyes.
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `transaction`: Of several that the payment received, the one whose money goes back. Default: where the latest came from.
     *   `destination`: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Refund
    {
        return $this->client->call(Operations::of('createRefund'), [], [], $body, $options);
    }

    /**
     * List refunds.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     payment?: string,
     *     status?: 'initiated'|'completed'|'failed',
     *     from?: string,
     *     to?: string,
     *     amount?: int,
     *     email?: string,
     *     reference?: string,
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units.
     *   `email`: Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Refund>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listRefunds'), [], $query, null, $options);
    }

    /**
     * Export refunds as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     payment?: string,
     *     status?: 'initiated'|'completed'|'failed',
     *     from?: string,
     *     to?: string,
     *     amount?: int,
     *     email?: string,
     *     reference?: string,
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units.
     *   `email`: Only refunds of payments of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportRefunds'), [], $query, null, $options);
    }

    /**
     * Get a refund.
     *
     * As it stands now: `initiated` until the rail says how it ended.
     *
     * @param string $id The refund.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Refund
    {
        return $this->client->call(Operations::of('getRefund'), [$id], [], null, $options);
    }

    /**
     * End a test refund.
     *
     * As if the rail had said so. `returned` is for a refund that is completed: its rail takes that back, and it is `failed`.
     *
     * @param string $id The refund.
     * @param array{
     *     outcome: 'completed'|'failed'|'returned',
     * } $body
     *   `outcome`: The outcome to simulate.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulate(string $id, array $body, array $options = []): Refund
    {
        return $this->client->call(Operations::of('simulateRefund'), [$id], [], $body, $options);
    }
}
