<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * One try to deliver an event.
 *
 * @property-read string $at When it was sent.
 * @property-read int|null $response_status The HTTP status that came back; null: none came.
 * @property-read string|null $response_body The first KiB of what came back.
 * @property-read int $duration_ms How long the exchange took, in milliseconds.
 * @property-read string|null $error Why there was no answer, or why it does not count.
 */
final class WebhookAttempt extends Record
{
}
