<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Dispute;
use Bursar\Records\Payment;

final class Payments
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Open a payment.
     *
     * Send the payer to its `checkout_url`.
     *
     * @param array{
     *     reference?: string,
     *     amount: int,
     *     currency: 'ngn'|'usd',
     *     customer?: string,
     *     email?: string,
     *     description?: string,
     *     methods?: list<'card'|'bank_transfer'|'crypto'>,
     *     redirect_url?: string,
     *     cancel_url?: string,
     *     expires_at?: string,
     *     fee_bearer?: 'business'|'customer',
     *     on_mismatch?: 'accept'|'reverse',
     *     metadata?: array<string, mixed>,
     * } $body
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `amount`: What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top.
     *   `currency`: The currency, and the wallet that is credited.
     *   `customer`: The customer who pays.
     *   `email`: The payer’s email address.
     *   `description`: What it is for; the payer sees it.
     *   `methods`: How it may be paid. Default: every way.
     *   `redirect_url`: Where the payer is sent afterwards, with `reference` and `status` appended. https, or http on localhost.
     *   `cancel_url`: Where a payer who gives up is sent, with `reference` and `status` appended. https, or http on localhost.
     *   `expires_at`: Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead.
     *   `fee_bearer`: Who bears the fee. `customer`: the payer pays it on top. Default `business`.
     *   `on_mismatch`: What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Payment
    {
        return $this->client->call(Operations::of('createPayment'), [], [], $body, $options);
    }

    /**
     * List payments.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'pending'|'completed'|'failed'|'expired'|'canceled',
     *     currency?: 'ngn'|'usd',
     *     method?: 'card'|'bank_transfer'|'crypto',
     *     customer?: string,
     *     variance?: 'underpaid'|'overpaid'|'late',
     *     refunded?: bool,
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
     *   `status`: Only this status.
     *   `currency`: Only this currency.
     *   `method`: Only what was paid this way.
     *   `customer`: Only this customer’s.
     *   `variance`: Only those for which too little or too much came, or too late.
     *   `refunded`: `true`: only those of which something was given back.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units.
     *   `email`: Only payments of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000` or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the card also match.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Payment>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayments'), [], $query, null, $options);
    }

    /**
     * Export payments as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     status?: 'pending'|'completed'|'failed'|'expired'|'canceled',
     *     currency?: 'ngn'|'usd',
     *     method?: 'card'|'bank_transfer'|'crypto',
     *     customer?: string,
     *     variance?: 'underpaid'|'overpaid'|'late',
     *     refunded?: bool,
     *     from?: string,
     *     to?: string,
     *     amount?: int,
     *     email?: string,
     *     reference?: string,
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `status`: Only this status.
     *   `currency`: Only this currency.
     *   `method`: Only what was paid this way.
     *   `customer`: Only this customer’s.
     *   `variance`: Only those for which too little or too much came, or too late.
     *   `refunded`: `true`: only those of which something was given back.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `amount`: Only of exactly this amount, in minor units.
     *   `email`: Only payments of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000` or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the card also match.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportPayments'), [], $query, null, $options);
    }

    /**
     * Get a payment.
     *
     * As it stands now. Ask this when the payer comes back to your page.
     *
     * @param string $id The payment.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Payment
    {
        return $this->client->call(Operations::of('getPayment'), [$id], [], null, $options);
    }

    /**
     * Get a payment by its reference.
     *
     * By your own id, which you need not store ours for.
     *
     * @param string $reference The payment’s reference.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getByReference(string $reference, array $options = []): Payment
    {
        return $this->client->call(Operations::of('getPaymentByReference'), [$reference], [], null, $options);
    }

    /**
     * Cancel a pending payment.
     *
     * Money that still comes is booked, and marked late.
     *
     * @param string $id The payment.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function cancel(string $id, array $options = []): Payment
    {
        return $this->client->call(Operations::of('cancelPayment'), [$id], [], null, $options);
    }

    /**
     * Have something happen to a test payment.
     *
     * As if the payer did it, by the same steps: `underpaid` and `overpaid` are for transfers; `failed` is a decline for good.
     *
     * @param string $id The payment.
     * @param array{
     *     outcome: 'completed'|'underpaid'|'overpaid'|'failed'|'expired',
     *     method?: 'card'|'bank_transfer'|'crypto',
     * } $body
     *   `outcome`: What happens.
     *   `method`: How it is paid. Default: the first of its methods.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulate(string $id, array $body, array $options = []): Payment
    {
        return $this->client->call(Operations::of('simulatePayment'), [$id], [], $body, $options);
    }

    /**
     * Open a test dispute.
     *
     * As if the payer’s bank took the money of a test payment back.
     *
     * @param string $id The payment.
     * @param array{
     *     amount?: int,
     *     reason?: string,
     * } $body
     *   `amount`: How much the payer’s bank takes back, in minor units. Default: all that is left.
     *   `reason`: Why; as a provider would say it.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulateDispute(string $id, array $body = [], array $options = []): Dispute
    {
        return $this->client->call(Operations::of('simulateDispute'), [$id], [], $body, $options);
    }
}
