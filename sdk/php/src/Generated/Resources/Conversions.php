<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Conversion;
use Bursar\Records\ConversionQuote;

final class Conversions
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Quote a conversion.
     *
     * What it would cost and give, held for five minutes. Nothing moves.
     *
     * @param array{
     *     amount: int,
     *     currency: 'ngn'|'usd',
     *     destination_currency: 'ngn'|'usd',
     * } $body
     *   `amount`: What leaves the wallet, fee included, in minor units.
     *   `currency`: The wallet that it leaves.
     *   `destination_currency`: The wallet that it comes into.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function quote(array $body, array $options = []): ConversionQuote
    {
        return $this->client->call(Operations::of('quoteConversion'), [], [], $body, $options);
    }

    /**
     * Convert money.
     *
     * From one of your wallets into the other, at once, at the rate and fee of a quote. A quote makes one conversion.
     *
     * @param array{
     *     quote: string,
     *     reference?: string,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `quote`: The quote: what is converted, and at which rate. It makes one conversion.
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Conversion
    {
        return $this->client->call(Operations::of('createConversion'), [], [], $body, $options);
    }

    /**
     * List conversions.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     currency?: 'ngn'|'usd',
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `currency`: Only out of this wallet.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Conversion>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listConversions'), [], $query, null, $options);
    }

    /**
     * Export conversions as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     currency?: 'ngn'|'usd',
     *     from?: string,
     *     to?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `currency`: Only out of this wallet.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportConversions'), [], $query, null, $options);
    }

    /**
     * Get a conversion.
     *
     * One that was made; nothing of it changes any more.
     *
     * @param string $id The conversion.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Conversion
    {
        return $this->client->call(Operations::of('getConversion'), [$id], [], null, $options);
    }
}
