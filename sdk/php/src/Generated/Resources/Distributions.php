<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Distribution;
use Bursar\Records\DistributionPreview;
use Bursar\Records\DistributionSettlement;

final class Distributions
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Make a distribution.
     *
     * Name it on products: what is paid for them by invoice is shared. To name destinations needs the scope `manage` beside `collect`.
     *
     * @param array{
     *     name: string,
     *     currency: 'usd'|'ngn'|'eur',
     *     shares: list<array{id?: string, name: string, destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}}|null, percentage_bps: int}|array{id?: string, name: string, destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}}|null, flat_amount: int}>,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: Only your team sees it.
     *   `currency`: The currency of the products it is for.
     *   `shares`: The shares; their percentages sum to at most 10000. The rest stays with the business.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Distribution
    {
        return $this->client->call(Operations::of('createDistribution'), [], [], $body, $options);
    }

    /**
     * List distributions.
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
     *   `active`: Only those that are, or are not.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Distribution>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listDistributions'), [], $query, null, $options);
    }

    /**
     * Export distributions as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     active?: bool,
     *     currency?: 'usd'|'ngn'|'eur',
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `active`: Only those that are, or are not.
     *   `currency`: Only this currency.
     *   `search`: Only those with this in their `name`, or as their `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportDistributions'), [], $query, null, $options);
    }

    /**
     * Get a distribution.
     *
     * With what each share holds now, and what was paid out of it.
     *
     * @param string $id The distribution.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Distribution
    {
        return $this->client->call(Operations::of('getDistribution'), [$id], [], null, $options);
    }

    /**
     * Change a distribution.
     *
     * Only what is given changes; `shares` as a whole. What is shared already stays with its share. To change where one is paid needs the scope `manage` beside `collect`, and is in the audit log; the new destination cools off as a beneficiary does.
     *
     * @param string $id The distribution.
     * @param array{
     *     name?: string,
     *     shares?: list<array{id?: string, name: string, destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}}|null, percentage_bps: int}|array{id?: string, name: string, destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}}|null, flat_amount: int}>,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: Only your team sees it.
     *   `shares`: The shares; their percentages sum to at most 10000. The rest stays with the business.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Distribution
    {
        return $this->client->call(Operations::of('updateDistribution'), [$id], [], $body, $options);
    }

    /**
     * Turn a distribution on.
     *
     * What is paid from now on for products that name it is split.
     *
     * @param string $id The distribution.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function activate(string $id, array $options = []): Distribution
    {
        return $this->client->call(Operations::of('activateDistribution'), [$id], [], null, $options);
    }

    /**
     * Turn a distribution off.
     *
     * It splits nothing then, and no product can name it.
     *
     * @param string $id The distribution.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function deactivate(string $id, array $options = []): Distribution
    {
        return $this->client->call(Operations::of('deactivateDistribution'), [$id], [], null, $options);
    }

    /**
     * See how an amount would be split.
     *
     * By the very function that splits what is paid.
     *
     * @param string $id The distribution.
     * @param array{
     *     amount: int,
     *     quantity?: int,
     * } $body
     *   `amount`: What a line comes to, in minor units.
     *   `quantity`: Units sold. Default 1.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function preview(string $id, array $body, array $options = []): DistributionPreview
    {
        return $this->client->call(Operations::of('previewDistribution'), [$id], [], $body, $options);
    }

    /**
     * Pay out what the shares hold.
     *
     * By ordinary payouts. One that fails brings the money back to its share. A share whose destination cools off is skipped, and keeps what it holds.
     *
     * @param string $id The distribution.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function settle(string $id, array $options = []): DistributionSettlement
    {
        return $this->client->call(Operations::of('settleDistribution'), [$id], [], null, $options);
    }
}
