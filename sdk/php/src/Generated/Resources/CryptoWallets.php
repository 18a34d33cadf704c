<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\CryptoDeposit;
use Bursar\Records\CryptoWallet;
use Bursar\Records\Transaction;

final class CryptoWallets
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Have test tokens arrive.
     *
     * Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives the same one.
     *
     * @param string $id The crypto wallet.
     * @param array{
     *     amount: int,
     *     currency: 'usdc'|'usdt',
     *     chain?: string,
     *     sender?: string,
     *     notice?: string,
     * } $body
     *   `amount`: How much, in cents of the token.
     *   `currency`: The token.
     *   `chain`: A network id of GET /crypto/tokens. Default: `base`.
     *   `sender`: The address it comes from. Default: an address without an owner.
     *   `notice`: An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulateDeposit(string $id, array $body, array $options = []): Transaction
    {
        return $this->client->call(Operations::of('simulateCryptoWalletDeposit'), [$id], [], $body, $options);
    }

    /**
     * List what was sent to a crypto wallet on chains.
     *
     * Newest first, from the moment a block holds it. Simulated deposits are transactions only.
     *
     * @param string $id The crypto wallet.
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'pending'|'held'|'credited'|'dropped',
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<CryptoDeposit>
     */
    public function listDeposits(string $id, array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCryptoWalletDeposits'), [$id], $query, null, $options);
    }

    /**
     * Open a crypto wallet.
     *
     * One address for every network and token. What arrives credits the `usd` wallet.
     *
     * @param array{
     *     customer?: string,
     *     label?: string,
     *     reference?: string,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `customer`: Whose wallet it is.
     *   `label`: A name for your own use.
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body = [], array $options = []): CryptoWallet
    {
        return $this->client->call(Operations::of('createCryptoWallet'), [], [], $body, $options);
    }

    /**
     * List crypto wallets.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     customer?: string,
     *     status?: 'active'|'closed',
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `customer`: Only this customer’s.
     *   `status`: Only this status.
     *   `search`: Only those with this in their `label`, `reference` or address, or as their `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<CryptoWallet>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCryptoWallets'), [], $query, null, $options);
    }

    /**
     * Export crypto wallets as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     customer?: string,
     *     status?: 'active'|'closed',
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `customer`: Only this customer’s.
     *   `status`: Only this status.
     *   `search`: Only those with this in their `label`, `reference` or address, or as their `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportCryptoWallets'), [], $query, null, $options);
    }

    /**
     * Get a crypto wallet.
     *
     * Its address, and the networks it receives on.
     *
     * @param string $id The crypto wallet.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): CryptoWallet
    {
        return $this->client->call(Operations::of('getCryptoWallet'), [$id], [], null, $options);
    }

    /**
     * Close a crypto wallet.
     *
     * What still comes to its address is booked, and marked late.
     *
     * @param string $id The crypto wallet.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function close(string $id, array $options = []): CryptoWallet
    {
        return $this->client->call(Operations::of('closeCryptoWallet'), [$id], [], null, $options);
    }
}
