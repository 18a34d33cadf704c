<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Collection;
use Bursar\Records\Payment;

final class Collections
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Make a reusable checkout link.
     *
     * Share its `checkout_url`: each use makes a payment.
     *
     * @param array{
     *     name: string,
     *     description?: string|null,
     *     currency: 'ngn'|'usd',
     *     amount?: int|null,
     *     min_amount?: int|null,
     *     max_amount?: int|null,
     *     redirect_url?: string|null,
     *     max_payments?: int|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: What payers see as its title.
     *   `description`: What it is for; payers see it.
     *   `currency`: The currency, and the wallet that is credited.
     *   `amount`: What each payer pays, in minor units. Null: the payer chooses.
     *   `min_amount`: The least a payer may choose.
     *   `max_amount`: The most a payer may choose.
     *   `redirect_url`: Where payers are sent afterwards: https, or http on localhost.
     *   `max_payments`: Maximum number of payments. Null: no limit.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Collection
    {
        return $this->client->call(Operations::of('createCollection'), [], [], $body, $options);
    }

    /**
     * List collections.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     active?: bool,
     *     currency?: 'ngn'|'usd',
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `active`: Only those that can be used, or cannot.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Collection>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCollections'), [], $query, null, $options);
    }

    /**
     * Export collections as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     active?: bool,
     *     currency?: 'ngn'|'usd',
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `active`: Only those that can be used, or cannot.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportCollections'), [], $query, null, $options);
    }

    /**
     * Get a collection.
     *
     * With what its payments have brought in so far.
     *
     * @param string $id The collection.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Collection
    {
        return $this->client->call(Operations::of('getCollection'), [$id], [], null, $options);
    }

    /**
     * Change a collection.
     *
     * Only what is given changes. Payments that payers have opened stay as they are.
     *
     * @param string $id The collection.
     * @param array{
     *     name?: string,
     *     description?: string|null,
     *     active?: bool,
     *     amount?: int|null,
     *     min_amount?: int|null,
     *     max_amount?: int|null,
     *     redirect_url?: string|null,
     *     max_payments?: int|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: What payers see as its title.
     *   `description`: What it is for; payers see it.
     *   `active`: Whether it can be used.
     *   `amount`: What each payer pays, in minor units. Null: the payer chooses.
     *   `min_amount`: The least a payer may choose.
     *   `max_amount`: The most a payer may choose.
     *   `redirect_url`: Where payers are sent afterwards: https, or http on localhost.
     *   `max_payments`: Maximum number of payments. Null: no limit.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Collection
    {
        return $this->client->call(Operations::of('updateCollection'), [$id], [], $body, $options);
    }

    /**
     * Cancel a collection.
     *
     * For good. Payers who have started to pay can finish.
     *
     * @param string $id The collection.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function cancel(string $id, array $options = []): Collection
    {
        return $this->client->call(Operations::of('cancelCollection'), [$id], [], null, $options);
    }

    /**
     * List the payments of a collection.
     *
     * Newest first.
     *
     * @param string $id The collection.
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Payment>
     */
    public function listPayments(string $id, array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCollectionPayments'), [$id], $query, null, $options);
    }
}
