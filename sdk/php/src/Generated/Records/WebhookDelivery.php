<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * One event on its way to one endpoint. `metadata` is that of the record the event is about.
 *
 * @property-read string $id Unique id.
 * @property-read string $event_id The event; the `id` of the body and `X-Event-Id`.
 * @property-read string $webhook_id The endpoint.
 * @property-read string $type The event’s type.
 * @property-read string $url Where it was sent last, or is to be sent.
 * @property-read string $status `pending`: a try is running or due; `failed`: no try is left.
 * @property-read array<string, mixed> $payload The event’s payload.
 * @property-read list<WebhookAttempt> $attempts The latest 20 tries, oldest first, resends included.
 * @property-read string|null $next_attempt_at When the next try is due; null: none is.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class WebhookDelivery extends Record
{
    protected const SHAPES = [
        'payload' => ['*' => null],
        'attempts' => [WebhookAttempt::class],
        'metadata' => ['*' => null],
    ];
}
