<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\CreditNote;

final class CreditNotes
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List credit notes.
     *
     * Newest first: one for each refund of a paid invoice that was completed.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     invoice?: string,
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `invoice`: Only those of this invoice.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<CreditNote>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCreditNotes'), [], $query, null, $options);
    }

    /**
     * Export credit notes as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone. With `by_tax_rate`, a row for each tax rate.
     *
     * @param array{
     *     invoice?: string,
     *     from?: string,
     *     to?: string,
     *     spreadsheet?: bool,
     *     by_tax_rate?: bool,
     * } $query
     *   `invoice`: Only those of this invoice.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     *   `by_tax_rate`: Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportCreditNotes'), [], $query, null, $options);
    }

    /**
     * Get a credit note.
     *
     * What of a paid invoice was given back by a refund.
     *
     * @param string $id The credit note.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): CreditNote
    {
        return $this->client->call(Operations::of('getCreditNote'), [$id], [], null, $options);
    }

    /**
     * Mail a credit note.
     *
     * To the customer’s address of today, with its PDF; ten times a day to one recipient. Test mode captures it as it does invoices.
     *
     * @param string $id The credit note.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function send(string $id, array $options = []): CreditNote
    {
        return $this->client->call(Operations::of('sendCreditNote'), [$id], [], null, $options);
    }

    /**
     * Get a credit note as a PDF.
     *
     * Also one that is void: it says so.
     *
     * @param string $id The credit note.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (application/pdf)
     */
    public function getPdf(string $id, array $options = []): string
    {
        return $this->client->call(Operations::of('getCreditNotePdf'), [$id], [], null, $options);
    }
}
