<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Wallet;

final class Wallets
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List the wallets.
     *
     * A plain array: one wallet per currency. Both exist from the day the business does.
     *
     * @param array{
     *     currency?: 'ngn'|'usd',
     * } $query
     *   `currency`: Only this one.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return list<Wallet>
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->client->call(Operations::of('listWallets'), [], $query, null, $options);
    }

    /**
     * Put test money into a wallet.
     *
     * At once, and without a fee: a transaction of type `simulated_fund`.
     *
     * @param array{
     *     currency: 'ngn'|'usd',
     *     amount: int,
     * } $body
     *   `currency`: Which wallet to fund.
     *   `amount`: How much, in minor units.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulateFunding(array $body, array $options = []): Wallet
    {
        return $this->client->call(Operations::of('simulateFunding'), [], [], $body, $options);
    }
}
