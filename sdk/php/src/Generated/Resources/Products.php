<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Product;

final class Products
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Add a product.
     *
     * Something that lines of invoices name.
     *
     * @param array{
     *     name: string,
     *     amount: int,
     *     currency: 'usd'|'ngn'|'eur',
     *     description?: string|null,
     *     distribution?: string|null,
     *     tax_rate_bps?: int|null,
     *     tax_inclusive?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: Shown on invoices.
     *   `amount`: The price of one, in minor units.
     *   `currency`: The currency of the price; `eur` is collected in usd.
     *   `description`: Only your team sees it.
     *   `distribution`: How what is paid for it is shared. Null: not at all.
     *   `tax_rate_bps`: The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing.
     *   `tax_inclusive`: Whether the price has the tax in it. Else, and unless it says, it comes on top.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Product
    {
        return $this->client->call(Operations::of('createProduct'), [], [], $body, $options);
    }

    /**
     * List products.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     active?: bool,
     *     currency?: 'usd'|'ngn'|'eur',
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `active`: Only those that are active, or archived.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Product>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listProducts'), [], $query, null, $options);
    }

    /**
     * Export products as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     active?: bool,
     *     currency?: 'usd'|'ngn'|'eur',
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `active`: Only those that are active, or archived.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportProducts'), [], $query, null, $options);
    }

    /**
     * Get a product.
     *
     * Also one that is archived.
     *
     * @param string $id The product.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Product
    {
        return $this->client->call(Operations::of('getProduct'), [$id], [], null, $options);
    }

    /**
     * Change a product.
     *
     * Only what is given changes. Lines of invoices stay as they are.
     *
     * @param string $id The product.
     * @param array{
     *     name?: string,
     *     amount?: int,
     *     description?: string|null,
     *     distribution?: string|null,
     *     tax_rate_bps?: int|null,
     *     tax_inclusive?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: Shown on invoices.
     *   `amount`: The price of one, in minor units.
     *   `description`: Only your team sees it.
     *   `distribution`: How what is paid for it is shared. Null: not at all.
     *   `tax_rate_bps`: The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing.
     *   `tax_inclusive`: Whether the price has the tax in it. Else, and unless it says, it comes on top.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Product
    {
        return $this->client->call(Operations::of('updateProduct'), [$id], [], $body, $options);
    }

    /**
     * Archive a product.
     *
     * New lines cannot name it; lines that do stay.
     *
     * @param string $id The product.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function archive(string $id, array $options = []): Product
    {
        return $this->client->call(Operations::of('archiveProduct'), [$id], [], null, $options);
    }

    /**
     * Bring a product back.
     *
     * New lines can name it again.
     *
     * @param string $id The product.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function unarchive(string $id, array $options = []): Product
    {
        return $this->client->call(Operations::of('unarchiveProduct'), [$id], [], null, $options);
    }
}
