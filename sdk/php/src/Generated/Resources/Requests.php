<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Request;

final class Requests
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List requests.
     *
     * What was asked with the keys of this mode, newest first, for seven days unless the operator says otherwise; each shows about a second after its answer. A list looks through 10,000 requests (with `failed=true`, `code` or a `status` from 400 on: through 10,000 failed ones), and `totalDocs` counts among these: for older ones give `to` or `after`. Asking here is not recorded. Needs a key with the scope `manage`.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: int,
     *     failed?: bool,
     *     code?: string,
     *     method?: 'GET'|'HEAD'|'POST'|'PUT'|'PATCH'|'DELETE',
     *     path?: string,
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     *   `failed`: Only those answered with 400 or above; `false`: only others.
     *   `code`: Only those refused with this code.
     *   `method`: Only this method.
     *   `path`: Only paths that begin so.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Request>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listRequests'), [], $query, null, $options);
    }

    /**
     * Get a request.
     *
     * By the `X-Request-Id` of its answer.
     *
     * @param string $id The request, by its `X-Request-Id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Request
    {
        return $this->client->call(Operations::of('getRequest'), [$id], [], null, $options);
    }
}
