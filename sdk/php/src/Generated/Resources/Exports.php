<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;

final class Exports
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Export a journal for bookkeeping.
     *
     * Double entry from the ledger, for hledger, Ledger or Beancount. Each posting is an entry with its id. The journal starts with opening balances and ends with what the wallets hold, which the program checks.
     *
     * @param array{
     *     format: 'hledger'|'ledger'|'beancount',
     *     from?: string,
     *     to?: string,
     *     accounts?: string,
     * } $query
     *   `format`: The program that reads it.
     *   `from`: A time, or a day of your time zone. Default: the first posting.
     *   `to`: Before a time, or up to the end of a day. Default: now.
     *   `accounts`: Accounts of your own chart, as `role=account` with commas between. Roles: `available` (Assets:Bursar:Available), `pending` (Assets:Bursar:Pending), `shares` (Assets:Bursar:Shares), `payments` (Income:Payments), `refunds` (Income:Refunds), `payouts` (Assets:Clearing:Payouts), `fees` (Expenses:Fees), `disputes` (Expenses:Disputes), `exchange` (Equity:Exchange), `test_funds` (Equity:TestFunds), `opening` (Equity:Opening).
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/plain)
     */
    public function journal(array $query, array $options = []): string
    {
        return $this->client->call(Operations::of('exportJournal'), [], $query, null, $options);
    }

    /**
     * Export a bank statement of a wallet.
     *
     * The days of a wallet as a bank would report them, for accounting and treasury programs: booked balances before and after, and an entry for each movement with its bank transaction code. Each statement opens with what the one before closed with. Opening and entries come to the closing balance.
     *
     * @param array{
     *     currency: 'ngn'|'usd',
     *     format: 'camt.053.001.08'|'camt.053.001.02'|'mt940',
     *     from?: string,
     *     to?: string,
     * } $query
     *   `currency`: The wallet. Stablecoins have none: they are credited to the `usd` wallet, so each statement has a currency of ISO 4217.
     *   `format`: The message of ISO 20022, or of SWIFT.
     *   `from`: The first day, of your time zone. Default: `to`, for the statement of one day.
     *   `to`: The last day, which must be over. Default: yesterday.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/plain)
     */
    public function statement(array $query, array $options = []): string
    {
        return $this->client->call(Operations::of('exportStatement'), [], $query, null, $options);
    }
}
