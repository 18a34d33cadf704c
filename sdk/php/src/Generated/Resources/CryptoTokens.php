<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\CryptoToken;

final class CryptoTokens
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List the stablecoins and their networks.
     *
     * A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return list<CryptoToken>
     */
    public function list(array $options = []): array
    {
        return $this->client->call(Operations::of('listCryptoTokens'), [], [], null, $options);
    }
}
