<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Transaction;
use Bursar\Records\TransactionReceipt;

final class Transactions
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List transactions.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     currency?: 'ngn'|'usd',
     *     direction?: 'credit'|'debit',
     *     method?: 'bank_transfer'|'card'|'crypto'|'wallet',
     *     status?: 'pending'|'completed'|'failed'|'reversed',
     *     type?: 'deposit'|'payment'|'payout'|'payout_return'|'refund'|'dispute'|'fee'|'share'|'conversion'|'simulated_fund',
     *     customer?: string,
     *     from?: string,
     *     to?: string,
     *     completed_from?: string,
     *     completed_to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `currency`: Only this wallet.
     *   `direction`: Only in, or only out.
     *   `method`: Only this means.
     *   `status`: Only this status.
     *   `type`: Only this type.
     *   `customer`: Only this customer’s.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `completed_from`: Completed at or after: a time, or a day of your time zone. Those completed last come first then.
     *   `completed_to`: Completed before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Transaction>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listTransactions'), [], $query, null, $options);
    }

    /**
     * Export transactions as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     currency?: 'ngn'|'usd',
     *     direction?: 'credit'|'debit',
     *     method?: 'bank_transfer'|'card'|'crypto'|'wallet',
     *     status?: 'pending'|'completed'|'failed'|'reversed',
     *     type?: 'deposit'|'payment'|'payout'|'payout_return'|'refund'|'dispute'|'fee'|'share'|'conversion'|'simulated_fund',
     *     customer?: string,
     *     from?: string,
     *     to?: string,
     *     completed_from?: string,
     *     completed_to?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `currency`: Only this wallet.
     *   `direction`: Only in, or only out.
     *   `method`: Only this means.
     *   `status`: Only this status.
     *   `type`: Only this type.
     *   `customer`: Only this customer’s.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `completed_from`: Completed at or after: a time, or a day of your time zone. Those completed last come first then.
     *   `completed_to`: Completed before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportTransactions'), [], $query, null, $options);
    }

    /**
     * Verify a transaction.
     *
     * The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook.
     *
     * @param string $id The transaction.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function verify(string $id, array $options = []): Transaction
    {
        return $this->client->call(Operations::of('verifyTransaction'), [$id], [], null, $options);
    }

    /**
     * Get a signed receipt of a transaction.
     *
     * What the transaction moved, and what proves that the ledger had it so on that day: it can be checked without the server, by `bursar receipt verify` or a few lines of your own (docs/proofs.md). It is there when the day in UTC is over on which its last movement was sealed.
     *
     * @param string $id The transaction.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getReceipt(string $id, array $options = []): TransactionReceipt
    {
        return $this->client->call(Operations::of('getTransactionReceipt'), [$id], [], null, $options);
    }
}
