<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\RecoveredDeliveries;
use Bursar\Records\Webhook;
use Bursar\Records\WebhookDelivery;
use Bursar\Records\WebhookWithSecret;
use Bursar\Records\WebhookWithWarnings;

final class Webhooks
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Register a webhook endpoint.
     *
     * The answer shows the signing secret; no later one does. A name that cannot be resolved yet is a warning. At most 20 endpoints per business and mode.
     *
     * @param array{
     *     url: string,
     *     events?: list<'virtual_account.activated'|'virtual_account.failed'|'virtual_account.deposit'|'crypto.deposit'|'payment.completed'|'payment.failed'|'payment.expired'|'payment.canceled'|'collection.completed'|'collection.canceled'|'refund.initiated'|'refund.completed'|'refund.failed'|'dispute.opened'|'dispute.closed'|'distribution.destination_changed'|'invoice.finalized'|'invoice.sent'|'invoice.paid'|'invoice.voided'|'payout.initiated'|'payout.review_opened'|'payout.completed'|'payout.failed'|'payout.canceled'|'payout.returned'|'conversion.completed'|'customer.document.verified'|'customer.document.failed'|'customer.erased'|'*'>,
     *     metadata_filter?: array<string, mixed>,
     *     description?: string|null,
     *     active?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `url`: Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others.
     *   `events`: The event types it gets; `*` stands for all, now and later.
     *   `metadata_filter`: Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.
     *   `description`: A note for yourself.
     *   `active`: Whether it gets events. Events that come while it is inactive are not kept for it.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): WebhookWithSecret
    {
        return $this->client->call(Operations::of('createWebhook'), [], [], $body, $options);
    }

    /**
     * List webhook endpoints.
     *
     * Newest first.
     *
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
     * @return Page<Webhook>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listWebhooks'), [], $query, null, $options);
    }

    /**
     * Get a webhook endpoint.
     *
     * Without its secret, which only its creation and a roll show.
     *
     * @param string $id The endpoint.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Webhook
    {
        return $this->client->call(Operations::of('getWebhook'), [$id], [], null, $options);
    }

    /**
     * Change a webhook endpoint.
     *
     * Fields that are left out stay as they are. Pending deliveries follow a new URL.
     *
     * @param string $id The endpoint.
     * @param array{
     *     url?: string,
     *     events?: list<'virtual_account.activated'|'virtual_account.failed'|'virtual_account.deposit'|'crypto.deposit'|'payment.completed'|'payment.failed'|'payment.expired'|'payment.canceled'|'collection.completed'|'collection.canceled'|'refund.initiated'|'refund.completed'|'refund.failed'|'dispute.opened'|'dispute.closed'|'distribution.destination_changed'|'invoice.finalized'|'invoice.sent'|'invoice.paid'|'invoice.voided'|'payout.initiated'|'payout.review_opened'|'payout.completed'|'payout.failed'|'payout.canceled'|'payout.returned'|'conversion.completed'|'customer.document.verified'|'customer.document.failed'|'customer.erased'|'*'>,
     *     metadata_filter?: array<string, mixed>,
     *     description?: string|null,
     *     active?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `url`: Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others.
     *   `events`: The event types it gets; `*` stands for all, now and later.
     *   `metadata_filter`: Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.
     *   `description`: A note for yourself.
     *   `active`: Whether it gets events. Events that come while it is inactive are not kept for it.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): WebhookWithWarnings
    {
        return $this->client->call(Operations::of('updateWebhook'), [$id], [], $body, $options);
    }

    /**
     * Delete a webhook endpoint.
     *
     * Nothing more is sent to it: what is pending fails. Its delivery log stays. The answer is the endpoint as it was last.
     *
     * @param string $id The endpoint.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function delete(string $id, array $options = []): Webhook
    {
        return $this->client->call(Operations::of('deleteWebhook'), [$id], [], null, $options);
    }

    /**
     * Give a webhook endpoint a new secret.
     *
     * The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the old one signs `X-Signature-Previous`, and `webhook-signature` has the signatures of both.
     *
     * @param string $id The endpoint.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function rollSecret(string $id, array $options = []): WebhookWithSecret
    {
        return $this->client->call(Operations::of('rollWebhookSecret'), [$id], [], null, $options);
    }

    /**
     * Send a sample event to a webhook endpoint.
     *
     * The payload is that of your newest event of the type, or a made-up record where there is none, with `test: true` added; the header `X-Event-Sample: true` says so too. Other endpoints do not get it, and only the delivery log shows it: it is no event.
     *
     * @param string $id The endpoint.
     * @param array{
     *     type: 'virtual_account.activated'|'virtual_account.failed'|'virtual_account.deposit'|'crypto.deposit'|'payment.completed'|'payment.failed'|'payment.expired'|'payment.canceled'|'collection.completed'|'collection.canceled'|'refund.initiated'|'refund.completed'|'refund.failed'|'dispute.opened'|'dispute.closed'|'distribution.destination_changed'|'invoice.finalized'|'invoice.sent'|'invoice.paid'|'invoice.voided'|'payout.initiated'|'payout.review_opened'|'payout.completed'|'payout.failed'|'payout.canceled'|'payout.returned'|'conversion.completed'|'customer.document.verified'|'customer.document.failed'|'customer.erased',
     * } $body
     *   `type`: Which event to send a sample of.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function test(string $id, array $body, array $options = []): WebhookDelivery
    {
        return $this->client->call(Operations::of('testWebhook'), [$id], [], $body, $options);
    }

    /**
     * Send failed deliveries again.
     *
     * Resends every failed delivery of this endpoint that was created at `since` or later. Each gets all its tries again.
     *
     * @param string $id The endpoint.
     * @param array{
     *     since: string,
     * } $body
     *   `since`: Deliveries created at this time or after.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function recover(string $id, array $body, array $options = []): RecoveredDeliveries
    {
        return $this->client->call(Operations::of('recoverWebhook'), [$id], [], $body, $options);
    }
}
