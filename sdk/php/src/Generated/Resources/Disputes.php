<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Dispute;

final class Disputes
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List disputes.
     *
     * Newest first. The operator of the installation answers them at the provider.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     payment?: string,
     *     status?: 'open'|'won'|'lost',
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Dispute>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listDisputes'), [], $query, null, $options);
    }

    /**
     * Export disputes as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     payment?: string,
     *     status?: 'open'|'won'|'lost',
     *     from?: string,
     *     to?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportDisputes'), [], $query, null, $options);
    }

    /**
     * Get a dispute.
     *
     * As it stands now: `open` until its provider has decided it.
     *
     * @param string $id The dispute.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Dispute
    {
        return $this->client->call(Operations::of('getDispute'), [$id], [], null, $options);
    }

    /**
     * Decide a test dispute.
     *
     * As if its provider had decided it.
     *
     * @param string $id The dispute.
     * @param array{
     *     outcome: 'won'|'lost',
     * } $body
     *   `outcome`: How it is decided.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulate(string $id, array $body, array $options = []): Dispute
    {
        return $this->client->call(Operations::of('simulateDisputeEnd'), [$id], [], $body, $options);
    }
}
