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
}
