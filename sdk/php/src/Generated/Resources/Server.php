<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Health;
use Bursar\Records\ServiceInfo;

final class Server
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * What this server is.
     *
     * Its version, and where its documents are.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(array $options = []): ServiceInfo
    {
        return $this->client->call(Operations::of('getServer'), [], [], null, $options);
    }

    /**
     * Whether the server can work.
     *
     * 200 when database, schema and workers (where this process knows of them) are fine, else 503. Not counted by the rate limit.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getHealth(array $options = []): Health
    {
        return $this->client->call(Operations::of('getHealth'), [], [], null, $options);
    }
}
