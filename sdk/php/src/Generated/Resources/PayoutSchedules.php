<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\PayoutSchedule;
use Bursar\Records\PayoutScheduleRun;

final class PayoutSchedules
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Create a payout schedule.
     *
     * Has what a wallet holds above `keep` paid to an account of your own, daily, weekly or monthly. Each run is an ordinary payout.
     *
     * @param array{
     *     currency: 'ngn'|'usd',
     *     beneficiary: string,
     *     interval: 'daily'|'weekly'|'monthly',
     *     weekday?: 'monday'|'tuesday'|'wednesday'|'thursday'|'friday'|'saturday'|'sunday',
     *     day?: int,
     *     time?: string,
     *     keep?: int,
     *     minimum?: int,
     *     maximum?: int|null,
     *     description?: string|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `currency`: The wallet to pay from.
     *   `beneficiary`: Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor.
     *   `interval`: How often.
     *   `weekday`: On which day of the week; of `weekly` alone.
     *   `day`: On which day of the month; of `monthly` alone. A month that has fewer days pays on its last.
     *   `time`: When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`.
     *   `keep`: What stays in the wallet, in minor units. Default 0.
     *   `minimum`: The least that it pays: with less than this above `keep`, a run pays nothing. Default 1.
     *   `maximum`: The most that a run pays; the rest stays for the next. Null: all there is above `keep`.
     *   `description`: For your own eyes: the description of each payout.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): PayoutSchedule
    {
        return $this->client->call(Operations::of('createPayoutSchedule'), [], [], $body, $options);
    }

    /**
     * List payout schedules.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'active'|'paused',
     *     currency?: 'ngn'|'usd',
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     *   `currency`: Only of this wallet.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<PayoutSchedule>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayoutSchedules'), [], $query, null, $options);
    }

    /**
     * Get a payout schedule.
     *
     * With its next runs, and what one would pay now.
     *
     * @param string $id The payout schedule.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): PayoutSchedule
    {
        return $this->client->call(Operations::of('getPayoutSchedule'), [$id], [], null, $options);
    }

    /**
     * Change a payout schedule.
     *
     * Pauses it, resumes it, or changes its rule, which moves the next run. Fields that are left out stay as they are.
     *
     * @param string $id The payout schedule.
     * @param array{
     *     status?: 'active'|'paused',
     *     beneficiary?: string,
     *     interval?: 'daily'|'weekly'|'monthly',
     *     weekday?: 'monday'|'tuesday'|'wednesday'|'thursday'|'friday'|'saturday'|'sunday',
     *     day?: int,
     *     time?: string,
     *     keep?: int,
     *     minimum?: int,
     *     maximum?: int|null,
     *     description?: string|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `status`: `paused`: no run until it is `active` again.
     *   `beneficiary`: Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor.
     *   `interval`: How often.
     *   `weekday`: On which day of the week; of `weekly` alone.
     *   `day`: On which day of the month; of `monthly` alone. A month that has fewer days pays on its last.
     *   `time`: When, on the clocks of your business’s time zone (`GET /business`). Default `06:00`.
     *   `keep`: What stays in the wallet, in minor units. Default 0.
     *   `minimum`: The least that it pays: with less than this above `keep`, a run pays nothing. Default 1.
     *   `maximum`: The most that a run pays; the rest stays for the next. Null: all there is above `keep`.
     *   `description`: For your own eyes: the description of each payout.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): PayoutSchedule
    {
        return $this->client->call(Operations::of('updatePayoutSchedule'), [$id], [], $body, $options);
    }

    /**
     * Delete a payout schedule.
     *
     * It runs no more, and reads as not found. Payouts that it has made stay as they are.
     *
     * @param string $id The payout schedule.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function delete(string $id, array $options = []): PayoutSchedule
    {
        return $this->client->call(Operations::of('deletePayoutSchedule'), [$id], [], null, $options);
    }

    /**
     * List the runs of a payout schedule.
     *
     * What each came to: a payout, or why there is none. The latest first.
     *
     * @param string $id The payout schedule.
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<PayoutScheduleRun>
     */
    public function listRuns(string $id, array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listPayoutScheduleRuns'), [$id], $query, null, $options);
    }
}
