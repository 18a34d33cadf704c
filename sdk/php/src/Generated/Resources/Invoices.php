<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Invoice;
use Bursar\Records\InvoicePreview;

final class Invoices
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Draft an invoice.
     *
     * Lines copy their products as they are now, but for what they say themselves: name, amount, taxes. A line without a product has a name and an amount.
     *
     * @param array{
     *     customer: string,
     *     lines: list<array{product?: string, name?: string, amount?: int, quantity: int, discount?: int, discount_bps?: int, tax_rate_bps?: int|null, tax_inclusive?: bool}>,
     *     currency?: 'usd'|'ngn'|'eur',
     *     due_date?: string|null,
     *     memo?: string|null,
     *     reminders?: array{days_before?: list<int>, days_after?: list<int>},
     *     metadata?: array<string, mixed>,
     * } $body
     *   `customer`: Who is asked. Fixed for good.
     *   `lines`: What is asked money for; all in one currency.
     *   `currency`: Of lines without a product. Default: that of the products.
     *   `due_date`: When it is due: a day of your time zone, or a time on it.
     *   `memo`: A note to the customer, printed below the lines.
     *   `reminders`: Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('createInvoice'), [], [], $body, $options);
    }

    /**
     * List invoices.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'draft'|'open'|'paid'|'void',
     *     customer?: string,
     *     currency?: 'usd'|'ngn'|'eur',
     *     overdue?: bool,
     *     from?: string,
     *     to?: string,
     *     number?: int,
     *     amount?: int,
     *     email?: string,
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     *   `customer`: Only this customer’s.
     *   `currency`: Only this currency.
     *   `overdue`: `true`: only open ones whose `due_day` is over.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `number`: Only the one of this number.
     *   `amount`: Only of exactly this `total`, in minor units.
     *   `email`: Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`.
     *   `search`: Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those of customers whose name or email address it finds in `GET /customers`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Invoice>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listInvoices'), [], $query, null, $options);
    }

    /**
     * Work out the total of an invoice.
     *
     * With discounts and taxes, by the rules of `POST /invoices`. Nothing is stored.
     *
     * @param array{
     *     lines: list<array{product?: string, name?: string, amount?: int, quantity: int, discount?: int, discount_bps?: int, tax_rate_bps?: int|null, tax_inclusive?: bool}>,
     *     currency?: 'usd'|'ngn'|'eur',
     * } $body
     *   `lines`: What is asked money for; all in one currency.
     *   `currency`: Of lines without a product. Default: that of the products.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function preview(array $body, array $options = []): InvoicePreview
    {
        return $this->client->call(Operations::of('previewInvoice'), [], [], $body, $options);
    }

    /**
     * Export invoices as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone. With `by_tax_rate`, a row for each tax rate.
     *
     * @param array{
     *     status?: 'draft'|'open'|'paid'|'void',
     *     customer?: string,
     *     currency?: 'usd'|'ngn'|'eur',
     *     overdue?: bool,
     *     from?: string,
     *     to?: string,
     *     number?: int,
     *     amount?: int,
     *     email?: string,
     *     search?: string,
     *     spreadsheet?: bool,
     *     by_tax_rate?: bool,
     * } $query
     *   `status`: Only this status.
     *   `customer`: Only this customer’s.
     *   `currency`: Only this currency.
     *   `overdue`: `true`: only open ones whose `due_day` is over.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `number`: Only the one of this number.
     *   `amount`: Only of exactly this `total`, in minor units.
     *   `email`: Only invoices to customers of this email address, whatever its case. Write its `+` as `%2B`.
     *   `search`: Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those of customers whose name or email address it finds in `GET /customers`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     *   `by_tax_rate`: Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportInvoices'), [], $query, null, $options);
    }

    /**
     * Get an invoice.
     *
     * In any state, with its lines.
     *
     * @param string $id The invoice.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('getInvoice'), [$id], [], null, $options);
    }

    /**
     * Change a draft.
     *
     * Only what is given changes; `lines` as a whole, which copy their products anew.
     *
     * @param string $id The invoice.
     * @param array{
     *     lines?: list<array{product?: string, name?: string, amount?: int, quantity: int, discount?: int, discount_bps?: int, tax_rate_bps?: int|null, tax_inclusive?: bool}>,
     *     currency?: 'usd'|'ngn'|'eur',
     *     due_date?: string|null,
     *     memo?: string|null,
     *     reminders?: array{days_before?: list<int>, days_after?: list<int>},
     *     metadata?: array<string, mixed>,
     * } $body
     *   `lines`: What is asked money for; all in one currency.
     *   `currency`: Of lines without a product. Default: that of the products.
     *   `due_date`: When it is due: a day of your time zone, or a time on it.
     *   `memo`: A note to the customer, printed below the lines.
     *   `reminders`: Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Invoice
    {
        return $this->client->call(Operations::of('updateInvoice'), [$id], [], $body, $options);
    }

    /**
     * Delete a draft.
     *
     * What was finalized is voided, not deleted. The answer is the draft as it was last.
     *
     * @param string $id The invoice.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function delete(string $id, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('deleteInvoice'), [$id], [], null, $options);
    }

    /**
     * Finalize an invoice.
     *
     * It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more.
     *
     * @param string $id The invoice.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function finalize(string $id, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('finalizeInvoice'), [$id], [], null, $options);
    }

    /**
     * Void an open invoice.
     *
     * Its payment is canceled. Money that still comes is booked, and marked late.
     *
     * @param string $id The invoice.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function void(string $id, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('voidInvoice'), [$id], [], null, $options);
    }

    /**
     * Mail an open invoice.
     *
     * To the customer’s address of today, with its PDF and the link to its page; ten times a day to one recipient. Test mode captures it, but for what goes to people of your team: `npx bursar mail`.
     *
     * @param string $id The invoice.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function send(string $id, array $options = []): Invoice
    {
        return $this->client->call(Operations::of('sendInvoice'), [$id], [], null, $options);
    }

    /**
     * Get an invoice as a PDF.
     *
     * In any state: what it is stands on it.
     *
     * @param string $id The invoice.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (application/pdf)
     */
    public function getPdf(string $id, array $options = []): string
    {
        return $this->client->call(Operations::of('getInvoicePdf'), [$id], [], null, $options);
    }
}
