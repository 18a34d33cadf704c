<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Statement;

final class Statements
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Get the statement of a month.
     *
     * What each wallet held when the month began, what came, left and was paid in fees, and what it held when the month ended, as the ledger has it. The month is one of your business’s time zone.
     *
     * @param string $month Such as 2026-11.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $month, array $options = []): Statement
    {
        return $this->client->call(Operations::of('getStatement'), [$month], [], null, $options);
    }

    /**
     * Get a statement as CSV.
     *
     * A line for each sum, in major units and in minor ones. The single movements are in the export of transactions, by `completed_from` and `completed_to`: opening and their `balance_change` come to closing.
     *
     * @param string $month Such as 2026-11.
     * @param array{
     *     spreadsheet?: bool,
     * } $query
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function getCsv(string $month, array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('getStatementCsv'), [$month], $query, null, $options);
    }

    /**
     * Get a statement as a PDF.
     *
     * The same for people.
     *
     * @param string $month Such as 2026-11.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (application/pdf)
     */
    public function getPdf(string $month, array $options = []): string
    {
        return $this->client->call(Operations::of('getStatementPdf'), [$month], [], null, $options);
    }
}
