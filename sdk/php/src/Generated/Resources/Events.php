<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\EventStream;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Event;
use Bursar\Records\WebhookDelivery;

final class Events
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Send an event again.
     *
     * At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time.
     *
     * @param array{
     *     event_id: string,
     *     webhook_id: string,
     * } $body
     *   `event_id`: The event to send.
     *   `webhook_id`: The endpoint to send it to.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function resend(array $body, array $options = []): WebhookDelivery
    {
        return $this->client->call(Operations::of('resendEvent'), [], [], $body, $options);
    }

    /**
     * List events.
     *
     * Newest first, delivered or not.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     type?: 'virtual_account.activated'|'virtual_account.failed'|'virtual_account.deposit'|'crypto.deposit'|'payment.completed'|'payment.failed'|'payment.expired'|'payment.canceled'|'collection.completed'|'collection.canceled'|'refund.initiated'|'refund.completed'|'refund.failed'|'dispute.opened'|'dispute.closed'|'distribution.destination_changed'|'invoice.finalized'|'invoice.sent'|'invoice.paid'|'invoice.voided'|'payout.initiated'|'payout.review_opened'|'payout.completed'|'payout.failed'|'payout.canceled'|'payout.returned'|'conversion.completed'|'customer.document.verified'|'customer.document.failed'|'customer.erased',
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `type`: Only this type.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Event>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listEvents'), [], $query, null, $options);
    }

    /**
     * Follow events as they happen.
     *
     * Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes again. At most 10 streams a key and 250 a business.
     *
     * @param array{
     *     after?: string,
     * } $query
     *   `after`: Where to go on: the `id` of the last event you had, where a header cannot be sent. `0`: from the first event.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function stream(array $query = [], array $options = []): EventStream
    {
        return $this->client->call(Operations::of('streamEvents'), [], $query, null, $options);
    }

    /**
     * Get an event.
     *
     * What was, or would have been, sent to endpoints.
     *
     * @param string $id The event.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Event
    {
        return $this->client->call(Operations::of('getEvent'), [$id], [], null, $options);
    }
}
