<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\WebhookDelivery;

final class WebhookDeliveries
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List webhook deliveries.
     *
     * The delivery log, newest first: one entry per event and endpoint, with every try.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     type?: 'virtual_account.activated'|'virtual_account.failed'|'virtual_account.deposit'|'crypto.deposit'|'payment.completed'|'payment.failed'|'payment.expired'|'payment.canceled'|'collection.completed'|'collection.canceled'|'refund.initiated'|'refund.completed'|'refund.failed'|'dispute.opened'|'dispute.closed'|'distribution.destination_changed'|'invoice.finalized'|'invoice.sent'|'invoice.paid'|'invoice.voided'|'payout.initiated'|'payout.review_opened'|'payout.completed'|'payout.failed'|'payout.canceled'|'payout.returned'|'conversion.completed'|'customer.document.verified'|'customer.document.failed'|'customer.erased',
     *     status?: 'pending'|'succeeded'|'failed',
     *     webhook_id?: string,
     *     event_id?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `type`: Only this event type.
     *   `status`: Only this status.
     *   `webhook_id`: Only to this endpoint.
     *   `event_id`: Only of this event.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<WebhookDelivery>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listWebhookDeliveries'), [], $query, null, $options);
    }

    /**
     * Get a webhook delivery.
     *
     * With its latest tries, and when the next is due.
     *
     * @param string $id The delivery.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): WebhookDelivery
    {
        return $this->client->call(Operations::of('getWebhookDelivery'), [$id], [], null, $options);
    }
}
