<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Bank;
use Bursar\Records\ResolvedAccount;

final class Banks
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List the banks of a country.
     *
     * A plain array, by name.
     *
     * @param string $country `ng` or `us`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return list<Bank>
     */
    public function list(string $country, array $options = []): array
    {
        return $this->client->call(Operations::of('listBanks'), [$country], [], null, $options);
    }

    /**
     * Ask who holds an account.
     *
     * Ask it before a payout. Nigeria only: banks in the US do not tell.
     *
     * @param string $country `ng` or `us`.
     * @param array{
     *     bank_code: string,
     *     account_number: string,
     * } $query
     *   `bank_code`: A code of the bank list.
     *   `account_number`: The account; ten digits for `ng`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function resolve(string $country, array $query, array $options = []): ResolvedAccount
    {
        return $this->client->call(Operations::of('resolveAccount'), [$country], $query, null, $options);
    }
}
