<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\FeesReport;
use Bursar\Records\PayoutReport;
use Bursar\Records\SettlementReport;

final class Reports
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Get what became of payouts.
     *
     * Those that were made in a period, by wallet, status, reason and means: how many, what was charged and what was sent. One by one they are in `GET /payouts/export`.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     * } $query
     *   `from`: A time, or a day of your time zone. Default: the first of this month.
     *   `to`: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getPayouts(array $query = [], array $options = []): PayoutReport
    {
        return $this->client->call(Operations::of('getPayoutReport'), [], $query, null, $options);
    }

    /**
     * Get what was paid in fees.
     *
     * By day or month of your business’s time zone, wallet, what it was charged for, and means, as the ledger has it; a fee counts when it was taken. The totals are those of the statements.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     *     by?: 'day'|'month',
     * } $query
     *   `from`: A time, or a day of your time zone. Default: the first of this month.
     *   `to`: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
     *   `by`: What a line is of.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getFees(array $query = [], array $options = []): FeesReport
    {
        return $this->client->call(Operations::of('getFeesReport'), [], $query, null, $options);
    }

    /**
     * Get the fees report as CSV.
     *
     * A line for each of its lines.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     *     by?: 'day'|'month',
     *     spreadsheet?: bool,
     * } $query
     *   `from`: A time, or a day of your time zone. Default: the first of this month.
     *   `to`: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
     *   `by`: What a line is of.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function getFeesCsv(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('getFeesReportCsv'), [], $query, null, $options);
    }

    /**
     * Get what came from payers.
     *
     * Payments and deposits by day or month of your business’s time zone, wallet and means: what was paid, the fees kept of it, and what reached the wallet. The totals are those of the statements.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     *     by?: 'day'|'month',
     * } $query
     *   `from`: A time, or a day of your time zone. Default: the first of this month.
     *   `to`: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
     *   `by`: What a line is of.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getSettlements(array $query = [], array $options = []): SettlementReport
    {
        return $this->client->call(Operations::of('getSettlementReport'), [], $query, null, $options);
    }

    /**
     * Get the settlement report as CSV.
     *
     * A line for each of its lines.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     *     by?: 'day'|'month',
     *     spreadsheet?: bool,
     * } $query
     *   `from`: A time, or a day of your time zone. Default: the first of this month.
     *   `to`: Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.
     *   `by`: What a line is of.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function getSettlementsCsv(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('getSettlementReportCsv'), [], $query, null, $options);
    }
}
