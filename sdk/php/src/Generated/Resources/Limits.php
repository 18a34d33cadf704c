<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\LimitRules;
use Bursar\Records\Limits as LimitsRecord;

final class Limits
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Get the limits of payouts.
     *
     * Above what payouts wait for a second person or are refused, and what today has sent.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(array $options = []): LimitsRecord
    {
        return $this->client->call(Operations::of('getLimits'), [], [], null, $options);
    }

    /**
     * Change the limits of payouts.
     *
     * From now on; fields that are left out stay as they are. In live mode what loosens limits waits, as `pending_change`, for 24 hours or until a second person confirms it; every owner is mailed. Another that loosens takes its place, and what you make stricter is taken from it. A key that can create payouts can make limits stricter only.
     *
     * @param array{
     *     currencies?: list<array{currency: 'ngn'|'usd', approve_above?: int|null, approve_above_daily?: int|null, refuse_above?: int|null, refuse_above_daily?: int|null, refuse_above_daily_count?: int|null, destination_daily?: int|null, destination_daily_count?: int|null}>,
     *     approval_hours?: int,
     *     payouts_by_key?: 'any'|'beneficiaries',
     *     beneficiary_cooling_off_hours?: int,
     * } $body
     *   `currencies`: Wallets that are left out stay as they are.
     *   `approval_hours`: How long a payout waits for a second person before it is canceled and given back. 1 to 720; default 24.
     *   `payouts_by_key`: Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any. Default `any`.
     *   `beneficiary_cooling_off_hours`: How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it. 0 to 720, from the next change on; default 24.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(array $body = [], array $options = []): LimitsRecord
    {
        return $this->client->call(Operations::of('updateLimits'), [], [], $body, $options);
    }

    /**
     * Confirm a change that loosens limits.
     *
     * It takes effect at once. The person who requested the change cannot confirm it, nor can their keys. For 72 hours after an invitation, neither can a person whom they invited, who invited them, or whom the same person invited.
     *
     * @param string $id The `id` of `pending_change`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function confirmPending(string $id, array $options = []): LimitsRecord
    {
        return $this->client->call(Operations::of('confirmPendingLimits'), [$id], [], null, $options);
    }

    /**
     * Cancel a change that loosens limits.
     *
     * The limits stay as they are. The person who requested the change can cancel it too.
     *
     * @param string $id The `id` of `pending_change`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function cancelPending(string $id, array $options = []): LimitsRecord
    {
        return $this->client->call(Operations::of('cancelPendingLimits'), [$id], [], null, $options);
    }

    /**
     * Get how often limits fired.
     *
     * How often each limit, your own and the operator’s, refused a payout or had it wait: today, and in the last 7 and 30 days of UTC.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function rules(array $options = []): LimitRules
    {
        return $this->client->call(Operations::of('getLimitRules'), [], [], null, $options);
    }
}
