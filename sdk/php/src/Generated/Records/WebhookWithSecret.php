<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The endpoint with its signing secret, in two spellings. No other answer shows it: keep it now.
 *
 * @property-read string $id Unique id.
 * @property-read string $url Where events are sent.
 * @property-read list<string> $events The event types it gets; `*` stands for all.
 * @property-read array<string, mixed> $metadata_filter Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.
 * @property-read bool $active Whether it gets events. Events that come while it is inactive are not kept for it.
 * @property-read string|null $description A note for yourself.
 * @property-read string $secret Keys the HMAC-SHA256 of `X-Signature` and of `webhook-signature`: its bytes, `weh_` included.
 * @property-read string $standard_secret The same key as libraries of Standard Webhooks take it: `whsec_` and the base64 of the secret.
 * @property-read list<Warning> $warnings What looks odd, but does not stop it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class WebhookWithSecret extends Record
{
    protected const SHAPES = [
        'metadata_filter' => ['*' => null],
        'warnings' => [Warning::class],
        'metadata' => ['*' => null],
    ];
}
